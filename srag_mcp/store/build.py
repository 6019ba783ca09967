"""Publication: the work database becomes an immutable build that readers open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from srag_mcp.cells.cell import Mark
from srag_mcp.errors import NotIngestedError, StoreError
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.store.column_cells import list_documents, write_column
from srag_mcp.store.database import quote_name, quote_text, store_errors, with_names
from srag_mcp.store.layout import (
    FORMAT_VERSION,
    Pointer,
    build_path,
    builds_folder,
    new_build_id,
    read_pointer,
    sync,
    write_pointer,
)
from srag_mcp.store.statistics import write_statistics, write_values
from srag_mcp.store.work import ACCOUNT, WorkDatabase

if TYPE_CHECKING:
    import duckdb


_TABLES = """
CREATE TABLE build.main.documents (
  document_id VARCHAR, path VARCHAR, title VARCHAR, media_type VARCHAR, sha256 VARCHAR,
  characters BIGINT, ingested_at TIMESTAMP);
CREATE TABLE build.main.cells (
  document_id VARCHAR, attribute VARCHAR, state VARCHAR, as_stated VARCHAR, start BIGINT,
  "end" BIGINT, value VARCHAR, unit VARCHAR, engine VARCHAR, marks VARCHAR,
  note VARCHAR);
CREATE TABLE build.main.srag_texts (document_id VARCHAR, text VARCHAR);
CREATE TABLE build.main.srag_schema (schema VARCHAR);
CREATE TABLE build.main.srag_statistics (column_name VARCHAR, position INTEGER, statistics VARCHAR);
CREATE TABLE build.main.srag_values (column_name VARCHAR, value VARCHAR, n_records BIGINT);
CREATE TABLE build.main.srag_reviews (
  document_id VARCHAR, attribute VARCHAR, value VARCHAR, as_stated VARCHAR, rule_value VARCHAR,
  rule_as_stated VARCHAR);
