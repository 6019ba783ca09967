"""Contradictions: a value that cannot follow from the words that are quoted for it."""

import re
from collections.abc import Sequence
from datetime import date
from functools import lru_cache

from srag_mcp.records.stated_number import (
    find_other_number,
    has_number,
    names_attribute,
    numerals_of,
)
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.words import fold
from srag_mcp.values.booleans import read_boolean
from srag_mcp.values.dates import DateText, find_dates
from srag_mcp.values.types import Value

_DENYING_NAME = re.compile(r"(?:no|non|not|without)_")
_KEY = re.compile(r"[^:?\n]*[:?]\s*")
_BROKEN = re.compile(r"[-‐\u00ad][ \t]*\n\s*|\u00ad")


def find_contradiction(
    attribute: Attribute, quote: str, value: Value | None, text: str | None = None
) -> str:
    """Say how *quote* contradicts *value*; empty where it does not.

    A number is judged by `find_other_number`, with *text*, the document, where it is known. Several
    dates prove nothing. A yes, a no or a category contradicts when the quote says another one and
    nothing else: `Pool: no`.
    """
    if isinstance(value, bool):
        return _other_answer(attribute, quote, value=value)
    if isinstance(value, str):
        return _other_category(attribute.categories or (), quote, value)
    if isinstance(value, date):
        return _other_date(quote, value)
    return "" if value is None else find_other_number(attribute, quote, value, text)


def is_derived(attribute: Attribute, quote: str, value: Value | None, text: str) -> bool:
    """Return whether neither *quote* has *value*, nor *text*, the document, its words.

    Such a value is counted, summed or put in other words. That of a yes or of a category always is.
    """
    if value is None or isinstance(value, bool) or attribute.categories:
        return False
    if isinstance(value, date):
        is_there = str(value.year) in quote and str(value.day) in quote  # quick, and mostly true
        return not (is_there or has_date(quote, value))
    if isinstance(value, int | float):
        return not (_figures(str(value)) <= _figures(quote) or has_number(quote, value))
    words = fold(value).split()
    if not words:
        return value not in text
    return not (_has_words(quote, words) or _has_words(text, words))


def has_date(quote: str, value: date) -> bool:
    """Return whether *value* agrees with a date of *quote*, or with the part that it gives."""
    return any(_agrees(found, value) for _, found in find_dates(quote, partial=True))


def _other_answer(attribute: Attribute, quote: str, *, value: bool) -> str:
    said = read_boolean(_KEY.sub("", quote, count=1))
    if said in (None, value) or _DENYING_NAME.match(attribute.name):
        return ""
    is_alone = _KEY.match(quote) is None
    return f"the quote says {quote!r}" if is_alone or names_attribute(attribute, quote) else ""


def _other_category(categories: Sequence[str], quote: str, value: str) -> str:
    folded = {fold(category): category for category in categories}
    said = folded.get(fold(_KEY.sub("", quote, count=1)), value)
    return "" if said == value else f"the quote says {said!r}, the value {value!r}"


def _has_words(text: str, words: Sequence[str]) -> bool:
    """Whether *text* has all folded *words*; in scripts without case within longer ones, too."""
    folded, known = _fold_words(text)
    return all(
        word in known or (word in folded and not (word.islower() or word.isdecimal()))
        for word in words
    )


@lru_cache(maxsize=8)
def _fold_words(text: str) -> tuple[str, frozenset[str]]:
    """Return *text* folded, and its words; the cells of one document ask for the same again."""
    folded = fold(_BROKEN.sub("", text))
    return folded, frozenset(folded.split())


def _figures(text: str) -> set[str]:
    """Return the numerals of *text* without marks and outer zeros: `1,200.50` -> `12005`."""
    return {numeral.strip("0") for numeral in numerals_of(text)}


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
