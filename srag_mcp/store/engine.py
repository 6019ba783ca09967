"""Opening DuckDB for writing, and its errors as ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from srag_mcp.errors import LockedError, StoreError

if TYPE_CHECKING:
    import duckdb

WRITER_MEMORY = "384MB"


def open_for_writing(path: Path, spill: Path) -> duckdb.DuckDBPyConnection:
    """Open the database at *path*, made on need; large sorts and joins spill to *spill*.

    Raises:
        LockedError: If another process has it open.
        duckdb.Error: If the file is not a database that can be read.
    """
    # Heavy: 60 ms, and most processes never write.
    import duckdb

    try:
        connection = duckdb.connect(str(path))
    except duckdb.IOException as error:
        if "Conflicting lock" not in str(error):
            raise
        msg = f"another program has {path} open; close it and start again. DuckDB says: {error}"
        raise LockedError(msg, str(error)) from error
    for name, value in (
        ("memory_limit", f"'{WRITER_MEMORY}'"),
        ("threads", "2"),
        ("temp_directory", quote_text(str(spill))),
        ("python_enable_replacements", "false"),
        ("autoinstall_known_extensions", "false"),
        ("autoload_known_extensions", "false"),
    ):
        connection.execute(f"SET GLOBAL {name} = {value}")
    return connection


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
