"""Numbers that do not fit their column: another scale, unit, sign or total, or impossible."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import Literal, NamedTuple

from srag_mcp.claims.figures import (
    column_unit,
    find_other_number,
    ignored_scale,
    is_computed,
    is_in_measure,
    scales_of,
)
from srag_mcp.claims.stated_values import NO_TAGS, StatedValue, Suspicion, Tags
from srag_mcp.schema.attribute import Attribute
from srag_mcp.values.quantities import Figure, scan_figures
from srag_mcp.values.units import CURRENCY_SYMBOLS, SIZES, convert, is_currency, parse_unit

_FEWEST, _FEWEST_ALIKE = 5, 3
_MOST, _MOST_OTHERS = 0.5, 0.34
_EMPTY_DECADES = 1.5
_FACTORS = (3, 6, 9)
_NEAR_FACTOR, _NEARER_FACTOR = 1.0, 0.5
_FARTHEST = 2
_HUNDRED = 100
_SIGN = "$"
_PESOS = frozenset({"ARS", "CLP", "COP"})
_DOLLARS = _PESOS | {unit for sign, unit in CURRENCY_SYMBOLS.items() if sign.endswith(_SIGN)}
_MINUS = re.compile(r"[-‐‑–—−(]|\bminus\b", re.IGNORECASE)
_WORD_OR_SYMBOL = re.compile(r"[^\W\d_]+|[^\w\s.,:;%]")


class _Step(NamedTuple):
    """The number of a quote that a value goes back to, its unit, and the power of ten between."""

    item: StatedValue
    number: float
    unit: str
    power: int


def suspect_numbers(
    attribute: Attribute, values: Sequence[StatedValue], tags: Tags = NO_TAGS
) -> Iterator[Suspicion]:
    """Find values that look as if they were written in another scale or unit.

    A column without a unit may be meant to keep several: a value is left alone where another column
    of its document names its unit, which *tags* tells.
    """
    yield from _other_scales(values)
    yield from _impossible(attribute, values)
    for item in values:
        if words := ignored_scale(item.as_stated, item.number, scales_of(attribute)):
            reason = f"the document says {words}: is the scale (thousand, million) worked in?"
            yield Suspicion(item.document_id, "scale_word", reason)
    yield from _unconverted(attribute, values)
    wanted = column_unit(attribute)
    if _kind(wanted):
        yield from _of_other_kind(attribute, wanted or "", values)
    else:
        # another column of the document may have the unit of a figure of the quote
        loose = [
            item
            for item in values
            if not any(
                tag == figure.unit or tag in figure.possible_currencies
                for tag in tags.get(item.document_id, ())
                for figure in scan_figures(item.as_stated)
            )
        ]
        figures = _measured_figures(loose)
        yield from _other_currencies(figures, len(loose))
        yield from _other_measures(attribute, loose, figures)
    yield from _other_powers(attribute, values)
    yield from _other_signs(values)
    yield from _other_totals(values)


def _other_scales(values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find a cluster that lies 10³, 10⁶ or 10⁹ away from the largest, and both if equally large.

    Clusters are parted where a decade and a half is empty. A scale word may explain the distance;
    the more values, the closer it must be to one: a column may have villages and cities.
    """
    sized = sorted(
        ((math.log10(abs(item.number)), item) for item in values if item.number),
        key=lambda pair: pair[0],
    )
    if len(sized) < _FEWEST:
        return
    clusters = [sized[:1]]
    for before, now in pairwise(sized):
        if now[0] - before[0] >= _EMPTY_DECADES:
            clusters.append([])
        clusters[-1].append(now)
    main = max(clusters, key=len)
    for cluster in clusters:
        away = median(size for size, _ in cluster) - median(size for size, _ in main)
        near = _NEAR_FACTOR if len(cluster) <= _MOST_OTHERS * len(sized) else _NEARER_FACTOR
        if cluster is main or all(abs(abs(away) - factor) > near for factor in _FACTORS):
            continue
        yield from _away_from(main, cluster, away, len(sized))
        if len(cluster) == len(main):
            yield from _away_from(cluster, main, -away, len(sized))


def _away_from(
    main: Sequence[tuple[float, StatedValue]],
    cluster: Sequence[tuple[float, StatedValue]],
    away: float,
    n_values: int,
) -> Iterator[Suspicion]:
    low, high = main[0][1].number, main[-1][1].number
    direction = "larger" if away > 0 else "smaller"
    reason = (
        f"{len(main)} of {n_values} values lie between {low:,.10g} and {high:,.10g}; this one is"
        f" about {10 ** round(abs(away)):,} times {direction}: is the scale (thousand,"
        " million) worked in, and only once?"
    )
    for _, item in cluster:
        yield Suspicion(item.document_id, "scale", reason)


