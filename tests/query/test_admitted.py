import pytest

from srag_mcp.query.admitted import admitting_conditions

COLUMNS = ["price", "stars", "pool", "city"]


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
    ],
)
def test_what_is_not_known_to_miss_a_condition_is_admitted(where: str, of_price: str) -> None:
    sql = f"SELECT avg(price) FROM hotels WHERE {where}"
    found = admitting_conditions(sql, "hotels", COLUMNS, ["price", "stars", "pool"])
    assert found["price"].replace("(pool)", "pool") == of_price


def test_what_groups_and_states_a_column_admits_those_that_do_not_state_it() -> None:
    sql = "SELECT city, count(*) FROM hotels WHERE pool AND city IS NOT NULL GROUP BY city"
    assert admitting_conditions(sql, "hotels", COLUMNS, ["pool", "city"]) == {
        "city": "((pool) IS NOT FALSE)",
        "pool": "",
    }


def test_a_condition_on_what_is_computed_excludes_nothing() -> None:
    sql = "SELECT price * 2 AS twice FROM hotels WHERE twice > 3 AND pool"
    assert admitting_conditions(sql, "hotels", COLUMNS, []) == {"price": "(pool)", "pool": ""}


def test_a_statement_that_is_none_uses_no_column() -> None:
    assert admitting_conditions("SELECT FROM WHERE", "hotels", COLUMNS, ["city"]) == {}
