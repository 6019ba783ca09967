"""The work database: what the ingestion of a corpus has done so far; one writer, never torn."""

from __future__ import annotations

import hashlib
import json
import secrets
import shutil
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING, Any, TypeAlias

from srag_mcp.cells.cell import (
    BY_RULES,
    Cell,
    ListedRows,
    Record,
    is_predicted,
    read_marks,
    write_marks,
)
from srag_mcp.documents.document import Document
from srag_mcp.documents.folder import storable
from srag_mcp.documents.passages import Passage, cut_passages
from srag_mcp.schema.schema import POSITION, Schema
from srag_mcp.store.database import insert_rows, open_for_writing, store_errors
from srag_mcp.store.layout import CORRECTIONS_FILE, NAMES_FILE, WORK_FILE, ingestion_lock
from srag_mcp.store.state import TAKEN_OVER, open_state
from srag_mcp.store.values import INDEX_VERSION, PassageRow, Postings, cut_postings
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State

if TYPE_CHECKING:
    import duckdb


CellRow: TypeAlias = tuple[
    str, str, str | None, int | None, int | None, str, str | None, str, str, str
]
"""attribute, state, as_stated, start, end, context, unit, engine, note, marks."""
ChildRow: TypeAlias = tuple[
    str, int, str, str, str | None, int | None, int | None, str, str | None, str, str, str
]
"""table and position, then as in `CellRow`; at position 0 is the cell of the list as a whole."""

# a dictionary: calling an enumeration takes six times as long, and there is a call for each cell
_STATES = {state.value: state for state in State}


def cell_row(cell: Cell) -> CellRow:
    """Make the row of a cell, without what UTF-8 cannot hold."""
    start, end = (None, None) if cell.span is None else (cell.span.start, cell.span.end)
    return (
        cell.attribute,
        cell.state.value,
        None if cell.as_stated is None else storable(cell.as_stated),
        start,
        end,
        storable(cell.context),
        cell.unit,
        cell.engine,
        storable(cell.note),
        write_marks(cell.marks),
    )


def read_cell(row: CellRow) -> Cell:
    """Make the cell of a row; the reverse of `cell_row`."""
    attribute, state, as_stated, start, end, context, unit, engine, note, marks = row
    # the same text of a million rows is kept once
    attribute, context, engine, note = map(intern, (attribute, context, engine, note))
    return Cell(
        attribute=attribute,
        state=_STATES[state],
        as_stated=as_stated,
        span=None if start is None or end is None else Span(start, end),
        context=context,
        unit=unit,
        engine=engine,
        note=note,
        marks=read_marks(marks),
    )


@dataclass(frozen=True, slots=True)
class FinishedDocument:
    """A document that was read and extracted.

    *cells* leaves out what is not mentioned. *replaces*: an older version of it is in the store.
    """

    document_id: str
    path: str
    title: str
    media_type: str
    sha256: str
    text: str
    cells: tuple[CellRow, ...]
    passages: tuple[PassageRow, ...]
    postings: Postings
    replaces: bool = False
    child_cells: tuple[ChildRow, ...] = ()


def finish_document(document: Document, record: Record, *, replaces: bool) -> FinishedDocument:
    """Keep what the store needs of a document and its record."""
    said = filter(_says_anything, record.cells)
    title, text = storable(document.title), storable(document.text)
    passages = tuple(
        (
            number,
            item.page,
            storable(_BELOW.join(item.path)),
            item.span.start,
            item.span.end,
            item.kind,
            *((None, None) if item.heads is None else (item.heads.start, item.heads.end)),
        )
        for number, item in enumerate(cut_passages(document), start=1)
    )
    return FinishedDocument(
        document_id=document.id,
        path=document.path,
        title=title,
        media_type=document.media_type,
        sha256=document.sha256,
        text=text,
        cells=tuple(map(cell_row, said)),
        passages=passages,
        postings=cut_postings(document.path, title, text, passages),
        replaces=replaces,
        child_cells=tuple(row for listed in record.lists for row in _child_rows(listed)),
    )


