"""Bounds: the smallest and largest value an answer can have, whatever the unknown cells hold."""

from collections.abc import Sequence
from dataclasses import dataclass

from srag_mcp.answer.answer import Bounds, ColumnCoverage
from srag_mcp.query.aggregate import Aggregate, has_aggregate, read_aggregate
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.engine import quote_name
from srag_mcp.store.guard import Value

_NO_BOUNDS = "bounds are not worked out for this kind of query"


def find_bounds(corpus: Corpus, sql: str) -> Bounds | None:
    """Bound the one number of *sql*: a count, share, sum or average.

    None when it is none of these, or nothing is unknown.
    """
    found = read_aggregate(sql, corpus.schema())
    if found is None:
        return None
    if found.function == "count":
        return _bound_count(corpus, found)
    if found.function == "share":
        return _bound_share(corpus, found)
    if found.function == "distinct":
        return _bound_distinct(corpus, found)
    return _bound_aggregate(corpus, found) if found.function in {"sum", "avg"} else None


def note_bounds(corpus: Corpus, sql: str, coverage: Sequence[ColumnCoverage]) -> tuple[str, ...]:
    """Say what unknown cells could change where a result has no two bounds, or that it has none.

    `"each count may be up to 3 higher: it is not known where that many documents belong"`; nothing
    of a list of records, and nothing where no column has gaps. A count without any column counts
    the documents that could not be read as well.
    """
    if not coverage:
        n_failed = corpus.info().n_failed
        return (f"{n_failed:,} of the documents could not be read",) if n_failed else ()
    found = read_aggregate(sql, corpus.schema())
    if found is None:
        return (_NO_BOUNDS,) if has_aggregate(sql) else ()
    said = _say_change(corpus, found)
    return (said,) if said else ()


def _say_change(corpus: Corpus, found: Aggregate) -> str:
    if found.function == "groups":
        n_more = _count_ungrouped(corpus, found)
        where = "it is not known where that many documents belong"
        return f"each count may be up to {n_more:,} higher: {where}" if n_more else ""
    if found.function == "decides":
        met, unknown = _count_met(corpus, found)
        change = "" if met else "otherwise"
    elif found.function in {"min", "max"}:
        unknown = _count_distinct(corpus, found)[1]
        change = _change_of_end(corpus, found)
    else:
        return ""
    is_open = bool(unknown and change)
    documents = "1 document" if unknown == 1 else f"{unknown:,} documents"
    return f"it may be {change}: that is not known of {documents}" if is_open else ""


def _change_of_end(corpus: Corpus, found: Aggregate) -> str:
    """Return what a lowest or highest value may be instead: `lower`, for a date `earlier`."""
    types = {item.name.lower(): item.type for item in corpus.schema().attributes}
    is_date = types.get(found.column.lower()) == "date"
    if found.function == "min":
        return "earlier" if is_date else "lower"
    return "later" if is_date else "higher"


def _bound_count(corpus: Corpus, found: Aggregate) -> Bounds | None:
    """Bound a count: a record with unknown cells may or may not meet the condition."""
    met, unknown = _count_met(corpus, found)
    return Bounds(met, met + unknown) if unknown else None


def _count_met(corpus: Corpus, found: Aggregate) -> tuple[int, int]:
    """Count the records that meet the condition, and those not known to meet or to miss it."""
    condition = found.condition
    met, unknown = _count(
        corpus, f"count(*) FILTER ({condition})", f"count(*) FILTER (({condition}) IS NULL)"
    )
    return met, unknown


def _bound_distinct(corpus: Corpus, found: Aggregate) -> Bounds | None:
    """Bound a number of values: each unknown one may be one more."""
    n_values, unknown = _count_distinct(corpus, found)
    return Bounds(n_values, n_values + unknown) if unknown else None


def _count_distinct(corpus: Corpus, found: Aggregate) -> tuple[int, int]:
    """Count the values of the column, and the records that may have one more."""
    column, condition = quote_name(found.column), found.condition
    n_values, unknown = _count(
        corpus,
        f"count(DISTINCT {column}) FILTER ({condition})",
        f"count(*) FILTER (({condition}) IS NULL OR ({condition}) AND {column} IS NULL)",
    )
    return n_values, unknown


def _count_ungrouped(corpus: Corpus, found: Aggregate) -> int:
    """Count the records that may belong to a group in which they are not counted."""
    nowhere = " OR ".join(f"({key}) IS NULL" for key in found.keys)
    condition = found.condition
    unknown = f"({condition}) IS NULL OR ({condition}) AND ({nowhere})"
    [n_more] = _count(corpus, f"count(*) FILTER ({unknown})")
    return n_more


