"""What joins repeat: what is not noted is taken once, and so is all of what is written anew."""

import duckdb
import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from srag_mcp.sqlfacts.joins import Joins, Keyed, read_joins
from srag_mcp.sqlfacts.trees import parse_query

CHILD = frozenset({"document_id", "position"})
TABLES = {
    "orders": Keyed(
        frozenset({"document_id", "total", "country", "placed"}), frozenset({"document_id"})
    ),
    "items": Keyed(CHILD | {"name", "quantity"}, CHILD),
    "tags": Keyed(CHILD | {"tag", "weight"}, CHILD),
}
LISTS = {"items", "tags"}
BASE = 1000  # a sum has a digit for each row: how many times it was taken


def told(sql: str) -> Joins:
    return read_joins(parse_query(sql), TABLES, LISTS)


def counted(sql: str) -> Joins:
    return read_joins(parse_query(sql), TABLES, LISTS, of_rows=True)


def names(sql: str) -> list[str]:
    return [*told(sql).repeated]


JOINED = "orders o JOIN items i USING (document_id)"
OF_ORDER = "(SELECT total FROM orders o WHERE o.document_id = i.document_id)"


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT sum(o.total) FROM {JOINED}",
        f"SELECT avg(total) FROM (SELECT o.total, i.name FROM {JOINED}) WHERE name = 'a'",
        f"SELECT country, median(o.total) FROM {JOINED} GROUP BY 1",
        f"SELECT sum(CASE WHEN i.name = 'a' THEN o.total END) FROM {JOINED}",
        f"SELECT sum(o.total * (i.quantity > 1)::INT) FROM {JOINED}",
        f"SELECT sum(o.total + i.quantity) FROM {JOINED}",
        f"SELECT count(o.country) FROM {JOINED}",
        f"SELECT count_if(o.total > 3) FROM {JOINED}",
        f"SELECT fsum(o.total) FROM {JOINED}",
        f"SELECT sum(o.total) FROM {JOINED} WHERE i.position = 1",
        f"SELECT sum(v) FROM (SELECT o.total + i.quantity AS v FROM {JOINED})",
        "SELECT count(v) FROM (SELECT DISTINCT o.document_id,"
        f" CASE WHEN i.quantity > 1 THEN o.total END AS v FROM {JOINED})",
        f"SELECT sum(t) FROM (SELECT arg_max(o.total, i.quantity) AS t FROM {JOINED}"
        " GROUP BY i.name)",
        "SELECT sum(o.total) FROM orders o, items i WHERE o.document_id = i.document_id",
        "SELECT sum(i.quantity) FROM items i JOIN tags t USING (document_id)",
        "SELECT count(*) FROM items i JOIN tags t USING (document_id)",
        "SELECT sum(a.total) FROM orders a JOIN orders b USING (country)",
        "SELECT sum(v) FROM (SELECT DISTINCT c.document_id, b.total AS v FROM orders a"
        " CROSS JOIN orders b LEFT JOIN orders c ON b.document_id = c.document_id"
        " AND b.document_id = a.document_id)",
        f"SELECT sum(t) FROM (SELECT any_value(o.total) AS t FROM {JOINED}"
        " GROUP BY o.document_id, i.name)",
        "WITH q AS (SELECT document_id, sum(quantity) AS n FROM items GROUP BY 1)"
        " SELECT sum(q.n) FROM q JOIN tags USING (document_id)",
        f"SELECT avg({OF_ORDER}) FROM items i",
        f"SELECT sum(t) FROM (SELECT i.name, {OF_ORDER} AS t FROM items i)",
        "SELECT avg((SELECT sum(quantity) FROM items x WHERE x.document_id = i.document_id))"
        " FROM items i",
    ],
)
def test_an_aggregate_of_what_a_join_repeats_is_noted(sql: str) -> None:
    assert len(names(sql)) == 1


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT sum(i.quantity), count(*), count(i.name), max(o.total) FROM {JOINED}",
        f"SELECT sum(o.total * i.quantity), avg(i.quantity - o.total) FROM {JOINED}",
        f"SELECT count(DISTINCT o.document_id), sum(DISTINCT o.total) FROM {JOINED}",
        "SELECT sum(total) FROM orders WHERE document_id IN (SELECT document_id FROM items)",
        "SELECT sum(total) FROM orders o WHERE EXISTS (FROM items i WHERE"
        " i.document_id = o.document_id)",
        "SELECT sum(total) FROM orders SEMI JOIN items USING (document_id)",
        "SELECT sum(total) FROM orders JOIN (SELECT DISTINCT document_id FROM items)"
        " USING (document_id)",
        f"SELECT avg(total) FROM (SELECT DISTINCT o.document_id, o.total FROM {JOINED})",
        "WITH q AS (SELECT document_id, sum(quantity) AS n FROM items GROUP BY ALL)"
        " SELECT sum(o.total), sum(q.n) FROM orders o LEFT JOIN q USING (document_id)",
        "SELECT avg(b.total - a.total) FROM orders a JOIN orders b USING (country)",
        "SELECT sum(n) FROM (SELECT (SELECT sum(quantity) FROM items i WHERE"
        " i.document_id = o.document_id) AS n FROM orders o)",
        "SELECT sum(total) FROM orders",
        "SELECT sum((SELECT max(x.weight) FROM tags x WHERE x.document_id = i.document_id"
        " AND x.position = i.position)) FROM items i",
        "SELECT count(*) FROM items WHERE quantity > (SELECT avg(quantity) FROM items)",
        "SELECT sum(quantity) / (SELECT sum(total) FROM orders) FROM items",
    ],
)
def test_what_a_join_takes_once_is_not_noted(sql: str) -> None:
    assert not told(sql).repeated


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sum(o.total) FROM (orders o JOIN items i USING (document_id))",
        "SELECT (SELECT sum(o.total) FROM items) FROM orders o",
        "SELECT sum(o.total) FROM orders o, LATERAL (FROM items i WHERE"
        " i.document_id = o.document_id) x",
        "SELECT sum(total) FROM orders POSITIONAL JOIN items",
        "SELECT sum(total) FROM orders NATURAL JOIN items",
        "SELECT sum(total) FROM (SELECT total FROM orders UNION ALL SELECT total FROM orders) x",
        "SELECT sum(total) FROM orders JOIN other USING (document_id)",
        "WITH q(a, b) AS (SELECT document_id, total FROM orders) SELECT sum(b) FROM q JOIN items i"
        " ON i.document_id = q.a",
    ],
)
def test_what_is_not_understood_is_said(sql: str) -> None:
    assert told(sql).repeated
    assert not told(sql).once


