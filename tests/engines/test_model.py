"""The thinking of an ingestion: what it returns, what it raises, and how it is stopped."""

import threading
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from srag_mcp.documents.document import Document
from srag_mcp.engines.model import AgentEngine, choose_alike
from srag_mcp.engines.protocol import CancelledError, Work
from srag_mcp.errors import ReplyError
from srag_mcp.settings import Settings
from srag_mcp.store.layout import CorpusFolder
from srag_mcp.store.work import open_work


@pytest.fixture
def stop() -> threading.Event:
    return threading.Event()


@pytest.fixture
def engine(tmp_path: Path, stop: threading.Event) -> Iterator[AgentEngine]:
    folder = CorpusFolder(tmp_path, None)
    with (
        open_work(folder.writable()) as work,
        AgentEngine.open(Work(work, Settings(), cancelled=stop.is_set)) as opened,
    ):
        yield opened


def test_what_was_thought_is_returned(engine: AgentEngine) -> None:
    async def think() -> int:
        await anyio.lowlevel.checkpoint()
        return 42

    assert engine.run(think) == 42


@pytest.mark.parametrize("error", [ReplyError("no reply"), OSError("the disk is full")])
def test_an_error_comes_out_as_it_is_and_with_its_cause(
    engine: AgentEngine, error: Exception
) -> None:
    cause = ValueError("not JSON")

    async def think() -> None:
        await anyio.lowlevel.checkpoint()
        raise error from cause

    with pytest.raises(type(error)) as raised:
        engine.run(think)
    assert raised.value is error
    assert (error.__cause__, error.__suppress_context__) == (cause, True)


def test_a_wish_to_stop_ends_it_and_its_last_words_are_said(
    engine: AgentEngine, stop: threading.Event
) -> None:
    said: list[str] = []

    async def think() -> None:
        stop.set()
        try:
            await anyio.sleep_forever()
        finally:
            said.append("kept")

    with pytest.raises(CancelledError):
        engine.run(think)
    assert said == ["kept"]


def test_an_error_while_it_is_stopped_is_told(engine: AgentEngine, stop: threading.Event) -> None:
    async def think() -> None:
        stop.set()
        try:
            await anyio.sleep_forever()
        finally:
            msg = "the disk is full"
            raise OSError(msg)

    with pytest.raises(OSError, match="the disk is full"):
        engine.run(think)


def test_a_wish_is_defined_from_documents_that_speak_of_it_and_from_others() -> None:
    inns = [
        Document(f"{n:02}.txt", f"{n:02}.txt", "", "", "", f"Inn {n} is a hotel.")
        for n in range(20)
    ]
    inns[13] = Document("13.txt", "13.txt", "", "", "", "A hotel whose pools are heated.")
    chosen = [item.id for item in choose_alike("whether the hotel has a pool", inns, 8)]
    assert chosen[0] == "13.txt"
    assert (len(chosen), len(set(chosen))) == (8, 8)
    assert len(choose_alike("whether it has a sauna", inns, 8)) == 8, "nobody speaks of it"
    assert len(choose_alike("pools", inns[13:15], 8)) == 2
