"""Periods of time in questions: days, months, quarters, halves, years, decades and ranges of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal, TypeAlias

from srag_mcp.offline.translation.lexicon import ORDINAL_WORDS
from srag_mcp.offline.translation.tokens import Token

Precision: TypeAlias = Literal["day", "month", "quarter", "half", "year", "decade", "range"]

_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
MONTHS = {name: number for number, name in enumerate(_MONTHS, start=1)}
MONTHS |= {name[:3]: number for name, number in MONTHS.items()} | {"sept": 9}
_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
WEEKDAYS: dict[str, tuple[int, ...]] = {
    name: (number,) for number, name in enumerate(_WEEKDAYS, start=1)
}
WEEKDAYS |= {f"{name}s": numbers for name, numbers in WEEKDAYS.items()}
WEEKDAYS |= {
    "weekend": (6, 7),
    "weekends": (6, 7),
    "workday": (1, 2, 3, 4, 5),
    "workdays": (1, 2, 3, 4, 5),
}
_ORDINAL_ENDINGS = {"st", "nd", "rd", "th"}
_BEFORE_MAY = {
    "in",
    "of",
    "during",
    "since",
    "before",
    "after",
    "until",
    "from",
    "and",
    "or",
    "to",
    "between",
    "for",
}


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of time, or a part of every year or week.

    Attributes:
        low, high: First and last day, both included; None for a part.
        precision: How exactly it was said.
        months: Of any year (`in a December`), when low is None.
        day: Of the month, when low is None and no year was given.
        weekdays: ISO weekdays of any week, when low is None.
        first, last: Of a range, its two ends.
    """

    low: date | None = None
    high: date | None = None
    precision: Precision = "day"
    months: tuple[int, ...] = ()
    day: int | None = None
    weekdays: tuple[int, ...] = ()
    first: "Period | None" = None
    last: "Period | None" = None


Found: TypeAlias = tuple[Period, int]


def read_period(tokens: Sequence[Token], start: int) -> Found | None:
    """Read the period that begins at token *start*; return it and the token after it."""
    single = _read_single(tokens, start)
    shared = _read_shared_range(tokens, start)
    if shared is not None:
        return shared
    return None if single is None else _read_range(tokens, start, single)


def year_of(token: Token) -> int | None:
    """Return the year that a token writes with four digits, if it does."""
    plain = token.number is not None and token.text.isdigit() and len(token.text) == 4
    return int(token.text) if plain and 1000 <= int(token.text) <= 2199 else None


def _word(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].word if 0 <= at < len(tokens) else ""


def _read_single(tokens: Sequence[Token], start: int) -> Found | None:
    readers: tuple[Callable[[Sequence[Token], int], Found | None], ...] = (
        _read_iso, _read_day_month, _read_month, _read_part_of_year, _read_decade, _read_year, _read_weekday,
    )  # fmt: skip
    for reader in readers:
        found = reader(tokens, start)
        if found is not None:
            return found
    return None


def _read_iso(tokens: Sequence[Token], start: int) -> Found | None:
    text = _word(tokens, start)
    if len(text) == 10 and text[4] == text[7] == "-":
        day = _date(*(int(part) for part in text.split("-")))
        return None if day is None else (Period(day, day), start + 1)
    return _read_slashed(tokens, start)


def _read_slashed(tokens: Sequence[Token], start: int) -> Found | None:
    numbers = [token.number for token in tokens[start : start + 5 : 2]]
    marks = [token.text for token in tokens[start + 1 : start + 4 : 2]]
    if (
        len(numbers) < 3
        or marks not in (["/", "/"], [".", "."])
        or year_of(tokens[start + 4]) is None
    ):
        return None
    first, second, year = (int(number or 0) for number in numbers)
    # Only an unambiguous order is read: 13/02/2020, 02/13/2020, 05/05/2020.
    if first > 12 or first == second:
        day = _date(year, second, first)
    else:
        day = _date(year, first, second) if second > 12 else None
    return None if day is None else (Period(day, day), start + 5)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _month(tokens: Sequence[Token], at: int) -> int | None:
    word = _word(tokens, at)
    month = MONTHS.get(word)
    if word not in {"may", "mar", "march", "sep", "dec"} or month is None:
        return month
    near = _word(tokens, at - 1) in _BEFORE_MAY or tokens[at].text[:1].isupper()
    dated = at + 1 < len(tokens) and tokens[at + 1].number is not None
    day_before = at > 0 and (
        tokens[at - 1].number is not None or _word(tokens, at - 1) in _ORDINAL_ENDINGS
    )
    return month if near or dated or day_before else None


