"""Word files as tests need them."""

import io
from collections.abc import Sequence

import docx.document
import docx.table


def add_table(word: docx.document.Document, rows: Sequence[Sequence[str]]) -> docx.table.Table:
    """Add a table of texts, all rows as long as the first."""
    table = word.add_table(rows=len(rows), cols=len(rows[0]))
    for cells, texts in zip(table.rows, rows, strict=True):
        for cell, text in zip(cells.cells, texts, strict=True):
            cell.text = text
    return table


def to_bytes(word: docx.document.Document) -> bytes:
    """Return the file."""
    buffer = io.BytesIO()
    word.save(buffer)
    return buffer.getvalue()
