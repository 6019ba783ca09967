"""What conditions say of records with unknown cells holds whatever stands in these cells."""

from collections.abc import Iterator
from itertools import product

import duckdb
import pytest

from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.sqlfacts.query import read_query
from srag_mcp.sqlfacts.trees import (
    Gaps,
    is_definite,
    join_definite,
    make_definite,
    merge_queries,
    parse_query,
    where_of,
    write,
)

Row = tuple[object, ...]
COLUMNS = {"crew": "INTEGER", "flag": "VARCHAR", "crane": "BOOLEAN"}
SHIPS = Schema(
    title="Ship",
    entity="ships",
    attributes=(
        Attribute(name="crew", type="integer"),
        Attribute(name="flag", type="string"),
        Attribute(name="crane", type="boolean"),
    ),
)
KNOWN: dict[str, tuple[object, ...]] = {
    "crew": (4, 9, 30),
    "flag": ("Malta", "Peru"),
    "crane": (True, False),
}
RECORDS = list(product(*((*values, None) for values in KNOWN.values())))
CONDITIONS = [
    "crew > 9",
    "NOT crane",
    "crane IS NOT TRUE",
    "crane IS FALSE",
    "coalesce(crane, false)",
    "NOT coalesce(crane, false) AND crew < 30",
    "flag = 'Malta' OR crew > 9",
    "NOT (flag = 'Malta' AND crane)",
    "flag IN ('Malta', 'Bonn') AND crew BETWEEN 4 AND 9",
    "flag IS DISTINCT FROM 'Peru'",
    "flag IS NOT DISTINCT FROM 'Peru' OR crane",
    "lower(flag) LIKE 'm%' AND crew + 1 <= 10",
    "crew = 4 OR crew IS NULL",
    "NOT crane OR crane IS NULL",
    "(crew > 4 AND (crane OR flag = 'Peru')) OR crew = 4",
]


@pytest.fixture(scope="module")
def ships() -> Iterator[duckdb.DuckDBPyConnection]:
    """Every record that there can be of three columns, with and without its cells."""
    with duckdb.connect() as connection:
        columns = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
        connection.execute(f"CREATE TABLE ships (document_id INTEGER, {columns})")
        rows = [(number, *record) for number, record in enumerate(RECORDS)]
        connection.executemany("INSERT INTO ships VALUES (?, ?, ?, ?)", rows)
        yield connection


def verdicts(ships: duckdb.DuckDBPyConnection, condition: str) -> dict[Row, object]:
    """Return what *condition* is of each record: true, false or None."""
    sql = f"SELECT {', '.join(COLUMNS)}, ({condition}) FROM ships"
    return {row[:-1]: row[-1] for row in ships.execute(sql).fetchall()}


def fillings(record: Row) -> Iterator[Row]:
    """Yield the records that *record* may be, once its cells are known."""
    cells = zip(record, KNOWN.values(), strict=True)
    yield from product(*(values if cell is None else (cell,) for cell, values in cells))


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_definite_condition_holds_whatever_the_unknown_cells_are(
    ships: duckdb.DuckDBPyConnection, condition: str
) -> None:
    root = parse_query(f"SELECT 1 FROM ships s WHERE {condition}")
    assert root is not None
    parts = list(map(make_definite, where_of(root)))
    assert is_definite(*parts)
    written, definite = verdicts(ships, condition), verdicts(ships, join_definite(parts))

    for record in RECORDS:
        possible = {written[filled] for filled in fillings(record)}
        if definite[record] is not None:
            assert possible == {definite[record]}


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_record_that_may_meet_a_condition_is_admitted(
    ships: duckdb.DuckDBPyConnection, condition: str
) -> None:
    sql = f"SELECT max(document_id) FROM ships WHERE {condition} GROUP BY crane, flag, crew"
    facts = read_query(f"SELECT count(*) FROM ships WHERE {condition}", SHIPS)
    assert read_query(sql, SHIPS).condition == facts.condition
    written = verdicts(ships, condition)

    for column, (admitting, met) in facts.admitting(Gaps(frozenset(COLUMNS))).items():
        admitted, meets = verdicts(ships, admitting or "true"), verdicts(ships, met or "true")
        for record in RECORDS:
            if any(written[filled] for filled in fillings(record)):
                assert admitted[record], column
            if written[record]:
                assert meets[record], column


@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_condition_of_a_query_takes_the_records_that_it_counts(
    ships: duckdb.DuckDBPyConnection, condition: str
) -> None:
    facts = read_query(f"SELECT count(*) FROM ships AS s WHERE {condition}", SHIPS)
    assert facts.condition is not None
    found = verdicts(ships, facts.condition)
    assert found == verdicts(ships, condition)
    counted = ships.execute(facts.sql).fetchall()
    assert counted == [(sum(bool(holds) for holds in found.values()),)]


@pytest.mark.parametrize(
    ("sql", "n_selects"),
    [
        ("SELECT count(*) FROM ships WHERE crane", 1),
        ("SELECT count(*) FROM (SELECT * FROM ships WHERE crane)", 1),
        ("WITH s AS (SELECT * FROM ships WHERE crew > 4) SELECT avg(crew) FROM s WHERE crane", 1),
        ("WITH s AS (SELECT crew AS c, flag FROM ships) SELECT flag, max(c) FROM s GROUP BY 1", 1),
        (
            "WITH a AS (SELECT * FROM ships WHERE crane), b AS (SELECT * FROM a WHERE crew = 9)"
            " SELECT count(flag) FROM b",
            1,
        ),
        ("WITH s AS (SELECT count(*) AS n FROM ships GROUP BY flag) SELECT max(n) FROM s", 2),
        ("WITH s AS (SELECT DISTINCT flag FROM ships) SELECT count(*) FROM s", 2),
        ("WITH s AS (SELECT crew FROM ships ORDER BY crew LIMIT 3) SELECT sum(crew) FROM s", 2),
    ],
)
def test_a_merged_query_has_the_result_of_the_one_that_was_written(
    ships: duckdb.DuckDBPyConnection, sql: str, n_selects: int
) -> None:
    root = parse_query(sql)
    assert root is not None
    merged = write(merge_queries(root, {"ships": ["document_id", *COLUMNS]}))

    assert merged.upper().count("SELECT") == n_selects
    assert set(ships.execute(merged).fetchall()) == set(ships.execute(sql).fetchall())
