"""Publication: the work database becomes an immutable build that readers open."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from srag_mcp.errors import NotIngestedError, StoreError
from srag_mcp.schema.schema import Schema
from srag_mcp.store.build_columns import list_documents, write_column
from srag_mcp.store.build_info import BuildInfo, info_rows, read_info
from srag_mcp.store.build_statistics import write_statistics, write_values
from srag_mcp.store.build_tables import create_tables
from srag_mcp.store.engine import quote_name, quote_text, store_errors, with_names
from srag_mcp.store.layout import builds_folder
from srag_mcp.store.pointer import (
    FORMAT_VERSION,
    Pointer,
    build_path,
    new_build_id,
    read_pointer,
    sync,
    write_pointer,
)
from srag_mcp.store.work import WorkDatabase

if TYPE_CHECKING:
    import duckdb

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
            return info if counts[0] == (info.n_documents, info.n_documents) else None
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
    select = f"SELECT listing.document_id{columns} FROM listing{joins}"  # noqa: S608 - numbers only
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
        n_documents=n_documents,
        n_failed=n_failed,
        n_attributes=len(schema.attributes),
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        engine=work.engine_in_force(),
        revision=work.revision,
        cut_value_columns=cut,
    )
