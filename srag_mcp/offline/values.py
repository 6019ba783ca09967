"""Values as documents state them: what they look like before they are normalised."""

import re
from collections.abc import Collection, Mapping
from typing import Literal, TypeAlias

from srag_mcp.values.dates import find_dates
from srag_mcp.values.numbers import read_number
from srag_mcp.values.quantities import find_quantities

Look: TypeAlias = Literal["number", "date", "text"]

_DIGIT = re.compile(r"\d")
_LETTERS = re.compile(r"[^\W\d_]")
_MAX_LETTERS = 14
_SHARE = 0.7
_MAX_LOOKED_AT = 200
_SIZE_FACTOR = 10.0


def looks(values: Collection[str]) -> Look:
    """Return what most of *values* are."""
    sample = list(values)[:_MAX_LOOKED_AT]
    found = [look(value) for value in sample]
    for kind in ("date", "number"):
        if sample and found.count(kind) >= _SHARE * len(sample):
            return kind
    return "text"


def look(value: str) -> Look:
    """Return what one value is; text unless nearly nothing is beside the number or date."""
    if not _DIGIT.search(value):
        return "text"
    dates = find_dates(value)
    if dates and dates[0][0].start < 12:
        return "date"
    if len(_LETTERS.findall(value)) > _MAX_LETTERS:
        return "text"
    return "number" if find_quantities(value) else "text"


def numbers_of(values: Mapping[int, str]) -> dict[int, str]:
    """Return the last number of each value, in one spelling, so that equal numbers are equal."""
    numbers = {}
    for document, value in values.items():
        quantities = find_quantities(value)
        number = quantities[-1][1] if quantities else read_number(value)
        if number is not None:
            numbers[document] = repr(float(number.value))
    return numbers


def of_one_size(left: Mapping[int, str], right: Mapping[int, str]) -> bool:
    """Whether the middle of both (as `numbers_of` gives them) is within a factor of ten."""
    middles = [middle_of(left), middle_of(right)]
    low, high = min(middles), max(middles)
    return low == 0.0 or high <= _SIZE_FACTOR * low


def middle_of(numbers: Mapping[int, str]) -> float:
    """Return the median size of numbers (as `numbers_of` gives them), zeros aside."""
    sizes = sorted(abs(float(number)) for number in numbers.values() if float(number))
    return sizes[len(sizes) // 2] if sizes else 0.0
