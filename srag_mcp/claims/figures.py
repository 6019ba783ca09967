"""Numbers and their quotes: what cannot follow from the figures of a quote, and what does."""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from decimal import Decimal
from functools import cached_property, lru_cache

from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.words import STOP_WORDS
from srag_mcp.values.dates import DateText, find_dates
from srag_mcp.values.quantities import Quantity, find_quantities, scan_figures
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

_NUMERAL = re.compile(r"\d(?:[\d.,' \u00a0\u202f]*\d)?")
_MARKS = re.compile(r"\D")
_FOOTNOTED = re.compile(r"\d{1,3}(?:[,.]\d{3})*[,.]\d{4}")
_SPACES = re.compile(r"[' \u00a0\u202f]+")
_DECIMAL = re.compile(r"\d+(?:[.,]\d+)?")
_THOUSANDS = re.compile(r"\d{1,3}(?:[.,' \u00a0\u202f]\d{3})+")
_GROUPED = re.compile(
    r"(?P<whole>\d{1,3}(?P<mark>[.,' \u00a0\u202f])\d{3}(?:(?P=mark)\d{3})*)"
    r"(?:(?!(?P=mark))[.,](?P<decimals>\d+))?"
)
_WORD = re.compile(r"[^\W\d_]{3,}")
_LETTERS = re.compile(r"[^\W\d_]+")
_SINGLE = re.compile(r"\b(?:one|single|sole|only)\b", re.IGNORECASE)
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
_POWERS = tuple(10.0**power for power in range(-12, 13) if power not in (-1, 0, 1))
_SCALES = tuple(10.0**power for power in (-9, -6, -3, 3, 6, 9))
_TOTALS = (1, 5, 10, 20, 100)
_DIGITS_SHARE = 3
_SAME = 1e-6
_ROUNDED, _NEARLY = 0.02, 0.005
FIRST_YEAR, LAST_YEAR = 1000, 2199
_MONTHS = 12
_CENTURY = _HUNDRED = 100


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
        numerals = _NUMERAL.findall(self.quote)
        parts = {part for numeral in numerals for part in (numeral, *_SPACES.split(numeral))}
        parts |= {part[:-1] for part in parts if _FOOTNOTED.fullmatch(part)}
        found: set[float] = set()
        for part in parts:
            if _DECIMAL.fullmatch(part):
                found.add(float(part.replace(",", ".")))
            if _THOUSANDS.fullmatch(part):
                found.add(float(_MARKS.sub("", part)))
            if grouped := _GROUPED.fullmatch(part):
                decimals = grouped["decimals"] or 0
                found.add(float(f"{_MARKS.sub('', grouped['whole'])}.{decimals}"))
        return found

    @cached_property
    def points(self) -> list[tuple[float, int]]:
        """Points out of a total: `92/100`, `4,4 von 5`."""
        return [
            (float(points.replace(",", ".")), int(total))
            for points, total in _OUT_OF.findall(self.quote)
        ]

    @property
    def is_in_hundredths(self) -> bool:
        """Whether it has a word for hundredths of money, such as `cents`."""
        return _HUNDREDTHS.search(self.quote) is not None

    def is_only(self, value: object) -> bool:
        """Return whether *value* is its only number, as it stands there with its scale."""
        return [quantity.value for quantity in self.quantities] == [value]

    def has(self, value: float) -> bool:
        """Return whether it states *value*, but for a power of ten or a unit of time."""
        factors = (1.0, *_POWERS, *conversions_between(None))
        return any(_is_product(_readings(found), factors, value) for found in self.quantities)

    def has_in_thousands(self, value: float) -> bool:
        """Return whether it states *value*, but for thousands, millions or billions."""
        return any(_is_product(_readings(found), _SCALES, value) for found in self.quantities)


@lru_cache(maxsize=64)
def read_figures(quote: str) -> Figures:
    """Read the figures of a quote, once for all that is asked of it."""
    return Figures(quote)


def definition_words(attribute: Attribute) -> str:
    """Return the words of a column's name, unit and description."""
    return f"{attribute.name.replace('_', ' ')} {attribute.unit or ''} {attribute.description}"


def column_unit(attribute: Attribute) -> str | None:
    """Return the unit of the column; None for one that is a ratio (`grams per litre`)."""
    unit = parse_unit(attribute.unit or "").unit
    is_ratio = unit in SIZES and "/" not in unit and _RATIO.search(attribute.unit or "")
    return None if is_ratio else unit


