"""Cells and their places: checked against the words of the document."""

from srag_mcp.cells.cell import Cell, verify_cell
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State

TEXT = "The pool opened on 3 May 2019.\nIt has “heated” water and a wonderful view."


def test_cells_keep_get_or_lose_their_place() -> None:
    cells = [
        Cell("a", State.STATED, "3 May 2019", Span(19, 29), value="kept"),
        Cell("b", State.STATED, "3 May 2019", Span(0, 10), value="moved"),
        Cell("c", State.STATED, "the sauna is closed", Span(0, 10), value=True, unit="m"),
        Cell("d", State.STATED, "The pool opened on 4 May 2019", value="other figures"),
        Cell("e", State.STATED, value="no quote"),
        Cell("f", State.NOT_MENTIONED),
    ]
    place = Span(19, 29)
    assert [verify_cell(cell, TEXT) for cell in cells] == [
        Cell("a", State.STATED, "3 May 2019", place, value="kept"),
        Cell("b", State.STATED, "3 May 2019", place, value="moved"),
        Cell("c", State.FAILED, "the sauna is closed", Span(0, 10),
             note="the document does not have these words"),
        Cell("d", State.FAILED, "The pool opened on 4 May 2019",
             note="the document does not have these words"),
        Cell("e", State.FAILED, note="there is no quote for it"),
        Cell("f", State.NOT_MENTIONED),
    ]  # fmt: skip