def _day(tokens: Sequence[Token], at: int) -> tuple[int, int] | None:
    """Return the day of the month at *at* and the token after it."""
    if not 0 <= at < len(tokens):
        return None
    number = tokens[at].number
    if number is None or number != int(number) or not 1 <= number <= 31 or len(tokens[at].text) > 2:
        return None
    return int(number), at + 1 + (_word(tokens, at + 1) in _ORDINAL_ENDINGS)


def _year_after(tokens: Sequence[Token], at: int) -> tuple[int | None, int]:
    for skip in (0, 1):
        if skip and _word(tokens, at) not in {",", "of", "in"}:
            break
        year = year_of(tokens[at + skip]) if at + skip < len(tokens) else None
        if year is not None:
            return year, at + skip + 1
    return None, at


def _read_day_month(tokens: Sequence[Token], start: int) -> Found | None:
    """Read `3 January 2021`, `the 3rd of January`, `January 3, 2021`."""
    day = _day(tokens, start)
    if day is not None:
        at = day[1] + (_word(tokens, day[1]) == "of")
        month = _month(tokens, at)
        return None if month is None else _dated(day[0], month, _year_after(tokens, at + 1))
    month = _month(tokens, start)
    day = _day(tokens, start + 1 + (_word(tokens, start + 1) == "the")) if month else None
    if month is None or day is None:
        return None
    return _dated(day[0], month, _year_after(tokens, day[1]))


def _dated(day: int, month: int, year: tuple[int | None, int]) -> Found | None:
    if year[0] is None:
        return Period(months=(month,), day=day), year[1]
    found = _date(year[0], month, day)
    return None if found is None else (Period(found, found), year[1])


def _read_month(tokens: Sequence[Token], start: int) -> Found | None:
    at = start + (_word(tokens, start) in {"mid", "early", "late"})
    month = _month(tokens, at) if at == start else None
    if month is None:
        return None
    dot = _word(tokens, start + 1) == "." and start + 2 < len(tokens)
    year, after = _year_after(tokens, start + 1 + dot)
    if year is None:
        return Period(months=(month,), precision="month"), start + 1
    return _span(date(year, month, 1), 1, "month"), after


