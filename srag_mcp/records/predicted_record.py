"""Cells and records that a language model predicted, before the column gives them their values."""

from dataclasses import dataclass

from srag_mcp.records.cell import Cell


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
