"""Reads text tables: csv and tsv."""

import csv
import io
import re
from collections.abc import Sequence
from itertools import islice

from srag_mcp.documents.document import Content
from srag_mcp.documents.encoding import decode
from srag_mcp.documents.page import Page
from srag_mcp.documents.sheet import Sheet, arrange
from srag_mcp.documents.table_files import RecordTable, find_records
from srag_mcp.errors import DocumentError

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_CHARACTERS = 20_000
_SAMPLE_ROWS = 50
_BACKSLASH_QUOTE = re.compile(r'[^,;\t|\\\n]\\"(?![,;\t|\n]|$)')


def read_tabular(data: bytes, path: str) -> Content:
    """Read the whole file as one table.

    Raises:
        DocumentError: If it is not text, or quotes in it are broken.
    """
    sheet = _read_sheet(data, path)
    page = Page()
    rows = [*sheet.header_rows, *(line.cells for line in sheet.body)]
    page.write_table(rows, len(sheet.header_rows), sheet.caption)
    return page.content()


def read_tabular_tables(data: bytes, path: str) -> list[RecordTable]:
    """Read the records of the file.

    Raises:
        DocumentError: As `read_tabular`.
    """
    return [find_records(_read_sheet(data, path))]


def sniff_delimiter(text: str) -> str:
    """Return the delimiter that cuts the first lines of *text* into rows most alike."""
    sample = text[:_SAMPLE_CHARACTERS]
    return max(_DELIMITERS, key=lambda delimiter: _likeness(sample, delimiter))


def _likeness(sample: str, delimiter: str) -> tuple[float, int]:
    try:
        rows = list(islice(csv.reader(io.StringIO(sample), delimiter=delimiter), _SAMPLE_ROWS))
    except csv.Error:
        return (0.0, 0)
    widths = [len(row) for row in rows if row]
    usual = max(set(widths), key=widths.count, default=1)
    return (widths.count(usual) / len(widths), usual) if usual > 1 else (0.0, 0)


def _read_sheet(data: bytes, path: str) -> Sheet:
    text = decode(data, path)
    delimiter = "\t" if path.lower().endswith(".tsv") else sniff_delimiter(text)
    escape = "\\" if _BACKSLASH_QUOTE.search(text) else None
    # the only way to tell csv: else a cell of more than 131,072 characters is an error
    csv.field_size_limit(max(len(text), csv.field_size_limit()))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, escapechar=escape)
    rows: list[list[str]] = []
    first_line = last_line = 0  # of the last row
    try:
        for row in reader:
            rows.append(row)
            first_line, last_line = last_line, reader.line_num
    except csv.Error as error:
        raise DocumentError(path, f"the table is broken: {error}") from error
    if rows and any("\n" in cell for cell in rows[-1]):
        _check_last_row(text.split("\n")[first_line:], delimiter, path, first_line + 1)
    return arrange(rows)


def _check_last_row(lines: Sequence[str], delimiter: str, path: str, number: int) -> None:
    """Refuse a last row that has swallowed the rest of the table; *number* is its first line."""
    try:
        list(csv.reader(io.StringIO("\n".join(lines)), delimiter=delimiter, strict=True))
    except csv.Error as error:
        if "unexpected end" in str(error):
            reason = f"the table is broken: a quote that opens in line {number} is never closed"
            raise DocumentError(path, reason) from error
