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


@dataclass(frozen=True, slots=True)
class PredictedCell:
    """A cell without its value, and the value as canonical text.

    Attributes:
        cell: `as_stated` and `span` are the words of the document that show it.
        value_text: `12.5`, `2021-03-04`, `true` or the text to store; None where nothing is stated.
    """

    cell: Cell
    value_text: str | None = None


@dataclass(frozen=True, slots=True)
class PredictedRecord:
    """The cells of one document, in the order of the attributes that were asked for.

    Attributes:
        document_id: Of the document.
        sha256: Of the bytes that were read.
        cells: One an attribute.
        error: Why no reply could be had; empty where there was one. Such a record is asked again
            at the next ingestion.
    """

    document_id: str
    sha256: str
    cells: tuple[PredictedCell, ...]
    error: str = ""


@dataclass(frozen=True, slots=True)
class DocumentText:
    """What record prediction needs of a document.

    *text* is the one that spans of cells point into; *sha256* names the bytes it was read from.
    """

    document_id: str
    title: str
    path: str
    text: str
    sha256: str
