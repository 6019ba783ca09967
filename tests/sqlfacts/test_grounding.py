import pytest

from srag_mcp.sqlfacts.query import read_query
from tests.inference.conftest import SHIPS_SCHEMA


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name, 100.0 * count(*) FILTER (has_crane) / count(has_crane) FROM ships",
        "FROM ships",
        "SELECT COUNT(*) - 3, max(crew) - min(crew), sum(1) FROM ships",
        "SELECT flag, 1.0 * count(*) / sum(count(*)) OVER () FROM ships GROUP BY flag",
        "SELECT CASE WHEN count(*) > 0 THEN 'yes' ELSE 'no' END FROM ships",
        "SELECT EXISTS (SELECT 1 FROM ships WHERE crew > 3)",
        "SELECT (SELECT max(crew) FROM ships) - (SELECT min(crew) FROM ships)",
        "SELECT 'Malta' AS flag, count(*) FROM ships WHERE flag = 'Malta'",
        "SELECT 'large', count(*) FROM ships WHERE crew > 9"
        " UNION ALL SELECT 'small', count(*) FROM ships WHERE crew <= 9",
        "WITH s AS (SELECT flag AS f, count(*) AS n FROM ships GROUP BY flag)"
        " SELECT f FROM s WHERE n = (SELECT max(n) FROM s)",
        "WITH s AS (SELECT *, 1 AS one FROM ships) SELECT name FROM s",
        "SELECT v.least, count(*) FROM (VALUES (1), (9)) v(least) JOIN ships ON crew > v.least"
        " GROUP BY v.least",
        "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 3)"
        " SELECT n, count(*) FROM t, ships WHERE crew > n GROUP BY n",
        "SELECT name FROM",
    ],
)
def test_what_depends_on_the_records_is_grounded(sql: str) -> None:
    assert read_query(sql, SHIPS_SCHEMA).ungrounded == ()


@pytest.mark.parametrize(
    ("sql", "ungrounded"),
    [
        ("SELECT 42 + 0 * count(*) AS decks FROM ships", "42 + 0 * COUNT(*)"),
        ("SELECT 7 + (count(*) - count(*)) FROM ships", "7 + (COUNT(*) - COUNT(*))"),
        ("SELECT 'four' FROM ships WHERE crew = 9", "'four'"),
        ("SELECT name, 'four' AS decks FROM ships", "'four'"),
        ("SELECT any_value('four') FILTER (crew > 9) FROM ships", None),
        ("SELECT (SELECT 42) FROM ships", "(SELECT 42)"),
        ("WITH a AS (SELECT 1) FROM a", "1"),
        ("SELECT count(*) FROM (VALUES (4), (9))", "COUNT(*)"),
        ("SELECT 'Malta' FROM ships WHERE flag = 'Malta'", "'Malta'"),
        ("WITH s AS (SELECT 'four' AS decks FROM ships) SELECT decks FROM s", "decks"),
        ("WITH s AS (SELECT 'four' AS decks FROM ships) SELECT * FROM s", "'four'"),
        ("SELECT d.decks FROM (SELECT 4 AS decks, name FROM ships) d", "d.decks"),
    ],
)
def test_what_is_written_in_the_query_is_not(sql: str, ungrounded: str | None) -> None:
    found = read_query(sql, SHIPS_SCHEMA).ungrounded
    assert len(found) == 1
    assert ungrounded in {None, *found}


def test_all_parts_of_a_union_that_are_written_are_named() -> None:
    sql = "SELECT 'a' FROM ships UNION ALL SELECT 'b' FROM ships"
    assert read_query(sql, SHIPS_SCHEMA).ungrounded == ("'a'", "'b'")
