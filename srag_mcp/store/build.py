"""Publication: the work database becomes an immutable build that readers open."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, asdict, dataclass, fields, replace
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import TypeAdapter

from srag_mcp.cells.cell import (
    BY_RULES,
    Cell,
    Mark,
    PredictedCell,
    is_predicted,
    normalise_column,
    read_column,
    write_marks,
)
from srag_mcp.claims.figures import find_disputed, mark_disputed
from srag_mcp.claims.suspects import mark_misfits
from srag_mcp.documents.folder import TABLE_TYPES, media_type, storable
from srag_mcp.documents.table_files import OF_RECORDS
from srag_mcp.errors import NotIngestedError, StoreError
from srag_mcp.records.listed import list_attribute
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import POSITION, Schema, Table
from srag_mcp.store.corrections import (
    CORRECTIONS_TABLE,
    apply_corrections,
    are_united,
    describe_united,
    follow_renamings,
    unite_cells,
)
from srag_mcp.store.database import insert_rows, quote_name, quote_text, store_errors, with_names
from srag_mcp.store.layout import (
    BUILDS_FOLDER,
    FORMAT_VERSION,
    build_path,
    new_build_id,
    point_to,
    published_build,
    put_in_place,
    utc_now,
)
from srag_mcp.store.predictions import (
    PREDICTION_COLUMNS,
    hash_attribute,
    read_prediction,
    with_loose,
)
from srag_mcp.store.renamings import Renamings, find_renamings
from srag_mcp.store.statistics import CELLS_AT_ONCE, write_statistics, write_values
from srag_mcp.store.values import INDEX_COMMENTS, INDEX_VERSION, write_index
from srag_mcp.store.work import ACCOUNT, APART, MIXED, OTHER_KIND, WorkDatabase, read_cell
from srag_mcp.text.shown import first_of, one_line
from srag_mcp.values.states import State

if TYPE_CHECKING:
    import duckdb


TABLES = f"""
CREATE TABLE build.main.documents (
  document_id VARCHAR, path VARCHAR, title VARCHAR, media_type VARCHAR, sha256 VARCHAR,
  characters BIGINT, ingested_at TIMESTAMP);
CREATE TABLE build.main.cells (
  document_id VARCHAR, table_name VARCHAR, position INTEGER, attribute VARCHAR, state VARCHAR,
  as_stated VARCHAR, start BIGINT, "end" BIGINT, value VARCHAR, unit VARCHAR, engine VARCHAR,
  marks VARCHAR, note VARCHAR);
CREATE TABLE build.main.srag_texts (document_id VARCHAR, text VARCHAR);
CREATE TABLE build.main.srag_schema (schema VARCHAR);
CREATE TABLE build.main.srag_statistics (
  table_name VARCHAR, column_name VARCHAR, position INTEGER, statistics VARCHAR);
CREATE TABLE build.main.srag_values (
  table_name VARCHAR, column_name VARCHAR, value VARCHAR, n_records BIGINT);
CREATE TABLE build.main.srag_spellings (
  table_name VARCHAR, column_name VARCHAR, spelling VARCHAR, value VARCHAR, n_records BIGINT);
CREATE TABLE build.main.srag_reviews (
  document_id VARCHAR, table_name VARCHAR, attribute VARCHAR, value VARCHAR, as_stated VARCHAR,
  rule_value VARCHAR, rule_as_stated VARCHAR);
