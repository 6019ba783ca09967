"""Columns of dates: the order of day and month is decided on the whole column."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from srag_mcp.records.cell import Cell
from srag_mcp.records.normalise.equal_cells import read_once
from srag_mcp.text.spans import Span
from srag_mcp.values.date_words import MONTHS
from srag_mcp.values.dates import (
    DateOrder,
    DateText,
    decide_order,
    find_dates,
    read_date,
    with_century,
)
from srag_mcp.values.states import State

_ASSUMED = "day before month, which no other document proves"

# "5-7 March 2020", "30 May to 2 June 2020": the first day has no year of its own
_FIRST_OF_RANGE = re.compile(
    r"(?<![\d:.,/-])\d{1,2}(?:st|nd|rd|th)?\.?(?:\s(?P<month>[^\W\d_]{3,9})\.?)?"
    r"\s?(?:[-–—/&]|to|and|until|till|bis|und|au|et|al|y)\s?$",
    re.IGNORECASE,
)
_BEFORE_DATE = 30

_ENOUGH_YEARS, _NEAR_YEARS = 10, 10


@dataclass(frozen=True, slots=True)
class _Column:
    """What was decided on a column; *years* are those with four digits, sorted."""

    order: DateOrder
    proven: bool
    years: tuple[int, ...]


def normalise_dates(cells: Sequence[Cell]) -> list[Cell]:
    """Set the values of stated date cells; partial dates are not completed but become FAILED."""
    texts = [cell.as_stated or "" for cell in cells]
    found = {text: find_dates(text) for text in dict.fromkeys(texts)}
    everything = [item for text in texts for _, item in found[text]]
    order, proven = decide_order(everything)
    years = sorted(item.year for item in everything if item.year and not item.two_digits)
    column = _Column(order, proven, tuple(years))
    return read_once(cells, lambda cell: _normalise(cell, found[cell.as_stated or ""], column))


def _normalise(cell: Cell, found: Sequence[tuple[Span, DateText]], column: _Column) -> Cell:
    text, dates = cell.as_stated or "", [item for _, item in found]
    if any(_ends_a_range(text, span) for span, _ in found):
        return _failed(cell, "several dates")
    if not dates:
        compact = read_date(text)
        return replace(cell, value=compact) if compact else _failed(cell, _why_not(text))
    placed = [with_century(item, column.years) for item in dates]
    days = {item.on(column.order) for item in placed}
    day = days.pop()
    if days or day is None:
        return _failed(cell, "several dates" if days else "an impossible date")
    if any(_is_far(item, column.years) for item in placed):
        return _failed(cell, "a year of two digits that is far from the other documents' years")
    assumed = not column.proven and any(item.ambiguous for item in dates)
    return replace(cell, value=day, note=_ASSUMED if assumed else cell.note)


def _ends_a_range(text: str, span: Span) -> bool:
    if not any(map(str.isalpha, span.of(text))):
        return False
    first = _FIRST_OF_RANGE.search(text[max(0, span.start - _BEFORE_DATE) : span.start])
    month = first["month"] if first else None
    return first is not None and (month is None or month.lower() in MONTHS)


def _is_far(found: DateText, years: Sequence[int]) -> bool:
    """Return whether a two-digit year is more likely something else, such as a time."""
    if not found.two_digits or found.year is None or len(years) < _ENOUGH_YEARS:
        return False
    return not years[0] - _NEAR_YEARS <= found.year <= years[-1] + _NEAR_YEARS


def _why_not(text: str) -> str:
    return "a partial date" if find_dates(text, partial=True) else "not a date"


def _failed(cell: Cell, reason: str) -> Cell:
    return replace(cell, state=State.FAILED, value=None, unit=None, note=reason)
