"""What a column holds, in a line that fits a table."""

import pytest

from srag_mcp.store.statistics import ColumnStatistics, ValueCount
from srag_mcp.values.types import COLUMN_TYPES
from srag_mcp.views.holdings import describe_holdings, statistics_table

COUNTS = {
    "n_records": 9,
    "n_non_null": 7,
    "n_non_zero": 7,
    "n_stated": 7,
    "n_stated_absent": 0,
    "n_not_mentioned": 2,
    "n_failed": 0,
}


def statistics(kind: str, n_distinct: int = 3, **found: object) -> ColumnStatistics:
    return ColumnStatistics("c", COLUMN_TYPES[kind], **COUNTS, n_distinct=n_distinct, **found)  # type: ignore[arg-type]


def counts(*values: str | bool) -> tuple[ValueCount, ...]:
    return tuple(ValueCount(value, 9 - place) for place, value in enumerate(values))


def test_statistics_are_a_row_a_column() -> None:
    columns, rows = statistics_table([statistics("boolean", 2, values=counts(True, False))])

    counts_of = ("known", "have none", "not mentioned", "failed", "distinct")
    assert columns == ("column", "type", *counts_of, "holds")
    assert rows == [("c", "boolean", 7, 0, 2, 0, 2, "yes (9), no (8)")]


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (statistics("number", minimum=1.0, maximum=2.3456, median=2.5), "1 to 2.346, median 2.5"),
        (statistics("integer", minimum=3, maximum=1200, median=17.0), "3 to 1200, median 17"),
        (
            statistics("date", minimum="2020-01-02", maximum="2021-03-04"),
            "2020-01-02 to 2021-03-04",
        ),
        (statistics("boolean", 2, values=counts(True, False)), "yes (9), no (8)"),
        (
            statistics("string", 8, values=counts(*"abcdefgh")),
            "a (9), b (8), c (7), d (6), e (5), … 8 distinct",
        ),
        (
            statistics("string", 1, values=counts("two\nlines of a text that is long")),
            "two lines of a text that is l… (9)",
        ),
        (statistics("string", 0), ""),
    ],
)
def test_a_column_is_described_by_its_range_or_its_values(
    found: ColumnStatistics, said: str
) -> None:
    assert describe_holdings(found) == said
