"""A sentence on each document, asked for where search is to use it, and found by search."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from srag_mcp.pipeline.ingest import ingest
from srag_mcp.retrieval.search import search
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from tests.model.openai_server import Answer, Body, OpenAIServer, content_of, serving
from tests.pipeline import reading_model
from tests.pipeline.test_model_crashes import settings_for, write_stations


def say(body: Body) -> Answer:
    """Sum up the documents where that is asked for."""
    answer = reading_model.say(body)
    if '"summary"' not in content_of(body):
        return answer
    said = json.loads(answer.text or "")
    for number, document in enumerate(said["documents"]):
        who = "glaciologists" if number else "meteorologists"
        document["summary"] = f"A lonely\noutpost for {who}."
    return Answer(json.dumps(said))


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with serving(say) as running:
        yield running


def test_search_ranks_a_document_by_its_summary(tmp_path: Path, server: OpenAIServer) -> None:
    folder = write_stations(tmp_path / "stations", 3)
    settings = settings_for(server.base, tmp_path / "home")

    ingest(folder, settings.model_copy(update={"summaries": True}))

    with QueryPool() as pool:
        corpus = Corpus(folder, pool, settings.home)
        hits = search(corpus, "hut for meteorologists").hits
        summaries = [corpus.summary(hit.document_id) for hit in hits]
    assert summaries[0] == "A lonely outpost for meteorologists."
    assert summaries[1:] == ["A lonely outpost for glaciologists."] * 2
    assert hits[0].score > hits[1].score == hits[2].score


def test_nothing_is_summed_up_unless_it_is_wanted(tmp_path: Path, server: OpenAIServer) -> None:
    folder = write_stations(tmp_path / "stations", 3)
    settings = settings_for(server.base, tmp_path / "home")

    ingest(folder, settings)

    assert not any("summary" in json.dumps(body) for body in server.requests)
    with QueryPool() as pool:
        corpus = Corpus(folder, pool, settings.home)
        hits = search(corpus, "hut for meteorologists").hits
        assert len({hit.score for hit in hits}) == 1
        assert corpus.summary("000.txt") == ""


def test_a_document_that_changed_has_no_summary_of_what_it_was(
    tmp_path: Path, server: OpenAIServer
) -> None:
    folder = write_stations(tmp_path / "stations", 3)
    settings = settings_for(server.base, tmp_path / "home")
    ingest(folder, settings.model_copy(update={"summaries": True}))
    text = (folder / "001.txt").read_text()
    (folder / "001.txt").write_text(text.replace("metres", "metres high"))

    ingest(folder, settings)

    with QueryPool() as pool:
        corpus = Corpus(folder, pool, settings.home)
        assert [bool(corpus.summary(f"00{n}.txt")) for n in range(3)] == [True, False, True]
