"""Databases as this package writes them: opening DuckDB, its errors as ours, quoting."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from srag_mcp.errors import LockedError, StoreError

if TYPE_CHECKING:
    import duckdb


WRITER_MEMORY = "384MB"


def open_for_writing(path: Path, spill: Path) -> duckdb.DuckDBPyConnection:
    """Open the database at *path*, made on need; sorts spill. LockedError if another has it."""
    # Heavy: 60 ms, and most processes never write.
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": WRITER_MEMORY,
        "threads": 1,  # waking a second takes longer than its part of a small statement
        "async_threads": 0,  # they read from afar
        "temp_directory": str(spill),
        "python_enable_replacements": False,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    try:
        return duckdb.connect(str(path), config=config)
    except duckdb.IOException as error:
        if "Conflicting lock" not in str(error):
            raise
        msg = f"another program has {path} open; close it and start again. DuckDB says: {error}"
        raise LockedError(msg) from error


@contextmanager
def store_errors(doing: str) -> Iterator[None]:
    """Raise DuckDB's errors as `StoreError`, with what we were doing."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        msg = f"{doing}: {error}"
        raise StoreError(msg) from error


def with_names(template: str, **names: str) -> str:
    """Fill the placeholders of *template* with quoted identifiers.

    `("SELECT {x} FROM t", x="order") -> 'SELECT "order" FROM t'`
    """
    return template.format(**{key: quote_name(name) for key, name in names.items()})


def quote_name(name: str) -> str:
    """Quote an identifier for SQL: `order` -> `"order"`."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def quote_text(text: str) -> str:
    """Quote a text for statements that take no parameters: `it's` -> `'it''s'`."""
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def insert_rows(
    connection: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Sequence[object]]
) -> None:
    """Insert a few *rows* by one statement; `executemany` takes as many as there are rows."""
    if rows:
        places = ", ".join([f"({', '.join('?' * len(rows[0]))})"] * len(rows))
        values = [value for row in rows for value in row]
        connection.execute(f"INSERT INTO {table} VALUES {places}", values)  # noqa: S608 - a constant


Select: TypeAlias = Callable[[str], list[tuple[object, ...]]]
"""Returns the rows of a statement; raises StoreError where it cannot be run."""


@contextmanager
def open_csv_table(
    path: Path, name: str, key: str, keys: Collection[str] | None = None
) -> Iterator[Select]:
    """Read the CSV file *path* as the table *name*, for SQL that its own author wrote.

    Only rows whose *key* is in *keys*, if given. Afterwards no file can be read.

    Raises:
        StoreError: If the file cannot be read.
    """
    import duckdb

    with duckdb.connect(":memory:") as connection:
        with store_errors(str(path)):
            connection.register("source", connection.read_csv(str(path), header=True))
            wanted = "" if keys is None else " WHERE {key} IN (SELECT unnest(?))"
            connection.execute(
                with_names("CREATE TABLE {name} AS FROM source" + wanted, name=name, key=key),
                [] if keys is None else [list(keys)],
            )
            connection.unregister("source")
            connection.execute("SET enable_external_access = false")

        def select(sql: str) -> list[tuple[object, ...]]:
            with store_errors(sql):
                return connection.execute(sql).fetchall()

        yield select