def _bound_share(corpus: Corpus, found: Aggregate) -> Bounds | None:
    """Bound a share: of the records not known to be part of it, none or all are."""
    whole, part = found.condition, found.part
    both = f"({whole}) AND ({part})"
    n_part, n_open, n_not, n_whole = _count(
        corpus,
        f"count(*) FILTER ({both})",
        f"count(*) FILTER (({both}) IS NULL)",
        f"count(*) FILTER (({whole}) AND NOT ({part}))",
        f"count(*) FILTER (({whole}) OR ({whole}) IS NULL AND ({part}) IS DISTINCT FROM true)",
    )
    n_most = n_part + n_open + n_not
    if not n_most or not n_whole or n_most == n_part + n_not == n_whole:
        return None
    lower, upper = found.factor * n_part / n_whole, found.factor * (n_part + n_open) / n_most
    return Bounds(lower, upper) if lower < upper else None


@dataclass(frozen=True, slots=True)
class _Amounts:
    """What is known of a column of numbers under a condition.

    Attributes:
        n_known, total: The values of the records that meet the condition.
        n_without: Records that meet it and have no value.
        n_open: Records with a value, of which it is not known whether they meet it.
        least, most: The smallest and largest of these values.
        below, above: The sums of the negative and of the positive ones.
        n_blank: Records without a value of which this is not known either.
    """

    n_known: float
    total: float
    n_without: float
    n_open: float
    least: float
    most: float
    below: float
    above: float
    n_blank: float


def _bound_aggregate(corpus: Corpus, found: Aggregate) -> Bounds | None:
    """Bound a sum or average, if unknown values lie in the range of the known ones.

    Records that meet the condition and do not give the column have a value at either end of the
    range; records for which the condition is unknown are in or out.
    """
    statistics = {item.column.lower(): item for item in corpus.statistics()}
    column = statistics.get(found.column.lower())
    if column is None or column.type not in {"integer", "number"} or column.minimum is None:
        return None
    low, high = float(str(column.minimum)), float(str(column.maximum))
    known = _read_amounts(corpus, found.condition, quote_name(column.column))
    if not known.n_known or not known.n_without + known.n_open + known.n_blank:
        return None
    if found.function == "sum":
        lower = known.total + known.n_without * low + known.below + known.n_blank * min(low, 0.0)
        upper = known.total + known.n_without * high + known.above + known.n_blank * max(high, 0.0)
    else:
        lower, upper = _average(known, low, known.least), _average(known, high, known.most)
        lower, upper = min(lower, _average(known, low)), max(upper, _average(known, high))
    return Bounds(lower, upper, (low, high))


def _average(known: _Amounts, end: float, of_open: float | None = None) -> float:
    """Average with the unknown values at *end*; the open records at *of_open*, or left out."""
    n_ends = known.n_without + known.n_blank
    n_open = 0.0 if of_open is None else known.n_open
    total = known.total + n_ends * end + n_open * (of_open or 0.0)
    return total / (known.n_known + n_ends + n_open)


def _read_amounts(corpus: Corpus, condition: str, measure: str) -> _Amounts:
    is_open = f"({condition}) IS NULL"
    parts = (
        f"count({measure}) FILTER ({condition})",
        f"sum({measure}) FILTER ({condition})",
        f"count(*) FILTER (({condition}) AND {measure} IS NULL)",
        f"count({measure}) FILTER ({is_open})",
        f"min({measure}) FILTER ({is_open})",
        f"max({measure}) FILTER ({is_open})",
        f"sum({measure}) FILTER ({is_open} AND {measure} < 0)",
        f"sum({measure}) FILTER ({is_open} AND {measure} > 0)",
        f"count(*) FILTER ({is_open} AND {measure} IS NULL)",
    )
    return _Amounts(*(float(str(value or 0)) for value in _select_row(corpus, parts)))


def _count(corpus: Corpus, *counts: str) -> tuple[int, ...]:
    return tuple(int(value or 0) for value in _select_row(corpus, counts))


def _select_row(corpus: Corpus, outputs: Sequence[str]) -> tuple[Value, ...]:
    sql = f"SELECT {', '.join(outputs)} FROM {quote_name(corpus.schema().entity)}"  # noqa: S608 - it runs through the guard
    return corpus.select(sql, limit=1).rows[0]
