import pytest

from srag_mcp.sqlfacts.aggregates import Aggregate, takes_first
from srag_mcp.sqlfacts.query import read_query
from tests.inference.conftest import SHIPS_SCHEMA

MALTA = "(flag = 'Malta')"
MEAN = "AVG(value)"


@pytest.mark.parametrize(
    ("sql", "wanted"),
    [
        (
            "SELECT count(*) FROM ships WHERE flag = 'Malta' AND has_crane IS NOT FALSE",
            Aggregate("count", f"{MALTA} AND (NOT NOT (has_crane))"),
        ),
        (
            "SELECT count(DISTINCT flag) FILTER (crew > 9) FROM ships WHERE flag IS NOT NULL",
            Aggregate("distinct", "(crew > 9)", "flag"),
        ),
        (
            "SELECT avg(s.crew) FROM ships s WHERE s.crew IS NOT NULL",
            Aggregate("amount", column="crew", formula=MEAN),
        ),
        (
            "SELECT count(*) FROM ships WHERE crew IS NOT NULL",
            Aggregate("count", "(NOT crew IS NULL)"),
        ),
        (
            "SELECT 100.0 * count(*) FILTER (has_crane) / count(has_crane) AS p"
            " FROM ships WHERE flag = 'Malta'",
            Aggregate("share", MALTA, part="(has_crane)", factor=100.0),
        ),
        (
            "SELECT 100.0 * count_if(crew > 9) / count(*) FROM ships WHERE length IS NOT NULL",
            Aggregate("share", "(NOT length IS NULL)", part="(crew > 9)", factor=100.0),
        ),
        (
            "SELECT year(built), count(*) FROM ships WHERE crew > 9 GROUP BY ALL",
            Aggregate(
                "groups",
                "(crew > 9)",
                keys=("YEAR(built)",),
                counted="(crew > 9) AND (NOT (YEAR(built)) IS NULL)",
            ),
        ),
        (
            "SELECT EXISTS (FROM ships WHERE flag = 'Malta')",
            Aggregate("both", sides=(Aggregate("count", MALTA), 0.0), operator=">"),
        ),
        (
            "SELECT bool_and(has_crane) FROM ships",
            Aggregate("both", sides=(Aggregate("count", "(NOT has_crane)"), 0.0), operator=">"),
        ),
        (
            "SELECT (SELECT count(*) FROM ships WHERE has_crane) = (SELECT count(*) FROM ships)",
            Aggregate(
                "both",
                sides=(Aggregate("count", "(has_crane)"), Aggregate("count")),
                operator="=",
            ),
        ),
        (
            "SELECT count(*) = 0 FROM ships WHERE crew > 9",
            Aggregate("both", sides=(Aggregate("count", "(crew > 9)"), 0.0), operator="="),
        ),
        (
            "SELECT abs(avg(crew) FILTER (has_crane) - avg(crew)) FROM ships",
            Aggregate(
                "both",
                sides=(
                    Aggregate("amount", "(has_crane)", "crew", MEAN),
                    Aggregate("amount", column="crew", formula=MEAN),
                ),
                operator="distance",
            ),
        ),
        (
            "SELECT count(name) FROM ships WHERE has_crane",
            Aggregate("count", "(has_crane) AND (name = name)"),
        ),
        ("SELECT count(crew) FROM ships", Aggregate("count", "(NOT crew IS NULL)")),
        (
            "SELECT count(*) FROM ships WHERE NOT has_crane OR has_crane IS NULL",
            Aggregate("count", "(NOT has_crane OR FALSE)"),
        ),
        (
            "SELECT NOT count(*) > 5 FROM ships",
            Aggregate("both", sides=(Aggregate("count"), 5.0), operator=">"),
        ),
        (
            "SELECT flag FROM ships WHERE crew > 9 AND flag IS NOT NULL GROUP BY flag"
            " QUALIFY rank() OVER (ORDER BY count(*) DESC) = 1",
            Aggregate(
                "leads",
                "(crew > 9)",
                keys=("flag",),
                counted="(crew > 9) AND (NOT flag IS NULL) AND (NOT (flag) IS NULL)",
            ),
        ),
        (
            "SELECT flag FROM ships GROUP BY 1 ORDER BY count(*) DESC, flag LIMIT 1",
            Aggregate("leads", keys=("flag",), counted="(NOT (flag) IS NULL)"),
        ),
        (
            "SELECT name FROM ships WHERE has_crane IS NOT TRUE ORDER BY crew",
            Aggregate("list", "(NOT has_crane)", counted="(NOT has_crane IS TRUE)"),
        ),
        (
            "SELECT name FROM ships WHERE has_crane AND crew IS NOT NULL ORDER BY crew LIMIT 3",
            Aggregate(
                *("first", "(has_crane)", "crew"),
                counted="(has_crane) AND (NOT crew IS NULL)",
                order="crew ASC",
                n_first=3,
            ),
        ),
        ("SELECT max(crew) FROM ships", Aggregate("max", column="crew", counted="true")),
    ],
)
def test_a_query_is_read_as_the_number_that_it_computes(sql: str, wanted: Aggregate) -> None:
    assert read_query(sql, SHIPS_SCHEMA).aggregate == wanted


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name FROM ships ORDER BY crew + length LIMIT 1",
        "SELECT name FROM ships WHERE has_crane AND crew = (SELECT max(crew) FROM ships)",
        "SELECT flag FROM ships GROUP BY flag QUALIFY rank() OVER (ORDER BY count(*)) = 1",
        "SELECT flag FROM ships GROUP BY flag ORDER BY count(*) DESC LIMIT 2",
        "SELECT flag FROM ships GROUP BY flag ORDER BY max(crew) DESC LIMIT 1",
        "SELECT flag FROM ships GROUP BY flag, has_crane ORDER BY count(*) DESC LIMIT 1",
        "SELECT flag FROM ships GROUP BY flag HAVING count(*) > 2 ORDER BY count(*) DESC LIMIT 1",
        "SELECT flag, count(*) FROM ships GROUP BY flag, has_crane",
        "SELECT crew * 2 AS twice FROM ships WHERE twice > 3",
        "SELECT DISTINCT coalesce(flag, 'none') FROM ships WHERE has_crane",
        "SELECT DISTINCT ON (flag) name FROM ships WHERE has_crane",
        "SELECT flag, sum(has_crane::INT) FROM ships GROUP BY flag",
        "SELECT count(*) FROM ships WHERE CASE WHEN has_crane THEN crew > 9 ELSE FALSE END",
        "SELECT count(*) FROM ships WHERE greatest(crew, 3) > 5",
        "SELECT count(*) FROM ships WHERE crew IS NULL OR has_crane",
        "SELECT count(*) FROM ships GROUP BY flag HAVING count(*) > 1",
        "SELECT count(*) FROM (SELECT DISTINCT flag FROM ships)",
        "WITH s AS (FROM ships ORDER BY crew LIMIT 3) SELECT avg(crew) FROM s",
        "WITH s AS (SELECT avg(crew) AS n FROM ships GROUP BY flag) SELECT sum(n) FROM s",
        "SELECT count(*) FROM ships JOIN documents USING (document_id)",
        "SELECT count(*) FROM cells WHERE attribute = 'crew'",
        "SELECT sum(crew) FROM ships WHERE crew > (SELECT avg(crew) FROM ships)",
        "SELECT 1.0 * count(*) FILTER (flag = 'Malta') / count(*) FILTER (crew > 9) FROM ships",
        "SELECT 1.0 * sum(crew) FILTER (has_crane) / sum(crew) FROM ships",
        "SELECT avg(crew) FROM ships USING SAMPLE 2",
        "SELECT flag, count(*) FROM ships GROUP BY ROLLUP (flag)",
        "SELECT flag, count(*) FROM ships GROUP BY GROUPING SETS ((flag), ())",
        "SELECT max(crew) > 9 FROM ships",
        "SELECT avg(crew) FROM ships WHERE",
    ],
)
def test_what_cannot_be_bounded_is_not_read(sql: str) -> None:
    assert read_query(sql, SHIPS_SCHEMA).aggregate is None


@pytest.mark.parametrize(
    ("query", "is_first"),
    [
        (
            "SELECT flag FROM ships GROUP BY 1 QUALIFY rank() OVER (ORDER BY count(*) DESC) = 1",
            True,
        ),
        ("SELECT flag FROM ships GROUP BY 1 QUALIFY rank() OVER (ORDER BY count(*)) <= 2", False),
        ("SELECT flag FROM ships GROUP BY 1 ORDER BY count(*) DESC LIMIT 1", False),
        ("SELECT name FROM ships WHERE crew = (SELECT max(crew) FROM ships)", True),
        ("SELECT name FROM ships WHERE crew > (SELECT min(crew) FROM ships)", False),
        ("SELECT name FROM ships WHERE crew = (SELECT avg(crew) FROM ships)", False),
        ("SELECT name FROM ships WHERE crew = (SELECT max(crew) FROM ships) LIMIT 1", False),
        ("SELECT name FROM ships WHERE flag = 'Malta'", False),
    ],
)
def test_a_query_that_takes_all_that_come_first_is_told(query: str, *, is_first: bool) -> None:
    assert takes_first(read_query(query, SHIPS_SCHEMA)) is is_first
