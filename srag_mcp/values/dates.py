"""Dates and periods in a text: found with their precision, completed by nothing.

`3/4/2020` may be March or April: the order is decided on a whole column (`decide_order`), never on
one value and never from today's date. `find_dates` finds days, and what documents give of one;
`find_periods` what questions name as well: parts of years, ranges, weekdays. Words that say how
something stands to a period (`in`, `before`) are no part of its place; `last year` is none.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal, TypeAlias

from srag_mcp.text.spans import Span
from srag_mcp.text.words import lettered
from srag_mcp.values.states import MONTHS, ORDINAL_DAYS, ORDINAL_PARTS, PLAIN_MONTHS, WEEKDAYS

DateOrder: TypeAlias = Literal["day_first", "month_first"]
Precision: TypeAlias = Literal["day", "month", "quarter", "year"]
PeriodPrecision: TypeAlias = Precision | Literal["half", "decade", "weekday", "range"]

_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_ORDINAL_DAY = "|".join(sorted(ORDINAL_DAYS, key=len, reverse=True))
_YEAR = r"(?:[12]\d{3}(?!\d)|['’]?\d{2}(?![\d:.,]\d|\d))"
_JOIN = r"(?:\s?[-/.,]\s?|\s+|\s*,\s*)"
_OF = r"(?:\s*day)?(?:\s+(?:of|de|di|do|del|van)\s+(?:the\s+)?)?"

_NUMERIC = re.compile(
    r"(?<![\d.,/-])(?=\d)(?:(?P<y>[12]\d{3})(?:(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})"
    r"|(?:年)(?P<m2>\d{1,2})月(?P<d2>\d{1,2})日)(?!\d)"
    r"|(?P<a>\d{1,2})(?P<t>\s?[-/.]\s?)(?P<b>\d{1,2})(?P=t)(?P<yy>[12]\d{3}|['’]?\d{2}))"
    r"(?![\d]|[-/]\d|[.,]\d)"
)
_NAMED = re.compile(
    rf"(?<!\w)(?:(?P<d1>\d{{1,2}}|{_ORDINAL_DAY})(?:st|nd|rd|th|er|º|ª|o(?=\s))?\.?{_OF}{_JOIN}?"
    rf"(?P<m1>{_MONTH})(?![^\W\d_])\.?(?:{_JOIN}?(?:(?:of|de|di|do|del)\s+)?(?P<y1>{_YEAR}))?"
    rf"|(?P<y2>[12]\d{{3}}){_JOIN}(?P<m2>{_MONTH})(?!\w)\.?{_JOIN}(?P<d2>\d{{1,2}})(?!\d)"
    rf"|(?P<m3>{_MONTH})(?!\w)\.?(?:{_JOIN}?(?P<d3>\d{{1,2}})(?![\d:/])(?:st|nd|rd|th)?"
    rf"(?:{_JOIN}(?P<y3>[12]\d{{3}}(?!\d)|['’]\d{{2}}(?!\d)))?"
    rf"|(?:{_JOIN}(?:(?:of|de|di|do|del)\s+)?(?P<y4>[12]\d{{3}}(?!\d)|['’]\d{{2}}(?!\d)))))",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_DIGITS = re.compile(r"\d+|Q")
_LONG_WORD = re.compile(r"[^\W\d_]{3,}")
# a word that begins as a month does: the letter stands first, for places to be found by it
_INITIALS = "".join({letter for name in MONTHS for letter in (name[0], name[0].upper())})
_INITIAL = re.compile(rf"[{_INITIALS}](?<![^\W\d_].)[^\W\d_]{{2,}}")
_BEFORE_MONTH, _AFTER_MONTH = 40, 24
_PARTIAL = re.compile(
    r"(?<![\w/.,-])(?:(?:Q(?P<q1>[1-4])[\s/-]?(?P<qy1>[12]\d{3})|(?P<qy2>[12]\d{3})[\s/-]?Q(?P<q2>[1-4]))"
    r"|(?P<my>[12]\d{3})[-/](?P<mm>0[1-9]|1[0-2])|(?P<mm2>0?[1-9]|1[0-2])/(?P<my2>[12]\d{3})"
    r"|(?P<year>1\d{3}|20\d{2}|21\d{2}))(?![\w/-]|[.,]\d)"
)
_COMPACT = re.compile(r"\s*([12]\d{3})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])\s*")
_PIVOT, _CENTURY = 69, 100
_MONTHS_A_YEAR = 12
_ENOUGH = 4


@dataclass(frozen=True, slots=True)
class DateText:
    """A date as a text gives it, perhaps in part.

    *year* is None where the text gives none ("5 March"). A numeric date whose order is open has
    *ambiguous* set, and *day* and *month* as in day-first order. *two_digits*: the century is ours.
    *order* is what a numeric date with a day over 12 proves about its column.
    """

    year: int | None
    month: int | None = None
    day: int | None = None
    quarter: int | None = None
    ambiguous: bool = False
    two_digits: bool = False
    order: DateOrder | None = None

    @property
    def precision(self) -> Precision:
        """How much the text gives."""
        if self.quarter is not None:
            return "quarter"
        return "day" if self.day is not None else "month" if self.month is not None else "year"

    def on(self, order: DateOrder = "day_first") -> date | None:
        """Return the day it means; None where it is partial or impossible."""
        if self.year is None or self.month is None or self.day is None:
            return None
        month, day = self.month, self.day
        if self.ambiguous and order == "month_first":
            month, day = day, month
        try:
            return date(self.year, month, day)
        except ValueError:
            return None


def find_dates(text: str, *, partial: bool = False) -> list[tuple[Span, DateText]]:
    """Find the dates of running text, in order.

    With *partial* also what is less than a day: months, quarters and years ("March 2021",
    "Q3 2021", "2019") and days without a year.
    """
    if not partial and _DIGIT.search(text) is None:  # of the year
        return []
    read = [(match, _numeric(match)) for match in _find_at_digits(_NUMERIC, text)]
    for start, end in _near_months(text):
        read += [(match, _named(match)) for match in _NAMED.finditer(text, start, end)]
    found = [
        (_place(match), given)
        for match, given in read
        if given and (partial or (given.year is not None and given.day is not None))
    ]
    taken = [span for span, _ in found]
    for match in _find_at_digits(_PARTIAL, text) if partial else ():
        quarter, month = match["q1"] or match["q2"], match["mm"] or match["mm2"]
        year = match["qy1"] or match["qy2"] or match["my"] or match["my2"] or match["year"]
        if not any(map(_place(match).overlaps, taken)):
            given = DateText(int(year), int(month) if month else None)
            found.append((_place(match), replace(given, quarter=int(quarter or 0) or None)))
    return sorted(found, key=lambda item: item[0].start)


def _find_at_digits(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield what `finditer` does of a pattern that begins at digits or a Q, in half of its time."""
    end = 0
    for run in _DIGITS.finditer(text):
        if run.start() >= end and (match := pattern.match(text, run.start())):
            end = match.end()
            yield match


