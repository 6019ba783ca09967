"""Contradictions: a value that cannot follow from the words that are quoted for it."""

import re
from collections.abc import Sequence
from datetime import date

from srag_mcp.records.cell import CellValue
from srag_mcp.records.normalise import find_dates, find_quantities, fold, read_boolean
from srag_mcp.records.normalise.dates import DateText
from srag_mcp.records.normalise.quantity import Quantity
from srag_mcp.records.normalise.units import parse_unit
from srag_mcp.schema.attribute import Attribute

_NUMERAL = re.compile(r"\d(?:[\d.,' \u00a0\u202f]*\d)?")
_MARKS = re.compile(r"\D")
_FOOTNOTED = re.compile(r"\d{1,3}(?:[,.]\d{3})*[,.]\d{4}")
_WORD = re.compile(r"[^\W\d_]{3,}")
_SINGLE = re.compile(r"\b(?:one|single|sole|only)\b", re.IGNORECASE)
_DENYING_NAME = re.compile(r"(?:no|non|not|without)_")
_KEY = re.compile(r"[^:?\n]*[:?]\s*")
_BROKEN = re.compile(r"[-‐\u00ad][ \t]*\n\s*|\u00ad")
_LARGEST_SCALE = 12
_DIGITS_SHARE = 3
_CONVERSIONS = (7, 12, 24, 30, 52, 60, 365)  # of weeks, years, days, months, hours
_SAME = 1e-6


def find_contradiction(attribute: Attribute, quote: str, value: CellValue | None) -> str:
    """Say how *quote* contradicts *value*; empty where it does not.

    A number may differ by 100, 1,000 … (scale words and captions) or be in another unit; a quote
    with several numbers or dates proves nothing, and neither does a line of words for an integer,
    which may count what the words name, unless they name the attribute. A yes, a no or a category
    contradicts when the quote says another one and nothing else: `Pool: no`.
    """
    if isinstance(value, bool):
        return _other_answer(attribute, quote, value=value)
    if isinstance(value, str):
        return _other_category(attribute.categories or (), quote, value)
    if isinstance(value, date):
        return _other_date(quote, value)
    if value is None or _numerals(str(value)) <= _numerals(quote):
        return ""  # quick, and true of nearly all
    return _other_number(attribute, quote, value)


def is_derived(attribute: Attribute, quote: str, value: CellValue | None, text: str) -> bool:
    """Return whether neither *quote* has *value*, nor *text*, the document, its words.

    Such a value is counted, summed or put in other words. That of a yes or of a category always is.
    """
    if value is None or isinstance(value, bool) or attribute.categories:
        return False
    if isinstance(value, date):
        is_there = str(value.year) in quote and str(value.day) in quote  # quick, and mostly true
        return not (is_there or _has_date(quote, value))
    if isinstance(value, int | float):
        return not (_figures(str(value)) <= _figures(quote) or _has_number(quote, value))
    words = fold(value).split()
    if not words:
        return value not in text
    return not (_has_words(quote, words) or _has_words(text, words))


def _other_answer(attribute: Attribute, quote: str, *, value: bool) -> str:
    said = read_boolean(_KEY.sub("", quote, count=1))
    if said in (None, value) or _DENYING_NAME.match(attribute.name):
        return ""
    is_alone = _KEY.match(quote) is None
    return f"the quote says {quote!r}" if is_alone or _names(attribute, quote) else ""


def _other_category(categories: Sequence[str], quote: str, value: str) -> str:
    folded = {fold(category): category for category in categories}
    said = folded.get(fold(_KEY.sub("", quote, count=1)), value)
    return "" if said == value else f"the quote says {said!r}, the value {value!r}"


def _has_words(text: str, words: Sequence[str]) -> bool:
    """Whether *text* has all folded *words*; in scripts without case within longer ones, too."""
    folded = fold(_BROKEN.sub("", text))
    known = set(folded.split())
    return all(
        word in known or (word in folded and not (word.islower() or word.isdecimal()))
        for word in words
    )


