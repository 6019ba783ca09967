"""Answers whose words do not show them: a mark tells odd ones from others, or nothing."""

from srag_mcp.cells.cell import NOT_SHOWN, Cell, Mark, PredictedCell, add_note, read_column
from srag_mcp.schema.attribute import Attribute
from srag_mcp.values.states import State

FREE = Attribute(name="is_free", type="boolean")


def marks(*said: tuple[bool, bool]) -> list[str]:
    cells = [
        (add_note(cell, NOT_SHOWN, Mark.UNSHOWN) if is_unshown else cell, value)
        for value, is_unshown in said
        for cell in [Cell("is_free", State.STATED, "words", note="odd")]
    ]
    read = read_column(FREE, [PredictedCell(cell, str(value).lower()) for cell, value in cells])
    return [cell.note if Mark.UNSHOWN in cell.marks else f"-{cell.note}" for cell in read]


def test_what_most_of_a_value_have_is_not_said() -> None:
    assert marks(*[(False, True)] * 5, (False, False), (True, False)) == ["-odd"] * 7


def test_a_few_that_nothing_shows_stay_marked() -> None:
    said = f"{NOT_SHOWN}; odd"
    assert marks(*[(True, True)] * 4, *[(False, False)] * 9) == [said] * 4 + ["-odd"] * 9


def test_what_is_marked_for_something_else_stays_marked() -> None:
    cell = Cell(
        "is_free", State.STATED, "words", note="of another", marks=frozenset({Mark.UNSHOWN})
    )
    odd = add_note(Cell("is_free", State.STATED, "words"), NOT_SHOWN, Mark.UNSHOWN)
    read = read_column(FREE, [PredictedCell(x, "false") for x in (*[odd] * 5, cell)])
    assert [Mark.UNSHOWN in x.marks for x in read] == [False] * 5 + [True]


def test_one_that_is_unlike_others_stays_marked() -> None:
    said = f"{NOT_SHOWN}; odd"
    assert marks((False, True), (True, False), (True, False)) == [said, "-odd", "-odd"]
    assert marks((False, True), (False, False), (False, False)) == [said, "-odd", "-odd"]
