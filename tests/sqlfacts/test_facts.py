"""All that is said of a query, by query: no fact contradicts another."""

from dataclasses import dataclass, field

import pytest

from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.sqlfacts.query import read_query

HOTELS = Schema(
    title="Hotel",
    entity="hotels",
    attributes=(
        Attribute(name="city", type="string"),
        Attribute(name="price", type="number", unit="EUR"),
        Attribute(name="stars", type="integer"),
        Attribute(name="pool", type="boolean"),
        Attribute(name="opened", type="date"),
    ),
)


@dataclass(frozen=True)
class Facts:
    """What is said of *sql*; *function* is that of its aggregate."""

    sql: str
    unit: str | None = None
    columns: list[tuple[str, str]] = field(default_factory=list)
    condition: str | None = ""
    selecting: str = ""
    uncounted: str = ""
    words: str | None = None
    function: str | None = None
    ungrounded: tuple[str, ...] = ()


QUERIES = [
    Facts(
        "SELECT count(*) FROM hotels",
        words="number of records",
        function="count",
    ),
    Facts(
        "SELECT count(*) FROM hotels WHERE pool",
        columns=[("pool", "filter")],
        condition="(pool)",
        words="number of records where pool holds",
        function="count",
    ),
    Facts(
        "SELECT round(avg(price), 2) FROM hotels WHERE stars > 3 AND price IS NOT NULL",
        unit="EUR",
        columns=[("price", "measure"), ("stars", "filter")],
        condition="(stars > 3) AND (NOT price IS NULL)",
        selecting="stars > 3",
        words="average of price where stars is above 3",
        function="amount",
    ),
    Facts(
        "SELECT city, count(*) AS n FROM hotels GROUP BY city ORDER BY n DESC",
        columns=[("city", "output"), ("city", "group")],
        words="number of records, for each city",
        function="groups",
    ),
    Facts(
        "SELECT city FROM hotels GROUP BY city ORDER BY count(*) DESC LIMIT 1",
        columns=[("city", "output"), ("city", "group")],
        words="city with the highest number of records",
        function="leads",
    ),
    Facts(
        "SELECT city, price FROM hotels WHERE price = (SELECT max(price) FROM hotels)",
        columns=[
            ("city", "output"),
            ("price", "output"),
            ("price", "filter"),
            ("price", "measure"),
        ],
        condition="(price = (SELECT MAX(price) FROM hotels))",
        words="city and price where price is the highest",
        function="first",
    ),
    Facts(
        "SELECT DISTINCT city FROM hotels WHERE pool ORDER BY city",
        columns=[("city", "output"), ("pool", "filter"), ("city", "order")],
        condition="(pool)",
        selecting="pool",
        words="different city where pool holds, by rising city",
        function="list",
    ),
    Facts(
        "SELECT 100.0 * count(*) FILTER (pool) / count(pool) FROM hotels",
        unit="percent",
        columns=[("pool", "measure"), ("pool", "filter")],
        words="100 × (number of records where pool holds) divided by"
        " (number of records that state pool)",
        function="share",
    ),
    Facts(
        "SELECT avg(price) FILTER (pool) - avg(price) FILTER (NOT pool) FROM hotels",
        unit="EUR",
        columns=[("price", "measure"), ("pool", "filter")],
        condition="((pool)) OR ((NOT pool))",
        words="difference between (average of price where pool holds) and"
        " (average of price where pool does not hold)",
        function="both",
    ),
    Facts(
        "SELECT count(*) >= 3 FROM hotels WHERE city = 'Rome'",
        columns=[("city", "filter")],
        condition="(city = 'Rome')",
        selecting="city = 'Rome'",
        words="whether the number of records where city is 'Rome' is at least 3",
        function="both",
    ),
    Facts(
        "SELECT bool_or(pool) FROM hotels WHERE stars = 5",
        columns=[("pool", "measure"), ("stars", "filter")],
        condition="(stars = 5)",
        selecting="stars = 5",
        words="whether in any record where stars is 5 pool holds",
        function="both",
    ),
    Facts(
        "SELECT year(opened), count(*) FROM hotels GROUP BY ALL",
        columns=[("opened", "output")],
        words="number of records, for each year of opened",
        function="groups",
    ),
    Facts(
        "SELECT count(DISTINCT city) FROM hotels WHERE opened >= DATE '2020-01-01'",
        columns=[("city", "measure"), ("opened", "filter")],
        condition="(opened >= CAST('2020-01-01' AS DATE))",
        selecting="opened >= CAST('2020-01-01' AS DATE)",
        words="number of different city where opened is not before 2020-01-01",
        function="distinct",
    ),
    Facts(
        "SELECT median(price) FROM hotels WHERE city IN ('Rome', 'Bonn')",
        unit="EUR",
        columns=[("price", "measure"), ("city", "filter")],
        condition="(city IN ('Rome', 'Bonn'))",
        selecting="city IN ('Rome', 'Bonn')",
        words="median of price where city is 'Rome' or 'Bonn'",
        function="amount",
    ),
    Facts(
        "WITH h AS (SELECT * FROM hotels WHERE pool) SELECT sum(price) FROM h WHERE stars > 3",
        unit="EUR",
        columns=[("price", "measure"), ("stars", "filter"), ("pool", "filter")],
        condition="(stars > 3) AND (pool)",
        selecting="stars > 3 AND pool",
        function="sum",
    ),
    Facts(
        "SELECT count(*) FROM (SELECT city FROM hotels GROUP BY city HAVING count(*) > 2)",
        columns=[("city", "output"), ("city", "group")],
        words="number of values of city whose number of records is above 2",
    ),
    Facts(
        "SELECT * FROM hotels ORDER BY price LIMIT 3",
        columns=[*((item.name, "output") for item in HOTELS.attributes), ("price", "order")],
        words="the first 3 all columns, by rising price",
        function="first",
    ),
    Facts(
        "SELECT date_diff('year', min(opened), max(opened)) FROM hotels",
        unit="years",
        columns=[("opened", "measure")],
        words="years from (lowest opened) to (highest opened)",
    ),
    Facts(
        "SELECT price FROM hotels WHERE city = 'Rome'"
        " UNION ALL SELECT price FROM hotels WHERE pool",
        unit="EUR",
        columns=[("price", "output"), ("pool", "filter"), ("city", "filter")],
        condition="((city = 'Rome')) OR ((pool))",
        selecting="(city = 'Rome') OR (pool)",
    ),
    Facts(
        "SELECT avg(price) FROM hotels JOIN cells USING (document_id)",
        unit="EUR",
        columns=[("price", "measure")],
        condition=None,
        uncounted="it joins tables",
    ),
    Facts(
        "SELECT min(price) FROM hotels USING SAMPLE 3",
        unit="EUR",
        columns=[("price", "measure")],
        condition=None,
        uncounted="it reads a sample",
    ),
    Facts(
        "SELECT 42",
        condition=None,
        ungrounded=("42",),
    ),
    Facts(
        "SELECT FROM WHERE",
        condition=None,
        uncounted="it could not be taken apart",
    ),
]


@pytest.mark.parametrize("wanted", QUERIES, ids=lambda wanted: wanted.sql)
def test_all_facts_of_a_query_fit_together(wanted: Facts) -> None:
    found = read_query(wanted.sql, HOTELS)

    assert wanted == Facts(
        sql=found.sql,
        unit=found.unit,
        columns=[(use.column, use.role) for use in found.columns],
        condition=found.condition,
        selecting=found.selecting,
        uncounted=found.uncounted,
        words=found.words,
        function=None if found.aggregate is None else found.aggregate.function,
        ungrounded=found.ungrounded,
    )


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("pool AND NOT pool", "pool AND NOT pool"),
        ("(city = 'Rome' OR stars > 3) AND pool", "(city = 'Rome' OR stars > 3) AND pool"),
        ("(city = 'Rome' OR stars > 3)", "city = 'Rome' OR stars > 3"),
        ("city = 'a) AND (b'", "city = 'a) AND (b'"),
    ],
)
def test_conditions_are_told_without_needless_brackets(asked: str, said: str) -> None:
    assert read_query(f"SELECT avg(stars) FROM hotels WHERE {asked}", HOTELS).selecting == said
