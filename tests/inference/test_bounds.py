"""Bounds and the closed world."""

from functools import cache
from itertools import product

import duckdb
import pytest

from srag_mcp.inference.answer import Bounds, render_bounds
from srag_mcp.inference.grounds import Grounds, find_grounds
from srag_mcp.sqlfacts.query import read_query
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.database import insert_rows
from tests.inference.conftest import TOWERS

# Whatever could stand in the cells that are unknown; of heights, the ends and the middle.
CLOSED = "lift: not mentioned counts as"
POSSIBLE = {"town": ("Olm", "Rann", "Sund"), "height": (10, 24, 50), "crane": (True, False)}


def test_a_count_is_bounded_by_what_is_not_known(towers: Corpus) -> None:
    assert find_bounds(towers, "SELECT count(*) FROM towers WHERE height > 20") == Bounds(2, 3)
    assert find_bounds(towers, "SELECT count(*) FROM towers WHERE lift") is None


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(1) FROM towers WHERE height > 20",
        "SELECT count(document_id) FROM towers WHERE height > 20",
        "SELECT count(*) FILTER (WHERE t.height > 20) FROM towers AS t",
        "SELECT count(*) FILTER (WHERE height > 20)::INTEGER FROM towers WHERE NOT lift OR lift",
    ],
)
def test_records_are_counted_in_many_ways(towers: Corpus, sql: str) -> None:
    assert find_bounds(towers, sql) == Bounds(2, 3)


def test_a_rounded_result_has_the_bounds_of_the_exact_one(towers: Corpus) -> None:
    exact = find_bounds(towers, "SELECT avg(height) FROM towers WHERE town = 'Rann'")
    assert exact is not None
    assert (
        find_bounds(towers, "SELECT round(avg(height), 1) FROM towers WHERE town = 'Rann'") == exact
    )
    kept = "SELECT CAST(avg(height) FILTER (WHERE town = 'Rann') AS INTEGER) FROM towers"
    assert find_bounds(towers, kept) == exact
    other = "SELECT avg(height) FILTER (WHERE town IN (SELECT town FROM towers)) FROM towers"
    assert find_bounds(towers, other) is None


@pytest.mark.parametrize("function", ["sum", "avg"])
@pytest.mark.parametrize("condition", ["", " WHERE town = 'Rann'", " WHERE town <> 'Olm'"])
def test_a_sum_and_an_average_hold_whatever_the_unknown_values_are(
    towers: Corpus, function: str, condition: str
) -> None:
    found = find_bounds(towers, f"SELECT {function}(height) FROM towers{condition}")
    assert found is not None
    least = 0 if function == "sum" else 10  # of a sum, who does not say it may have none
    assert (found.within, found.or_none) == ((10, 50), least == 0)
    for height, town in product((least, 24, 50), ("Olm", "Rann")):
        filled = [{"town": town, "height": height} | tower for tower in TOWERS]
        chosen = [t for t in filled if not condition or t["town"] == "Rann"]
        heights = [int(str(t["height"])) for t in chosen]
        value = sum(heights) / (len(heights) if function == "avg" else 1)
        assert found.lower - 1e-9 <= value <= found.upper + 1e-9


def test_what_no_unknown_cell_can_change_has_no_bounds(towers: Corpus) -> None:
    sql = "SELECT avg(height) FROM towers WHERE town = 'Olm'"  # 10, 30, and perhaps 20
    assert (towers.select(sql).rows, find_bounds(towers, sql)) == (((20.0,),), None)


def test_the_ends_of_an_average_are_reached(towers: Corpus) -> None:
    assert find_bounds(towers, "SELECT avg(height) FROM towers") == Bounds(24, 32, (10, 50))
    assert find_bounds(towers, "SELECT sum(height) FROM towers") == Bounds(
        110, 160, (10, 50), or_none=True
    )


def possible_results(sql: str) -> list[list[tuple[object, ...]]]:
    """Run *sql* over each table that the towers may be, once all cells are known."""
    connection, worlds = possible_worlds()
    results = []
    for world in worlds:
        connection.execute(f"USE {world}")
        results.append(connection.execute(sql).fetchall())
    return results


