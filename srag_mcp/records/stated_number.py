"""The number that a quote states, held against the value that is said to follow from it."""

import math
import re
from collections.abc import Iterator, Sequence

from srag_mcp.schema.attribute import Attribute
from srag_mcp.values.dates import find_dates
from srag_mcp.values.quantities import Quantity, find_quantities, scan_figures
from srag_mcp.values.scales import declared_scales, ignored_scale, stated_scales
from srag_mcp.values.units import SIZES, conversions_between, convert, parse_unit

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
_PARTS = (0.01, 100.0)
_POWERS = tuple(10.0**power for power in range(-12, 13) if power not in (-1, 0, 1))
_DIGITS_SHARE = 3
_SAME = 1e-6
_ROUNDED, _NEARLY = 0.02, 0.005
_FIRST_YEAR, _LAST_YEAR = 1000, 2199
_CENTURY = 100


def scales_of(attribute: Attribute) -> set[float]:
    """Return the scales that the definition of *attribute* speaks of, and 1."""
    words = f"{attribute.name.replace('_', ' ')} {attribute.description}"
    return declared_scales(attribute.unit, words)


def find_other_number(attribute: Attribute, quote: str, value: float, text: str | None) -> str:
    """Say which other number than *value* is what *quote* states; empty where it may be *value*.

    A number may be in another unit, or differ by a scale (thousand, million) that stands in the
    definition of the attribute or in *text*, the document; in any scale where that is None. Several
    numbers prove nothing, nor does a line of words for an integer, which may count what the words
    name, unless they name the attribute.
    """
    if abs(float(value)) in plain_numbers(quote):  # true of nearly all
        return _other_scale(attribute, quote, value) or _unconverted(attribute, quote, value)
    if dates := find_dates(quote, partial=True):
        years = {date.year for _, date in dates if date.year is not None}
        return _other_year(attribute, years, value)
    quantities = [quantity for _, quantity in find_quantities(quote)]
    if len(quantities) != 1 or (value == 1 and _SINGLE.search(quote)):
        return ""  # "one" is too common a word to be read as a number
    return _other_quantity(attribute, quantities[0], quote, value, text)


def has_number(quote: str, value: float) -> bool:
    """Return whether *quote* states *value*, but for a power of ten or a unit of time."""
    factors = (1.0, *_POWERS, *conversions_between(None))
    return any(
        _is_same(abs(number * factor), abs(value))
        for _, quantity in find_quantities(quote)
        for number in readings_of(quantity)
        for factor in factors
    )


def numerals_of(text: str) -> set[str]:
    """Return the numerals of *text* without marks: `1,200.50` -> `120050`.

    `4,6702` may be 4,670 with the mark of a footnote.
    """
    numerals = _NUMERAL.findall(text)
    numerals += [numeral[:-1] for numeral in numerals if _FOOTNOTED.fullmatch(numeral)]
    return {_MARKS.sub("", numeral) for numeral in numerals}


def column_unit(attribute: Attribute) -> str | None:
    """Return the unit of the column; None for one that is a ratio (`grams per litre`)."""
    unit = parse_unit(attribute.unit or "").unit
    return (
        None if unit in SIZES and "/" not in unit and _RATIO.search(attribute.unit or "") else unit
    )


def is_in_measure(unit: str | None, readings: Sequence[float], value: float) -> bool:
    """Return whether *value*, in *unit*, is one of the *readings* in another unit.

    The quote does not name it; the head of a table or a longer word may: `242 nautical miles`.
    """
    sizes = [convert(1.0, other, unit) for other in SIZES if other != unit] if unit else []
    return any(
        math.isclose(abs(number * size), abs(value), rel_tol=_NEARLY)
        for size in sizes
        if size is not None
        for number in readings
    )


def is_in_hundredths(quote: str) -> bool:
    """Return whether *quote* has a word for hundredths of money, such as `cents`."""
    return _HUNDREDTHS.search(quote) is not None


def names_attribute(attribute: Attribute, quote: str) -> bool:
    """Return whether *quote* has a word of the attribute's name."""
    words = {word.casefold() for word in _WORD.findall(quote)}
    return any(word in words for word in attribute.name.split("_"))


def plain_numbers(quote: str) -> set[float]:
    """Return what the numerals of *quote* may be: `1.250` -> 1.25 and 1250.

    In `2.635,673` both marks may be meant to part thousands.
    """
    numerals = _NUMERAL.findall(quote)
    parts = {part for numeral in numerals for part in (numeral, *_SPACES.split(numeral))}
    parts |= {part[:-1] for part in parts if _FOOTNOTED.fullmatch(part)}
    found: set[float] = set()
    for part in parts:
        if _DECIMAL.fullmatch(part):
            found.add(float(part.replace(",", ".")))
        if _THOUSANDS.fullmatch(part):
            found.add(float(_MARKS.sub("", part)))
        if grouped := _GROUPED.fullmatch(part):
            found.add(float(f"{_MARKS.sub('', grouped['whole'])}.{grouped['decimals'] or 0}"))
    return found


