import pytest

from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.sqlfacts.query import Condition, OutputColumn, read_query
from srag_mcp.sqlfacts.trees import NO_GAPS, Gaps

SHIPS = Schema(
    title="Ship",
    entity="ships",
    attributes=(
        Attribute(name="name", type="string"),
        Attribute(name="flag", type="string"),
        Attribute(name="crew", type="integer"),
        Attribute(name="length", type="number", unit="m"),
        Attribute(name="built", type="date"),
        Attribute(name="crane", type="boolean"),
        Attribute(name="title", type="string"),
    ),
)


@pytest.mark.parametrize(
    ("sql", "uses"),
    [
        (
            "SELECT flag, avg(crew) FROM ships WHERE length > 3 GROUP BY flag ORDER BY avg(crew)",
            [
                ("flag", "output"),
                ("crew", "measure"),
                ("length", "filter"),
                ("flag", "group"),
            ],
        ),
        ("SELECT count(*) FILTER (WHERE crew > 3) FROM ships", [("crew", "filter")]),
        (
            "SELECT name FROM ships WHERE crew = (SELECT max(crew) FROM ships)",
            [("name", "output"), ("crew", "filter"), ("crew", "measure")],
        ),
        ("SELECT `Name` FROM ships ORDER BY Length", [("name", "output"), ("length", "order")]),
        ("SELECT name FROM ships WHERE name IS NOT NULL", [("name", "output")]),
        ("SELECT count(*) FROM ships WHERE name IS NOT NULL", [("name", "filter")]),
        (
            "WITH s AS (SELECT crew AS c, * FROM ships) SELECT avg(c), max(length) FROM s",
            [("crew", "output"), ("crew", "measure"), ("length", "measure")],
        ),
        ("SELECT title FROM documents", []),
        ("SELECT name FROM ships WHERE document_id IN (SELECT document_id FROM documents"
         " WHERE title = 'x')", [("name", "output")]),
        ("SELECT n FROM (SELECT count(*) AS crew, 1 AS n FROM ships) WHERE crew > 3", []),
        ("SELECT FROM WHERE", []),
    ],
)  # fmt: skip
def test_the_columns_of_the_records_have_the_role_of_the_clause_around_them(
    sql: str, uses: list[tuple[str, str]]
) -> None:
    found = {(use.column, use.role) for use in read_query(sql, SHIPS).columns}
    assert found == set(uses)


@pytest.mark.parametrize(
    ("sql", "unit"),
    [
        ("SELECT avg(length) AS mean FROM ships", "m"),
        ("SELECT round(median(length), 1) FROM ships", "m"),
        ("SELECT max(length) FILTER (crew > 3) FROM ships", "m"),
        ("SELECT length FROM ships WHERE name = 'Anna'", "m"),
        ("SELECT (SELECT max(length) FROM ships) - (SELECT min(length) FROM ships)", "m"),
        ("SELECT 100.0 * count(*) FILTER (crane) / count(*) FROM ships", "percent"),
        ("SELECT date_diff('year', min(built), max(built)) FROM ships", "years"),
        ("SELECT count(length) FROM ships", None),
        ("SELECT sum(length) / count(*) FROM ships", None),
        ("SELECT name, length FROM ships", None),
    ],
)
def test_a_result_has_the_unit_of_what_it_measures(sql: str, unit: str | None) -> None:
    assert read_query(sql, SHIPS).unit == unit


COSTS = Schema(
    title="Part",
    entity="parts",
    attributes=(
        Attribute(name="price", type="number", unit="EUR"),
        Attribute(name="fee", type="number", unit="EUR"),
        Attribute(name="freight", type="number", unit="USD"),
        Attribute(name="screws", type="integer", unit="screws"),
        Attribute(name="nails", type="integer", unit="nails"),
    ),
)
BOTH = "(SELECT price AS v, 1 AS n FROM parts UNION ALL SELECT freight, 2 FROM parts)"