@cache
def possible_worlds() -> tuple[duckdb.DuckDBPyConnection, list[str]]:
    """Return a connection with a schema for each table that the towers may be."""
    gaps = [(n, name) for n, tower in enumerate(TOWERS) for name in POSSIBLE if name not in tower]
    connection = duckdb.connect()
    worlds: list[str] = []
    for values in product(*(POSSIBLE[name] for _, name in gaps)):
        filled = [{"lift": False} | tower for tower in TOWERS]
        for (number, name), value in zip(gaps, values, strict=True):
            filled[number][name] = value
        rows = [
            [number, *(tower[name] for name in ("town", "height", "lift", "crane"))]
            for number, tower in enumerate(filled)
        ]
        worlds.append(f"world_{len(worlds)}")
        connection.execute(f"CREATE SCHEMA {worlds[-1]}")
        connection.execute(
            f"CREATE TABLE {worlds[-1]}.towers"
            " (document_id INT, town VARCHAR, height INT, lift BOOL, crane BOOL)"
        )
        insert_rows(connection, f"{worlds[-1]}.towers", rows)
    return connection, worlds


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM towers WHERE height > 20 AND crane",
        "SELECT count(*) FROM towers WHERE height IS NOT NULL AND height > 20",
        "SELECT count(*) FROM towers WHERE NOT coalesce(crane, false)",
        "SELECT count(*) FROM towers WHERE crane IS NOT TRUE AND town = 'Olm'",
        "SELECT count(DISTINCT town) FROM towers",
        "SELECT 100.0 * count(*) FILTER (crane) / count(crane) FROM towers",
        "SELECT 1.0 * count(*) FILTER (crane) / count(crane) FROM towers WHERE town = 'Olm'",
        "SELECT 100.0 * count(*) FILTER (height > 20) / count(height) FROM towers WHERE crane",
        "SELECT count(*) FILTER (NOT crane)::DOUBLE / nullif(count(*), 0) FROM towers",
        "SELECT 100.0 * count_if(crane) / count(*) FROM towers WHERE crane IS NOT NULL",
        "SELECT 100 * avg(crane::INT) FROM towers WHERE town <> 'Olm'",
        "SELECT avg(CASE WHEN height > 20 THEN 1.0 ELSE 0 END) FROM towers",
        "SELECT round(100.0 * (SELECT count(*) FROM towers WHERE town = 'Olm' AND crane)"
        " / nullif((SELECT count(*) FROM towers WHERE town = 'Olm'), 0), 6)",
        "WITH a AS (SELECT count(*) AS n FROM towers WHERE crane),"
        " b AS (SELECT count(*) AS n FROM towers) SELECT 100.0 * a.n / b.n FROM a, b",
        "WITH t AS (SELECT * FROM towers WHERE town = 'Rann') SELECT avg(height) FROM t",
        "SELECT avg(height) FROM towers WHERE height IS NOT NULL",
        "SELECT round(avg(height) / 2 + 1, 6) FROM towers WHERE town = 'Rann'",
        "SELECT median(height) FROM towers",
        "SELECT median(height) FROM towers WHERE crane",
        "SELECT quantile_cont(height, 0.25) FROM towers WHERE town <> 'Olm'",
        "SELECT count(*) FILTER (town = 'Olm') + count(DISTINCT lift) FROM towers",
    ],
)
def test_the_bounds_are_the_ends_of_what_can_be(towers: Corpus, sql: str) -> None:
    found = find_bounds(towers, sql)
    assert found is not None
    values = [float(str(rows[0][0])) for rows in possible_results(sql) if rows[0][0] is not None]
    assert [min(values), max(values)] == pytest.approx([found.lower, found.upper])


@pytest.mark.parametrize(
    "sql",
    [
        "WITH t AS (SELECT height AS h FROM towers WHERE town <> 'Olm') SELECT sum(h) FROM t",
        "SELECT sum(height) FROM towers WHERE crane",
        "SELECT avg(height) FROM towers WHERE crane",
        "SELECT count(DISTINCT town) FROM towers WHERE crane",
        "SELECT count(*) FROM towers WHERE town = 'Olm' OR town <> 'Olm'",
        "SELECT 100.0 * count(*) FILTER (height > 20) / count(*) FROM towers WHERE height < 60",
        "SELECT count(*) - count(*) FILTER (crane) FROM towers WHERE town = 'Olm'",
        "SELECT avg(height) FILTER (lift) - avg(height) FILTER (NOT lift) FROM towers",
        "SELECT abs(sum(height) FILTER (town = 'Olm') - sum(height) FILTER (crane)) FROM towers",
    ],
)
def test_bounds_may_be_wider_than_what_can_be_but_never_narrower(towers: Corpus, sql: str) -> None:
    found = find_bounds(towers, sql)
    assert found is not None
    values = [float(str(rows[0][0])) for rows in possible_results(sql) if rows[0][0] is not None]
    assert found.lower <= min(values)
    assert found.upper >= max(values)