def test_what_counts_joined_rows_beside_is_not_written_with_each_once() -> None:
    assert not told(f"SELECT sum(o.total) / count(*) FROM {JOINED}").once
    assert told(f"SELECT sum(o.total), count(*) FROM {JOINED}").once


def test_a_union_of_two_tables_of_records_has_each_row_once() -> None:
    tables = TABLES | {"letters": TABLES["orders"]}
    both = "WITH q AS (SELECT * FROM orders UNION ALL BY NAME SELECT * FROM letters)"

    def repeated(sql: str) -> tuple[str, ...]:
        return read_joins(parse_query(sql), tables, LISTS).repeated

    assert not repeated(f"{both} SELECT count(*), sum(total) FROM q")
    assert repeated(f"{both} SELECT sum(total) FROM (FROM q UNION ALL FROM q)")
    assert repeated("SELECT (SELECT sum(o.total) FROM letters) FROM orders o")


def test_an_aggregate_within_another_that_repeats_rows_is_not_written_anew() -> None:
    inner = "(SELECT sum(x.total) FROM orders x JOIN items y USING (document_id))"
    found = told(f"SELECT sum(o.total + {inner}) FROM {JOINED}")

    assert len(found.repeated) == 2
    assert not found.once


def test_a_query_within_an_aggregate_is_not_written_with_each_row_once() -> None:
    inner = (
        "SELECT sum(b.total) FROM orders a CROSS JOIN orders b WHERE a.document_id = t.document_id"
    )
    assert told(f"SELECT sum(({inner})) FROM orders t").repeated
    assert not told(f"SELECT sum(({inner})) FROM orders t").once


