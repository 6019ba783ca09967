"""Restating: the reading of a question in the words of a model, checked before anyone sees it."""

import re
from collections.abc import Iterable, Sequence

from srag_mcp.values.quantities import Quantity, find_quantities

_NUMERAL = re.compile(r"\d+(?:[.,'\u00a0\u202f]\d+)*")
_WHOLE = re.compile(r"\d+|\d{1,3}(?:[.,'\u00a0\u202f]\d{3})+")
_MARKS = re.compile(r"\D")


def restate_question(restated: str, question: str, known: Iterable[object]) -> str:
    """Return *restated*, or *question* where it says a number that comes from nowhere.

    It stands beside the answer, and may not be one of its own: its numbers have to be in the
    question or in *known*, which is the query, the values that it returned and what the schema
    says of its columns. `fifty` and `50`, `50 %` and `0.5` are one number.
    """
    said = restated.strip().rstrip(".")
    asked = question.strip(" .?")
    if not said or _has_unknown_number(said, [asked, *map(str, known)]):
        return asked
    return said


def _has_unknown_number(said: str, known: Sequence[str]) -> bool:
    read = [(span.of(said), quantity) for span, quantity in find_quantities(said)]
    unread = [text for text in _NUMERAL.findall(said) if not any(text in t for t, _ in read)]
    if not read and not unread:
        return False
    figures = _figures(known)
    if any(_figure(text) not in figures for text in unread):
        return True
    open_forms = [_forms(item) for text, item in read if _figure(text) not in figures]
    return bool(open_forms) and any(map(_values(known).isdisjoint, open_forms))


def _figures(texts: Sequence[str]) -> set[str]:
    """Return all numerals: `2021-03-04` -> `2021`, `3`, `4`."""
    return {_figure(numeral) for text in texts for numeral in _NUMERAL.findall(text)}


def _figure(text: str) -> str:
    """Return a whole number without marks: `1,200` -> `1200`, `03` -> `3`; other text as it is."""
    return (_MARKS.sub("", text).lstrip("0") or "0") if _WHOLE.fullmatch(text) else text


def _values(texts: Sequence[str]) -> set[float]:
    found = [quantity for text in texts for _, quantity in find_quantities(text)]
    return {end for item in found for end in (item.value, item.upper) if end is not None}


def _forms(quantity: Quantity) -> set[float]:
    """Return the numbers that may be stored for one that is said: `50 %` is 50 or 0.5."""
    is_share = quantity.unit == "percent"
    return {quantity.value, quantity.value / 100} if is_share else {quantity.value}
