"""Figures of a quote: what they may mean as a number, in the scale and the unit of a column."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import islice

from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.words import STOP_WORDS
from srag_mcp.values.dates import DateText, find_dates
from srag_mcp.values.quantities import (
    FOOTNOTED,
    Quantity,
    find_quantities,
    read_numeral,
    scan_figures,
)
from srag_mcp.values.units import (
    SCALES,
    SIZES,
    UNITS,
    as_money,
    conversions_between,
    convert,
    parse_unit,
    read_context,
)

_NUMERALS = (
    re.compile(r"\d+(?:[.,]\d+)*"),
    re.compile(r"(?<!\d)\d{1,3}(?:[' \u00a0\u202f]\d{3})+(?:[.,]\d+)?(?!\d)"),
)
_LETTERS = re.compile(r"[^\W\d_]+")
_HUNDREDTHS = re.compile(
    r"\b(?:cents?|centimes?|c[eé]nt[ei][ms]\w*|centavos?|penn(?:y|ies)|pence|gros\w+|[öø]re|paise"
    r"|kop\w+|sen|ct)\b|¢",
    re.IGNORECASE,
)
_FRACTION = re.compile(
    r"fractions?|ratios?|proportions?|quotients?|anteil|bruchteil|fracci[oó]n|frazione|fraç[aã]o"
    r"|\b(?:0|zero)\s*(?:to|and|bis|à|[-–])\s*(?:1|one)\b(?![\d.,])",
    re.IGNORECASE,
)
_RATIO = re.compile(r"/|\b(?:per|pro|par|por|à)\b", re.IGNORECASE)
_OUT_OF = re.compile(
    r"(?<![\d/.,])(\d+(?:[.,]\d+)?)\s*(?:/|\b(?:out of|of|von|sur|su|de|van|av)\b)"
    r"\s*(\d+)(?![\d/]|[.,]\d)",
    re.IGNORECASE,
)
_LISTED = re.compile(r"[,;\n|•·]+")
_PARTS = (0.01, 100.0)
_THOUSANDS = tuple(10.0**power for power in (-9, -6, -3, 3, 6, 9))
_TOTALS = (1, 5, 10, 20, 100)
_SAME, _ROUNDED = 1e-6, 0.02
FIRST_YEAR, LAST_YEAR = 1000, 2199
_MONTHS = 12
_HUNDRED = 100


class Figures:
    """The figures and dates of a quote, each read when it is asked for."""

    def __init__(self, quote: str) -> None:
        self.quote = quote

    @cached_property
    def quantities(self) -> list[Quantity]:
        """Its quantities, in their order."""
        return [quantity for _, quantity in find_quantities(self.quote)]

    @cached_property
    def dates(self) -> list[DateText]:
        """Its dates, those that it gives in part included."""
        return [found for _, found in find_dates(self.quote, partial=True)]

    @cached_property
    def plain(self) -> set[float]:
        """What its numerals may be: `1.250` -> 1.25 and 1250.

        In `2.635,673` both marks may be meant to part thousands; `4,6702` may be 4,670 with the
        mark of a footnote.
        """
        numerals = [numeral for kind in _NUMERALS for numeral in kind.findall(self.quote)]
        numerals += [mark[1] for numeral in numerals if (mark := FOOTNOTED.fullmatch(numeral))]
        read = (read_numeral(one, marks) for one in numerals for marks in ("", ".", ",", ".,"))
        return {float(number) for number in read if number is not None}

    @cached_property
    def points(self) -> list[tuple[float, int]]:
        """Points out of a total: `92/100`, `4,4 von 5`."""
        return [
            (float(points.replace(",", ".")), int(total))
            for points, total in _OUT_OF.findall(self.quote)
        ]

    def is_only(self, value: object) -> bool:
        """Return whether *value* is its only number, as it stands there with its scale."""
        return [quantity.value for quantity in self.quantities] == [value]

    def has_in_thousands(self, value: float) -> bool:
        """Return whether it states *value*, but for thousands, millions or billions."""
        return any(_is_product(_ends(found), _THOUSANDS, value) for found in self.quantities)


@lru_cache(maxsize=64)
def read_figures(quote: str) -> Figures:
    """Read the figures of a quote, once for all that is asked of it."""
    return Figures(quote)


def _definition(attribute: Attribute) -> str:
    return f"{attribute.name.replace('_', ' ')} {attribute.unit or ''} {attribute.description}"


def column_unit(attribute: Attribute) -> str | None:
    """Return the unit of the column; None for one that is a ratio (`grams per litre`)."""
    unit = parse_unit(attribute.unit or "").unit
    is_ratio = unit in SIZES and "/" not in unit and _RATIO.search(attribute.unit or "")
    return None if is_ratio else unit


def may_be_year(attribute: Attribute, value: float) -> bool:
    """Return whether *value* of a column may be the number of a year."""
    is_whole = attribute.type.is_whole and column_unit(attribute) in (None, "year")
    return is_whole and FIRST_YEAR <= value <= LAST_YEAR


def speaks_of_years(attribute: Attribute) -> bool:
    """Return whether unit, name or description of a column has a word for years."""
    words = _LETTERS.findall(_definition(attribute).lower())
    return any(UNITS.get(word) == "year" for word in words)


def is_converted(attribute: Attribute, quote: str, value: float, text: str) -> bool:
    """Return whether *value* is a number of *quote* in another scale, unit or form.

    The scale (thousand, million) may stand in the definition of the column or in *text*, the
    document. The unit, too, may stand elsewhere: `242`, below "nautical miles".
    """
    figures = read_figures(quote)
    numbers = {float(found.value) for found in figures.quantities}
    years = {found.year % _HUNDRED if found.two_digits else found.year
             for found in figures.dates if found.year is not None}  # fmt: skip
    if may_be_year(attribute, value) and {value, value % _HUNDRED} & {*years, *numbers}:
        return True  # '84
    if any(
        total and rounds_to(points / total * other, value)
        for points, total in figures.points  # 92/100, 9.2
        for other in _TOTALS
    ):
        return True
    for found in figures.quantities:
        if any(rounds_to(size, value) for size in carry(attribute, found)):
            return True
        factors = _factors(attribute, found, quote, text)
        if _is_product(_ends(found), factors, value):
            return True
    return False


def carry(attribute: Attribute, found: Quantity) -> list[float]:
    """Return what a quantity in another unit is in that of the column.

    It is all that it may be where it has no unit, and nothing where it cannot be carried.
    """
    unit = column_unit(attribute)
    if unit is None or found.unit == unit:
        return []
    scale = parse_unit(attribute.unit or "").scale
    sizes = [
        convert(float(number), other, unit)
        for other in ([found.unit] if found.unit else SIZES)
        if other != unit
        for number in _ends(found)
    ]
    return [size / scale for size in sizes if size is not None]


def _factors(attribute: Attribute, found: Quantity, quote: str, text: str) -> Iterator[float]:
    """Yield by what *found*, a number of *quote*, may be multiplied."""
    words = _definition(attribute)
    yield from conversions_between(f"{quote} {words}")
    if found.unit is not None and carry(attribute, found):
        return  # the number as it stands is in another unit
    yield 1.0
    if "percent" in (column_unit(attribute), found.unit):
        if _FRACTION.search(words) or attribute.unit is None:
            yield from _PARTS
        elif found.unit != "percent" and abs(found.value) <= 1:  # 0.12 may be written for 12 %
            yield 100.0
        return
    if _HUNDREDTHS.search(quote) or _HUNDREDTHS.search(words):
        yield from _PARTS
    if found.ambiguous:
        yield from (0.001, 1000.0)
    is_scaled = any(figure.scaled for figure in scan_figures(quote))
    stated = {1.0} if is_scaled else stated_scales(quote, text)
    yield from (one / other for one in stated for other in scales_of(attribute))


def is_computed(attribute: Attribute, quote: str, value: float) -> bool:
    """Return whether *value* follows from all figures of *quote*: their sum, or the like.

    Of two, also their difference, mean and product, or the time between two dates. Any two of many
    would give nearly any number. Words without a figure may be counted as what they list.
    """
    figures, size = read_figures(quote), abs(value)
    if not figures.quantities:
        return size in _count_listed(quote)
    wanted = column_unit(attribute)
    numbers = {
        number if carried is None else carried
        for quantity in figures.quantities
        for number in (float(quantity.value),)
        for carried in (convert(number, quantity.unit or "", wanted or ""),)
    }  # `thirty (30) days` is one
    found: list[float] = [sum(numbers)] if len(numbers) > 1 else []
    if len(numbers) == 2:
        one, other = numbers
        found += [one - other, (one + other) / 2, one * other, one * other / _HUNDRED]
    found += _times_between(attribute, figures)
    return any(rounds_to(number, size) for number in found)


def _count_listed(words: str) -> set[int]:
    """Return how many things *words* list; the last two may be parted by a word: `Bob and Cyd`.

    A symbol that is repeated counts itself: `★★★`.
    """
    symbols = "".join(words.split())
    if len(set(symbols)) == 1 and not symbols.isalnum():
        return {len(symbols)}
    parts = [part.strip() for part in _LISTED.split(words) if part.strip()]
    inner = [word.casefold() for part in parts[-1:] for word in part.split()[1:-1]]
    return {len(parts), len(parts) + any(word in STOP_WORDS for word in inner)}


def _times_between(attribute: Attribute, figures: Figures) -> Iterator[float]:
    """Yield the whole years or months between the first and the last of several dates.

    Both ends may count: `2019 - 2021` may be two years or three, and less than two.
    """
    dates = [(found.year, found.month) for found in figures.dates if found.year is not None]
    if len(dates) < 2:
        return
    (first, month), (last, end_month), unit = dates[0], dates[-1], column_unit(attribute)
    if unit == "year" or (unit is None and speaks_of_years(attribute)):
        years = abs(last - first)
        yield from (years - 1, years, years + 1)
    if unit == "month" and month and end_month:
        months = abs(_MONTHS * (last - first) + end_month - month)
        yield from (months, months + 1)


def _ends(quantity: Quantity) -> Sequence[float]:
    """Return what a quantity may be: a range either of its ends, or the middle."""
    if quantity.upper is None:
        return (quantity.value,)
    return (quantity.value, quantity.upper, (quantity.value + quantity.upper) / 2)


def _is_product(numbers: Sequence[float], factors: Iterable[float], value: float) -> bool:
    return any(_is_same(number * factor, value) for factor in factors for number in numbers)


def _is_same(one: float, other: float) -> bool:
    return math.isclose(abs(one), abs(other), rel_tol=_SAME)


def rounds_to(number: float, value: float) -> bool:
    """Return whether *value* is what is computed, rounded where it ends: 804.67 -> 805, 804.7."""
    last = Decimal(str(value)).normalize().as_tuple().exponent
    slack = min(10.0 ** int(last) / 2, _ROUNDED * abs(value))
    return _is_same(number, value) or abs(abs(number) - abs(value)) <= slack


_SCALE_WORD = re.compile(r"[^\W\d_]+|[千万萬亿億]")
_IN_THOUSANDS = re.compile(r"(?<![\d,.])['’]?000s?\b|[TKk][€$]|\b[TkK]EUR\b")
_AROUND = 200
_MAX_PLACES = 20
_LONGEST_CAPTION = 200


def ignored_scale(attribute: Attribute, quote: str, value: float) -> str:
    """Return the words of *quote* whose scale *value* leaves out; empty where there are none.

    `15 thousand tonnes`, 15 -> `15 thousand tonnes`, unless the column is in thousands
    """
    for figure in scan_figures(quote) if value else ():
        for end in (figure, figure.upper):
            quantity = end.read() if end is not None and end.scaled else None
            if end is None or quantity is None:
                continue
            factor = end.scale * 10.0**end.power
            is_without = math.isclose(abs(quantity.value), abs(value) * factor)
            if is_without and factor not in scales_of(attribute):
                return figure.span.of(quote)
    return ""


def scales_of(attribute: Attribute) -> set[float]:
    """Return the scales that the unit and the definition of a column speak of, and 1."""
    unit = float(parse_unit(attribute.unit or "").scale)
    return {1.0, unit, *_scales_in(f"{attribute.name.replace('_', ' ')} {attribute.description}")}


def stated_scales(quote: str, text: str) -> set[float]:
    """Return the scales that *text* speaks of around *quote* or in a caption, and 1."""
    found = {1.0, *_scales_in(quote)}
    for place in islice(re.finditer(re.escape(quote), text), _MAX_PLACES):
        found |= _scales_in(text[max(0, place.start() - _AROUND) : place.end() + _AROUND])
    for line in text.splitlines():
        if len(line) <= _LONGEST_CAPTION:
            around = read_context(line)
            found |= {float(around.scale), float(as_money(around).scale)}
    return found


def _scales_in(words: str) -> set[float]:
    found = {float(SCALES[word]) for word in _SCALE_WORD.findall(words.lower()) if word in SCALES}
    if _IN_THOUSANDS.search(words):
        found.add(1000.0)
    return found