def names_attribute(attribute: Attribute, quote: str) -> bool:
    """Return whether *quote* has a word of the attribute's name."""
    words = {word.casefold() for word in _WORD.findall(quote)}
    return any(word in words for word in attribute.name.split("_"))


def is_in_measure(unit: str | None, numbers: Sequence[float], value: float) -> bool:
    """Return whether *value*, in *unit*, is one of the *numbers* in another unit.

    The quote does not name it; the head of a table or a longer word may: `242 nautical miles`.
    """
    sizes = [convert(1.0, other, unit) for other in SIZES if other != unit] if unit else []
    return any(
        math.isclose(abs(number * size), abs(value), rel_tol=_NEARLY)
        for size in sizes
        if size is not None
        for number in numbers
    )


def find_other_number(attribute: Attribute, quote: str, value: float, text: str | None) -> str:
    """Say which other number than *value* is what *quote* states; empty where it may be *value*.

    A number may be in another unit, or differ by a scale (thousand, million) that stands in the
    definition of the attribute or in *text*, the document; in any scale where that is None. Several
    numbers prove nothing, nor does a line of words for an integer, which may count what the words
    name, unless they name the attribute.
    """
    figures, unit = read_figures(quote), column_unit(attribute)
    is_plain = abs(float(value)) in figures.plain  # true of nearly all
    if is_plain and (words := ignored_scale(quote, value, scales_of(attribute))):
        return f"the quote says {words!r}, the value {value}"
    if figures.dates:
        years = {found.year for found in figures.dates if found.year is not None}
        is_other = len(years) == 1 and not is_plain and _is_year(attribute, value)
        if not is_other or {year % _CENTURY for year in years} == {value % _CENTURY}:  # '84
            return ""
        return f"the quote says {years.pop()}, the value {value}"
    if len(figures.quantities) != 1 or (not is_plain and value == 1 and _SINGLE.search(quote)):
        return ""  # "one" is too common a word to be read as a number
    [found] = figures.quantities
    if found.unit is not None and unit is not None and found.unit != unit:
        is_else = is_plain and not _is_same(found.value, value)
        return "" if is_else else _other_measure(attribute, found, value)
    if is_plain or _proves_nothing(attribute, found, quote):
        return ""
    readings = _readings(found)
    is_year = _is_year(attribute, value) and found.value == value % _CENTURY
    follows = is_year or _is_product(readings, _factors(attribute, found, quote, text), value)
    is_measured = found.unit is None and is_in_measure(unit, readings, value)
    if follows or is_measured or _is_of_other_total(figures, value):
        return ""
    return f"the quote says {found.value}, the value {value}"


def is_converted(attribute: Attribute, quote: str, value: float, text: str) -> bool:
    """Return whether *value* is a number of *quote* in another scale, unit or form."""
    figures, wanted = read_figures(quote), column_unit(attribute)
    is_year = _is_year(attribute, value)
    if is_year and any(found.value == value % _CENTURY for found in figures.quantities):  # '84
        return True
    for found in figures.quantities:
        readings = _readings(found)
        if _is_product(readings, _factors(attribute, found, quote, text), value):
            return True
        others = () if wanted is None else SIZES if found.unit is None else (found.unit,)
        carried = [
            convert(number, other, wanted or "")
            for number in readings
            for other in others
            if other != wanted
        ]
        if any(size is not None and _rounds_to(size, value) for size in carried):
            return True
    return _is_of_other_total(figures, value)


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
    return any(_rounds_to(number, size) for number in found)


def speaks_of_years(attribute: Attribute) -> bool:
    """Whether unit, name or description of a column has a word for years."""
    words = _LETTERS.findall(definition_words(attribute).lower())
    return any(UNITS.get(word) == "year" for word in words)


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


def _proves_nothing(attribute: Attribute, found: Quantity, quote: str) -> bool:
    """Whether the number of *quote* may be something else than the value of *attribute*.

    It is not where it stands alone, or beside a word of the attribute's name.
    """
    unit = column_unit(attribute)
    if unit is None and found.unit is not None and attribute.unit:  # litres, of a column per litre
        return True
    if not attribute.type.is_whole or (found.unit is not None and found.unit == unit):
        return False
    said = [letter for letter in quote if letter.isalnum()]
    is_number = sum(letter.isdigit() for letter in said) * _DIGITS_SHARE >= len(said)
    return not is_number and not names_attribute(attribute, quote)


