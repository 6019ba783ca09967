"""Periods of time in questions, and ranges from one to another."""

from collections.abc import Sequence
from datetime import date

from srag_mcp.offline.translation.period import (
    Found,
    Period,
    day_at,
    day_or_none,
    month_at,
    months_from,
    read_day_month,
    read_single,
    word_at,
    year_after,
)
from srag_mcp.offline.translation.tokens import Token


def read_period(tokens: Sequence[Token], start: int) -> Found | None:
    """Read the period that begins at token *start*; return it and the token after it."""
    single = read_single(tokens, start)
    shared = _read_shared_range(tokens, start)
    if shared is not None:
        return shared
    return None if single is None else _read_range(tokens, start, single)


_LINKS = {"to", "through", "until", "till", "and", "-", "–"}


def _read_shared_range(tokens: Sequence[Token], start: int) -> Found | None:
    """Read ranges whose parts share the month: `1 to 10 January 2021`, `January 1 to 10, 2021`."""
    day = day_at(tokens, start)
    if day is not None and word_at(tokens, day[1]) in _LINKS:
        last = read_day_month(tokens, day[1] + 1)
        if last is None or last[0].low is None or day_at(tokens, day[1] + 1) is None:
            return None
        return _ranged(
            Period(last[0].low.replace(day=day[0]), last[0].low.replace(day=day[0])), last
        )
    month = month_at(tokens, start)
    first = day_at(tokens, start + 1) if month is not None else None
    if month is None or first is None or word_at(tokens, first[1]) not in _LINKS:
        return None
    second = day_at(tokens, first[1] + 1)
    year, after = year_after(tokens, second[1]) if second is not None else (None, 0)
    if second is None or year is None:
        return None
    low, high = day_or_none(year, month, first[0]), day_or_none(year, month, second[0])
    return (
        None
        if low is None or high is None
        else _ranged(Period(low, low), (Period(high, high), after))
    )


def _read_range(tokens: Sequence[Token], start: int, first: Found) -> Found:
    """Extend *first* by `to …`; `and` joins only after `between`."""
    link = word_at(tokens, first[1])
    between = word_at(tokens, start - 1) in {"between", "from"} or word_at(tokens, start - 2) in {
        "between",
        "from",
    }
    if link not in _LINKS or (link in {"and", "-", "–"} and not between):
        return first
    last = read_single(tokens, first[1] + 1 + (word_at(tokens, first[1] + 1) == "the"))
    if last is None or last[0].weekdays or first[0].weekdays:
        return first
    opened = _inherit_year(first[0], last[0])
    if opened.low is None or last[0].low is None:
        return first
    return _ranged(opened, last)


def _inherit_year(first: Period, last: Period) -> Period:
    if first.low is not None or last.low is None or not first.months:
        return first
    year = last.low.year - (first.months[0] > last.low.month)
    if first.day is None:
        return months_from(date(year, first.months[0], 1), 1, "month")
    day = day_or_none(year, first.months[0], first.day)
    return first if day is None else Period(day, day)


def _ranged(first: Period, last: Found) -> Found:
    return Period(first.low, last[0].high, "range", first=first, last=last[0]), last[1]
