"""What a person says of answers, and questions that lean on one before."""

import json
import shutil
from pathlib import Path

import pytest

from srag_mcp.store.feedback import open_feedback
from tests.cli.conftest import Cli
from tests.model.openai_server import Answer, Body, serving

ASKED = "How many ferries have a cafe?"
ODD = "Where can I eat?"
EATING = "SELECT name FROM ferry WHERE cafe"


@pytest.fixture
def folder(ingested: Path, tmp_path: Path) -> Path:
    """Return a copy of the ferries, of which nothing is kept yet."""
    copy = shutil.copytree(ingested, tmp_path / "mine")
    with open_feedback(copy / ".srag") as asked_by_other_tests:
        asked_by_other_tests.forget_turns()
    return copy


def kept(cli: Cli, folder: Path) -> tuple[list[tuple[str, str]], list[tuple[str, str, str, bool]]]:
    said = json.loads(cli("feedback", folder, "--json").out)
    return (
        [(item["question"], item["sql"]) for item in said["questions"]],
        [(x["giver"], x["judgement"], x["sql"], bool(x["retired"])) for x in said["verdicts"]],
    )


def test_questions_are_kept_and_told_and_dropped(cli: Cli, folder: Path) -> None:
    asked, odd = cli("ask", folder, ASKED), cli("ask", folder, ODD)
    drop = f"(srag-mcp feedback {folder} --forget drops them)"
    assert asked.err == f"questions kept: 1 of at most 10 {drop}\n"
    assert odd.err == f"questions kept: 2 of at most 10 {drop}\n"
    assert kept(cli, folder) == (
        [(ASKED, "SELECT COUNT(*) FROM ferry WHERE cafe"), (ODD, "")],
        [],
    )
    listed = cli("feedback", folder).out.splitlines()
    assert listed[0] == "questions kept: 2 of at most 10; verdicts: 0"
    assert listed[2] == f"{ASKED}  SELECT COUNT(*) FROM ferry WHERE cafe"
    assert "refused: " in listed[3]
    assert cli("feedback", folder, "--forget").out.startswith("questions kept: 0 of")
    assert kept(cli, folder) == ([], [])


def test_a_query_that_a_person_gives_answers_its_question(cli: Cli, folder: Path) -> None:
    assert cli("ask", folder, ODD).status == 3
    right = cli("feedback", folder, ODD, "--right", "--sql", EATING)
    again = cli("ask", folder, "where can i eat")
    assert (right.status, again.status) == (0, 0)
    assert right.out.startswith("Aldra, Borgund, Calypso: name where cafe holds.")
    assert right.out.endswith("questions kept: 1 of at most 10; verdicts: 1\n")
    assert "\nby a query that a person has verified\n" in again.out
    assert f"\nsql: {EATING}\n" in again.out
    wrong = cli("feedback", folder, ODD, "--wrong")
    assert (wrong.status, cli("ask", folder, ODD).status) == (0, 3)
    assert kept(cli, folder)[1] == [("person", "wrong", EATING, False)]


def test_a_question_that_was_never_asked_is_not_called_wrong(cli: Cli, folder: Path) -> None:
    refused = cli("feedback", folder, ODD, "--wrong")
    assert (refused.status, kept(cli, folder)[1]) == (1, [])
    assert "is none of the questions that are kept" in refused.err


def test_the_last_query_is_right_or_wrong(cli: Cli, folder: Path) -> None:
    cli("ask", folder, ASKED)
    assert cli("feedback", folder, ASKED, "--right").out.startswith("3: number of records")
    [number] = [
        item["number"] for item in json.loads(cli("feedback", folder, "--json").out)["verdicts"]
    ]
    assert f"\n{number}       person  right    {ASKED}" in cli("feedback", folder).out
    assert cli("feedback", folder, "--drop", str(number)).status == 0
    assert kept(cli, folder)[1] == []
    gone = cli("feedback", folder, "--drop", str(number))
    assert (gone.status, gone.err.splitlines()[0]) == (
        1,
        f"error: there is no verdict {number}; srag-mcp feedback {folder} lists them",
    )


