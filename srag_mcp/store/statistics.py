"""Statistics of a column (S-RAG Appendix D, and more)."""

from dataclasses import dataclass

from srag_mcp.schema.attribute import Scalar
from srag_mcp.values.types import ColumnType


@dataclass(frozen=True, slots=True)
class ValueCount:
    """A value and the number of records that have it."""

    value: Scalar
    count: int


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """What a column holds, counted over all records.

    Attributes:
        column: The attribute's name.
        type: The attribute's type.
        n_records: Records of the build.
        n_non_null: Records with a value.
        n_non_zero: Records with a value that is neither 0 nor false nor empty.
        n_stated, n_stated_absent, n_not_mentioned, n_failed: Cells per state; together n_records.
        n_distinct: Distinct values.
        n_read_in_part: Of n_not_mentioned, cells of documents that were not read to their end.
        minimum, maximum, mean, median, lower_quartile, upper_quartile: Of numbers and dates (ISO
            dates as text; mean None for dates); None for other types and for an empty column.
        values: The values by falling count, all of them unless *truncated*.
        truncated: Whether *values* is the top of a longer list.
    """

    column: str
    type: ColumnType
    n_records: int
    n_non_null: int
    n_non_zero: int
    n_stated: int
    n_stated_absent: int
    n_not_mentioned: int
    n_failed: int
    n_distinct: int
    minimum: Scalar | None = None
    maximum: Scalar | None = None
    mean: float | None = None
    median: Scalar | None = None
    lower_quartile: Scalar | None = None
    upper_quartile: Scalar | None = None
    values: tuple[ValueCount, ...] = ()
    truncated: bool = False
    n_read_in_part: int = 0