CREATE TABLE build.main.srag_build (key VARCHAR, value VARCHAR);
"""
_COMMENTS = {
    "documents": "One row a document, those that could not be read included.",
    "documents.document_id": "The path below the corpus folder; for a row of a table, path#row.",
    "documents.path": "The file, relative to the corpus folder.",
    "documents.sha256": "Of the bytes of the file (a row: of its text); empty when it failed.",
    "documents.characters": "Length of its text.",
    "documents.ingested_at": "When it was read, UTC.",
    "cells": "One row a document and attribute: what the document says, and where.",
    "cells.state": "stated, stated_absent (it says there is none), not_mentioned or failed.",
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
    "srag_reviews": "Cells that a learned rule reads otherwise than the language model.",
    "srag_build": "Facts of this build.",
    "srag_failures": "The records with cells that failed, and which (_failed).",
}


def create_tables(connection: duckdb.DuckDBPyConnection, schema: Schema) -> None:
    """Create the empty tables of the attached database `build`, with their comments."""
    connection.execute(_TABLES)
    columns = "".join(f", {quote_name(item.name)} {item.type.sql}" for item in schema.attributes)
    entity = quote_name(schema.entity)
    connection.execute(f"CREATE TABLE build.main.{entity} (document_id VARCHAR{columns})")
    connection.execute(
        f"CREATE TABLE build.main.srag_failures (document_id VARCHAR{columns}, _failed VARCHAR[])"
    )
    for place, text in _COMMENTS.items():
        _comment(connection, place.split("."), text)
    _comment(connection, [schema.entity], f"{schema.title}: one row a document.")
    for attribute in schema.attributes:
        _comment(connection, [schema.entity, attribute.name], describe(attribute))


def describe(attribute: Attribute) -> str:
    """Say in one line what an attribute holds."""
    unit = f" Unit: {attribute.unit}." if attribute.unit else ""
    absent = "" if attribute.absent_means == "unknown" else f" Absent: {attribute.absent_means}."
    return f"{attribute.description}{unit}{absent}".strip() or attribute.name


def _comment(connection: duckdb.DuckDBPyConnection, place: Sequence[str], text: str) -> None:
    """Say what a table is (*place* is its name) or a column (its table's name and its own)."""
    kind = "TABLE" if len(place) == 1 else "COLUMN"
    name = ".".join(map(quote_name, place))
    connection.execute(f"COMMENT ON {kind} build.main.{name} IS {quote_text(text)}")


@dataclass(frozen=True, slots=True)
class BuildInfo:
    """The facts of a build, kept in `srag_build`.

    Attributes:
        build_id: Its name; new for every publication.
        format_version: Of the tables; this package reads FORMAT_VERSION.
        title: What one record is, for people.
        entity: The record table.
        n_documents: Documents that were read: the records.
        n_failed: Documents that could not be read, and are no records.
        n_attributes: Columns of the record table, without `document_id`.
        created_at: UTC, ISO 8601.
        engine: Who extracted: `offline`, `model` or `agent`.
        revision: Of the work database it was made from.
        cut_value_columns: Text columns whose rarer values are not in the value index.
        account: How much of the documents the columns account for, in a sentence; empty where a
            language model chose them, and for builds of older versions.
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
    cut_value_columns: tuple[str, ...] = ()
    account: str = ""


_INFO = TypeAdapter(BuildInfo)


def info_rows(info: BuildInfo) -> list[tuple[str, str]]:
    """Write as rows of `srag_build`."""
    entries = asdict(info) | {"cut_value_columns": " ".join(info.cut_value_columns)}
    return [(key, str(value)) for key, value in entries.items()]


def read_info(rows: Iterable[tuple[object, ...]]) -> BuildInfo:
    """Read from rows of `srag_build`.

    Raises:
        StoreError: If the build is of a format that this version does not know.
    """
    found = {str(row[0]): str(row[1]) for row in rows}
    if found.get("format_version") != str(FORMAT_VERSION):
        msg = (
            f"this build has format {found.get('format_version')!r}; this version of srag-mcp reads"
            f" format {FORMAT_VERSION}. Update srag-mcp, or ingest the documents again"
        )
        raise StoreError(msg)
    missing = {field.name for field in fields(BuildInfo)} - found.keys() - {"account"}
    if missing:
        msg = f"the build does not say its {', '.join(sorted(missing))}; ingest the corpus again"
        raise StoreError(msg)
    split = {**found, "cut_value_columns": tuple(found["cut_value_columns"].split())}
    return _INFO.validate_python(split)


# The oldest storage format that a supported DuckDB writes and 1.4 reads.
STORAGE_VERSION = "v1.4.0"
_FAILURES = """
INSERT INTO build.main.srag_failures
SELECT records.*, _failed FROM build.main.{entity} AS records JOIN (
  SELECT document_id, list(attribute) AS _failed FROM build.main.cells
  WHERE state = 'failed' GROUP BY document_id) USING (document_id)
ORDER BY document_id
"""
_COUNTS = "SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM {entity})"


def publish(
    work: WorkDatabase,
    schema: Schema,
    *,
    on_column: Callable[[int, int, str], None] = lambda done, total, name: None,
) -> BuildInfo:
    """Write a build of all that *work* holds, and point to it; readers see the old one until then.

    *on_column* is called with the number of columns done, of all, and the next one's name.

    Raises:
        StoreError: If it cannot be written; the old build stays.
    """
    build_id = new_build_id(work.state)
    temporary = builds_folder(work.state) / f"{build_id}.tmp"
    with store_errors(f"writing the build {temporary}"):
        try:
            _attach(work.connection, temporary)
            try:
                info = _write(work, schema, build_id, on_column)
            finally:
                work.connection.execute("DETACH build")
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    path = build_path(work.state, build_id)
    sync(temporary)
    temporary.replace(path)
    sync(path.parent)
    write_pointer(work.state, Pointer(build_id))
    return info


def published_info(state: Path) -> BuildInfo | None:
    """Return what the published build says of itself; None if there is none that can be read."""
    import duckdb

    with suppress(NotIngestedError, StoreError, duckdb.Error):
        path = build_path(state, read_pointer(state).build_id)
        with duckdb.connect(str(path), read_only=True) as connection:
            info = read_info(connection.execute("FROM srag_build").fetchall())
            counts = connection.execute(with_names(_COUNTS, entity=info.entity)).fetchall()
            # builds of earlier versions have a record for what could not be read
            n_listed = {info.n_documents, info.n_documents + info.n_failed}
            n_documents, n_records = counts[0]
            return info if n_documents in n_listed and n_records == info.n_documents else None
    return None


def _attach(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    # No log: until its checkpoint the file is nobody's, and a log would write everything twice.
    options = f"STORAGE_VERSION '{STORAGE_VERSION}', RECOVERY_MODE NO_WAL_WRITES"
    connection.execute(f"ATTACH {quote_text(str(path))} AS build ({options})")


def _write(
    work: WorkDatabase, schema: Schema, build_id: str, on_column: Callable[[int, int, str], None]
) -> BuildInfo:
    connection = work.connection
    create_tables(connection, schema)
    list_documents(connection)
    for position, attribute in enumerate(schema.attributes):
        on_column(position, len(schema.attributes), attribute.name)
        write_column(connection, attribute, position)
    _write_records(connection, schema)
    _write_documents(connection)
    connection.execute(with_names(_FAILURES, entity=schema.entity))
    write_statistics(connection, schema)
    cut = write_values(connection, schema)
    info = _describe_build(work, schema, build_id, cut)
    connection.execute("INSERT INTO build.main.srag_schema VALUES (?)", [schema.model_dump_json()])
    connection.executemany("INSERT INTO build.main.srag_build VALUES (?, ?)", info_rows(info))
    connection.execute("CHECKPOINT build")
    return info


def _write_records(connection: duckdb.DuckDBPyConnection, schema: Schema) -> None:
    """Put the columns side by side: all are in the order of `listing`, so nothing is looked up."""
    numbers = range(len(schema.attributes))
    columns = "".join(f", column_{number}.value" for number in numbers)
    joins = "".join(f" POSITIONAL JOIN column_{number}" for number in numbers)
    source = f"FROM listing{joins} WHERE listing.failure IS NULL"  # what was not read is no record
    select = f"SELECT listing.document_id{columns} {source}"
    connection.execute(f"INSERT INTO build.main.{quote_name(schema.entity)} {select}")
    for number in numbers:
        connection.execute(f"DROP TABLE column_{number}")


def _write_documents(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute(
        "INSERT INTO build.main.documents SELECT document_id, path, title, media_type, sha256,"
        " characters, ingested_at FROM listing ORDER BY number"
    )
    connection.execute(
        "INSERT INTO build.main.srag_texts SELECT document_id, text FROM documents"
        " ORDER BY document_id"
    )


def _describe_build(
    work: WorkDatabase, schema: Schema, build_id: str, cut: tuple[str, ...]
) -> BuildInfo:
    [(n_documents, n_failed)] = work.connection.execute(
        "SELECT count(*), count(failure) FROM listing"
    ).fetchall()
    return BuildInfo(
        build_id=build_id,
        format_version=FORMAT_VERSION,
        title=schema.title,
        entity=schema.entity,
        n_documents=n_documents - n_failed,
        n_failed=n_failed,
        n_attributes=len(schema.attributes),
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        engine=work.engine_in_force(),
        revision=work.revision,
        cut_value_columns=cut,
        account=work.note(ACCOUNT) or "",
    )
