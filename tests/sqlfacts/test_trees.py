import pytest

from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.sqlfacts.query import read_query
from srag_mcp.sqlfacts.trees import (
    Gaps,
    is_definite,
    join_definite,
    make_definite,
    parse_query,
    rename_columns,
    where_of,
)


@pytest.mark.parametrize(
    ("condition", "definite"),
    [
        (
            "s.flag = 'Malta' AND (crew > 9 AND crane)",
            "(flag = 'Malta') AND (crew > 9) AND (crane)",
        ),
        ("coalesce(crane, false) OR crew > 9", "(crane OR crew > 9)"),
        ("crane IS NOT TRUE", "(NOT crane)"),
        ("flag IS DISTINCT FROM 'Malta'", "(flag <> 'Malta')"),
        ("flag IS NOT DISTINCT FROM 'Malta'", "(flag = 'Malta')"),
        ("crew IS NOT NULL AND crew > 9", "(crew > 9)"),
        ("crew IS NOT NULL", "(NOT crew IS NULL)"),
        ("crew IS NULL", "(crew IS NULL)"),
        ("crew IS NULL OR crew > 9", "(FALSE OR crew > 9)"),
        ("coalesce(crew, length) > 9", "(crew > 9)"),
        ("length IS NOT NULL", "true"),
    ],
)
def test_unknown_stays_unknown_unless_it_is_asked_for(condition: str, definite: str) -> None:
    root = parse_query(f"SELECT 1 FROM ships s WHERE {condition}")
    assert root is not None
    assert join_definite(list(map(make_definite, where_of(root))), ["length"]) == definite


@pytest.mark.parametrize(
    ("condition", "is_kept"),
    [
        ("NOT (crew + 1 BETWEEN 3 AND length OR lower(flag) LIKE 'm%')", True),
        ("year(built) IN (1950, 1960) AND strip_accents(flag) = 'Peru'", True),
        ("crew IS NOT NULL", True),
        ("CASE WHEN crane THEN crew > 9 ELSE FALSE END", False),
        ("if(crane, 1, 0) = 1", False),
        ("greatest(crew, length) > 9", False),
        ("concat(flag, port) = 'Malta'", False),
        ("list_contains([crew, length], 9)", False),
        ("crew > (SELECT avg(crew) FROM ships)", False),
        ("crew IS NULL OR crane", False),
    ],
)
def test_what_makes_something_of_unknown_is_told_from_what_keeps_it(
    condition: str, *, is_kept: bool
) -> None:
    root = parse_query(f"SELECT 1 FROM ships s WHERE {condition}")
    assert root is not None
    assert all(is_definite(make_definite(part)) for part in where_of(root)) is is_kept


def test_no_condition_is_met_by_all() -> None:
    assert join_definite([]) == "true"


def test_what_cannot_be_parsed_is_none() -> None:
    assert parse_query("SELECT FROM WHERE") is None


HOTELS = Schema(
    title="Hotel",
    entity="hotels",
    attributes=(
        Attribute(name="price", type="number"),
        Attribute(name="stars", type="integer"),
        Attribute(name="pool", type="boolean"),
        Attribute(name="city", type="string"),
    ),
)


def admitting(sql: str, *gaps: str) -> dict[str, str]:
    found = read_query(sql, HOTELS).admitting(Gaps(frozenset(gaps)))
    return {name: admitted for name, (admitted, _) in found.items()}


@pytest.mark.parametrize(
    ("where", "of_price"),
    [
        ("stars > 3 AND city = 'Rome'", "((stars > 3) IS NOT FALSE) AND (city = 'Rome')"),
        ("NOT coalesce(pool, false)", "((NOT pool) IS NOT FALSE)"),
        ("city IS NOT NULL AND price IS NOT NULL", "(NOT city IS NULL)"),
        ("stars IS NOT NULL AND stars > 3", "((stars > 3) IS NOT FALSE)"),
        ("pool OR stars > 3", "((pool IS NOT FALSE) OR ((stars > 3) IS NOT FALSE))"),
        ("CASE WHEN pool THEN TRUE ELSE FALSE END", ""),
        ("pool OR CASE WHEN stars > 3 THEN TRUE ELSE FALSE END", ""),
        ("city IN (SELECT city FROM hotels)", "(city IN (SELECT city FROM hotels))"),
    ],
)
def test_what_is_not_known_to_miss_a_condition_is_admitted(where: str, of_price: str) -> None:
    found = admitting(f"SELECT avg(price) FROM hotels WHERE {where}", "price", "stars", "pool")
    assert found["price"].replace("(pool)", "pool") == of_price