CREATE TABLE build.main.srag_corrections ({CORRECTIONS_TABLE});
CREATE TABLE build.main.srag_build (key VARCHAR, value VARCHAR);
"""
"""The tables of a build, in the attached database `build`, but for those of the records."""
_UNWRITTEN = """
DELETE FROM build.main.cells; DELETE FROM build.main.srag_reviews;
DELETE FROM build.main.srag_spellings
"""
_COMMENTS = {
    "documents": "One row a document, those that could not be read included.",
    "documents.document_id": "The path below the corpus folder; for a row of a table, path#row.",
    "documents.path": "The file, relative to the corpus folder.",
    "documents.sha256": "Of the bytes of the file (a row: of its text); empty when it failed.",
    "documents.characters": "Length of its text.",
    "documents.ingested_at": "When it was read, UTC.",
    "cells": "One row a document and attribute (of what it lists, an item and attribute): what the"
    " document says, and where.",
    "cells.table_name": "The table that has the attribute as a column.",
    "cells.position": "Of the item in the list of its document, from 1; NULL for the record. 0 for"
    " the list as a whole, whose attribute is position and whose value is how many items it has.",
    "cells.state": "stated, stated_absent (it says there is none), not_mentioned, failed, or"
    " corrected: set by who is in engine, instead of what the words were read as.",
    "cells.as_stated": "The words of the document.",
    "cells.start": "First character of these words in the text of the document.",
    "cells.end": "The character after the last of these words.",
    "cells.value": "The value of the record table, as text.",
    "cells.unit": "Unit of the value.",
    "cells.engine": "Who found it.",
    "cells.marks": f"Of {', '.join(Mark)}; empty for most.",
    "cells.note": "Why it failed, or what was changed.",
    "srag_texts": "The text of each document.",
    "srag_schema": "The schema, as JSON.",
    "srag_statistics": "Statistics of each column, as JSON.",
    "srag_values": "The value index: distinct texts of each column and how many records have them.",
    "srag_spellings": "The spellings of names that have several, and the one that is the value.",
    "srag_reviews": "Cells that a learned rule reads otherwise than the language model.",
    "srag_corrections": "What was set instead of what was read, and why some of it waits.",
    "srag_build": "Facts of this build.",
    "srag_failures": "The records with cells that failed, and which (_failed).",
}
_COMMENTS_ON_PASSAGES = {
    "passages": "One row a passage of a document: what search_documents finds, and where.",
    "passages.number": "Counts the passages of a document, from 1.",
    "passages.page": "The page it begins on; NULL where the format has none.",
    "passages.headings": "The headings above it, outermost first, with > between.",
    "passages.start": "First character of it in the text of the document.",
    "passages.end": "The character after its last one.",
    "passages.kind": "text, or table: a table with its caption.",
}


def create_records(
    connection: duckdb.DuckDBPyConnection, schema: Schema, renamings: Renamings | None = None
) -> None:
    """Create the empty tables of the records, and comment on all tables of the build."""
    columns = _create(connection, schema.table, renamings)
    connection.execute(f"CREATE TABLE build.main.srag_failures ({columns}, _failed VARCHAR[])")
    if renamings:
        renamings.create_view(connection)
    _comment(connection, _COMMENTS)


def _create(
    connection: duckdb.DuckDBPyConnection, table: Table, renamings: Renamings | None
) -> str:
    """Create one of the tables of records, with comments; return how its columns are declared."""
    said, key = f"{table.title}: one row a document.", "document_id VARCHAR"
    described = {f"{table.entity}.{item.name}": describe(item) for item in table.attributes}
    if table.parent:
        said = f"{table.title}: one row an item of the list {table.list_name!r} of a"
        said = f"{said} {table.parent}, joined on document_id. {table.description}".strip()
        key += f", {POSITION} INTEGER"
        described[f"{table.entity}.{POSITION}"] = "Counts the items of a document, from 1."
    own = "".join(f", {quote_name(item.name)} {item.type.sql}" for item in table.attributes)
    columns = key + own + (renamings.aliases(table.entity) if renamings else "")
    connection.execute(f"CREATE TABLE build.main.{quote_name(table.entity)} ({columns})")
    _comment(connection, {table.entity: said, **described})
    return columns


def _comment(connection: duckdb.DuckDBPyConnection, comments: Mapping[str, str]) -> None:
    statements = list[str]()
    for place, text in comments.items():
        kind = "COLUMN" if "." in place else "TABLE"
        name = ".".join(map(quote_name, place.split(".")))
        statements.append(f"COMMENT ON {kind} build.main.{name} IS {quote_text(text)}")
    connection.execute(";".join(statements))  # one by one they take a quarter longer


def describe(attribute: Attribute) -> str:
    """Say in one line what an attribute holds."""
    unit = f" Unit: {attribute.unit}." if attribute.unit else ""
    absent = "" if attribute.absent_means == "unknown" else f" Absent: {attribute.absent_means}."
    return f"{attribute.description}{unit}{absent}".strip() or attribute.name


@dataclass(frozen=True, slots=True)
class BuildInfo:
    """The facts of a build, kept in `srag_build`.

    Attributes:
        title: What one record is, for people.
        entity: The record table; *former_table* is what the build before called it, if otherwise.
        n_documents: Documents that were read: the records; *n_failed* could not, and are none.
        created_at: UTC, ISO 8601.
        engine: Who extracted: `offline`, `model` or `agent`.
        revision: Of the work database it was made from.
        account: How much of the documents the columns account for, in a sentence; empty where a
            language model chose them, and for builds of older versions.
        renamed: What the build before called otherwise, a sentence each.
        loose: The columns that are not of the schema, see `store.loose`.
        index_version: Of the rules that the index of passages was made by.
        united: Which names have several spellings, in a line; empty where none has.
        n_corrected: Cells that were corrected; *n_waiting* corrections are not applied, as what
            they replaced is not there any more.
        other_kinds: Which documents are of another kind, or may be, or are in several files alike,
            in a line; empty where none is.
        odd: Which of the documents that look like none of the others say as much as these.
    """

    build_id: str
    format_version: int
    title: str
    entity: str
    n_documents: int
    n_failed: int
    n_attributes: int
    created_at: str
    engine: str
    revision: str
    account: str = ""
    renamed: tuple[str, ...] = ()
    former_table: str = ""
    loose: tuple[str, ...] = ()
    index_version: str = ""
    united: str = ""
    n_corrected: int = 0
    n_waiting: int = 0
    other_kinds: str = ""
    odd: str = ""

    @property
    def waiting(self) -> str:
        """Say that corrections wait; empty where none does."""
        n = self.n_waiting
        said = "1 correction waits" if n == 1 else f"{n:,} corrections wait"
        return f"{said} for a second look, and correct_value sets them anew" if n else ""


_INFO = TypeAdapter(BuildInfo)
_MAX_NAMED = 5
_SAYING = """
SELECT path, count(*) FROM build.main.cells JOIN build.main.documents USING (document_id)
WHERE table_name = ? AND state IN ('stated', 'corrected') GROUP BY path
"""
_BESIDE = """
SELECT path, line FROM (SELECT path, unnest(split(told, chr(10))) AS line FROM files)
WHERE contains(line, ?) ORDER BY ALL LIMIT 5
"""


def _name(paths: Sequence[str]) -> str:
    return ", ".join(map(one_line, first_of(paths, _MAX_NAMED)))


def _say_odd(paths: Sequence[str]) -> str:
    """Say which documents are counted that may be of another kind; nothing where none is."""
    look = "1 document looks" if len(paths) == 1 else f"{len(paths):,} documents look"
    with_them = f"and {'is' if len(paths) == 1 else 'are'} counted with them"
    return f"{look} like none of the others, {with_them}: {_name(paths)}" if paths else ""


def _say_copies(work: WorkDatabase, schema: Schema) -> str:
    """Say which rows several files have alike, or else which keys several records have."""
    for n, paths in work.run(_COPIES) if work.run(_ROWS_OF_FILES) else ():
        said, are = ("1 row says", "is") if n == 1 else (f"{n:,} rows say", "are")
        told = "in every cell, or in two that name it, what a row of another file says"
        return f"{said} {told}, and {are} counted again: of {_name(paths)}"
    keys = [item.name for item in schema.attributes if not item.type.is_date]
    name, again = _find_repeated(work, *(keys[:1] or [""]))
    said = "is that of several records, each of which is counted, though others have their own"
    return f"{name} {said}: {_name(again)}" if again else ""


def _find_repeated(work: WorkDatabase, attribute: str) -> tuple[str, list[str]]:
    """Find the codes that several records have, in a column or else in what they are called."""
    columns, titled = defaultdict[str, list[str]](list), list[str]()
    for path, text in work.run(_STATED, attribute):
        columns[path].append(text)
    for (title,) in work.run("SELECT title FROM documents WHERE document_id = path"):
        numbers = [word for word in _WORD.findall(title) if any(map(str.isdecimal, word))]
        titled.append(numbers[0] if len(numbers) == 1 else "")
    # what is no row is named by letters, too: a figure of a text is any amount
    again = [
        code
        for path, codes in columns.items()
        for code in _repeated(codes)
        if path or all(code[0].isalpha() for code in codes)
    ]
    return (attribute, sorted(again)) if again else ("the number in the title", _repeated(titled))


def _repeated(codes: Sequence[str]) -> list[str]:
    """Return those that come again, where nearly all are single as `Column.is_own` has it."""
    counts, n = Counter(codes), len(codes)
    is_own = n > 4 and n - -(-n // 10) <= len(counts) < n and all(map(_CODE.fullmatch, counts))
    return sorted(code for code, count in counts.items() if count > 1) if is_own else []


def _say_left_out(paths: Sequence[str]) -> str:
    """Say which files are in no table, and of documents and of tables what takes them in."""
    if not paths:
        return ""
    n, are = len(paths), "1 document is" if len(paths) == 1 else f"{len(paths):,} documents are"
    tables = [path for path in paths if media_type(path) in TABLE_TYPES]
    said = (
        f"{are} of another kind than the records, and {'is' if n == 1 else 'are'} neither counted"
        f" nor searched: {_name(paths)}"
    )
    own = "the rows of a table file are counted in a folder of its own, or it as one document"
    said += f"; {own} (--rows file)" * bool(tables)
    kind = "kind of documents" if tables else "kind"
    anew = f"columns that are found anew (--fresh-schema, rebuild_schema) give each {kind} a table"
    return said + f"; {anew}" * (len(tables) < n)


def info_rows(info: BuildInfo) -> list[tuple[str, str]]:
    """Write as rows of `srag_build`."""
    return [
        (key, "\n".join(value) if isinstance(value, tuple) else str(value))
        for key, value in asdict(info).items()
    ]


def read_info(rows: Iterable[tuple[object, ...]]) -> BuildInfo:
    """Read from rows of `srag_build`; StoreError for a format that this version does not know."""
    found = {str(row[0]): str(row[1]) for row in rows}
    if found.get("format_version") != str(FORMAT_VERSION):
        msg = (
            f"this build has format {found.get('format_version')!r}; this version of srag-mcp reads"
            f" format {FORMAT_VERSION}. Update srag-mcp, or ingest the documents again"
        )
        raise StoreError(msg)
    # what has a default is not said by builds of older versions
    needed = {field.name for field in fields(BuildInfo) if field.default is MISSING}
    missing = needed - found.keys()
    if missing:
        msg = f"the build does not say its {', '.join(sorted(missing))}; ingest the corpus again"
        raise StoreError(msg)
    lists = {name: tuple(found.get(name, "").splitlines()) for name in ("renamed", "loose")}
    return _INFO.validate_python({**found, **lists})


def published_info(
    state: Path, connection: duckdb.DuckDBPyConnection | None = None
) -> BuildInfo | None:
    """Return what the published build says of itself, by *connection* if given; None for none."""
    import duckdb

    with suppress(NotIngestedError, StoreError, duckdb.Error):
        build = quote_text(str(published_build(state)))
        with connection.cursor() if connection else duckdb.connect() as cursor:
            cursor.execute(f"ATTACH {build} AS published (READ_ONLY)")
            try:
                return read_info(cursor.execute("FROM published.main.srag_build").fetchall())
            finally:
                cursor.execute("DETACH published")
    return None


# The oldest storage format that a supported DuckDB writes and 1.4 reads.
STORAGE_VERSION = "v1.4.0"
_LISTING = f"""
CREATE OR REPLACE TEMP TABLE listing AS
SELECT (row_number() OVER (ORDER BY document_id) - 1)::INTEGER AS number,
       NULL::INTEGER AS position, * FROM (
  SELECT document_id, path, title, media_type, sha256, length(text) AS characters, ingested_at,
         NULL AS failure FROM documents
  UNION ALL
  SELECT path, path, parse_filename(path), '', '', 0, NULL, error FROM files
  WHERE error IS NOT NULL AND error != '{OTHER_KIND}'
    AND path NOT IN (SELECT document_id FROM documents)
) ORDER BY number
"""  # noqa: S608 - a constant
_ROWS_OF_FILES = """
SELECT 1 FROM documents WHERE document_id != path HAVING count(DISTINCT path) > 1
"""
# rows that several files have alike, and these files; nothing where no column tells rows apart
# What names a row: columns of which each row of its file has its own; one of two is in words.
_COPIES = r"""
WITH said AS (SELECT * FROM cells JOIN (
                SELECT document_id, path, sha256, count(*) OVER (PARTITION BY path) AS n
                FROM documents WHERE document_id != path) USING (document_id)
              WHERE state = 'stated' AND n > 1),
     named AS (FROM said SEMI JOIN (SELECT attribute, path FROM said GROUP BY attribute, path, n
               HAVING count(DISTINCT as_stated) = n) USING (attribute, path)),
     alike AS (SELECT one.document_id, any_value(one.path) AS path, any_value(two.path) AS other
               FROM named AS one JOIN named AS two USING (attribute, as_stated)
               WHERE one.path > two.path GROUP BY one.document_id, two.document_id
               HAVING any_value(one.sha256) = any_value(two.sha256)
               OR (count(*) > 1 AND bool_or(regexp_matches(as_stated, '\p{L}'))))
