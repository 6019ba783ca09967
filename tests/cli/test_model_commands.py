"""The commands that belong to language models, as far as they work without one."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.model.openai_server import Answer, Body, serving
from tests.pipeline.reading_model import say


@pytest.fixture
def huts(tmp_path: Path) -> Path:
    folder = tmp_path / "huts"
    folder.mkdir()
    for number in range(1, 9):
        text = f"Name: Hut{number}\nHeight: {number}00 m\nBeds: {number + 10}\n"
        (folder / f"{number}.txt").write_text(text)
    schema = {"type": "object", "properties": {"height": {"type": "integer", "x-unit": "m"}}}
    (folder / "schema.json").write_text(json.dumps({"title": "Huts"} | schema))
    return folder


def test_a_column_is_added_and_told(cli: Cli, huts: Path) -> None:
    assert cli("ingest", str(huts), "-q").status == 0
    unsure = cli("extend", str(huts), "--attribute", "beds", "-q")
    assert (unsure.status, "not kept: --yes" in unsure.err) == (3, True)
    assert "8 documents\n1.txt: 11.0, “11”\n2.txt: 12.0, “12”\n" in unsure.out
    assert cli("sql", str(huts), "SELECT beds FROM huts").status == 1
    added = cli("extend", str(huts), "--attribute", "beds", "--yes", "-q")
    assert added.status == 0
    assert "added the column beds (number): beds\nstated in 8 of 8 documents\n1.txt: " in added.out
    assert "8 documents\n1.txt: 11.0, “11”\n2.txt: 12.0, “12”\n" in added.out
    asked = cli("sql", str(huts), "SELECT sum(beds), max(height) FROM huts", "--json")
    assert json.loads(asked.out)["rows"] == [[116.0, 800]]
    again = json.loads(cli("ingest", str(huts), "-q", "--json").out)
    assert again["attributes"] == ["height", "beds"], "it stays"


def test_what_no_document_says_cannot_be_added_offline(cli: Cli, huts: Path) -> None:
    failed = cli("extend", str(huts), "--attribute", "quorum of the assembly", "-q")
    assert failed.status == 1
    assert "nothing that rules can read is called “quorum of the assembly”" in failed.err
    assert "no column was added; name it in their words, or use a language model" in failed.err


def test_a_quote_asks_nothing(cli: Cli, huts: Path) -> None:
    quoted = cli("ingest", str(huts), "--model", "gpt-4o-mini", "--quote")
    assert quoted.status == 0
    assert "8 of 8 documents to be read, 1 columns, engine model" in quoted.out
    assert "about 1 calls" in quoted.out
    assert json.loads(cli("ingest", str(huts), "--quote", "--json").out)["engine"] == "offline"


def test_nothing_to_review_is_said(cli: Cli, huts: Path) -> None:
    cli("ingest", str(huts), "-q")
    reviewed = cli("review", str(huts))
    assert (reviewed.status, reviewed.out) == (0, "")
    assert reviewed.err == "nothing to review\n"
    nothing: dict[str, object] = {
        "corrections": [],
        "disagreements": [],
        "united": [],
        "suspects": {},
    }
    assert json.loads(cli("review", str(huts), "--json").out) == nothing
    unknown = cli("review", str(huts), "--column", "hieght")
    assert unknown.status == 1
    assert "no attribute 'hieght'; there are: " in unknown.err


def test_an_ingestion_that_its_budget_stops_ends_with_1(
    cli: Cli, huts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (huts / "schema.json").unlink()
    monkeypatch.setenv("SRAG_MODEL", "openai/any")
    with serving(say) as server:
        monkeypatch.setenv("SRAG_API_BASE", server.base)
        stopped = cli("ingest", huts, "--budget-calls", "1", "-q")
        as_json = cli("ingest", huts, "--budget-calls", "1", "-q", "--json")
        finished = cli("ingest", huts, "-q")

    assert (stopped.status, as_json.status, finished.status) == (1, 1, 0)
    assert stopped.out.startswith("huts: stopped: the budget of 1 calls is used up: 1 calls were")
    assert json.loads(as_json.out)["stopped"].startswith("the budget of 1 calls is used up")
    assert finished.out.startswith("huts: published build")


def test_a_column_is_added_within_a_budget_that_is_quoted_before(
    cli: Cli, stations: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SRAG_MODEL", "openai/any")
    wish = ("--attribute", "who keeps the station", "-q")
    with serving(say) as server:
        monkeypatch.setenv("SRAG_API_BASE", server.base)
        cli("ingest", stations, "-q")
        n_asked = len(server.requests)
        quoted = cli("extend", stations, *wish, "--quote")
        unagreed = cli("extend", stations, *wish)
        assert len(server.requests) == n_asked
        stopped = cli("extend", stations, *wish, "--budget-calls", "1", "--yes")
        nothing = cli("extend", stations, "--attribute", "")
        n_stopped = len(server.requests)

    assert quoted.out.startswith("5 of 5 documents to be read, 1 columns, engine model")
    assert (unagreed.status, unagreed.out) == (3, "")
    assert "say --yes, or --quote for the price" in unagreed.err
    assert (stopped.status, n_stopped - n_asked) == (1, 1)
    assert stopped.out.startswith("stations: stopped: the budget of 1 calls is used up")
    assert (nothing.status, nothing.out) == (1, "")
    assert "describe one attribute in 1 to 300 characters" in nothing.err


def test_what_no_document_states_is_no_column_and_is_said_after_one_prompt(
    cli: Cli, stations: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def script(body: Body) -> Answer:
        is_wish = "describes it in a few words" in str(body["messages"])
        return Answer('{"existing": null, "definition": null}') if is_wish else say(body)

    monkeypatch.setenv("SRAG_MODEL", "openai/any")
    with serving(script) as server:
        monkeypatch.setenv("SRAG_API_BASE", server.base)
        cli("ingest", stations, "-q")
        n_asked = len(server.requests)
        failed = cli("extend", stations, "--attribute", "number of lanes", "-q", "--yes")

    assert len(server.requests) == n_asked + 1
    assert (failed.status, failed.out) == (1, "")
    assert failed.err.startswith("error: no document that was shown states “number of lanes” (")
    again = json.loads(cli("ingest", stations, "-q", "--engine", "offline", "--json").out)
    assert again["attributes"] == ["town", "height_m"], "as before"


def test_a_question_to_a_new_folder_ingests_it_with_the_model_of_the_question(
    cli: Cli, stations: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(say) as server:
        monkeypatch.setenv("SRAG_API_BASE", server.base)
        asked = cli("ask", stations, "How high is the highest?", "--model", "openai/any", "--json")

    assert f"{stations} is not ingested yet; ingesting it first with openai/any" in asked.err
    assert json.loads(asked.out)["rows"] == [[500]]


def test_a_question_to_a_new_folder_ingests_it_with_the_engine_of_the_question(
    cli: Cli, stations: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SRAG_MODEL", "openai/any")
    with serving(say) as server:
        monkeypatch.setenv("SRAG_API_BASE", server.base)
        asked = cli("ask", stations, "How many stations are there?", "--engine", "offline")
        assert server.requests == []

    assert asked.status == 0
    assert f"{stations} is not ingested yet; ingesting it first\n" in asked.err
    agent = cli("ask", stations.parent, "How many are there?", "--engine", "agent")
    assert agent.status == 1
    assert f"start with srag-mcp ingest {stations.parent} --engine agent" in agent.err


def test_a_question_that_the_model_gives_no_reply_to_is_an_error(
    cli: Cli, huts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("ingest", huts, "-q")
    monkeypatch.setenv("SRAG_MODEL", "openai/any")
    refusal = Answer(status=401, error=("no such key", "invalid_api_key"))
    with serving(lambda body: refusal) as server:
        monkeypatch.setenv("SRAG_API_BASE", server.base)
        question = ("ask", huts, "Which quorum does the assembly have?")
        asked = [cli(*question, "--engine", engine) for engine in ("model", "auto")]
        as_json = cli(*question, "--json")

    for said in asked:
        assert (said.status, said.out) == (1, "")
        assert said.err.startswith("error: Not answered: the language model could not be asked")
        assert "no such key" in said.err
    assert as_json.status == 1
    assert json.loads(as_json.out)["brief"]["table"] == "huts"


def test_what_no_column_holds_is_proposed_as_one(
    cli: Cli, huts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("ingest", huts, "-q")
    said = {"restated": "x", "columns": [], "missing": ["the warden's name"], "sql": None}
    refused = {**said, "missing": [], "sql": "DROP TABLE huts"}
    replies = {"Who keeps them?": said, "Tear them down!": refused}
    with serving(
        lambda body: next(Answer(json.dumps(r)) for q, r in replies.items() if q in str(body))
    ) as server:
        monkeypatch.setenv("SRAG_MODEL", "openai/any")
        monkeypatch.setenv("SRAG_API_BASE", server.base)
        missing, wrong = (cli("ask", huts, question, "--engine", "model") for question in replies)

    wanted = """'the warden'"'"'s name'"""
    assert f"or add it: srag-mcp extend {huts} --attribute {wanted}\n" in missing.out
    assert "no query for this question could be run" in wrong.out
    assert "extend" not in wrong.out, "nothing is missing"


def test_a_question_whose_ingestion_was_stopped_says_so(
    cli: Cli, stations: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SRAG_BUDGET_CALLS", "1")
    with serving(say) as server:
        monkeypatch.setenv("SRAG_API_BASE", server.base)
        asked = cli("ask", stations, "How high is the highest?", "--model", "openai/any")

    assert (asked.status, asked.out) == (1, "")
    assert "is not ingested yet, as that was stopped: the budget of 1 calls is used up" in asked.err


def test_a_question_does_not_spend_what_a_budget_kept_back(
    cli: Cli, stations: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SRAG_MODEL", "openai/any")
    with serving(say) as server:
        monkeypatch.setenv("SRAG_API_BASE", server.base)
        assert cli("ingest", stations, "--budget-calls", "2", "-q").status == 1
        n_requests = len(server.requests)
        asked = cli("ask", stations, "How high is the highest?")
        assert len(server.requests) == n_requests
        assert cli("ingest", stations, "-q").status == 0
    assert asked.status == 1
    assert "as that was stopped: the budget of 2 calls is used up" in asked.err


def test_a_column_is_read_from_some_documents_kept_or_dropped(
    cli: Cli, stations: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for page in stations.iterdir():
        page.write_text(f"{page.read_text()}It is kept by Anna.\n")
    monkeypatch.setenv("SRAG_MODEL", "openai/any")
    keeper = ("extend", stations, "--attribute", "who keeps the station", "-q")
    select = "SELECT document_id FROM stations WHERE height_m < 500"
    with serving(say) as server:
        monkeypatch.setenv("SRAG_API_BASE", server.base)
        cli("ingest", stations, "-q")
        quoted = cli(*keeper, "--where", "height_m > 200", "--documents", select, "--quote")
        by_rules = cli(*keeper, "--where", "height_m > 200", "--engine", "offline")
        some = cli(*keeper, "--where", "height_m > 200", "--documents", select)
        counted = cli("sql", stations, "SELECT count(keeper) AS kept FROM stations")
        shown = cli("schema", stations)
        as_json = json.loads(cli("schema", stations, "--json").out)
        wrong = cli(*keeper, "--where", "height_m > 200", "--keep")
        hostile = cli(*keeper, "--documents", "SELECT document_id FROM srag_texts")
        kept = cli(*keeper, "--yes")

    said = "keeper (string): The keeper of the station. Written as in the page.\n"
    assert quoted.out.startswith("2 of 5 documents to be read, 1 columns, engine model\n")
    assert by_rules.status == 1
    assert "keep it as a column, or let a language model read these documents" in by_rules.err
    assert f"read for 2 of 5 documents, and not kept: {said}" in some.out
    assert "stated in 2 of 2 documents\n3.txt: Anna, “kept by Anna”\n" in some.out
    assert counted.out == "kept\n2\n"
    assert "keeper: 2 used, 3 were not read for it." in counted.err
    assert "keeper" not in shown.out
    assert "read for 2 of 5 documents, not kept: keeper\n" in shown.err
    assert list(as_json["properties"]) == ["town", "height_m"]
    assert (wrong.status, hostile.status) == (1, 1)
    assert "a column that is kept is read from all documents" in wrong.err
    assert "the SQL in documents cannot be used" in hostile.err
    assert f"added the column {said}stated in 5 of 5 documents\n" in kept.out
