"""Units that do not fit their column: miles among kilometres, dollars among euros."""

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from srag_mcp.records.standardise.suspicion import NO_TAGS, StatedValue, Suspicion, Tags
from srag_mcp.records.stated_number import column_unit, find_other_number
from srag_mcp.schema.attribute import Attribute
from srag_mcp.values.quantities import Figure, find_quantities, scan_figures
from srag_mcp.values.units import CURRENCY_SYMBOLS, SIZES, convert, is_currency, parse_unit

_FEWEST_ALIKE = 3
_MOST = 0.5
_SIGN = "$"
_PESOS = frozenset({"ARS", "CLP", "COP"})
_DOLLARS = _PESOS | {unit for sign, unit in CURRENCY_SYMBOLS.items() if sign.endswith(_SIGN)}


def suspect_units(
    attribute: Attribute, values: Sequence[StatedValue], tags: Tags = NO_TAGS
) -> Iterator[Suspicion]:
    """Find values whose quotes have another unit than the column, or than most quotes of it.

    A column without a unit may be meant to keep several: a value is left alone where another column
    of its document names its unit, which *tags* tells.
    """
    yield from _unconverted(attribute, values)
    wanted = column_unit(attribute)
    if wanted is not None and _kind(wanted):
        yield from _of_other_kind(attribute, wanted, values)
        return
    loose = [item for item in values if not _is_tagged(item, tags.get(item.document_id, ()))]
    figures = _figures(loose)
    yield from _other_currencies(figures, len(loose))
    yield from _other_measures(attribute, loose, figures)


def _unconverted(attribute: Attribute, values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find values that equal the figure of their quote although the quote has another unit."""
    wanted = parse_unit(attribute.unit or "").unit
    if wanted is None:
        return
    for item in values:
        for _, quantity in find_quantities(item.as_stated):
            unit = quantity.unit
            if unit is None or unit == wanted or not math.isclose(quantity.value, item.number):
                continue
            converted = convert(quantity.value, unit, wanted)
            if converted is not None and not math.isclose(converted, quantity.value):
                reason = f"the document gives it in {unit}, the column is in {attribute.unit}"
                yield Suspicion(item.document_id, "unit", reason)
                break


def _of_other_kind(
    attribute: Attribute, wanted: str, values: Sequence[StatedValue]
) -> Iterator[Suspicion]:
    """Find values in a unit that cannot be carried into that of the column."""
    figures = _figures(values)
    n_alike = sum(figure.unit == wanted for figure in figures.values())
    is_written = n_alike > _MOST * len(values)
    for document_id, figure in figures.items():
        unit = figure.unit or ""
        is_letter = len(figure.symbol) == 1 and figure.symbol.isalpha()  # `5 g` may be no grams
        if not _kind(unit) or is_letter or convert(1.0, unit, wanted) is not None:
            continue
        if not _may_be(figure, wanted, is_written=is_written):
            reason = f"the document gives it in {unit}, the column is in {attribute.unit}"
            yield Suspicion(document_id, "other_unit", reason)


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
            yield Suspicion(document_id, "other_unit", _reason(figure.unit, main, counts[main]))


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
            unit = _only_unit(item)
            if unit in (None, main) or _kind(unit) != dimension:
                continue
            if find_other_number(column, item.as_stated, item.number, None):
                yield Suspicion(item.document_id, "other_unit", _reason(unit, main, counts[main]))


def _reason(unit: str | None, main: str, n_alike: int) -> str:
    return f"the document gives it in {unit}, {n_alike} others of the column are in {main}"


def _may_be(figure: Figure, unit: str, *, is_written: bool) -> bool:
    """Whether the sign of *figure* may stand for *unit*, too.

    A bare dollar sign may mean any local money, but not where that is no dollar and most documents
    of the column write it (*is_written*).
    """
    if unit not in figure.possible_currencies:
        return False
    return figure.symbol != _SIGN or unit in _DOLLARS or not is_written


def _figures(values: Sequence[StatedValue]) -> dict[str, Figure]:
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


def _only_unit(item: StatedValue) -> str | None:
    units = [quantity.unit for _, quantity in find_quantities(item.as_stated)]
    return units[0] if len(units) == 1 else None


def _is_tagged(item: StatedValue, tags: Collection[str]) -> bool:
    """Whether another column of the document has the unit of a figure of the quote."""
    return any(
        tag == figure.unit or tag in figure.possible_currencies
        for tag in tags
        for figure in scan_figures(item.as_stated)
    )


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