def test_what_meets_the_conditions_is_told_as_they_are_written() -> None:
    sql = "SELECT avg(price) FROM hotels WHERE NOT coalesce(pool, false) AND stars > 3"
    _, met = read_query(sql, HOTELS).admitting(Gaps(frozenset({"pool"})))["price"]
    assert met == "(NOT COALESCE(pool, FALSE)) AND (stars > 3)"


def test_a_column_is_counted_over_what_the_other_conditions_leave() -> None:
    sql = "SELECT avg(price) FROM hotels WHERE stars > 3 AND pool GROUP BY city"
    assert admitting(sql) == {
        "price": "(stars > 3) AND (pool)",
        "stars": "(pool)",
        "pool": "(stars > 3)",
        "city": "(stars > 3) AND (pool)",
    }


def test_a_column_of_a_share_is_counted_over_the_whole_of_the_share() -> None:
    sql = (
        "SELECT 100.0 * (SELECT count(*) FROM hotels WHERE stars > 3 AND pool)"
        " / (SELECT count(*) FROM hotels WHERE stars > 3)"
    )
    assert admitting(sql) == {"stars": "", "pool": "(stars > 3)"}


def test_what_groups_and_states_a_column_admits_those_that_do_not_state_it() -> None:
    sql = "SELECT city, count(*) FROM hotels WHERE pool AND city IS NOT NULL GROUP BY city"
    assert admitting(sql, "pool", "city") == {"city": "((pool) IS NOT FALSE)", "pool": ""}


def test_a_statement_that_is_none_uses_no_column() -> None:
    assert admitting("SELECT FROM WHERE", "city") == {}


NEW = {"orders_items": {"quantity": "pieces"}, "orders": {"total": "amount"}}


@pytest.mark.parametrize(
    ("sql", "now"),
    [
        (
            "SELECT o.quantity, i.quantity FROM orders AS o, orders_items AS i",
            "SELECT o.quantity, i.pieces FROM orders AS o, orders_items AS i",
        ),
        (
            "WITH q AS (SELECT quantity FROM orders_items) SELECT SUM(quantity) FROM q",
            "WITH q AS (SELECT pieces FROM orders_items) SELECT SUM(pieces) FROM q",
        ),
        (
            "SELECT total FROM orders WHERE EXISTS(SELECT 1 FROM orders_items WHERE quantity > 2)",
            "SELECT amount FROM orders WHERE EXISTS(SELECT 1 FROM orders_items WHERE pieces > 2)",
        ),
        # as they are
        ("SELECT quantity FROM orders", ""),
        ("SELECT quantity AS quantity FROM orders_items", ""),
        ("SELECT n FROM (SELECT quantity + 1 AS n FROM orders)", ""),
        (
            "WITH RECURSIVE r AS (SELECT 1 AS total UNION ALL SELECT total FROM"
            " (SELECT total FROM r)) SELECT total FROM r",
            "",
        ),
    ],
)
def test_columns_get_the_names_of_now_in_their_own_tables(sql: str, now: str) -> None:
    assert rename_columns(sql, NEW) == (now or sql)


def test_stars_of_stars_are_written_out_as_far_as_a_result_has_room() -> None:
    schema = Schema(
        entity="ships", title="Ships", attributes=(Attribute(name="crew", type="integer"),)
    )
    sql = "SELECT crew FROM ships"
    for _ in range(40):  # 2 ** 40 columns
        sql = f"SELECT *, * FROM ({sql})"
    assert read_query(sql, schema).has_unnamed
    assert not read_query("SELECT *, * FROM (SELECT * FROM ships)", schema).has_unnamed