def _other_scale(attribute: Attribute, quote: str, value: float) -> str:
    words = ignored_scale(quote, value, scales_of(attribute))
    return f"the quote says {words!r}, the value {value}" if words else ""


def _other_quantity(
    attribute: Attribute, found: Quantity, quote: str, value: float, text: str | None
) -> str:
    unit = column_unit(attribute)
    if found.unit is not None and unit is not None and found.unit != unit:
        return _other_measure(attribute, found, value)
    if _proves_nothing(attribute, found, quote):
        return ""
    readings = readings_of(found)
    follows = value in readings or any(
        _is_same(abs(number * factor), abs(value))
        for factor in factors_of(attribute, found, quote, text)
        for number in readings
    )
    is_year = _may_be_year(attribute, value) and found.value == value % _CENTURY  # '84
    if follows or is_year or (found.unit is None and is_in_measure(unit, readings, value)):
        return ""
    return f"the quote says {found.value}, the value {value}"


def _proves_nothing(attribute: Attribute, found: Quantity, quote: str) -> bool:
    """Whether the number of *quote* may be something else than the value of *attribute*."""
    unit = column_unit(attribute)
    if unit is None and found.unit is not None and attribute.unit:  # litres, of a column per litre
        return True
    is_measured = found.unit is not None and found.unit == unit
    return attribute.type.is_whole and not is_measured and not _is_about(attribute, quote)


def _other_year(attribute: Attribute, years: set[int], value: float) -> str:
    """Hold a value that looks like a year against the only year of its quote."""
    if len(years) != 1 or not _may_be_year(attribute, value):
        return ""
    [year] = years
    if year % _CENTURY == value % _CENTURY:  # '84
        return ""
    return f"the quote says {year}, the value {value}"


def _may_be_year(attribute: Attribute, value: float) -> bool:
    unit = column_unit(attribute)
    is_year = attribute.type.is_whole and unit in (None, "year")
    return is_year and _FIRST_YEAR <= value <= _LAST_YEAR


def _unconverted(attribute: Attribute, quote: str, value: float) -> str:
    """Find a value that is the only number of *quote*, which has another unit than the column."""
    wanted = column_unit(attribute)
    quantities = [quantity for _, quantity in find_quantities(quote)]
    if wanted is None or len(quantities) != 1 or find_dates(quote, partial=True):
        return ""
    [found] = quantities
    if found.unit in (None, wanted) or not _is_same(abs(found.value), abs(value)):
        return ""
    return _other_measure(attribute, found, value)


def _other_measure(attribute: Attribute, found: Quantity, value: float) -> str:
    """Hold *value* against a quantity in another unit; one that cannot be converted is no proof."""
    wanted, scale = column_unit(attribute), parse_unit(attribute.unit or "").scale
    carried = [
        converted / scale
        for number in readings_of(found)
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


def factors_of(
    attribute: Attribute, found: Quantity, quote: str, text: str | None
) -> Iterator[float]:
    """Yield by what *found*, the number of *quote*, may be multiplied; see `find_other_number`."""
    yield 1.0
    words = f"{attribute.name.replace('_', ' ')} {attribute.unit or ''} {attribute.description}"
    unit = column_unit(attribute)
    if "percent" in (unit, found.unit):
        yield from _parts(attribute, found, words)
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


def _parts(attribute: Attribute, found: Quantity, words: str) -> Iterator[float]:
    """Yield by what a share may be multiplied: 0.12 may be written for 12 percent."""
    if _FRACTION.search(words) or attribute.unit is None:
        yield from _PARTS
    elif found.unit != "percent" and abs(found.value) <= 1:
        yield 100.0


def _is_about(attribute: Attribute, quote: str) -> bool:
    """Whether *quote* is a number alone, or has a word of the attribute's name beside it."""
    said = [letter for letter in quote if letter.isalnum()]
    if sum(letter.isdigit() for letter in said) * _DIGITS_SHARE >= len(said):
        return True
    return names_attribute(attribute, quote)


def readings_of(quantity: Quantity) -> Sequence[float]:
    """Return what a quantity may be: a range either of its ends, or the middle."""
    if quantity.upper is None:
        return (quantity.value,)
    return (quantity.value, quantity.upper, (quantity.value + quantity.upper) / 2)


def _is_same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=_SAME)
