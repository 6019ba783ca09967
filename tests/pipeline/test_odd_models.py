"""Ingestion with models that think aloud, add fields or answer nonsense, behind a real server."""

from collections.abc import Callable
from pathlib import Path

import pytest

from srag_mcp.errors import UselessRepliesError
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from tests.model.openai_server import Answer, Body, OpenAIServer, serving
from tests.pipeline.reading_model import say

N_DOCUMENTS = 60


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    stations = tmp_path / "stations"
    stations.mkdir()
    for number in range(1, N_DOCUMENTS + 1):
        town = f"T{chr(96 + number % 26 + 1)}{chr(96 + number // 26 + 1)}"
        text = f"The hut stands {number} metres above the town of {town}, open since 1900.\n"
        (stations / f"{number}.txt").write_text(text + "x " * 900)
    return stations


def settings(server: OpenAIServer, home: Path) -> Settings:
    return Settings(
        workers=1,
        home=home,
        model="openai/fake",
        api_base=server.base,
        api_key="none",
        schema_iterations=2,
    )


def is_on_records(body: Body) -> bool:
    messages = body["messages"]
    assert isinstance(messages, list)
    return str(messages[0]["content"]).startswith("You read documents")


def think_aloud(text: str) -> str:
    return f'<think>{{"maybe": 1}}? {text}</think>\nHere you are:\n```json\n{text}\n```\nDone {{}}.'


def leave_a_comma(text: str) -> str:
    return text.replace("}]", "},]")


def add_fields(text: str) -> str:
    return text.replace('{"id"', '{"n": 1, "id"')


@pytest.mark.parametrize(
    "change",
    [
        add_fields,
        pytest.param(think_aloud, marks=pytest.mark.thorough),
        pytest.param(leave_a_comma, marks=pytest.mark.thorough),
    ],
)
def test_a_model_with_odd_manners_costs_no_more_calls(
    folder: Path, tmp_path: Path, change: Callable[[str], str], worker: QueryPool
) -> None:
    def oddly(body: Body) -> Answer:
        return Answer(change(str(say(body).text)))

    n_calls: list[int] = []
    for script in (say, oddly):
        with serving(script) as server:
            chosen = settings(server, tmp_path / f"home{len(n_calls)}")
            ingest(folder, chosen, fresh=True)
            n_calls.append(len(server.requests))
            known = "SELECT count(height_m), count(town) FROM stations"
            rows = Corpus(folder, worker, chosen.home).select(known).rows
        assert list(rows) == [(N_DOCUMENTS, N_DOCUMENTS)]
        (folder / ".srag").rename(tmp_path / f"srag{len(n_calls)}")
    assert n_calls[0] == n_calls[1]


def test_a_model_that_cannot_do_it_ends_the_ingestion_and_another_goes_on(
    folder: Path, tmp_path: Path, worker: QueryPool
) -> None:
    is_broken = True

    def script(body: Body) -> Answer:
        return Answer("I cannot.") if is_broken and is_on_records(body) else say(body)

    with serving(script) as server:
        chosen = settings(server, tmp_path / "home")
        with pytest.raises(UselessRepliesError, match=r"it begins 'I cannot\.'"):
            ingest(folder, chosen)
        n_in_vain = len(server.requests)
        is_broken = False
        report = ingest(folder, chosen)
    assert n_in_vain < 50
    assert (report.published, report.n_documents) == (True, N_DOCUMENTS)
    known = "SELECT count(height_m), count(town) FROM stations"
    rows = Corpus(folder, worker, chosen.home).select(known).rows
    assert list(rows) == [(N_DOCUMENTS, N_DOCUMENTS)]