def _says_anything(cell: Cell) -> bool:
    return cell.state is not State.NOT_MENTIONED or bool(cell.note or cell.marks)


def _child_rows(listed: ListedRows) -> Iterator[ChildRow]:
    """Yield what is kept of a list; a row that says nothing keeps one cell, so as to be there."""
    yield (listed.table, 0, *cell_row(listed.listed))
    for position, cells in enumerate(listed.rows, start=1):
        said = [*filter(_says_anything, cells)] or [Cell(POSITION, State.NOT_MENTIONED)]
        for cell in said:
            yield (listed.table, position, *cell_row(cell))


@dataclass(frozen=True, slots=True)
class FinishedFile:
    """A file that is done with: all of its documents are in the store, or *error* says why not.

    *size* and *mtime_ns* recognise it unchanged at the next ingestion; *rows* is whether its rows
    are documents. *stale* are the ids of documents that it no longer holds. *told* is what people
    should know of it: what was left out, and where. *passing*: the next ingestion tries again.
    """

    path: str
    size: int
    mtime_ns: int
    rows: bool
    error: str | None = None
    stale: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    passing: bool = False


@dataclass(frozen=True, slots=True)
class SchemaInForce:
    """The schema that the cells follow; *origin*: the same source does not count as a change."""

    schema: Schema
    origin: str


class _Undone(Exception):  # noqa: N818 - nothing has gone wrong
    pass


@dataclass(frozen=True, slots=True)
class QuotedText:
    """The text of a document, and where its cells quote it."""

    text: str
    quotes: tuple[Span, ...]