@pytest.mark.parametrize(
    ("sql", "n_more"),
    [
        ("SELECT town, count(*) FROM towers GROUP BY town ORDER BY 2 DESC LIMIT 2", 1),
        ("SELECT town, count(*) FROM towers WHERE town IS NOT NULL AND crane GROUP BY town", 3),
        ("SELECT crane, town, count(*) AS n FROM towers GROUP BY ALL", 3),
    ],
)
def test_a_group_may_gain_what_is_not_known_to_be_in_another(
    towers: Corpus, sql: str, n_more: int
) -> None:
    said = f"each count may be up to {n_more} higher: it is not known where that many documents"
    assert note(towers, sql) == (f"{said} belong",)
    present: dict[tuple[object, ...], int] = {
        row[:-1]: int(str(row[-1])) for row in towers.select(sql).rows
    }
    for rows in possible_results(sql.replace(" LIMIT 2", "")):
        for row in rows:
            if row[:-1] in present:
                assert int(str(row[-1])) <= present[row[:-1]] + n_more


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        (
            "SELECT count(*) > 0 FROM towers WHERE height > 60",
            ("it may be otherwise: 0 to 1 against 0",),
        ),
        ("SELECT count(*) >= 1 FROM towers WHERE height > 40", ()),
        (
            "SELECT EXISTS (SELECT 1 FROM towers WHERE crane AND town = 'Rann')",
            ("it may be otherwise: 0 to 2 against 0",),
        ),
        (
            "SELECT bool_and(crane) FROM towers WHERE town = 'Olm'",
            ("it may be otherwise: 0 to 1 against 0",),
        ),
        (
            "SELECT bool_and(crane) FROM towers",
            (),
        ),
        (
            "SELECT count(*) FILTER (crane) = count(*) FROM towers WHERE town = 'Olm'",
            ("it may be otherwise: 1 to 3 against 2 to 3",),
        ),
        (
            "SELECT count(*) = 0 FROM towers WHERE height > 60",
            ("it may be otherwise: 0 to 1 against 0",),
        ),
        (
            "SELECT max(height) FROM towers",
            ("it may be higher: that is not known of 1 document",),
        ),
        (
            "SELECT min(height) FROM towers WHERE town = 'Rann'",
            ("it may be lower: that is not known of 2 documents",),
        ),
        (
            "SELECT min(built) FROM towers",
            ("it may be earlier: that is not known of 4 documents",),
        ),
        (
            "SELECT stddev(height) FROM towers",
            ("bounds are not worked out for this kind of query",),
        ),
        (
            "SELECT town, avg(height) FROM towers GROUP BY town",
            ("bounds are not worked out for this kind of query",),
        ),
        (
            "SELECT town FROM towers WHERE height > 20",
            ("up to 1 more may belong to the list: that is not known of them",),
        ),
        (
            "SELECT town FROM towers WHERE NOT coalesce(crane, false) AND height > 10",
            (
                "up to 1 more may belong to the list, and up to 2 of the list may not belong to it:"
                " that is not known of them",
            ),
        ),
        (
            "SELECT town FROM towers WHERE height = (SELECT max(height) FROM towers)",
            ("another may come first: that is not known of 1 document",),
        ),
        (
            "SELECT town FROM towers WHERE town IS NOT NULL ORDER BY height LIMIT 2",
            (
                "another may come first: that is not known of 1 document; it leaves out 1 document"
                " as far ahead, for lack of what else it shows",
            ),
        ),
        (
            "SELECT town FROM towers WHERE town IS NOT NULL AND height IS NOT NULL"
            " ORDER BY height DESC LIMIT 2",
            ("another may come first: that is not known of 1 document",),
        ),
        (
            "SELECT town FROM towers WHERE town IS NOT NULL GROUP BY town"
            " QUALIFY rank() OVER (ORDER BY count(*) DESC) = 1",
            ("it may be otherwise: that is not known of 1 document",),
        ),
        (
            "SELECT town FROM towers WHERE town IS NOT NULL AND NOT (town = 'Rann' AND height > 9)"
            " GROUP BY town QUALIFY rank() OVER (ORDER BY count(*) DESC) = 1",
            ("it may be otherwise: that is not known of 2 documents",),
        ),
        (
            "SELECT town FROM towers WHERE town = 'Olm' OR built = '1901-05-01'"
            " GROUP BY town ORDER BY count(*) DESC LIMIT 1",
            ("it may be otherwise: that is not known of 3 documents",),
        ),
        (
            "SELECT crane FROM towers WHERE town = 'Sund' GROUP BY 1 ORDER BY count(*) LIMIT 1",
            ("bounds are not worked out for this kind of query",),
        ),
        (
            "SELECT town FROM towers ORDER BY height * 2 LIMIT 1",
            ("bounds are not worked out for this kind of query",),
        ),
        (
            "SELECT town, count(*) FROM towers WHERE NOT coalesce(crane, false) GROUP BY town",
            ("each count may be up to 2 lower: it is not known where that many documents belong",),
        ),
        (
            "SELECT count(*) FILTER (crane) > count(*) FILTER (NOT crane) FROM towers",
            ("it may be otherwise: 2 to 4 against 1 to 3",),
        ),
        (
            "SELECT count(*) >= 3 FROM towers WHERE crane",
            ("it may be otherwise: 2 to 4 against 3",),
        ),
        ("SELECT count(*) >= 5 FROM towers WHERE crane", ()),
        (
            "SELECT avg(height) > 60 FROM towers",
            ("this is so if those without a value lie between 10 and 50, as the others do",),
        ),
        (
            "SELECT avg(height) FILTER (town = 'Rann') < avg(height) FROM towers",
            ("it may be otherwise: 26.667 to 50 against 24 to 32",),
        ),
        (
            "SELECT min(height) FROM towers WHERE NOT coalesce(crane, false)",
            ("it may be otherwise: that is not known of 3 documents",),
        ),
        (
            "SELECT sum(height) FROM towers",
            ("the sum leaves out 1 document without a value",),
        ),
        (
            "SELECT count(*) FROM towers WHERE CASE WHEN crane THEN TRUE ELSE FALSE END",
            ("bounds are not worked out for this kind of query",),
        ),
        ("SELECT town, height FROM towers", ()),
        ("SELECT count(*) FROM towers WHERE height > 20", ()),
        ("SELECT count(height) FROM towers", ()),
        ("SELECT count(*) FROM towers WHERE lift", ()),
    ],
)
def test_what_has_no_bounds_says_what_may_change_or_that_it_has_none(
    towers: Corpus, sql: str, said: tuple[str, ...]
) -> None:
    assert find_bounds(towers, sql) is None or not said or "sum" in sql
    assert note(towers, sql) == said


