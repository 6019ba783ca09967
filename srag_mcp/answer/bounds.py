"""Bounds: the smallest and largest value an answer can have, whatever the unknown cells hold."""

from dataclasses import dataclass

from srag_mcp.answer.answer import Bounds
from srag_mcp.answer.record_totals import count_distinct, count_met, count_records, select_totals
from srag_mcp.query.aggregate import Aggregate
from srag_mcp.query.aggregate_reader import read_aggregate
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.engine import quote_name


def find_bounds(corpus: Corpus, sql: str) -> Bounds | None:
    """Bound the one number of *sql*: a count, share, sum or average.

    None when it is none of these, or nothing is unknown.
    """
    found = read_aggregate(sql, corpus.schema())
    return None if found is None else bound_number(corpus, found)


def bound_number(corpus: Corpus, found: Aggregate) -> Bounds | None:
    """Bound a number that was read from a query."""
    if found.function == "count":
        return _bound_count(corpus, found)
    if found.function == "share":
        return _bound_share(corpus, found)
    if found.function == "distinct":
        return _bound_distinct(corpus, found)
    return _bound_amount(corpus, found) if found.function in {"sum", "avg"} else None


def _bound_count(corpus: Corpus, found: Aggregate) -> Bounds | None:
    """Bound a count: a record with unknown cells may or may not meet the condition."""
    met, unknown = count_met(corpus, found)
    return Bounds(met, met + unknown) if unknown else None


def _bound_distinct(corpus: Corpus, found: Aggregate) -> Bounds | None:
    """Bound a number of values: each unknown one may be one more."""
    n_values, unknown = count_distinct(corpus, found)
    return Bounds(n_values, n_values + unknown) if unknown else None


def _bound_share(corpus: Corpus, found: Aggregate) -> Bounds | None:
    """Bound a share: of the records not known to be part of it, none or all are."""
    whole, part = found.condition, found.part
    both = f"({whole}) AND ({part})"
    n_part, n_open, n_not, n_whole = count_records(
        corpus,
        both,
        f"({both}) IS NULL",
        f"({whole}) AND NOT ({part})",
        f"({whole}) OR ({whole}) IS NULL AND ({part}) IS DISTINCT FROM true",
    )
    n_most = n_part + n_open + n_not
    if not n_most or not n_whole or n_most == n_part + n_not == n_whole:
        return None
    lower, upper = found.factor * n_part / n_whole, found.factor * (n_part + n_open) / n_most
    return Bounds(lower, upper) if lower < upper else None


@dataclass(frozen=True, slots=True)
class Amounts:
    """What is known of a column of numbers under a condition.

    Attributes:
        n_known, total: The values of the records that meet the condition.
        n_without: Records that meet it and have no value.
        n_open: Records with a value, of which it is not known whether they meet it.
        below, above: The sums of the negative and of the positive ones.
        n_blank: Records without a value of which this is not known either.
    """

    n_known: float
    total: float
    n_without: float
    n_open: float
    below: float
    above: float
    n_blank: float


def read_amounts(corpus: Corpus, found: Aggregate) -> Amounts:
    """Add up the column of a sum or average."""
    condition, measure = found.condition, quote_name(found.column)
    is_open = f"({condition}) IS NULL"
    outputs = (
        f"count({measure}) FILTER ({condition})",
        f"sum({measure}) FILTER ({condition})",
        f"count(*) FILTER (({condition}) AND {measure} IS NULL)",
        f"count({measure}) FILTER ({is_open})",
        f"sum({measure}) FILTER ({is_open} AND {measure} < 0)",
        f"sum({measure}) FILTER ({is_open} AND {measure} > 0)",
        f"count(*) FILTER ({is_open} AND {measure} IS NULL)",
    )
    return Amounts(*(float(str(value or 0)) for value in select_totals(corpus, outputs)))


def _bound_amount(corpus: Corpus, found: Aggregate) -> Bounds | None:
    """Bound a sum or average, if unknown values lie in the range of the known ones.

    Records that meet the condition and do not give the column have a value at either end of the
    range; records for which the condition is unknown are in or out.
    """
    statistics = {item.column.lower(): item for item in corpus.statistics()}
    column = statistics.get(found.column.lower())
    if column is None or not column.type.is_numeric or column.minimum is None:
        return None
    low, high = float(str(column.minimum)), float(str(column.maximum))
    known = read_amounts(corpus, found)
    if not known.n_known or not known.n_without + known.n_open + known.n_blank:
        return None
    if found.function == "sum":
        lower = known.total + known.n_without * low + known.below + known.n_blank * min(low, 0.0)
        upper = known.total + known.n_without * high + known.above + known.n_blank * max(high, 0.0)
    else:
        lower = _end_of_average(corpus, found, known, low)
        upper = _end_of_average(corpus, found, known, high, is_upper=True)
    return Bounds(lower, upper, (low, high) if known.n_without + known.n_blank else None)


def _end_of_average(
    corpus: Corpus, found: Aggregate, known: Amounts, end: float, *, is_upper: bool = False
) -> float:
    """Return the lowest average that can be, with unknown values at *end*, or the highest.

    Of the records that may belong, the lowest values are taken in as long as they lower it.
    """
    better, order = (max, "DESC") if is_upper else (min, "ASC")
    total, n_all = known.total + known.n_without * end, known.n_known + known.n_without
    with_blank = better(total / n_all, (total + known.n_blank * end) / (n_all + known.n_blank))
    if not known.n_open:
        return with_blank
    if with_blank != total / n_all:
        total, n_all = total + known.n_blank * end, n_all + known.n_blank
    measure, entity = quote_name(found.column), quote_name(corpus.schema().entity)
    sql = (
        f"SELECT {better.__name__}(({total!r} + summed) / ({n_all!r} + n)) FROM"  # noqa: S608 - it runs through the guard
        f" (SELECT sum({measure}::DOUBLE) OVER running AS summed, row_number() OVER running AS n"
        f" FROM {entity} WHERE ({found.condition}) IS NULL AND {measure} IS NOT NULL"
        f" WINDOW running AS (ORDER BY {measure} {order} ROWS UNBOUNDED PRECEDING))"
    )
    [[with_open]] = corpus.select(sql, limit=1).rows
    return better(with_blank, float(str(with_open)))