_OF_DOCUMENTS = ("documents", "cells", "child_cells", "passages", "postings")
_TEXTS_AT_ONCE = 100
_BELOW = " > "  # between headings
_QUOTES = (
    'SELECT document_id, list(start) AS starts, list("end") AS ends FROM cells'
    ' WHERE start IS NOT NULL AND "end" > start GROUP BY document_id'
)
_RULE_CELLS = """
SELECT document_id, attribute, state, as_stated, start, "end", context, unit, engine, note, marks
FROM cells WHERE attribute = ?
"""
_ADD_POSTINGS = """
INSERT INTO postings
SELECT document_id, unnest(string_split(numbers, ',')), unnest(string_split(terms, ',')),
       unnest(string_split(counts, ','))
FROM (
  SELECT unnest(?) AS document_id, unnest(?) AS numbers, unnest(?) AS terms, unnest(?) AS counts)
"""
_META = "CREATE TABLE IF NOT EXISTS meta (key VARCHAR, value VARCHAR)"
_TABLES = """
CREATE TABLE IF NOT EXISTS files (
  path VARCHAR, size BIGINT, mtime_ns BIGINT, rows BOOLEAN, error VARCHAR, told VARCHAR,
  passing BOOLEAN);
CREATE TABLE IF NOT EXISTS documents (
  document_id VARCHAR, path VARCHAR, title VARCHAR, media_type VARCHAR, sha256 VARCHAR,
  text VARCHAR, ingested_at TIMESTAMP, n_passages INTEGER);
CREATE TABLE IF NOT EXISTS passages (
  document_id VARCHAR, number INTEGER, page INTEGER, headings VARCHAR, start BIGINT, "end" BIGINT,
  kind VARCHAR, heads_start BIGINT, heads_end BIGINT);
CREATE TABLE IF NOT EXISTS postings (
  document_id VARCHAR, number INTEGER, term UINTEGER, n UTINYINT);
CREATE TABLE IF NOT EXISTS cells (
  document_id VARCHAR, attribute VARCHAR, state VARCHAR, as_stated VARCHAR, start BIGINT,
  "end" BIGINT, context VARCHAR, unit VARCHAR, engine VARCHAR, note VARCHAR, marks VARCHAR);
CREATE TABLE IF NOT EXISTS child_cells (
  document_id VARCHAR, table_name VARCHAR, position INTEGER, attribute VARCHAR, state VARCHAR,
  as_stated VARCHAR, start BIGINT, "end" BIGINT, context VARCHAR, unit VARCHAR, engine VARCHAR,
  note VARCHAR, marks VARCHAR);
CREATE TABLE IF NOT EXISTS predictions (
  document_id VARCHAR, sha256 VARCHAR, attribute VARCHAR, attribute_hash VARCHAR, state VARCHAR,
  as_stated VARCHAR, start BIGINT, "end" BIGINT, value VARCHAR, unit VARCHAR, engine VARCHAR,
  note VARCHAR, unanswered BOOLEAN, marks VARCHAR);
CREATE TABLE IF NOT EXISTS predicted_rows (
  document_id VARCHAR, sha256 VARCHAR, table_name VARCHAR, attribute_hash VARCHAR,
  position INTEGER, attribute VARCHAR, state VARCHAR, as_stated VARCHAR, start BIGINT,
  "end" BIGINT, value VARCHAR, unit VARCHAR, engine VARCHAR, note VARCHAR, marks VARCHAR);
CREATE TABLE IF NOT EXISTS summaries (document_id VARCHAR, sha256 VARCHAR, summary VARCHAR);
"""
# what earlier versions did not have, or had
_COLUMNS = """
ALTER TABLE files ADD COLUMN IF NOT EXISTS told VARCHAR;
ALTER TABLE files ADD COLUMN IF NOT EXISTS passing BOOLEAN;
ALTER TABLE documents ADD COLUMN IF NOT EXISTS n_passages INTEGER;
ALTER TABLE cells ADD COLUMN IF NOT EXISTS marks VARCHAR DEFAULT '';
ALTER TABLE predictions ADD COLUMN IF NOT EXISTS marks VARCHAR;
ALTER TABLE predictions DROP COLUMN IF EXISTS n_read;
"""
_MADE_BY = hashlib.sha256(f"{_TABLES}{_COLUMNS}".encode()).hexdigest()[:16]
# what earlier versions read has no passages, or by rules of then
_READ_AGAIN = """
UPDATE files SET passing = true WHERE passing IS DISTINCT FROM true
  AND path IN (SELECT path FROM documents WHERE n_passages IS NULL)
"""
# what 16a3ebc told in notes
_MARKS_OF_NOTES = """
UPDATE predictions SET
  marks = concat_ws(' ',
    CASE WHEN contains(note, 'derived: the quote') THEN 'derived' END,
    CASE WHEN contains(note, 'doubted: ') THEN 'doubted' END,
    CASE WHEN starts_with(note, 'looked at again and kept') THEN 'kept' END,
    CASE WHEN starts_with(note, 'read in part: ') THEN 'read_in_part' END,
    CASE WHEN starts_with(note, 'standardised: ') THEN 'standardised' END,
    CASE WHEN starts_with(note, 'does not fit its column, and no') THEN 'unsettled' END)
"""
_FORMAT = "1"
_FACTS = ("format", "identity", "tables", "marks", "index")  # of the database, not of the corpus
OTHER_KIND = "is of another kind than the records of this table, and in no table"
"""The error of a file that was read and left out."""
MIXED = "mixed"  # the note that the records are of several kinds of documents
ODD = "odd"  # the note of the records whose documents look like none of the others
APART = "apart"  # the note of the records that call themselves otherwise, or name another one
ACCOUNT = "account"  # the note of how much of the documents the columns account for


