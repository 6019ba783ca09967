"""Following: whether the words of a document bear a value out."""

import math
import re
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import combinations

from srag_mcp.records.contradiction import find_contradiction, has_date
from srag_mcp.records.stated_number import (
    column_unit,
    factors_of,
    is_in_measure,
    plain_numbers,
    readings_of,
)
from srag_mcp.schema.attribute import Attribute
from srag_mcp.values.dates import find_dates
from srag_mcp.values.quantities import Quantity, find_quantities
from srag_mcp.values.types import Value
from srag_mcp.values.units import SIZES, convert

_SCALES = tuple(10.0**power for power in (-9, -6, -3, 3, 6, 9))
_TOTALS = (1, 5, 10, 20, 100)
OUT_OF = re.compile(
    r"(?<![\d/.,])(\d+(?:[.,]\d+)?)\s*(?:/|\b(?:out of|of|von|sur|su|de|van|av)\b)"
    r"\s*(\d+)(?![\d/]|[.,]\d)",
    re.IGNORECASE,
)
"""Points out of a total: `92/100`, `4,4 von 5`."""
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_IN_A_YEAR = {"year": (1,), "month": (12,), "week": (52,), "day": (365,)}
_FIRST_YEAR, _LAST_YEAR, _CENTURY = 1000, 2199, 100
_HUNDRED = 100
_WORD = re.compile(r"\w+")
_MOST_NUMBERS = 8
_ROUNDED, _NEARLY, _SAME = 0.02, 0.005, 1e-6


def follows(attribute: Attribute, quote: str, value: Value, text: str) -> bool:
    """Return whether *quote*, in the document *text*, says *value*.

    `find_contradiction` says what cannot be; here something must show that it is so. A number must
    be there, perhaps in another scale or unit, or be made of numbers that are; words without a
    number may be counted, so it is at most how many they are. A date must be there, too. Texts are
    not judged.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _number_follows(attribute, quote, value, text)
    if find_contradiction(attribute, quote, value):
        return False
    if isinstance(value, date):
        is_dated = bool(find_dates(quote, partial=True))
        return has_date(quote, value) if is_dated else str(value.year) in text
    return True


def is_quoted(quote: str, value: Value) -> bool:
    """Return whether *value* is the only number of *quote*, as it stands there with its scale."""
    return [quantity.value for _, quantity in find_quantities(quote)] == [value]


def is_made_of(
    attribute: Attribute, quantities: Sequence[Quantity], quote: str, value: float
) -> bool:
    """Return whether *value* is a sum, a difference or the like of *quantities*, all of *quote*."""
    return any(
        math.isclose(abs(number), value, rel_tol=_NEARLY)
        for number in _made_of(attribute, quantities, quote)
    )


def _number_follows(attribute: Attribute, quote: str, value: float, text: str) -> bool:
    size = abs(float(value))
    quantities = [quantity for _, quantity in find_quantities(quote)]
    if not quantities:
        return size.is_integer() and size <= len(_WORD.findall(quote))
    if size in plain_numbers(quote):
        return not find_contradiction(attribute, quote, value)
    if _is_short_year(attribute, quantities, size) or _is_time_between(
        attribute, quote, size, text
    ):
        return True
    return any(
        _is_in_another_form(attribute, quantity, quote, size, text) for quantity in quantities
    ) or is_made_of(attribute, quantities, quote, size)


def _is_in_another_form(
    attribute: Attribute, found: Quantity, quote: str, value: float, text: str
) -> bool:
    """Whether *value* is a number of *quote* in another scale, per another period, or unit."""
    wanted, readings = column_unit(attribute), readings_of(found)
    factors = (*_SCALES, *factors_of(attribute, found, quote, text))
    if any(
        math.isclose(abs(number * factor), value, rel_tol=_SAME)
        for number in readings
        for factor in factors
    ):
        return True
    if found.unit is None:
        return is_in_measure(wanted, readings, value)
    carried = [
        convert(number, found.unit, unit)
        for number in readings
        for unit in (SIZES if wanted is None else (wanted,))
        if unit != found.unit  # what is converted may be rounded
    ]
    return any(
        math.isclose(abs(number), value, rel_tol=_ROUNDED)
        for number in carried
        if number is not None
    )


def _made_of(attribute: Attribute, quantities: Sequence[Quantity], quote: str) -> Iterator[float]:
    """Yield sums, differences and products of several numbers, and points out of other totals."""
    wanted = column_unit(attribute)
    numbers = [
        number if carried is None else carried
        for quantity in quantities[:_MOST_NUMBERS]
        for number in (float(quantity.value),)
        for carried in (convert(number, quantity.unit or "", wanted or ""),)
    ]
    if len(numbers) > 1:
        yield sum(numbers)
    for one, other in combinations(numbers, 2):
        yield from (one + other, one - other, (one + other) / 2)
        yield from (one * other, one * other / _HUNDRED)
    for points, total in OUT_OF.findall(quote):
        if int(total):
            share = float(points.replace(",", ".")) / int(total)
            yield from (share * other for other in _TOTALS)


def _is_short_year(attribute: Attribute, quantities: Sequence[Quantity], value: float) -> bool:
    """Whether *value* is a year of which the words have two figures: `'84`."""
    is_year = attribute.type.is_whole and _FIRST_YEAR <= value <= _LAST_YEAR
    return is_year and any(quantity.value == value % _CENTURY for quantity in quantities)


def _is_time_between(attribute: Attribute, quote: str, value: float, text: str) -> bool:
    """Whether *value* counts the years, months or days from a year of *quote* to one of *text*."""
    years = {found.year for _, found in find_dates(quote, partial=True) if found.year is not None}
    others = {int(year) for year in _YEAR.findall(text)}
    in_a_year = _IN_A_YEAR.get(column_unit(attribute) or "year", ())
    return any(
        abs(abs(year - other) * n - value) <= n
        for year in years
        for other in others
        for n in in_a_year
    )
