"""What a query says does not hang on how it is written: with CTEs, subqueries and other names."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srag_mcp.sqlfacts.query import QueryFacts, read_query
from tests.inference.conftest import SHIPS_SCHEMA

COLUMNS = ("flag", "crew", "length", "has_crane")
Layer = tuple[bool, bool]


@st.composite
def layers(draw: st.DrawFn) -> list[Layer]:
    """Queries around the table: whether each is a CTE, and whether it gives columns new names."""
    return draw(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=4))


def nested(around: list[Layer], outputs: str, where: str = "", more: str = "") -> str:
    """Write a query of *outputs* over the ships, through the queries *around*.

    *more* is put out by the innermost of them, beside the columns.
    """
    source, ctes = "ships", []
    names = {column: column for column in COLUMNS}
    for number, (is_cte, is_renaming) in enumerate(around):
        shown = "*"
        if is_renaming:
            shown = ", ".join(f"{name} AS n{number}_{column}" for column, name in names.items())
            shown += ", answer" if more and number else ""
            names = {column: f"n{number}_{column}" for column in names}
        query = f"SELECT {shown}{more if not number else ''} FROM {source}"
        if is_cte:
            ctes.append(f"c{number} AS ({query})")
        source = f"c{number}" if is_cte else f"({query}) AS s{number}"
    written = f"WITH {', '.join(ctes)} " if ctes else ""
    return f"{written}SELECT {outputs} FROM {source}{where}".format(**names)


def said(facts: QueryFacts) -> tuple[object, ...]:
    return (facts.unit, facts.condition, facts.selecting, facts.aggregate, facts.ungrounded)


@settings(deadline=None, max_examples=40)
@given(
    around=layers(),
    number=st.sampled_from(
        ["count(*)", "avg({length})", "sum({crew}) / 2", "count(DISTINCT {flag})", "max({length})",
         "median({length}) FILTER (WHERE {has_crane})", "100.0 * count_if({has_crane}) / count(*)",
         "avg({length}) - min({crew})"]
    ),
    where=st.sampled_from(
        ["", " WHERE {crew} > 9", " WHERE {flag} = 'Malta' AND NOT coalesce({has_crane}, false)"]
    ),
)  # fmt: skip
def test_queries_that_only_pass_records_on_change_nothing_that_is_said(
    around: list[Layer], number: str, where: str
) -> None:
    plain = read_query(nested([], number, where), SHIPS_SCHEMA)
    found = read_query(nested(around, number, where), SHIPS_SCHEMA)

    assert said(found) == said(plain)
    assert set(plain.names) <= set(found.names)
    assert found.uncounted == ""


@settings(deadline=None, max_examples=20)
@given(around=layers().filter(bool))
def test_an_answer_that_is_written_into_the_query_is_found_however_deep(
    around: list[Layer],
) -> None:
    beside = [(is_cte, is_renaming and number > 0) for number, (is_cte, is_renaming) in
              enumerate(around)]  # fmt: skip
    facts = read_query(nested(beside, "answer", more=", 42 AS answer"), SHIPS_SCHEMA)
    assert facts.ungrounded == ("answer",)

    counted = read_query(nested(beside, "{crew}, answer", more=", crew AS answer"), SHIPS_SCHEMA)
    assert counted.ungrounded == ()


@settings(deadline=None, max_examples=60)
@given(
    function=st.sampled_from(
        ["count(*)", "avg(length)", "sum(crew)", "median(crew)", "min(length)",
         "count(DISTINCT flag)", "100.0 * count_if(has_crane) / count(*)",
         "max(length) - min(length)", "round(avg(crew), 1) > 12500"]
    ),
    conditions=st.lists(
        st.sampled_from(
            ["crew > 9", "has_crane", "NOT has_crane", "flag = 'Malta'", "flag IN ('Peru', 'Oman')",
             "length BETWEEN 60 AND 90.5", "state ILIKE 'af%'", "(crew < 30 OR has_crane)",
             "name IS NOT NULL", "NOT coalesce(has_crane, false)"]
        ),
        unique=True,
    ),
    key=st.sampled_from(["", "flag", "state"]),
)  # fmt: skip
def test_the_words_name_all_columns_and_all_that_is_asked_of_them(
    function: str, conditions: list[str], key: str
) -> None:
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    grouped = f" GROUP BY {key}" if key else ""
    shown = f"{key}, {function}" if key else function
    facts = read_query(f"SELECT {shown} FROM ships{where}{grouped}", SHIPS_SCHEMA)

    words = facts.words or ""
    assert all(name in words for name in facts.names)
    constants = {text for clause in facts.clauses for item in clause for text in item.texts}
    assert all(text.strip("%") in words for text in constants)


@pytest.mark.parametrize(
    ("number", "factor"),
    [
        ("avg(crew)", 1.0),
        ("3 * avg(crew)", 3.0),
        ("avg(crew) / 4", 0.25),
        ("round(100 * (avg(crew) / 50), 2)", 2.0),
        ("(SELECT 2 * a.mean FROM (SELECT avg(crew) AS mean FROM ships) AS a)", 2.0),
    ],
)
def test_what_a_number_is_multiplied_with_is_its_factor(number: str, factor: float) -> None:
    found = read_query(f"SELECT {number} FROM ships", SHIPS_SCHEMA).aggregate
    assert found is not None
    assert (found.function, found.column, found.factor) == ("amount", "crew", factor)


@pytest.mark.parametrize(
    "number",
    [
        "avg(crew) / 0",
        "avg(crew) * avg(length)",
        "1.0 * count_if(has_crane) / count(DISTINCT has_crane)",
        "avg(DISTINCT crew)",
        "count(DISTINCT (flag, has_crane))",
        "stddev(crew)",
        "avg(crew + 1)",
    ],
)
def test_a_number_of_another_make_is_not_taken_for_one_of_these(number: str) -> None:
    assert read_query(f"SELECT {number} FROM ships", SHIPS_SCHEMA).aggregate is None
