"""Periods of time as documents and questions name them: one grammar on top of that of dates.

`find_periods` gives each period with its place; words that say how something stands to it (`in`,
`before`, `since`, `between`) are no part of the place. Nothing is completed from today's date:
`last year` is no period, and `05/06/2020`, whose order only a column decides, is none either.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal, TypeAlias

from srag_mcp.text.spans import Span
from srag_mcp.values.dates import DateText, find_dates
from srag_mcp.values.names import MONTHS, ORDINAL_PARTS, PLAIN_MONTHS, WEEKDAYS

PeriodPrecision: TypeAlias = Literal[
    "day", "month", "quarter", "half", "year", "decade", "weekday", "range"
]


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of time, or a part of every year or week.

    As a condition: a stretch is `low <= column <= high`; a part (*low* and *high* are None) holds
    where month, day of the month and ISO weekday are each among *months*, *days* and *weekdays*;
    an empty one says nothing.

    Attributes:
        low, high: First and last day, both included; None for a part.
        precision: How it was said.
        months: Of any year: `in December`, `between November and February` -> 11, 12, 1, 2.
        days: Of these months: `14 June`.
        weekdays: Of any week, 1 for Monday: `on Sundays`, `at the weekend`.
        first, last: Of a range, its two ends as they were said.
    """

    low: date | None = None
    high: date | None = None
    precision: PeriodPrecision = "day"
    months: tuple[int, ...] = ()
    days: tuple[int, ...] = ()
    weekdays: tuple[int, ...] = ()
    first: "Period | None" = None
    last: "Period | None" = None


Found: TypeAlias = tuple[Span, Period]

_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_ORDINAL = "|".join(sorted(ORDINAL_PARTS, key=len, reverse=True))
_IN_YEAR = r"(?:\s+(?:of|in|im|von|des|de|du|del))?(?:\s+the)?[\s,/-]*(?P<year>[12]\d{3})"
_END = r"(?!\w|[.,/-]\d)"
_QUARTER = re.compile(rf"(?<![\w-])(?P<kind>[QH])(?P<number>[1-4])(?:{_IN_YEAR})?{_END}", re.I)
_NTH_PART = re.compile(
    rf"(?<!\w)(?P<nth>{_ORDINAL}|[1-4](?:st|nd|rd|th|\.))\s+"
    rf"(?P<kind>quarter|half|quartal|halbjahr|hälfte)"
    rf"(?:(?:\s+(?:of|in|des|im))?\s+(?P<month>{_MONTH})\b\.?)?(?:{_IN_YEAR})?{_END}",
    re.IGNORECASE,
)
_DECADE = re.compile(
    rf"(?:(?<![\w'’.,-])(?P<full>[12]\d\d)0|(?:(?<=the\s)|(?<=den\s)|(?<=der\s))['’]?(?P<ten>\d)0"
    rf"|(?<![\w'’])['’](?P<marked>\d)0)(?:['’]?s|er)\b(?:[-\s]?jahren?)?{_END}",
    re.IGNORECASE,
)
_YEARS = re.compile(r"(?<![\w/.,-])([12]\d{3})[-–—]([12]\d{3})(?![\w/-]|[.,]\d)")
_WORD = re.compile(r"[^\W\d_]{3,}")
_TO = r"(?:to|through|thru|until|till|bis|up to|au|al|[-–—])"
_AND = r"(?:and|und|et|y|[&/])"
_LINK = re.compile(rf"\s*(?:(?P<to>{_TO})|{_AND})\s*(?:(?:the|zum|zur|of)\s+)*", re.IGNORECASE)
_RANGE_BEFORE = re.compile(
    r"\b(?:between|from|zwischen|von|vom|entre)\s+(?:the\s+|den\s+|dem\s+)?$", re.IGNORECASE
)
_NTH = r"(?:st|nd|rd|th|\.)?"
_DAY_BEFORE = re.compile(
    rf"(?<![\w:.,/-])(?P<day>\d{{1,2}}){_NTH}\s*(?:(?P<to>{_TO})|{_AND})\s*(?:the\s+)?$", re.I
)
_DAY_AFTER = re.compile(
    rf"\s*(?:(?P<to>{_TO})|{_AND})\s*(?:the\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:./-])"
    rf"(?:\s*,?\s+(?:of\s+)?(?P<year>[12]\d{{3}}){_END})?",
    re.IGNORECASE,
)
# A name of a month that is another word, too, is a month after one of these.
_TIME_BEFORE = re.compile(
    r"\b(?:in|of|during|since|before|after|until|till|by|from|and|or|to|through|between|for|any"
    r"|every|each|month|im|seit|vor|nach|bis|ab|zwischen|und|oder|monat)\s+$",
    re.IGNORECASE,
)
_NEAR = 40


