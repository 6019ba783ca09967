"""Cells and records: what one document says of each attribute, and where it says so."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from srag_mcp.documents.passages import Passage
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State
from srag_mcp.values.types import Value


class Mark(StrEnum):
    """What is to be known of a cell beside its state; `Cell.note` says it to people.

    `READ_IN_PART`: it is not mentioned in the part of the document that was read.
    `DOUBTED`: the value contradicts its words, and the model did not put it right; or the words may
    as well mean another one, and only the size of the others speaks against it.
    `DERIVED`: the words do not have the value as it is: it is counted, summed or put otherwise.
    `UNSHOWN`: nothing in the words shows how the value follows.
    `DISPUTED`: a learned rule reads another value.
    `CONTRADICTED`: another place of the document says something else, or what rules read does not
    fit the rest of its column.
    `UNSETTLED`: it does not fit its column, and there is no verdict of use on it.
    `RULED`: a rule that a model wrote decides it, as far as the audit of its column goes.
    `SAID_NONE`: it was corrected, and there is none.
    `KEPT`, `STANDARDISED`: it did not, and a second look kept or changed it.
    """

    READ_IN_PART = "read_in_part"
    DOUBTED = "doubted"
    DERIVED = "derived"
    UNSHOWN = "unshown"
    DISPUTED = "disputed"
    CONTRADICTED = "contradicted"
    UNSETTLED = "unsettled"
    RULED = "ruled"
    SAID_NONE = "said_none"
    KEPT = "kept"
    STANDARDISED = "standardised"


IN_DOUBT = frozenset({Mark.DOUBTED, Mark.UNSHOWN, Mark.CONTRADICTED})
"""Of a value that its words contradict, do not show, or may mean otherwise."""
UNQUOTED = frozenset({Mark.DERIVED, Mark.DOUBTED, Mark.UNSHOWN})
"""Of a value that does not stand in its words as it is."""

# a dictionary: calling an enumeration takes six times as long, and there is a call for each cell
_MARKS = {mark.value: mark for mark in Mark}


def write_marks(marks: Iterable[Mark]) -> str:
    """Write marks as one text, as tables hold them: `derived kept`."""
    return " ".join(sorted(marks)) if marks else ""


def read_marks(text: str) -> frozenset[Mark]:
    """Read what `write_marks` wrote."""
    return frozenset(_MARKS[word] for word in text.split()) if text else frozenset()


BY_RULES: Final = "offline"  # how code signs the cells that it reads; all others are predicted
BY_MODEL: Final = "model"  # how a language model does that the settings name


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
        marks: What code is to know of it, see `Mark`.
    """

    attribute: str
    state: State
    as_stated: str | None = None
    span: Span | None = None
    context: str = ""
    value: Value | None = None
    unit: str | None = None
    engine: str = BY_RULES
    note: str = ""
    marks: frozenset[Mark] = frozenset()


def add_note(cell: Cell, note: str, *marks: Mark) -> Cell:
    """Return *cell* with *note* before what was noted earlier, and with *marks*.

    `"odd"`, `"doubted"` -> `"doubted; odd"`
    """
    noted = f"{note}; {cell.note}" if cell.note else note
    return replace(cell, note=noted, marks=cell.marks.union(marks))


@dataclass(frozen=True, slots=True)
class ListedRows:
    """What one document lists: its rows of a child table.

    Attributes:
        table: The name of the child table.
        listed: Of the list as a whole, a cell of the column `position`: STATED where there are
            rows, STATED_ABSENT where the document says that there are none, NOT_MENTIONED where it
            says nothing, FAILED where it could not be read. Where it stands, notes and marks on the
            rows together (how many there are, what they sum to) are here.
        rows: By position, which counts from 1: the cells of a row. What is not mentioned may be
            left out.
    """

    table: str
    listed: Cell
    rows: tuple[tuple[Cell, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """The cells of one document, in the order of the schema's attributes, and what it lists.

    *lists* has one entry a child table at most; where it has none, the document lists nothing.
    """

    document_id: str
    cells: tuple[Cell, ...]
    lists: tuple[ListedRows, ...] = ()


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
class ListedCells:
    """The rows that a language model lists for the child *table*, in the order of its columns."""

    table: str
    rows: tuple[tuple[PredictedCell, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class PredictedRecord:
    """The cells of one document, in the order of the attributes that were asked for.

    Attributes:
        document_id: Of the document.
        sha256: Of the bytes that were read.
        cells: One an attribute.
        error: Why no reply could be had; empty where there was one. Such a record is asked again
            at the next ingestion.
        n_read: How many characters of long documents its settings read; None where no cell is to be
            asked again with larger ones.
        summary: A sentence on the document; empty where none was asked for.
        lists: What it lists; the cell of each list as a whole is among the cells.
    """

    document_id: str
    sha256: str
    cells: tuple[PredictedCell, ...]
    error: str = ""
    n_read: int | None = None
    summary: str = ""
    lists: tuple[ListedCells, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentText:
    """What record prediction needs of a document.

    *text* is the one that spans of cells point into; *sha256* names the bytes it was read from.
    *passages* as they were cut; empty where nobody knows them.
    """

    document_id: str
    title: str
    path: str
    text: str
    sha256: str
    passages: tuple[Passage, ...] = ()


def is_predicted(engine: str) -> bool:
    """Whether a language model found the cells that *engine* signs."""
    return engine != BY_RULES
