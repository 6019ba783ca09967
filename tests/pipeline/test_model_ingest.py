"""Ingestion with a language model behind a real server on loopback."""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

import srag_mcp
from srag_mcp.errors import ReplyError, SettingsError, UselessRepliesError
from srag_mcp.inference.turns import BY_MODEL
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.pipeline.report import UncoveredQuestion
from srag_mcp.settings import EngineChoice, Settings
from srag_mcp.store.feedback import Verdict, open_feedback
from tests.conftest import Once
from tests.model.openai_server import Answer, Body, OpenAIServer, serving
from tests.pipeline.conftest import Ask
from tests.pipeline.reading_model import TOWNS, say, settings_for


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    stations = tmp_path / "stations"
    stations.mkdir()
    for number, town in enumerate(TOWNS, start=1):
        write(stations, number, town)
    return stations


def write(folder: Path, number: int, town: str, height: int | None = None) -> None:
    text = (
        f"The hut stands {height or 100 * number} metres above the town of {town}, where it has"
        f" measured rain since {1900 + number}. It is kept by Anna.\n"
    )
    (folder / f"{number}.txt").write_text(text)


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with serving(say) as running:
        yield running


@pytest.fixture
def settings(tmp_path: Path, server: OpenAIServer) -> Settings:
    update = {"schema_iterations": 2}
    return settings_for(server, tmp_path / "home").model_copy(update=update)


@pytest.fixture
def ingested(folder: Path, settings: Settings, once: Once) -> Path:
    return once(folder, lambda: ingest(folder, settings))


def steps(server: OpenAIServer) -> list[str]:
    """Return the first words of the instructions of each request."""
    return [instructions(body)[:12] for body in server.requests]


def instructions(body: Body) -> str:
    messages = body["messages"]
    assert isinstance(messages, list)
    return str(messages[0]["content"])


def test_schema_records_and_quotes_come_from_the_model(
    folder: Path, settings: Settings, server: OpenAIServer, ask: Ask
) -> None:
    report = ingest(folder, settings, questions=["Which station opened last?"])
    assert report.attributes == ("town", "height_m", "opened")
    assert (report.engine, report.n_predicted, report.uncovered) == ("model", 6, ())
    assert report.taken is not None
    assert report.taken.n_calls == len(server.requests)
    rows = ask(folder, "SELECT town, height_m, opened FROM stations ORDER BY 1")
    assert rows == [(town, 100 * n, 1900 + n) for n, town in enumerate(TOWNS, start=1)]
    said = ask(
        folder,
        "SELECT as_stated, unit, engine FROM cells WHERE attribute = 'height_m' ORDER BY 1",
    )
    assert said[0] == ("stands 100 metres", "m", "model")
    decisions = json.loads((folder / ".srag" / "schema_decisions.json").read_text())
    assert [(item["round"], item["attribute"]) for item in decisions] == [
        (1, "town"),
        (1, "height_m"),
        (2, "opened"),
    ]


def test_nothing_is_asked_again_until_something_changes(
    ingested: Path, settings: Settings, server: OpenAIServer, ask: Ask
) -> None:
    asked = len(server.requests)
    again = ingest(ingested, settings)
    assert (len(server.requests), again.published) == (asked, False)
    write(ingested, 1, "Arla", 150)
    (ingested / "6.txt").unlink()
    changed = ingest(ingested, settings)
    assert (changed.n_predicted, changed.n_removed) == (1, 1)
    assert len(server.requests) == asked + 1
    assert ask(ingested, "SELECT min(height_m), count(*) FROM stations") == [(150, 5)]


def test_an_edited_schema_asks_for_its_changes_only(
    ingested: Path, settings: Settings, server: OpenAIServer, ask: Ask
) -> None:
    asked = len(server.requests)
    path = ingested / ".srag" / "schema.json"
    schema = json.loads(path.read_text())
    schema["properties"]["opened"] = {"type": "integer", "description": "The year of opening."}
    path.write_text(json.dumps(schema))
    report = ingest(ingested, settings)
    assert report.n_predicted == 6
    new = [instructions(body) for body in server.requests[asked:]]
    assert all("3 opened (" in text and " town (" not in text for text in new)
    assert ask(ingested, "SELECT max(opened), max(height_m) FROM stations") == [(1906, 600)]


