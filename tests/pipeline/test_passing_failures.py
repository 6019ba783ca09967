"""Readers that die for a passing reason: the state says so, and the next ingestion tries again."""

from collections.abc import Callable
from pathlib import Path

import pytest

from srag_mcp.pipeline import reader_pool
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings

Ask = Callable[[Path, str], list[tuple[object, ...]]]

DIES_AT_FIRST = """
import os, sys
from srag_mcp import forks
from srag_mcp.documents import reading
from srag_mcp.pipeline import reader_pool
import srag_mcp.pipeline.reader_pool as tasks

def read_file(source):
    with source.path.with_suffix(".tries").open("a") as tries:
        tries.write("x")
    if source.path.name == "station-003.txt" and not source.path.with_suffix(".ok").exists():
        os.kill(os.getpid(), 9)
    return reading.read_file(source)

tasks.read_file = read_file
forks.begin(reader_pool.main)
"""
FAILED = (
    "station-003.txt",
    "the process that read it ended (exit status -9); the next ingestion tries again",
)


@pytest.fixture
def dying(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers that die at the third station until a file says that they need not."""
    command = (reader_pool._COMMAND[0], "-P", "-c", DIES_AT_FIRST)
    monkeypatch.setattr(reader_pool, "_COMMAND", command)


@pytest.mark.usefixtures("dying")
def test_a_document_whose_reader_was_killed_is_read_by_the_next_ingestion(
    corpus: Path, settings: Settings, schema: Schema, ask: Ask
) -> None:
    first = ingest(corpus, settings, schema=schema)
    second = ingest(corpus, settings, schema=schema)
    (corpus / "station-003.ok").touch()
    third = ingest(corpus, settings, schema=schema)

    assert [(item.path, item.reason) for item in first.failed] == [FAILED]
    assert (second.failed, second.published) == (first.failed, False)
    assert (third.n_extracted, third.failed, third.published) == (1, (), True)
    assert ask(corpus, "SELECT count(height) FROM stations") == [(5,)]


@pytest.mark.usefixtures("dying")
def test_a_document_whose_reader_died_at_the_sample_is_not_read_again(
    corpus: Path, settings: Settings
) -> None:
    ingest(corpus, settings)

    assert (corpus / "station-003.tries").read_text(encoding="utf-8") == "x"
    assert (corpus / "station-001.tries").read_text(encoding="utf-8") == "xx"
