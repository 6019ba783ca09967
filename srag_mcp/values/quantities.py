"""Quantities in a text: a scanner for numbers, in digits or words, with sign, scale and unit.

The scanner works in two steps, because a column decides what `1.234` means: `scan_figures` finds
figures with their numerals unread, `Figure.read` reads one with the separators of its column
(`decide_grouping`).
"""

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from itertools import takewhile

from srag_mcp.text.spans import Span
from srag_mcp.text.words import languages_of, lettered
from srag_mcp.values.states import WORDS, number_names
from srag_mcp.values.units import (
    AMBIGUOUS_CURRENCIES,
    HOURLY,
    LOOSE_SCALES,
    SCALES,
    combine,
    currency_at,
    is_currency,
    ratio_of,
    scale_of,
    unit_of,
)

_ODD_SEPARATORS = re.compile(r"['’ \u00a0\u202f\u2009]")
_SEPARATED = re.compile(r"[.,]?\d[\d.,]*")
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
ELSEWHERE = "elsewhere "  # before it, where other numbers of the document alone say so

_SMALL = {word: number for number, word in enumerate(WORDS["numbers"]["units"].split())} | {
    word: 10 * number for number, word in enumerate(WORDS["numbers"]["tens"].split(), start=2)
}
_FACTORS = {"dozen": 12, "hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_WHOLE = {"half a dozen": 6, "half a million": 500_000, "a couple": 2}
PARTS_OF_ONE = {"half": 2, "halves": 2, "quarter": 4, "quarters": 4} | {
    f"{word}{plural}": number
    for number, word in enumerate(WORDS["numbers"]["ordinals"].split(), start=1)
    for plural in ("", "s")
    if number > 2
}

_ANY = "|".join(sorted([*_SMALL, *_FACTORS], key=len, reverse=True))
_FIRST = "|".join(sorted(_SMALL, key=len, reverse=True))
_PART = "|".join(word for word in PARTS_OF_ONE if "-" not in word)
_PARTS = "|".join(word for word in PARTS_OF_ONE if word[-1] == "s" or word in ("half", "quarter"))
# Behind a number, in digits or words, it is so much more: `10 and a half`, `two-and-a-half-hour`;
# not `in 2010 and a third time in 2014`, `in 2010 and a half of it`.
_AND_PART = re.compile(
    "|".join(
        rf"{by}(?:and|und|en){by}(?:an?|{_FIRST}|ein\w*|een)[\s-](?:{_PARTS}|halb\w*|halve){end}"
        for by, end in ((r"\s", r"(?![\w-]|\sof\b)"), ("-", r"(?!\w)"))
    )
    + rf"|(?:\s(?:et|y|e)\s(?:{WORDS['numbers']['halves']})|\s?einhalb)(?![\w-])",
    re.IGNORECASE,
)
NUMBER_WORDS = re.compile(
    rf"\b(?=[a-zA-Z])(?<![\w-])(?:half a dozen|half a million"
    rf"|(?:(?:{_FIRST})|a(?=\s(?:{'|'.join(_FACTORS)})))"
    rf"(?:(?:-|\s(?:and\s(?!\w+\s(?:{_PART})\b)|(?<!\bat one )point\s)?)(?:{_ANY}))*)"
    rf"(?:(?:{_AND_PART.pattern})(?:\s(?:{'|'.join(_FACTORS)})\b)?|(?![\w-]))",
    re.IGNORECASE,
)


_OF_NUMBERS = frozenset({*_SMALL, *_FACTORS})  # one of these is in each of them
# Around words that are but a part of a number: `half | a thousand`, `several hundred and | ten`.
_CUT_BEFORE = re.compile(rf"(?:\b(?:{'|'.join(_FACTORS)})(?:\sand)?|\bhalf)\s$", re.IGNORECASE)
# and behind them, also behind digits: `three | quarters`, `ten | and half`, `8 | and 1/2`.
_AND_CUT = re.compile(
    rf"[\s-]and[\s-](?:(?:an?[\s-])?(?:{_PARTS})|(?:{_FIRST})[\s-](?:{_PART}))(?!\w|\sof\b)"
    r"|\sand\s\d+/\d+(?![/\d])",
    re.IGNORECASE,
)
_CUT_BEHIND = re.compile(
    rf"[\s-](?:and (?:an?|one) )?(?:{_PART})\b|{_AND_CUT.pattern}", re.IGNORECASE
)
# Words beside a number; another number there makes one of both: `mil | novecentos`,
# `zwanzig Komma | fünf`, `zwanzig bis | dreißig`.
_BEFORE_IT = re.compile(r"(?:(\w+)[\s-])?(\w+)[\s-]$")
_OF_HUNDRED = r"p(?:er|ro|or|our)\s(?:cento?|mille|ciento)\b"
_BEHIND_IT = re.compile(rf"[\s-](?!{_OF_HUNDRED})(\w+)(?:[\s-](\w+))?")
_ALONE, _GLUED = re.compile(r"(?<![\w-])[^\W\d_]+"), re.compile(r"[\w-]")
_GAP, _RUN = re.compile(r"[\s-]"), re.compile(r"[^\W\d_]+(?:[\s-][^\W\d_]+){0,5}")


@cache
def _foreign() -> tuple[Mapping[str, int], Set[str]]:
    """Return the highest number that begins with a word, and the words of which numbers are."""
    names = number_names()  # in their order
    first = {name.partition(" ")[0]: number for name, number in names.items()}
    articles = {name for name, number in names.items() if number == 1}
    return first, {*SCALES, *_OF_NUMBERS, *first} - articles


_NOTHING_MORE = re.compile(r"\s*(?:\Z|[.,;:!?)\]|])|[^\S\n]*\n\s*\n")


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
             for one in numerals if not FOOTNOTED.fullmatch(one)
             if decimal_mark(one) or grouping_mark(one)}  # fmt: skip
    if len(found) != 1:
        return ""
    return DECIMAL_COMMA if found == {","} else DECIMAL_POINT


