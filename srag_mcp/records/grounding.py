"""Grounding: the words of a document that a model quotes, found and compared with its value."""

import re
from collections.abc import Iterator, Sequence
from datetime import date

from srag_mcp.documents.document import Span
from srag_mcp.records.evidence import Location, locate
from srag_mcp.records.normalise import find_dates, find_quantities
from srag_mcp.records.normalise.dates import DateText
from srag_mcp.records.normalise.quantity import Quantity
from srag_mcp.records.normalise.units import parse_unit
from srag_mcp.schema.attribute import Attribute

_ELLIPSIS = re.compile(r"\s*(?:\.\.\.|…|\[…\])\s*")
_NUMERAL = re.compile(r"\d(?:[\d.,' \u00a0\u202f]*\d)?")
_MARKS = re.compile(r"\D")
_FOOTNOTED = re.compile(r"\d{1,3}(?:[,.]\d{3})*[,.]\d{4}")
_MAX_PLACES = 100
_MAX_GAP = 400
_NEAR = 120
_WORD = re.compile(r"[^\W\d_]{3,}")
_SINGLE = re.compile(r"\b(?:one|single|sole|only)\b", re.IGNORECASE)
_LARGEST_SCALE = 12
_DIGITS_SHARE = 3
_CONVERSIONS = (7, 12, 24, 30, 52, 60, 365)  # of weeks, years, days, months, hours
_SAME = 1e-6


def ground(quote: str, text: str, attribute: Attribute) -> Location | None:
    """Find *quote* in *text*, at the place that most looks like *attribute*; None where it is not.

    A short quote stands in many places: one that is not inside a longer word or number wins, then
    the one with words of the attribute's name near it, then the first. The end of a longer number
    is none: `7` is not in `17`. Its beginning is, as the mark of a footnote may follow it.
    """
    quote = quote.strip()
    near = _best_start(quote, text, attribute)
    place = locate(quote, text, near)
    if place is None:
        return _joined(quote, text)
    if place.match == "fuzzy" and _digits(quote) != _digits(place.span.of(text)):
        return None
    return None if _begins_within_number(place.span.start, text) else place


def find_contradiction(attribute: Attribute, quote: str, value: object) -> str:
    """Say how the one number or date of *quote* contradicts *value*; empty where it does not.

    A number may differ by a power of ten (scale words and captions) or be in another unit; a quote
    with several numbers or dates proves nothing, and neither does a line of words for an integer,
    which may count what the words name, unless they name the attribute.
    """
    if attribute.type in {"integer", "number"} and isinstance(value, int | float):
        if _figures(str(value)) <= _figures(quote):
            return ""  # quick, and true of nearly all
        return _other_number(attribute, quote, value)
    if attribute.type == "date" and isinstance(value, date):
        return _other_date(quote, value)
    return ""


def _best_start(quote: str, text: str, attribute: Attribute) -> int | None:
    """Return where *quote* most likely stands as it is; None where it does not."""
    words = {word.casefold() for word in _WORD.findall(attribute.name.replace("_", " "))}
    places = list(_places(quote, text))
    if len(places) < 2:
        return places[0] if places else None
    whole = [start for start in places if _is_whole(text, start, start + len(quote))]
    return max(whole or places, key=lambda start: _nearness(text, start, words))


def _places(quote: str, text: str) -> Iterator[int]:
    start, n_left = (text.find(quote) if quote else -1), _MAX_PLACES
    while start >= 0 and n_left:
        yield start
        start, n_left = text.find(quote, start + 1), n_left - 1


def _is_whole(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    joined_before = before.isalnum() and text[start].isalnum() and before < "\u2e80"
    joined_after = after.isalnum() and text[end - 1].isalnum() and after < "\u2e80"
    return not (joined_before or joined_after or re.match(r"[.,]\d", text[end : end + 2]))


def _begins_within_number(start: int, text: str) -> bool:
    return start > 0 and text[start].isdecimal() and text[start - 1].isdecimal()


def _nearness(text: str, start: int, words: set[str]) -> int:
    before = text[max(0, start - _NEAR) : start].casefold()
    line = before.rpartition("\n")[2]
    return sum((word in line) + (word in before) for word in words)


def _joined(quote: str, text: str) -> Location | None:
    """Find a quote with words left out, where its parts follow closely on one another."""
    parts = [part for part in _ELLIPSIS.split(quote) if part]
    if len(parts) < 2:
        return None
    first = locate(parts[0], text)
    if first is None or first.match == "fuzzy":
        return None
    end = first.span.end
    for part in parts[1:]:
        place = text.find(part, end, end + _MAX_GAP)
        if place < 0:
            return None
        end = place + len(part)
    return Location(Span(first.span.start, end), 1.0, "normalised")


def _digits(text: str) -> list[str]:
    return re.findall(r"\d+", text)


def _figures(text: str) -> set[str]:
    """Return the numerals of *text* without marks and outer zeros: `1,200.50` -> `12005`.

    `4,6702` may be 4,670 with the mark of a footnote.
    """
    numerals = _NUMERAL.findall(text)
    numerals += [numeral[:-1] for numeral in numerals if _FOOTNOTED.fullmatch(numeral)]
    return {_MARKS.sub("", numeral).strip("0") for numeral in numerals}


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
    words = {word.casefold() for word in _WORD.findall(quote)}
    return any(word in words for word in attribute.name.split("_"))


def _readings(quantity: Quantity) -> Sequence[float]:
    ends = (quantity.value,) if quantity.upper is None else (quantity.value, quantity.upper)
    return (*ends, sum(ends) / 2)


def _differs_by_scale(one: float, other: float) -> bool:
    """Return whether the two are equal but for sign and a power of ten or a unit of time."""
    if not one or not other:
        return one == other
    ratio = abs(other / one)
    if any(abs(ratio / factor - 1) < _SAME for factor in _CONVERSIONS):
        return True
    return any(
        abs(ratio / 10.0**power - 1) < _SAME for power in range(-_LARGEST_SCALE, _LARGEST_SCALE + 1)
    )


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
