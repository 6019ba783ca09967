"""Two corpora: a fleet of eight boats, and the large one that hostile.jsonl speaks of."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from srag_mcp.store.guard import QueryPool

BOATS = [
    ("b1", "Alba", "Bergen", 12.5, 4, "1998-03-14", True, 1, "a", "klein"),
    ("b2", "Bora", "Bergen", 20.0, 6, "2004-07-01", True, 2, "b", "mittel"),
    ("b3", "Ciro", "Cork", 8.0, 2, "2004-11-30", False, 3, "a", "klein"),
    ("b4", "Dara", "Cork", 32.5, 12, "2011-05-20", True, 4, "b", "groß"),
    ("b5", "Echo", "Dover", 15.0, None, "1998-12-05", False, 5, "a", "mittel"),
    ("b6", "Fram", "Dover", 39.0, 16, "1992-10-26", None, 6, "b", "groß"),
    ("b7", "Gaia", "Bergen", 10.0, 3, "2019-01-09", True, 7, "a", "klein"),
    ("b8", "Hali", None, 27.0, 8, None, True, 8, "b", "mittel"),
]


@pytest.fixture
def shared_processes() -> None:
    """Share none: each pool starts its own."""


@pytest.fixture(scope="session")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build: boats, documents and cells are exposed; srag_build and hidden_view are not."""
    path = tmp_path_factory.mktemp("fleet") / "1.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE boats (document_id VARCHAR, name VARCHAR, port VARCHAR, length_m DOUBLE,"
            ' crew BIGINT, built DATE, active BOOLEAN, "order" BIGINT, "group" VARCHAR,'
            ' "größe" VARCHAR)'
        )
        connection.executemany(
            "INSERT INTO boats VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [list(boat) for boat in BOATS],
        )
        connection.execute(
            "CREATE TABLE documents AS SELECT document_id, document_id || '.txt' AS path,"
            " 'Logbook of ' || name AS title FROM boats"
        )
        connection.execute(
            "CREATE TABLE cells AS SELECT document_id, 'crew' AS attribute,"
            " CASE WHEN crew IS NULL THEN 'not_mentioned' ELSE 'stated' END AS state,"
            " 'a crew of ' || crew AS as_stated FROM boats"
        )
        connection.execute("CREATE TABLE srag_build AS SELECT 'CANARY-TABLE' AS model")
        connection.execute("CREATE TABLE srag_links AS SELECT 'CANARY-LINK' AS target")
        connection.execute("CREATE VIEW hidden_view AS FROM srag_build")
    return path


@pytest.fixture(scope="session")
def fleet_tables(fleet: Path) -> dict[str, list[str]]:
    return _columns(fleet, ("boats", "documents", "cells"))


@pytest.fixture(scope="session")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build of 100,000 records of 38 columns, with long texts: what bombs feed on."""
    path = tmp_path_factory.mktemp("records") / "1.duckdb"
    columns = (
        [f"(hash(i * {k}) % 1000)::INTEGER AS n{k}" for k in range(1, 16)]
        + [f"(hash(i * {k}) % 10000) / 100.0 AS f{k}" for k in range(1, 11)]
        + [f"'v' || (hash(i * {k}) % 50) AS s{k}" for k in range(1, 11)]
    )
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            f"CREATE TABLE records AS SELECT i::INTEGER AS document_id, {', '.join(columns)},"
            " DATE '2020-01-01' + (i % 1500)::INTEGER AS d1,"
            " TIMESTAMP '2020-01-01' + INTERVAL (i) MINUTE AS ts1, i % 2 = 0 AS b1"
            " FROM range(100000) r(i)"
        )
        connection.execute(
            "CREATE TABLE documents AS SELECT i::INTEGER AS document_id,"
            " 'doc' || i || '.pdf' AS path, 'Title ' || i AS title FROM range(100000) r(i)"
        )
        connection.execute(
            "CREATE TABLE cells AS SELECT i::INTEGER AS document_id, 'n1' AS attribute,"
            " repeat('lorem ipsum dolor ', 50) AS as_stated FROM range(20000) r(i)"
        )
        connection.execute("CREATE TABLE srag_build AS SELECT 'CANARY-TABLE' AS model")
        connection.execute("CREATE TABLE srag_links AS SELECT 'CANARY-LINK' AS target")
        connection.execute("CREATE VIEW hidden_view AS FROM srag_build")
    return path


@pytest.fixture(scope="session")
def records_tables(records: Path) -> dict[str, list[str]]:
    return _columns(records, ("records", "documents", "cells"))


@pytest.fixture(scope="module")
def worker() -> Iterator[QueryPool]:
    with QueryPool() as worker:
        yield worker


def _columns(build: Path, tables: tuple[str, ...]) -> dict[str, list[str]]:
    with duckdb.connect(str(build), read_only=True) as connection:
        return {
            table: [
                name
                for (name,) in connection.execute(
                    "SELECT column_name FROM duckdb_columns() WHERE table_name = ?", [table]
                ).fetchall()
            ]
            for table in tables
        }