def read_numeral(numeral: str, grouping: str = DEFAULT_GROUPING) -> int | float | None:
    """Read digits with separators; None for anything else, or where they make no number (`1.2.3`).

    *grouping* holds the marks that group digits where a numeral could be read either way.
    `1,234.5` -> 1234.5, `1.234,5` -> 1234.5, `1,23,456` -> 123456, `1.234` -> 1.234 or, with
    grouping ".", 1234.
    """
    plain = _ODD_SEPARATORS.sub("", numeral)
    if len(plain) > _MAX_DIGITS or not _SEPARATED.fullmatch(plain):
        return None
    if plain.isdecimal():
        return int(plain)
    last = "." if plain.rfind(".") > plain.rfind(",") else ","
    n_marks = plain.count(".") + plain.count(",")
    if n_marks == 1 and not (last in grouping and ambiguous_mark(plain)):
        return float(plain.replace(last, "."))
    if n_marks > 1 and {".", ","} <= set(grouping) and _THREES.fullmatch(plain):
        return int(plain.replace(".", "").replace(",", ""))
    if plain.count(last) == n_marks:
        return _ungrouped(plain, last)
    whole, _, decimals = plain.rpartition(last)
    is_sound = decimals and last not in whole
    joined = _ungrouped(whole, "," if last == "." else ".") if is_sound else None
    return None if joined is None else float(f"{joined}.{decimals}")


def _ungrouped(plain: str, mark: str) -> int | None:
    fits = _GROUPED.fullmatch(plain) or (mark == "," and _INDIAN.fullmatch(plain))
    return int(plain.replace(mark, "")) if fits else None


def digit_grouping(value: float) -> str:
    """Return the separator for thousands with which *value* is shown, as a format wants it.

    It is used from five digits on: a number of four digits may be a year. `1956 -> ""`,
    `12500 -> ","`
    """
    return "," if abs(value) >= _FIRST_GROUPED else ""


