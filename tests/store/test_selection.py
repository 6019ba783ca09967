import pytest

from srag_mcp.store.selection import column_conditions, compared_texts, read_condition

COLUMNS = ["price", "stars", "pool", "city"]


@pytest.mark.parametrize(
    ("sql", "condition"),
    [
        (
            "SELECT count(*) AS n FROM hotels AS h WHERE h.pool AND h.stars > 3",
            "(pool) AND (stars > 3)",
        ),
        (
            "SELECT h.city FROM hotels h WHERE h.price = (SELECT max(price) FROM hotels)",
            "(price = (SELECT MAX(price) FROM hotels))",
        ),
        (
            "SELECT city FROM hotels h WHERE pool AND price = (SELECT max(price) FROM hotels i"
            " WHERE i.city = h.city)",
            "(pool)",
        ),
        (
            "SELECT (SELECT avg(price) FROM hotels WHERE city = 'Rome')"
            " - (SELECT avg(price) FROM hotels WHERE city = 'Bonn')",
            "((city = 'Rome')) OR ((city = 'Bonn'))",
        ),
        (
            "SELECT avg(price) FILTER (pool) - avg(price) FILTER (NOT pool) FROM hotels"
            " WHERE stars > 3",
            "((stars > 3) AND (pool)) OR ((stars > 3) AND (NOT pool))",
        ),
        ("SELECT count(*) FILTER (pool) / count(pool) FROM hotels WHERE stars > 3", "(stars > 3)"),
        ("WITH h AS (FROM hotels WHERE pool) SELECT avg(price) FROM h", "(pool)"),
    ],
)
def test_the_records_that_a_statement_reads_are_told_by_a_condition(
    sql: str, condition: str
) -> None:
    assert read_condition(sql, "hotels") == condition


@pytest.mark.parametrize(
    ("sql", "condition"),
    [
        ("SELECT count(*) FROM hotels", ""),
        ("SELECT 1 FROM hotels WHERE pool UNION ALL SELECT 2 FROM hotels", ""),
        ("SELECT count(*) FILTER (pool) OVER (PARTITION BY city) FROM hotels", ""),
        ("SELECT a.city FROM hotels a JOIN hotels b USING (city) WHERE a.price > 3", None),
        ("SELECT a.city FROM hotels a, hotels b WHERE a.price > b.price", None),
        ("SELECT count(*) FROM cells WHERE state = 'failed'", None),
        ("SELECT FROM WHERE", None),
        ("", None),
    ],
)
def test_all_records_are_read_or_it_cannot_be_told(sql: str, condition: str | None) -> None:
    assert read_condition(sql, "hotels") == condition


def test_a_column_is_counted_over_what_the_other_conditions_leave() -> None:
    sql = "SELECT avg(price) FROM hotels WHERE stars > 3 AND pool GROUP BY city"
    assert column_conditions(sql, "hotels", COLUMNS) == {
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
    assert column_conditions(sql, "hotels", COLUMNS) == {"stars": "", "pool": "(stars > 3)"}


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
