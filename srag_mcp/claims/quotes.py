"""Quotes: where the words that are given for a value, or the value, stand in their document."""

import re
from collections.abc import Callable, Iterator
from datetime import date
from functools import lru_cache
from itertools import islice

from srag_mcp.claims.number_places import find_figures, find_number
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.locate import find_exactly, find_typographically
from srag_mcp.text.spans import Span
from srag_mcp.values.dates import DateText, find_dates
from srag_mcp.values.types import Value

LONGEST_QUOTE = 2000
_NO_WORDS = re.compile(r"[\s.,;:!?'\"“”‘’«»()\[\]{}|/\\<>_…·]*")
_APART = frozenset(("", " ", "\n", "\t", ":", ";", "(", ")"))
_MAX_PLACES = 100
_MAX_SEEN = 10_000
_NEAR = 120
_WORD = re.compile(r"[^\W\d_]{3,}")
_LAST_WORD = re.compile(r"[^\W\d_]+$")
_SHORT_WORD = 3
_SHORT_VALUE = 2
_NUMERAL_BEFORE, _NUMERAL_AFTER = re.compile(r"[\d.,]*$"), re.compile(r"[\d.,]*")
_ONE_NUMBER = re.compile(r"\d{1,3}(?:[.,]\d{3})*(?:[.,]\d+)?|\d+[.,]\d+")
_CODE_BEFORE = re.compile(r"[^\W\d_]\d*[/-]$")
_LONGEST_NUMERAL = 40
_FIRST_CJK = "\u2e80"


def ground(quote: str, text: str, attribute: Attribute) -> Span | None:
    """Find *quote* in *text*, at the place that most looks like *attribute*; None where it is not.

    A short quote stands in many places: one as it is written wins, then one that is not inside a
    longer word or number, then the one with words of the attribute's name near it, then the first.
    A part of a word or number that says something else is none: `7` is not in `17` or `7.5`, `male`
    not in `female`, `no` not in `north`. The beginning of a number is one, as the mark of a
    footnote may follow it. Neither are marks alone, or more than LONGEST_QUOTE characters.
    """
    quote = quote.strip()
    if _NO_WORDS.fullmatch(quote) or len(quote) > LONGEST_QUOTE:
        return None
    rank = _rank(text, attribute)
    for find in (find_exactly, find_typographically):
        if best := max(_places(find, quote, text), key=rank, default=None):
            return best
    return None


def find_value(attribute: Attribute, value: Value, text: str) -> Span | None:
    """Find where *text* has *value* of *attribute* itself; None where only a quote can tell.

    A text as `ground` finds it; a number in any common writing, in digits or words, with the unit
    and the scale that stand beside it (`$1.2 billion` is 1200000000, not 1.2), as `find_number`
    finds it; a day in any. Of several places the one is meant that has words of the attribute's
    name near it, else the first; of a single letter none, as it may be anything there.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        places = [found.span for found in find_number(attribute, value, text)]
    else:
        places = find_places(value, text)
    rank = _rank(text, attribute)
    best = max(places[:_MAX_PLACES], key=rank, default=None)
    if best is None or len(places) == 1 or not isinstance(value, str):
        return best
    is_short = sum(map(str.isalnum, value)) <= _SHORT_VALUE and value < _FIRST_CJK
    return None if is_short and not rank(best)[1] else best


def find_places(value: Value, text: str, most: int = _MAX_PLACES) -> list[Span]:
    """Return where *text* has *value* itself, whatever it may be of there, in order.

    Of a text, the first *most* places.
    """
    if isinstance(value, str):
        finds = (find_exactly, find_typographically)
        found = (list(_places(find, value, text, most)) for find in finds)
        return next(filter(None, found), [])
    if isinstance(value, bool):
        return []
    if isinstance(value, int | float):
        return [found.span for found in find_figures(text) if value in found.numbers]
    return [place for place, found in _dates(text) if _is_day(found, value)]


def _places(
    find: Callable[[str, str], Iterator[Span]], quote: str, text: str, most: int = _MAX_PLACES
) -> Iterator[Span]:
    seen = islice(find(quote, text), _MAX_SEEN)
    return islice((place for place in seen if not _is_cut(text, place)), most)


def _rank(text: str, attribute: Attribute) -> Callable[[Span], tuple[bool, int]]:
    """Return what says whether a place is whole, and how many words of the name stand near it."""
    words = {word.casefold() for word in _WORD.findall(attribute.name.replace("_", " "))}

    def rank(place: Span) -> tuple[bool, int]:
        near = text[max(0, place.start - _NEAR) : place.start].casefold()
        line = near.rpartition("\n")[2]
        n_words = sum((word in line) + (word in near) for word in words)
        return _is_whole(text, place), n_words

    return rank


@lru_cache(maxsize=8)
def _dates(text: str) -> tuple[tuple[Span, DateText], ...]:
    return tuple(find_dates(text))


def _is_day(found: DateText, day: date) -> bool:
    century = 100 if found.two_digits else 10_000
    is_year = found.year is not None and (found.year - day.year) % century == 0
    return is_year and (
        (found.month, found.day) == (day.month, day.day)
        or (found.ambiguous and (found.day, found.month) == (day.month, day.day))
    )


def _is_whole(text: str, span: Span) -> bool:
    """Whether no letter or digit stands beside *span*, and no number goes on behind it."""
    start, end = span.start, span.end
    before, after = text[start - 1 : start], text[end : end + 1]
    is_within = (before.isalnum() and text[start].isalnum() and before < _FIRST_CJK) or (
        after.isalnum() and text[end - 1].isalnum() and after < _FIRST_CJK
    )
    return not is_within and not re.match(r"[.,]\d", text[end : end + 2])


def _is_cut(text: str, span: Span) -> bool:
    """Whether *span* is a part of a longer word or number that says something else.

    A number may go on behind a point or comma, but not in dates: `2020` is in `12.05.2020`.
    """
    start, end = span.start, span.end
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    if before in _APART and after in _APART:
        return False  # quick, and true of most
    if _is_within_word(text, start) or (text[start].isdecimal() and before.isdecimal()):
        return True
    last = _LAST_WORD.search(text, max(start, end - _SHORT_WORD - 1), end)
    if last is not None and len(last[0]) <= _SHORT_WORD and _is_within_word(text, end):
        return True
    goes_on = text[end - 1].isdecimal() and re.match(r"[.,]\d", text[end : end + 2])
    begins_before = text[start].isdecimal() and re.match(r"\d[.,]", text[max(0, start - 2) : start])
    ends = [place for place, is_part in ((end, goes_on), (start, begins_before)) if is_part]
    return any(_is_one_number(text, place) for place in ends)


def _is_within_word(text: str, place: int) -> bool:
    """Whether a word goes on across *place*; a capital behind a small letter begins another."""
    before, after = text[max(0, place - 1) : place], text[place : place + 1]
    if before.isupper():
        return after.islower() or after.isupper()
    return before.islower() and after.islower()


def _is_one_number(text: str, place: int) -> bool:
    head = text[max(0, place - _LONGEST_NUMERAL) : place]
    before = _NUMERAL_BEFORE.search(head)
    if before and _CODE_BEFORE.search(head, 0, before.start()):
        return False  # of an address, run together: `SS21/39,47400`
    after = _NUMERAL_AFTER.match(text[place : place + _LONGEST_NUMERAL])
    numeral = f"{before[0] if before else ''}{after[0] if after else ''}".strip(".,")
    return _ONE_NUMBER.fullmatch(numeral) is not None
