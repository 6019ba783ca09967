"""A CSV file as a table in memory, for SQL that its own author wrote."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from srag_mcp.errors import StoreError
from srag_mcp.store.engine import with_names

if TYPE_CHECKING:
    import duckdb


class CsvTable:
    """Runs queries over one table; opened by `open_csv_table`."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def select(self, sql: str) -> list[tuple[object, ...]]:
        """Return the rows of *sql*.

        Raises:
            StoreError: If it cannot be run.
        """
        import duckdb

        try:
            return self._connection.execute(sql).fetchall()
        except duckdb.Error as error:
            msg = f"{sql}: {error}"
            raise StoreError(msg) from error


@contextmanager
def open_csv_table(
    path: Path, name: str, key: str, keys: Collection[str] | None = None
) -> Iterator[CsvTable]:
    """Read the CSV file *path* as the table *name*; only rows whose *key* is in *keys*, if given.

    Afterwards no file can be read.

    Raises:
        StoreError: If the file cannot be read.
    """
    import duckdb

    with duckdb.connect(":memory:") as connection:
        try:
            source = connection.read_csv(str(path), header=True)
            connection.register("source", source)
            wanted = "" if keys is None else " WHERE {key} IN (SELECT unnest(?))"
            connection.execute(
                with_names("CREATE TABLE {name} AS FROM source" + wanted, name=name, key=key),
                [] if keys is None else [list(keys)],
            )
            connection.unregister("source")
            connection.execute("SET enable_external_access = false")
        except duckdb.Error as error:
            msg = f"{path}: {error}"
            raise StoreError(msg) from error
        yield CsvTable(connection)
