"""Bounds: what a number or a date is said with that makes it no plain value.

`at least 5` is the end of where a number lies, `by 3 May 2021` that of where a day lies; what is
`planned for 3 May 2021` may never have been, and what is `about 5` may be 6. The words are those of
languages (`words.toml`), and stand before a value or behind it.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cache

from srag_mcp.text.spans import Span
from srag_mcp.values.states import WEEKDAYS, WORDS


class Hedge(StrEnum):
    """How a value is said; as a text, the note of its cell."""

    BOUND = "a bound is stated, and no value"
    INTENT = "what is intended is stated, and no value"
    ROUGH = "a rough value is stated"


NO_VALUE = frozenset({Hedge.BOUND, Hedge.INTENT})
# Before a number; with the words that say the same in a name.
SIGNS: Mapping[str, str] = {">": "over", "<": "under", "≥": "from", "≤": "up to"}
SIGN = f"[{''.join(SIGNS)}]"


def _words(*keys: str) -> str:
    """Return the words of all languages under *keys*, for a regular expression."""
    texts = (words.get(key, "") for words in WORDS["hedges"].values() for key in keys)
    lines = (" ".join(line.split()) for text in texts for line in text.splitlines())
    return "|".join(dict.fromkeys(filter(None, lines)))


_NUMBERS, _DAYS = _words("bound", "limit"), _words("bound", "limit", "day")
_START, _BEHIND, _ROUGH, _INTENT = map(_words, ("start", "behind", "rough", "intent"))
_BETWEEN, _AND = map(_words, ("between", "and"))
# Around a number they leave what it measures.
HEDGES = rf"\b(?:{_NUMBERS}|{_START}|{_ROUGH})\b\.?|[~≈±+()]|{SIGN}"
_LINKS = rf"(?:(?:{_words('link')}|{'|'.join(WEEKDAYS)})\b[.,]?\s*){{0,3}}"
_NEAR = 20  # characters beside a value of running text that may say how it is meant
_REACH = re.compile(rf".{{0,{_NEAR}}}\w*[^\S\n]?\w?", re.DOTALL)  # and what the last word is of
_CLAUSE = re.compile(rf"[:|\n]|[.!?]\s+(?=[A-ZÀ-Þ])|{SIGN}")
_PLACE = "\0"  # of the value among what is said beside it
# No arrow, nor a quoted line, which says more than a number.
_SIGN_IN_TEXT = re.compile(
    rf"(?:[<≤≥]=?|(?<=[^\s>])[ \t]*(?<![>=-])>=?|(?<![>=-])>=|^[ \t]*>(?=[ \t]*{_PLACE}[ \t]*$))"
    rf"[ \t]*{_PLACE}",
    re.MULTILINE,
)


@cache  # most processes look for none of the four
def _beside(words: str, sign: str, behind: str = "(?!)") -> re.Pattern[str]:
    """Match *words* or a *sign* before a value, or *behind* it; words also where they end all."""
    before = rf"(?:{sign}|(?<!\d)(?<!\d\s)\b(?:{words})\b\.?)\s*{_LINKS}\W{{0,2}}{_PLACE}"
    closing = rf"{_PLACE}\s?\(?(?:{words})\b\.?\)?\s*(?:[,;.)]|\Z)"
    return re.compile(rf"{before}|{closing}|{_PLACE}\s?{behind}", re.IGNORECASE)


_OPEN = rf"\(?(?:{_BEHIND})\b"
_RANGE = re.compile(  # both ends: `between 5 and 7 kg`
    rf"\b(?:{_BETWEEN})\b(?:\s*{_PLACE}\s*(?:{_AND})\b\D{{0,5}}\d"
    rf"|\D{{0,5}}\d[\d.,]*\D{{0,5}}\b(?:{_AND})\s*{_PLACE})",
    re.IGNORECASE,
)
_BOUND_DAY = _DAYS, f"{SIGN}=?", _OPEN
_BOUND_IN_TEXT = _NUMBERS, "(?!)", rf"(?:\+(?!\s?\d)|{_OPEN})"
_BOUND_NUMBER = f"{_NUMBERS}|{_START}", f"{SIGN}=?", rf"(?:\+(?!\s?\d)|{_OPEN})"
_ROUGH_BESIDE = _ROUGH, "[~≈]"
_INTENDED_DAY = re.compile(rf"\b(?:{_INTENT})\b", re.IGNORECASE)
# Before a number, right behind it, or at an end: `90 rooms and a planned pool` are 90.
_INTENDED = re.compile(
    rf"\b(?:{_INTENT})\b[^,;]*{_PLACE}|{_PLACE}\s?\(?(?:{_INTENT})\b"
    rf"|{_PLACE}[^,;]*\b(?:{_INTENT})\b(?!\s*\w)",
    re.IGNORECASE,
)
_DOTTED = re.compile(rf"\b({_NUMBERS}|{_START}|{_ROUGH})\.", re.IGNORECASE)  # no end of a sentence
# In the label of a number; in that of a day.
_NAMED, _NAMED_DAY = (
    re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for words in (f"{_words('limit')}|{_INTENT}", f"{_DAYS}|{_START}|{_INTENT}|{_words('term')}")
)
# whether a number may be hedged: many times as fast as to find the number
HEDGED = re.compile(rf"{HEDGES}|\b(?:{_DAYS}|{_BEHIND}|{_INTENT})\b", re.IGNORECASE)
_YEAR = re.compile(rf"{_PLACE}(?!\s?[^\W\d_])")  # `by 1950`, but not `by 1950 guests`
_FOUR_DIGITS = re.compile(r"[12]\d{3}")


def hedge_of(text: str, span: Span, label: str = "", *, is_day: bool = False) -> Hedge | None:
    """Return how the number or the day at *span* of a cell is said; None for a plain one.

    Below a *label* that speaks of an end, or of a day that is intended, this is what the value is
    said to be: the deadline `by 3 May 2021` is that day.
    `<1`, `max. 500 m`, `5 or more`, `from 12 EUR`, `before 1950` -> BOUND; `ca. 5` -> ROUGH
    """
    return _hedge(text, span, label, _BOUND_DAY if is_day else _BOUND_NUMBER)


def hedge_in_text(text: str, span: Span, label: str = "", *, is_day: bool = False) -> Hedge | None:
    """Return how the number or the day at *span* of running text is said, as `hedge_of` does.

    A number may lead away from where `from` stands, and the words of a label are not of its value:
    `Distance from: 5`.
    """
    before = text[max(0, span.start - _NEAR) : span.start]
    before = _DOTTED.sub(r"\1 ", before) if "." in before else before
    reach = _REACH.match(text, span.end)
    behind = reach[0] if reach is not None else ""
    has_sign = any(sign in before for sign in SIGNS)
    if has_sign and _SIGN_IN_TEXT.search(f"{before}{_PLACE}{behind}"):
        return Hedge.BOUND
    said = _CLAUSE.split(before)[-1]
    near = f"{said}{span.of(text)}{_CLAUSE.split(behind)[0]}"
    place = Span(len(said), len(said) + span.end - span.start)
    return _hedge(near, place, label, _BOUND_DAY if is_day else _BOUND_IN_TEXT)


def _hedge(text: str, span: Span, label: str, bound: tuple[str, str, str]) -> Hedge | None:
    said = f"{text[: span.start]}{_PLACE}{text[span.end :]}"
    if said == _PLACE:
        return None
    is_year = _FOUR_DIGITS.fullmatch(span.of(text)) and _YEAR.search(said)
    is_day = bound is _BOUND_DAY or is_year
    hedge = Hedge.INTENT if (_INTENDED_DAY if is_day else _INTENDED).search(said) else None
    is_end = _beside(*bound).search(said) or _RANGE.search(said)
    if is_end or (is_year and _beside(*_BOUND_DAY).search(said)):
        hedge = Hedge.BOUND
    if hedge and not (_NAMED_DAY if is_day else _NAMED).search(label.replace("_", " ")):
        return hedge
    return Hedge.ROUGH if _beside(*_ROUGH_BESIDE).search(said) else None