def _span(low: date, n_months: int, precision: Precision) -> Period:
    index = low.year * 12 + low.month - 1 + n_months
    high = date(index // 12, index % 12 + 1, 1) - timedelta(days=1)
    return Period(low, high, precision)


def _ordinal(tokens: Sequence[Token], at: int) -> tuple[int | None, int]:
    word = _word(tokens, at)
    if word in ORDINAL_WORDS or word == "last":
        return ORDINAL_WORDS.get(word, 0), at + 1
    day = _day(tokens, at)
    if day is not None and day[1] == at + 2:
        return day
    return None, at


def _read_part_of_year(tokens: Sequence[Token], start: int) -> Found | None:
    """Read `Q1 2018`, `the first quarter of 2018`, `the second half of January 2021`."""
    word = _word(tokens, start)
    if len(word) == 2 and word[0] in "qh" and word[1] in "1234":
        year, after = _year_after(tokens, start + 1)
        months = 3 if word[0] == "q" else 6
        return None if year is None else (_part(year, int(word[1]), months), after)
    ordinal, at = _ordinal(tokens, start)
    unit = {"quarter": 3, "half": 6}.get(_word(tokens, at))
    if ordinal is None or unit is None:
        return None
    at += 1
    month_at = at + (_word(tokens, at) in {"of", "in"})
    if unit == 6 and _month(tokens, month_at) is not None:
        return _read_half_month(tokens, month_at, ordinal)
    year, after = _year_after(tokens, at)
    return None if year is None else (_part(year, ordinal or 12 // unit, unit), after)


def _part(year: int, number: int, n_months: int) -> Period:
    low = date(year, min((number - 1) * n_months, 12 - n_months) + 1, 1)
    return _span(low, n_months, "quarter" if n_months == 3 else "half")


def _read_half_month(tokens: Sequence[Token], at: int, ordinal: int) -> Found | None:
    found = _read_month(tokens, at)
    if found is None or found[0].low is None:
        return None
    whole, after = found
    assert whole.low is not None
    if ordinal == 1:
        return replace(whole, high=whole.low.replace(day=15), precision="range"), after
    return replace(whole, low=whole.low.replace(day=16), precision="range"), after


def _read_decade(tokens: Sequence[Token], start: int) -> Found | None:
    if (
        _word(tokens, start + 1) != "s"
        or start >= len(tokens)
        or tokens[start].end != tokens[start + 1].start
    ):
        return None
    number = tokens[start].number
    if number is None or number % 10 or number < 10:
        return None
    first = int(number) if number >= 1000 else int(number) + (1900 if number >= 30 else 2000)
    return Period(date(first, 1, 1), date(first + 9, 12, 31), "decade"), start + 2


def _read_year(tokens: Sequence[Token], start: int) -> Found | None:
    year = year_of(tokens[start]) if start < len(tokens) else None
    if year is None:
        return None
    return Period(date(year, 1, 1), date(year, 12, 31), "year"), start + 1


def _read_weekday(tokens: Sequence[Token], start: int) -> Found | None:
    numbers = WEEKDAYS.get(_word(tokens, start))
    return None if numbers is None else (Period(weekdays=numbers), start + 1)


_LINKS = {"to", "through", "until", "till", "and", "-", "–"}


def _read_shared_range(tokens: Sequence[Token], start: int) -> Found | None:
    """Read ranges whose parts share the month: `1 to 10 January 2021`, `January 1 to 10, 2021`."""
    day = _day(tokens, start)
    if day is not None and _word(tokens, day[1]) in _LINKS:
        last = _read_day_month(tokens, day[1] + 1)
        if last is None or last[0].low is None or _day(tokens, day[1] + 1) is None:
            return None
        return _ranged(
            Period(last[0].low.replace(day=day[0]), last[0].low.replace(day=day[0])), last
        )
    month = _month(tokens, start)
    first = _day(tokens, start + 1) if month is not None else None
    if month is None or first is None or _word(tokens, first[1]) not in _LINKS:
        return None
    second = _day(tokens, first[1] + 1)
    year, after = _year_after(tokens, second[1]) if second is not None else (None, 0)
    if second is None or year is None:
        return None
    low, high = _date(year, month, first[0]), _date(year, month, second[0])
    return (
        None
        if low is None or high is None
        else _ranged(Period(low, low), (Period(high, high), after))
    )


def _read_range(tokens: Sequence[Token], start: int, first: Found) -> Found:
    """Extend *first* by `to …`; `and` joins only after `between`."""
    link = _word(tokens, first[1])
    between = _word(tokens, start - 1) in {"between", "from"} or _word(tokens, start - 2) in {
        "between",
        "from",
    }
    if link not in _LINKS or (link in {"and", "-", "–"} and not between):
        return first
    last = _read_single(tokens, first[1] + 1 + (_word(tokens, first[1] + 1) == "the"))
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
        return _span(date(year, first.months[0], 1), 1, "month")
    day = _date(year, first.months[0], first.day)
    return first if day is None else Period(day, day)


def _ranged(first: Period, last: Found) -> Found:
    return Period(first.low, last[0].high, "range", first=first, last=last[0]), last[1]
