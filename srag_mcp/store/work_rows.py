"""What the work database keeps of a document, a file and a cell; plain data that travels well."""

from dataclasses import dataclass
from typing import TypeAlias

from srag_mcp.cells.cell import Cell, Record, read_marks, write_marks
from srag_mcp.documents.document import Document
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State

CellRow: TypeAlias = tuple[
    str, str, str | None, int | None, int | None, str, str | None, str, str, str
]
"""attribute, state, as_stated, start, end, context, unit, engine, note, marks."""

# a dictionary: calling an enumeration takes six times as long, and there is a call for each cell
_STATES = {state.value: state for state in State}


@dataclass(frozen=True, slots=True)
class FinishedDocument:
    """A document that was read and extracted.

    *cells* leaves out what is not mentioned. *replaces*: an older version of it is in the store.
    """

    document_id: str
    path: str
    title: str
    media_type: str
    sha256: str
    text: str
    cells: tuple[CellRow, ...]
    replaces: bool = False


@dataclass(frozen=True, slots=True)
class FinishedFile:
    """A file that is done with: all of its documents are in the store, or *error* says why not.

    *size* and *mtime_ns* recognise it unchanged at the next ingestion; *rows* is whether its rows
    are documents. *stale* are the ids of documents that it no longer holds. *told* is what people
    should know of it: what was left out, and where. *passing*: the next ingestion tries again.
    """

    path: str
    size: int
    mtime_ns: int
    rows: bool
    error: str | None = None
    stale: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    passing: bool = False


def finish_document(document: Document, record: Record, *, replaces: bool) -> FinishedDocument:
    """Keep what the store needs of a document and its record."""
    return FinishedDocument(
        document_id=document.id,
        path=document.path,
        title=storable(document.title),
        media_type=document.media_type,
        sha256=document.sha256,
        text=storable(document.text),
        cells=tuple(cell_row(cell) for cell in record.cells if _says_something(cell)),
        replaces=replaces,
    )


def read_cell(row: CellRow) -> Cell:
    """Make the cell of a row; the reverse of `cell_row`."""
    attribute, state, as_stated, start, end, context, unit, engine, note, marks = row
    span = None if start is None or end is None else Span(start, end)
    return Cell(
        attribute=attribute,
        state=_STATES[state],
        as_stated=as_stated,
        span=span,
        context=context,
        unit=unit,
        engine=engine,
        note=note,
        marks=read_marks(marks),
    )


def storable(text: str) -> str:
    """Replace what UTF-8 cannot hold (lone surrogates), character by character."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _says_something(cell: Cell) -> bool:
    return cell.state is not State.NOT_MENTIONED or bool(cell.note or cell.marks)


def cell_row(cell: Cell) -> CellRow:
    """Make the row of a cell, without what UTF-8 cannot hold."""
    start, end = (None, None) if cell.span is None else (cell.span.start, cell.span.end)
    as_stated = None if cell.as_stated is None else storable(cell.as_stated)
    return (
        cell.attribute,
        cell.state.value,
        as_stated,
        start,
        end,
        storable(cell.context),
        cell.unit,
        cell.engine,
        storable(cell.note),
        write_marks(cell.marks),
    )