def read_date(text: str, order: DateOrder = "day_first") -> date | None:
    """Read the one date of *text*; None where there is none, several, a partial or impossible one.

    `10 MAR 2018 18:24` -> 2018-03-10; `5th day of March, 2004` -> 2004-03-05; `March 2021` -> None
    """
    if compact := _COMPACT.fullmatch(text):
        year, month, day = map(int, compact.groups())
        return DateText(year, month, day).on()
    days = {found.on(order) for _, found in find_dates(text)}
    return days.pop() if len(days) == 1 else None


_BARE_DAY = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2?")


def is_bare_day(text: str) -> bool:
    """Whether a text is a day without a year, and nothing else: `22.01.`, `3 May`."""
    if match := _BARE_DAY.fullmatch(text.strip()):
        low, high = sorted((int(match[1]), int(match[3])))
        return 0 < low <= _MONTHS_A_YEAR and high <= 31
    found = find_dates(text, partial=True)
    is_whole = len(found) == 1 and len(text.strip()) <= found[0][0].end - found[0][0].start + 1
    return is_whole and found[0][1].year is None and found[0][1].day is not None


def with_year(text: str, year: int) -> str:
    """Return a day without a year with it: `22.01.` -> `22.01.2025`, `3 May` -> `3 May 2025`."""
    match = _BARE_DAY.fullmatch(text.strip())
    return f"{text.strip().rstrip('./-')}{match[2] if match else ' '}{year}"


def _near_months(text: str) -> Iterator[tuple[int, int]]:
    """Yield the stretches around names of months: a regular expression over all text is slow."""
    start = end = 0
    for word in () if MONTHS.keys().isdisjoint(lettered(text)) else _INITIAL.finditer(text):
        if word.group().lower() not in MONTHS:
            continue
        if word.start() - _BEFORE_MONTH > end:
            if end:
                yield start, end
            start = max(0, word.start() - _BEFORE_MONTH)
        end = word.end() + _AFTER_MONTH
    if end:
        yield start, end