def test_the_query_is_written_with_each_row_once() -> None:
    outputs, having = "sum(o.total) FILTER (i.quantity > 1) AS t", "count(o.country) > 0"
    sql = f"SELECT {outputs} FROM {JOINED} HAVING {having}"

    assert told(sql).once == (
        'SELECT LIST_SUM(LIST_TRANSFORM(ARRAY_AGG(DISTINCT {\'k\': ROW("o"."document_id"),'
        " 'v': o.total}) FILTER(WHERE i.quantity > 1), LAMBDA x : x.v)) AS t"
        " FROM orders AS o JOIN items AS i USING (document_id)"
        " HAVING COALESCE(LIST_COUNT(LIST_TRANSFORM(ARRAY_AGG(DISTINCT"
        " {'k': ROW(\"o\".\"document_id\"), 'v': o.country}), LAMBDA x : x.v)), 0) > 0"
    )


# -- counts of joined rows ------------------------------------------------------------------------

PART = "CASE WHEN o.country = 'X' AND i.quantity > 1 THEN 1 ELSE 0 END"


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT count(*) FROM {JOINED}",
        f"SELECT count(1) FILTER (o.country = 'X') FROM {JOINED}",
        f"SELECT count(i.document_id) FROM {JOINED}",
        f"SELECT o.country, count(*), sum(o.total) FROM {JOINED} GROUP BY 1",
        f"SELECT o.country, i.name, count(*) FROM {JOINED} GROUP BY ALL",
        f"SELECT sum({PART}) FROM {JOINED}",
        f"SELECT avg({PART}) FROM {JOINED}",
        f"SELECT count(CASE WHEN o.country = 'X' AND i.quantity > 1 THEN 1 END) FROM {JOINED}",
        f"SELECT count_if(o.country = 'X' AND i.quantity > 1) FROM {JOINED}",
        f"SELECT count(*) OVER (PARTITION BY o.country) FROM {JOINED}",
        f"SELECT rank() OVER (ORDER BY o.total) FROM {JOINED}",
        f"WITH j AS (SELECT o.country, i.name FROM {JOINED}) SELECT country, count(*) FROM j"
        " GROUP BY 1",
        f"SELECT o.country FROM {JOINED} GROUP BY 1 ORDER BY count(*) DESC LIMIT 1",
    ],
)
def test_a_count_of_joined_rows_says_whose_rows_it_counts(sql: str) -> None:
    found = counted(sql)

    assert (len(found.repeated), found.of, found.tables) == (1, "items", ("orders",))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM items",
        f"SELECT count(i.name) FROM {JOINED} WHERE o.country = 'X'",
        f"SELECT i.name, count(*) FROM {JOINED} WHERE o.country = 'X' GROUP BY 1",
        f"SELECT count(*) OVER (PARTITION BY i.name) FROM {JOINED}",
        f"SELECT o.document_id, count(*) FROM {JOINED} GROUP BY 1",
        f"SELECT i.document_id, count(*) FROM {JOINED} GROUP BY ALL HAVING count(*) > 2",
        f"SELECT count(*) / count(DISTINCT i.document_id) FROM {JOINED}",
        f"SELECT o.country, sum(i.quantity) / count(*) FROM {JOINED} GROUP BY 1",
        f"SELECT sum(o.total) FROM {JOINED}",
        f"SELECT country FROM {JOINED} QUALIFY rank() OVER (ORDER BY o.total DESC) = 1",
        f"SELECT rank() OVER (PARTITION BY o.country ORDER BY i.quantity) FROM {JOINED}",
        f"SELECT row_number() OVER (ORDER BY o.total) FROM {JOINED}",
        f"SELECT count(*) FROM (SELECT DISTINCT o.document_id FROM {JOINED})",
        "SELECT count(*) FROM orders WHERE document_id IN (SELECT document_id FROM items)",
        "SELECT o.country, (SELECT count(*) FROM items i WHERE i.document_id = o.document_id)"
        " FROM orders o",
        "SELECT count(*) FROM orders a JOIN orders b USING (country)",
    ],
)
def test_a_count_that_can_only_be_of_the_rows_counted_is_not_noted(sql: str) -> None:
    assert counted(sql) == Joins(is_joined=counted(sql).is_joined)