def _is_year(attribute: Attribute, value: float) -> bool:
    is_whole = attribute.type.is_whole and column_unit(attribute) in (None, "year")
    return is_whole and FIRST_YEAR <= value <= LAST_YEAR


def _other_measure(attribute: Attribute, found: Quantity, value: float) -> str:
    """Hold *value* against a quantity in another unit; one that cannot be converted is no proof."""
    wanted, scale = column_unit(attribute), parse_unit(attribute.unit or "").scale
    carried = [
        converted / scale
        for number in _readings(found)
        if (converted := convert(number, found.unit or "", wanted or "")) is not None
    ]
    slack = 1.0 if float(value).is_integer() else 0.0
    if not carried or any(
        math.isclose(number, value, rel_tol=_ROUNDED) or abs(number - value) < slack
        for number in carried
    ):
        return ""
    return (
        f"the quote says {found.value} {found.unit}, which is {carried[0]:.6g} in"
        f" {attribute.unit}, the value {value}"
    )


def _factors(
    attribute: Attribute, found: Quantity, quote: str, text: str | None
) -> Iterator[float]:
    """Yield by what *found*, the number of *quote*, may be multiplied; see `find_other_number`."""
    yield 1.0
    words = definition_words(attribute)
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
    yield from conversions_between(f"{quote} {words}")
    if text is None:
        yield from _POWERS
        return
    is_scaled = any(figure.scaled for figure in scan_figures(quote))
    stated = {1.0} if is_scaled else stated_scales(quote, text)
    yield from (one / other for one in stated for other in scales_of(attribute))


def _is_of_other_total(figures: Figures, value: float) -> bool:
    """Whether *value* is what *figures* give out of a total, out of another: 92/100, 9.2."""
    return any(
        total and _rounds_to(points / total * other, value)
        for points, total in figures.points
        for other in _TOTALS
    )


def _readings(quantity: Quantity) -> Sequence[float]:
    """Return what a quantity may be: a range either of its ends, or the middle."""
    if quantity.upper is None:
        return (quantity.value,)
    return (quantity.value, quantity.upper, (quantity.value + quantity.upper) / 2)


def _is_product(numbers: Sequence[float], factors: Iterable[float], value: float) -> bool:
    return any(_is_same(number * factor, value) for factor in factors for number in numbers)


def _is_same(one: float, other: float) -> bool:
    return math.isclose(abs(one), abs(other), rel_tol=_SAME)


def _rounds_to(number: float, value: float) -> bool:
    """Whether *value* is what is computed, rounded where it ends: 804.67 -> 805, 804.7."""
    last = Decimal(str(value)).normalize().as_tuple().exponent
    slack = min(10.0 ** int(last) / 2, _ROUNDED * abs(value))
    return _is_same(number, value) or abs(abs(number) - abs(value)) <= slack


_SCALE_WORD = re.compile(r"[^\W\d_]+|[千万萬亿億]")
_IN_THOUSANDS = re.compile(r"(?<![\d,.])['’]?000s?\b|[TKk][€$]|\b[TkK]EUR\b")
_AROUND = 200
_MAX_PLACES = 20
_LONGEST_CAPTION = 200


def ignored_scale(quote: str, value: float, declared: Collection[float]) -> str:
    """Return the words of *quote* whose scale *value* leaves out; empty where there are none.

    *declared* are those that the column is in. `15 thousand tonnes`, 15 -> `15 thousand tonnes`
    """
    for figure in scan_figures(quote) if value else ():
        for end in (figure, figure.upper):
            quantity = end.read() if end is not None and end.scaled else None
            if end is None or quantity is None:
                continue
            factor = end.scale * 10.0**end.power
            is_without = math.isclose(abs(quantity.value), abs(value) * factor)
            if is_without and factor not in declared:
                return figure.span.of(quote)
    return ""


def scales_of(attribute: Attribute) -> set[float]:
    """Return the scales that the unit and the definition of a column speak of, and 1."""
    unit = float(parse_unit(attribute.unit or "").scale)
    return {1.0, unit, *_scales_in(f"{attribute.name.replace('_', ' ')} {attribute.description}")}


def stated_scales(quote: str, text: str) -> set[float]:
    """Return the scales that *text* speaks of around *quote* or in a caption, and 1."""
    found = {1.0, *_scales_in(quote)}
    start = text.find(quote)
    for _ in range(_MAX_PLACES):
        if start < 0:
            break
        found |= _scales_in(text[max(0, start - _AROUND) : start + len(quote) + _AROUND])
        start = text.find(quote, start + 1)
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