def _has_number(quote: str, value: float) -> bool:
    quantities = [quantity for _, quantity in find_quantities(quote)]
    readings = [number for quantity in quantities for number in _readings(quantity)]
    return any(_differs_by_scale(number, value) for number in readings)


def _figures(text: str) -> set[str]:
    """Return the numerals of *text* without marks and outer zeros: `1,200.50` -> `12005`."""
    return {numeral.strip("0") for numeral in _numerals(text)}


def _numerals(text: str) -> set[str]:
    """Return the numerals of *text* without marks: `1,200.50` -> `120050`.

    `4,6702` may be 4,670 with the mark of a footnote.
    """
    numerals = _NUMERAL.findall(text)
    numerals += [numeral[:-1] for numeral in numerals if _FOOTNOTED.fullmatch(numeral)]
    return {_MARKS.sub("", numeral) for numeral in numerals}


def _other_number(attribute: Attribute, quote: str, value: float) -> str:
    quantities = [quantity for _, quantity in find_quantities(quote)]
    if len(quantities) != 1 or find_dates(quote, partial=True):
        return ""
    [found] = quantities
    if _counts_something_else(attribute, quote, value):
        return ""
    unit = parse_unit(attribute.unit or "").unit
    if found.unit is not None and unit is not None and found.unit != unit:
        return ""
    if any(_differs_by_scale(number, value) for number in _readings(found)):
        return ""
    return f"the quote says {found.value}, the value {value}"


def _counts_something_else(attribute: Attribute, quote: str, value: float) -> bool:
    """Whether *value* may be a count, and the number of *quote* stand beside what was counted."""
    if value == 1 and _SINGLE.search(quote):  # too common a word to be read as a number
        return True
    return attribute.type == "integer" and not _is_about(attribute, quote)


def _is_about(attribute: Attribute, quote: str) -> bool:
    """Whether *quote* is a number alone, or has a word of the attribute's name beside it."""
    said = [letter for letter in quote if letter.isalnum()]
    if sum(letter.isdigit() for letter in said) * _DIGITS_SHARE >= len(said):
        return True
    return _names(attribute, quote)


def _names(attribute: Attribute, quote: str) -> bool:
    words = {word.casefold() for word in _WORD.findall(quote)}
    return any(word in words for word in attribute.name.split("_"))


def _readings(quantity: Quantity) -> Sequence[float]:
    ends = (quantity.value,) if quantity.upper is None else (quantity.value, quantity.upper)
    return (*ends, sum(ends) / 2)


def _differs_by_scale(one: float, other: float) -> bool:
    """Return whether the two are equal but for sign and a power of ten or a unit of time.

    No word or caption means ten times as much: a figure was lost or doubled.
    """
    if not one or not other:
        return one == other
    ratio = abs(other / one)
    if any(abs(ratio / factor - 1) < _SAME for factor in _CONVERSIONS):
        return True
    return any(
        abs(ratio / 10.0**power - 1) < _SAME
        for power in range(-_LARGEST_SCALE, _LARGEST_SCALE + 1)
        if abs(power) != 1
    )


def _has_date(quote: str, value: date) -> bool:
    return any(_agrees(found, value) for _, found in find_dates(quote, partial=True))


def _other_date(quote: str, value: date) -> str:
    found = [item for _, item in find_dates(quote, partial=True)]
    if len(found) != 1 or _agrees(found[0], value):
        return ""
    return f"the quote gives another date than {value.isoformat()}"


def _agrees(found: DateText, value: date) -> bool:
    year = found.year is None or (
        found.year % 100 == value.year % 100 if found.two_digits else found.year == value.year
    )
    if not year or found.quarter is not None:
        return year
    days = {(found.month, found.day)}
    if found.ambiguous:
        days.add((found.day, found.month))
    return any(month in (None, value.month) and day in (None, value.day) for month, day in days)