@pytest.mark.parametrize(
    ("sql", "mixed"),
    [
        ("SELECT sum(price) + sum(freight) FROM parts", "SUM(price) + SUM(freight)"),
        ("SELECT sum(price * 0.9 + freight) FROM parts", None),  # converted, perhaps
        ("SELECT avg(price - freight) FROM parts", "AVG(price - freight)"),
        (
            "SELECT max(CASE WHEN fee > 2 THEN price ELSE freight END) FROM parts",
            "MAX(CASE WHEN fee > 2 THEN price ELSE freight END)",
        ),
        ("SELECT coalesce(freight, price) FROM parts", "COALESCE(freight, price)"),
        ("SELECT count(*) FROM parts WHERE price > freight", "price > freight"),
        (f"SELECT sum(v) FROM {BOTH}", "SUM(v)"),
        (f"WITH b AS {BOTH} SELECT sum(n) FROM b", None),
        ("SELECT price - (SELECT avg(fee) FROM parts) FROM parts", None),
        ("SELECT sum(price) / sum(freight) FROM parts", None),  # a rate
        ("SELECT sum(price), sum(freight) FROM parts", None),
        ("SELECT sum(screws + nails) FROM parts", None),  # so many things
        ("SELECT sum(price + screws) + 5 FROM parts WHERE price > 3", None),
        ("SELECT FROM WHERE", None),
    ],
)
def test_amounts_of_two_columns_are_put_together_in_one_unit(sql: str, mixed: str | None) -> None:
    told = [] if mixed is None else [f"{mixed} puts EUR and USD together"]
    assert [*read_query(sql, COSTS).mixed_units] == told


def test_outputs_have_the_values_of_columns_or_are_computed() -> None:
    sql = "SELECT flag, max(crew), count(*), crew + 1 AS crew FROM ships GROUP BY flag"
    found = read_query(sql, SHIPS).outputs
    assert found == (OutputColumn("flag"), OutputColumn("crew", is_extreme=True), None, None)


@pytest.mark.parametrize(
    ("sql", "condition"),
    [
        (
            "SELECT count(*) AS n FROM ships AS h WHERE h.crane AND h.crew > 3",
            "(crane) AND (crew > 3)",
        ),
        (
            "SELECT h.flag FROM ships h WHERE h.crew = (SELECT max(crew) FROM ships)",
            "(crew = (SELECT MAX(crew) FROM ships))",
        ),
        (
            "SELECT (SELECT avg(crew) FROM ships WHERE flag = 'Malta')"
            " - (SELECT avg(crew) FROM ships WHERE flag = 'Peru')",
            "((flag = 'Malta')) OR ((flag = 'Peru'))",
        ),
        (
            "SELECT avg(crew) FILTER (crane) - avg(crew) FILTER (NOT crane) FROM ships"
            " WHERE length > 3",
            "((length > 3) AND (crane)) OR ((length > 3) AND (NOT crane))",
        ),
        ("SELECT count(*) FILTER (crane) / count(*) FROM ships WHERE crew > 3", "(crew > 3)"),
        ("WITH h AS (FROM ships WHERE crane) SELECT avg(crew) FROM h", "(crane)"),
        ("SELECT avg(c) FROM (SELECT crew AS c FROM ships) WHERE c > 3", "(crew > 3)"),
        (
            "SELECT avg(n) FROM (SELECT count(*) AS n FROM ships WHERE crane GROUP BY flag)",
            "(crane)",
        ),
        ("SELECT count(*) FROM ships", ""),
        ("SELECT 1 FROM ships WHERE crane UNION ALL SELECT 2 FROM ships", ""),
        ("SELECT count(*) FILTER (crane) OVER (PARTITION BY flag) FROM ships", ""),
        ("SELECT name FROM ships ORDER BY crew DESC LIMIT 3", ""),
        ("SELECT flag FROM ships GROUP BY flag HAVING count(*) > 2", ""),
        ("SELECT count(*) FROM (SELECT flag FROM ships GROUP BY 1 HAVING count(*) > 2)", ""),
        ("WITH a AS (SELECT count(*) AS n FROM ships) SELECT a.n FROM a, a AS b", ""),
        ("SELECT count(*) FROM cells WHERE state = 'failed'", None),
        ("SELECT 42", None),
    ],
)
def test_the_records_that_a_query_reads_are_told_by_a_condition(
    sql: str, condition: str | None
) -> None:
    facts = read_query(sql, SHIPS)
    assert (facts.condition, facts.uncounted) == (condition, "")


