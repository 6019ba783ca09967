import pytest

from srag_mcp.store.selection import (
    ALL_RECORDS,
    Selection,
    column_conditions,
    compared_texts,
    read_selection,
)

COLUMNS = ["price", "stars", "pool", "city"]


def test_a_count_keeps_its_condition_and_its_definite_form() -> None:
    sql = "SELECT count(*) AS n FROM hotels AS h WHERE h.pool IS DISTINCT FROM TRUE AND stars > 3"
    assert read_selection(sql, "hotels") == Selection(
        where="pool IS DISTINCT FROM TRUE AND stars > 3",
        counts_records=True,
        definite="pool <> TRUE AND stars > 3",
    )


def test_a_superlative_keeps_its_subquery_and_has_no_definite_form() -> None:
    sql = "SELECT city FROM hotels WHERE price = (SELECT max(price) FROM hotels)"
    found = read_selection(sql, "hotels")
    assert found.where == "price = (SELECT MAX(price) FROM hotels)"
    assert not found.definite
    assert not found.counts_records


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM hotels",
        "SELECT a.city FROM hotels a JOIN hotels b USING (city) WHERE a.price > 3",
        "SELECT 1 FROM hotels WHERE pool UNION ALL SELECT 2 FROM hotels WHERE stars > 3",
        "SELECT count(*) FROM cells WHERE state = 'failed'",
        "SELECT FROM WHERE",
        "",
    ],
)
def test_what_is_not_one_filtered_reading_of_the_table_selects_all_records(sql: str) -> None:
    assert read_selection(sql, "hotels") == ALL_RECORDS


def test_a_column_is_counted_over_what_the_other_conditions_leave() -> None:
    sql = "SELECT avg(price) FROM hotels WHERE stars > 3 AND pool GROUP BY city"
    assert column_conditions(sql, "hotels", COLUMNS) == {
        "price": "(stars > 3) AND (pool)",
        "stars": "(pool)",
        "pool": "(stars > 3)",
        "city": "(stars > 3) AND (pool)",
    }


def test_columns_of_other_tables_are_left_out() -> None:
    assert column_conditions("SELECT path FROM documents", "hotels", COLUMNS) == {}


def test_conditions_beside_a_subquery_lose_the_alias_of_the_table() -> None:
    sql = (
        "SELECT avg(h.price) FROM hotels h"
        " WHERE h.stars > 3 AND h.price > (SELECT avg(price) FROM hotels)"
    )
    assert column_conditions(sql, "hotels", COLUMNS) == {"price": "(stars > 3)", "stars": ""}


@pytest.mark.parametrize(
    ("where", "texts"),
    [
        ("h.city = 'Rome' OR CITY IN ('Bonn', 'Rome', lower('x'))", ["Rome", "Bonn"]),
        ("NOT city = 'Rome' AND stars = 4 AND name = 'A'", ["Rome"]),
        ("lower(city) = 'rome' AND city LIKE 'R%' AND city = country", []),
        ("city IN (SELECT 'Rome')", []),
        ("(", []),
    ],
)
def test_texts_that_a_column_is_compared_with_are_found(where: str, texts: list[str]) -> None:
    sql = f"SELECT count(*) FROM hotels h WHERE {where}"
    assert compared_texts(sql, COLUMNS) == [("city", text) for text in texts]
