"""Normalised cells: the second pass over the cells of one attribute, which gives them values."""

from collections.abc import Sequence
from dataclasses import replace

from srag_mcp.records.cell import Cell
from srag_mcp.schema.attribute import Attribute
from srag_mcp.values.columns import absence, read_column
from srag_mcp.values.readings import Column, Reading, Words
from srag_mcp.values.states import State


def normalise_column(attribute: Attribute, cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells of one attribute over all documents, in the same order, with values.

    What one cell leaves open (`1.234`, `3/4/2020`, "(in millions)", two spellings of a name) is
    decided on the whole column. A stated cell that cannot be read becomes FAILED and keeps its
    words; a placeholder ("n/a", "none") becomes NOT_MENTIONED or STATED_ABSENT.
    """
    column = Column(
        attribute.type, attribute.name, attribute.unit, attribute.categories, attribute.absent_means
    )
    done = list(cells)
    places = [place for place, cell in enumerate(cells) if cell.state is State.STATED]
    said = [Words(cells[place].as_stated or "", cells[place].context) for place in places]
    for place, reading in zip(places, read_column(column, said), strict=True):
        done[place] = _with_reading(cells[place], reading)
    for place, cell in enumerate(cells):
        if cell.state is State.STATED_ABSENT:
            done[place] = replace(cell, value=absence(column))
    return done


def _with_reading(cell: Cell, reading: Reading) -> Cell:
    # not `dataclasses.replace`, which takes three times as long
    return Cell(
        cell.attribute,
        reading.state,
        cell.as_stated,
        cell.span,
        cell.context,
        reading.value,
        reading.unit,
        cell.engine,
        reading.note or cell.note,
    )
