"""What a refusal says: what, why, and what to write instead."""

import pytest

from srag_mcp.errors import QueryError, RefusedQueryError, UnknownNameError
from srag_mcp.store.guard import check_query
from srag_mcp.store.guard.check import UnreadableError, list_tables, require_agreement
from srag_mcp.store.guard.child import judge
from srag_mcp.store.guard.tree import TreeReading, read_tree

TABLES = {"hotels": ["name", "stars", "user"], "documents": ["title"], "Größen": ["k"]}


def test_a_checked_query_says_which_tables_it_reads() -> None:
    sql = "SELECT Name, count(*) FROM HOTELS h JOIN documents d ON h.name = d.title GROUP BY 1"

    assert check_query(sql, TABLES) == TreeReading(
        frozenset({"hotels", "documents"}), draws_anew=False
    )


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("PIVOT hotels ON stars USING count(*)", r"ON column IN \('a', 'b'\)"),
        ("FROM (PIVOT hotels ON stars USING count(*))", r"ON column IN \('a', 'b'\)"),
        ("DESCRIBE hotels", "call get_schema"),
        ("SHOW TABLES", "call get_schema"),
        ("SUMMARIZE hotels", "call get_column_stats"),
        ("EXPLAIN SELECT 1", "send the SELECT itself"),
        ("SELECT * FROM hotels WHERE stars > ?", "write the value as a literal"),
        ("SELECT * FROM hotels WHERE stars > $stars", "write the value as a literal"),
        ("SELECT * FROM 'hotels.csv'", "files and addresses cannot be read"),
        ("SELECT * FROM read_csv('hotels.csv')", "reads or writes files"),
        ("COPY hotels TO 'x.csv'", "files cannot be read or written"),
        ("DELETE FROM hotels", "DELETE is not allowed: only one SELECT"),
        ("SET threads = 9", "settings are fixed"),
        ("SELECT 1; SELECT 2", "2 statements: send exactly one"),
        ("SELECT 1; DROP TABLE hotels", "Send one statement"),
        ("", "0 statements"),
        ("-- hello", "0 statements"),
        ("WITH RECURSIVE a AS (SELECT 1 UNION ALL FROM a) FROM a", "WITH RECURSIVE is not"),
        ("WITH hotels AS (SELECT 1) FROM hotels", "hides the table of that name"),
        ("SELECT repeat(name, 9) FROM hotels", "which the memory limit cannot stop"),
        ("SELECT levenshtein(name, 'x') FROM hotels", "use jaro_winkler_similarity"),
        ("SELECT len(range(9))", r"use it as a table: FROM range\(10\)"),
        ("SELECT current_user", "tells about the engine"),
        ("SELECT 'a\u200bb'", r"invisible character \(U\+200B\) at position 9.*chr\(8203\)"),
        ("SELECT 'a\ud800b'", "invisible character"),
        ("SELECT " + "(" * 61 + "1" + ")" * 61, "nested 61 deep; at most 60"),
        ("SELECT " + "NOT " * 300 + "true", "301 CASE, NOT or SELECT"),
        ("SELECT 1 " + "x" * 20_000, "20009 characters"),
    ],
)
def test_a_refusal_says_what_to_do_instead(sql: str, message: str) -> None:
    with pytest.raises(RefusedQueryError, match=message):
        check_query(sql, TABLES)


@pytest.mark.parametrize(
    ("sql", "nearest"),
    [
        ("SELECT * FROM hotel", ("hotels",)),
        ("SELECT * FROM document", ("documents",)),
        ("SELECT cuont(*) FROM hotels", ("count",)),
        ("SELECT stars::INTEGR FROM hotels", ("integer",)),
        ("SELECT * FROM unest([1])", ("unnest",)),
        ("SELECT * FROM srag_values", ()),
    ],
)
def test_an_unknown_name_comes_with_the_nearest(sql: str, nearest: tuple[str, ...]) -> None:
    with pytest.raises(UnknownNameError) as caught:
        check_query(sql, TABLES)

    assert caught.value.nearest[:1] == nearest
    assert caught.value.sql == sql


@pytest.mark.parametrize(
    ("call", "here"),
    [("to_char(name)", "strftime"), ("NVL(stars, 0)", "coalesce"), ("getdate()", "current_date")],
)
def test_a_function_of_another_database_comes_with_what_to_write_here(call: str, here: str) -> None:
    with pytest.raises(UnknownNameError, match=f"here: write {here}"):
        check_query(f"SELECT {call} FROM hotels", TABLES)


def test_a_syntax_error_says_where() -> None:
    with pytest.raises(QueryError, match=r"syntax error at or near .hotels. \(at 'hotels'\)"):
        check_query("SELECT * FORM hotels", TABLES)


def test_a_column_may_have_the_name_of_a_session_value() -> None:
    assert check_query("SELECT user FROM hotels", TABLES).tables == {"hotels"}


@pytest.mark.parametrize(
    "sql",
    [
        'FROM "Größen"',
        'SELECT "k" FROM "Größen" AS "größen 2"',
        "SELECT '10\u00a0km', '\u3000', 'क्\u200dष' FROM hotels",
        "SELECT 1;",
        "  (SELECT 1)  ",
        "WITH a AS (SELECT 1 AS n), b AS (SELECT n FROM a) SELECT * FROM b",
        "SELECT * FROM (WITH a AS (SELECT 1) FROM a)",
        "WITH a AS (FROM hotels) SELECT (SELECT count(*) FROM a), (SELECT max(stars) FROM a)",
    ],
)
def test_names_and_texts_of_any_language_pass(sql: str) -> None:
    assert check_query(sql, TABLES).tables <= {"hotels", "größen"}


def test_where_sqlglot_cannot_read_duckdbs_tree_decides() -> None:
    sql = "PIVOT hotels ON stars IN (1, 2) USING count(*) GROUP BY name ORDER BY name"
    with pytest.raises(UnreadableError):
        list_tables(sql, TABLES)

    assert check_query(sql, TABLES).tables == {"hotels"}


def test_two_readings_of_the_tables_are_a_veto() -> None:
    hotels, both = frozenset({"hotels"}), frozenset({"hotels", "documents"})

    require_agreement(hotels, hotels, "FROM hotels")
    with pytest.raises(RefusedQueryError, match="Two parsers read the tables"):
        require_agreement(hotels, both, "FROM hotels")


def test_backticks_are_read_alike_by_both() -> None:
    sql = "SELECT 1 AS ` FROM hotels --`, title FROM documents"

    assert read_tree(sql, TABLES).tables == list_tables(sql, TABLES)


def test_a_verdict_that_is_kept_is_of_the_tables_that_it_was_given_with() -> None:
    sql, ships = "SELECT count(*) FROM ships", (("ships", ("name",)),)
    assert judge(sql, ships) is judge(sql, ships)
    with pytest.raises(UnknownNameError):
        judge(sql, (("boats", ("name",)),))
    assert judge(sql, ships).tables == {"ships"}
