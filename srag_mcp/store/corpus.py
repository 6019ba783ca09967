"""A corpus as readers see it: always one whole build, the newest one."""

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, Unpack

from srag_mcp.errors import CorpusError, NotIngestedError, StoreError
from srag_mcp.schema.schema import Schema
from srag_mcp.store.build_info import BuildInfo, read_info
from srag_mcp.store.build_statistics import read_statistics
from srag_mcp.store.build_tables import CELL_COLUMNS, DOCUMENT_COLUMNS
from srag_mcp.store.evidence import (
    Evidence,
    EvidenceFilter,
    EvidencePage,
    quotes_sql,
    read_evidence,
)
from srag_mcp.store.guard import QueryWorker, ResultPage, Value
from srag_mcp.store.layout import CorpusFolder
from srag_mcp.store.pointer import build_path, read_pointer
from srag_mcp.store.statistics import ColumnStatistics
from srag_mcp.store.values import MemoryValueIndex, ValueIndex

Returned = TypeVar("Returned")

BUILD_SUFFIX = ".duckdb"
_TRIES = 5
_PAGE_ROWS = 50_000
_FIND_DOCUMENTS = """
SELECT document_id, title, path, media_type, characters FROM documents
WHERE ($2 AND document_id = $1)
   OR (NOT $2 AND contains(lower(concat_ws(' ', document_id, title)), lower($1)))
ORDER BY document_id LIMIT $3
"""


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """One document of a build; *characters* is the length of its text, 0 if it failed."""

    id: str
    title: str
    path: str
    media_type: str
    characters: int


@dataclass(frozen=True, slots=True)
class _Content:
    """What is read once a build."""

    info: BuildInfo
    schema: Schema
    statistics: tuple[ColumnStatistics, ...]


