"""Values of cells: read from the words of a column, or from what a language model wrote."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from srag_mcp.cells.cell import Cell, PredictedCell, add_note
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.words import fold, tidy
from srag_mcp.values.columns import absence, choose_spellings
from srag_mcp.values.columns import read_column as read_words
from srag_mcp.values.states import Column, Reading, State, Words
from srag_mcp.values.types import is_partial_date

ReplyValue: TypeAlias = str | int | float | bool | None
"""A value as a language model writes it."""

_COUNT = re.compile(
    r"^n\b|^num\b|\bnumber of (?!the\b|this\b|an?\b)|\bcount\b|\bhow many\b"
    r"|\b(?:0|zero) (?:if|when|where) ",
    re.IGNORECASE,
)


def write_canonical(attribute: Attribute, value: ReplyValue) -> str | None:
    """Write *value* as canonical text; None where it does not fit the attribute's type.

    A date that is known to the month or year only stays so: `2021-03`.
    """
    text = attribute.type.write(value)
    return _category(attribute, text) if text and attribute.type.is_text else text


def read_column(attribute: Attribute, predicted: Sequence[PredictedCell]) -> list[Cell]:
    """Return the cells of one attribute over all documents, in the same order, with values.

    Spellings of a text that differ only in case or punctuation become the most frequent one, as
    they do for cells that code extracted. One that is none of the categories stays as it is: the
    model was asked twice whether it is one of them.
    """
    cells = [_with_value(attribute, item) for item in predicted]
    if not attribute.type.is_text:
        return cells
    texts = [cell.value for cell in cells if isinstance(cell.value, str)]
    tidied = {text: tidy(text) for text in texts}
    spellings = choose_spellings([tidied[text] for text in texts])
    known = set(attribute.categories or ())
    for place, cell in enumerate(cells):
        if isinstance(cell.value, str):
            found = replace(cell, value=spellings[tidied[cell.value]])
            is_other = known and found.value not in known
            cells[place] = add_note(found, "not one of the categories") if is_other else found
    return cells


def _with_value(attribute: Attribute, predicted: PredictedCell) -> Cell:
    cell, text = predicted.cell, predicted.value_text
    if cell.state is State.STATED_ABSENT:
        return replace(cell, value=_absent(attribute), unit=None)
    if cell.state is not State.STATED or text is None:
        return cell
    value = attribute.type.read(text)
    if value is None:
        reason = "a partial date" if is_partial_date(text) else f"{text!r} does not fit its type"
        return add_note(replace(cell, state=State.FAILED, unit=None), reason)
    return replace(cell, value=value)


def _absent(attribute: Attribute) -> bool | int | None:
    """Return what "none" says: of a count it is 0, whatever a silent document means by silence."""
    if attribute.type.denied is not None:
        return attribute.type.denied
    return 0 if attribute.absent_means == "zero" or _is_count(attribute) else None


def _is_count(attribute: Attribute) -> bool:
    """Whether the definition says how many there are of something."""
    words = f"{attribute.name.replace('_', ' ')}. {attribute.description}"
    return attribute.type.is_whole and _COUNT.search(words) is not None


def _category(attribute: Attribute, text: str) -> str:
    known = attribute.categories or ()
    alike = [text] if text in known else [item for item in known if fold(item) == fold(text)]
    return alike[0] if len(alike) == 1 else text


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
    for place, reading in zip(places, read_words(column, said), strict=True):
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
        cell.marks,
    )