def _numeric(match: re.Match[str]) -> DateText | None:
    if match["y"]:
        month, day = int(match["m"] or match["m2"]), int(match["d"] or match["d2"])
        return DateText(int(match["y"]), month, day)
    first, second = int(match["a"]), int(match["b"])
    year, two_digits = _year(match["yy"])
    if two_digits and not (0 < min(first, second) <= 12 and max(first, second) <= 31):
        return None
    if second > _MONTHS_A_YEAR >= first:
        return DateText(year, first, second, two_digits=two_digits, order="month_first")
    open_order = max(first, second) <= _MONTHS_A_YEAR
    ambiguous = open_order and first != second
    order: DateOrder | None = None if open_order else "day_first"
    return DateText(year, second, first, None, ambiguous, two_digits, order)


def _named(match: re.Match[str]) -> DateText | None:
    name = match["m1"] or match["m2"] or match["m3"]
    written = match["y1"] or match["y2"] or match["y3"] or match["y4"]
    number = match["d1"] or match["d2"] or match["d3"]
    if written is None and (len(name) < 3 or not number):
        return None
    year, two_digits = _year(written) if written else (None, False)
    day = (ORDINAL_DAYS.get(number.lower()) or int(number)) if number else None
    return DateText(year, MONTHS[name.lower()], day, two_digits=two_digits)


def _year(text: str) -> tuple[int, bool]:
    """Return the year, and whether its century is ours."""
    digits = text.lstrip("'’")
    if len(digits) == 4:
        return int(digits), False
    return int(digits) + (2000 if int(digits) < _PIVOT else 1900), True


def decide_order(dates: Sequence[DateText]) -> tuple[DateOrder, bool]:
    """Decide on a whole column whether the day or the month is written first.

    Returns the order, and whether it is proven: by a day over 12, or by a field that never changes
    (the first of each month). Nothing proven means day first.
    """
    proofs = Counter(found.order for found in dates if found.order is not None)
    if proofs:
        is_month_first = proofs["month_first"] > proofs["day_first"]
        return "month_first" if is_month_first else "day_first", True
    open_dates = [found for found in dates if found.ambiguous or found.month == found.day]
    firsts = {found.day for found in open_dates}
    seconds = {found.month for found in open_dates}
    if len(open_dates) < _ENOUGH or 1 not in (len(firsts), len(seconds)):
        return "day_first", not any(found.ambiguous for found in dates)
    if len(firsts) == 1:
        return ("day_first" if firsts == {1} else "month_first"), True
    return ("month_first" if seconds == {1} else "day_first"), True


