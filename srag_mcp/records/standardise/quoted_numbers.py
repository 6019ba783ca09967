"""Numbers that do not follow from their quotes as others of the column do."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from srag_mcp.records.following import OUT_OF, is_made_of
from srag_mcp.records.standardise.suspicion import StatedValue, Suspicion
from srag_mcp.records.stated_number import (
    column_unit,
    is_in_hundredths,
    is_in_measure,
    plain_numbers,
)
from srag_mcp.schema.attribute import Attribute
from srag_mcp.values.dates import find_dates
from srag_mcp.values.quantities import find_quantities
from srag_mcp.values.units import SIZES

_FEWEST_ALIKE = 3
_MOST_NEGATIVE = 0.34
_MOST = 0.5
_FARTHEST = 2
_MINUS = re.compile(r"[-‐‑–—−(]|\bminus\b", re.IGNORECASE)
_WORD_OR_SYMBOL = re.compile(r"[^\W\d_]+|[^\w\s.,:;%]")


@dataclass(frozen=True, slots=True)
class _Step:
    """The number of a quote that a value goes back to, its unit, and the power of ten between."""

    item: StatedValue
    number: float
    unit: str
    power: int


def suspect_quoted_numbers(
    attribute: Attribute, values: Sequence[StatedValue]
) -> Iterator[Suspicion]:
    """Find values ten or a hundred times their quote, of another sign, out of another total."""
    yield from _other_powers(attribute, values)
    yield from _other_signs(values)
    yield from _other_totals(values)


def _other_powers(attribute: Attribute, values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find values 10 or 100 times more or less than their quotes, where others are as quoted.

    Scales are powers of 1,000: captions give them. Among values with the same unit the reverse is
    odd, too: 15 from "15 %", where others make 0.12 of "12 %".
    """
    if all(abs(item.number) in plain_numbers(item.as_stated) for item in values):  # mostly so
        return
    groups: defaultdict[str, list[_Step]] = defaultdict(list)
    for item in values:
        if (step := _step(attribute, item)) is not None:
            groups[step.unit].append(step)
    for unit, steps in groups.items():
        counts = Counter(step.power for step in steps)
        usual = min(counts, key=lambda power: (-counts[power], abs(power)))
        if counts[usual] < _FEWEST_ALIKE or (usual and not unit):
            continue
        alike = [step for step in steps if step.power == usual]
        for step in steps:
            if step.power != usual and not _fits_better(step, alike):
                yield Suspicion(step.item.document_id, "shift", _why(step, usual, len(alike)))


def _step(attribute: Attribute, item: StatedValue) -> _Step | None:
    """Read a value and its quote; None where they may differ for another reason."""
    quantities = [quantity for _, quantity in find_quantities(item.as_stated)]
    if not item.number or find_dates(item.as_stated, partial=True):
        return None
    if any(found.upper is not None or found.ambiguous for found in quantities):
        return None
    steps = {
        _Step(item, abs(found.value), found.unit or "", power)
        for found in quantities
        if (power := _power_between(abs(found.value), abs(item.number))) is not None
    }
    steps = {step for step in steps if step.power == 0} or steps
    if len(steps) != 1:
        return None
    [step] = steps
    if not step.power:
        return step
    is_made = is_made_of(attribute, quantities, item.as_stated, abs(item.number))
    return None if is_made or _is_explained(attribute, step) else step


def _power_between(number: float, value: float) -> int | None:
    """Return the power of ten, up to 100, that leads from *number* to *value*."""
    if not number:
        return None
    power = round(math.log10(value / number))
    is_near = abs(power) <= _FARTHEST and math.isclose(value, number * 10.0**power, rel_tol=1e-6)
    return power if is_near else None


def _is_explained(attribute: Attribute, step: _Step) -> bool:
    """Whether a unit may be why a value is not the number of its quote: 0.12, cents, metres."""
    wanted, value = column_unit(attribute), step.item.number
    if is_in_hundredths(step.item.as_stated):
        return True
    if step.unit:
        return step.unit != wanted and step.unit in SIZES
    if is_in_measure(wanted, [step.number], value):
        return True
    return min(step.number, abs(value)) <= 1 and wanted in (None, "percent")


def _fits_better(step: _Step, alike: Sequence[_Step]) -> bool:
    """Whether a value is among the others and the number of its quote is not: `1.80`, 180."""
    sizes = [abs(other.item.number) for other in alike]
    low, high = min(sizes), max(sizes)
    return low <= abs(step.item.number) <= high and not low <= step.number <= high


def _why(step: _Step, usual: int, n_alike: int) -> str:
    times = 10 ** abs(step.power)
    if not step.power:
        times = 10 ** abs(usual)
        word = "larger" if usual > 0 else "smaller"
        return f"{n_alike} values are {times} times {word} than the number that is quoted, not this"
    word = "larger" if step.power > 0 else "smaller"
    return f"it is {times} times {word} than the number that is quoted, {n_alike} others are not"


def _other_signs(values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find a few negative values whose quotes have no minus, and no word that others lack.

    `less` or `loss` may say it; a word that stands beside positive values as well does not.
    """
    positive = [item for item in values if item.number > 0]
    negative = [item for item in values if item.number < 0]
    is_rare = len(negative) <= _MOST_NEGATIVE * len(values)
    if not negative or not is_rare or len(positive) < _FEWEST_ALIKE:
        return
    usual = {word for item in positive for word in _words(item)}
    for item in negative:
        numbers = [quantity.value for _, quantity in find_quantities(item.as_stated)]
        if -item.number not in numbers or says_minus(item):
            continue
        if item.number not in numbers and _words(item) <= usual:
            reason = f"it is negative, its words are not, and {len(positive)} others are positive"
            yield Suspicion(item.document_id, "sign", reason)


def says_minus(item: StatedValue) -> bool:
    """Whether the words of a value have a minus, or what may be one."""
    return _MINUS.search(item.as_stated) is not None


def _words(item: StatedValue) -> set[str]:
    return {word.casefold() for word in _WORD_OR_SYMBOL.findall(item.as_stated)}


def _other_totals(values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find points out of another total than most: 92 from "92/100" among 8.1 from "8.1/10"."""
    totals = {
        item.document_id: int(total)
        for item in values
        for points, total in OUT_OF.findall(item.as_stated)
        if math.isclose(float(points.replace(",", ".")), item.number) and item.number <= int(total)
    }
    counts = Counter(totals.values())
    usual = min(counts, key=lambda total: (-counts[total], total), default=0)
    if counts[usual] < _FEWEST_ALIKE or counts[usual] <= _MOST * len(totals):
        return
    for document_id, total in totals.items():
        if total != usual:
            reason = f"it is out of {total}, {counts[usual]} others are out of {usual}"
            yield Suspicion(document_id, "out_of", reason)
