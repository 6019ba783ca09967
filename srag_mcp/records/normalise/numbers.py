"""Columns of numbers: separators, scale and unit are decided on the whole column."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from srag_mcp.records.cell import Cell
from srag_mcp.records.normalise.equal_cells import read_once
from srag_mcp.schema.attribute import Attribute
from srag_mcp.values.number_cells import NumberCell, find_number
from srag_mcp.values.numerals import FOOTNOTED, ambiguous_mark, decide_grouping, grouping_mark
from srag_mcp.values.quantities import Figure, Quantity
from srag_mcp.values.states import State
from srag_mcp.values.unit_words import MONEY_SCALES
from srag_mcp.values.units import (
    ScaledUnit,
    as_money,
    convert,
    is_currency,
    parse_unit,
    read_context,
)

_BIGINT = 2**63
_MOST = 2 / 3
_ENOUGH = 2


@dataclass(frozen=True, slots=True)
class _Column:
    """What was decided on a column."""

    grouping: str
    unit: ScaledUnit
    written: str | None
    whole: bool
    footnotes: bool


def normalise_numbers(attribute: Attribute, cells: Sequence[Cell]) -> list[Cell]:
    """Set value and unit of stated number cells; a cell that cannot be read becomes FAILED."""
    declared = parse_unit(attribute.unit or "")
    texts = [cell.as_stated or "" for cell in cells]
    found = {text: find_number(text, declared.unit) for text in dict.fromkeys(texts)}
    column = _decide(attribute, [found[text] for text in texts])
    return read_once(cells, lambda cell: _normalise(cell, found[cell.as_stated or ""], column))


def _decide(attribute: Attribute, found: Sequence[NumberCell]) -> _Column:
    figures = [item.figure for item in found if item.figure is not None]
    numerals = [figure.numeral for figure in figures if figure.numeral]
    whole = attribute.type.is_whole
    unit = parse_unit(attribute.unit) if attribute.unit else ScaledUnit(1, _shared_unit(figures))
    return _Column(
        decide_grouping(numerals, whole=whole),
        unit,
        attribute.unit or unit.unit,
        whole,
        _has_footnotes(numerals),
    )


def _has_footnotes(numerals: Sequence[str]) -> bool:
    """Return whether most numerals are grouped, so that `4,6702` is 4,670 with a mark."""
    grouped = [n for n in numerals if ambiguous_mark(n) or grouping_mark(n)]
    large = [n for n in numerals if len(n) > 3]
    return len(grouped) >= _ENOUGH and len(grouped) >= _MOST * len(large)


def _shared_unit(figures: Sequence[Figure]) -> str | None:
    """Return the unit that most figures carry, and none where most carry none."""
    units = Counter(figure.unit for figure in figures if figure.unit)
    return units.most_common(1)[0][0] if units.total() * 2 >= len(figures) and units else None


def _normalise(cell: Cell, found: NumberCell, column: _Column) -> Cell:
    around = read_context(cell.context)
    if is_currency(column.unit.unit):
        around = as_money(around)
    note = cell.note
    quantity = found.number
    if found.figure is not None:
        figure = _as_money(found.figure, column)
        footnoted = FOOTNOTED.fullmatch(figure.numeral) if column.footnotes else None
        if footnoted:
            note = f"footnote mark {figure.numeral[-1]!r} left out"
            figure = replace(figure, numeral=footnoted[1])
        quantity = figure.read(column.grouping, _context_scale(figure, around, column))
        if quantity is not None:
            quantity = replace(quantity, unit=_unit_of(figure, quantity.unit, around, column))
    if quantity is None:
        return _failed(cell, found.reason or "not a number")
    if quantity.upper is not None:
        return _failed(cell, "a range, not a number")
    return _with_value(cell, quantity, column, note)


def _context_scale(figure: Figure, around: ScaledUnit, column: _Column) -> int:
    if figure.unit == "percent":
        return 1
    return around.scale if around.scale != 1 or figure.scaled else column.unit.scale


def _as_money(figure: Figure, column: _Column) -> Figure:
    """Read `1.2m` as millions in a column of money, where it is no length."""
    scale = MONEY_SCALES.get(figure.symbol)
    if scale is None or figure.scaled or not is_currency(column.unit.unit):
        return figure
    return replace(figure, scale=scale, unit=None)


def _unit_of(figure: Figure, own: str | None, around: ScaledUnit, column: _Column) -> str | None:
    if own is None:
        return _unit(None, around, column)
    guessed = _unit(own, around, column) if figure.possible_currencies else own
    return guessed if guessed in figure.possible_currencies else own


def _unit(own: str | None, around: ScaledUnit, column: _Column) -> str | None:
    if own is not None and not is_currency(column.unit.unit):
        return own
    measured = column.unit.unit
    fits = around.unit and (measured is None or _comparable(around.unit, measured))
    return around.unit if fits else measured


def _comparable(unit: str, other: str) -> bool:
    both_money = is_currency(unit) and is_currency(other)
    return both_money or convert(1.0, unit, other) is not None


def _with_value(cell: Cell, quantity: Quantity, column: _Column, note: str) -> Cell:
    value, unit = quantity.value, column.written
    target = column.unit.unit
    if quantity.unit and target and quantity.unit != target:
        converted = convert(float(value), quantity.unit, target)
        unit = quantity.unit if converted is None else column.written
        value = value if converted is None else converted
        verb = f"not in {target}" if converted is None else f"converted into {target}"
        note = f"in {quantity.unit}, {verb}"
    elif quantity.unit and not target:
        unit = quantity.unit
    if column.unit.scale != 1 and (unit == column.written):
        value = value / column.unit.scale
    return _checked(cell, value, unit, column.whole, note)


def _checked(cell: Cell, value: float, unit: str | None, whole: bool, note: str) -> Cell:
    if not math.isfinite(value) or abs(value) >= _BIGINT:
        return _failed(cell, "too large a number")
    if whole and value != int(value):
        return _failed(cell, "not a whole number")
    return replace(cell, value=int(value) if whole else float(value), unit=unit, note=note)


def _failed(cell: Cell, reason: str) -> Cell:
    return replace(cell, state=State.FAILED, value=None, unit=None, note=reason)
