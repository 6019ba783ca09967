import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from srag_mcp import forks
from srag_mcp.documents.folder import SourceFile
from srag_mcp.pipeline import reader_pool
from srag_mcp.pipeline.reader_pool import ReaderPool, Sampled, SampleTask, Unreadable

DEADLY = """
import os, sys, time
from pathlib import Path
from srag_mcp import forks
from srag_mcp.documents import reading
from srag_mcp.pipeline import reader_pool
import srag_mcp.pipeline.reader_pool as tasks

def read_file(source):
    text = source.path.read_text()
    if "crash" in text:
        os.kill(os.getpid(), 11)
    if "raise" in text:
        raise ZeroDivisionError("a parser has a bug")
    if "print" in text:
        print("noise on stdout", flush=True)
    if "memory" in text:
        raise MemoryError
    if "fill" in text:
        bytearray(600_000_000)
    if "hang" in text:
        while True:
            time.sleep(60)
    return reading.read_file(source)

tasks.read_file = read_file
forks.begin(reader_pool.main)
"""


@pytest.fixture
def shared_readers() -> None:
    """Share none: each pool starts its own."""


@pytest.fixture
def deadly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers whose parser does what the file says."""
    python = reader_pool._COMMAND[0]
    monkeypatch.setattr(reader_pool, "_COMMAND", (python, "-P", "-c", DEADLY))


def tasks(folder: Path, *texts: str) -> list[SampleTask]:
    found = []
    for number, text in enumerate(texts):
        path = folder / f"{number}.txt"
        path.write_text(text, encoding="utf-8")
        source = SourceFile(path, path.name, reader_pool._BYTES_A_PROCESS)  # worth a process each
        found.append(SampleTask(source, rows=None, n_documents=1))
    return found


def outcome(reply: object) -> tuple[str, str]:
    if isinstance(reply, Sampled):
        return (reply.path, reply.documents[0].text.strip())
    assert isinstance(reply, Unreadable)
    return (reply.path, reply.reason)


@pytest.mark.usefixtures("deadly")
def test_a_parser_that_kills_its_process_costs_one_document(tmp_path: Path) -> None:
    asked = tasks(tmp_path, "one", "crash", "two", "raise", "print", "memory", "three")

    found = dict(outcome(reply) for reply in ReaderPool(2).perform(asked))

    assert found == {
        "0.txt": "one",
        "1.txt": "the process that read it ended (exit status -11)",
        "2.txt": "two",
        "3.txt": "the process that read it ended (exit status 1: ZeroDivisionError: a parser has"
        " a bug)",
        "4.txt": "print",
        "5.txt": "reading it needs more memory than allowed",
        "6.txt": "three",
    }


@pytest.mark.usefixtures("deadly")
def test_what_was_said_about_another_document_is_no_reason(tmp_path: Path) -> None:
    replies = ReaderPool(1).perform(tasks(tmp_path, "print", "crash"))

    assert [outcome(reply) for reply in replies] == [
        ("0.txt", "print"),
        ("1.txt", "the process that read it ended (exit status -11)"),
    ]


@pytest.mark.usefixtures("deadly")
def test_a_parser_that_hangs_is_stopped(tmp_path: Path) -> None:
    replies = ReaderPool(1, 1).perform(tasks(tmp_path, "hang", "one"))

    assert [outcome(reply) for reply in replies] == [
        ("0.txt", "reading it took longer than 1 s"),
        ("1.txt", "one"),
    ]


@pytest.mark.usefixtures("deadly")
def test_a_file_at_which_a_process_died_is_not_given_to_another(tmp_path: Path) -> None:
    readers = ReaderPool(1)
    asked = tasks(tmp_path, "crash", "one")
    [died, read] = readers.perform(asked)
    (tmp_path / "0.txt").write_text("two", encoding="utf-8")

    assert list(readers.perform(asked)) == [died, read]
    assert [outcome(reply) for reply in ReaderPool(1).perform(asked)] == [
        ("0.txt", "two"),
        ("1.txt", "one"),
    ]


@pytest.mark.usefixtures("deadly")
def test_only_what_may_pass_is_said_to(tmp_path: Path) -> None:
    replies = ReaderPool(1).perform(tasks(tmp_path, "crash", "memory", ""))

    assert [isinstance(reply, Unreadable) and reply.passing for reply in replies] == [
        True,
        True,
        False,
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory")
@pytest.mark.usefixtures("deadly")
def test_readers_share_one_budget_of_memory(tmp_path: Path) -> None:
    [reply] = ReaderPool(1000).perform(tasks(tmp_path, "fill"))

    assert outcome(reply) == ("0.txt", "reading it needs more memory than allowed")


@pytest.mark.usefixtures("deadly")
def test_leaving_early_ends_the_processes(tmp_path: Path) -> None:
    asked = tasks(tmp_path, "one", "hang", "hang")

    with closing(ReaderPool(2).perform(asked)) as replies:
        assert outcome(next(replies)) == ("0.txt", "one")


def test_small_files_share_a_process_which_stays_for_the_next_ones_inside_a_context(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, start = list[str](), forks.start

    def start_noted(command: Sequence[str], argument: str, stderr: int) -> forks.Child:
        started.append(argument)
        return start(command, argument, stderr)

    monkeypatch.setattr(forks, "start", start_noted)
    asked = tasks(tmp_path, "one", "two", "three")
    half = [replace(item, source=replace(item.source, size=5000)) for item in asked]

    counts = []
    with ReaderPool(2) as readers:
        for _ in range(2):
            found = sorted(outcome(reply) for reply in readers.perform(half))
            assert found == [("0.txt", "one"), ("1.txt", "two"), ("2.txt", "three")]
            counts.append(len(started))

    assert counts == [1, 1]


def test_a_process_that_cannot_be_started_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader_pool, "_COMMAND", (str(tmp_path / "missing"),))

    with pytest.raises(FileNotFoundError):
        list(ReaderPool(1).perform(tasks(tmp_path, "one")))
