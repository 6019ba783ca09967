"""Dates that do not fit their column: day and month the other way round, impossible years."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from statistics import median

from srag_mcp.records.normalise import decide_order, find_dates
from srag_mcp.records.normalise.dates import DateText
from srag_mcp.records.standardise.suspicion import StatedValue, Suspicion

_FEWEST = 5
_YEARS_AWAY = 100
_SPREADS_AWAY = 5
_MOST_EXCEPTIONS = 0.1


def suspect_dates(values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find dates that were read in another order than the column proves, or centuries away.

    Where a column proves both orders, all dates that may be either are suspected.
    """
    yield from _other_order(values)
    yield from _far_away(values)


def _other_order(values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    read = [(item, [text for _, text in find_dates(item.as_stated)]) for item in values]
    texts = [text for _, found in read for text in found]
    order, proven = decide_order(texts)
    if not proven:
        return
    doubt = _mixed_orders(texts)
    written = "the day first" if order == "day_first" else "the month first"
    reason = f"other documents of this column write {written}, and this one was read else"
    for item, found in read:
        ambiguous = [text for text in found if text.ambiguous]
        if ambiguous and (doubt or item.value not in {text.on(order) for text in found}):
            yield Suspicion(item.document_id, "date_order", doubt or reason)


def _mixed_orders(texts: Sequence[DateText]) -> str:
    """Say that a column proves both orders; empty where one of them is at most an exception."""
    proofs = Counter(text.order for text in texts if text.order is not None)
    n_day, n_month = proofs["day_first"], proofs["month_first"]
    if min(n_day, n_month) <= _MOST_EXCEPTIONS * (n_day + n_month):
        return ""
    return (
        f"{n_day} dates of this column are written the day first, {n_month} the month first, and"
        " this one may be either: what does its document use?"
    )


def _far_away(values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    years = [item.value.year for item in values if isinstance(item.value, date)]
    if len(years) < _FEWEST:
        return
    middle = median(years)
    spread = median(abs(year - middle) for year in years)
    limit = max(_YEARS_AWAY, _SPREADS_AWAY * spread)
    for item in values:
        if isinstance(item.value, date) and abs(item.value.year - middle) > limit:
            reason = f"most dates are around {int(middle)}, this one is in {item.value.year}"
            yield Suspicion(item.document_id, "impossible", reason)
