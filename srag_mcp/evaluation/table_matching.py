"""Matching answers about tables, after the evaluator of WikiTableQuestions.

Source: Pasupat and Liang, "Compositional Semantic Parsing on Semi-Structured Tables" (ACL 2015),
`evaluator.py` 1.0.2: normalised texts, numbers and dates are compared as sets of equal size. Two
readings of ours: a truth value is yes or no, and an expected `33 years` is the number 33.
"""

import re
import unicodedata
from collections.abc import Sequence

from srag_mcp.evaluation.comparison import date_of
from srag_mcp.schema.attribute import Scalar
from srag_mcp.store.guard import Value
from srag_mcp.values.dates import DateText, find_dates
from srag_mcp.values.numbers import read_number

_CLOSE = 1e-6
_QUOTES = str.maketrans({"‘": "'", "’": "'", "´": "'", "`": "'", "“": '"', "”": '"'})
_DASHES = re.compile(r"[‐‑‒–—−]")
_CITATION = re.compile(r"(?<!^)(?:\[[^\]]*\]|[•♦†‡*#+])+$|\[(?:nb )?\d+\]")
_DETAILS = re.compile(r"(?<!^)\s*\([^)]*\)$")
_QUOTED = re.compile(r'^"([^"]*)"$')
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d+)?|\d{1,3}(?:,\d{3})+(?:\.\d+)?)")
_WITH_UNIT = re.compile(r"(?P<number>[+-]?\d[\d,]*(?:\.\d+)?)\s+(?P<unit>[^\W\d_]+)")


def is_right_of_table(values: Sequence[Value], expected: Sequence[Scalar]) -> bool:
    """Return whether *values* are the *expected* answers: as many different ones, all equal."""
    found = [_said(value) for value in values if value is not None]
    wanted = list(dict.fromkeys(str(value) for value in expected))
    different = list(dict.fromkeys(normalise(text) for text in found))
    if len(different) != len(dict.fromkeys(normalise(text) for text in wanted)):
        return False
    return all(any(_equal(text, member) for text in found) for member in wanted)


def normalise(text: str) -> str:
    """Return *text* without accents, citations, details in brackets, quotes, case."""
    plain = unicodedata.normalize("NFKD", _DASHES.sub("-", text.translate(_QUOTES)))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter)).strip()
    while True:
        shorter = _CITATION.sub("", plain).strip()
        shorter = _QUOTED.sub(r"\1", _DETAILS.sub("", shorter).strip()).strip()
        if shorter == plain:
            break
        plain = shorter
    return " ".join(plain.removesuffix(".").lower().split())


def _said(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return str(value)


def _equal(found: str, expected: str) -> bool:
    if normalise(found) == normalise(expected):
        return True
    number, wanted = _number(found), _number(_without_unit(expected))
    if number is not None and wanted is not None:
        return abs(number - wanted) < _CLOSE
    day, wanted_day = _day(found), _day(expected)
    return day is not None and day == wanted_day


def _without_unit(text: str) -> str:
    """Return the number of `40 knots` or `12 points`, and any other text as it is."""
    match = _WITH_UNIT.fullmatch(normalise(text))
    if match is None:
        return text
    quantity = read_number(match.group())
    known = quantity is not None and quantity.unit is not None
    return match["number"] if known or match["unit"].startswith("point") else text


def _number(text: str) -> float | None:
    text = normalise(text)
    quantity = read_number(text) if _NUMBER.fullmatch(text) else None
    return float(quantity.value) if quantity else None


def _day(text: str) -> DateText | None:
    day = date_of(text)
    if day is not None:
        return DateText(day.year, day.month, day.day)
    found = find_dates(text, partial=True)
    whole = len(found) == 1 and found[0][0].of(text) == text.strip()
    return DateText(found[0][1].year, found[0][1].month, found[0][1].day) if whole else None