JOINS = "it joins tables"
PICKS = "it picks from the rows of a subquery"
FIRST = "it takes only the first rows"
SAMPLE = "it reads a sample"


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT avg(crew) FROM ships USING SAMPLE 5 ROWS", SAMPLE),
        ("SELECT avg(crew) FROM ships TABLESAMPLE 50%", SAMPLE),
        ("SELECT avg(crew) FROM (FROM ships USING SAMPLE 5 ROWS)", SAMPLE),
        ("SELECT avg(crew) FROM (FROM ships LIMIT 5)", FIRST),
        ("WITH s AS (FROM ships ORDER BY crew LIMIT 3) SELECT avg(crew) FROM s", FIRST),
        ("SELECT avg(crew) FROM (SELECT DISTINCT ON (flag) * FROM ships)", FIRST),
        ("SELECT name FROM ships LIMIT 3", FIRST),
        ("SELECT avg(crew) FROM ships SEMI JOIN (SELECT 'x' AS flag) x USING (flag)", JOINS),
        ("SELECT count(*) FROM ships, cells", JOINS),
        ("SELECT a.name FROM ships a JOIN ships b USING (flag) WHERE a.crew > 3", JOINS),
        ("SELECT avg(n) FROM (SELECT avg(crew) n FROM ships GROUP BY flag) WHERE n > 3", PICKS),
        ("SELECT avg(n) FROM (SELECT avg(crew) n FROM ships GROUP BY flag HAVING n > 3)", PICKS),
        ("SELECT avg(crew) FROM (FROM ships QUALIFY row_number() OVER (ORDER BY crew) < 3)", PICKS),
        (
            "SELECT flag FROM ships h WHERE crane AND crew = (SELECT max(crew) FROM ships i"
            " WHERE i.flag = h.flag)",
            "a condition compares each record with others",
        ),
        ("SELECT FROM WHERE", "it could not be taken apart"),
        ("SELECT max(COLUMNS(['crew'])) FROM ships", ""),
    ],
)
def test_a_step_that_takes_records_away_otherwise_is_named(sql: str, reason: str) -> None:
    facts = read_query(sql, SHIPS)
    assert facts.uncounted == reason
    assert (facts.condition is None) is bool(reason)


def test_conditions_on_single_records_are_found_by_clause() -> None:
    sql = (
        "SELECT count(*) FILTER (crew > 9) FROM ships s WHERE s.flag = 'Malta' AND NOT crane"
        " AND crew > length AND crew > (SELECT avg(crew) FROM ships)"
    )
    found = {item for clause in read_query(sql, SHIPS).clauses for item in clause}
    assert found == {
        Condition("crew > 9", ("crew",), ()),
        Condition("flag = 'Malta'", ("flag",), ("Malta",)),
        Condition("NOT crane", ("crane",), ()),
        Condition("crew > length", ("crew", "length"), ()),
    }


@pytest.mark.parametrize(
    ("where", "texts"),
    [
        ("h.flag = 'Malta' OR FLAG IN ('Peru', 'Malta', lower('x'))", ["Malta", "Peru"]),
        ("NOT flag = 'Malta' AND crew = 4", ["Malta"]),
        ("lower(flag) = 'malta' AND flag LIKE 'M%' AND flag = name", ["malta", "M%"]),
        ("flag IN (SELECT 'Malta')", []),
        ("(", []),
    ],
)
def test_texts_that_a_column_is_compared_with_are_found(where: str, texts: list[str]) -> None:
    found = read_query(f"SELECT count(*) FROM ships h WHERE {where}", SHIPS).comparisons
    assert sorted({text for item in found for text in item.texts}) == sorted(texts)
    assert {name for item in found for name in item.columns} <= {"flag"}


