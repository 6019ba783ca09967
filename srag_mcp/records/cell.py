"""Cells and records: what one document says of each attribute, and where it says so."""

from dataclasses import dataclass, replace

from srag_mcp.text.spans import Span
from srag_mcp.values.states import State
from srag_mcp.values.types import Value

READ_IN_PART = "read in part"  # so begins the note of a cell whose document was not read to its end


@dataclass(frozen=True, slots=True)
class Cell:
    """One attribute of one record.

    Attributes:
        attribute: Its name.
        state: See `State`.
        as_stated: The words of the document, or None when it says nothing.
        span: Where they are in `Document.text`; None when it says nothing.
        context: Words around the value that change its reading, such as a caption "(in millions)",
            a column header or a key with a unit ("Price (USD)"); empty when there are none.
        value: Normalised; None before normalisation, and when nothing is known.
        unit: Of the value, such as `USD`; None when it has none.
        engine: Who found it: `offline`, `model`, `agent`.
        note: Why it failed, why it is doubted, or what was changed at standardisation, newest
            first; empty otherwise.
    """

    attribute: str
    state: State
    as_stated: str | None = None
    span: Span | None = None
    context: str = ""
    value: Value | None = None
    unit: str | None = None
    engine: str = "offline"
    note: str = ""


def add_note(cell: Cell, note: str) -> Cell:
    """Return *cell* with *note* before what was noted earlier.

    `"quoted with small errors"`, `"doubted"` -> `"doubted; quoted with small errors"`
    """
    return replace(cell, note=f"{note}; {cell.note}" if cell.note else note)


@dataclass(frozen=True, slots=True)
class Record:
    """The cells of one document, in the order of the schema's attributes."""

    document_id: str
    cells: tuple[Cell, ...]
