import pytest

from srag_mcp.query.diagnosis import diagnose_empty, find_unstored, is_empty
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import Value


@pytest.mark.parametrize(
    ("rows", "empty"),
    [
        ([], True),
        ([(None, None)], True),
        ([(0,)], True),
        ([(False,)], False),
        ([(0, 0)], False),
        ([("",)], False),
    ],
)
def test_nothing_is_no_rows_nulls_or_a_count_of_zero(
    rows: list[tuple[Value, ...]], empty: bool
) -> None:
    assert is_empty(rows) is empty


def test_a_condition_is_diagnosed_alone(ships: Corpus) -> None:
    sql = "SELECT name FROM ships WHERE crew > 5 AND (flag = 'malta' AND length > 1)"
    assert diagnose_empty(ships, sql) == [
        "no record meets flag = 'malta'; nearest stored: flag = 'Malta'"
    ]
    assert diagnose_empty(ships, "SELECT name FROM ships WHERE crew > 5000") == []
    assert diagnose_empty(ships, "SELECT name FROM ships") == []


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FILTER (WHERE flag = 'malta') FROM ships",
        "WITH a AS (FROM ships), b AS (FROM ships) FROM a, b WHERE a.flag = 'malta'",
        "SELECT name FROM ships WHERE flag IN ('malta', 'Panama')",
    ],
)
def test_a_text_that_no_record_has_is_found_anywhere(ships: Corpus, sql: str) -> None:
    assert find_unstored(ships, sql) == ["no record has flag = 'malta'; stored: 'Malta'"]


def test_what_is_like_nothing_stored_leads_to_the_statistics(ships: Corpus) -> None:
    long = "x" * 200
    [said] = find_unstored(ships, f"SELECT name FROM ships WHERE flag = '{long}'")
    assert said == f"no record has flag = '{'x' * 60}…'; see get_column_stats"
