"""Numerals: digits with separators, which a column may have to decide, and numbers in words."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

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
# Said in the context of cells whose table writes its numbers so; mark that groups digits there.
DECIMAL_COMMA, DECIMAL_POINT = "decimal comma", "decimal point"


_UNIT_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
_TEN_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = {word: number for number, word in enumerate(_UNIT_WORDS.split())} | {
    word: 10 * number for number, word in enumerate(_TEN_WORDS.split(), start=2)
}
_FACTORS = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_WHOLE = {"a dozen": 12, "dozen": 12, "half a dozen": 6, "half a million": 500_000, "a couple": 2}
# Only for a whole cell: in running text "un", "une", "ein" are articles.
_FOREIGN = {
    word: number
    for words in (
        "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        "un deux trois quatre cinq six sept huit neuf dix onze douze",
        "uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
        "uno due tre quattro cinque sei sette otto nove dieci undici dodici",
        "een twee drie vier vijf zes zeven acht negen tien elf twaalf",
        "um dois três quatro cinco seis sete oito nove dez onze doze",
    )
    for number, word in enumerate(words.split(), start=1)
}

_ANY = "|".join(sorted([*_SMALL, *_FACTORS], key=len, reverse=True))
_FIRST = "|".join(sorted(_SMALL, key=len, reverse=True))
NUMBER_WORDS = re.compile(
    rf"\b(?=[a-zA-Z])(?<![\w-])(?:half a dozen|half a million|a dozen"
    rf"|(?:(?:{_FIRST})|a(?=\s(?:hundred|thousand|million|billion)))"
    rf"(?:(?:-|\s(?:and\s)?)(?:{_ANY}))*)(?![\w-])",
    re.IGNORECASE,
)


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


def find_style(numerals: Iterable[str]) -> str:
    """Return which decimal mark all that can be read one way only agree on, in words; else empty.

    `1,5`, `1.234` -> "decimal comma"; `1.5`, `1,234` -> "decimal point"; `1.234` -> ""
    """
    found = {"," if decimal_mark(one) == "," or grouping_mark(one) == "." else "."
             for one in numerals if decimal_mark(one) or grouping_mark(one)}  # fmt: skip
    if len(found) != 1:
        return ""
    return DECIMAL_COMMA if found == {","} else DECIMAL_POINT


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


def read_number_words(text: str) -> int | None:
    """Read a number in words, English or (one to twelve) six more languages.

    `twenty-five` -> 25, `two hundred and five` -> 205, `a dozen` -> 12, `drei` -> 3
    """
    folded = " ".join(text.lower().replace("-", " ").split())
    if folded in _WHOLE:
        return _WHOLE[folded]
    if folded in _FOREIGN:
        return _FOREIGN[folded]
    words = [word for word in folded.split() if word != "and"]
    if words and words[0] == "a" and len(words) > 1 and words[1] in _FACTORS:
        words[0] = "one"
    return _sum(words)


def _sum(words: list[str]) -> int | None:
    total, group, last = 0, 0, 0
    for word in words:
        if word in _SMALL:
            number = _SMALL[word]
            if last and not ((last % 10 == 0 and number < 10) or last == 100):
                return None
            group, last = group + number, number
        elif word == "hundred":
            group, last = (group or 1) * 100, 100
        elif word in _FACTORS:
            total, group, last = total + (group or 1) * _FACTORS[word], 0, 0
        else:
            return None
    return total + group if words else None
