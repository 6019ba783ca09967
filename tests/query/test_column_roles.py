import pytest

from srag_mcp.query.column_roles import find_column_uses, find_measured_column
from srag_mcp.schema.translation import ColumnUse

COLUMNS = ("name", "flag", "crew", "length")


@pytest.mark.parametrize(
    ("sql", "uses"),
    [
        (
            "SELECT flag, avg(crew) FROM ships WHERE length > 3 GROUP BY flag ORDER BY avg(crew)",
            [("flag", "output"), ("crew", "measure"), ("length", "filter"), ("flag", "group")],
        ),
        ("SELECT count(*) FILTER (WHERE crew > 3) FROM ships", [("crew", "filter")]),
        (
            "SELECT name FROM ships WHERE crew = (SELECT max(crew) FROM ships)",
            [("name", "output"), ("crew", "filter"), ("crew", "measure")],
        ),
        ("SELECT Name FROM ships ORDER BY Length", [("name", "output"), ("length", "order")]),
        ("SELECT FROM WHERE", []),
    ],
)
def test_the_clause_around_a_column_is_its_role(sql: str, uses: list[tuple[str, str]]) -> None:
    found = {(use.column, use.role) for use in find_column_uses(sql, COLUMNS)}
    assert found >= set(uses)
    assert all(isinstance(use, ColumnUse) for use in find_column_uses(sql, COLUMNS))


@pytest.mark.parametrize(
    ("sql", "column"),
    [
        ("SELECT avg(crew) AS mean FROM ships", "crew"),
        ("SELECT median(length) FROM ships", "length"),
        ("SELECT max(length) FILTER (crew > 3) FROM ships", "length"),
        ("SELECT length FROM ships WHERE name = 'Anna'", "length"),
        ("SELECT count(crew) FROM ships", None),
        ("SELECT sum(crew) / count(*) FROM ships", None),
        ("SELECT name, crew FROM ships", None),
    ],
)
def test_a_result_has_the_unit_of_what_it_measures(sql: str, column: str | None) -> None:
    assert find_measured_column(sql, COLUMNS) == column
