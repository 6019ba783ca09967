"""Values that do not fit their column; of numbers: another scale, unit, sign or total."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from statistics import median
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from srag_mcp.cells.cell import PredictedCell
from srag_mcp.claims.figures import (
    Figures,
    column_unit,
    ignored_scale,
    is_computed,
    is_converted,
    read_figures,
)
from srag_mcp.claims.quotes import kind_of
from srag_mcp.schema.attribute import Attribute
from srag_mcp.values.quantities import Figure, scan_figures
from srag_mcp.values.states import State
from srag_mcp.values.types import Value
from srag_mcp.values.units import CURRENCY_SYMBOLS, convert, is_currency, unit_of

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
_CENTS = re.compile(r"[.,]\d\d$")
_STAND_IN = re.compile(r"-?9+(?:\.[09]+)?|\d+-(?:01-01|12-31)")
_WORD_OR_SYMBOL = re.compile(r"[^\W\d_]+|[^\w\s.,:;%]")

SuspicionKind: TypeAlias = Literal[
    "scale",
    "scale_word",
    "shift",
    "sign",
    "out_of",
    "impossible",
    "unit",
    "other_unit",
    "date_order",
    "date_orders",
    "spelling",
    "category",
]
Tags: TypeAlias = Mapping[str, frozenset[str]]
"""The units that text cells name, by document id: `{"a.txt": {"EUR"}}`."""

NO_TAGS: Tags = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class StatedValue:
    """The value of one document in a column, and the words that say it."""

    document_id: str
    value: Value
    as_stated: str

    @property
    def number(self) -> float:
        """The value as a number; 0 where it is none."""
        return float(self.value) if isinstance(self.value, int | float) else 0.0

    @property
    def figures(self) -> Figures:
        """What its words have of figures and dates."""
        return read_figures(self.as_stated)


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A value that is probably written in another way than the rest of its column.

    *reason* is one clause for the model: what the others look like.
    """

    document_id: str
    kind: SuspicionKind
    reason: str

    @property
    def is_of_quote(self) -> bool:
        """Whether the value's own words show it, so that a reader may have been told of it."""
        return self.kind in ("scale_word", "shift", "unit")

    def is_wrong_again(self, *, is_quoted: bool) -> bool:
        """Whether a value that was changed is none the better for it.

        A rare spelling may be right, and one that is the number of its quote may be rare; of two
        orders of dates, the column cannot tell.
        """
        if self.kind in ("spelling", "date_orders"):
            return False
        return not (is_quoted and self.kind in ("scale", "impossible"))


def read_tags(columns: Iterable[Mapping[str, PredictedCell]]) -> Tags:
    """Read which units the cells of text *columns* name, by document: a column of currencies.

    `{"a.txt": EUR}`, `{"a.txt": Lyon}` -> `{"a.txt": {"EUR"}}`
    """
    tags: defaultdict[str, set[str]] = defaultdict(set)
    for cells in columns:
        for document_id, item in cells.items():
            unit = unit_of((item.value_text or "").strip())
            if unit is not None:
                tags[document_id].add(unit)
    return {document_id: frozenset(units) for document_id, units in tags.items()}


def read_stated(attribute: Attribute, cells: Mapping[str, PredictedCell]) -> list[StatedValue]:
    """Read the values of the predicted *cells*, by document id, that state one."""
    return [
        StatedValue(document_id, value, item.cell.as_stated or "")
        for document_id, item in cells.items()
        if item.cell.state is State.STATED and item.value_text is not None
        if (value := attribute.type.read(item.value_text)) is not None
    ]


def suspect_numbers(
    attribute: Attribute, values: Sequence[StatedValue], tags: Tags = NO_TAGS
) -> Iterator[Suspicion]:
    """Find values that look as if they were written in another scale or unit.

    A column without a unit may be meant to keep several: a value is left alone where another column
    of its document names its unit, which *tags* tells.
    """
    yield from _other_scales(attribute, values)
    # a few percentages above 100 that no quote calls so
    large = [item for item in values if item.number > _HUNDRED]
    is_rare = attribute.unit == "percent" and len(large) <= _MOST_OTHERS * len(values)
    for item in large if is_rare else ():
        figure = _measured_figure(item)
        if figure is None or figure.unit != "percent":
            yield Suspicion(item.document_id, "impossible", "it is a percentage above 100")
    for item in values:
        if words := ignored_scale(attribute, item.as_stated, item.number):
            reason = f"the document says {words}: is the scale (thousand, million) worked in?"
            yield Suspicion(item.document_id, "scale_word", reason)
    yield from _other_units(attribute, values, tags)
    yield from _other_powers(attribute, values)
    yield from _other_signs(values)
    yield from _other_totals(values)


