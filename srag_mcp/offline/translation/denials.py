"""Denials: what `not`, `no` and `without` say of a column, and whether silence says it too."""

from srag_mcp.offline.translation.columns import Column, Table
from srag_mcp.offline.translation.counted_nouns import is_count
from srag_mcp.offline.translation.reading import (
    Compare,
    Condition,
    Either,
    Missing,
    Negated,
    Truth,
)


def deny(condition: Condition, table: Table) -> Negated:
    """Turn *condition* round; silence meets it only in a column where silence means no."""
    column = table.column(condition.column) if isinstance(condition, Truth) else None
    return Negated(condition, closed=column is not None and column.counts_silence)


def none_of(column: Column) -> Condition:
    """Return what `no repairs`, `without a fee` ask of *column*.

    Of a number it is 0 where documents can say 0; they do of what is counted, and where the column
    has one. Elsewhere nothing in the column tells `none` from silence: what is not stated is asked.
    """
    if not column.is_number:
        return Missing(column.name)
    zero = Compare(column.term, "=", 0)
    if column.counts_silence:
        return Either((Missing(column.name), zero))
    return zero if column.has_zero or is_count(column) else Missing(column.name)
