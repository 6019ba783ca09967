"""Corpora that 16a3ebc wrote are taken over where they lie: what was answered is not asked again.

What they are, and how they were made, is told in tests/fixtures/corpora_16a3ebc/README.md.
"""

import json
import re
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from srag_mcp.model import language_model
from tests.cli.conftest import Cli
from tests.model.openai_server import Answer, Body, OpenAIServer, content_of, serving
from tests.pipeline.reading_model import reply, say

ARCHIVES = Path(__file__).parents[1] / "fixtures" / "corpora_16a3ebc"
QUESTION = "Which station opened last?"
TOWNS = ("Arla", "Brun", "Calm", "Dorn", "Elme", "Furt", "Grau")
# The documents by their numbers: the sample that the schema was tried on; those whose prompts were
# answered before the ingestion was killed; those whose answer an agent gave, and no job heard.
SAMPLE = {0, 2, 18, 27}
READ = set(range(18)) - SAMPLE
UNHEARD = set(range(28, 36))
UNREAD = set(range(44)) - SAMPLE - READ

OldCorpus = Callable[[str], Path]


@pytest.fixture
def old_corpus(tmp_path: Path) -> OldCorpus:
    def unpack(name: str) -> Path:
        with tarfile.open(ARCHIVES / f"{name}.tar.xz") as archive:
            archive.extractall(tmp_path, filter="data")
        return tmp_path / "stations"

    return unpack


@pytest.fixture(autouse=True)
def settings_of_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SRAG_SCHEMA_DOCUMENTS", "4")
    monkeypatch.setenv("SRAG_SCHEMA_ITERATIONS", "2")


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    with serving(say) as server:
        for name, value in (("API_BASE", server.base), ("MODEL", "openai/fake"), ("API_KEY", "-")):
            monkeypatch.setenv(f"SRAG_{name}", value)
        yield server


def rows(cli: Cli, folder: Path, sql: str) -> list[list[object]]:
    result = cli("sql", folder, sql, "--json")
    assert result.status == 0, result.err
    found: list[list[object]] = json.loads(result.out)["rows"]
    return found


def check_records(cli: Cli, folder: Path, height: str = "height_m", year: str = "opened") -> None:
    """Check every value of three columns, and where one was found."""
    expected = [
        [f"station-{number:02d}.txt", TOWNS[number % 7], 100 + 10 * number, 1900 + number]
        for number in range(44)
    ]
    sql = f"SELECT document_id, town, {height}, {year} FROM stations ORDER BY document_id"
    assert rows(cli, folder, sql) == expected
    quoted = json.loads(cli("trace", folder, "town", "--json").out)["sources"][0]
    assert (quoted["value"], quoted["state"]) == ("Arla", "stated")
    assert "Arla" in quoted["quote"]


def check_columns(cli: Cli, folder: Path, expected: list[str]) -> None:
    columns = json.loads(cli("schema", folder, "--json").out)["properties"]
    assert list(columns) == expected


def documents_in(content: str) -> list[int]:
    """Return the numbers of the documents that a prompt shows."""
    return [int(n) for n in re.findall(r"^Station report (\d+)$", content, re.MULTILINE)]


def is_of_schema(body: Body) -> bool:
    messages = body["messages"]
    assert isinstance(messages, list)
    return str(messages[0]["content"]).startswith(("You design one SQL table", "You improve"))


def shown(requests: list[Body]) -> list[int]:
    return [number for body in requests for number in documents_in(content_of(body))]


MODEL_COLUMNS = ["town", "height_m", "opened"]
OFFLINE_COLUMNS = ["town", "height", "station", "rain", "arla", "brun", "calm", "dorn", "elme",
                   "furt", "grau"]  # fmt: skip


def test_a_corpus_without_a_model_opens_and_keeps_its_columns(
    cli: Cli, old_corpus: OldCorpus
) -> None:
    folder = old_corpus("offline")

    check_records(cli, folder, "height", "rain")
    check_columns(cli, folder, OFFLINE_COLUMNS)
    answer = json.loads(cli("ask", folder, "What is the average height?", "--json").out)
    assert answer["rows"] == [[315]]

    assert cli("ingest", folder, "-q").status == 0
    check_records(cli, folder, "height", "rain")
    check_columns(cli, folder, OFFLINE_COLUMNS)


def test_a_corpus_of_a_model_opens_without_it(cli: Cli, old_corpus: OldCorpus) -> None:
    folder = old_corpus("model")

    check_records(cli, folder)
    check_columns(cli, folder, MODEL_COLUMNS)