def find_periods(text: str) -> list[Found]:
    """Find the periods that *text* names, in order, and where; they do not overlap.

    `from 3 May to 10 June 2020` -> 3 May to 10 June 2020; `Q3 2018`, `the second half of 2017`,
    `the 1990s`, `between November and February`, `on Sundays`, `14 June`, `2001-2006`
    """
    apart: list[tuple[Span, Period | None]] = []
    for found in sorted((*_dated(text), *_named(text)), key=lambda f: (f[0].start, -f[0].end)):
        if not apart or found[0].start >= apart[-1][0].end:
            apart.append(found)
    singles = [(span, period) for span, period in apart if period is not None]
    return list(_joined(text, singles))


def is_one_of_several(text: str, span: Span) -> bool:
    """Return whether the date at *span* shares its month or year with one before it.

    `5-7 March 2020`, `30 May and 2 June 2020`: the first day has no year of its own.
    """
    if not any(map(str.isalpha, span.of(text))):
        return False
    if _DAY_BEFORE.search(text, max(0, span.start - _NEAR), span.start):
        return True
    before = text[max(0, span.start - _NEAR) : span.start]
    days = (place for place, day in find_dates(before, partial=True) if day.year is None)
    return any(_LINK.fullmatch(before, place.end) for place in days)