SELECT count(DISTINCT document_id), list_sort(list_distinct(list(path) || list(other)))
FROM alike HAVING count(*) > 0
"""
# what a column holds, by the file whose rows have it; empty for documents that are no rows
_STATED = """
SELECT if(document_id = path, '', path), coalesce(as_stated, '')
FROM cells JOIN documents USING (document_id) WHERE attribute = ? AND state = 'stated'
"""
_WORD = re.compile(r"[\w/-]+")
_CODE = re.compile(r"(?:[\w/-]*[/-])?+\w*\d\w*")
_DOCUMENTS = """
INSERT INTO build.main.documents
SELECT document_id, path, title, media_type, sha256, characters, ingested_at
FROM listing ORDER BY number
"""
_PARTS = """
SELECT min(document_id), max(document_id) FROM (
  SELECT document_id, sum(characters) OVER (ORDER BY document_id) // ? AS part FROM listing)
GROUP BY part ORDER BY ALL
"""
_TEXTS = """
INSERT INTO build.main.srag_texts SELECT document_id, text FROM documents
WHERE document_id BETWEEN ? AND ? ORDER BY document_id
"""
TEXTS_AT_ONCE = 20_000_000  # characters: a sort holds all texts in memory
_PASSAGES = """
CREATE TABLE build.main.passages AS
SELECT * EXCLUDE (heads_start, heads_end) FROM passages ORDER BY document_id, number
"""
_FAILURES = """
INSERT INTO build.main.srag_failures
SELECT document_id, {columns}_failed FROM build.main.{entity} AS records JOIN (
  SELECT document_id, list(attribute) AS _failed FROM build.main.cells
  WHERE state = 'failed' AND table_name = ? GROUP BY document_id) USING (document_id)
ORDER BY document_id
"""


OnColumn: TypeAlias = Callable[[int, int, str], None]
"""Called with the number of columns done, of all, and the next one's name."""


def publish(
    work: WorkDatabase, schema: Schema, *, on_column: OnColumn = lambda done, total, name: None
) -> BuildInfo:
    """Write a build of all that *work* holds, and point to it; StoreError leaves the old one."""
    build_id = new_build_id(work.state)
    temporary = work.state / BUILDS_FOLDER / f"{build_id}.tmp"
    # No log: until its checkpoint the file is nobody's, and a log would write everything twice.
    options = f"STORAGE_VERSION '{STORAGE_VERSION}', RECOVERY_MODE NO_WAL_WRITES"
    with store_errors(f"writing the build {temporary}"):
        try:
            work.connection.execute(f"ATTACH {quote_text(str(temporary))} AS build ({options})")
            try:
                info = _write(work, schema, build_id, on_column)
            finally:
                work.connection.execute("DETACH build")
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    put_in_place(temporary, build_path(work.state, build_id))
    point_to(work.state, build_id)
    return info


def publish_changes(
    work: WorkDatabase, schema: Schema, on_column: OnColumn = lambda done, total, name: None
) -> BuildInfo | None:
    """Publish as `publish` does, unless the present build has the same content: then None."""
    info = published_info(work.state, work.connection)
    if info is not None and info.revision == work.revision:
        return None
    return publish(work, schema, on_column=on_column)


def _write(work: WorkDatabase, schema: Schema, build_id: str, on_column: OnColumn) -> BuildInfo:
    connection, schema = work.connection, schema.shown()
    n_attributes = len(schema.attributes)
    schema = with_loose(work, schema)  # loose attributes stand behind the columns
    connection.execute(TABLES)
    connection.execute(_LISTING)
    loose = tuple(item.name for item in schema.attributes[n_attributes:])
    places = _write_columns(work, schema.table, on_column, loose)
    renamings = find_renamings(connection, work.state, schema)
    if renamings and follow_renamings(work, renamings.named()):
        connection.execute(_UNWRITTEN)
        places = _write_columns(work, schema.table, on_column, loose)
    create_records(connection, schema, renamings)
    _write_records(connection, schema.table, places)
    for child in schema.children:
        _write_child(work, child, on_column, renamings)
    n_corrected, n_waiting = apply_corrections(work, schema, renamings)
    connection.execute(_DOCUMENTS)
    for part in work.run(_PARTS, TEXTS_AT_ONCE):
        connection.execute(_TEXTS, part)
    columns = "".join(f"{quote_name(item.name)}, " for item in schema.attributes)
    failures = _FAILURES.format(entity=quote_name(schema.entity), columns=columns)
    connection.execute(failures, [schema.entity])
    write_statistics(connection, schema)
    write_values(connection, schema)
    [(n_documents, n_failed)] = work.run("SELECT count(*), count(failure) FROM listing")
    beside = map(": ".join, work.run(_BESIDE, OF_RECORDS))
    odd = work.odd()
    said = dict(work.run(_SAYING, schema.entity)) if odd else {}
    others = sorted(n for x, n in said.items() if x not in odd) or [1]
    least = others[len(others) // 2]  # as many as half of the others say
    # what a model has read tells a record from a letter beside it; what rules found does not
    full = [x for x in odd if work.is_predicted() and said.get(x, 0) >= least]
    strange = _say_odd([x for x in odd if x not in full])
    found = (work.note(MIXED), work.note(APART), *beside, strange, _say_copies(work, schema))
    told = filter(None, (_say_left_out(work.left_out()), *found))
    info = BuildInfo(
        build_id=build_id,
        format_version=FORMAT_VERSION,
        title=schema.title,
        entity=schema.entity,
        n_documents=n_documents - n_failed,
        n_failed=n_failed,
        n_attributes=n_attributes,
        created_at=utc_now(),
        engine=work.engine_in_force(),
        revision=work.revision,
        account=work.note(ACCOUNT) or "",
        renamed=renamings.lines() if renamings else (),
        former_table=renamings.former_table if renamings else "",
        loose=loose,
        index_version=INDEX_VERSION if work.is_indexed() else "",
        united=describe_united(connection),
        n_corrected=n_corrected,
        n_waiting=n_waiting,
        other_kinds="; ".join(told),
        odd=_say_odd(full),
    )
    # earlier versions may have called the records so
    if "passages" not in {info.entity, info.former_table}:
        connection.execute(_PASSAGES)
        write_index(connection)
        _comment(connection, _COMMENTS_ON_PASSAGES | INDEX_COMMENTS)
    connection.execute("INSERT INTO build.main.srag_schema VALUES (?)", [schema.model_dump_json()])
    insert_rows(connection, "build.main.srag_build", info_rows(info))
    connection.execute("CHECKPOINT build")
    return info


def _write_records(
    connection: duckdb.DuckDBPyConnection, table: Table, places: Mapping[str, str]
) -> None:
    """Put the columns side by side: all are in the order of `listing`, so nothing is looked up."""
    listing, tables = _listing_of(table), [*map(quote_name, dict.fromkeys(places.values()))]
    columns = "".join(f", {quote_name(place)}.{quote_name(x)}" for x, place in places.items())
    joins = "".join(f" POSITIONAL JOIN {place}" for place in tables)
    key = f"document_id, {listing}.{POSITION}" if table.parent else "document_id"
    # what was not read is no record
    source = f"FROM {listing}{joins} WHERE {listing}.failure IS NULL"
    select = f"SELECT {listing}.{key}{columns} {source}"
    connection.execute(f"INSERT INTO build.main.{quote_name(table.entity)} {select}")
    connection.execute(";".join(f"DROP TABLE {place}" for place in tables))


def _listing_of(table: Table) -> str:
    """Return which temporary table numbers the rows of *table*."""
    return "child_listing" if table.parent else "listing"


_CHILD_LISTING = """
CREATE OR REPLACE TEMP TABLE child_listing AS
SELECT (row_number() OVER (ORDER BY document_id, position) - 1)::INTEGER AS number, document_id,
       position, NULL::VARCHAR AS failure
FROM (SELECT document_id, position FROM child_cells WHERE table_name = ? AND position > 0
      UNION SELECT document_id, position FROM child_predictions)
ORDER BY number
"""
# of documents that code has not read for it
_CHILD_PREDICTIONS = """
CREATE OR REPLACE TEMP TABLE child_predictions AS
FROM predicted_rows SEMI JOIN documents USING (document_id, sha256)
WHERE table_name = $name AND attribute_hash = $hash
  AND document_id NOT IN (SELECT document_id FROM child_cells WHERE table_name = $name)
"""
_LISTS = f"""
INSERT INTO build.main.cells
SELECT document_id, $name, 0, '{POSITION}',
       CASE WHEN failure IS NOT NULL THEN 'failed' WHEN n_rows > 0 THEN 'stated'
            ELSE coalesce(state, $unasked) END AS said,
       as_stated, start, "end",
       CASE said WHEN 'stated' THEN n_rows WHEN 'stated_absent' THEN 0 END::VARCHAR, NULL,
       coalesce(engine, '{BY_RULES}'), coalesce(marks, ''), coalesce(failure, note, '')
FROM listing
LEFT JOIN (
  SELECT document_id, state, as_stated, start, "end", engine, marks, note FROM child_cells
  WHERE table_name = $name AND position = 0
  UNION ALL
  SELECT document_id, state, as_stated, start, "end", engine, marks, note
  FROM predictions SEMI JOIN documents USING (document_id, sha256)
  WHERE attribute = $name AND attribute_hash = $hash
    AND document_id NOT IN (SELECT document_id FROM child_cells WHERE table_name = $name)
) USING (document_id)
LEFT JOIN (SELECT document_id, count(*) AS n_rows FROM child_listing GROUP BY document_id)
  USING (document_id)
ORDER BY number
"""  # noqa: S608 - constants


def _list_rows(work: WorkDatabase, child: Table) -> dict[str, str]:
    """Number the rows of a child table; return by which words its predictions are found."""
    # no hash is empty: without a model in force there are none
    named = {
        "name": child.entity,
        "hash": hash_attribute(list_attribute(child)) if work.is_predicted() else "",
    }
    work.connection.execute(_CHILD_PREDICTIONS, named)
    work.connection.execute(_CHILD_LISTING, [child.entity])
    return named


def _write_child(
    work: WorkDatabase, child: Table, on_column: OnColumn, renamings: Renamings | None
) -> None:
    """Write the rows of a child table, their cells, and a cell for the list of each document."""
    connection, is_predicted = work.connection, work.is_predicted()
    named = _list_rows(work, child)
    places = _write_columns(work, child, on_column)
    _create(connection, child, renamings)
    _write_records(connection, child, places)
    unasked = State.FAILED if is_predicted else State.NOT_MENTIONED
    connection.execute(_LISTS, {**named, "unasked": unasked.value})
    connection.execute("DROP TABLE child_listing")


_CELLS_OF = """
SELECT number, attribute, state, as_stated, start, "end", context, unit, engine, note, marks
FROM cells JOIN listing USING (document_id) WHERE attribute IN (SELECT unnest($names))
ORDER BY number
"""
_ROW_NAMES = "SELECT number, document_id || ', row ' || position FROM child_listing"
_CHILD_CELLS_OF = """
SELECT number, attribute, state, as_stated, start, "end", context, unit, engine, note, marks
FROM child_cells JOIN child_listing USING (document_id, position)
WHERE table_name = $table AND attribute IN (SELECT unnest($names)) ORDER BY number
"""
_CHILD_PREDICTIONS_OF = f"""
SELECT number, {PREDICTION_COLUMNS}
FROM child_predictions JOIN child_listing USING (document_id, position)
WHERE attribute IN (SELECT unnest($names)) ORDER BY number
"""  # noqa: S608 - constants
_PREDICTIONS_OF = f"""
WITH asked AS (SELECT unnest($names) AS attribute, unnest($hashes) AS attribute_hash)
SELECT number, {PREDICTION_COLUMNS} FROM listing CROSS JOIN asked LEFT JOIN (
  FROM predictions SEMI JOIN asked USING (attribute, attribute_hash))
  USING (document_id, sha256, attribute, attribute_hash)
WHERE failure IS NULL ORDER BY number
"""  # noqa: S608 - constants


def _write_columns(
    work: WorkDatabase, table: Table, on_column: OnColumn, loose: Collection[str] = ()
) -> dict[str, str]:
    """Write the cells and values of *table*; return in which temporary table each column is."""
    rows = work.connection.execute(
        f"SELECT document_id, position, failure FROM {_listing_of(table)} ORDER BY number"  # noqa: S608 - constants
    )
    ids, positions, failures = list[str](), list[int | None](), dict[int, str]()
    while part := rows.fetchmany(CELLS_AT_ONCE):  # of which there may be a million
        failures |= {len(ids) + n: row[2] for n, row in enumerate(part) if row[2] is not None}
        ids += [intern(row[0]) for row in part]
        positions += [row[1] for row in part]
    if not table.attributes:  # of none of which could say why a document failed
        told = ((ids[n], Cell("document_id", State.FAILED, note=x)) for n, x in failures.items())
        reasons = (_cell_row(table.entity, key, None, cell) for key, cell in told)
        work.append("build.main.cells", reasons)
    places = dict[str, str]()
    n_together = max(1, CELLS_AT_ONCE // max(1, len(ids)))
    for start in range(0, len(table.attributes), n_together):
        group = table.attributes[start : start + n_together]
        columns = list[list[Cell | None]]()
        for attribute, cells in _read_columns(work, table, group, loose):
            on_column(start + len(columns), len(table.attributes), table.named(attribute.name))
            by_number, silent = _fill(work, table, attribute, cells, attribute.name in loose)
            for number, failure in failures.items():
                by_number[number] = Cell(attribute.name, State.FAILED, note=failure)
            columns.append([by_number.get(number, silent) for number in range(len(ids))])
        work.append(
            "build.main.cells",
            (
                _cell_row(table.entity, key, position, cell)
                for column in columns
                for key, position, cell in zip(ids, positions, column, strict=True)
                if cell is not None
            ),
        )
        place = f"values_{group[0].name}"
        types = ", ".join(f"{quote_name(item.name)} {item.type.sql}" for item in group)
        work.run(with_names("CREATE OR REPLACE TEMP TABLE {place} ", place=place) + f"({types})")
        values = ([cell and cell.value for cell in column] for column in columns)
        work.append(quote_name(place), zip(*values, strict=True))
        places |= dict.fromkeys([item.name for item in group], place)
    return places


def _fill(
    work: WorkDatabase, table: Table, attribute: Attribute, cells: dict[int, Cell], is_loose: bool
) -> tuple[dict[int, Cell], Cell | None]:
    """Return *cells* as they are published, and what stands where there is none."""
    if are_united(attribute):
        cells = unite_cells(work, table.entity, attribute, cells, is_child=bool(table.parent))
    # rules that found nothing anywhere do not say that no document mentions it
    engines = (cell.engine for cell in cells.values())
    by_model = any(map(is_predicted, engines)) if is_loose else work.is_predicted()
    is_read = by_model or any(cell.state is not State.NOT_MENTIONED for cell in cells.values())
    implied = attribute.type.implied.get(attribute.absent_means) if is_read else None
    if implied is not None:
        cells |= {
            number: replace(cell, value=implied)
            for number, cell in cells.items()
            if cell.state is State.NOT_MENTIONED and Mark.READ_IN_PART not in cell.marks
        }
    return cells, None if is_loose else Cell(attribute.name, State.NOT_MENTIONED, value=implied)


def _cell_row(table: str, document_id: str, position: int | None, cell: Cell) -> tuple[object, ...]:
    start, end = (None, None) if cell.span is None else (cell.span.start, cell.span.end)
    return (
        document_id, table, position, cell.attribute, cell.state.value, cell.as_stated, start, end,
        cell.value, cell.unit, cell.engine, write_marks(cell.marks), cell.note,
    )  # fmt: skip


def _read_columns(
    work: WorkDatabase, table: Table, attributes: Sequence[Attribute], loose: Collection[str]
) -> Iterator[tuple[Attribute, dict[int, Cell]]]:
    """Yield the cells of *attributes*, with values, by the number of their row."""
    names = {"names": [item.name for item in attributes]}
    by_model: _Rows = {}
    if table.parent:
        by_rules = _by_attribute(work, _CHILD_CELLS_OF, {**names, "table": table.entity})
        by_model = _by_attribute(work, _CHILD_PREDICTIONS_OF, names)
    else:
        by_rules = _by_attribute(work, _CELLS_OF, names)
        if loose or work.is_predicted():
            hashes = [*map(hash_attribute, attributes)]
            by_model = _by_attribute(work, _PREDICTIONS_OF, {**names, "hashes": hashes})
    for attribute in attributes:
        rules, predicted = (found.pop(attribute.name, []) for found in (by_rules, by_model))
        if table.parent:
            by_code = mark_misfits(attribute, _rule_cells(attribute, rules))
            yield attribute, by_code | _predicted_cells(work, attribute, predicted)
        elif attribute.name in loose:
            said = [row for row in predicted if row[2] is not None]
            yield attribute, _predicted_cells(work, attribute, said)
        else:
            asked = predicted if work.is_predicted() else None
            yield attribute, _cells_in_force(work, attribute, rules, asked, table.entity)


_Rows: TypeAlias = dict[str, list[Any]]


def _by_attribute(work: WorkDatabase, sql: str, values: Mapping[str, list[str] | str]) -> _Rows:
    """Run a statement whose rows begin with a number and an attribute."""
    found: defaultdict[str, list[Any]] = defaultdict(list)
    for row in work.connection.execute(sql, values).fetchall():
        found[row[1]].append(row)
    return found


_INSERT_REVIEW = """
INSERT INTO build.main.srag_reviews
SELECT document_id, ?, ?, ?, ?, ?, ? FROM listing WHERE number = ?
"""


def _cells_in_force(
    work: WorkDatabase,
    attribute: Attribute,
    rules: list[Any],
    predicted: list[Any] | None,
    reviewed: str = "",
) -> dict[int, Cell]:
    """Return the cells of the engine in force; if *reviewed*, list where rules differ."""
    by_rules = _rule_cells(attribute, rules)
    if attribute.is_column or predicted is None:
        by_rules = mark_misfits(attribute, by_rules)
    if predicted is None:
        return by_rules
    cells = _model_cells(work, attribute, by_rules, predicted)
    for number in find_disputed(cells, by_rules) if reviewed else ():
        model, rule = cells[number], by_rules[number]
        said = [str(model.value), model.as_stated, str(rule.value), rule.as_stated]
        work.run(_INSERT_REVIEW, reviewed, attribute.name, *said, number)
        cells[number] = mark_disputed(model, rule)
    return cells


def read_cells(
    work: WorkDatabase,
    attribute: Attribute,
    child: Table | None = None,
    *,
    by_model: bool | None = None,
) -> dict[str, Cell]:
    """Return what is published of an attribute but for names and corrections, by document.

    Of a *child* table by document and row. *by_model*: whether a language model is in force; None
    for what is.
    """
    if child is not None:
        _list_rows(work, child)
        places = dict(work.run(_ROW_NAMES))
        [(_, own)] = _read_columns(work, child, [attribute], ())
        return {places[number]: cell for number, cell in own.items()}
    by_model = work.is_predicted() if by_model is None else by_model
    work.connection.execute(_LISTING)
    ids = dict(work.run("SELECT number, document_id FROM listing"))
    named = {"names": [attribute.name]}
    asked = {**named, "hashes": [hash_attribute(attribute)]}
    rules = _by_attribute(work, _CELLS_OF, named)[attribute.name]
    predicted = _by_attribute(work, _PREDICTIONS_OF, asked)[attribute.name] if by_model else None
    cells = _cells_in_force(work, attribute, rules, predicted)
    return {ids[number]: cell for number, cell in cells.items()}


def _model_cells(
    work: WorkDatabase, attribute: Attribute, by_rules: Mapping[int, Cell], predicted: Sequence[Any]
) -> dict[int, Cell]:
    """Return what a model said, and *by_rules* what it was not asked: a column states that."""
    rows = "SELECT number FROM listing WHERE path IN (SELECT path FROM files WHERE rows)"
    stated = {number for (number,) in work.run(rows)} if attribute.is_column else set[int]()
    asked = [row for row in predicted if row[2] is not None or row[0] not in stated]
    cells = _predicted_cells(work, attribute, asked)
    for number in sorted(stated):
        own, said = by_rules.get(number), cells.get(number)
        is_said = said is not None and said.state is State.STATED
        if own is not None and (own.state is State.STATED or not is_said):
            cells[number] = own
    return cells


def _rule_cells(attribute: Attribute, rows: list[Any]) -> dict[int, Cell]:
    numbers, cells = [row[:1] for row in rows], [read_cell(row[1:]) for row in rows]
    rows.clear()  # of which there may be a million
    return _checked(attribute, numbers, normalise_column(attribute, cells))


def _predicted_cells(
    work: WorkDatabase, attribute: Attribute, rows: Sequence[Any]
) -> dict[int, Cell]:
    """Return what a model said; a document that it was not asked about is FAILED."""
    name, engine = attribute.name, work.engine_in_force()
    not_asked = PredictedCell(Cell(name, State.FAILED, engine=engine, note="not asked about yet"))
    predicted = [not_asked if row[2] is None else read_prediction(row[1:]) for row in rows]
    return _checked(attribute, rows, read_column(attribute, predicted))


def _checked(
    attribute: Attribute, rows: Sequence[tuple[int, ...]], cells: Iterable[Cell]
) -> dict[int, Cell]:
    pairs = zip(rows, cells, strict=True)
    return {row[0]: check_value(attribute, cell) for row, cell in pairs}


def check_value(attribute: Attribute, cell: Cell) -> Cell:
    """Return *cell* with a value that its column can hold; FAILED where there is none."""
    if cell.state is State.NOT_MENTIONED or cell.state is State.FAILED:
        return cell if cell.value is None else replace(cell, value=None)
    if cell.value is None:
        if cell.state is State.STATED_ABSENT:
            return cell
        return replace(cell, state=State.FAILED, note=cell.note or "could not be read")
    value = attribute.type.fit(cell.value)
    if value is None:
        note = f"{cell.value!r} does not fit a column of type {attribute.type}"
        return replace(cell, state=State.FAILED, value=None, note=note)
    if isinstance(value, str) and not value.isascii():
        value = storable(value)
    return cell if value is cell.value else replace(cell, value=value)
