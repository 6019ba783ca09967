"""Totals over the records of a corpus, under conditions that were read from a query."""

from collections.abc import Sequence

from srag_mcp.query.aggregate import Aggregate
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.engine import quote_name
from srag_mcp.store.guard import Value


def count_met(corpus: Corpus, found: Aggregate) -> tuple[int, int]:
    """Count the records that meet the condition, and those not known to meet or to miss it."""
    met, unknown = count_records(corpus, found.condition, f"({found.condition}) IS NULL")
    return met, unknown


def count_distinct(corpus: Corpus, found: Aggregate) -> tuple[int, int]:
    """Count the values of the column, and the records that may have one more."""
    column, condition = quote_name(found.column), found.condition
    outputs = (
        f"count(DISTINCT {column}) FILTER ({condition})",
        f"count(*) FILTER (({condition}) IS NULL OR ({condition}) AND {column} IS NULL)",
    )
    n_values, unknown = (int(value or 0) for value in select_totals(corpus, outputs))
    return n_values, unknown


def count_records(corpus: Corpus, *conditions: str) -> tuple[int, ...]:
    """Count the records that meet each of *conditions*."""
    outputs = [f"count(*) FILTER ({condition})" for condition in conditions]
    return tuple(int(value or 0) for value in select_totals(corpus, outputs))


def select_totals(corpus: Corpus, outputs: Sequence[str]) -> tuple[Value, ...]:
    """Return one row of *outputs* over all records.

    Raises:
        QueryError: If it took too long.
    """
    sql = f"SELECT {', '.join(outputs)} FROM {quote_name(corpus.schema().entity)}"  # noqa: S608 - it runs through the guard
    return corpus.select(sql, limit=1).rows[0]