def test_a_column_is_added_later_and_only_it_is_asked_for(
    ingested: Path, settings: Settings, server: OpenAIServer, ask: Ask
) -> None:
    asked = len(server.requests)
    report = ingest(ingested, settings, attribute="who keeps the station")
    assert report.extension is not None
    assert (report.extension.added, report.extension.attribute.name) == (True, "keeper")
    assert steps(server)[asked:] == ["A table was ", "You read doc"]
    assert ask(ingested, "SELECT DISTINCT keeper FROM stations") == [("Anna",)]
    assert "added the column keeper (string)" in "\n".join(report.lines())


def test_a_question_that_no_column_answers_is_named(folder: Path, settings: Settings) -> None:
    report = ingest(folder, settings.model_copy(update={"schema_iterations": 1}))
    assert report.uncovered == ()
    short = settings.model_copy(update={"schema_questions": 1})
    report = ingest(folder, short, questions=["When opened?", "How high is the highest?"])
    assert report.uncovered == (UncoveredQuestion("When opened?", "no column holds opened"),)
    assert (report.answered, report.untried) == ((), ("How high is the highest?",))
    both = ingest(folder, settings, questions=["When opened?", "How high is the highest?"])
    assert both.answered == ("How high is the highest?",)
    assert "not tried, one question too many: How high is the highest?" in report.lines()


def test_a_budget_stops_it_and_the_next_run_goes_on(
    folder: Path, settings: Settings, server: OpenAIServer
) -> None:
    poor = settings.model_copy(update={"budget_calls": 1})
    report = ingest(folder, poor)
    assert (report.published, len(server.requests)) == (False, 1)
    assert "the budget of 1 calls is used up: 1 calls" in report.stopped
    done = ingest(folder, settings)
    assert done.published
    assert done.taken is not None
    assert done.taken.n_calls == len(server.requests), "what the first run paid for is counted"
    assert steps(server).count("You design o") == 1, "and not paid for again"


def test_replies_that_were_there_are_counted_for_each_run(
    folder: Path, settings: Settings, server: OpenAIServer
) -> None:
    found = []
    for budget in (1, 1, 1, None):
        report = ingest(folder, settings.model_copy(update={"budget_calls": budget}))
        assert report.taken is not None
        found.append((report.taken.n_calls, report.taken.n_cached))
    assert found[:3] == [(1, 0), (1, 1), (1, 1)]
    assert found[3][0] == len(server.requests)


def test_a_cancelled_ingestion_keeps_what_it_has(
    folder: Path, settings: Settings, server: OpenAIServer
) -> None:
    def cancelled() -> bool:
        return len(server.requests) >= 2

    report = ingest(folder, settings, cancelled=cancelled)
    assert (report.cancelled, report.published) == (True, False)
    done = ingest(folder, settings)
    assert done.published
    assert steps(server).count("You design o") == 1


def test_the_engine_of_the_last_ingestion_stays_until_another_is_chosen(
    ingested: Path, settings: Settings
) -> None:
    nameless = settings.model_copy(update={"model": None})
    with pytest.raises(SettingsError, match="was ingested with a language model, and none is"):
        ingest(ingested, nameless)
    offline = ingest(ingested, nameless.model_copy(update={"engine": "offline"}))
    assert offline.engine == "offline"
    assert offline.attributes == ("town", "height_m")
    assert replace(ingest(ingested, nameless), seconds=0).engine == "offline"


def test_an_extension_that_was_stopped_goes_on_with_its_column(
    ingested: Path, settings: Settings, server: OpenAIServer, ask: Ask
) -> None:
    asked = len(server.requests)
    wish = "who keeps the station"
    poor = settings.model_copy(update={"budget_calls": 1})
    assert "is used up" in ingest(ingested, poor, attribute=wish).stopped
    for _ in range(2):
        report = ingest(ingested, settings, attribute=wish)
        assert report.attributes == ("town", "height_m", "keeper")
    assert steps(server)[asked:] == ["A table was ", "You read doc"]
    assert ask(ingested, "SELECT DISTINCT keeper FROM stations") == [("Anna",)]


