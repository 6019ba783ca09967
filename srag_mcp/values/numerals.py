"""Numerals: digits with separators, whose meaning may hang on the column they stand in."""

import math
import re
from collections import Counter
from collections.abc import Sequence

_ODD_SEPARATORS = re.compile(r"['’ \u00a0\u202f\u2009]")
_GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
_FIRST_GROUPED = 10_000
_INDIAN = re.compile(r"\d{1,3}(?:,\d{2})*,\d{3}")
_THREES = re.compile(r"\d{1,3}(?:[.,]\d{3}){2,}")
_MAX_DIGITS = 30
FOOTNOTED = re.compile(r"(\d{1,3}(?:[,.]\d{3})*[,.]\d{3})\d")
# In powers of ten: a comma before three digits groups unless the size speaks against it clearly.
_COMMA_DECIMAL, _POINT_GROUPS = -1.5, 0.5

DEFAULT_GROUPING = ","


def ambiguous_mark(numeral: str) -> str | None:
    """Return the separator of *numeral* that may group digits or mark decimals, or None.

    `1.234` -> ".", `1,234` -> ",", `12.5` -> None, `1,234.5` -> None, `0.123` -> None
    """
    for mark in ".,":
        head, found, tail = numeral.partition(mark)
        if found and tail.isdigit() and len(tail) == 3:
            return mark if head.isdigit() and 1 <= len(head) <= 3 and head[0] != "0" else None
    return None


def decimal_mark(numeral: str) -> str | None:
    """Return the separator that can only mark decimals in *numeral*, or None."""
    plain = _ODD_SEPARATORS.sub("", numeral)
    marks = [character for character in plain if character in ".,"]
    if not marks or ambiguous_mark(plain) == marks[-1] or _THREES.fullmatch(plain):
        return None
    return marks[-1] if marks.count(marks[-1]) == 1 else None


def grouping_mark(numeral: str) -> str | None:
    """Return the separator that can only group digits in *numeral*, or None."""
    marks = [character for character in numeral if character in ".,"]
    if len(marks) > 1 and read_numeral(numeral) is not None:
        return marks[0] if len(set(marks)) == 1 or not _THREES.fullmatch(numeral) else None
    return None


def read_numeral(numeral: str, grouping: str = DEFAULT_GROUPING) -> int | float | None:
    """Read digits with separators; None when the separators make no number (`1.2.3`).

    *grouping* holds the marks that group digits where a numeral could be read either way.
    `1,234.5` -> 1234.5, `1.234,5` -> 1234.5, `1,23,456` -> 123456, `1.234` -> 1.234 or, with
    grouping ".", 1234.
    """
    plain = _ODD_SEPARATORS.sub("", numeral)
    if len(plain) > _MAX_DIGITS:
        return None
    if plain.isdigit():
        return int(plain)
    last = "." if plain.rfind(".") > plain.rfind(",") else ","
    if plain.count(".") + plain.count(",") == 1:
        grouped = last in grouping and ambiguous_mark(plain) is not None
        return _joined(plain, last) if grouped else _decimal(plain, last)
    if {".", ","} <= set(grouping) and _THREES.fullmatch(plain):
        return int(plain.replace(".", "").replace(",", ""))
    return _mixed(plain, last)


def _mixed(plain: str, last: str) -> int | float | None:
    if plain.count(last) == plain.count(".") + plain.count(","):
        return _joined(plain, last)
    whole, _, decimals = plain.rpartition(last)
    if last in whole or not decimals:
        return None
    other = "," if last == "." else "."
    joined = _joined(whole, other)
    return None if joined is None else float(f"{joined}.{decimals}")


def _joined(plain: str, mark: str) -> int | None:
    fits = _GROUPED.fullmatch(plain) or (mark == "," and _INDIAN.fullmatch(plain))
    return int(plain.replace(mark, "")) if fits else None


def _decimal(plain: str, mark: str) -> float:
    return float(plain.replace(mark, "."))


def digit_grouping(value: float) -> str:
    """Return the separator for thousands with which *value* is shown, as a format wants it.

    It is used from five digits on: a number of four digits may be a year. `1956 -> ""`,
    `12500 -> ","`
    """
    return "," if abs(value) >= _FIRST_GROUPED else ""


def decide_grouping(numerals: Sequence[str], *, whole: bool = False) -> str:
    """Return the marks that group digits where a numeral of this column could be read either way.

    Members that can be read one way only decide; where they contradict one another or are missing,
    the reading nearest in size to the rest of the column. *whole*: no decimals are expected.
    """
    proof = [numeral for numeral in numerals if not FOOTNOTED.fullmatch(numeral)]
    decimals = Counter(decimal_mark(numeral) for numeral in proof)
    groups = Counter(grouping_mark(numeral) for numeral in proof)
    grouping = ""
    for mark, other in (",.", ".,"):
        direct = (groups[mark] > 0) - (decimals[mark] > 0)
        indirect = (decimals[other] > 0) - (groups[other] > 0)
        seen = bool(groups[mark] or decimals[mark])
        verdict = direct if seen else indirect
        if verdict == 0:
            groups_here = whole or _nearer_grouped(numerals, mark, grouping)
        else:
            groups_here = verdict > 0
        grouping += mark if groups_here else ""
    return grouping


def _nearer_grouped(numerals: Sequence[str], mark: str, grouping: str) -> bool:
    """Compare sizes: does `1.234` lie nearer to the column as 1234 or as 1.234?"""
    open_ones = [numeral for numeral in numerals if ambiguous_mark(numeral) == mark]
    rest = [numeral for numeral in numerals if ambiguous_mark(numeral) != mark]
    if mark == ",":
        rest = [numeral for numeral in rest if ambiguous_mark(numeral) is None]
    anchor = _middle([read_numeral(numeral, grouping) for numeral in rest])
    if not open_ones or anchor is None:
        return mark == ","
    grouped = _middle([read_numeral(numeral, mark) for numeral in open_ones])
    decimal = _middle([read_numeral(numeral, "") for numeral in open_ones])
    nearer = abs((decimal or 0) - anchor) - abs((grouped or 0) - anchor)
    return nearer > (_COMMA_DECIMAL if mark == "," else _POINT_GROUPS)


def _middle(values: Sequence[int | float | None]) -> float | None:
    sizes = sorted(math.log10(value) for value in values if value)
    return sizes[len(sizes) // 2] if sizes else None