def decide_grouping(
    numerals: Sequence[str], scales: Sequence[float] = (), *, whole: bool = False
) -> str:
    """Return the marks that group digits where a numeral of this column could be read either way.

    Members that can be read one way only decide; where they contradict one another or are missing,
    the reading nearest in size to the rest of the column. *scales*: what each is multiplied by, as
    571 of `571k` is; 1 for all where there are none. *whole*: no decimals are expected.
    """
    sized = list(zip(numerals, scales or [1] * len(numerals), strict=True))
    grouping = ""
    for mark in ",.":
        verdict = _proof_of_grouping(numerals, mark)
        if verdict > 0 or (not verdict and (whole or _nearer_grouped(sized, mark, grouping))):
            grouping += mark
    return grouping


def is_guessed(numeral: str, numerals: Sequence[str], grouping: str) -> bool:
    """Whether no member of its column proves how *numeral* is read, and it may well be otherwise.

    `1.234` has decimals or groups digits; a comma, which mostly groups, but where it is read so.
    """
    mark = ambiguous_mark(numeral)
    is_usual = mark is None or (mark in grouping and mark in DEFAULT_GROUPING)
    return not is_usual and mark is not None and not _proof_of_grouping(numerals, mark)


def _proof_of_grouping(numerals: Sequence[str], mark: str) -> int:
    """Return 1 where *numerals* prove that *mark* groups digits, -1 that it does not, else 0."""
    proof = [numeral for numeral in {*numerals} if not FOOTNOTED.fullmatch(numeral)]
    decimals = set(map(decimal_mark, proof))
    groups = set(map(grouping_mark, proof))
    if mark in groups or mark in decimals:
        return (mark in groups) - (mark in decimals)
    other = "." if mark == "," else ","
    return (other in decimals) - (other in groups)


def proven_grouping(numerals: Sequence[str]) -> str | None:
    """Return the mark that groups digits in a column, whatever it does in others; None if unproven.

    `746`, `1,080`, `12,345` -> ",": with three decimals, `746` would have them, too, and without
    its last zeros `1,080` would be `1,08`.
    """
    whole = [numeral for numeral in numerals if numeral.isdigit()]
    marked = [numeral for numeral in numerals if not numeral.isdigit()]
    marks = {ambiguous_mark(numeral) for numeral in marked}
    is_proof = any(n.endswith("0") for n in marked) and whole and all(len(n) < 4 for n in whole)
    return marks.pop() if is_proof and len(marks) == 1 else None


def _nearer_grouped(sized: Sequence[tuple[str, float]], mark: str, grouping: str) -> bool:
    """Compare sizes: does `1.234` lie nearer to the column as 1234 or as 1.234?"""
    open_ones = [item for item in sized if ambiguous_mark(item[0]) == mark]
    others = (None,) if mark == "," else (None, ",")
    rest = [item for item in sized if ambiguous_mark(item[0]) in others]
    anchor = _middle(rest, grouping)
    if not open_ones or anchor is None:
        return mark == ","
    grouped, decimal = _middle(open_ones, mark), _middle(open_ones, "")
    nearer = abs((decimal or 0) - anchor) - abs((grouped or 0) - anchor)
    return nearer > (_COMMA_DECIMAL if mark == "," else _POINT_GROUPS)


