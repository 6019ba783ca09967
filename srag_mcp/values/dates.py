"""Dates in a text: found with their precision, completed by nothing.

`3/4/2020` may be March or April: the order is decided on a whole column (`decide_order`), never on
one value and never from today's date.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal, TypeAlias

from srag_mcp.text.spans import Span
from srag_mcp.values.names import MONTHS, ORDINAL_DAYS

DateOrder: TypeAlias = Literal["day_first", "month_first"]
Precision: TypeAlias = Literal["day", "month", "quarter", "year"]

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
_LONG_WORD = re.compile(r"[^\W\d_]{3,}")
_BEFORE_MONTH, _AFTER_MONTH = 40, 24
_PARTIAL = re.compile(
    r"(?<![\w/.,-])(?:(?:Q(?P<q1>[1-4])[\s/-]?(?P<qy1>[12]\d{3})|(?P<qy2>[12]\d{3})[\s/-]?Q(?P<q2>[1-4]))"
    r"|(?P<my>[12]\d{3})[-/](?P<mm>0[1-9]|1[0-2])|(?P<mm2>0?[1-9]|1[0-2])/(?P<my2>[12]\d{3})"
    r"|(?P<year>1\d{3}|20\d{2}|21\d{2}))(?![\w/-]|[.,]\d)"
)
_COMPACT = re.compile(r"\s*([12]\d{3})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])\s*")
_PIVOT = 69
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
    found = [item for item in _full_and_named(text) if partial or item[1].precision == "day"]
    found = found if partial else [item for item in found if item[1].year is not None]
    if partial:
        found += [
            item
            for item in _partial_dates(text)
            if not any(item[0].overlaps(span) for span, _ in found)
        ]
    return sorted(found, key=lambda item: item[0].start)


def read_date(text: str, order: DateOrder = "day_first") -> date | None:
    """Read the one date of *text*; None where there is none, several, a partial or impossible one.

    `10 MAR 2018 18:24` -> 2018-03-10; `5th day of March, 2004` -> 2004-03-05; `March 2021` -> None
    """
    compact = _COMPACT.fullmatch(text)
    if compact:
        year, month, day = map(int, compact.groups())
        return DateText(year, month, day).on()
    days = {found.on(order) for _, found in find_dates(text)}
    return days.pop() if len(days) == 1 else None


def _full_and_named(text: str) -> Iterator[tuple[Span, DateText]]:
    for match in _NUMERIC.finditer(text):
        found = _numeric(match)
        if found is not None:
            yield Span(match.start(), match.end()), found
    for start, end in _near_months(text):
        for match in _NAMED.finditer(text, start, end):
            found = _named(match)
            if found is not None:
                yield Span(match.start(), match.end()), found


def _near_months(text: str) -> Iterator[tuple[int, int]]:
    """Yield the stretches around names of months: a regular expression over all text is slow."""
    start = end = 0
    for word in _LONG_WORD.finditer(text):
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
    if written is None and (name.lower() not in MONTHS or len(name) < 3 or not number):
        return None
    year, two_digits = _year(written) if written else (None, False)
    day = (ORDINAL_DAYS.get(number.lower()) or int(number)) if number else None
    return DateText(year, MONTHS[name.lower()], day, two_digits=two_digits)


def _partial_dates(text: str) -> Iterator[tuple[Span, DateText]]:
    for match in _PARTIAL.finditer(text):
        span = Span(match.start(), match.end())
        quarter, month = match["q1"] or match["q2"], match["mm"] or match["mm2"]
        year = match["qy1"] or match["qy2"] or match["my"] or match["my2"] or match["year"]
        yield (
            span,
            DateText(
                int(year), int(month) if month else None, None, int(quarter) if quarter else None
            ),
        )


def _year(text: str) -> tuple[int, bool]:
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
        order: DateOrder = (
            "month_first" if proofs["month_first"] > proofs["day_first"] else "day_first"
        )
        return order, True
    open_dates = [found for found in dates if found.ambiguous or found.month == found.day]
    firsts = {found.day for found in open_dates}
    seconds = {found.month for found in open_dates}
    if len(open_dates) < _ENOUGH or 1 not in (len(firsts), len(seconds)):
        return "day_first", not any(found.ambiguous for found in dates)
    if len(firsts) == 1:
        return ("day_first" if firsts == {1} else "month_first"), True
    return ("month_first" if seconds == {1} else "day_first"), True


def with_century(found: DateText, years: Sequence[int]) -> DateText:
    """Move a two-digit year to the century nearest to the full *years* of its column, sorted."""
    if not found.two_digits or found.year is None or not years:
        return found
    middle = years[len(years) // 2]
    year = min((found.year + 100 * step for step in (-1, 0, 1)), key=lambda y: abs(y - middle))
    return replace(found, year=year)
