"""What the whole of run_sql adds to DuckDB's own time: guard, rows, denominator.

On a build of 1,000,000 records with gaps and failures. Run:
pytest -m benchmark tests/benchmarks/test_run_sql_overhead.py -s
"""

import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest

from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.server.corpora import Corpora
from srag_mcp.settings import Settings
from srag_mcp.store.build import TABLES, BuildInfo, create_records, info_rows
from srag_mcp.store.layout import FORMAT_VERSION
from srag_mcp.store.statistics import write_statistics
from srag_mcp.views.answers import result_table
from srag_mcp.views.results import ResultTable

pytestmark = pytest.mark.benchmark

N_RECORDS = 1_000_000
N_RUNS = 15
VALUES = {
    "string": "'harbour ' || (hash(i + {n}) % 40)",
    "integer": "(hash(i + {n}) % 1000)::BIGINT",
    "number": "(hash(i + {n}) % 10000) / 100.0::DOUBLE",
    "date": "DATE '2010-01-01' + (hash(i + {n}) % 4000)::INTEGER",
}
SCHEMA = Schema(
    title="Boat",
    entity="boats",
    attributes=(
        Attribute(name="harbour", type="string"),
        Attribute(name="owner", type="string"),
        Attribute(name="crew", type="integer"),
        Attribute(name="berths", type="integer"),
        Attribute(name="length", type="number"),
        Attribute(name="depth", type="number"),
        Attribute(name="launched", type="date"),
    ),
)
QUERIES = {
    "count": "SELECT count(*) FROM boats",
    "point": "SELECT crew, length FROM boats WHERE document_id = 'boat-777777'",
    "average": "SELECT avg(length) FROM boats WHERE harbour = 'harbour 7'",
    "filters": "SELECT count(*) FROM boats WHERE crew > 500 AND owner = 'harbour 3'",
    "many": "SELECT harbour, avg(length), max(depth) FROM boats WHERE crew > 10 AND berths < 400"
    " AND launched > DATE '2015-01-01' AND owner <> 'harbour 3' GROUP BY 1 ORDER BY 2 DESC",
    "group": "SELECT harbour, count(*), avg(length) FROM boats GROUP BY 1 ORDER BY 2 DESC",
    "search": "SELECT avg(length) FROM boats WHERE owner ILIKE '%7%' AND depth > 3",
    "page": "SELECT * FROM boats WHERE crew > 900 LIMIT 100",
}


def write_build(path: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{path}' AS build")
        connection.execute(TABLES)
        create_records(connection, SCHEMA)
        states, columns = [], []
        for number, attribute in enumerate(SCHEMA.attributes):
            share = f"hash(i * 7 + {number}) % 1000"
            states.append(
                f"CASE WHEN {share} < 5 THEN 'failed' WHEN {share} < 50 THEN 'not_mentioned'"
                " ELSE 'stated' END"
            )
            value = VALUES[attribute.type].format(n=number * N_RECORDS)
            columns.append(f"CASE WHEN {share} >= 50 THEN {value} END")
        source = f"FROM range({N_RECORDS}) r(i)"
        connection.execute(
            f"INSERT INTO build.main.boats SELECT 'boat-' || i, {', '.join(columns)} {source}"
        )
        for attribute, state in zip(SCHEMA.attributes, states, strict=True):
            connection.execute(
                "INSERT INTO build.main.cells (document_id, table_name, attribute, state)"
                f" SELECT 'boat-' || i, 'boats', '{attribute.name}', {state} {source}"
            )
        connection.execute(
            "INSERT INTO build.main.srag_failures SELECT boats.*, failed FROM build.main.boats JOIN"
            " (SELECT document_id, list(attribute) AS failed FROM build.main.cells"
            " WHERE state = 'failed' GROUP BY 1) USING (document_id)"
        )
        connection.execute(  # the documents of a build in writing; none is unreadable here
            f"CREATE TEMP TABLE listing AS SELECT 'boat-' || i AS document_id,"
            f" NULL::VARCHAR AS failure {source}"
        )
        write_statistics(connection, SCHEMA)
        info = BuildInfo(
            "1", FORMAT_VERSION, "Boat", "boats", N_RECORDS, 0, 7, "2026-01-01", "offline", "1"
        )
        connection.execute(
            "INSERT INTO build.main.srag_schema VALUES (?)", [SCHEMA.model_dump_json()]
        )
        connection.executemany("INSERT INTO build.main.srag_build VALUES (?, ?)", info_rows(info))
        connection.execute("DETACH build")


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("million") / "boats.duckdb"
    write_build(path)
    return path


@pytest.fixture(scope="module")
def corpora(build: Path) -> Iterator[Corpora]:
    corpora = Corpora([build], Settings())
    yield corpora
    corpora.close()


def median_ms(*runs: Callable[[], object]) -> list[float]:
    """Take the median time of each, in turns: what else the machine does is in all of them."""
    times: list[list[float]] = [[] for _ in runs]
    for _ in range(N_RUNS):
        for run, taken in zip(runs, times, strict=True):
            started = time.perf_counter()
            run()
            taken.append((time.perf_counter() - started) * 1000)
    return [statistics.median(taken) for taken in times]


@pytest.mark.parametrize("name", QUERIES)
def test_run_sql_adds_at_most_25_ms(name: str, build: Path, corpora: Corpora) -> None:
    sql, room = QUERIES[name], corpora.settings.max_result_characters

    def run_sql() -> ResultTable:
        return result_table(corpora.readable(""), sql, 100, 0, room)

    said = run_sql().coverage
    with duckdb.connect(str(build), read_only=True, config={"threads": 2}) as connection:
        own, whole = median_ms(
            lambda: connection.cursor().execute(sql).fetchall(),
            run_sql,
        )

    print(f"{name:8} DuckDB {own:6.1f} ms, run_sql {whole:6.1f} ms, +{whole - own:.1f} ms {said}")
    assert whole - own <= 25