def test_a_list_that_may_hold_unknowns_is_named() -> None:
    sql = "SELECT 1 FROM ships WHERE flag NOT IN (SELECT flag FROM ships WHERE {})"
    assert read_query(sql.format("crew > 9"), SHIPS).open_lists == ("flag",)
    assert read_query(sql.format("flag IS NOT NULL"), SHIPS).open_lists == ()


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT crew FROM ships", {"crew": ""}),
        (
            "SELECT avg(crew) FROM ships WHERE flag = 'Peru'",
            {"crew": "(flag = 'Peru')", "flag": ""},
        ),
        (
            "WITH s AS (SELECT * FROM ships WHERE crane) SELECT avg(crew) FROM s",
            {"crew": "(crane)", "crane": ""},
        ),
        (
            "SELECT sum(crew) FILTER (crane), max(crew) FILTER (length > 3) FROM ships",
            {"crew": "((crane)) OR ((length > 3))", "crane": "", "length": ""},
        ),
        (
            "SELECT title FROM documents WHERE document_id IN"
            " (SELECT document_id FROM ships WHERE crane AND crew > 3)",
            {"crane": "(crew > 3)", "crew": "(crane)"},
        ),
        # each may be of any row: a condition on another table, and what is first made of rows
        (
            "SELECT crew FROM ships JOIN cells c USING (document_id) WHERE c.unit = 'm'",
            {"crew": ""},
        ),
        (
            "SELECT max(n) FROM (SELECT flag, avg(crew) AS n FROM ships GROUP BY 1)"
            " WHERE flag > 'a'",
            {"crew": "", "flag": None},
        ),
    ],
)
def test_of_which_rows_a_column_is_used_is_told_by_the_conditions_on_others(
    sql: str, rows: dict[str, str | None]
) -> None:
    assert read_query(sql, SHIPS).rows_of(NO_GAPS) == rows


def test_a_record_of_which_a_condition_is_unknown_is_not_left_out() -> None:
    facts = read_query("SELECT avg(crew) FROM ships WHERE crane", SHIPS)
    assert facts.rows_of(Gaps(frozenset({"crane"})))["crew"] == "((crane) IS NOT FALSE)"


@pytest.mark.parametrize(
    ("sql", "lost"),
    [
        ("SELECT avg(crew), sum(length + 3) FROM ships", {}),
        ("SELECT count(TRY_CAST(title AS INT)) FROM ships", {}),  # it is their number
        ("SELECT sum(CASE WHEN crane THEN 1 ELSE 0 END) FROM ships", {}),
        (
            "SELECT max(TRY_CAST(title AS INT)) FROM ships",
            {"title": ["TRY_CAST(title AS INT)"]},
        ),
        (
            "SELECT sum(CASE WHEN title = 'two' THEN 2 WHEN title = 'ten' THEN 10 END) FROM ships",
            {"title": ["CASE WHEN title = 'two' THEN 2 WHEN title = 'ten' THEN 10 END"]},
        ),
        # choices of rows
        ("SELECT sum(CASE crew WHEN 4 THEN length END) FROM ships", {}),
        ("SELECT sum(2 * CASE WHEN crew = 4 THEN length END) FROM ships", {}),
        ("SELECT 1 FROM ships WHERE CASE WHEN crew > 4 THEN crew END > 2", {}),
        (
            "SELECT avg(CASE WHEN title > '' THEN TRY_CAST(title AS INT) END) FROM ships",
            {"title": ["CASE WHEN title > '' THEN TRY_CAST(title AS INT) END"]},
        ),
        # the other side may say it
        ("SELECT 1 FROM ships WHERE TRY_CAST(title AS INT) > 20 OR flag = 'Peru'", {}),
        ("SELECT 1 FROM ships WHERE NOT (TRY_CAST(title AS INT) > 20 AND flag = 'Peru')", {}),
        ("SELECT bool_or(TRY_CAST(title AS INT) > 20 OR flag = 'Peru') FROM ships", {}),
        *(
            (
                f"SELECT {of.format('TRY_CAST(title AS INT)')} FROM ships",
                {"title": ["TRY_CAST(title AS INT)"]},
            )
            for of in (
                "stddev({})",
                "mode({})",
                "max_by(flag, {})",
                "product({})",
                "any_value({})",
                "sum(DISTINCT {})",
                "string_agg({}, ',' ORDER BY crew)",
            )
        ),
        ("SELECT list(TRY_CAST(title AS INT) ORDER BY crew) FROM ships", {}),
        ("SELECT name FROM ships WHERE NULLIF(crew, 0) < 3", {"crew": ["NULLIF(crew, 0) < 3"]}),
    ],
)
def test_what_may_make_nothing_of_a_value_is_told(sql: str, lost: dict[str, list[str]]) -> None:
    takes = read_query(sql, SHIPS).takes
    assert {name: [x.said for x in found if x.lost] for name, found in takes.items()} == lost
