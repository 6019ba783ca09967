"""What the trial of a predicted schema tells the model that refines it, and what is chosen then."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from srag_mcp.pipeline.ingest import ingest
from srag_mcp.pipeline.quote import quote_ingestion
from srag_mcp.pipeline.report import IngestReport
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from srag_mcp.views.holdings import schema_page
from tests.model.openai_server import Answer, Body, OpenAIServer, serving
from tests.pipeline import reading_model
from tests.pipeline.reading_model import describe

TOWNS = ["Arla", "Brun", "Cori"]
Ingest = Callable[..., IngestReport]


def instructions(body: Body) -> str:
    messages = body["messages"]
    assert isinstance(messages, list)
    return str(messages[0]["content"])


def design(body: Body) -> Answer:
    """Propose all columns that the documents have, with what the first question needs."""
    if not instructions(body).startswith("You design"):
        return reading_model.say(body)
    proposed = [
        describe("keeper", "string"),
        describe("town", "string"),
        describe("height_m", "integer", "m") | {"description": " ".join(["How high it is."] * 12)},
        describe("opened", "integer"),
    ]
    said = {"title": "Station", "entity": "stations", "nouns": ["station"], "attributes": proposed}
    content = str(body["messages"])
    needed = "fathoms" if "fathoms" in content else "keeper"
    beside = {
        "needs": [{"question": 1, "columns": [needed]}] if "1. " in content else [],
        "lists": [{"name": "readings", "description": "Of rain.", "fields": ["day", "rain"]}],
        "other_kinds": ["letter"],
    }
    return Answer(json.dumps(said | beside))


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with serving(design) as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    stations = tmp_path / "stations"
    stations.mkdir()
    for number, town in enumerate(TOWNS, start=1):
        opened = f" It has measured rain since {1900 + number}." if number == 1 else ""
        text = f"The hut stands {number}00 metres above the town of {town}, kept by Anna.{opened}\n"
        (stations / f"{number}.txt").write_text(text)
    return stations


@pytest.fixture
def settings(tmp_path: Path, server: OpenAIServer) -> Settings:
    return Settings(
        workers=1,
        home=tmp_path / "home",
        model="openai/fake",
        api_base=server.base,
        api_key="none",
        schema_iterations=1,
        lists=False,
    )


@pytest.fixture
def run(folder: Path, settings: Settings) -> Ingest:
    def ingested(
        questions: tuple[str, ...] = (), columns: int = 30, attribute: str = ""
    ) -> IngestReport:
        chosen = settings.model_copy(update={"columns": columns})
        return ingest(folder, chosen, questions=questions, attribute=attribute)

    return ingested


def steps(server: OpenAIServer) -> list[str]:
    return [instructions(body)[:10] for body in server.requests]


def test_a_question_that_needs_a_missing_column_is_told(run: Ingest, server: OpenAIServer) -> None:
    run(("How many fathoms?",))
    [refining] = [body for body in server.requests if "You improve" in instructions(body)]
    told = str(refining["messages"]).partition("Problems found so far:")[2]
    assert "the question “How many fathoms?” needs fathoms: no such column" in told
    assert "words; one or two short" not in told, "by another definition it would be read anew"


def test_nothing_is_repaired_where_nothing_is_wrong(run: Ingest, server: OpenAIServer) -> None:
    assert run(("Who keeps Arla?",)).published
    assert [step for step in steps(server) if step != "Translate "] == ["You design", "You read d"]


def test_a_sample_question_is_translated_once(run: Ingest, server: OpenAIServer) -> None:
    run(("How high is the highest?",))
    assert steps(server).count("Translate ") == 1


def test_what_is_beyond_the_budget_is_left_out_and_told(run: Ingest, folder: Path) -> None:
    report = run(("Who keeps Arla?",), columns=2)
    assert report.attributes == ("keeper", "town"), "what is asked for, and what names a record"
    assert report.designed == (
        "2 more columns were proposed and left out, as the table has 2 (SRAG_COLUMNS): height_m,"
        " opened; to add one, call extend_schema with corpus='stations' and attribute='height_m'",
        "the documents list readings (day, rain): kept as pending, no table holds it; a model"
        " reads that with effort full and SRAG_LISTS",
        "some documents seem to be of another kind: letter",
    )
    assert set(report.designed) <= set(report.lines())
    written = json.loads((folder / ".srag" / "schema_decisions.json").read_text())
    left = {item["attribute"]: item for item in written if item["action"] == "leave_out"}
    assert list(left) == ["height_m", "opened"]
    assert left["opened"]["definition"]["description"].startswith("The opened of the station.")
    assert run(columns=2).designed == report.designed, "also where nothing has changed"


@pytest.mark.parametrize("wish", ["height_m", "Height M"])
def test_what_was_left_out_is_added_without_a_prompt(
    run: Ingest, folder: Path, settings: Settings, server: OpenAIServer, wish: str
) -> None:
    run(("Who keeps Arla?",), columns=2)
    n_asked = len(server.requests)
    quote = quote_ingestion(folder, settings, attribute=wish)
    assert (quote.n_attributes, quote.least.n_prompts) == (1, 0)
    report = run(columns=2, attribute=wish)
    assert report.extension is not None
    assert (report.extension.added, report.extension.attribute.name) == (True, "height_m")
    assert report.n_stated == len(TOWNS)
    assert len(server.requests) == n_asked, "the sample was read for it in the trial"
    assert report.designed[0].startswith("1 more column was proposed and left out")


def test_get_schema_names_what_was_left_out(run: Ingest, folder: Path, settings: Settings) -> None:
    run(("Who keeps Arla?",), columns=2)
    with QueryPool() as pool:
        notes = schema_page(Corpus(folder, pool, settings.home), 20_000).notes
    assert "proposed and left out, extend_schema with the name adds it: height_m, opened" in notes


def test_what_a_model_left_out_is_forgotten_where_rules_find_the_columns(
    run: Ingest, folder: Path, settings: Settings
) -> None:
    run(("Who keeps Arla?",), columns=2)
    offline = settings.model_copy(update={"engine": "offline", "model": None})
    report = ingest(folder, offline, fresh=True)
    assert "height_m" not in report.attributes
    assert report.designed == ()
    assert not (folder / ".srag" / "schema_decisions.json").exists()


def test_other_words_for_a_column_that_is_there_ask_nothing(
    run: Ingest, server: OpenAIServer
) -> None:
    run(("Who keeps Arla?",), columns=2)
    n_asked = len(server.requests)
    report = run(columns=2, attribute="keepers")
    assert report.extension is not None
    assert (report.extension.added, report.extension.attribute.name) == (False, "keeper")
    assert len(server.requests) == n_asked


def test_a_document_of_which_no_reply_could_be_had_is_not_the_fault_of_the_columns(
    folder: Path, settings: Settings
) -> None:
    def say(body: Body) -> Answer:
        if instructions(body).startswith("You read d") and "Brun" in str(body["messages"]):
            return Answer("nothing of use")
        return design(body)

    with serving(say) as server:
        ingest(folder, settings.model_copy(update={"api_base": server.base}))
        assert "You improv" not in steps(server)
