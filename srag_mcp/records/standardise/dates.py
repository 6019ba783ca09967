"""Dates that do not fit their column: day and month the other way round, impossible years."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date

from srag_mcp.records.standardise.suspicion import StatedValue, Suspicion, SuspicionKind
from srag_mcp.records.standardise.years import far_away
from srag_mcp.values.dates import DateOrder, DateText, decide_order, find_dates

_MOST_EXCEPTIONS = 0.1


def suspect_dates(values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find dates that were read in another order than the column proves, or far away.

    Where a column proves both orders, all dates that may be either are suspected; where it proves
    none, those that were read in another order than most.
    """
    yield from _other_order(values)
    years = {item.document_id: item.value.year for item in values if isinstance(item.value, date)}
    yield from far_away(years, "dates")


def _other_order(values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    read = [(item, [text for _, text in find_dates(item.as_stated)]) for item in values]
    texts = [text for _, found in read for text in found]
    order, proven = decide_order(texts)
    if not proven:
        yield from _read_otherwise(read)
        return
    doubt = _mixed_orders(texts)
    written = "the day first" if order == "day_first" else "the month first"
    reason = f"other documents of this column write {written}, and this one was read else"
    for item, found in read:
        ambiguous = [text for text in found if text.ambiguous]
        if ambiguous and (doubt or item.value not in {text.on(order) for text in found}):
            kind: SuspicionKind = "date_orders" if doubt else "date_order"
            yield Suspicion(item.document_id, kind, doubt or reason)


def _read_otherwise(
    read: Sequence[tuple[StatedValue, Sequence[DateText]]],
) -> Iterator[Suspicion]:
    """Find the dates that were read with the month first where most have the day first, or so."""
    orders: dict[DateOrder, list[StatedValue]] = {"day_first": [], "month_first": []}
    for item, found in read:
        days, months = ({text.on(order) for text in found if text.ambiguous} for order in orders)
        if item.value in days ^ months:
            orders["day_first" if item.value in days else "month_first"].append(item)
    rare, usual = sorted(orders.values(), key=len)
    reason = (
        f"{len(usual)} dates of this column that may be either were read in one order of day and"
        f" month, {len(rare)} in the other: what does its document use?"
    )
    for item in [*rare, *usual] if len(rare) == len(usual) else rare:
        yield Suspicion(item.document_id, "date_orders", reason)


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