class Corpus:
    """Reads a corpus folder, or a build (`.duckdb`) that somebody handed around.

    Every call goes to the newest published build; what belongs to a build is read once. All SQL
    runs in *worker*: this process opens no database. Safe to use from many threads.
    """

    def __init__(self, location: Path, worker: QueryWorker, home: Path | None = None) -> None:
        self.location = location.expanduser()
        self.worker = worker
        self._folder = None if self.is_build else CorpusFolder(self.location, home)
        self._lock = threading.Lock()
        self._contents: dict[Path, _Content] = {}
        self._values: dict[Path, ValueIndex] = {}

    @property
    def is_build(self) -> bool:
        """Whether it is a build alone, without documents to ingest."""
        return self.location.suffix == BUILD_SUFFIX

    @property
    def name(self) -> str:
        """The name of the folder, or the stem of the build."""
        resolved = self.location.resolve()
        return resolved.stem if self.is_build else resolved.name

    @property
    def state(self) -> Path | None:
        """The folder for what is kept beside the builds; None where nothing can be written."""
        state = None if self._folder is None else self._folder.readable()
        return state if state is not None and os.access(state, os.W_OK) else None

    def build_path(self) -> Path:
        """Return the published build.

        Raises:
            NotIngestedError: If there is none.
            StoreError: If the pointer is damaged.
        """
        if self._folder is not None:
            state = self._folder.readable()
            return build_path(state, read_pointer(state).build_id)
        if not self.location.is_file():
            msg = f"there is no build {self.location}"
            raise NotIngestedError(msg)
        return self.location.resolve()

    def info(self) -> BuildInfo:
        """Return what the build says of itself."""
        return self._content()[1].info

    def schema(self) -> Schema:
        """Return the schema of the build."""
        return self._content()[1].schema

    def statistics(self, columns: Sequence[str] | None = None) -> tuple[ColumnStatistics, ...]:
        """Return the statistics of *columns*, in the order of the schema; of all when None."""
        found = self._content()[1].statistics
        return tuple(item for item in found if columns is None or item.column in columns)

    def values(self) -> ValueIndex:
        """Return the index of the stored texts."""
        for _ in range(_TRIES):
            path, _content = self._content()
            with self._lock:
                if path in self._values:
                    return self._values[path]
            entries = self._read_values(path)
            if entries is not None:
                index = MemoryValueIndex(entries)
                with self._lock:
                    self._values = {path: index}
                return index
        raise self._vanishing()

    def tables(self) -> dict[str, list[str]]:
        """Return the tables that SQL from outside may read, with their columns."""
        return _exposed_tables(self.schema())

    def select(self, sql: str, limit: int = 100, offset: int = 0) -> ResultPage:
        """Check and run one SELECT that comes from outside.

        Raises:
            QueryError: If it is refused, wrong, or too heavy; see its subclasses.
        """
        return self._retried(
            lambda path, tables: self.worker.select(
                path, sql, tables=tables, limit=limit, offset=offset
            )
        )

    def count(self, sql: str, timeout_s: float | None = None) -> tuple[Value, ...]:
        """Return the one row of counts *sql*, which this package wrote around conditions.

        It may read `srag_failures`, too: the records with cells that failed, and which (`_failed`).

        Raises:
            QueryTimeoutError: If it takes longer than *timeout_s* seconds, or, when None, than
                any query may.
            QueryError: If a condition is refused or wrong.
        """
        return self._retried(
            lambda path, tables: self.worker.count(
                path, sql, tables=_with_failures(tables), timeout_s=timeout_s
            )
        )

    def _retried(self, ask: Callable[[Path, dict[str, list[str]]], Returned]) -> Returned:
        """Ask the newest build; ask again where it was replaced and removed meanwhile."""
        for _ in range(_TRIES):
            path, content = self._content()
            try:
                return ask(path, _exposed_tables(content.schema))
            except StoreError:
                if path.exists():
                    raise
        raise self._vanishing()

    def trace(self, column: str, **wanted: Unpack[EvidenceFilter]) -> EvidencePage:
        """Return the cells of *column* that pass the filter, with their words and places.

        Raises:
            SchemaError: If there is no such column.
        """
        self.schema().attribute(column)
        return read_evidence(self.read, column, wanted)

    def quotes(self, column: str, where: str, limit: int = 3) -> tuple[Evidence, ...]:
        """Return stated cells of *column*, of records where *where* (SQL, empty: all) holds.

        Raises:
            QueryError: If *where* is refused or wrong.
        """
        stated: EvidenceFilter = {"state": "stated", "limit": limit}
        if not where:
            return read_evidence(self.read, column, stated).evidence
        page = self.select(quotes_sql(self.schema().entity, column, where), limit=limit)
        ids = [str(row[0]) for row in page.rows]
        return read_evidence(self.read, column, stated, ids).evidence

    def document(self, document_id: str) -> DocumentEntry:
        """Return one document.

        Raises:
            CorpusError: If there is none of that id; the text names some that look alike.
        """
        found = self._find_documents(document_id, exact=True, limit=1)
        if found:
            return found[0]
        near = self.documents_like(document_id.rpartition("/")[2], limit=5)
        names = ", ".join(item.id for item in near) or "SELECT document_id FROM documents"
        msg = f"no document {document_id!r} in {self.name}; try: {names}"
        raise CorpusError(msg)

    def documents_like(self, text: str, limit: int = 20) -> tuple[DocumentEntry, ...]:
        """Return the documents whose id or title holds *text*, in any case."""
        return self._find_documents(text, exact=False, limit=limit)

    def document_text(self, document_id: str, start: int = 0, end: int | None = None) -> str:
        """Return characters *start* to *end* of a document; empty if it could not be read.

        Raises:
            CorpusError: If there is no such document.
        """
        entry = self.document(document_id)
        end = entry.characters if end is None else end
        rows = self.read(
            "SELECT substr(text, $2, $3) FROM srag_texts WHERE document_id = $1",
            [document_id, max(start, 0) + 1, max(end - max(start, 0), 0)],
        )
        return str(rows[0][0]) if rows else ""

    def _find_documents(self, text: str, *, exact: bool, limit: int) -> tuple[DocumentEntry, ...]:
        rows = self.read(_FIND_DOCUMENTS, [text, exact, limit])
        return tuple(
            DocumentEntry(str(row[0]), str(row[1]), str(row[2]), str(row[3]), int(row[4] or 0))
            for row in rows
        )

    def _content(self) -> tuple[Path, _Content]:
        for _ in range(_TRIES):
            path = self.build_path()
            with self._lock:
                if path in self._contents:
                    return path, self._contents[path]
            content = self._read_content(path)
            if content is not None:
                with self._lock:
                    self._contents = {path: content}
                return path, content
        raise self._vanishing()

    def _read_content(self, path: Path) -> _Content | None:
        """Read what belongs to a build; None if it vanished, because newer ones were published."""
        try:
            info = read_info(self.worker.read(path, "SELECT key, value FROM srag_build"))
            schema = self.worker.read(path, "SELECT schema FROM srag_schema")
            statistics = self.worker.read(
                path, "SELECT statistics FROM srag_statistics ORDER BY position"
            )
        except StoreError as error:
            if not path.exists():
                return None
            raise self._unreadable(path, error) from error
        return _Content(
            info,
            Schema.model_validate_json(str(schema[0][0])),
            tuple(read_statistics(str(row[0])) for row in statistics),
        )

    def _read_values(self, path: Path) -> list[tuple[str, str, int]] | None:
        entries: list[tuple[str, str, int]] = []
        sql = "SELECT column_name, value, n_records FROM srag_values LIMIT ? OFFSET ?"
        while len(entries) % _PAGE_ROWS == 0:
            try:
                rows = self.worker.read(path, sql, [_PAGE_ROWS, len(entries)])
            except StoreError:
                if path.exists():
                    raise
                return None
            if not rows:
                break
            entries.extend((str(row[0]), str(row[1]), int(row[2] or 0)) for row in rows)
        return entries

    def read(self, sql: str, parameters: Sequence[Value]) -> list[tuple[Value, ...]]:
        """Run a statement of this package; text from outside goes into *parameters* only.

        Raises:
            StoreError: If the build cannot be read.
        """
        for _ in range(_TRIES):
            path = self.build_path()
            try:
                return self.worker.read(path, sql, parameters)
            except StoreError:
                if path.exists():
                    raise
        raise self._vanishing()

    def _unreadable(self, path: Path, error: StoreError) -> StoreError:
        advice = "ingest the corpus again: it publishes a new build"
        if self.is_build:
            advice = "it is damaged, or no build of srag-mcp: ask for another copy"
        reason = str(error).partition("\n")[0]
        return StoreError(f"{path} cannot be read; {advice}. {reason}")

    def _vanishing(self) -> StoreError:
        return StoreError(
            f"the published build of {self.name} is not there; ingest the corpus again, which makes"
            " a new one (or ask again, while it is being ingested)"
        )


def _exposed_tables(schema: Schema) -> dict[str, list[str]]:
    columns = ["document_id", *(attribute.name for attribute in schema.attributes)]
    return {
        schema.entity: columns,
        "documents": list(DOCUMENT_COLUMNS),
        "cells": list(CELL_COLUMNS),
    }


def _with_failures(tables: dict[str, list[str]]) -> dict[str, list[str]]:
    return {**tables, "srag_failures": [*next(iter(tables.values())), "_failed"]}