@pytest.mark.parametrize(
    ("counting", "once"),
    [
        ("count(*)", 3),
        ("count(1) FILTER (i.quantity > 1)", 2),
        ("count(o.country)", 2),
        ("count(i.document_id)", 3),
        ("count_if(o.country = 'X' AND i.quantity > 1)", 2),
        (f"count({PART})", 3),
        ("count(CASE WHEN o.total > 1 AND i.quantity > 1 THEN i.name END)", None),
        ("count(CASE WHEN o.total > 1 AND i.quantity > 1 THEN 'key' END)", 1),
        (f"sum({PART})", 2),
        (f"avg({PART})", None),
        ("avg(CASE WHEN o.country = 'X' THEN 1 ELSE 0 END)", 2 / 3),
        ("max(n) FROM (SELECT count(*) OVER (PARTITION BY o.country) AS n", 2),
        ("max(n) FROM (SELECT sum(o.total) OVER (PARTITION BY o.country) AS n", 4),
    ],
)
def test_a_count_is_written_with_each_record_once(
    connection: duckdb.DuckDBPyConnection, counting: str, once: float | None
) -> None:
    connection.execute(
        "DELETE FROM orders; DELETE FROM items; INSERT INTO orders VALUES ('a', 1, 'X', 0),"
        " ('b', 2, 'X', 0), ('c', 4, NULL, 0); INSERT INTO items VALUES ('a', 1, 'n', 2),"
        " ('a', 2, 'n', 3), ('b', 1, 'n', 2), ('b', 2, 'm', 1), ('c', 1, 'm', 1), ('c', 2, 'm', 0)"
    )
    sql = f"SELECT {counting} FROM {JOINED}{')' * counting.startswith('max')}"
    found = [x.once for x in (told(sql), counted(sql)) if x.repeated]

    if once is None:
        assert not any(found)
    else:
        assert [connection.execute(x).fetchone() for x in found] == [(once,)]


# -- any join, on any rows ----------------------------------------------------------------------

SOURCES = {
    "orders": "total",
    "items": "quantity",
    "tags": "weight",
    "(SELECT DISTINCT document_id FROM items)": "",
    "(SELECT document_id, name, sum(quantity) AS quantity FROM items GROUP BY 1, 2)": "",
    "(SELECT o.*, i.name, i.position FROM orders o JOIN items i USING (document_id))": "total",
    "(SELECT DISTINCT document_id, total, country FROM orders JOIN tags USING (document_id))":
    "total",
    "(SELECT document_id, position, any_value(weight) AS weight FROM tags GROUP BY 1, 2)": "weight",
    "(SELECT * FROM items WHERE position = 1)": "quantity",
    "(SELECT * FROM tags QUALIFY row_number() OVER (PARTITION BY document_id) = 1)": "weight",
}  # fmt: skip
JOINS = (
    "{k} JOIN {b} USING (document_id)",
    "{k} JOIN {b} ON a.document_id = {n}.document_id",
    "{k} JOIN {b} ON {l}.document_id = {n}.document_id AND {n}.document_id <> 'b'",
    "LEFT JOIN {b} ON {l}.document_id = {n}.document_id AND {l}.document_id = a.document_id",
    "{k} JOIN {b} ON {l}.document_id = {n}.document_id AND a.document_id = 'a'",
    "CROSS JOIN {b}",
    ", {b}",
    "SEMI JOIN {b} ON a.document_id = {n}.document_id",
    "ANTI JOIN {b} ON a.document_id = {n}.document_id",
)
WHERES = (
    "", "", " WHERE a.document_id = b.document_id", " WHERE {l}.position = 1",
    " WHERE EXISTS (FROM items x WHERE x.document_id = a.document_id)",
    " WHERE a.document_id IN (SELECT document_id FROM tags)",
    " WHERE a.document_id = b.document_id AND b.position = a.position",
)  # fmt: skip
AROUND = (
    "SELECT {f}({x}) FROM {from}",
    "SELECT {f}({x}) FROM {from}",
    "SELECT {g}, {f}({x}) FROM {from} GROUP BY 1",
    "SELECT {f}(v) FROM (SELECT {x} AS v FROM {from})",
    "WITH c AS (SELECT {x} AS v, {g} AS g FROM {from}) SELECT {f}(v) FROM c",
    "SELECT {f}(v) FROM (SELECT DISTINCT {g}, {x} AS v FROM {from})",
    "SELECT {f}(v) FROM (SELECT {g} AS g, {x} AS v, count(*) FROM {from} GROUP BY ALL)",
    "SELECT {f}(v) FROM (SELECT {g} AS g, max({x}) AS v FROM {from} GROUP BY ALL)",
    "SELECT {f}(v) FROM (SELECT {x} AS v FROM {from}) JOIN tags t ON true",
    "SELECT g, {f}(v) FROM (SELECT {g} AS g, {x} AS v FROM {from}) JOIN orders t"
    " ON t.document_id = g GROUP BY ALL",
    "SELECT {f}((SELECT total FROM orders t WHERE t.document_id = {g})) FROM {from}",
    "SELECT {f}((SELECT sum({x}) FROM {from} WHERE a.document_id = t.document_id)) FROM orders t",
    "SELECT {f}((SELECT sum({x}) FROM {from} WHERE a.document_id = t.document_id)) FROM items t",
)  # fmt: skip


