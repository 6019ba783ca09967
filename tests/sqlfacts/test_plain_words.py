import pytest

from srag_mcp.sqlfacts.plain_words import say_query
from srag_mcp.sqlfacts.trees import parse_query


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT count(*) FROM h", "number of records"),
        (
            "SELECT avg(price) FROM h WHERE price IS NOT NULL AND stars > 3",
            "average of price where stars is above 3",
        ),
        (
            "SELECT count(*) FROM h WHERE NOT coalesce(pool, FALSE) AND NOT open",
            "number of records where pool does not hold (unknown counts as not) and open does not"
            " hold",
        ),
        (
            "SELECT count(DISTINCT city) FROM h WHERE opened < DATE '2022-04-01'"
            " OR city IN ('A', 'B')",
            "number of different city where (opened is before 2022-04-01 or city is 'A' or 'B')",
        ),
        (
            "SELECT round(100.0 * count(*) FILTER (pool) / nullif(count(stars), 0), 1) FROM h"
            " WHERE city ILIKE 'R%'",
            "100 × (number of records where city begins with 'R' and pool holds) divided by (number"
            " of records that state stars where city begins with 'R')",
        ),
        (
            "SELECT (SELECT max(price) FROM h) - (SELECT min(price) FROM h) AS difference",
            "difference between (highest price) and (lowest price)",
        ),
        (
            "SELECT (SELECT avg(price) FROM h WHERE pool) > 12500 AS is_so",
            "whether the average of price where pool holds is above 12,500",
        ),
        ("SELECT count(*) > 0 FROM h WHERE pool", "whether there is a record where pool holds"),
        ("SELECT bool_and(stars > 3) FROM h", "whether in every record stars is above 3"),
        (
            "SELECT name FROM h WHERE pool AND price = (SELECT max(price) FROM h WHERE pool)"
            " AND name IS NOT NULL ORDER BY document_id",
            "name where pool holds and price is the highest among records where pool holds",
        ),
        (
            "SELECT name, city FROM h ORDER BY price DESC, name LIMIT 3",
            "the first 3 name and city, by falling price, then by rising name",
        ),
        (
            "SELECT strftime(opened, '%Y-%m') AS month, count(*) FROM h GROUP BY month",
            "number of records, for each month of opened",
        ),
        (
            "SELECT city FROM h WHERE city IS NOT NULL GROUP BY city"
            " QUALIFY rank() OVER (ORDER BY avg(price)) = 1",
            "city with the lowest average of price",
        ),
        (
            "SELECT city, count(*) FROM h GROUP BY 1 ORDER BY 2 DESC LIMIT 3",
            "the first 3 city by highest number of records",
        ),
        (
            "SELECT city FROM h GROUP BY city HAVING count(*) > 2 AND avg(price) < 90",
            "each city whose number of records is above 2 and whose average of price is below 90",
        ),
        (
            "SELECT count(*) FROM (SELECT city FROM h GROUP BY city HAVING count(*) > 2) AS found",
            "number of values of city whose number of records is above 2",
        ),
        (
            "SELECT date_diff('day', min(opened), max(opened)) FROM h",
            "days from (lowest opened) to (highest opened)",
        ),
    ],
)
def test_a_query_is_said_in_plain_words(sql: str, words: str) -> None:
    assert say_query(parse_query(sql)) == words


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT greatest(price, 3) FROM h",
        "SELECT avg(price) FROM h JOIN documents USING (document_id)",
        "SELECT avg(price) FROM h USING SAMPLE 3",
        "SELECT count(*) FROM h WHERE CASE WHEN pool THEN TRUE ELSE FALSE END",
        "SELECT city, count(*) FROM h GROUP BY city, pool",
        "SELECT city FROM h GROUP BY ROLLUP (city)",
        "SELECT name FROM h QUALIFY row_number() OVER (PARTITION BY city ORDER BY price) = 1",
        "SELECT name FROM h ORDER BY price LIMIT 5 OFFSET 2",
        "SELECT regexp_extract(opened, '[0-9]+') FROM h",
        "SELECT count(*) FROM h WHERE document_id IN (SELECT document_id FROM cells)",
        "SELECT FROM WHERE",
    ],
)
def test_what_has_no_plain_words_is_not_said_in_part(sql: str) -> None:
    assert say_query(parse_query(sql)) is None


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        (
            "SELECT count(*) FROM h WHERE price BETWEEN 3 AND 5",
            "number of records where price is between 3 and 5",
        ),
        (
            "SELECT count(*) FROM h WHERE NOT (price > 5 OR pool)",
            "number of records where not (price is above 5 or pool holds)",
        ),
        (
            "SELECT sum(price) FROM h WHERE city <> 'Rome'",
            "sum of price where city is not 'Rome'",
        ),
        (
            "SELECT median(price) FROM h",
            "median of price",
        ),
        (
            "SELECT city FROM h WHERE pool IS NULL",
            "city where pool is not stated",
        ),
        (
            "SELECT DISTINCT city FROM h ORDER BY city DESC",
            "different city, by falling city",
        ),
        (
            "SELECT city, avg(price) FROM h GROUP BY city HAVING count(*) > 3",
            "each city whose number of records is above 3, with the average of price",
        ),
        (
            "SELECT min(opened) FROM h WHERE month(opened) = 5",
            "lowest opened where month of opened is 5",
        ),
        (
            "SELECT count(*) FROM h WHERE year(opened) = 2020",
            "number of records where year of opened is 2020",
        ),
        (
            "SELECT count(*) FROM h WHERE city NOT IN ('A', 'B') AND price >= 3",
            "number of records where city is not 'A' or 'B' and price is at least 3",
        ),
        (
            "SELECT count(*) FROM h WHERE city ILIKE '%an%'",
            "number of records where city contains 'an'",
        ),
        (
            "SELECT name FROM h WHERE price IS NOT NULL ORDER BY price LIMIT 1",
            "the first 1 name, by rising price",
        ),
    ],
)
def test_each_part_of_a_query_has_its_words(sql: str, words: str) -> None:
    assert say_query(parse_query(sql)) == words
