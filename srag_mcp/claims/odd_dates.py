"""Dates and years that do not fit their column: another order of day and month, far away."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from statistics import median

from srag_mcp.claims.figures import column_unit, speaks_of_years
from srag_mcp.claims.stated_values import StatedValue, Suspicion, SuspicionKind
from srag_mcp.schema.attribute import Attribute
from srag_mcp.values.dates import DateOrder, DateText, decide_order, find_dates

_FIRST_YEAR, _LAST_YEAR = 1000, 2199
_FEWEST = 5
_FEWEST_ALIKE = 3
_MOST = 0.5
_YEARS_AWAY, _SPREADS_AWAY = 100, 5
_LONELY_YEARS_AWAY, _LONELY_SPREADS_AWAY = 40, 10
_ALONE = 25
_MOST_LONELY = 0.1


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


def suspect_years(attribute: Attribute, values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find whole numbers that are no years in a column of years, and years far from the others."""
    if not attribute.type.is_whole or column_unit(attribute) not in (None, "year"):
        return
    if sum(_FIRST_YEAR <= item.number <= _LAST_YEAR for item in values) <= _MOST * len(values):
        return
    if not speaks_of_years(attribute):
        return  # numbers of invoices and heights of hills look like years, too
    years = [item for item in values if _is_quoted_year(item)]
    if len(years) < _FEWEST_ALIKE or len(years) <= _MOST * len(values):
        return
    for item in values:
        is_said = item.number <= _LAST_YEAR and item.figures.has(item.number)
        if not (_FIRST_YEAR <= item.number <= _LAST_YEAR or is_said):
            reason = f"{len(years)} values are years, this one is none"
            yield Suspicion(item.document_id, "impossible", reason)
    by_document = {item.document_id: int(item.number) for item in values}
    lonely = list(far_away(by_document, "years", only_lonely=True))
    if len(lonely) <= max(1, _MOST_LONELY * len(values)):
        yield from lonely


def far_away(
    years: Mapping[str, int], what: str, *, only_lonely: bool = False
) -> Iterator[Suspicion]:
    """Find the years, by document id, that are far from most *what* (`dates`).

    100 years are far, or 40 where the others lie close together and none is near (*only_lonely*:
    only those; some things are much older than most of their kind).
    """
    if len(years) < _FEWEST:
        return
    middle, spread = median(years.values()), _spread(list(years.values()))
    far = max(_YEARS_AWAY, _SPREADS_AWAY * spread)
    lonely = max(_LONELY_YEARS_AWAY, _LONELY_SPREADS_AWAY * spread)
    counts = Counter(years.values())
    for document_id, year in years.items():
        away = abs(year - middle)
        is_far = away > far and not only_lonely
        if is_far or (away > lonely and _is_alone(year, counts)):
            reason = f"most {what} are around {int(middle)}, this one is in {year}"
            yield Suspicion(document_id, "impossible", reason)


def _spread(years: Sequence[float]) -> float:
    middle = median(years)
    return median(abs(year - middle) for year in years)


def _is_alone(year: int, counts: Mapping[int, int]) -> bool:
    others = (other for other in counts if other != year)
    return counts[year] == 1 and all(abs(year - other) > _ALONE for other in others)


def _is_quoted_year(item: StatedValue) -> bool:
    if not _FIRST_YEAR <= item.number <= _LAST_YEAR:
        return False
    return any(found.year == item.number for found in item.figures.dates)
