"""A corpus as readers see it: always one whole build, the newest one."""

import copy
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import starmap
from pathlib import Path
from typing import TypeVar, Unpack, cast

from srag_mcp.documents.folder import REST_FOLDER, read_members
from srag_mcp.errors import (
    CorpusError,
    NotIngestedError,
    QueryTimeoutError,
    SchemaError,
    StoreError,
)
from srag_mcp.schema.schema import POSITION, Schema
from srag_mcp.settings import BUILD_SUFFIX
from srag_mcp.store.build import BuildInfo, read_info
from srag_mcp.store.corrections import Correction, UnitedName, read_kept, read_united
from srag_mcp.store.database import quote_name, quote_text
from srag_mcp.store.evidence import (
    ENTRIES,
    LIKE,
    ODD_IDS,
    TEXT,
    DocumentEntry,
    Evidence,
    EvidenceFilter,
    EvidencePage,
    evidence_sql,
)
from srag_mcp.store.guard import QueryPool, ResultPage, Value
from srag_mcp.store.guard.tree import SESSION_VALUES
from srag_mcp.store.layout import CorpusFolder, FileWatch, published_build
from srag_mcp.store.statistics import (
    CELL_STATES,
    MAX_VALUES_LISTED,
    ColumnStatistics,
    of_rows,
    read_statistics,
)
from srag_mcp.store.values import INDEX_TABLES, INDEX_VERSION, ValueIndex
from srag_mcp.text.shown import first_of, inert, one_line, shorten
from srag_mcp.text.spans import Span

Returned = TypeVar("Returned")
_TRIES = 5
_PAGE_ROWS = 50_000
_MOST_QUOTED = 1_000  # records
_MAX_NAMED, _MAX_NAME = 4, 120  # files that are in no table
_SUMMARY = "SELECT summary FROM srag_summaries WHERE document_id = $1"
_HEADS = """
SELECT number, heads_start, heads_end FROM srag_passages
WHERE document_id = $1 AND heads_start IS NOT NULL
"""
_INFO = "SELECT key, value FROM srag_build"
_SCHEMA = "SELECT schema FROM srag_schema"
_STATISTICS = "SELECT statistics{table} FROM srag_statistics ORDER BY position"
# Without the views of the engine itself: to tell their columns takes longer than to open a build.
_COLUMNS = """
SELECT table_name, column_name FROM duckdb_columns() WHERE database_name = current_database()
ORDER BY table_oid, column_index
"""
_KEYWORDS = """
SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category IN ('reserved', 'type_function')
"""
_VALUES = "SELECT column_name, value, n_records{table} FROM srag_values LIMIT ? OFFSET ?"

_LEFT_OUT = "SELECT document_id, coalesce(characters, 0) > 0 FROM documents ORDER BY document_id"
_SPELLINGS = "SELECT column_name, spelling, value, table_name FROM srag_spellings"


@dataclass(frozen=True, slots=True)
class BuildContent:
    """What every question needs of a build.

    *columns*: of each table; builds of earlier versions have fewer. *keywords*: names that SQL
    reads as words of its own, unless they are quoted.
    """

    info: BuildInfo
    schema: Schema
    statistics: tuple[ColumnStatistics, ...]
    columns: Mapping[str, list[str]]
    keywords: frozenset[str]

    @property
    def is_early(self) -> bool:
        """Whether 16a3ebc made it: it has one table, without lists and spellings."""
        return "table_name" not in self.columns["cells"]

    def tables(self, *more: str) -> dict[str, list[str]]:
        """Return the tables that SQL from outside may read, and *more*, with their columns."""
        fixed = ("documents", "cells", "passages")  # the last is not in builds of earlier versions
        entities = (table.entity for table in self.schema.tables)
        names = (*entities, *fixed, self.info.former_table, *more)
        return {name: self.columns[name] for name in names if name in self.columns}


