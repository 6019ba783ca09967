"""Reads Excel workbooks."""

import io
import re
import zipfile
import zlib
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING

from srag_mcp.documents.document import Content
from srag_mcp.documents.encoding import check_archive
from srag_mcp.documents.json_text import scalar_text
from srag_mcp.documents.page import Page
from srag_mcp.documents.sheet import Sheet, arrange
from srag_mcp.documents.table_files import RecordTable, find_records
from srag_mcp.errors import DocumentError

if TYPE_CHECKING:
    from python_calamine import CalamineSheet

_MAX_CELLS = 8_000_000
_SHEET_PART = re.compile(r"xl/worksheets/[^/]+\.xml$", re.IGNORECASE)
_CELL_PLACE = re.compile(rb"""\br=["']([A-Z]{1,3})(\d{1,7})["']""")
_CellValue = int | float | str | bool | time | date | datetime | timedelta


def read_spreadsheet(data: bytes, path: str) -> Content:
    """Read a workbook: each visible sheet is a table below a heading with its name.

    Raises:
        DocumentError: If it is no workbook, is encrypted or holds too many cells.
    """
    page = Page()
    sheets = _read_sheets(data, path)
    for sheet in sheets:
        if len(sheets) > 1 and sheet.body:
            page.write_heading(sheet.name, 1)
        n_headers = len(sheet.header_rows) if len(sheet.columns) > 2 else None
        rows = [*sheet.header_rows, *(line.cells for line in sheet.body)]
        page.write_table(rows, n_headers, sheet.caption)
    return page.content()


def read_spreadsheet_tables(data: bytes, path: str) -> list[RecordTable]:
    """Read the records of each visible sheet.

    Raises:
        DocumentError: As `read_spreadsheet`.
    """
    return [find_records(sheet, typed=True) for sheet in _read_sheets(data, path)]


def _read_sheets(data: bytes, path: str) -> list[Sheet]:
    # a reader of one format is loaded when a file of it comes
    from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

    check_archive(data, path)
    _check_sizes(data, path)
    sheets = []
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        for sheet in book.sheets_metadata:
            shown = sheet.visible == SheetVisibleEnum.Visible
            if shown and sheet.typ == SheetTypeEnum.WorkSheet:
                sheets.append(_arranged(book.get_sheet_by_name(sheet.name)))
    except (CalamineError, OSError, ValueError, KeyError) as error:
        raise DocumentError(path, f"it is not a readable workbook: {error}") from error
    return sheets


def _check_sizes(data: bytes, path: str) -> None:
    """Refuse sheets with cells so far apart that calamine's grid between them ends the process."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in filter(_SHEET_PART.search, archive.namelist()):
                n_rows, n_columns = _extent(archive.read(name))
                if n_rows * n_columns > _MAX_CELLS:
                    reason = f"{name} spans {n_rows} x {n_columns} cells, too many to read"
                    raise DocumentError(path, reason)
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError) as error:
        raise DocumentError(path, "it is a damaged Office file") from error


def _extent(sheet: bytes) -> tuple[int, int]:
    """Return how many rows and columns lie between the outermost cells."""
    places = set(_CELL_PLACE.findall(sheet))
    if not places:
        return 0, 0
    rows = [int(row) for _, row in places]
    columns = [_column_number(letters) for letters in {letters for letters, _ in places}]
    return max(rows) - min(rows) + 1, max(columns) - min(columns) + 1


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number


def _arranged(sheet: "CalamineSheet") -> Sheet:
    rows = [[_text(value) for value in row] for row in sheet.to_python(skip_empty_area=True)]
    if sheet.start is None:
        return arrange((), sheet.name)
    for first, last in sheet.merged_cell_ranges or []:
        _repeat(rows, (first[0] - sheet.start[0], first[1] - sheet.start[1]),
                (last[0] - sheet.start[0], last[1] - sheet.start[1]))  # fmt: skip
    return arrange(rows, sheet.name, sheet.start[0] + 1)


def _repeat(rows: list[list[str]], first: tuple[int, int], last: tuple[int, int]) -> None:
    """Write the text of merged cells into each of them."""
    if not (0 <= first[0] < len(rows) and 0 <= first[1] < len(rows[first[0]])):
        return
    text = rows[first[0]][first[1]]
    for row in rows[first[0] : last[0] + 1]:
        stop = min(last[1] + 1, len(row))
        row[first[1] : stop] = [text] * (stop - first[1])


def _text(value: _CellValue) -> str:
    """Return a cell as text: `12.0` is `12`, a day without a time of day is its date."""
    if isinstance(value, datetime):
        midnight = value.time() == time(0)
        return value.date().isoformat() if midnight else value.isoformat(" ", "seconds")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value)
    return scalar_text(round(value, 12) if isinstance(value, float) else value)
