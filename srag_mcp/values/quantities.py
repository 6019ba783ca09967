"""Quantities in a text: a scanner for numbers with sign, scale and unit.

The scanner works in two steps, because a column decides what `1.234` means: `scan_figures` finds
figures with their numerals unread, `Figure.read` reads one with the separators of its column.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from srag_mcp.text.spans import Span
from srag_mcp.values.numerals import (
    DEFAULT_GROUPING,
    NUMBER_WORDS,
    ambiguous_mark,
    read_number_words,
    read_numeral,
)
from srag_mcp.values.units import (
    AMBIGUOUS_CURRENCIES,
    HOURLY,
    SCALES,
    combine,
    currency_at,
    is_currency,
    scale_of,
    unit_of,
)

_NUMERAL = re.compile(
    r"(?=[\d.½¼¾⅓⅔⅛⅜⅝⅞])(?:(?:\d{1,3}(?:[ \u00a0\u202f\u2009]\d{3})+(?![\d])(?:[.,]\d+)?(?![.,]?\d)"
    r"|\d+(?:[.,'’]\d+)*|(?<![\d\w])\.\d+)"
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
    r"(?:/(?P<outof>5|10|20|100)(?![\d/.,])|\sout\sof\s(?P<outof2>5|10|20|100)(?![\d/]))"
    r"|(?P<gap>[\s\u00a0]?-?)(?P<word>[^\W\d_]*\$|[€£¥￥₹₩₽₺₫₪₦₱฿₴₸₡₲%％‰℃℉]|°\s?[CF]?"
    r"|sq\.?\s\w+|square\s\w+|cubic\s\w+|nautical\s\w+|per\scent|[^\W\d_]+(?:[²³]|[23](?!\d))?(?:/[hs](?!\w))?)"
)
_RANGE = re.compile(r"\s?(?:[-–—]|\bto\b)\s?(?=[^\W\d_]{0,3}[$€£]?\s?\d)")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_BAD_BEFORE = re.compile(r"(?:[^\W_]|[^\W_][-/.:,_]|[#@_/\\:]|\d\s?[-–—/])\Z")
_PER_HOUR = re.compile(r"\s(?:per|an)\shour\b")
_CODE = re.compile(r"[\w/:.-]*\w")
_JOINED_CODE = re.compile(r"[^\W_\u2e80-\U0003ffff]|[:/_]\d|\.\.+\d|[-/][A-Z][A-Z\d]{0,2}(?!\w)")
_CURRENCY_LENGTH = 9
_SHORTEST_JOINED = 3
_FIRST_CJK = "\u2e80"  # scripts that put no space between a number and the word after it


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as it is meant, with scale words applied: `$3.2M` is (3200000, "USD").

    Attributes:
        value: An integer where the text has no decimals.
        unit: Such as `USD`, `km`, `percent`; None when the text names none.
        upper: The other end where the text is a range ("10–12"); None otherwise.
        ambiguous: Whether one separator could be read either way ("1.234").
        written: The unit as it is written; it tells what else it may mean (`may_mean`).
    """

    value: int | float
    unit: str | None = None
    upper: int | float | None = None
    ambiguous: bool = False
    written: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in a text, with its numeral unread.

    *span* covers sign, currency, numeral, scale and unit. *scale* is what its words or letters
    multiply it by (1 when it has none), *scaled* whether it has any. *symbol* is the unit as
    written. *upper* is set where the text is a range.
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
        written = self.symbol or (self.upper.symbol if self.upper else "")
        return None if number is None else Quantity(number, unit, upper, ambiguous, written)

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
    found: list[tuple[Span, Quantity]] = []
    for figure in scan_figures(text):
        quantity = figure.read()
        if quantity is not None:
            found.append((figure.span, quantity))
    spelled: list[tuple[Span, Quantity]] = []
    ends = [span.end for span, _ in found]
    for match in NUMBER_WORDS.finditer(text):
        place = bisect_right(ends, match.start())
        taken = place < len(ends) and found[place][0].start < match.end()
        quantity = None if taken else _spelled(match.group(), text, match.end())
        if quantity is not None:
            spelled.append((Span(match.start(), match.end()), quantity))
    return sorted(found + spelled, key=lambda item: item[0].start)


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
        upper = _upper_end(text, figure)
        if upper is not None:
            figure = _ranged(figure, upper)
        position = figure.span.end
        yield figure


def _spelled(words: str, text: str, end: int) -> Quantity | None:
    number = read_number_words(words)
    if number is None or words.lower() in {"one", "second", "zero"}:
        return None
    after = _AFTER.match(text, end)
    unit = unit_of(after["word"]) if after and after["word"] else None
    return Quantity(number, unit)


