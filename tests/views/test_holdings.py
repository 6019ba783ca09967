"""What a column holds, in a line that fits a table."""

from srag_mcp.store.statistics import ColumnStatistics, ValueCount
from srag_mcp.values.types import COLUMN_TYPES
from srag_mcp.views.holdings import statistics_table

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
    assert rows == [("c", "boolean", 7, 0, 2, 0, 2, "known in 7 of 9: true (9), false (8)")]
