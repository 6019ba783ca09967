"""Columns: the second pass over the cells of one attribute, which turns words into values."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from srag_mcp.records.cell import Cell
from srag_mcp.records.normalise.date_columns import normalise_dates
from srag_mcp.records.normalise.equal_cells import read_once
from srag_mcp.records.normalise.numbers import normalise_numbers
from srag_mcp.records.normalise.texts import normalise_texts
from srag_mcp.schema.attribute import Attribute
from srag_mcp.values.booleans import read_boolean, read_statement
from srag_mcp.values.states import State, denies, read_missing


def normalise_column(attribute: Attribute, cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells of one attribute over all documents, in the same order, with values.

    What one cell leaves open (`1.234`, `3/4/2020`, "(in millions)", two spellings of a name) is
    decided on the whole column. A stated cell that cannot be read becomes FAILED and keeps its
    words; a placeholder ("n/a", "none") becomes NOT_MENTIONED or STATED_ABSENT.
    """
    settled = read_once(cells, partial(_settle, attribute))
    places = [place for place, cell in enumerate(settled) if cell.state is State.STATED]
    stated = [settled[place] for place in places]
    for place, cell in zip(places, _normalise(attribute, stated), strict=True):
        settled[place] = cell
    return settled


def _settle(attribute: Attribute, cell: Cell) -> Cell:
    """Give cells that state nothing their value, and placeholders their state."""
    if cell.state is State.STATED_ABSENT:
        return replace(cell, value=_absent(attribute))
    if cell.state is not State.STATED:
        return cell
    if not (cell.as_stated or "").strip():
        return replace(cell, state=State.NOT_MENTIONED)
    missing = None if _is_value(attribute, cell) else read_missing(cell.as_stated or "")
    if missing is State.STATED_ABSENT:
        return replace(cell, state=missing, value=_absent(attribute))
    return cell if missing is None else replace(cell, state=missing)


def _absent(attribute: Attribute) -> bool | int | float | None:
    if attribute.type.denied is not None:
        return attribute.type.denied
    if attribute.absent_means == "zero":
        return 0 if attribute.type.is_whole else 0.0
    return None


def _is_value(attribute: Attribute, cell: Cell) -> bool:
    """Return whether a placeholder is a value here, such as the category "Unknown"."""
    text = (cell.as_stated or "").strip().casefold()
    if attribute.type.is_boolean:
        return read_boolean(text) is not None
    return text in {category.casefold() for category in attribute.categories or ()}


def _normalise(attribute: Attribute, cells: Sequence[Cell]) -> list[Cell]:
    if attribute.type.is_date:
        return normalise_dates(cells)
    if attribute.type.is_boolean:
        return read_once(cells, partial(_decide, attribute))
    if attribute.type.is_text:
        return normalise_texts(attribute, cells)
    return [_deny(attribute, cell) for cell in normalise_numbers(attribute, cells)]


def _decide(attribute: Attribute, cell: Cell) -> Cell:
    value = read_statement(cell.as_stated or "", attribute.name)
    if value is None:
        return replace(cell, state=State.FAILED, value=None, note="neither yes nor no")
    return replace(cell, value=value)


def _deny(attribute: Attribute, cell: Cell) -> Cell:
    if cell.state is not State.FAILED or not denies(cell.as_stated or ""):
        return cell
    return replace(cell, state=State.STATED_ABSENT, value=_absent(attribute), note="")
