"""Standardisation in an ingestion: nobody is asked twice about a value that was looked at."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from tests.model.openai_server import Answer, Body, serving
from tests.pipeline.reading_model import say, suspects

N_STATIONS, N_IN_MILLIMETRES = 120, 24


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    stations = tmp_path / "stations"
    stations.mkdir()
    for number in range(N_STATIONS):
        height = (100 + number) * (1000 if number < N_IN_MILLIMETRES else 1)
        write(stations, f"{number:03d}", height)
    return stations


def write(folder: Path, name: str, height: int) -> None:
    text = f"The hut stands {height} metres above the town of Arla.\n"
    (folder / f"{name}.txt").write_text(text)


def settings_for(base: str, folder: Path) -> Settings:
    return Settings(
        workers=1,
        home=folder.with_name("home"),
        model="openai/fake",
        api_base=base,
        api_key="none",
        schema_iterations=1,
        schema_documents=1,
    )


def test_a_model_that_cannot_standardise_does_not_keep_the_table_from_being_published(
    folder: Path, worker: QueryPool
) -> None:
    is_useless = True

    def script(body: Body) -> Answer:
        return Answer("Sorry, no.") if is_useless and is_second_look(body) else say(body)

    with serving(script) as server:
        settings = settings_for(server.base, folder)
        first = ingest(folder, settings)
        is_useless = False
        again = ingest(folder, settings)
    assert (first.published, first.n_standardised) == (True, 0)
    assert first.n_unsettled == N_IN_MILLIMETRES
    assert "24 values that do not fit their column are not settled" in "\n".join(first.lines())
    assert (again.published, again.n_standardised) == (True, N_IN_MILLIMETRES // 2)
    assert (again.n_unsettled, unsettled_notes(folder, worker, settings)) == (0, 0)


def is_second_look(body: Body) -> bool:
    """Whether values are asked about, for the first time or again."""
    messages = body["messages"]
    assert isinstance(messages, list)
    return any("Values to look at" in str(item["content"]) for item in messages)


def unsettled_notes(folder: Path, worker: QueryPool, settings: Settings) -> int:
    """Count the cells whose note says that they are not settled."""
    [n_noted] = Corpus(folder, worker, settings.home).count(
        "SELECT count(*) FROM cells WHERE note LIKE '%no verdict yet%'"
    )
    return int(str(n_noted))


def test_a_value_without_a_verdict_is_asked_about_again(folder: Path, worker: QueryPool) -> None:
    is_brief = True

    def script(body: Body) -> Answer:
        return Answer('{"verdicts": []}') if is_brief and is_second_look(body) else say(body)

    with serving(script) as server:
        settings = settings_for(server.base, folder)
        first = ingest(folder, settings)
        n_noted = unsettled_notes(folder, worker, settings)
        is_brief = False
        again = ingest(folder, settings)
    assert (first.n_standardised, first.n_unsettled, n_noted) == (0, 24, 24)
    assert (again.n_standardised, again.n_unsettled) == (N_IN_MILLIMETRES // 2, 0)
    assert unsettled_notes(folder, worker, settings) == 0


def test_a_value_is_looked_at_once_whatever_comes_later(folder: Path, worker: QueryPool) -> None:
    with serving(say) as server:
        settings = settings_for(server.base, folder)
        first = ingest(folder, settings)
        asked = len(server.requests)
        assert sum(len(suspects(body)) for body in server.requests) == N_IN_MILLIMETRES
        assert first.n_standardised == N_IN_MILLIMETRES // 2

        again = ingest(folder, settings)
        other = ingest(folder, settings.model_copy(update={"model": "openai/other"}))
        (folder / "119.txt").unlink()
        ingest(folder, settings)
        assert (len(server.requests), again.published, other.published) == (asked, False, False)

        write(folder, "new", 340)
        ingest(folder, settings)
        assert len(server.requests) == asked + 1
    corpus = Corpus(folder, worker, settings.home)
    kept = "SELECT count(*) FROM cells WHERE note = 'looked at again and kept (so)'"
    assert list(corpus.select(kept).rows) == [(N_IN_MILLIMETRES // 2,)]
    largest = "SELECT count(*) FROM stations WHERE height_m > 1000"
    assert list(corpus.select(largest).rows) == [(N_IN_MILLIMETRES // 2,)]


def test_a_column_that_is_stopped_between_two_prompts_asks_the_second_only(folder: Path) -> None:
    is_stopped = False

    def script(body: Body) -> Answer:
        if not suspects(body):
            return say(body)
        is_second = len([item for item in server.requests if suspects(item)]) == 2
        return replace(say(body), delay_s=30.0 if is_second and not is_stopped else 0.0)

    def cancelled() -> bool:
        return len([item for item in server.requests if suspects(item)]) == 2

    with serving(script) as server:
        settings = settings_for(server.base, folder)
        assert ingest(folder, settings, cancelled=cancelled).cancelled
        is_stopped = True
        report = ingest(folder, settings)
    times = Counter(suspects(body) for body in server.requests if suspects(body))
    assert [(len(values), n) for values, n in times.items()] == [(20, 1), (4, 2)]
    assert report.n_standardised == N_IN_MILLIMETRES // 2


def test_a_doubt_that_the_model_has_answered_already_is_not_raised_again(
    tmp_path: Path, worker: QueryPool
) -> None:
    folder = tmp_path / "stations"
    folder.mkdir()
    for number in range(3):
        write(folder, str(number), 5 + number)
    odd = "The hut stands 5 metres above the town of Arla, or 5 thousand metres.\n"
    (folder / "0.txt").write_text(odd)

    def quote_another_place(body: Body) -> Answer:
        return Answer(str(say(body).text).replace("stands 5 metres", "5 thousand metres"))

    with serving(quote_another_place) as server:
        settings = settings_for(server.base, folder)
        assert ingest(folder, settings).n_standardised == 0
        assert not any(suspects(body) for body in server.requests)
    notes = "SELECT note FROM cells WHERE note <> ''"
    [[note]] = Corpus(folder, worker, settings.home).select(notes).rows
    assert note == "doubted: the quote says '5 thousand metres', the value 5"
