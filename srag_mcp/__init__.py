"""Ask questions that need every document: a folder becomes one SQL table with evidence.

This is the front door: `ingest` makes the table, `edit_columns` changes its columns, `ask` answers
a question over it, and `open_corpus` reads it as a `Corpus`, with SQL, statistics and quotes. What
is imported here is loaded when it is used.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Unpack

from srag_mcp import errors
from srag_mcp.errors import SragError

if TYPE_CHECKING:
    from srag_mcp.inference.answer import Answer
    from srag_mcp.pipeline.column_run import ColumnChange
    from srag_mcp.pipeline.report import IngestReport
    from srag_mcp.pipeline.wishes import IngestOptions
    from srag_mcp.settings import Settings as Settings
    from srag_mcp.store.corpus import Corpus as Corpus

__all__ = [
    "Corpus", "Settings", "SragError", "ask", "edit_columns", "errors", "ingest", "open_corpus",
]  # fmt: skip
__version__ = "0.1.0"

_PLACES = {"Corpus": "srag_mcp.store.corpus", "Settings": "srag_mcp.settings"}


def ingest(
    folder: str | Path,
    settings: "Settings | None" = None,
    **options: "Unpack[IngestOptions]",
) -> "IngestReport":
    """Build or update the table of a folder of documents; what has not changed is not read again.

    Args:
        folder: The documents.
        settings: Who does the thinking, limits, places; None: as the environment says (`SRAG_…`).
        options: See `IngestOptions`: `questions`, `schema`, `rows`, `fresh`, `attribute`, `keep`,
            `documents`.

    Raises:
        SragError: See `errors`: the folder cannot be used, the model cannot be asked, …
    """
    from srag_mcp.pipeline.ingest import ingest as ingest_folder

    settings = settings or _settings()
    return ingest_folder(_locate(folder, settings), settings, **options)


def edit_columns(
    folder: str | Path,
    action: str,
    *names: str,
    settings: "Settings | None" = None,
    is_preview: bool = False,
) -> "ColumnChange":
    """Rename, drop, hide, show, merge or retype columns, as a person does in `schema.json`.

    No document is read for it, and no model asked.

    Args:
        folder: The documents.
        action: `rename`, `drop`, `hide`, `show`, `merge`, `split-unit`, `type` or `noun`.
        names: Columns, and what they become.
        settings: As for `ingest`.
        is_preview: Only say what would change.

    Raises:
        SragError: See `errors`: there is no such column, it cannot become that, …
    """
    from srag_mcp.pipeline.column_run import change_columns

    settings = settings or _settings()
    folder = _locate(folder, settings)
    return change_columns(folder, settings, action, names, is_preview=is_preview)


def ask(
    folder: str | Path,
    question: str,
    settings: "Settings | None" = None,
    *,
    previous: str = "",
    verdict: Literal["", "wrong"] = "",
) -> "Answer":
    """Answer a question over all records of a folder that was ingested, or of a `.duckdb` build.

    Of a folder that holds several kinds of documents, over those that it is about.

    A refusal is an `Answer` too: with `refused`, and a brief for whoever writes the query.

    Args:
        folder: The folder, or the build.
        question: In plain words.
        settings: As for `ingest`.
        previous: The question before, where this one leans on it.
        verdict: `wrong` asks once more for another reading than that of the answer before.

    Raises:
        NotIngestedError: If the folder has no table yet.
        SragError: See `errors`.
    """
    from srag_mcp.engines.choice import choose_asking
    from srag_mcp.inference.ask_kinds import converse_kinds
    from srag_mcp.store.kind_tables import open_kinds
    from srag_mcp.store.layout import CorpusFolder

    settings = settings or _settings()
    with open_corpus(folder, settings) as corpus:
        asking, worker = choose_asking(settings), corpus.worker
        kinds = {} if corpus.is_build else CorpusFolder(corpus.location, settings.home).kinds()
        asked = open_kinds(str(folder), kinds, worker, settings.home) if kinds else corpus
        return converse_kinds(asked, question, asking, previous=previous, verdict=verdict)[1]


@contextmanager
def open_corpus(folder: str | Path, settings: "Settings | None" = None) -> "Iterator[Corpus]":
    """Open the table of a folder, or a `.duckdb` build, with a query worker of its own.

    `docs/invoices` is also the kind `invoices` of a folder that holds several; so for what else
    takes a folder.

    Raises:
        CorpusError: If there is neither.
    """
    from srag_mcp.store.corpus import Corpus
    from srag_mcp.store.guard import QueryLimits, QueryPool

    settings = settings or _settings()
    place = _locate(folder, settings)
    if not place.exists():
        msg = f"there is no folder or build {folder}"
        raise errors.CorpusError(msg)
    limits = QueryLimits(
        timeout_s=settings.query_timeout_s,
        memory_mb=settings.query_memory_mb,
        max_rows=settings.max_rows,
    )
    with QueryPool(limits) as worker:
        yield Corpus(place, worker, settings.home)


def _locate(folder: str | Path, settings: "Settings") -> Path:
    from srag_mcp.store.layout import locate

    return locate(Path(folder), settings.home)


def _settings() -> "Settings":
    from srag_mcp.settings import Settings

    return Settings.from_environ(os.environ)


def __getattr__(name: str) -> object:
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
