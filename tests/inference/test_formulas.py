"""Formulas over named values: what may stand in one."""

import pytest

from srag_mcp.inference.recap import invented_numbers, read_formula


def test_a_formula_has_names_and_numbers() -> None:
    found = read_formula("round(100 * (a - B) / b, 2)")
    assert (found.names, sorted(found.numbers), found.problem) == (
        frozenset({"a", "b"}),
        [2, 100],
        "",
    )


@pytest.mark.parametrize(
    "sql",
    [
        "0.117",
        "",
        "'growth'",
        "a, b",
        "*",
        "a FROM ships",
        "a) FROM (SELECT 1 AS a",
        "(SELECT max(crew) FROM ships)",
        "a UNION SELECT crew FROM ships",
        "avg(a)",
        "a AS b",
        "a WHERE a > 1",
        "DISTINCT a",
        "a; DROP TABLE ships",
        "a * random()",
        "a + epoch(now())",
    ],
)
def test_what_is_no_expression_over_names_is_refused(sql: str) -> None:
    assert read_formula(sql).problem


def test_only_plain_numbers_and_known_ones_may_be_made_up() -> None:
    formula = read_formula("365 * a / 12 * 1.083 + 4210")
    assert sorted(invented_numbers(formula, [4210])) == [1.083]


@pytest.mark.parametrize(
    ("sql", "is_ratio"),
    [("(a - b) / a", True), ("abs(a - b) / nullif(b, 0)", True), ("(a + b) / 2", False)],
)
def test_what_divides_by_a_name_is_a_ratio(sql: str, is_ratio: bool) -> None:
    assert read_formula(sql).is_ratio is is_ratio