def _figure(text: str, match: re.Match[str], floor: int = 0) -> Figure | None:
    """Read the figure around a numeral; None for a part of a code, a time or a date."""
    start = match.start()
    head = text[max(floor, start - _CURRENCY_LENGTH) : start]
    before = _BEFORE.search(head) if head else None
    symbol = before["currency"] if before else ""
    unit = unit_of(symbol) if symbol else None
    if unit is None:
        before, symbol = None, ""
    if before is None and _BAD_BEFORE.search(head):
        return None
    sign, start = _sign(text, start, head, before)
    whole = match.group()
    numeral = _digits(whole, match)
    after = _after(text, match.end(), is_currency(unit))
    if after is None or (after.unit == "s" and after.attached and numeral.endswith("0")):
        return None
    return Figure(
        Span(start, after.end), numeral, sign, _fraction(whole), _power(match["power"]),
        after.scale, unit or after.unit, symbol or after.symbol,
    )  # fmt: skip


def _digits(whole: str, match: re.Match[str]) -> str:
    cut = [len(match[name]) for name in ("power", "fraction", "mark") if match[name]]
    digits = whole[: len(whole) - sum(cut)]
    return "" if digits in _FRACTIONS else ("0" + digits if digits.startswith(".") else digits)


def _fraction(whole: str) -> float:
    return next((_FRACTIONS[character] for character in whole if character in _FRACTIONS), 0.0)


def _power(text: str | None) -> int:
    if not text:
        return 0
    if text[0] in "eE":
        return int(text[1:])
    return int(text[text.index("10") + 2 :].lstrip("^").translate(_SUPERSCRIPTS))


def _sign(text: str, start: int, head: str, before: re.Match[str] | None) -> tuple[int, int]:
    if before is not None:
        minus = {before["sign"], before["outer"]} & {"-", "−", "–"}
        return (-1 if minus else 1), start - len(before.group())
    if head and head[-1] in "-−" and (len(head) == 1 or not head[-2].isalnum()):
        return -1, start - 1
    if head == "–":  # elsewhere it joins or parts words
        return -1, start - 1
    word = next((word for word in ("minus ", "negative ") if head.lower().endswith(word)), None)
    if word is not None:
        return -1, start - len(word)
    return 1, start


@dataclass(frozen=True, slots=True)
class _Tail:
    end: int
    scale: int = 1
    unit: str | None = None
    symbol: str = ""
    attached: bool = False


def _after(text: str, end: int, money: bool) -> _Tail | None:
    """Read scale and unit after a numeral; None when it is part of a code, time or date."""
    match = _AFTER.match(text, end)
    if match is None or match["word"] is None:
        return None if match is None and _glued(text, end) else _Tail(match.end() if match else end)
    word, attached = match["word"], not match["gap"]
    scale = scale_of(word, attached=attached, money=money)
    if scale is not None:
        return _after_scale(text, match.end(), scale)
    named = currency_at(text, match.start("word"))
    if named is not None:
        return _Tail(named[1], 1, named[0], text[match.start("word") : named[1]], attached)
    unit = combine(word) or unit_of(word.replace(" ", ""))
    if unit is None or (match["gap"].endswith("-") and len(word) < _SHORTEST_JOINED):
        coded = (attached and word < _FIRST_CJK) or _glued(text, end)
        return None if coded else _Tail(end)
    if unit in HOURLY and (hourly := _PER_HOUR.match(text, match.end())):
        return _Tail(hourly.end(), 1, HOURLY[unit], word, attached)
    return _Tail(match.end(), 1, unit, word, attached)


def _after_scale(text: str, end: int, scale: int) -> _Tail:
    match = _AFTER.match(text, end + text.startswith(".", end))
    word = (match["word"] if match else None) or ""
    if match and word.lower() in SCALES:  # "2 hundred thousand"
        return _after_scale(text, match.end(), scale * SCALES[word.lower()])
    named = currency_at(text, match.start("word")) if match and word else None
    if named is not None:
        return _Tail(named[1], scale, named[0], word)
    unit = combine(word) or unit_of(word)
    return _Tail(match.end(), scale, unit, word) if match and unit else _Tail(end, scale)


def _glued(text: str, end: int) -> bool:
    return _JOINED_CODE.match(text, end) is not None


def _upper_end(text: str, figure: Figure) -> Figure | None:
    gap = _RANGE.match(text, figure.span.end)
    if gap is None:
        return None
    match = _NUMERAL.search(text, gap.end())
    return _figure(text, match, gap.end()) if match else None


def _ranged(low: Figure, high: Figure) -> Figure:
    return Figure(
        Span(low.span.start, high.span.end), low.numeral, low.sign, low.extra, low.power, low.scale,
        low.unit, low.symbol, high,
    )  # fmt: skip
