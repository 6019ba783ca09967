"""Bounds: the smallest and largest value an answer can have, whatever the unknown cells hold."""

from collections.abc import Mapping

from srag_mcp.answer.answer import Bounds
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.engine import quote_name
from srag_mcp.store.selection import Selection
from srag_mcp.store.statistics import ColumnStatistics


def find_bounds(corpus: Corpus, selection: Selection) -> Bounds | None:
    """Bound a count of records, or a sum or average of a column.

    None when the query is none of these, or nothing is unknown.
    """
    if selection.counts_records:
        return _bound_count(corpus, selection)
    if selection.aggregate is None or (selection.where and not selection.definite):
        return None
    statistics = {item.column.lower(): item for item in corpus.statistics()}
    return _bound_aggregate(corpus, selection, statistics)


def _bound_count(corpus: Corpus, selection: Selection) -> Bounds | None:
    """Bound a count: a record with unknown cells may or may not meet the condition."""
    condition = selection.definite
    if not condition:
        return None
    sql = (
        f"SELECT count(*) FILTER ({condition}), count(*) FILTER (({condition}) IS NULL)"  # noqa: S608 - it runs through the guard
        f" FROM {quote_name(corpus.schema().entity)}"
    )
    met, unknown = (int(value or 0) for value in corpus.select(sql, limit=1).rows[0])
    return Bounds(met, met + unknown) if unknown else None


def _bound_aggregate(
    corpus: Corpus, selection: Selection, statistics: Mapping[str, ColumnStatistics]
) -> Bounds | None:
    """Bound a sum or average, if unknown values lie in the range of the known ones.

    Records that meet the condition and do not give the column have a value at either end of the
    range; records for which the condition is unknown are in or out.
    """
    function, name = selection.aggregate or ("", "")
    column = statistics.get(name.lower())
    if column is None or column.type not in {"integer", "number"} or column.minimum is None:
        return None
    low, high = float(str(column.minimum)), float(str(column.maximum))
    condition, measure = selection.definite or "true", quote_name(column.column)
    sql = (
        f"SELECT count({measure}) FILTER ({condition}), sum({measure}) FILTER ({condition}),"  # noqa: S608 - it runs through the guard
        f" count(*) FILTER (({condition}) AND {measure} IS NULL),"
        f" count(*) FILTER (({condition}) IS NULL) FROM {quote_name(corpus.schema().entity)}"
    )
    row = corpus.select(sql, limit=1).rows[0]
    n_known, total, n_without, n_open = (float(str(value or 0)) for value in row)
    if not n_known or not n_without + n_open:
        return None
    if function == "sum":
        lower = total + n_without * low + n_open * min(low, 0.0)
        upper = total + n_without * high + n_open * max(high, 0.0)
    else:
        n_all = n_known + n_without + n_open
        lower = (total + (n_without + n_open) * low) / n_all
        upper = (total + (n_without + n_open) * high) / n_all
    return Bounds(lower, upper, (low, high))