def test_a_column_that_the_model_cannot_read_is_taken_out_again(
    folder: Path, tmp_path: Path
) -> None:
    def script(body: Body) -> Answer:
        is_column = " keeper (string" in instructions(body)
        return Answer("I cannot.") if is_column else say(body)

    for number in range(6, 40):
        text = f"The station stands {number}00 metres high, above the town of Town{number}.\n"
        (folder / f"more{number}.txt").write_text(text)
    with serving(script) as served:
        settings = Settings(
            workers=1, model="openai/fake", api_base=served.base, home=tmp_path / "home"
        )
        ingest(folder, settings)
        with pytest.raises(UselessRepliesError):
            ingest(folder, settings, attribute="who keeps the station")
        (folder / "more6.txt").unlink()
        report = ingest(folder, settings)
    assert (report.attributes, report.published) == (("town", "height_m"), True)


@pytest.mark.parametrize("engine", ["offline", "model"])
def test_a_column_that_is_named_as_it_is_there_is_not_added_again(
    ingested: Path, settings: Settings, server: OpenAIServer, engine: EngineChoice
) -> None:
    asked = len(server.requests)
    report = ingest(ingested, settings.model_copy(update={"engine": engine}), attribute="Height m")
    assert report.extension is not None
    assert (report.extension.added, report.extension.attribute.name) == (False, "height_m")
    assert report.attributes == ("town", "height_m")
    assert len(server.requests) == asked


@pytest.mark.parametrize(
    ("first_words", "n_good"), [("You design one SQL table", 0), ("You read documents", 6)]
)
def test_useless_replies_do_not_fail_the_next_ingestion(
    folder: Path, settings: Settings, first_words: str, n_good: int, ask: Ask
) -> None:
    is_useless = True

    def script(body: Body) -> Answer:
        if is_useless and instructions(body).startswith(first_words):
            return Answer("I am sorry, I cannot do that.")
        return say(body)

    with serving(script) as server:
        settings = settings.model_copy(update={"api_base": server.base})
        with suppress(ReplyError):
            ingest(folder, settings)
        asked, is_useless = len(server.requests), False
        ingest(folder, settings)
        if n_good:  # of three replies to each document, only the last is asked for anew
            assert asked < len(server.requests) <= asked + n_good
        ended = len(server.requests)
        ingest(folder, settings)
        assert len(server.requests) == ended
    assert ask(folder, "SELECT count(town) FROM stations") == [(6,)]


def test_a_question_that_the_columns_answer_is_not_asked_again(
    folder: Path, settings: Settings, server: OpenAIServer
) -> None:
    questions = ["Which station opened last?", "How high is the highest?"]
    assert ingest(folder, settings, questions=questions).uncovered == ()
    asked = len(server.requests)
    write(folder, 7, "Gera")
    assert ingest(folder, settings, questions=questions).uncovered == ()
    assert steps(server)[asked:] == ["You read doc"]
    path = folder / ".srag" / "schema.json"
    schema = json.loads(path.read_text())
    del schema["properties"]["opened"]
    path.write_text(json.dumps(schema))
    report = ingest(folder, settings, questions=questions)
    assert [item.reason for item in report.uncovered] == ["no column holds opened"]


def test_a_sample_question_is_answered_by_its_query_without_a_model(
    folder: Path, settings: Settings
) -> None:
    question = "Which station opened last?"
    ingest(folder, settings, questions=[question])
    alone = Settings(home=settings.home)
    answer = srag_mcp.ask(folder, question, settings=alone)
    assert (answer.rows, answer.assumptions[0]) == (((1906,),), BY_MODEL)
    with open_feedback(folder / ".srag") as kept:
        kept.keep_verdict(Verdict("person", "wrong", question, answer.sql))
    assert BY_MODEL not in srag_mcp.ask(folder, question, settings=alone).assumptions
