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
_FEWEST, _FEWEST_ALIKE = 5, 3
_MOST, _MOST_LONELY, _MOST_EXCEPTIONS = 0.5, 0.1, 0.1
_YEARS_AWAY, _SPREADS_AWAY = 100, 5
_LONELY_YEARS_AWAY, _LONELY_SPREADS_AWAY = 40, 10
_ALONE = 25


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
    proofs = Counter(text.order for text in texts if text.order is not None)
    n_day, n_month = proofs["day_first"], proofs["month_first"]
    is_mixed = min(n_day, n_month) > _MOST_EXCEPTIONS * (n_day + n_month)
    written = "the day first" if order == "day_first" else "the month first"
    reason = f"other documents of this column write {written}, and this one was read else"
    if is_mixed:
        reason = (
            f"{n_day} dates of this column are written the day first, {n_month} the month first,"
            " and this one may be either: what does its document use?"
        )
    kind: SuspicionKind = "date_orders" if is_mixed else "date_order"
    for item, found in read:
        is_ambiguous = any(text.ambiguous for text in found)
        if is_ambiguous and (is_mixed or item.value not in {text.on(order) for text in found}):
            yield Suspicion(item.document_id, kind, reason)


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


def suspect_years(attribute: Attribute, values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find whole numbers that are no years in a column of years, and years far from the others."""
    if not attribute.type.is_whole or column_unit(attribute) not in (None, "year"):
        return
    if sum(_FIRST_YEAR <= item.number <= _LAST_YEAR for item in values) <= _MOST * len(values):
        return
    if not speaks_of_years(attribute):
        return  # numbers of invoices and heights of hills look like years, too
    n_quoted = sum(
        any(found.year == item.number for found in item.figures.dates)
        for item in values
        if _FIRST_YEAR <= item.number <= _LAST_YEAR
    )
    if n_quoted < _FEWEST_ALIKE or n_quoted <= _MOST * len(values):
        return
    for item in values:
        is_said = item.number <= _LAST_YEAR and item.figures.has(item.number)
        if not (_FIRST_YEAR <= item.number <= _LAST_YEAR or is_said):
            reason = f"{n_quoted} values are years, this one is none"
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
    middle, counts = median(years.values()), Counter(years.values())
    spread = median(abs(year - middle) for year in years.values())
    far = max(_YEARS_AWAY, _SPREADS_AWAY * spread)
    lonely = max(_LONELY_YEARS_AWAY, _LONELY_SPREADS_AWAY * spread)
    for document_id, year in years.items():
        away = abs(year - middle)
        is_alone = counts[year] == 1 and all(
            abs(year - other) > _ALONE for other in counts if other != year
        )
        if (away > far and not only_lonely) or (away > lonely and is_alone):
            reason = f"most {what} are around {int(middle)}, this one is in {year}"
            yield Suspicion(document_id, "impossible", reason)