def test_a_question_that_was_read_again_has_two_queries_and_a_person_says_which(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = "SELECT count(*) FROM ferry WHERE NOT cafe"
    reply = {"restated": "x", "columns": [], "missing": [], "sql": other}
    cli("ask", folder, ASKED)
    with serving(lambda body: Answer(json.dumps(reply))) as server:
        monkeypatch.setenv("SRAG_API_BASE", server.base)
        cli("ask", folder, ASKED, "--verdict", "wrong", "--model", "openai/any")
    right = cli("feedback", folder, ASKED, "--right")
    assert right.status == 1
    assert right.err == (
        f"error: several queries of {ASKED!r} are kept: give the one that is right (--sql)\n"
        f"SELECT COUNT(*) FROM ferry WHERE cafe\n{other}\n"
    )
    assert cli("feedback", folder, ASKED, "--right", "--sql", other).status == 0


@pytest.mark.parametrize(
    ("sql", "problem"),
    [("DROP TABLE ferry", "SELECT"), ("SELECT crew FROM ferry", "crew"), ("", "no query of")],
)
def test_what_cannot_be_run_is_not_kept(cli: Cli, folder: Path, sql: str, problem: str) -> None:
    refused = cli("feedback", folder, ODD, "--right", "--sql", sql)
    assert refused.status == 1
    assert refused.err.startswith("error: ")
    assert problem in refused.err
    assert kept(cli, folder)[1] == []


@pytest.mark.parametrize(
    "options",
    [(ODD,), (ODD, "--right", "--wrong"), ("--right",), (ODD, "--wrong", "--sql", EATING)],
)
def test_a_verdict_is_one_and_of_a_question(cli: Cli, folder: Path, options: tuple[str]) -> None:
    said = cli("feedback", folder, *options)
    assert said.status == 2
    assert "a question takes --right or --wrong" in said.err


def test_a_pair_whose_column_is_gone_is_listed_as_retired(cli: Cli, folder: Path) -> None:
    cli("feedback", folder, ODD, "--right", "--sql", EATING)
    path = folder / ".srag" / "schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    del schema["properties"]["cafe"]
    path.write_text(json.dumps(schema), encoding="utf-8")
    assert cli("ingest", folder, "-q").status == 0
    assert kept(cli, folder)[1] == [("person", "right", EATING, True)]
    assert "right, retired:" in " ".join(cli("feedback", folder).out.split())
    assert cli("ask", folder, ODD).status == 3


def test_of_a_build_alone_nothing_is_kept(cli: Cli, folder: Path, tmp_path: Path) -> None:
    [build] = (folder / ".srag" / "builds").glob("*.duckdb")
    alone = shutil.copy(build, tmp_path / "ferries.duckdb")
    asked, said = cli("ask", alone, ASKED), cli("feedback", alone)
    assert (asked.status, asked.err) == (0, "")
    assert said.err.startswith(f"error: nothing is kept of {alone}: ")


def test_a_model_reads_a_question_with_the_one_before(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = "How many ferries have no cafe?"
    reply = {"restated": "x", "columns": [], "missing": [], "sql": "SELECT count(*) FROM ferry"}

    def say(body: Body) -> Answer:
        is_rewriting = "New question:" in str(body["messages"])
        return Answer(json.dumps({"question": whole} if is_rewriting else reply))

    monkeypatch.setenv("SRAG_MODEL", "openai/any")
    cli("ask", folder, ASKED, "--engine", "offline")
    with serving(say) as server:
        monkeypatch.setenv("SRAG_API_BASE", server.base)
        asked = cli("ask", folder, "And none?", "--engine", "model", "--previous", ASKED)
        wrong = cli("ask", folder, ASKED, "--verdict", "wrong")
    steps = json.loads(cli("ledger", folder, "--json").out)

    assert asked.out.startswith("4: number of records.\n")
    assert f"\nasked instead: {whole}\n" in asked.out
    assert wrong.out.startswith("4: number of records.\n")
    assert "\ncalled wrong: 3: number of records where cafe holds. sql: SELECT" in wrong.out
    assert [(step, totals["n_calls"]) for step, totals in steps.items()] == [
        ("rewrite", 1),
        ("translate", 2),
        ("total", 3),
    ]


def test_a_question_that_could_mean_several_things_is_refused_with_a_brief(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("ask", folder, ASKED)
    with serving(lambda body: Answer(json.dumps({"question": None}))) as server:
        monkeypatch.setenv("SRAG_API_BASE", server.base)
        asked = cli("ask", folder, "The other?", "--model", "openai/any", "--previous", ASKED)
    assert asked.status == 3
    lines = asked.out.splitlines()
    assert lines[0].endswith("stands alone (it could mean several things); ask one")
    assert lines[1].startswith(f"before: “{ASKED}” was asked before, and its query was SELECT")