def test_what_a_model_has_read_costs_no_call(
    cli: Cli, old_corpus: OldCorpus, model: OpenAIServer
) -> None:
    folder = old_corpus("model")
    assert cli("ingest", folder, "-q").status == 0
    assert model.requests == []
    assert rows(cli, folder, "SELECT DISTINCT marks FROM cells") == [[""]]
    assert rows(cli, folder, "SELECT count(DISTINCT document_id) FROM passages") == [[44]]
    text = (folder / "station-01.txt").read_text(encoding="utf-8")
    text = text.replace("report 1", "report 44").replace("1901", "1944")
    (folder / "station-44.txt").write_text(text, encoding="utf-8")

    assert cli("ingest", folder, "-q").status == 0

    assert shown(model.requests) == [44]
    check_columns(cli, folder, MODEL_COLUMNS)
    assert rows(cli, folder, "SELECT max(opened), count(*) FROM stations") == [[1944, 45]]


def test_a_killed_ingestion_asks_only_for_what_nobody_read(
    cli: Cli, old_corpus: OldCorpus, model: OpenAIServer
) -> None:
    folder = old_corpus("model_killed")

    assert cli("ingest", folder, "-q").status == 0

    assert sorted(shown(model.requests)) == sorted(UNREAD)
    assert not [body for body in model.requests if is_of_schema(body)]
    check_columns(cli, folder, MODEL_COLUMNS)
    check_records(cli, folder)


@pytest.fixture
def reworded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all prompts read otherwise than 16a3ebc wrote them."""
    read = language_model._read_template

    def reword(template: str) -> tuple[str, str]:
        instructions, content = read(template)
        return f"{instructions}\nTake care.", content

    monkeypatch.setattr(language_model, "_read_template", reword)


@pytest.mark.usefixtures("reworded")
def test_answers_to_prompts_that_have_changed_since_are_taken_over(
    cli: Cli, old_corpus: OldCorpus, model: OpenAIServer
) -> None:
    folder = old_corpus("model_killed")

    assert cli("ingest", folder, "-q").status == 0

    assert "Take care." in str(model.requests)
    assert sorted(shown(model.requests)) == sorted(UNREAD)
    assert not [body for body in model.requests if is_of_schema(body)]
    check_records(cli, folder)


@pytest.mark.usefixtures("reworded")
def test_an_answer_on_a_document_that_has_changed_since_is_not_taken_over(
    cli: Cli, old_corpus: OldCorpus, model: OpenAIServer
) -> None:
    folder = old_corpus("model_killed")
    text = (folder / "station-01.txt").read_text(encoding="utf-8")
    (folder / "station-01.txt").write_text(text.replace("1901", "1951"), encoding="utf-8")

    assert cli("ingest", folder, "-q").status == 0

    assert 1 in shown(model.requests)
    sql = "SELECT opened FROM stations WHERE document_id = 'station-01.txt'"
    assert rows(cli, folder, sql) == [[1951]]


def answer_all(cli: Cli, folder: Path) -> list[tuple[str, str]]:
    """Answer all prompts of an ingestion as an agent; return their steps and contents."""
    answered: list[tuple[str, str]] = []
    assert cli("ingest", folder, "--engine", "agent").status == 0
    while True:
        page = json.loads(cli("prompts", "next", folder, "--json").out)
        if page["state"] != "running":
            assert page["state"] == "done", page
            return answered
        for step in page["steps"]:
            for prompt in step["prompts"]:
                answered.append((step["step"], prompt["content"]))
                said = {"id": prompt["id"], "reply": reply(step["instructions"], prompt["content"])}
                file = folder.with_name("answer.json")
                file.write_text(json.dumps(said), encoding="utf-8")
                assert cli("prompts", "answer", folder, file).status == 0


def test_an_agent_goes_on_with_what_no_agent_answered(cli: Cli, old_corpus: OldCorpus) -> None:
    folder = old_corpus("agent")

    answered = answer_all(cli, folder)

    assert "schema" not in {step for step, _ in answered}
    asked = [number for step, content in answered for number in documents_in(content)]
    assert sorted(asked) == sorted(UNREAD - UNHEARD)
    check_columns(cli, folder, MODEL_COLUMNS)
    check_records(cli, folder)


def test_an_agent_is_not_asked_for_a_round_of_the_schema_again(
    cli: Cli, old_corpus: OldCorpus
) -> None:
    folder = old_corpus("agent_schema")

    answered = answer_all(cli, folder)

    assert [step for step, _ in answered].count("schema") == 1
    check_columns(cli, folder, MODEL_COLUMNS)
    check_records(cli, folder)


def test_a_build_without_passages_is_to_be_ingested_again_by_its_path(
    cli: Cli, old_corpus: OldCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = old_corpus("offline")
    said = f"to ingest the corpus again, run srag-mcp ingest {folder}"
    assert said in cli("search", folder, "station").err

    def miss(body: Body) -> Answer:
        return Answer(json.dumps({"restated": "", "columns": [], "missing": ["rain"], "sql": None}))

    with serving(miss) as server:
        monkeypatch.setenv("SRAG_API_BASE", server.base)
        refused = cli("ask", folder, "How much does it rain?", "--model", "openai/any")
    assert said in refused.out
