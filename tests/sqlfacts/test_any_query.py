"""Whatever query the guard lets through, its facts are worked out without an error."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.sqlfacts.query import read_query
from srag_mcp.sqlfacts.trees import Gaps
from tests.store.guard.test_any_text import mutants, read_statements

BOATS = Schema(
    title="Boat",
    entity="boats",
    attributes=(
        Attribute(name="name", type="string"),
        Attribute(name="crew", type="integer"),
        Attribute(name="length_m", type="number", unit="m"),
        Attribute(name="launched", type="date"),
        Attribute(name="has_crane", type="boolean"),
    ),
)
STATEMENTS = read_statements("legitimate.jsonl") + read_statements("hostile.jsonl")
VALUES = st.sampled_from(
    ["crew", "length_m", "has_crane", "launched", "name", "document_id", "1", "2.5", "-1", "'all'",
     "NULL", "true", "count(*)", "count()", "sum(crew)", "avg(has_crane::INT)", "max(launched)",
     "count(DISTINCT name)", "count(*) FILTER (has_crane)", "median(crew)", "[crew, 1]", "{'a': 1}",
     "(SELECT max(crew) FROM boats)", "(SELECT name, crew FROM boats LIMIT 1)", "year(launched)",
     "strftime(launched, '%Y')", "CASE WHEN has_crane THEN 1 ELSE 0 END", "*", "COLUMNS('c.*')",
     "rank() OVER (ORDER BY crew)", "coalesce(has_crane, false)", "name[1:2]", "x -> 1", "c.n"]
)  # fmt: skip
BINARY = st.sampled_from(
    ["=", "<>", "<", ">=", "+", "-", "*", "/", "//", "AND", "OR", "IN", "LIKE", "IS", "||"]
)

FORMS = ["{a} {o} {b}", "NOT {a}", "({a})", "abs({a})", "round({a}, 1)", "{a} IS NOT NULL",
         "{a} BETWEEN {b} AND 3", "nullif({a}, 0)", "{a} IN ({b}, 'x')", "min({a})", "{a}::DATE",
         "sum({a}) FILTER ({b})", "date_diff('day', {a}, {b})", "EXISTS (FROM boats WHERE {a})",
         "quantile_cont({a}, 0.9)", "bool_and({a})"]  # fmt: skip
SOURCES = ["boats", "boats b", "documents", "boats, cells", "c", "range(3) c(n)",
           "(FROM boats WHERE crew > 1) c", "(SELECT crew AS n, * FROM boats LIMIT 3) c",
           "boats JOIN boats c USING (name)",
           "(SELECT name, count(*) n FROM boats GROUP BY 1) c"]  # fmt: skip


@st.composite
def expressions(draw: st.DrawFn) -> str:
    """A value, or several under operators and functions, in any order of types."""
    said = draw(VALUES)
    for _ in range(draw(st.integers(0, 3))):
        form = draw(st.sampled_from(FORMS))
        said = form.format(a=said, o=draw(BINARY), b=draw(VALUES))
    return said


@st.composite
def queries(draw: st.DrawFn) -> str:
    """A SELECT with any of its clauses, some of which no engine would take."""
    several = st.lists(expressions(), min_size=1, max_size=3).map(", ".join)
    sql = f"SELECT {draw(several)} FROM {draw(st.sampled_from(SOURCES))}"
    for clause in ("WHERE", "GROUP BY", "HAVING", "QUALIFY", "ORDER BY", "LIMIT", "OFFSET"):
        if draw(st.booleans()):
            sql += f" {clause} {draw(several if 'BY' in clause else expressions())}"
    before = draw(st.sampled_from(["", "", "WITH c AS (SELECT crew AS n, name FROM boats) "]))
    after = draw(st.sampled_from(["", "", "", " UNION ALL SELECT 1 FROM boats"]))
    return f"{before}{sql}{after}"


def read_all(sql: str) -> None:
    facts = read_query(sql, BOATS)
    facts.admitting(Gaps(frozenset({"crew", "has_crane"})))
    for name in ("words", "columns", "names", "unit", "outputs", "uncounted", "condition",
                 "selecting", "clauses", "comparisons", "open_lists", "aggregate",
                 "ungrounded"):  # fmt: skip
        getattr(facts, name)


@pytest.mark.parametrize("sql", STATEMENTS, ids=lambda sql: sql[:60])
def test_the_facts_of_what_the_guard_was_tried_with_are_worked_out(sql: str) -> None:
    read_all(sql)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(queries(), queries(), mutants()))
def test_the_facts_of_any_query_are_worked_out(sql: str) -> None:
    read_all(sql)


def test_a_query_longer_than_anybody_writes_is_not_taken_apart() -> None:
    doubled = [f"c{at + 1} AS (SELECT a.n FROM c{at} a, c{at} b)" for at in range(30)]
    facts = read_query(f"WITH c0 AS (SELECT 1 n), {', '.join(doubled)} FROM c30", BOATS)

    assert (facts.tree, facts.uncounted) == (None, "it could not be taken apart")


def test_a_cte_of_the_name_of_the_table_reads_the_table() -> None:
    facts = read_query(
        "WITH boats AS (SELECT * FROM boats WHERE crew > 3) SELECT * FROM boats", BOATS
    )

    assert (facts.condition, facts.names) == ("(crew > 3)", tuple(x.name for x in BOATS.attributes))
