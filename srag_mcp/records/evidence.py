"""Evidence: where a document says what a cell claims, checked by code."""

import re
from collections.abc import Sequence
from dataclasses import replace

from srag_mcp.records.cell import Cell
from srag_mcp.text.locate import locate
from srag_mcp.values.states import State


def verify_cells(cells: Sequence[Cell], text: str) -> list[Cell]:
    """Return *cells* with the place of each checked against *text*.

    A stated cell whose words are elsewhere gets the right place; one whose words the document does
    not have becomes FAILED, without a value.
    """
    return [_verify(cell, text) for cell in cells]


def _verify(cell: Cell, text: str) -> Cell:
    if cell.state not in (State.STATED, State.STATED_ABSENT):
        return cell
    if cell.as_stated == "" and cell.state is State.STATED_ABSENT and cell.span is not None:
        return cell  # an empty cell of a table file has a place, and no words
    if not cell.as_stated:
        return _failed(cell, "there is no quote for it")
    if cell.span is not None and cell.span.of(text) == cell.as_stated:
        return cell
    return _placed(cell, cell.as_stated, text)


def _placed(cell: Cell, quote: str, text: str) -> Cell:
    place = locate(quote, text, cell.span.start if cell.span else None)
    if place is None:
        return _failed(cell, "the document does not have these words")
    if place.match == "fuzzy" and _digits(quote) != _digits(place.span.of(text)):
        return _failed(cell, "the document has other figures in these words")
    slight = f"the document's words differ slightly ({place.score:.2f} alike)"
    note = cell.note or slight if place.match == "fuzzy" else cell.note
    return replace(cell, span=place.span, note=note)


def _failed(cell: Cell, reason: str) -> Cell:
    return replace(cell, state=State.FAILED, value=None, unit=None, note=reason)


def _digits(text: str) -> list[str]:
    return re.findall(r"\d+", text)