class WorkDatabase:
    """The ingestion's own database; opened by `open_work`, which holds the lock of the corpus.

    *connection* is for the publication, which copies from it; *state* the state folder; *warning*
    what was wrong with the database that was found, or empty.
    """

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, state: Path, warning: str = ""
    ) -> None:
        self.connection = connection
        self.state = state
        self.warning = warning
        self._facts: dict[str, str] | None = None  # of the table `meta`; None until they are read
        self._new: dict[str, str] = {}  # what the transaction adds to them, at its end
        self._is_open = False  # whether there is a transaction
        connection.execute(_META)
        if self._meta("format") is None:
            facts = {"format": _FORMAT, "identity": secrets.token_hex(8), "tables": _MADE_BY}
            with self.transaction():
                connection.execute(_TABLES)
                self._set_meta(**facts, marks="yes", index=INDEX_VERSION)
            return
        if self._meta("tables") != _MADE_BY:
            connection.execute(_TABLES)
            connection.execute(_COLUMNS)  # of earlier versions, killed at any moment
            self._set_meta(tables=_MADE_BY)
        if self._meta("marks") is None:
            with self.transaction():
                connection.execute(_MARKS_OF_NOTES)
                self._set_meta(marks="yes")
                self.count_revision()
        if self._meta("index") != INDEX_VERSION:  # by other rules: passages are to be cut anew
            with self.transaction():
                connection.execute("UPDATE documents SET n_passages = NULL")
                self._set_meta(index=INDEX_VERSION)
        connection.execute(_READ_AGAIN)

    @property
    def revision(self) -> str:
        """Names the present content, what was set by hand included: another has another one."""
        files = (self.state / CORRECTIONS_FILE, self.state / NAMES_FILE)
        by_hand = b"".join(path.read_bytes() for path in files if path.exists())
        digest = f":{hashlib.sha256(by_hand).hexdigest()[:16]}" if by_hand else ""
        return f"{self._meta('identity')}:{self._meta('revision') or '0'}{digest}"

    def schema_in_force(self) -> SchemaInForce | None:
        """Return the schema that the cells follow; None before the first."""
        text = self._meta("schema")
        if text is None:
            return None
        return SchemaInForce(Schema.model_validate_json(text), self._meta("schema_origin") or "")

    def put_in_force(self, schema: Schema, origin: str, *, is_taken_over: bool = False) -> None:
        """Follow *schema* from now on; what followed another is dropped, unless taken over."""
        with self.transaction():
            present = self.schema_in_force()
            is_same = present is not None and hash_schema(present.schema) == hash_schema(schema)
            if present is not None and not is_same and not is_taken_over:
                for table in ("files", *_OF_DOCUMENTS):
                    self.run(f"DELETE FROM {table}")  # noqa: S608 - of this list
            if present is None or present.schema != schema:
                self._set_meta(schema=schema.model_dump_json())
                self.count_revision()
            self._set_meta(schema_origin=origin)

    def engine_in_force(self) -> str:
        """Return whose cells are published: `offline`, `model` or `agent`."""
        return self._meta("engine") or BY_RULES

    def is_predicted(self) -> bool:
        """Whether a language model found the cells that are published."""
        return is_predicted(self.engine_in_force())

    def put_engine_in_force(self, engine: str) -> None:
        """Publish the cells of *engine* from now on."""
        if engine != self.engine_in_force():
            with self.transaction():
                self._set_meta(engine=engine)
                self.count_revision()

    def note(self, key: str) -> str | None:
        """Return what `keep_note` kept; None if nothing."""
        return self._meta(f"note:{key}")

    def keep_note(self, key: str, text: str, *, is_content: bool = False) -> None:
        """Keep a short text for the next ingestion; *is_content*: it is published as well."""
        if text != (self.note(key) or ""):
            with self.transaction():
                self._set_meta(**{f"note:{key}": text})
                if is_content:
                    self.count_revision()

    def files(self) -> dict[str, FinishedFile]:
        """Return the files that are done with, by path."""
        rows = self.run(
            "SELECT path, size, mtime_ns, rows, error, coalesce(told, ''), coalesce(passing, false)"
            " FROM files"
        )
        return {
            row[0]: replace(FinishedFile(*row), told=tuple(told.splitlines()), passing=again)
            for *row, told, again in rows
        }

    def forget_files(self, paths: Sequence[str]) -> None:
        """Forget that files are done with: they are read again; till then their documents stay."""
        with self.transaction():
            self._delete("files", "path", paths)

    def forget_all(self) -> None:
        """Forget all that is here, as of a corpus that was never ingested."""
        with self.transaction():
            for (table,) in self.run("SELECT table_name FROM duckdb_tables() WHERE NOT temporary"):
                if table != "meta":
                    self.run(f"DELETE FROM {table}")  # noqa: S608 - its own
            self.run("DELETE FROM meta WHERE NOT list_contains(?, key)", [*_FACTS])
            self._facts, self._new = None, {}
            self.count_revision()

    def left_out(self) -> list[str]:
        """Return the files whose documents are of another kind than the records."""
        rows = self.run("SELECT path FROM files WHERE error = ? ORDER BY path", OTHER_KIND)
        return [path for (path,) in rows]

    def odd(self) -> list[str]:
        """Return the files that look like none of the others, whose documents are records."""
        noted = json.loads(self.note(ODD) or "[]")
        sql = "SELECT path FROM documents WHERE path IN (SELECT unnest(?)) ORDER BY path"
        return [path for (path,) in self.run(sql, noted)] if noted else []

    def leave_out(self, paths: Collection[str]) -> None:
        """Take the documents of *paths* out of the records, as they are of another kind."""
        files, known = self.files(), self.known_documents(paths)
        self.store(
            (),
            [
                replace(files[path], error=OTHER_KIND, told=(), stale=tuple(known[path]))
                for path in paths
            ],
        )

    def known_documents(
        self, paths: Iterable[str], *, cut: bool = False
    ) -> dict[str, dict[str, str]]:
        """Return the stored documents of *paths*: path to document id to sha256.

        *cut*: one without passages of today, as an earlier version read it, has no sha256 either.
        """
        known: dict[str, dict[str, str]] = {}
        if not (asked := list(paths)):
            return known
        for path, document_id, sha256 in self.run(
            "SELECT path, document_id, CASE WHEN ? AND n_passages IS NULL THEN '' ELSE sha256 END"
            " FROM documents WHERE path IN (SELECT unnest(?))",
            cut,
            asked,
        ):
            known.setdefault(path, {})[document_id] = sha256
        return known

    def store(self, documents: Sequence[FinishedDocument], files: Sequence[FinishedFile]) -> None:
        """Keep finished documents and files, in one transaction."""
        dropped = [item.document_id for item in documents if item.replaces]
        dropped.extend(document_id for item in files for document_id in item.stale)
        now = datetime.now(UTC).replace(tzinfo=None, microsecond=0)
        with self.transaction():
            self._drop_documents(dropped)
            self.append(
                "documents",
                [
                    (item.document_id, item.path, item.title, item.media_type, item.sha256,
                     item.text, now, len(item.passages))
                    for item in documents
                ],
            )  # fmt: skip
            for table in ("cells", "child_cells", "passages"):
                rows = ((item.document_id, getattr(item, table)) for item in documents)
                self.append(table, [(key, *row) for key, found in rows for row in found])
            if postings := [(x.document_id, *x.postings) for x in documents if x.postings]:
                self.run(_ADD_POSTINGS, *map(list, zip(*postings, strict=True)))
            errors = dict(self._delete("files", "path", [item.path for item in files], "error"))
            self.append(
                "files",
                [
                    (item.path, item.size, item.mtime_ns, item.rows, item.error,
                     "\n".join(item.told), item.passing)
                    for item in files
                ],
            )  # fmt: skip
            # of files, a build shows the failures only
            fails = any(item.error != errors.get(item.path) for item in files)
            if dropped or documents or fails:
                self.count_revision()

    def remove_files(self, paths: Sequence[str]) -> int:
        """Forget files that are gone, with their documents; return how many documents."""
        if not paths:
            return 0
        known = self.known_documents(paths)
        ids = [document_id for documents in known.values() for document_id in documents]
        with self.transaction():
            self._drop_documents(ids)
            self._delete("files", "path", paths)
            self.count_revision()
        return len(ids)

    def paths_of_documents(self) -> set[str]:
        """Return the files that have documents here, finished or not."""
        return {path for (path,) in self.run("SELECT DISTINCT path FROM documents")}

    def document_ids(self) -> list[str]:
        """Return the ids of the stored documents, in their order."""
        rows = self.run("SELECT document_id FROM documents ORDER BY document_id")
        return [document_id for (document_id,) in rows]

    def rule_cells(self, name: str) -> dict[str, Cell]:
        """Return what rules said of an attribute, without values, by document."""
        return {row[0]: read_cell(row[1:]) for row in self.run(_RULE_CELLS, name)}

    def n_documents(self) -> int:
        """Count the stored documents."""
        [(n_documents,)] = self.run("SELECT count(*) FROM documents")
        return int(n_documents)

    def is_indexed(self) -> bool:
        """Whether all documents have passages of today; else they are read again."""
        return not self.run("SELECT 1 FROM documents WHERE n_passages IS NULL LIMIT 1")

    def quoted_texts(self, n_most: int | None = None) -> Iterator[QuotedText]:
        """Yield the documents that are no rows of a table; *n_most* as if drawn by lot."""
        limit = "" if n_most is None else f"ORDER BY md5(document_id) LIMIT {n_most:d}"
        rows = self.connection.cursor().execute(
            f"SELECT text, starts, ends FROM documents LEFT JOIN ({_QUOTES}) USING (document_id)"  # noqa: S608 - constants
            f" WHERE path NOT IN (SELECT path FROM files WHERE rows) {limit}"
        )
        while part := rows.fetchmany(_TEXTS_AT_ONCE):
            for text, starts, ends in part:
                yield QuotedText(text, tuple(map(Span, starts or (), ends or ())))

    def passages(self, document_ids: Sequence[str]) -> dict[str, tuple[Passage, ...]]:
        """Return the passages of documents, by id, in the order of their texts."""
        found: defaultdict[str, list[Passage]] = defaultdict(list)
        for document_id, page, headings, start, end, kind, *heads in self.run(
            'SELECT document_id, page, headings, start, "end", kind, heads_start, heads_end'
            " FROM passages WHERE document_id IN (SELECT unnest(?)) ORDER BY document_id, number",
            list(document_ids),
        ):
            path = tuple(headings.split(_BELOW)) if headings else ()
            at = None if heads[0] is None else Span(*heads)
            found[document_id].append(Passage(Span(start, end), page, path, kind, at))
        return {document_id: tuple(passages) for document_id, passages in found.items()}

    def count_row_words(self) -> tuple[int, int]:
        """Count the documents that are rows of a table, and their words."""
        [(n_rows, n_words)] = self.run(
            "SELECT count(*), coalesce(sum(len(string_split_regex(trim(text), '\\s+'))), 0)"
            " FROM documents WHERE path IN (SELECT path FROM files WHERE rows)"
        )
        return int(n_rows), int(n_words)

    def count_revision(self) -> None:
        """Say that the content has changed; called inside a transaction."""
        self._set_meta(revision=str(int(self._meta("revision") or "0") + 1))

    def run(self, sql: str, *values: object) -> list[Any]:
        """Run one statement; return its rows."""
        return self.connection.execute(sql, list(values)).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Keep all that is done inside, or nothing of it; inside of another one, as that does."""
        if self._is_open:
            yield
            return
        self.connection.begin()
        self._is_open = True
        try:
            yield
            self._write_meta()
        except BaseException:
            self._facts, self._new, self._is_open = None, {}, False
            self.connection.rollback()
            raise
        self._is_open = False
        facts, self._facts, self._new = self._facts, None, {}  # for good if it cannot be committed
        self.connection.commit()
        self._facts = facts

    @contextmanager
    def undone(self) -> Iterator[None]:
        """Take back all that is done inside, at its end: to see what would come of it."""
        with suppress(_Undone), self.transaction():
            yield
            raise _Undone

    def _drop_documents(self, ids: Sequence[str]) -> None:
        if ids:
            for table in _OF_DOCUMENTS:
                self._delete(table, "document_id", ids)

    def _delete(self, table: str, key: str, keys: Sequence[str], also: str = "NULL") -> list[Any]:
        """Delete rows by a key; return the key and *also* of each."""
        if not keys:
            return []
        return self.run(
            f"DELETE FROM {table} WHERE {key} IN (SELECT unnest(?)) RETURNING {key}, {also}",  # noqa: S608 - constants
            list(keys),
        )

    def append(self, table: str, rows: Iterable[Sequence[object]]) -> None:
        """Append *rows* to a table; values become what its columns hold."""
        with self.connection.appender(table) as appender:
            appender.append_rows(rows)

    def _meta(self, key: str) -> str | None:
        if self._facts is None:
            self._facts = dict(self.run("SELECT key, value FROM meta"))
        return self._new.get(key, self._facts.get(key))

    def _set_meta(self, **entries: str) -> None:
        new = {key: text for key, text in entries.items() if (self._meta(key) or "") != text}
        if new:
            with self.transaction():
                self._new |= new

    def _write_meta(self) -> None:
        if self._new:
            facts = self._facts or {}
            if known := [key for key in self._new if key in facts]:
                self.run("DELETE FROM meta WHERE list_contains(?, key)", known)
            insert_rows(self.connection, "meta", [*self._new.items()])
            self._facts = facts | self._new


def hash_schema(schema: Schema) -> str:
    """Name what documents are extracted after.

    The version number does not count, nor that there are no lists, nor pending ones, nor what reads
    predictions: rules that a model wrote. Nor do former names of columns, and what is hidden.
    """
    written = {"__all__": {"rules": True, "audit": True, "formerly": True, "hidden": True}}
    of_children = dict.fromkeys(
        ("parent", "list_name", "of_values", "description", "sources"), True
    )
    texts = []
    for item in schema.tables:
        besides: dict[str, Any] = {"pending_lists": True, "lists": {} if item.lists else True}
        besides |= {} if item.parent else of_children
        texts.append(item.model_dump_json(exclude={"attributes": written, **besides}))
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]


@contextmanager
def open_work(state: Path) -> Iterator[WorkDatabase]:
    """Open the work database for writing, under the lock of the corpus.

    One that is damaged, or of another format, is moved aside and a new one begun.

    Raises:
        LockedError, StoreError: If another process ingests the corpus, or it cannot be written.
    """
    path = state / WORK_FILE
    with open_state(state) as shared, ingestion_lock(state), store_errors(f"writing {path}"):
        shutil.rmtree(state / "spill", ignore_errors=True)  # what a killed process left
        for left in state.glob("*.tmp"):
            left.unlink(missing_ok=True)
        work = _open_or_replace(path, state)
        try:
            if shared.note(TAKEN_OVER) is None:
                from srag_mcp.store.earlier import take_over  # it stands above

                take_over(shared, work)
            yield work
        finally:
            work.connection.close()


def _open_or_replace(path: Path, state: Path) -> WorkDatabase:
    import duckdb

    connection = None
    try:
        connection = open_for_writing(path, state / "spill")
        work = WorkDatabase(connection, state)
        work.files()
        found = work._meta("format")
        if found == _FORMAT:
            return work
        problem = f"its format is {found!r}, not {_FORMAT!r}"
    except duckdb.Error as error:
        problem = str(error)
    if connection is not None:
        connection.close()
    aside = path.with_name(f"work.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S}.duckdb")
    path.replace(aside)
    path.with_name(f"{path.name}.wal").unlink(missing_ok=True)
    warning = f"{path} could not be used and was moved to {aside.name}; beginning anew. {problem}"
    return WorkDatabase(open_for_writing(path, state / "spill"), state, warning)