def decide_century(dates: Sequence[DateText], today: date) -> int:
    """Decide on a whole column in which hundred years those of two digits lie: return the last one.

    Around the full years, where there are some. Else up to 2068, as POSIX has it, or up to *today*,
    in whichever they lie closer together: those of `46` to `25` do so from 1946 on.
    """
    if years := sorted(found.year for found in dates if found.year and not found.two_digits):
        return years[len(years) // 2] + _CENTURY // 2 - 1
    short = [found for found in dates if found.year]
    spans = {n: [with_century(x, n).year or n for x in short] for n in (1999 + _PIVOT, today.year)}
    return min(spans, key=lambda n: max(spans[n], default=n) - min(spans[n], default=n))


def with_century(found: DateText, last: int) -> DateText:
    """Move a year of two digits into the hundred years that end with *last*."""
    if not found.two_digits or found.year is None:
        return found
    return replace(found, year=last - (last - found.year) % _CENTURY)


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
    """

    low: date | None = None
    high: date | None = None
    precision: PeriodPrecision = "day"
    months: tuple[int, ...] = ()
    days: tuple[int, ...] = ()
    weekdays: tuple[int, ...] = ()


Found: TypeAlias = tuple[Span, Period]

_ORDINAL = "|".join(sorted(ORDINAL_PARTS, key=len, reverse=True))
_IN_YEAR = r"(?:\s+(?:of|in|im|von|des|de|du|del))?(?:\s+the)?[\s,/-]*(?P<year>[12]\d{3})"
_END = r"(?!\w|[.,/-]\d)"
_QUARTER = re.compile(rf"(?<![\w-])(?P<kind>[QH])(?P<number>[1-4])(?:{_IN_YEAR})?{_END}", re.I)
_NTH_PART = re.compile(
    rf"(?<!\w)(?P<nth>{_ORDINAL}|[1-4](?:st|nd|rd|th|\.))\s+"
    rf"(?P<kind>quarter|half|quartal|halbjahr|hälfte)"
    rf"(?:{_IN_YEAR})?{_END}",
    re.IGNORECASE,
)
_DECADE = re.compile(
    rf"(?:(?<![\w'’.,-])(?P<full>[12]\d\d)0|(?:(?<=the\s)|(?<=den\s)|(?<=der\s))['’]?(?P<ten>\d)0"
    rf"|(?<![\w'’])['’](?P<marked>\d)0)(?:['’]?s|er)\b(?:[-\s]?jahren?)?{_END}",
    re.IGNORECASE,
)
_YEARS = re.compile(r"(?<![\w/.,-])([12]\d{3})[-–—]([12]\d{3})(?![\w/-]|[.,]\d)")
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
# A name of a month that is another word, too, is a month after one of these.
_TIME_BEFORE = re.compile(
    r"\b(?:in|of|during|since|before|after|until|till|by|from|and|or|to|through|between|for|any"
    r"|every|each|month|im|seit|vor|nach|bis|ab|zwischen|und|oder|monat)\s+$",
    re.IGNORECASE,
)
_NEAR = 40  # more than what these match has, `zwischen den ` or `31st through the `


def find_periods(text: str) -> list[Found]:
    """Find the periods that *text* names, in order, and where; they do not overlap.

    Two ends that make no stretch of time name none: `from 30 June to 2 July`, `2006 to 2001`.

    `from 3 May to 10 June 2020` -> 3 May to 10 June 2020; `Q3 2018`, `the second half of 2017`,
    `the 1990s`, `between November and February`, `on Sundays`, `14 June`, `2001-2006`
    """
    named: list[tuple[Span, Period | None]] = list(_named_periods(text))
    for span, given in find_dates(text, partial=True):
        # `5 May 21 rooms`: two digits are a year only where a mark says so. One that is impossible
        # or open is None: its words mean nothing else
        sure = not given.two_digits or any(mark in span.of(text) for mark in "'’./-")
        named.append((span, _of_date(given) if sure and not given.ambiguous else None))
    apart: list[tuple[Span, Period | None]] = []
    for item in sorted(named, key=lambda item: (item[0].start, -item[0].end)):
        if not apart or item[0].start >= apart[-1][0].end:
            apart.append(item)
    singles = [(span, period) for span, period in apart if period is not None]
    found: list[tuple[Span, Period | None]] = []
    for (span, period), after in zip(singles, [*singles, None][1:], strict=True):
        if found and span.start < found[-1][0].end:
            continue
        joined = _with_shared_month(text, span, period) or _linked(text, span, period, after)
        found.append(joined or (span, period))
    return [(span, period) for span, period in found if period is not None]


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


def _months_from(year: int, month: int, n_months: int, precision: PeriodPrecision) -> Period:
    after = year * 12 + month - 1 + n_months
    high = date(after // 12, after % 12 + 1, 1) - timedelta(days=1)
    return Period(date(year, month, 1), high, precision)


def _of_date(found: DateText) -> Period | None:
    if found.year is None:
        return Period(months=(found.month or 0,), days=(found.day or 0,))
    if found.quarter is not None:
        return _months_from(found.year, 3 * found.quarter - 2, 3, "quarter")
    if found.month is None:
        return _months_from(found.year, 1, 12, "year")
    if found.day is None:
        return _months_from(found.year, found.month, 1, "month")
    day = found.on()
    return None if day is None else Period(day, day)


def _named_periods(text: str) -> Iterator[Found]:
    for match in _QUARTER.finditer(text):
        if match["kind"] in "Qq" or match["number"] in "12":
            months = 3 if match["kind"] in "Qq" else 6
            yield _place(match), _part_of_year(match["year"], int(match["number"]), months)
    for match in _NTH_PART.finditer(text):
        part = _nth_part(match)
        if part is not None:
            yield _place(match), part
    for match in _DECADE.finditer(text):
        digit = int(match["ten"] or match["marked"] or 0)
        tens = int(match["full"] or 0) or (190 + digit if digit >= 3 else 200 + digit)
        yield _place(match), Period(date(10 * tens, 1, 1), date(10 * tens + 9, 12, 31), "decade")
    for match in _YEARS.finditer(text):
        years = _range(*(_months_from(int(year), 1, 12, "year") for year in match.groups()))
        if years is not None:
            yield _place(match), years
    for match in _LONG_WORD.finditer(text):
        word, start = match.group().lower(), match.start()
        is_month = word in PLAIN_MONTHS or (
            word in MONTHS  # which may be another word, such as `may`
            and (
                (match.group()[0].isupper() and start > 0)
                or _TIME_BEFORE.search(text, max(0, start - _NEAR), start) is not None
            )
        )
        if word in WEEKDAYS:
            yield _place(match), Period(precision="weekday", weekdays=WEEKDAYS[word])
        elif is_month:
            yield _place(match), Period(precision="month", months=(MONTHS[word],))


def _place(match: re.Match[str]) -> Span:
    return Span(*match.span())


def _part_of_year(year: str | None, number: int, n_months: int) -> Period:
    precision: PeriodPrecision = "quarter" if n_months == 3 else "half"
    first = (number - 1) * n_months + 1
    if year is not None:
        return _months_from(int(year), first, n_months, precision)
    return Period(precision=precision, months=tuple(range(first, first + n_months)))


def _nth_part(match: re.Match[str]) -> Period | None:
    """Read `the first quarter of 2018`; `last quarter` is none."""
    nth, kind = match["nth"].lower(), match["kind"].lower()
    months = 3 if kind in {"quarter", "quartal"} else 6
    number = ORDINAL_PARTS[nth] if nth in ORDINAL_PARTS else int(nth[0])
    if match["year"] is None and (number == 0 or kind in {"half", "hälfte"}):
        return None
    if number > 12 // months:
        return None
    return _part_of_year(match["year"], number or 12 // months, months)


def _linked(
    text: str, span: Span, period: Period, after: Found | None
) -> tuple[Span, Period | None] | None:
    """Read `A to B`, and `A and B` after `between`, as one period: None where they make none."""
    link = _LINK.fullmatch(text, span.end, after[0].start) if after else None
    if link is None or after is None or not (link["to"] or _is_opened(text, span.start)):
        return None
    return Span(span.start, after[0].end), _range(period, after[1])


def _is_opened(text: str, start: int) -> bool:
    return _RANGE_BEFORE.search(text, max(0, start - _NEAR), start) is not None


def _with_shared_month(text: str, span: Span, period: Period) -> Found | None:
    """Read `1 to 10 January 2021`."""
    if period.precision != "day" or not any(map(str.isalpha, span.of(text))):
        return None
    before = _DAY_BEFORE.search(text, max(0, span.start - _NEAR), span.start)
    if before is None or not (before["to"] or _is_opened(text, before.start())):
        return None
    first = _on_day(period, int(before["day"]))
    whole = _range(first, period) if first else None
    return (Span(before.start(), span.end), whole) if whole else None


def _on_day(period: Period, day: int) -> Period | None:
    """Return *period*, a day, moved to another *day* of its month."""
    if period.low is None:
        return replace(period, days=(day,)) if 1 <= day <= 31 else None
    return _of_date(DateText(period.low.year, period.low.month, day))


def _range(first: Period, last: Period) -> Period | None:
    """Return the period from *first* to *last*; None where they make none."""
    opened: Period | None = first
    if first.low is None and last.low is not None and first.months:
        month = first.months[0]
        year = last.low.year - (month > last.low.month)
        opened = _months_from(year, month, len(first.months), first.precision)
        if first.days:
            opened = _of_date(DateText(year, month, first.days[0]))
    if opened is not None and opened.low and last.low and last.high:
        fits = opened.low <= last.low and (opened.high or opened.low) < last.high
        return Period(opened.low, last.high, "range") if fits else None
    if first.low is not None or last.low is not None:
        return None
    whole = Period(precision="range")
    if first.weekdays and last.weekdays:
        return replace(whole, weekdays=_around(first.weekdays[0], last.weekdays[-1], 7))
    if first.days and first.months == last.months and first.days < last.days:
        days = tuple(range(first.days[0], last.days[-1] + 1))
        return replace(whole, months=first.months, days=days)
    if first.months and last.months and not first.days and not last.days:
        return replace(whole, months=_around(first.months[0], last.months[-1], 12))
    return None


def _around(first: int, last: int, size: int) -> tuple[int, ...]:
    """Count from *first* to *last* in a circle: `11, 2, 12` -> 11, 12, 1, 2."""
    return tuple((first - 1 + step) % size + 1 for step in range((last - first) % size + 1))
