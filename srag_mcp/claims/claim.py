"""Whether a value follows from the words that are quoted for it: one check for all who ask."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import lru_cache

from srag_mcp.claims.figures import (
    find_other_number,
    is_computed,
    is_converted,
    names_attribute,
    read_figures,
)
from srag_mcp.claims.quotes import denies
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.words import fold
from srag_mcp.values.dates import DateText, find_dates
from srag_mcp.values.states import read_boolean, read_missing
from srag_mcp.values.types import Value

_DENYING_NAME = re.compile(r"(?:no|non|not|without)_")
_KEY = re.compile(r"[^:?\n]*[:?]\s*")
_BROKEN = re.compile(r"[-‐\u00ad][ \t]*\n\s*|\u00ad")
_NAME_WORD = re.compile(r"[^\W\d_]{3,}")
_CAPITALS = re.compile(r"\b[^\W\d_]{2,6}\b|\b(?:[^\W\d_]\.){2,6}")
_LONGEST_CODE = 6
_LONGEST_SHOWN = 80
_SHORTEST_STEM = 4
_ALIKE_IN_QUOTE, _ALIKE_ANYWHERE = 50.0, 75.0


class Bearing(StrEnum):
    """How the words of a quote bear on a value.

    `QUOTED`: they have it as it is. `CONVERTED`: in another scale, unit or spelling.
    `DERIVED`: it is computed from all that they say, counted, or stands elsewhere.
    `UNSHOWN`: nothing shows how it follows. `CONTRADICTED`: they say something else.
    """

    QUOTED = "quoted"
    CONVERTED = "converted"
    DERIVED = "derived"
    UNSHOWN = "unshown"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True, slots=True)
class Claim:
    """What a quote says of a value; *why*, in a clause, where it says something else."""

    bearing: Bearing
    why: str = ""

    @property
    def follows(self) -> bool:
        """Whether the quote shows the value."""
        return self.bearing in (Bearing.QUOTED, Bearing.CONVERTED, Bearing.DERIVED)


def check(attribute: Attribute, quote: str, value: Value, text: str) -> Claim:
    """Hold *value* of *attribute* against *quote*, words of the document *text*.

    Several numbers or dates contradict nothing, and show only what is among them or made of all of
    them. A yes, a no or a category is contradicted where the quote says another one and nothing
    else (`Pool: no`), a name where the document has no word of it.
    """
    if isinstance(value, bool):
        return _check_answer(attribute, quote, value=value)
    if isinstance(value, str):
        return _check_text(attribute, quote, value, text)
    if isinstance(value, date):
        return _check_date(quote, value, text)
    if why := find_other_number(attribute, quote, value, text):
        return Claim(Bearing.CONTRADICTED, why)
    if abs(float(value)) in read_figures(quote).plain:
        return Claim(Bearing.QUOTED)
    if is_converted(attribute, quote, value, text):
        return Claim(Bearing.CONVERTED)
    is_none = value == 0 and denies(quote)
    is_shown = is_none or is_computed(attribute, quote, value)
    return Claim(Bearing.DERIVED if is_shown else Bearing.UNSHOWN)


def says_none(quote: str) -> bool:
    """Return whether *quote* may say that there is none of something: `Pool: -`, `no pool`."""
    said = _KEY.sub("", quote, count=1).strip()
    return denies(quote) or read_missing(said) is not None or read_boolean(said) is False


def _check_answer(attribute: Attribute, quote: str, *, value: bool) -> Claim:
    """A no needs a word that denies; a yes is not shown by words that do."""
    said = read_boolean(_KEY.sub("", quote, count=1))
    is_denied = denies(quote)
    if said in (None, value) or _DENYING_NAME.match(attribute.name):
        return Claim(Bearing.QUOTED if said is value or is_denied is not value else Bearing.UNSHOWN)
    if _KEY.match(quote) is None or names_attribute(attribute, quote):
        return Claim(Bearing.CONTRADICTED, f"the quote says {quote!r}")
    return Claim(Bearing.UNSHOWN)


def _check_date(quote: str, value: date, text: str) -> Claim:
    found = read_figures(quote).dates
    if len(found) == 1 and not _agrees(found[0], value):
        return Claim(Bearing.CONTRADICTED, f"the quote gives another date than {value.isoformat()}")
    agreeing = [item for item in found if _agrees(item, value)]
    if any(item.year is not None and item.day is not None for item in agreeing):
        return Claim(Bearing.QUOTED)
    is_open = agreeing or not found
    is_elsewhere = is_open and any(_agrees(item, value) for item in _full_dates(text))
    return Claim(Bearing.DERIVED if is_elsewhere else Bearing.UNSHOWN)


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


@lru_cache(maxsize=8)
def _full_dates(text: str) -> tuple[DateText, ...]:
    return tuple(item for _, item in find_dates(text) if item.year is not None)


def _check_text(attribute: Attribute, quote: str, value: str, text: str) -> Claim:
    folded = {fold(category): category for category in attribute.categories or ()}
    said = folded.get(fold(_KEY.sub("", quote, count=1)), value)
    if said != value:
        return Claim(Bearing.CONTRADICTED, f"the quote says {said!r}, the value {value!r}")
    words = fold(value).split()
    if words and _has_words(quote, words):
        return Claim(Bearing.QUOTED)
    if not folded and not _says_name(attribute, quote, value, text):
        return Claim(
            Bearing.CONTRADICTED, f"the document has no word of {value!r:.{_LONGEST_SHOWN}}"
        )
    if folded:  # the document may speak of all categories
        return Claim(Bearing.UNSHOWN)
    is_there = _has_words(text, words) if words else value in text
    return Claim(Bearing.CONVERTED if is_there else Bearing.UNSHOWN)


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


def _says_name(attribute: Attribute, quote: str, value: str, text: str) -> bool:
    """Whether *text*, the document, may have a word of *value*, if that is a name.

    Only texts whose words have capitals are; one that another script, an abbreviation or the
    description of the column may explain is there.
    `Rotterdam`, quoted as "put out from Hamburg" -> False; `China`, as "the PRC" -> True
    """
    parts = _NAME_WORD.findall(value)
    is_code = value.isupper() and len(value) <= _LONGEST_CODE  # `DE`, `EUR` stand for other words
    if not parts or is_code or not all(word[0].isupper() for word in parts):
        return True
    if not _scripts(value) & _scripts(quote) or _is_acronym_beside(value, quote):
        return True
    wanted = _name_words(value)
    described = f"{attribute.name.replace('_', ' ')} {attribute.description}"
    return _has_any(_name_words(quote), wanted, _ALIKE_IN_QUOTE) or any(
        _has_any(_name_words(other), wanted, _ALIKE_ANYWHERE) for other in (described, text)
    )


@lru_cache(maxsize=8)
def _name_words(text: str) -> tuple[str, ...]:
    found = _NAME_WORD.findall(_BROKEN.sub("", text))
    return tuple(fold(word) for word in dict.fromkeys(found))


def _has_any(words: Sequence[str], wanted: Sequence[str], alike: float) -> bool:
    """Whether one of *wanted* is among *words*, is like one, or has the stem of one."""
    known = set(words)
    if not known.isdisjoint(wanted):
        return True
    from rapidfuzz import fuzz, process  # slow to import, and mostly not needed

    return any(
        process.extractOne(word, known, scorer=fuzz.ratio, score_cutoff=alike)
        or any(_share_stem(word, other) for other in known)
        for word in wanted
    )


def _share_stem(one: str, other: str) -> bool:
    """`italian` and `italy`; `mietvertrag` and `vertrag`."""
    short, long = sorted((one, other), key=len)
    if len(short) < _SHORTEST_STEM:
        return False
    return long.startswith(short[:_SHORTEST_STEM]) or short in long


def _scripts(text: str) -> set[str]:
    """Return the scripts of its letters: `Köln 5` -> `LATIN`."""
    return {unicodedata.name(letter, "?").split()[0] for letter in text if letter.isalpha()}


def _is_acronym_beside(value: str, quote: str) -> bool:
    """Whether *quote* has capitals that may stand for *value*: `the PRC` for `China`."""
    if value.isupper() or quote.isupper():
        return False
    return any(word.isupper() for word in _CAPITALS.findall(quote))