class Corpus:
    """Reads a corpus folder, or a build (`.duckdb`) that somebody handed around.

    Every call goes to the newest published build; what belongs to a build is read once. All SQL
    runs in *worker*: this process opens no database. Safe to use from many threads. Its *name* is
    that of the folder, or the stem of the build, by itself.
    """

    def __init__(
        self, location: Path, worker: QueryPool, home: Path | None = None, name: str = ""
    ) -> None:
        self.location = location.expanduser()
        resolved = self.location.resolve()
        self.name = name or (resolved.stem if self.is_build else resolved.name)
        self.worker = worker
        self._folder = folder = None if self.is_build else CorpusFolder(self.location, home)
        self._watch = None if folder is None else FileWatch(self.location, folder.readable)
        self._lock = threading.Lock()
        self._ends_at: float | None = None
        self._about = ""
        self._settled: Path | None = None
        self._made: dict[Path, dict[object, object]] = {}
        rest = self.location.parent / REST_FOLDER
        is_kind = self.location != rest and read_members(self.location) is not None
        self._rest = Corpus(rest, worker, home) if is_kind else None

    def within(self, seconds: float | None = None) -> "Corpus":
        """Return this corpus for what is left of a call: *seconds*, None for those of one query."""
        if seconds is None:
            self._content()
            seconds = self.worker.limits.timeout_s
        return self._with(_ends_at=time.monotonic() + seconds)

    def settled(self) -> "Corpus":
        """Return this corpus at the build that `build_path` names now: all of a call is of one."""
        return self._with(_settled=self.build_path())

    def called(self, name: str) -> "Corpus":
        """Return this corpus under another name."""
        return self._with(name=name)

    def _with(self, **changes: object) -> "Corpus":
        found = copy.copy(self)
        for name, value in changes.items():
            setattr(found, name, value)
        return found

    def once(self, make: Callable[["Corpus"], Returned]) -> Returned:
        """Return what *make* works out of the build alone: once, for a build never changes."""
        key = self._about, make
        return self._newest(
            lambda path: self._once(path, key, lambda x: make(self._with(_settled=x)))
        )

    def about(self, table: str) -> "Corpus":
        """Return this corpus with the rows of a child table in the place of the records.

        Its schema, statistics and numbers of rows are theirs.
        """
        return self._with(_about="" if table == self._content().schema.entity else table)

    def has_cell(self, where: str, *, is_none: bool = False) -> str:
        """Write that a row has a cell with *where* (SQL), or that it has none."""
        content, word = self._content(), "NOT IN" if is_none else "IN"
        key = "(document_id, position)" if self._about else "document_id"
        if content.schema.children:
            where = f"({where}) AND table_name = {quote_text(self._about or content.schema.entity)}"
        return f"{key} {word} (SELECT {key} FROM cells WHERE {where})"  # noqa: S608 - it runs through the guard

    @property
    def failures(self) -> str:
        """The rows that have cells that failed, as SQL, and which these are (`_failed`)."""
        if not self._about:
            return "srag_failures"
        failed = "(SELECT document_id, position, list(attribute) AS _failed FROM cells"
        where = f"state = 'failed' AND table_name = {quote_text(self._about)} GROUP BY ALL"
        rows = f"{quote_name(self._about)} JOIN {failed} WHERE {where})"
        return f"(FROM {rows} USING (document_id, position))"

    @property
    def is_build(self) -> bool:
        """Whether it is a build alone, without documents to ingest."""
        return self.location.suffix == BUILD_SUFFIX

    def notices(self) -> tuple[str, ...]:
        """Say what every answer should: which files are in no record, or not as they were read."""
        return (*self.own_notices(), *self.left_out())

    def own_notices(self) -> tuple[str, ...]:
        """Return the notices that are of its own documents alone."""
        n_failed = self.info().n_failed
        files, them = ("1 file", "it") if n_failed == 1 else (f"{n_failed:,} files", "them")
        said = f"{files} could not be read, and no record is of {them}" if n_failed else ""
        changes = "" if self._watch is None else self._watch.text()
        info = self.info()
        return tuple(filter(None, (said, info.other_kinds, info.waiting, changes)))

    def rest(self) -> "Corpus | None":
        """Return what the folder has of no kind, where this is one of its kinds, or None."""
        return self._rest if self._rest is not None and self._rest.is_ready() else None

    def left_out(self) -> tuple[str, ...]:
        """Say which files of a folder of several kinds are in the table of none."""
        rest = self.rest()
        try:
            return () if rest is None else rest.once(_say_left_out)
        except StoreError as error:  # which takes nothing from an answer
            return (str(error),)

    @property
    def state(self) -> Path | None:
        """The folder for what is kept beside the builds; None where nothing can be written."""
        state = None if self._folder is None else self._folder.readable()
        return state if state is not None and os.access(state, os.W_OK) else None

    def build_path(self) -> Path:
        """Return the published build: the one of `settled`, unless that is gone.

        Raises:
            NotIngestedError: If there is none.
            StoreError: If the pointer is damaged.
        """
        if self._settled is not None and self._settled.exists():
            return self._settled
        if self._folder is not None:
            return published_build(self._folder.readable())
        if not self.location.is_file():
            msg = f"there is no build {self.location}"
            raise NotIngestedError(msg)
        return self.location.resolve()

    def names(self) -> str:
        """Name it, as `KindTables.names` does several."""
        return self.name

    def is_ready(self) -> bool:
        """Whether there is a published build."""
        try:
            return self.build_path().is_file()
        except NotIngestedError:
            return False

    def info(self) -> BuildInfo:
        """Return what the build says of itself."""
        content = self._content()
        if not self._about:
            return content.info
        n_rows = next((item.n_records for item in self.statistics()), 0)
        return replace(content.info, n_documents=n_rows)

    def schema(self) -> Schema:
        """Return the schema of the build, and behind its columns the loose attributes."""
        schema = self._content().schema
        return schema.about(self._about) if self._about else schema

    def kept_schema(self) -> Schema:
        """Return the schema without the loose attributes, which `schema` has as well."""
        loose = self.info().loose
        kept = tuple(item for item in self.schema().attributes if item.name not in loose)
        return self.schema().model_copy(update={"attributes": kept})

    def statistics(
        self, columns: Sequence[str] | None = None, table: str | None = None
    ) -> tuple[ColumnStatistics, ...]:
        """Return the statistics of *columns* of *table* (None: the records), of all when None."""
        content = self._content()
        table = table or self._about or content.schema.entity
        child = table != content.schema.entity
        return tuple(
            item
            for item in content.statistics
            if item.table == table
            and (columns is None or item.column in columns)
            and not (child and item.column == POSITION)
        )

    def statistics_of(self, item: ColumnStatistics, where: str) -> ColumnStatistics:
        """Count values and cells of a column anew, where SQL holds; QueryError if it is wrong."""
        rows = f"FROM {quote_name(self.schema().entity)} WHERE ({where}\n)"
        n_records, n_values = self.count(
            f"SELECT count(*), count({quote_name(item.column)}) {rows}"
        )
        clause = self.cells_where(item.column, None, {"where": where})
        cells = f"{CELL_STATES}cells{clause} GROUP BY ALL"
        found = self.select(cells, limit=MAX_VALUES_LISTED**2).rows
        return of_rows(item, int(str(n_records)), int(str(n_values)), found)

    def list_statistics(self, table: str) -> ColumnStatistics:
        """Return which documents list anything of the child *table*; SchemaError if it is none."""
        content = self._content()
        child = content.schema.find_table(table)
        for item in content.statistics:
            if item.table == child.entity and item.column == POSITION and child.parent:
                return item
        msg = f"{table} is no table of what documents list"
        raise SchemaError(msg)

    def values(self) -> ValueIndex:
        """Return the index of the stored texts; it finds those of the records (`about` others)."""
        found = self._newest(lambda path: self._once(path, "values", self._read_values))
        return found.about(self._about) if self._about else found

    def united_names(self, column: str = "", limit: int = 20, offset: int = 0) -> list[UnitedName]:
        """Return values with several spellings: of *column*, or of all columns when it is empty."""
        if self._content().is_early:
            return []
        return read_united(self.read, self._content().schema.entity, column, limit, offset)

    def corrections(self) -> list[Correction]:
        """Return what was set, by column and document."""
        return [] if self._content().is_early else read_kept(self.read)

    def sql_name(self, name: str) -> str:
        """Write the name of a column as it stands in SQL: `"select" -> '"select"'`."""
        is_plain = name.isidentifier() and name.casefold() not in self._content().keywords
        return name if is_plain else quote_name(name)

    def tables(self) -> dict[str, list[str]]:
        """Return the tables that SQL from outside may read, with their columns."""
        return self._content().tables()

    def select(self, sql: str, limit: int = 100, offset: int = 0) -> ResultPage:
        """Check and run one SELECT from outside; QueryError if it is refused, wrong or heavy."""
        return self._newest(lambda path: self._select(path, sql, limit=limit, offset=offset))

    def _select(
        self,
        path: Path,
        sql: str,
        *more: str,
        limit: int,
        offset: int = 0,
        timeout_s: float | None = None,
    ) -> ResultPage:
        """Check and run a SELECT on a build, which may read the tables *more*, too."""
        tables, left_s = self._content_of(path).tables(*more), self._left_s(sql, timeout_s)
        return self.worker.select(
            path, sql, tables=tables, limit=limit, offset=offset, timeout_s=left_s
        )

    def count(self, sql: str, timeout_s: float | None = None) -> tuple[Value, ...]:
        """Return the one row of counts *sql*, which this package wrote around conditions.

        It may read `srag_failures`, too: the records with cells that failed, and which (`_failed`).
        *timeout_s*: QueryTimeoutError after that, or, when None, after what any query may take.
        """
        page = self._newest(
            lambda path: self._select(path, sql, "srag_failures", limit=1, timeout_s=timeout_s)
        )
        return page.rows[0]

    def rank(self, sql: str, *, is_ours: bool) -> list[tuple[Value, ...]]:
        """Return the rows of *sql*, which may read the index of passages, too.

        *is_ours*: nothing in it comes from outside. What this package wrote around a narrowing
        query is checked, which takes as long as the search in a small corpus.

        Raises:
            QueryError: If it is refused, wrong, or too heavy.
            StoreError: If the build has no index, or one that was made by other rules.
        """

        def ask(path: Path) -> list[tuple[Value, ...]]:
            content = self._content_of(path)
            is_indexed = content.columns.keys() >= set(INDEX_TABLES)
            if not is_indexed or content.info.index_version != INDEX_VERSION:
                msg = (
                    f"the build of {self.name} has no index of passages that this version of"
                    " srag-mcp can search: to ingest the corpus again, call ingest_corpus with"
                    f" corpus={self.name!r}"
                )
                raise StoreError(msg)
            if is_ours:
                return self.worker.read(path, sql, (), self._left_s(sql), kind="short")
            limit = self.worker.limits.max_rows
            return list(self._select(path, sql, *INDEX_TABLES, "srag_texts", limit=limit).rows)

        return self._newest(ask)

    def _left_s(self, sql: str, timeout_s: float | None = None) -> float | None:
        """Return how many seconds a query has; None for as many as any may take."""
        if self._ends_at is None:
            return timeout_s
        left = self._ends_at - time.monotonic()
        if left <= 0:
            msg = "there was no time left for it"
            raise QueryTimeoutError(msg, sql)
        return left if timeout_s is None else min(left, timeout_s)

    def read(self, sql: str, parameters: Sequence[Value]) -> list[tuple[Value, ...]]:
        """Run a statement of this package; text from outside goes into *parameters* only.

        Raises:
            QueryTimeoutError: If the time of the call is over.
            StoreError: If the build cannot be read.
        """
        return self._newest(lambda path: self.worker.read(path, sql, parameters, self._left_s(sql)))

    def trace(
        self, column: str = "", table: str | None = None, **wanted: Unpack[EvidenceFilter]
    ) -> EvidencePage:
        """Return the cells of *column* that pass the filter; of all columns when it is empty.

        *table* has the column; None for the record table. The filter may hold conditions from
        outside: its statements run through the guard, and may raise QueryError.
        """
        limit, offset = wanted.get("limit", 20), wanted.get("offset", 0)
        clause = self.cells_where(column, table, wanted)
        # one more than is shown tells whether others follow
        sql = evidence_sql(clause, limit + 1, offset, is_early=self._content().is_early)
        page = self.select(sql, limit=limit)
        total = offset + len(page.rows)
        if page.truncated or (offset and not page.rows):
            with suppress(QueryTimeoutError):
                counted = self.select(f"SELECT count(*) FROM cells{clause}", limit=1)  # noqa: S608 - guarded
                total = int(counted.rows[0][0] or 0)
        next_offset = offset + len(page.rows) if page.truncated else None
        return EvidencePage(tuple(starmap(Evidence, page.rows)), total, next_offset)

    def quotes(self, column: str, where: str, limit: int = 3) -> tuple[Evidence, ...]:
        """Return stated cells of *column*, of the first records with *where* (SQL, empty: all).

        Raises:
            QueryError: If *where* is refused or wrong.
        """
        records = quote_name(self._content().schema.entity)
        clause = self.cells_where(column, None, {"state": "stated"})
        if where:  # of the first ones: a million records are looked at for three quotes else
            first = f"SELECT document_id FROM {records} WHERE ({where}\n) ORDER BY 1"  # noqa: S608 - guarded
            clause += f" AND document_id IN ({first} LIMIT {_MOST_QUOTED})"
        sql = evidence_sql(clause, limit, 0, is_early=self._content().is_early)
        return tuple(starmap(Evidence, self.select(sql, limit=limit).rows))

    def cells_where(self, column: str, table: str | None, wanted: EvidenceFilter) -> str:
        """Write the clause for the *wanted* cells of *column*; see `trace`."""
        content = self._content()
        records = table or self._about or content.schema.entity
        child = any(item.entity == records for item in content.schema.children)
        if column:
            content.schema.attribute(column, records)
        equal = {
            "attribute": column,
            "table_name": records if not content.is_early and (column or child) else "",
            "document_id": wanted.get("document_id"),
            "state": wanted.get("state"),
        }
        conditions = [f"{name} = {quote_text(text)}" for name, text in equal.items() if text]
        if (position := wanted.get("position")) is not None:
            conditions.append(f"position = {position:d}")
        if value := wanted.get("value"):
            text = quote_text(value)
            number = f"TRY_CAST(value AS DOUBLE) = TRY_CAST({text} AS DOUBLE)"
            conditions.append(f"(lower(value) = lower({text}) OR {number})")
        if where := wanted.get("where"):
            key = f"(document_id, {POSITION})" if child else "document_id"
            found = f"SELECT {key} FROM {quote_name(records)} WHERE ({where}\n)"  # noqa: S608 - guarded
            conditions.append(f"{key} IN ({found})")
        return f" WHERE {' AND '.join(conditions)}" if conditions else ""

    def document(self, document_id: str) -> DocumentEntry:
        """Return one document, by its id as it is or is shown (see `inert`).

        Raises:
            CorpusError: If there is none of that id; the text names some that look alike.
        """
        by_id = f"{ENTRIES} WHERE document_id = $1"
        found = self.read(by_id, [document_id])
        if not found:
            shown = inert(one_line(document_id))
            odd = self.read(ODD_IDS, [])
            alike = [known for (known,) in odd if inert(one_line(str(known))) == shown]
            found = self.read(by_id, alike) if len(alike) == 1 else []
        if found:
            return next(starmap(DocumentEntry, found))
        near = self.documents_like(document_id.rpartition("/")[2], limit=5)
        names = ", ".join(item.id for item in near) or "SELECT document_id FROM documents"
        msg = f"no document {document_id!r} in {self.name}; try: {names}"
        raise CorpusError(msg)

    def documents_like(self, text: str, limit: int = 20) -> tuple[DocumentEntry, ...]:
        """Return the documents whose id or title holds *text*, in any case, by their ids."""
        return tuple(starmap(DocumentEntry, self.read(LIKE, [text, limit])))

    def document_text(self, document_id: str, start: int = 0, end: int | None = None) -> str:
        """Return characters *start* to *end* of a `document`; empty if it could not be read."""
        first = max(start, 0)
        n_characters = None if end is None else max(end - first, 0)
        rows = self.read(TEXT, [document_id, first + 1, n_characters])
        if not rows:  # by another id, or by none
            found = self.document(document_id)
            rows = self.read(TEXT, [found.id, first + 1, n_characters])
        return str(rows[0][0]) if rows else ""

    def document_texts(self, places: Sequence[tuple[str, Span]]) -> list[str]:
        """Return stretches of documents by their ids; one in several places is read for each."""
        parts = [
            f"SELECT {n}, substr(text, {span.start + 1}, {span.end - span.start})"  # noqa: S608 - numbers
            f" FROM srag_texts WHERE document_id = ${n}"
            for n, (_, span) in enumerate(places, start=1)
        ]
        # A part for each: of an IN or a join the engine looks at all documents.
        rows = self.read(" UNION ALL ".join(parts), [key for key, _ in places]) if parts else []
        found = {n: str(text) for n, text in rows}
        return [found.get(n, "") for n in range(1, len(places) + 1)]

    def table_heads(self, document_id: str) -> dict[int, Span]:
        """Return where the heads of tables stand, by the number of their passage."""
        rows = self.read(_HEADS, [document_id])
        return {int(str(key)): Span(int(str(start)), int(str(end))) for key, start, end in rows}

    def summary(self, document_id: str) -> str:
        """Return the sentence that a model wrote on a document; empty where none was asked for."""
        has_any = "srag_summaries" in self._content().columns
        rows = self.read(_SUMMARY, [document_id]) if has_any else []
        return str(rows[0][0]) if rows else ""

    def _newest(self, ask: Callable[[Path], Returned]) -> Returned:
        """Ask the newest build; ask again where it was replaced and removed meanwhile."""
        for _ in range(_TRIES):
            path = self.build_path()
            try:
                return ask(path)
            except StoreError:
                if path.exists():
                    raise
        msg = (
            f"the published build of {self.name} is not there; ingest the corpus again, which makes"
            " a new one (or ask again, while it is being ingested)"
        )
        raise StoreError(msg)

    def _once(self, path: Path, key: object, read: Callable[[Path], Returned]) -> Returned:
        """Read what belongs to a build, unless that is kept; of the build before nothing is."""
        with self._lock:
            made = self._made.get(path, {})
            if key in made:
                return cast("Returned", made[key])
        found = read(path)
        with self._lock:
            if path.exists():  # else another one may have been read
                if path not in self._made:
                    self._made.clear()
                self._made.setdefault(path, {})[key] = found
        return found

    def _content(self) -> BuildContent:
        return self._newest(self._content_of)

    def _content_of(self, path: Path) -> BuildContent:
        return self._once(path, "content", self._read_content)

    def _read_content(self, path: Path) -> BuildContent:
        read = self.worker.read
        try:
            info = read_info(read(path, _INFO))
            [(schema,)] = read(path, _SCHEMA)
            columns: dict[str, list[str]] = {}
            for table, column in read(path, _COLUMNS):
                columns.setdefault(str(table), []).append(str(column))
            keyed = ", table_name" if "table_name" in columns["cells"] else ""
            kept = read(path, _STATISTICS.format(table=keyed))
            return BuildContent(
                info,
                Schema.model_validate_json(str(schema)),
                tuple(
                    read_statistics(str(text), str(table[0]) if table else info.entity)
                    for text, *table in kept
                ),
                columns,
                SESSION_VALUES | {str(row[0]) for row in read(path, _KEYWORDS)},
            )
        except StoreError as error:
            advice = "ingest the corpus again: it publishes a new build"
            if self.is_build:
                advice = "it is damaged, or no build of srag-mcp: ask for another copy"
            reason = str(error).partition("\n")[0]
            msg = f"{path} cannot be read; {advice}. {reason}"
            raise StoreError(msg) from error

    def _read_values(self, path: Path) -> ValueIndex:
        content = self._content_of(path)
        sql = _VALUES.format(table="" if content.is_early else ", table_name")
        entries: list[tuple[str, str, int, str]] = []
        while len(entries) % _PAGE_ROWS == 0:
            rows = self.worker.read(path, sql, [_PAGE_ROWS, len(entries)])
            if not rows:
                break
            for column, value, n_records, *table in rows:
                named = str(table[0]) if table else content.schema.entity
                entries.append((str(column), str(value), int(n_records or 0), named))
        spelt = self.worker.read(path, _SPELLINGS, []) if not content.is_early else []
        spellings = [(str(a), str(b), str(c), str(d)) for a, b, c, d in spelt]
        return ValueIndex(entries, spellings, content.schema.entity)


def _say_left_out(rest: Corpus) -> tuple[str, ...]:
    """Say which documents are of no kind, and which files could not be read."""
    rows = [(shorten(one_line(str(path)), _MAX_NAME), x) for path, x in rest.read(_LEFT_OUT, [])]
    told = (
        (True, "like none of its kinds of documents, found by a search of the folder"),
        (False, "could not be read"),
    )
    lines = []
    for is_read, why in told:
        paths = [path for path, x in rows if x is is_read]
        files = "1 file" if len(paths) == 1 else f"{len(paths):,} files"
        named = ", ".join(first_of(paths, _MAX_NAMED))
        lines += [f"{files} of the folder in no table ({why}): {named}"] if paths else []
    return tuple(lines)