@st.composite
def queries(draw: st.DrawFn) -> str:
    """A sum over joins of any kind, with subqueries, groups and conditions."""
    letters = "abc"[: draw(st.integers(1, 3))]
    sources = {letter: draw(st.sampled_from(list(SOURCES))) for letter in letters}
    text, last = f"{sources['a']} a", "a"
    for letter in letters[1:]:
        kind = draw(st.sampled_from(["", "LEFT", "RIGHT", "FULL"]))
        joined = draw(st.sampled_from(JOINS))
        text += " " + joined.format(k=kind, b=f"{sources[letter]} {letter}", n=letter, l=last)
        last = last if "SEMI" in joined or "ANTI" in joined else letter
    measured = [f"{letter}.{SOURCES[item]}" for letter, item in sources.items() if SOURCES[item]]
    assume(measured)
    where = draw(st.sampled_from(WHERES)).format(l=last)
    group = draw(st.sampled_from(["a.document_id", "a.country", "a.name", f"{last}.document_id"]))
    around = draw(st.sampled_from(AROUND))
    parts = {"f": "sum", "x": draw(st.sampled_from(measured)), "g": group}
    return around.format(**parts, **{"from": text + where})


@st.composite
def rows(draw: st.DrawFn) -> list[tuple[str, list[tuple[object, ...]]]]:
    """Up to three orders, with up to three items and tags each; each amount is a digit."""
    ids = "abc"[: draw(st.integers(1, 3))]
    countries = [draw(st.sampled_from("XY")) for _ in ids]
    found: list[tuple[str, list[tuple[object, ...]]]] = [
        ("orders", [(x, BASE**n, countries[n], n) for n, x in enumerate(ids)])
    ]
    for table in ("items", "tags"):
        listed = [(x, at + 1) for x in ids for at in range(draw(st.integers(0, 3)))]
        texts = [draw(st.sampled_from("xy")) for _ in listed]
        amounts: list[tuple[object, ...]] = [
            (*pair, text, BASE**n) for n, (pair, text) in enumerate(zip(listed, texts, strict=True))
        ]
        found.append((table, amounts))
    return found


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    found = duckdb.connect()
    found.execute(
        "SET threads = 1;"
        "CREATE TABLE orders (document_id VARCHAR, total HUGEINT, country VARCHAR, placed INT);"
        "CREATE TABLE items (document_id VARCHAR, position INT, name VARCHAR, quantity HUGEINT);"
        "CREATE TABLE tags (document_id VARCHAR, position INT, tag VARCHAR, weight HUGEINT)"
    )
    return found


def digits(value: object) -> list[int]:
    number, found = int(str(value or 0)), []
    while number:
        number, digit = divmod(number, BASE)
        found.append(digit)
    return found


@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
@given(sql=queries(), data=rows())
def test_what_is_not_noted_is_never_multiplied(
    connection: duckdb.DuckDBPyConnection,
    sql: str,
    data: list[tuple[str, list[tuple[object, ...]]]],
) -> None:
    for table, values in data:
        connection.execute(f"DELETE FROM {table}")
        if values:
            connection.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?)", values)
    try:
        result = connection.execute(sql).fetchall()
    except duckdb.Error:
        assume(False)
    found = told(sql)
    most = max((digit for row in result for digit in digits(row[-1])), default=0)
    event("noted" if found.repeated else "not noted")
    if not found.repeated:
        assert most <= 1
    if found.once:
        once = connection.execute(found.once).fetchall()
        taken = sorted(str([bool(x) for x in digits(row[-1])]) for row in result)
        assert sorted(str([bool(x) for x in digits(row[-1])]) for row in once) == taken
        assert all(digit <= 1 for row in once for digit in digits(row[-1]))