def grounds_of(corpus: Corpus, sql: str) -> Grounds:
    return find_grounds(corpus, read_query(sql, corpus.schema()), corpus.select(sql))


def find_bounds(corpus: Corpus, sql: str) -> Bounds | None:
    return grounds_of(corpus, sql).bounds


def note(corpus: Corpus, sql: str) -> tuple[str, ...]:
    return tuple(said for said in grounds_of(corpus, sql).notes if not said.startswith(CLOSED))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT max(height) FROM towers",
        "SELECT town, avg(height) FROM towers GROUP BY town",
        "SELECT avg(height) / count(town) FROM towers",
        "SELECT avg(height) FROM towers WHERE height > 20 AND town = 'Olm' AND lift IS NULL",
    ],
)
def test_other_results_have_none(towers: Corpus, sql: str) -> None:
    assert find_bounds(towers, sql) is None


def test_bounds_are_said_with_their_condition() -> None:
    assert render_bounds(Bounds(2, 4)) == "Whatever they would say: 2 to 4."
    assert render_bounds(Bounds(24, 32.5, (10, 50))) == (
        "If those without a value lie between 10 and 50, as the others do: 24 to 32.5."
    )


def test_what_not_mentioning_counts_as_is_said(towers: Corpus) -> None:
    said = ("lift: not mentioned counts as no (3 of all 5 documents)",)
    assert grounds_of(towers, "SELECT count(*) FROM towers WHERE NOT lift").notes == said
    assert grounds_of(towers, "SELECT avg(height) FROM towers").notes == ()
