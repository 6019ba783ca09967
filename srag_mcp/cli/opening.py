"""Opening a corpus for a command that reads it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from srag_mcp.settings import Settings

if TYPE_CHECKING:
    from srag_mcp.store.corpus import Corpus


@contextmanager
def open_ready(name: str, settings: Settings) -> Iterator["Corpus"]:
    """Open a corpus for reading; ingest it first, after *settings*, when that was never done."""
    from srag_mcp.cli.ingestion import ensure_ingested
    from srag_mcp.cli.shipped import find_corpus, open_corpus

    location = find_corpus(name, settings)
    with open_corpus(location, settings) as corpus:
        ensure_ingested(corpus, location, settings)
        yield corpus
