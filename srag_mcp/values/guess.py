"""What type a set of values has: asked by induction before there is an attribute."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from srag_mcp.text.spans import Span
from srag_mcp.text.words import fold, tidy
from srag_mcp.values.columns import choose_spellings
from srag_mcp.values.dates import DateOrder, decide_order, find_dates, read_date
from srag_mcp.values.numbers import find_number
from srag_mcp.values.quantities import Figure, decide_grouping
from srag_mcp.values.states import read_boolean, read_missing
from srag_mcp.values.types import BOOLEAN, DATE, INTEGER, NUMBER, TEXT, ColumnType

_FIT = 0.7
_MAX_CATEGORIES = 12
_DIGIT = re.compile(r"\d")
_CODE = re.compile(r"0\d+|\+?\d{10,}|\d[\d ]*-[\d -]*\d")
_LEADING_ZERO = re.compile(r"0\d+")
_HEDGES = re.compile(
    r"\b(?:about|around|approx\w*|circa|ca|over|under|more than|less than|up to|at least|from|only"
    r"|nearly|almost|total|per|each|of|plus|minus|etwa|rund|environ|unos)\b\.?|[~≈<>≥≤±+()]",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|±\s?[\d.,]+")
_WEEKDAY_OR_TIME = re.compile(
    r"\b(?:\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\.?)?|as of|on"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b|\d{2}:\d{2}\S*",
    re.IGNORECASE,
)
_LONGEST_DATE = 12
_LONGEST_VALUE = 200


@dataclass(frozen=True, slots=True)
class TypeGuess:
    """The type that fits best.

    Attributes:
        type: `string` when nothing narrower fits most values.
        unit: The unit that most numbers carry; None when they carry none.
        share: Of the values that fit the type, 0 to 1; placeholders ("n/a") are not counted.
        categories: The spellings of a small closed set of texts, by falling count; else None.
    """

    type: ColumnType
    unit: str | None
    share: float
    categories: tuple[str, ...] | None


def classify_values(values: Sequence[str]) -> TypeGuess:
    """Find the narrowest type that most of *values* have."""
    given = [value for value in values if value.strip() and read_missing(value) is None]
    if not given:
        return TypeGuess(TEXT, None, 0.0, None)
    if sum(len(value) <= _LONGEST_VALUE for value in given) < _FIT * len(given):
        return TypeGuess(TEXT, None, 1.0, None)
    guesses = (guess for find in (_booleans, _dates, _numbers) if (guess := find(given)))
    fitting = (guess for guess in guesses if guess.share >= _FIT)
    return next(fitting, TypeGuess(TEXT, None, 1.0, _closed_set(given)))


def _booleans(values: Sequence[str]) -> TypeGuess | None:
    if all(value.strip().isdigit() for value in values):
        return None
    share = sum(read_boolean(value) is not None for value in values) / len(values)
    return TypeGuess(BOOLEAN, None, share, None)


def _dates(values: Sequence[str]) -> TypeGuess:
    order = decide_order([day for value in values for _, day in find_dates(value)])[0]
    share = sum(_is_date(value, order) for value in values) / len(values)
    return TypeGuess(DATE, None, share, None)


def _is_date(value: str, order: DateOrder) -> bool:
    """Return whether the value is a date, and not a sentence with a date in it."""
    if read_date(value, order) is None:
        return False
    spans = [span for span, _ in find_dates(value)]
    rest = value[: spans[0].start] + value[spans[0].end :] if spans else ""
    return len(_WEEKDAY_OR_TIME.sub("", rest).strip()) <= _LONGEST_DATE


def _numbers(values: Sequence[str]) -> TypeGuess | None:
    """Guess a column of numbers; None where one value is a code: `00123` is no 123.

    Nobody writes a number with a zero before it, so the others of its column are codes, too.
    """
    if any(_LEADING_ZERO.fullmatch(value.strip()) for value in values):
        return None
    figures = [_figure(value) for value in values]
    rests = Counter(rest for figure, rest in figures if figure is not None)
    usual = {
        rest
        for rest, count in rests.items()
        if not rest or count >= max(len(values) / 2, min(2, len(values)))
    }
    fitting = [figure for figure, rest in figures if figure is not None and rest in usual]
    if not fitting:
        return None
    grouping = decide_grouping([figure.numeral for figure in fitting if figure.numeral])
    numbers = [figure.read(grouping) for figure in fitting]
    whole = all(isinstance(number.value, int) for number in numbers if number is not None)
    units = Counter(figure.unit for figure in fitting)
    unit, count = units.most_common(1)[0]
    share = len(fitting) / len(values)
    mixed = len(units) > 1 and unit is None
    unit = (
        next((u for u, n in units.most_common() if u and n >= count / 2), None) if mixed else unit
    )
    return TypeGuess(INTEGER if whole else NUMBER, unit, share, None)


def _figure(value: str) -> tuple[Figure | None, str]:
    """Return the figure of a value and the words beside it, folded."""
    if _CODE.fullmatch(value.strip()):
        return None, ""
    if any(found.precision != "year" for _, found in find_dates(value, partial=True)):
        return None, ""
    found = find_number(value, "USD")
    figure = found.figure
    if figure is None:
        spelled = found.number is not None and len(value.split()) == 1 and not _DIGIT.search(value)
        return (_spelled(found.number.value) if spelled and found.number else None), ""
    if figure.upper is not None:
        return None, ""
    rest = value[: figure.span.start] + " " + value[figure.span.end :]
    return figure, fold(_HEDGES.sub(" ", _ASIDE.sub(" ", rest)))


def _spelled(number: float) -> Figure:
    return Figure(Span(0, 0), str(number))


def _closed_set(values: Sequence[str]) -> tuple[str, ...] | None:
    tidied = [tidy(value) for value in values]
    kept = choose_spellings(tidied)
    counts = Counter(kept[value] for value in tidied)
    small = 1 < len(counts) <= _MAX_CATEGORIES and len(counts) * 4 <= len(values)
    return tuple(value for value, _ in counts.most_common()) if small else None