def _other_scales(attribute: Attribute, values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find a cluster that lies 10³, 10⁶ or 10⁹ away from the largest, and both if equally large."""
    is_money = is_currency(column_unit(attribute))
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
        is_few = len(cluster) <= _MOST_OTHERS * len(sized)
        is_quoted = all(abs(item.number) in item.figures.plain for _, item in cluster)
        near = _NEAR_FACTOR if is_few and not is_quoted else _NEARER_FACTOR
        if all(_has_cents(item, is_money=is_money) for _, item in [*cluster, *main]):
            continue
        if cluster is main or all(abs(abs(away) - factor) > near for factor in _FACTORS):
            continue
        yield from _away_from(main, cluster, away, len(sized))
        if len(cluster) == len(main):
            yield from _away_from(cluster, main, -away, len(sized))


def _has_cents(item: StatedValue, *, is_money: bool) -> bool:
    """Whether a sum of money stands in its quote with two decimals: `443.71`, `$ 1,200.00`."""
    figure = next(_figures_like(item), None)
    if figure is None or not (is_money or is_currency(figure.unit)):
        return False
    return not figure.scaled and _CENTS.search(figure.numeral) is not None


def _figures_like(item: StatedValue) -> Iterator[Figure]:
    """Yield the figures of its words that a value is, but for the sign."""
    for figure in scan_figures(item.as_stated):
        quantity = figure.read()
        if quantity is not None and math.isclose(abs(quantity.value), abs(item.number)):
            yield figure


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


def _other_units(
    attribute: Attribute, values: Sequence[StatedValue], tags: Tags
) -> Iterator[Suspicion]:
    """Find values that their quotes give in another unit: than that of the column, else of most."""
    declared = column_unit(attribute)
    has_unit = bool(kind_of(declared))
    figures = {
        item.document_id: figure
        for item in values
        if (figure := _measured_figure(item)) is not None
        if has_unit
        or tags.get(item.document_id, frozenset()).isdisjoint(
            {figure.unit, *figure.possible_currencies}
        )
    }
    counts = Counter(figure.unit or "" for figure in figures.values())
    for document_id, figure in figures.items():
        unit, main = figure.unit or "", declared or ""
        others = f"the column is in {attribute.unit}"
        if not has_unit:
            alike = {other: n for other, n in counts.items() if kind_of(other) == kind_of(unit)}
            main = min(alike, key=lambda other: (-alike[other], other))
            others = f"{alike[main]} others of the column are in {main}"
            least = sum(alike.values()) * _MOST if is_currency(main) else 0
            if alike[main] < _FEWEST_ALIKE or alike[main] <= least:
                continue
        is_carried = convert(1.0, unit, main) is not None
        if has_unit and not is_carried and len(figure.symbol) == 1 and figure.symbol.isalpha():
            continue
        is_written = counts[main] > _MOST * len(values)
        # the sign of a figure may stand for it, too
        may_be = main in figure.possible_currencies and (
            figure.symbol != _SIGN or main in _DOLLARS or not is_written
        )
        if unit != main and not may_be:
            kind: SuspicionKind = "unit" if is_carried else "other_unit"
            yield Suspicion(document_id, kind, f"the document gives it in {unit}, {others}")


def _measured_figure(item: StatedValue) -> Figure | None:
    """Return the one figure that a value is, if it has a unit of a known kind."""
    alike = list(_figures_like(item)) if item.number else []
    return alike[0] if len(alike) == 1 and kind_of(alike[0].unit) else None


class _Step(NamedTuple):
    """The number of a quote that a value goes back to, its unit, and the power of ten between."""

    item: StatedValue
    number: float
    unit: str
    power: int


def _other_powers(attribute: Attribute, values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find values 10 or 100 times more or less than their quotes, where others are as quoted."""
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
        for item, number, _, power in steps:
            # a value may be among the others where the number of its quote is not: `1.80`, 180
            fits = low <= abs(item.number) <= high and not low <= number <= high
            if power == usual or fits:
                continue
            direction = "larger" if (power or usual) > 0 else "smaller"
            times = f"{10 ** abs(power or usual)} times {direction}"
            reason = f"it is {times} than the number that is quoted, {len(sizes)} others are not"
            if not power:
                reason = f"{len(sizes)} values are {times} than the number that is quoted, not this"
            yield Suspicion(item.document_id, "shift", reason)


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
    if not step.power or (step.unit == "percent" and attribute.unit is None):
        return step  # `12 %` may be 12 or 0.12, but not both in one column
    quote = item.as_stated
    is_made = is_converted(attribute, quote, value, "") or is_computed(attribute, quote, value)
    return None if is_made else step


def _other_signs(values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find a few negative values whose quotes have no minus, and no word that others lack."""
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


def suspect_stand_ins(values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find one value that may stand for none: `9999`, `-99.9`, `1900-01-01`, `31.12.2099`.

    It is farther from all others than they are from one another, and returns, or is longer
    than any; as what is typed for want of a value, it is the last number of so many digits, or the
    first or last day of a year. Or it is the only one below 0, and the most frequent. Without it
    there may be another one.
    """
    groups = defaultdict[float, list[StatedValue]](list)
    for item in values:
        groups[item.value.toordinal() if isinstance(item.value, date) else item.number].append(item)
    ranked = sorted(groups)
    for end, near, *_, far in (ranked, ranked[::-1]) if len(ranked) >= _FEWEST else ():
        found, (long, *others) = groups[end], (len(str(int(x))) for x in (end, near, far))
        value, is_far = found[0].value, abs(end - near) > abs(near - far)
        is_odd = len(found) >= _FEWEST_ALIKE or long > max(others) or isinstance(value, date)
        rest = [of for size, of in groups.items() if size != end]
        is_apart = end < 0 < near and len(found) > max(map(len, rest))  # `-1` of ages
        if is_apart or (is_odd and is_far and _STAND_IN.fullmatch(str(value))):
            reason = "it is far from all others, and typed for want of a value: may it mean none?"
            yield from (Suspicion(item.document_id, "impossible", reason) for item in found)
            yield from suspect_stand_ins([item for of in rest for item in of])
            return


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
