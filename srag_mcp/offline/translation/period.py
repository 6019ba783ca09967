"""One period of time in a question: a day, month, quarter, half, year, decade or weekday."""

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


def year_of(token: Token) -> int | None:
    """Return the year that a token writes with four digits, if it does."""
    plain = token.number is not None and token.text.isdigit() and len(token.text) == 4
    return int(token.text) if plain and 1000 <= int(token.text) <= 2199 else None


def word_at(tokens: Sequence[Token], at: int) -> str:
    """Return the word at *at*, empty beyond the ends."""
    return tokens[at].word if 0 <= at < len(tokens) else ""


def read_single(tokens: Sequence[Token], start: int) -> Found | None:
    """Read one period that begins at token *start*: a day, a month, a year, a weekday."""
    readers: tuple[Callable[[Sequence[Token], int], Found | None], ...] = (
        _read_iso, read_day_month, _read_month, _read_part_of_year, _read_decade, _read_year,
        _read_weekday,
    )  # fmt: skip
    for reader in readers:
        found = reader(tokens, start)
        if found is not None:
            return found
    return None


def _read_iso(tokens: Sequence[Token], start: int) -> Found | None:
    text = word_at(tokens, start)
    if len(text) == 10 and text[4] == text[7] == "-":
        day = day_or_none(*(int(part) for part in text.split("-")))
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
        day = day_or_none(year, second, first)
    else:
        day = day_or_none(year, first, second) if second > 12 else None
    return None if day is None else (Period(day, day), start + 5)


def day_or_none(year: int, month: int, day: int) -> date | None:
    """Return a date, None when there is no such day."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def month_at(tokens: Sequence[Token], at: int) -> int | None:
    """Return the month that the word at *at* names."""
    word = word_at(tokens, at)
    month = MONTHS.get(word)
    if word not in {"may", "mar", "march", "sep", "dec"} or month is None:
        return month
    near = word_at(tokens, at - 1) in _BEFORE_MAY or tokens[at].text[:1].isupper()
    dated = at + 1 < len(tokens) and tokens[at + 1].number is not None
    day_before = at > 0 and (
        tokens[at - 1].number is not None or word_at(tokens, at - 1) in _ORDINAL_ENDINGS
    )
    return month if near or dated or day_before else None


def day_at(tokens: Sequence[Token], at: int) -> tuple[int, int] | None:
    """Return the day of the month at *at* and the token after it."""
    if not 0 <= at < len(tokens):
        return None
    number = tokens[at].number
    if number is None or number != int(number) or not 1 <= number <= 31 or len(tokens[at].text) > 2:
        return None
    return int(number), at + 1 + (word_at(tokens, at + 1) in _ORDINAL_ENDINGS)


def year_after(tokens: Sequence[Token], at: int) -> tuple[int | None, int]:
    """Return the year at *at* (over a comma or `of`) and the token after it."""
    for skip in (0, 1):
        if skip and word_at(tokens, at) not in {",", "of", "in"}:
            break
        year = year_of(tokens[at + skip]) if at + skip < len(tokens) else None
        if year is not None:
            return year, at + skip + 1
    return None, at


def read_day_month(tokens: Sequence[Token], start: int) -> Found | None:
    """Read `3 January 2021`, `the 3rd of January`, `January 3, 2021`."""
    day = day_at(tokens, start)
    if day is not None:
        at = day[1] + (word_at(tokens, day[1]) == "of")
        month = month_at(tokens, at)
        return None if month is None else _dated(day[0], month, year_after(tokens, at + 1))
    month = month_at(tokens, start)
    day = day_at(tokens, start + 1 + (word_at(tokens, start + 1) == "the")) if month else None
    if month is None or day is None:
        return None
    return _dated(day[0], month, year_after(tokens, day[1]))


def _dated(day: int, month: int, year: tuple[int | None, int]) -> Found | None:
    if year[0] is None:
        return Period(months=(month,), day=day), year[1]
    found = day_or_none(year[0], month, day)
    return None if found is None else (Period(found, found), year[1])


def _read_month(tokens: Sequence[Token], start: int) -> Found | None:
    at = start + (word_at(tokens, start) in {"mid", "early", "late"})
    month = month_at(tokens, at) if at == start else None
    if month is None:
        return None
    dot = word_at(tokens, start + 1) == "." and start + 2 < len(tokens)
    year, after = year_after(tokens, start + 1 + dot)
    if year is None:
        return Period(months=(month,), precision="month"), start + 1
    return months_from(date(year, month, 1), 1, "month"), after


def months_from(low: date, n_months: int, precision: Precision) -> Period:
    """Return the period of *n_months* from *low*."""
    index = low.year * 12 + low.month - 1 + n_months
    high = date(index // 12, index % 12 + 1, 1) - timedelta(days=1)
    return Period(low, high, precision)


def _ordinal(tokens: Sequence[Token], at: int) -> tuple[int | None, int]:
    word = word_at(tokens, at)
    if word in ORDINAL_WORDS or word == "last":
        return ORDINAL_WORDS.get(word, 0), at + 1
    day = day_at(tokens, at)
    if day is not None and day[1] == at + 2:
        return day
    return None, at


def _read_part_of_year(tokens: Sequence[Token], start: int) -> Found | None:
    """Read `Q1 2018`, `the first quarter of 2018`, `the second half of January 2021`."""
    word = word_at(tokens, start)
    if len(word) == 2 and word[0] in "qh" and word[1] in "1234":
        year, after = year_after(tokens, start + 1)
        months = 3 if word[0] == "q" else 6
        return None if year is None else (_part(year, int(word[1]), months), after)
    ordinal, at = _ordinal(tokens, start)
    unit = {"quarter": 3, "half": 6}.get(word_at(tokens, at))
    if ordinal is None or unit is None:
        return None
    at += 1
    place = at + (word_at(tokens, at) in {"of", "in"})
    if unit == 6 and month_at(tokens, place) is not None:
        return _read_half_month(tokens, place, ordinal)
    year, after = year_after(tokens, at)
    return None if year is None else (_part(year, ordinal or 12 // unit, unit), after)


def _part(year: int, number: int, n_months: int) -> Period:
    low = date(year, min((number - 1) * n_months, 12 - n_months) + 1, 1)
    return months_from(low, n_months, "quarter" if n_months == 3 else "half")


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
        word_at(tokens, start + 1) != "s"
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
    numbers = WEEKDAYS.get(word_at(tokens, start))
    return None if numbers is None else (Period(weekdays=numbers), start + 1)