def _middle(sized: Sequence[tuple[str, float]], grouping: str) -> float | None:
    """Return the middle size of numerals, in powers of ten; None where all are 0 or no numbers."""
    values = [(read_numeral(numeral, grouping) or 0) * scale for numeral, scale in sized]
    sizes = sorted(math.log10(value) for value in values if value)
    return sizes[len(sizes) // 2] if sizes else None


def read_number_words(text: str) -> int | float | None:
    """Read a number in words, English or (up to 999) of six more languages.

    `twenty-five` -> 25, `two hundred and five` -> 205, `one point nine million` -> 1900000,
    `two dozen` -> 24, `ten and a half` -> 10.5, `drei` -> 3
    """
    folded = " ".join(text.lower().replace("-", " ").split())
    if (known := _WHOLE.get(folded) or number_names().get(folded)) is not None:
        return known
    if part := _AND_PART.search(folded):
        first, more = read_number_words(folded[: part.start()]), _part_of(part)
        above = _FACTORS.get(folded[: part.start()].rpartition(" ")[2], 1)  # `a million and a half`
        more *= 0 if above in (100, 1000) else above  # `two hundred and a half` may be 250
        scale = _FACTORS.get(folded[part.end() :].strip(), 0 if folded[part.end() :] else 1)
        mixed = None if first is None or not more else (first + more) * scale
        return int(mixed) if mixed and mixed.is_integer() else mixed or None
    whole, _, behind = folded.partition(" point ")
    digits = list(takewhile(lambda word: _SMALL.get(word, 10) < 10, behind.split()))
    if digits:
        scale = math.prod(_FACTORS.get(word, 0) for word in behind.split()[len(digits) :])
        decimals = "".join(str(_SMALL[word]) for word in digits)
        first = read_number_words(whole)
        number = None if first is None else round(float(f"{first}.{decimals}") * scale, 9)
        return int(number) if number and number.is_integer() else number or None
    words = [word for word in folded.split() if word != "and"]
    if words[:1] == ["a"] and len(words) > 1 and words[1] in _FACTORS:
        words[0] = "one"
    total, group, last = 0, 0, 0
    for word in words:
        if word in _SMALL:
            number = _SMALL[word]
            if last and not ((last % 10 == 0 and number < 10 < last) or last == 100):
                return None
            group, last = group + number, number
        elif word in _FACTORS and total and (word == "dozen" or not group):
            return None  # `a thousand dozen`
        elif word == "hundred":
            group, last = (group or 1) * 100, 100
        elif word in _FACTORS:
            total, group, last = total + (group or 1) * _FACTORS[word], 0, 0
        else:
            return None
    return total + group if words else None


def _part_of(part: re.Match[str]) -> float:
    """Return the part of one that a match of `_AND_PART` adds; 0 where it is none."""
    _, *said = part[0].lower().replace("-", " ").split()
    top, bottom = _SMALL.get(said[0] if said else "", 1), PARTS_OF_ONE.get(" ".join(said[1:]), 2)
    return top / bottom if top < bottom else 0.0


def _is_measured(text: str, end: int) -> bool:
    """Whether a unit or scale follows a part: `day` of `two nights and a half day`."""
    behind = _AFTER.match(text, end)
    word = (behind["word"] if behind else None) or ""
    return bool(unit_of(word)) or word.lower() in SCALES


_NUMERAL = re.compile(
    r"(?=[\d.½¼¾⅓⅔⅛⅜⅝⅞])(?:(?:\d{1,3}(?:[ \u00a0\u202f\u2009]\d{3})+(?![\d])(?:[.,]\d+)?(?![.,]?\d)"
    r"|\d+(?:[.,]\d+|['’]\d{3}(?!\d))*|(?<![\d\w])\.\d+)"
    r"(?P<power>[eE][+-]?\d{1,2}(?!\w)|\s?[×x*·]\s?10(?:\^-?\d{1,2}|⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))?"
    r"(?P<fraction>[ \u00a0]?[½¼¾⅓⅔⅛⅜⅝⅞])?(?P<mark>[⁰¹²³⁴⁵⁶⁷⁸⁹]+|\[\w{1,3}\]|[*†‡]+)?"
    r"|[½¼¾⅓⅔⅛⅜⅝⅞])"
)
_FRACTIONS = dict(
    zip("½¼¾⅓⅔⅛⅜⅝⅞", (0.5, 0.25, 0.75, 1 / 3, 2 / 3, 0.125, 0.375, 0.625, 0.875), strict=True)
)
_BEFORE = re.compile(
    r"(?P<outer>(?<![^\W_])[-−]?)(?P<currency>(?<![^\W\d_])(?:[A-Z]{3}|RM|R[sp]\.?|S?Fr\.|[Kk]r\.?)"
    r"|(?:US|AU?|CA?|HK|S|NZ|R|MX|NT)?\$|[€£¥￥₹₩₽₺₫₪₦₱฿₴₸₡₲])\s?(?P<sign>[-−–+(]?)$"
)
_AFTER = re.compile(
    r"(?:/(?P<outof>5|10|20|100)(?![\d/]|[.,]\d)|\sout\sof\s(?P<outof2>5|10|20|100)(?![\d/]))"
    r"|(?P<gap>[\s\u00a0]?-?)(?P<word>[^\W\d_]*\$|[€£¥￥₹₩₽₺₫₪₦₱฿₴₸₡₲%％‰℃℉]|°\s?[CF]?"
    rf"|sq\.?\s\w+|square\s\w+|cubic\s\w+|nautical\s\w+|{_OF_HUNDRED}"
    r"|[^\W\d_]+(?:[²³]|[23](?!\d))?(?:/[hs](?!\w))?)"
)
_OF_A_DAY = re.compile(r"\s?(?:[ap]\.?\s?m\b|uhr\b|o['’]clock\b)", re.IGNORECASE)
_POWER_SIGN = re.compile(r"[eE]|.*?10\^?")
# A dash that begins a line is the mark of an item.
_RANGE = re.compile(r"(?:[^\S\n]?[-–—]|\s?\bto\b)\s?(?=[^\W\d_]{0,3}[$€£]?\s?\d)")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_BAD_BEFORE = re.compile(r"(?:[^\W_]|[^\W_][-/.:,_]|[#@_/\\:]|\d\s?[-–—/])\Z")
_BELOW = re.compile(r"\s?/\s?[^\W\d_]+[²³23]?(?!\w)")
_PER_HOUR = re.compile(r"\s(?:per|an)\shour\b")
_CODE = re.compile(r"[\w/:.-]*\w")
_JOINED_CODE = re.compile(r"[^\W_\u2e80-\U0003ffff]|[:/_]\d|\.\.+\d|[-/][A-Z][A-Z\d]{0,2}(?!\w)")
_CURRENCY_LENGTH, _LONGEST_HEAD, _LONGEST_BESIDE = 9, 13, 50
_FIRST_FOREIGN, _OF_SHARES = 13, 100
_SHORTEST_JOINED, _YEAR_LENGTH = 3, 4
_FIRST_CJK = "\u2e80"  # scripts that put no space between a number and the word after it


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as it is meant, with scale words applied: `$3.2M` is (3200000, "USD").

    Attributes:
        value: An integer where the text has no decimals.
        unit: Such as `USD`, `km`, `percent`; None when the text names none.
        upper: The other end where the text is a range ("10–12"); None otherwise.
        ambiguous: Whether one separator could be read either way ("1.234").
    """

    value: int | float
    unit: str | None = None
    upper: int | float | None = None
    ambiguous: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in a text, with its numeral unread.

    *span* covers sign, currency, numeral, scale and unit. *scale* is what its words or letters
    multiply it by (1 when it has none), *scaled* whether it has any. *symbol* is the unit as
    written, what a score is out of (`/10`), or a scale that may be a unit (`T`). *upper* is set
    where the text is a range.
    """

    span: Span
    numeral: str
    sign: int = 1
    extra: float = 0.0
    power: int = 0
    scale: int = 1
    unit: str | None = None
    symbol: str = ""
    upper: "Figure | None" = None

    @property
    def scaled(self) -> bool:
        """Whether a word, letter or power gave it a scale."""
        return self.scale != 1 or self.power != 0

    @property
    def factor(self) -> float:
        """What its words, letters and power multiply its numeral by."""
        return float(self.scale) * 10.0**self.power

    @property
    def possible_currencies(self) -> frozenset[str]:
        """The currencies that are written like its symbol, where there are several (`$`, `kr`)."""
        return AMBIGUOUS_CURRENCIES.get(self.symbol, frozenset())

    def read(self, grouping: str = DEFAULT_GROUPING, context_scale: int = 1) -> Quantity | None:
        """Read it; *context_scale* applies only where it has no scale of its own."""
        number = self._number(grouping, context_scale)
        if number is None:
            return None
        upper = None
        if self.upper is not None:
            factor = self.upper.scale if self.upper.scaled and not self.scaled else context_scale
            number = self._number(grouping, factor)
            upper = self.upper._number(grouping, context_scale)
        unit = self.unit or (self.upper.unit if self.upper else None)
        ambiguous = ambiguous_mark(self.numeral) is not None
        return None if number is None else Quantity(number, unit, upper, ambiguous)

    def _number(self, grouping: str, context_scale: int) -> int | float | None:
        number = read_numeral(self.numeral, grouping) if self.numeral else 0
        if number is None:
            return None
        number = self.sign * (number + self.extra if self.extra else number)
        factor = self.scale if self.scaled else context_scale
        if factor == 1 and not self.power:
            return number
        exact = Decimal(str(number)) * factor * Decimal(10) ** self.power
        return int(exact) if exact == exact.to_integral_value() else float(exact)


def find_quantities(text: str) -> list[tuple[Span, Quantity]]:
    """Find the numbers of running text, in order, with sign, scale words and unit.

    Parts of codes (`ISO-9001`, `TD011`), times and numeric dates are left out; a range is one
    quantity with `upper`. Dates in words are not recognised here: `find_dates` gives their spans.
    """
    read = ((figure.span, figure.read()) for figure in scan_figures(text))
    found = [(span, quantity) for span, quantity in read if quantity is not None]
    ends = [span.end for span, _ in found]
    spelled: list[tuple[Span, Quantity]] = []
    # smaller ones are other words, too: `sei`, `once`; 100 is of `per cento`, `einige hundert`
    for span, foreign in find_spelled(text, _FIRST_FOREIGN):
        place, after = bisect_right(ends, span.start), _AFTER.match(text, span.end)
        if foreign != _OF_SHARES and (place == len(ends) or found[place][0].start >= span.end):
            unit = unit_of(after["word"].replace(" ", "")) if after and after["word"] else None
            spelled.append((span, Quantity(foreign, unit)))
    is_spelled = not _OF_NUMBERS.isdisjoint(lettered(text))
    for match in NUMBER_WORDS.finditer(text) if is_spelled else ():
        start, end = match.span()
        place = bisect_right(ends, start)
        is_taken = place < len(ends) and found[place][0].start < end
        number = None if is_taken else read_number_words(match.group())
        if number is None or match.group().lower() in {"one", "second", "zero"}:
            continue
        after = _AFTER.match(text, end)
        unit = unit_of(after["word"]) if after and after["word"] else None
        words, part = match.group().lower(), _AND_PART.search(match.group())
        is_cut = part and part.end() == len(words) and not (unit or _NOTHING_MORE.match(text, end))
        part = _AND_PART.match(text, after.end()) if after and unit else None
        if part and _is_measured(text, part.end()):
            part = None  # `two nights and a half day`
        elif part:
            is_scaled = not _FACTORS.keys().isdisjoint(words.split()[-1:])
            is_cut = is_cut or is_scaled or not _NOTHING_MORE.match(text, part.end())
            number += _part_of(part)
        head = text[max(0, start - _LONGEST_HEAD) : start]
        if not (is_cut or _CUT_BEFORE.search(head) or _CUT_BEHIND.match(text, end)):
            (sign, start), end = _sign(start, head, None), part.end() if part else end
            spelled.append((Span(start, end), Quantity(sign * number, unit)))
    return sorted(found + spelled, key=lambda item: item[0].start)


def find_spelled(text: str, least: int, whole: str = "") -> Iterator[tuple[Span, int]]:
    """Yield the numbers from *least* on that *text* has in words of other languages than English.

    None is a part of another one, as in `mil novecentos`, or an hour; and none is in a text that is
    English as a *whole*, where `due` and `venti` are other words. `dreißig Pfeifen` -> 30
    """
    end, (highest, numeric), named = 0, _foreign(), number_names()
    for first in _ALONE.finditer(text) if lettered(text) & highest.keys() else ():
        start = first.start()
        if start < end or highest.get(first[0].lower(), 0) < least:
            continue
        run = _RUN.match(text, start)
        said = _GAP.split(run[0].lower()) if run else []
        names = (" ".join(said[:n]) for n in range(len(said), 0, -1))
        name = next((x for x in names if named.get(x, 0) >= least), "")
        head, end = text[max(0, start - _LONGEST_BESIDE) : start], start + len(name)
        behind = _BEHIND_IT.match(text, end)
        beside = [x for x in (_BEFORE_IT.search(head), behind) if x]
        near = {x.lower() for found in beside for x in found.groups() if x}
        is_part = any(x in numeric or x[0].isdigit() for x in near)
        is_part |= any(_AND_PART.match(text, x) for x in (end, behind.end(1) if behind else end))
        if not name or is_part or _OF_A_DAY.match(text, end) or _GLUED.match(text, end):
            continue
        if languages_of(whole or text) == {"english"}:
            return
        sign, start = _sign(start, head, None)
        yield Span(start, end), sign * named[name]


def scan_figures(text: str) -> Iterator[Figure]:
    """Yield the figures of *text* in order; the two ends of a range are one figure."""
    position = 0
    while match := _NUMERAL.search(text, position):
        position = match.end()
        figure = _figure(text, match)
        if figure is None:
            code = _CODE.match(text, position)
            position = code.end() if code else position
            continue
        gap = _RANGE.match(text, figure.span.end)
        end = _NUMERAL.search(text, gap.end()) if gap else None
        upper = _figure(text, end, gap.end()) if gap and end else None
        if upper is not None:
            span = Span(figure.span.start, upper.span.end)
            figure = replace(figure, span=span, symbol="", upper=upper)
        position = figure.span.end
        yield figure


def _figure(text: str, match: re.Match[str], floor: int = 0) -> Figure | None:
    """Read the figure around a numeral; None for a part of a code, a time or a date."""
    start, whole = match.start(), match.group()
    head = text[max(floor, start - _CURRENCY_LENGTH) : start]
    before = _BEFORE.search(head) if head else None
    symbol = before["currency"] if before else ""
    unit = unit_of(symbol) if symbol else None
    part = _AND_PART.match(text, match.end())
    after = _after(text, part.end() if part else match.end(), is_currency(unit))
    if after:
        after, part = _place_part(text, match, after, part, is_money=is_currency(unit))
    if unit is None or (after and after.unit == "percent"):  # not the € of `480 € (30 %)`
        before, symbol, unit = None, "", None
    is_hour = _OF_A_DAY.match(text, match.end())
    if after is None or is_hour or (before is None and _BAD_BEFORE.search(head)):
        return None
    sign, start = _sign(start, head, before)
    n_more = sum(len(match[name] or "") for name in ("power", "fraction", "mark"))
    digits = whole[: len(whole) - n_more]
    numeral = "" if digits in _FRACTIONS else f"0{digits}" if digits[0] == "." else digits
    extra = next((_FRACTIONS[character] for character in whole if character in _FRACTIONS), 0.0)
    extra += _part_of(part) if part else 0.0
    power = _POWER_SIGN.sub("", match["power"] or "0", count=1).translate(_SUPERSCRIPTS)
    if after.unit == "s" and after.attached and numeral.endswith("0"):
        return None
    return Figure(
        Span(start, after.end), numeral, sign, extra, int(power),
        after.scale, unit or after.unit, symbol or after.symbol,
    )  # fmt: skip


def _place_part(
    text: str, numeral: re.Match[str], after: "_Tail", part: re.Match[str] | None, *, is_money: bool
) -> tuple["_Tail | None", re.Match[str] | None]:
    """Return what stands after a numeral, and the part of one that it has; no tail if unsure.

    `10 and a half metres`, `10 metres and a half.`, but `£25 and a half bottle`, `in 2010 and a
    half year`.
    """
    is_measured = after.unit is not None or after.scale != 1
    if part:
        is_last = _NOTHING_MORE.match(text, part.end())
        is_year = numeral[0].isdecimal() and len(numeral[0]) == _YEAR_LENGTH
        if is_money and after.scale == 1 and not is_last:
            return _after(text, numeral.end(), is_money), None
        return (None if is_money or is_year or not (is_measured or is_last) else after), part
    if not is_measured:
        return (None if not is_money and _AND_CUT.match(text, numeral.end()) else after), None
    cut, part = _AND_CUT.match(text, after.end), _AND_PART.match(text, after.end)
    if part is None and cut and _NOTHING_MORE.match(text, cut.end()):
        return None, None  # `8 inches and 1/2`
    if part is None or (after.unit and not _NOTHING_MORE.match(text, part.end())):
        return after, None  # `2 hours and a half day`
    is_sign = is_money or (is_currency(after.unit) and not after.symbol.isalpha())
    is_unsure = is_sign or (after.unit and after.scale != 1)
    if is_unsure or not _NOTHING_MORE.match(text, part.end()):
        return None, part
    return replace(after, end=part.end()), part


def _sign(start: int, head: str, before: re.Match[str] | None) -> tuple[int, int]:
    """Return 1 or -1, and where the figure begins with its sign and currency."""
    if before is not None:
        minus = {before["sign"], before["outer"]} & {"-", "−", "–"}
        return (-1 if minus else 1), start - len(before.group())
    is_minus = head and head[-1] in "-−" and (len(head) == 1 or not head[-2].isalnum())
    if is_minus or head == "–":  # elsewhere it joins or parts words
        return -1, start - 1
    word = next((word for word in ("minus ", "negative ") if head.lower().endswith(word)), "")
    return (-1 if word else 1), start - len(word)


@dataclass(frozen=True, slots=True)
class _Tail:
    """What stands after a numeral, up to *end*."""

    end: int
    scale: int = 1
    unit: str | None = None
    symbol: str = ""
    attached: bool = False


def _after(text: str, end: int, money: bool) -> _Tail | None:
    """Read scale and unit after a numeral; None when it is part of a code, time or date."""
    match = _AFTER.match(text, end)
    if match is None:
        return None if _JOINED_CODE.match(text, end) else _Tail(end)
    if match["word"] is None:
        return _Tail(match.end(), symbol=f"/{match['outof'] or match['outof2']}")
    word, attached = match["word"], not match["gap"]
    if "\n" in match["gap"] and not (word[0].islower() and len(word) > 1):
        return _Tail(end)  # a line that begins anew; a sentence goes on with a small word
    if attached and word.isupper() and text[match.end() : match.end() + 1].isdigit():
        return None  # `12TB0`; small letters may part two numbers: `1h30`
    scale = scale_of(word, attached=attached, money=money)
    if scale is not None:
        tail = _after_scale(text, match.end(), scale)
        return tail if tail.unit or word.lower() not in LOOSE_SCALES else replace(tail, symbol=word)
    named = currency_at(text, match.start("word"))
    if named is not None:
        return _Tail(named[1], 1, named[0], text[match.start("word") : named[1]], attached)
    unit = combine(word) or unit_of(word.replace(" ", ""))
    if unit is None or (match["gap"].endswith("-") and len(word) < _SHORTEST_JOINED):
        coded = (attached and word < _FIRST_CJK) or _JOINED_CODE.match(text, end)
        return None if coded else _Tail(end)
    end, per = _per(text, match, unit)
    return _Tail(end, 1, per, word, attached)


def _per(text: str, match: re.Match[str], unit: str) -> tuple[int, str]:
    """Return where a unit ends, and what it is with what it is per: `mg/L`, `km per hour`."""
    below = _BELOW.match(text, match.end())
    ratio = ratio_of(f"{match['word']}{below.group()}") if below else None
    if below and ratio:
        return below.end(), ratio
    hourly = _PER_HOUR.match(text, match.end()) if unit in HOURLY else None
    return (hourly.end(), HOURLY[unit]) if hourly else (match.end(), unit)


def _after_scale(text: str, end: int, scale: int) -> _Tail:
    match = _AFTER.match(text, end + text.startswith(".", end))
    word = (match["word"] if match else None) or ""
    if match is None or not word:
        return _Tail(end, scale)
    if word.lower() in SCALES:  # "2 hundred thousand"
        return _after_scale(text, match.end(), scale * SCALES[word.lower()])
    named = currency_at(text, match.start("word"))
    if named is not None:
        return _Tail(named[1], scale, named[0], word)
    unit = combine(word) or unit_of(word)
    return _Tail(match.end(), scale, unit, word) if unit else _Tail(end, scale)
