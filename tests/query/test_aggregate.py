import pytest

from srag_mcp.query.aggregate import Aggregate, read_aggregate
from tests.query.conftest import SCHEMA

MALTA = "(flag = 'Malta')"


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
            Aggregate("avg", column="crew"),
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
            Aggregate("groups", "(crew > 9)", keys=("YEAR(built)",)),
        ),
        (
            "SELECT EXISTS (FROM ships WHERE flag = 'Malta')",
            Aggregate("decides", MALTA),
        ),
        ("SELECT bool_and(has_crane) FROM ships", Aggregate("decides", "(NOT has_crane)")),
        (
            "SELECT (SELECT count(*) FROM ships WHERE has_crane) = (SELECT count(*) FROM ships)",
            Aggregate("decides", "(NOT has_crane)"),
        ),
        ("SELECT count(*) = 0 FROM ships WHERE crew > 9", Aggregate("decides", "(crew > 9)")),
        ("SELECT max(crew) FROM ships", Aggregate("max", column="crew")),
    ],
)
def test_a_query_is_read_as_the_number_that_it_computes(sql: str, wanted: Aggregate) -> None:
    assert read_aggregate(sql, SCHEMA) == wanted


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name FROM ships",
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
        "SELECT count(*) > 5 FROM ships",
        "SELECT flag, count(*) FROM ships GROUP BY ROLLUP (flag)",
        "SELECT flag, count(*) FROM ships GROUP BY GROUPING SETS ((flag), ())",
        "SELECT count(*) FILTER (crew > 9) > count(*) FILTER (has_crane) FROM ships",
        "SELECT avg(crew) FROM ships WHERE",
    ],
)
def test_what_cannot_be_bounded_is_not_read(sql: str) -> None:
    assert read_aggregate(sql, SCHEMA) is None