def _impossible(attribute: Attribute, values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find percentages above 100 and negative values where hardly any other is so."""
    n_large = sum(item.number > _HUNDRED for item in values)
    n_negative = sum(item.number < 0 for item in values)
    is_share = attribute.unit == "percent" and n_large <= _MOST_OTHERS * len(values)
    is_lonely = n_negative == 1 and len(values) >= _FEWEST
    for item in values:
        if is_share and item.number > _HUNDRED:
            yield Suspicion(item.document_id, "impossible", "it is a percentage above 100")
        elif is_lonely and item.number < 0 and not _MINUS.search(item.as_stated):
            yield Suspicion(item.document_id, "impossible", "it alone is negative")


def _unconverted(attribute: Attribute, values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find values that equal the figure of their quote although the quote has another unit."""
    wanted = parse_unit(attribute.unit or "").unit
    for item in values if wanted else ():
        for quantity in item.figures.quantities:
            if quantity.unit in (None, wanted) or not math.isclose(quantity.value, item.number):
                continue
            converted = convert(quantity.value, quantity.unit or "", wanted or "")
            if converted is not None and not math.isclose(converted, quantity.value):
                yield _in_other_unit("unit", item.document_id, quantity.unit, attribute)
                break


def _of_other_kind(
    attribute: Attribute, wanted: str, values: Sequence[StatedValue]
) -> Iterator[Suspicion]:
    """Find values in a unit that cannot be carried into that of the column."""
    figures = _measured_figures(values)
    is_written = sum(item.unit == wanted for item in figures.values()) > _MOST * len(values)
    for document_id, figure in figures.items():
        unit = figure.unit or ""
        is_letter = len(figure.symbol) == 1 and figure.symbol.isalpha()  # `5 g` may be no grams
        if not _kind(unit) or is_letter or convert(1.0, unit, wanted) is not None:
            continue
        if not _may_be(figure, wanted, is_written=is_written):
            yield _in_other_unit("other_unit", document_id, unit, attribute)


def _other_currencies(figures: Mapping[str, Figure], n_values: int) -> Iterator[Suspicion]:
    """Find values in another currency than most of a column that has none of its own."""
    money = {key: figure for key, figure in figures.items() if is_currency(figure.unit)}
    counts = Counter(figure.unit or "" for figure in money.values())
    main = _most_common(counts)
    if counts[main] < _FEWEST_ALIKE or counts[main] <= _MOST * len(money):
        return
    is_written = counts[main] > _MOST * n_values
    for document_id, figure in money.items():
        if figure.unit != main and not _may_be(figure, main, is_written=is_written):
            yield _in_unit_of_few(document_id, figure.unit, main, counts[main])


def _other_measures(
    attribute: Attribute, values: Sequence[StatedValue], figures: Mapping[str, Figure]
) -> Iterator[Suspicion]:
    """Find values that were not carried into the unit of most, or not rightly."""
    units = [figure.unit or "" for figure in figures.values()]
    for dimension in {kind: None for unit in units if (kind := _kind(unit)) and unit in SIZES}:
        counts = Counter(unit for unit in units if _kind(unit) == dimension)
        main = _most_common(counts)
        if counts[main] < _FEWEST_ALIKE:
            continue
        column = attribute.model_copy(update={"unit": main})
        for item in values:
            said = [quantity.unit for quantity in item.figures.quantities]
            if len(said) != 1 or said[0] in (None, main) or _kind(said[0]) != dimension:
                continue
            if find_other_number(column, item.as_stated, item.number, None):
                yield _in_unit_of_few(item.document_id, said[0], main, counts[main])


def _in_other_unit(
    kind: Literal["unit", "other_unit"], document_id: str, unit: str | None, attribute: Attribute
) -> Suspicion:
    reason = f"the document gives it in {unit}, the column is in {attribute.unit}"
    return Suspicion(document_id, kind, reason)


def _in_unit_of_few(document_id: str, unit: str | None, main: str, n_alike: int) -> Suspicion:
    reason = f"the document gives it in {unit}, {n_alike} others of the column are in {main}"
    return Suspicion(document_id, "other_unit", reason)


def _may_be(figure: Figure, unit: str, *, is_written: bool) -> bool:
    """Whether the sign of *figure* may stand for *unit*, too.

    A bare dollar sign may mean any local money, but not where that is no dollar and most documents
    of the column write it (*is_written*).
    """
    if unit not in figure.possible_currencies:
        return False
    return figure.symbol != _SIGN or unit in _DOLLARS or not is_written


def _measured_figures(values: Sequence[StatedValue]) -> dict[str, Figure]:
    """Map documents to the figure with a unit that their value is, where it is one."""
    found: dict[str, Figure] = {}
    for item in values:
        alike = [
            figure
            for figure in scan_figures(item.as_stated)
            if (quantity := figure.read()) is not None
            and item.number
            and math.isclose(abs(quantity.value), abs(item.number))
        ]
        if len(alike) == 1 and alike[0].unit:
            found[item.document_id] = alike[0]
    return found


def _kind(unit: str | None) -> str:
    """Return what *unit* measures; empty where that is not known."""
    if is_currency(unit):
        return "money"
    if unit in ("percent", "permille"):
        return "share"
    return SIZES[unit][0] if unit in SIZES else ""


def _most_common(counts: Counter[str]) -> str:
    """Return the most frequent; of equally frequent ones the first in the alphabet."""
    return min(counts, key=lambda unit: (-counts[unit], unit), default="")


def _other_powers(attribute: Attribute, values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find values 10 or 100 times more or less than their quotes, where others are as quoted.

    Scales are powers of 1,000: captions give them. Among values with the same unit the reverse is
    odd, too: 15 from "15 %", where others make 0.12 of "12 %".
    """
    if all(abs(item.number) in item.figures.plain for item in values):  # mostly so
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
        sizes = [abs(step.item.number) for step in steps if step.power == usual]
        low, high = min(sizes), max(sizes)
        for step in steps:
            # a value may be among the others where the number of its quote is not: `1.80`, 180
            fits = low <= abs(step.item.number) <= high and not low <= step.number <= high
            if step.power != usual and not fits:
                yield Suspicion(step.item.document_id, "shift", _why(step, usual, len(sizes)))


def _step(attribute: Attribute, item: StatedValue) -> _Step | None:
    """Read a value and its quote; None where they may differ for another reason."""
    quantities, value = item.figures.quantities, abs(item.number)
    if not value or item.figures.dates:
        return None
    if any(found.upper is not None or found.ambiguous for found in quantities):
        return None
    steps: set[_Step] = set()
    for number, unit in {(abs(found.value), found.unit or "") for found in quantities}:
        power = round(math.log10(value / number)) if number else _FARTHEST + 1
        if abs(power) <= _FARTHEST and math.isclose(value, number * 10.0**power, rel_tol=1e-6):
            steps.add(_Step(item, number, unit, power))
    steps = {step for step in steps if step.power == 0} or steps
    if len(steps) != 1:
        return None
    [step] = steps
    if not step.power:
        return step
    # a unit may be why a value is not the number of its quote: 0.12, cents, metres
    wanted, is_explained = column_unit(attribute), item.figures.is_in_hundredths
    if step.unit:
        is_explained |= step.unit != wanted and step.unit in SIZES
    else:
        is_explained |= min(step.number, value) <= 1 and wanted in (None, "percent")
        is_explained |= is_in_measure(wanted, [step.number], value)
    is_made = is_explained or is_computed(attribute, item.as_stated, item.number)
    return None if is_made else step


def _why(step: _Step, usual: int, n_alike: int) -> str:
    times = 10 ** abs(step.power or usual)
    if not step.power:
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
    is_rare = len(negative) <= _MOST_OTHERS * len(values)
    if not negative or not is_rare or len(positive) < _FEWEST_ALIKE:
        return
    usual = {word for item in positive for word in _words(item)}
    reason = f"it is negative, its words are not, and {len(positive)} others are positive"
    for item in negative:
        numbers = [quantity.value for quantity in item.figures.quantities]
        is_unsigned = -item.number in numbers and not _MINUS.search(item.as_stated)
        if is_unsigned and item.number not in numbers and _words(item) <= usual:
            yield Suspicion(item.document_id, "sign", reason)


def _words(item: StatedValue) -> set[str]:
    return {word.casefold() for word in _WORD_OR_SYMBOL.findall(item.as_stated)}


def _other_totals(values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find points out of another total than most: 92 from "92/100" among 8.1 from "8.1/10"."""
    totals = {
        item.document_id: total
        for item in values
        for points, total in item.figures.points
        if math.isclose(points, item.number) and item.number <= total
    }
    counts = Counter(totals.values())
    usual = min(counts, key=lambda total: (-counts[total], total), default=0)
    if counts[usual] < _FEWEST_ALIKE or counts[usual] <= _MOST * len(totals):
        return
    for document_id, total in totals.items():
        if total != usual:
            reason = f"it is out of {total}, {counts[usual]} others are out of {usual}"
            yield Suspicion(document_id, "out_of", reason)