def months_from(year: int, month: int, n_months: int, precision: PeriodPrecision) -> Period:
    """Return the period of *n_months* from the first of *month*."""
    after = year * 12 + month - 1 + n_months
    high = date(after // 12, after % 12 + 1, 1) - timedelta(days=1)
    return Period(date(year, month, 1), high, precision)


def _dated(text: str) -> Iterator[tuple[Span, Period | None]]:
    """Yield the dates; None for one that is impossible or open, whose words mean nothing else."""
    for span, found in find_dates(text, partial=True):
        # `5 May 21 rooms`: two digits are a year only where a mark says so
        sure = not found.two_digits or any(mark in span.of(text) for mark in "'’./-")
        yield span, _of_date(found) if sure and not found.ambiguous else None


def _of_date(found: DateText) -> Period | None:
    if found.year is None:
        return Period(months=(found.month or 0,), days=(found.day or 0,))
    if found.quarter is not None:
        return months_from(found.year, 3 * found.quarter - 2, 3, "quarter")
    if found.month is None:
        return Period(date(found.year, 1, 1), date(found.year, 12, 31), "year")
    if found.day is None:
        return months_from(found.year, found.month, 1, "month")
    day = found.on()
    return None if day is None else Period(day, day)


def _named(text: str) -> Iterator[Found]:
    for match in _QUARTER.finditer(text):
        if match["kind"] in "Qq" or match["number"] in "12":
            months = 3 if match["kind"] in "Qq" else 6
            yield _place(match), _part_of_year(match["year"], int(match["number"]), months)
    for match in _NTH_PART.finditer(text):
        part = _nth_part(match)
        if part is not None:
            yield _place(match), part
    for match in _DECADE.finditer(text):
        tens = int(match["full"] or 0) or _tens(int(match["ten"] or match["marked"]))
        yield _place(match), Period(date(10 * tens, 1, 1), date(10 * tens + 9, 12, 31), "decade")
    for match in _YEARS.finditer(text):
        years = _range(*(months_from(int(year), 1, 12, "year") for year in match.groups()))
        if years is not None:
            yield _place(match), years
    for match in _WORD.finditer(text):
        word = match.group().lower()
        if word in WEEKDAYS:
            yield _place(match), Period(precision="weekday", weekdays=WEEKDAYS[word])
        elif word in PLAIN_MONTHS or (word in MONTHS and _is_month(text, match)):
            yield _place(match), Period(precision="month", months=(MONTHS[word],))


def _place(match: re.Match[str]) -> Span:
    return Span(*match.span())


def _tens(digit: int) -> int:
    return 190 + digit if digit >= 3 else 200 + digit


def _part_of_year(year: str | None, number: int, n_months: int) -> Period:
    precision: PeriodPrecision = "quarter" if n_months == 3 else "half"
    first = (number - 1) * n_months + 1
    if year is not None:
        return months_from(int(year), first, n_months, precision)
    return Period(precision=precision, months=tuple(range(first, first + n_months)))


def _nth_part(match: re.Match[str]) -> Period | None:
    """Read `the first quarter of 2018`, `second half of January 2021`; `last quarter` is none."""
    nth, kind = match["nth"].lower(), match["kind"].lower()
    months = 3 if kind in {"quarter", "quartal"} else 6
    number = ORDINAL_PARTS.get(nth) or (0 if nth in ORDINAL_PARTS else int(nth[0]))
    if match["year"] is None and (number == 0 or kind in {"half", "hälfte"}):
        return None
    if number > 12 // months:
        return None
    if match["month"] is None:
        return _part_of_year(match["year"], number or 12 // months, months)
    if months == 3 or match["year"] is None:
        return None
    whole = months_from(int(match["year"]), MONTHS[match["month"].lower()], 1, "month")
    assert whole.low is not None
    if number == 1:
        return replace(whole, high=whole.low.replace(day=15), precision="half")
    return replace(whole, low=whole.low.replace(day=16), precision="half")


def _is_month(text: str, match: re.Match[str]) -> bool:
    """Return whether a word that may be another one, such as `may`, names a month here."""
    capital = match.group()[0].isupper() and match.start() > 0
    return (
        capital
        or _TIME_BEFORE.search(text, max(0, match.start() - _NEAR), match.start()) is not None
    )


def _joined(text: str, singles: Sequence[Found]) -> Iterator[Found]:
    """Join `A to B`, and `A and B` after `between`; give every first end the year of the second."""
    end = 0
    for place, (span, period) in enumerate(singles):
        if span.start < end:
            continue
        after = singles[place + 1] if place + 1 < len(singles) else None
        found = (
            _with_shared_month(text, span, period, after)
            or (after and _linked(text, (span, period), after))
            or (span, period)
        )
        end = found[0].end
        yield found


def _linked(text: str, first: Found, last: Found) -> Found | None:
    link = _LINK.fullmatch(text, first[0].end, last[0].start)
    if link is None or not (link["to"] or _is_opened(text, first[0].start)):
        return None
    whole = _range(first[1], last[1])
    return (Span(first[0].start, last[0].end), whole) if whole else None


def _is_opened(text: str, start: int) -> bool:
    return _RANGE_BEFORE.search(text, max(0, start - _NEAR), start) is not None


def _with_shared_month(
    text: str, span: Span, period: Period, following: Found | None
) -> Found | None:
    """Read `1 to 10 January 2021` and `January 1 to 10, 2021`."""
    if period.precision != "day" or not any(map(str.isalpha, span.of(text))):
        return None
    before = _DAY_BEFORE.search(text, max(0, span.start - _NEAR), span.start)
    if before and (before["to"] or _is_opened(text, before.start())):
        first = _on_day(period, int(before["day"]))
        whole = _range(first, period) if first else None
        return (Span(before.start(), span.end), whole) if whole else None
    after = _DAY_AFTER.match(text, span.end) if period.low is None else None
    if after is None or not (after["to"] or _is_opened(text, span.start)):
        return None
    if following and following[0].start == after.start("day"):
        return None
    opened = _dated_on(period, int(after["year"])) if after["year"] else period
    last = _on_day(opened, int(after["day"])) if opened else None
    whole = _range(opened, last) if opened and last else None
    return (Span(span.start, after.end()), whole) if whole else None


def _dated_on(period: Period, year: int) -> Period | None:
    return _of_date(DateText(year, period.months[0], period.days[0]))


def _on_day(period: Period, day: int) -> Period | None:
    """Return *period*, a day, moved to another *day* of its month."""
    if period.low is None:
        return replace(period, days=(day,)) if 1 <= day <= 31 else None
    return _of_date(DateText(period.low.year, period.low.month, day))


def _range(first: Period, last: Period) -> Period | None:
    """Return the period from *first* to *last*; None where they make none."""
    if first.low is None and last.low is not None and first.months:
        opened = _in_year_of(first, last.low)
    else:
        opened = first
    if opened is not None and opened.low and last.low and last.high:
        fits = opened.low <= last.low and (opened.high or opened.low) < last.high
        return Period(opened.low, last.high, "range", first=opened, last=last) if fits else None
    if first.low is not None or last.low is not None:
        return None
    return _range_of_parts(first, last)


def _in_year_of(first: Period, low: date) -> Period | None:
    year = low.year - (first.months[0] > low.month)
    if first.days:
        return _of_date(DateText(year, first.months[0], first.days[0]))
    return months_from(year, first.months[0], len(first.months), first.precision)


def _range_of_parts(first: Period, last: Period) -> Period | None:
    if first.weekdays and last.weekdays:
        days = _around(first.weekdays[0], last.weekdays[-1], 7)
        return Period(None, None, "range", (), (), days, first, last)
    if first.days and first.months == last.months and first.days < last.days:
        days = tuple(range(first.days[0], last.days[-1] + 1))
        return Period(None, None, "range", first.months, days, (), first, last)
    if first.months and last.months and not first.days and not last.days:
        months = _around(first.months[0], last.months[-1], 12)
        return Period(None, None, "range", months, (), (), first, last)
    return None


def _around(first: int, last: int, size: int) -> tuple[int, ...]:
    """Count from *first* to *last* in a circle: `11, 2, 12` -> 11, 12, 1, 2."""
    return tuple((first - 1 + step) % size + 1 for step in range((last - first) % size + 1))
