"""Columns of dates: the order of day and month is decided on the whole column."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from srag_mcp.records.cell import Cell, State
from srag_mcp.records.normalise.dates import (
    DateOrder,
    DateText,
    decide_order,
    find_dates,
    read_date,
    with_century,
)

_ASSUMED = "day before month, which no other document proves"


@dataclass(frozen=True, slots=True)
class _Column:
    order: DateOrder
    proven: bool
    years: tuple[int, ...]


def normalise_dates(cells: Sequence[Cell]) -> list[Cell]:
    """Set the values of stated date cells; partial dates are not completed but become FAILED."""
    found = [[item for _, item in find_dates(cell.as_stated or "")] for cell in cells]
    everything = [item for dates in found for item in dates]
    order, proven = decide_order(everything)
    years = tuple(item.year for item in everything if item.year and not item.two_digits)
    column = _Column(order, proven, years)
    return [_normalise(cell, dates, column) for cell, dates in zip(cells, found, strict=True)]


def _normalise(cell: Cell, dates: Sequence[DateText], column: _Column) -> Cell:
    text = cell.as_stated or ""
    compact = read_date(text) if not dates else None
    if compact is not None:
        return replace(cell, value=compact)
    if not dates:
        return _failed(cell, _why_not(text))
    days = {with_century(item, column.years).on(column.order) for item in dates}
    if len(days) > 1:
        return _failed(cell, "several dates")
    day = days.pop()
    if day is None:
        return _failed(cell, "an impossible date")
    assumed = not column.proven and any(item.ambiguous for item in dates)
    return replace(cell, value=day, note=_ASSUMED if assumed else cell.note)


def _why_not(text: str) -> str:
    return "a partial date" if find_dates(text, partial=True) else "not a date"


def _failed(cell: Cell, reason: str) -> Cell:
    return replace(cell, state=State.FAILED, value=None, unit=None, note=reason)
