"""Unsaid names: a name that is given for a document that has no word of it."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.words import fold
from srag_mcp.values.types import Value

_WORD = re.compile(r"[^\W\d_]{3,}")
_CAPITALS = re.compile(r"\b[^\W\d_]{2,6}\b|\b(?:[^\W\d_]\.){2,6}")
_LONGEST_CODE = 6
_BROKEN = re.compile(r"[-‐\u00ad][ \t]*\n\s*|\u00ad")
_LONGEST_SHOWN = 80
_SHORTEST_STEM = 4
_ALIKE_IN_QUOTE = 50.0
_ALIKE_ANYWHERE = 75.0


def find_unsaid_name(attribute: Attribute, quote: str, value: Value | None, text: str) -> str:
    """Say that *text*, the document, has no word of the name *value*; empty where that may be.

    Only names count: texts of an open column whose words have capitals. One that another script, an
    abbreviation or the description of the column may explain is none.
    `Rotterdam`, quoted as "put out from Hamburg" -> a doubt; `China`, as "the PRC" -> nothing
    """
    if not isinstance(value, str) or attribute.categories or not _is_name(value):
        return ""
    if not _same_script(value, quote) or _is_acronym_beside(value, quote):
        return ""
    wanted = _words(value)
    described = f"{attribute.name.replace('_', ' ')} {attribute.description}"
    if _has_any(_words(quote), wanted, _ALIKE_IN_QUOTE) or any(
        _has_any(_words(other), wanted, _ALIKE_ANYWHERE) for other in (described, text)
    ):
        return ""
    return f"the document has no word of {value!r:.{_LONGEST_SHOWN}}"


def _is_name(value: str) -> bool:
    """Whether all words have capitals; a code, such as `DE` or `EUR`, stands for other words."""
    words = _WORD.findall(value)
    is_code = value.isupper() and len(value) <= _LONGEST_CODE
    return bool(words) and not is_code and all(word[0].isupper() for word in words)


@lru_cache(maxsize=8)
def _words(text: str) -> tuple[str, ...]:
    """Return the words of *text*; the cells of one document ask for the same again."""
    found = _WORD.findall(_BROKEN.sub("", text))
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


def _same_script(value: str, quote: str) -> bool:
    return bool(_scripts(value) & _scripts(quote))


def _scripts(text: str) -> set[str]:
    """Return the scripts of its letters: `Köln 5` -> `LATIN`."""
    return {unicodedata.name(letter, "?").split()[0] for letter in text if letter.isalpha()}


def _is_acronym_beside(value: str, quote: str) -> bool:
    """Whether *quote* has capitals that may stand for *value*: `the PRC` for `China`."""
    if value.isupper() or quote.isupper():
        return False
    return any(word.isupper() for word in _CAPITALS.findall(quote))
