"""Columns in one line, and words that were misspelt."""

from dataclasses import replace

import pytest

from srag_mcp.inference.answer import did_you_mean
from srag_mcp.inference.brief import describe_column
from srag_mcp.inference.linking import LinkedValues
from srag_mcp.store.statistics import ColumnStatistics, ValueCount
from srag_mcp.store.values import ValueMatch
from srag_mcp.values.types import BOOLEAN, INTEGER, TEXT

TEXTS = ColumnStatistics("place", TEXT, 9, 8, 8, 8, 0, 1, 0, 2)


def counted(*values: tuple[str | bool, int]) -> tuple[ValueCount, ...]:
    return tuple(ValueCount(value, count) for value, count in values)


@pytest.mark.parametrize(
    ("statistics", "said"),
    [
        (
            replace(TEXTS, values=counted(("Bergen", 5), ("Kiel, old port", 3))),
            "known in 8 of 9: Bergen (5), 'Kiel, old port' (3)",
        ),
        (
            replace(TEXTS, n_distinct=8, values=counted(*((name, 1) for name in "abcdefgh"))),
            "known in 8 of 9: a, b, c, … 8 distinct",
        ),
        (
            replace(TEXTS, values=counted(("x" * 60, 5), ("y", 3))),
            f"known in 8 of 9: {'x' * 39}… (5), y (3)",
        ),
        (
            replace(TEXTS, type=BOOLEAN, values=counted((True, 5), (False, 3))),
            "known in 8 of 9: true (5), false (3)",
        ),
        (
            replace(TEXTS, type=INTEGER, minimum=2, maximum=31, median=4.5),
            "2 to 31, median 4.5; known in 8 of 9",
        ),
        (replace(TEXTS, n_non_null=0, n_distinct=0), "known in 0 of 9"),
    ],
)
def test_a_column_is_described_in_one_line(statistics: ColumnStatistics, said: str) -> None:
    assert describe_column(statistics) == said


def test_what_is_cut_is_no_literal() -> None:
    statistics = replace(TEXTS, values=counted(("BEMED (SP) " * 6, 5), ("Cork's", 3)))
    said = f"known in 8 of 9: “{('BEMED (SP) ' * 6)[:39]}…” (5), 'Cork''s' (3)"
    assert describe_column(statistics, literals=True) == said.replace("\\", "")


def test_a_word_without_a_place_is_told_what_it_may_misspell() -> None:
    bergen = LinkedValues("Bergn", "place", (ValueMatch("place", "Bergen", 5, 0.8),), 1, 5)
    columns = ("place", "guest_rating", "free_parking", "visits.free_days", "action items")

    assert did_you_mean(["Ratng", "parkng"], columns, []) == "guest_rating or free_parking"
    assert did_you_mean(["not", "assigned"], ("member_no", "signed"), []) == ""
    said = did_you_mean(["fre", "dys", "actions"], columns, [])
    assert said == "free_parking or visits.free_days or action items"
    assert did_you_mean(["Bergn"], columns, [bergen]) == "place “Bergen”"
    for known in (["sauna"], ["rating"], ["above", "9"], []):
        assert did_you_mean(known, columns, [bergen]) == ""
