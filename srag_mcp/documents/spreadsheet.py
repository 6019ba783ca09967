"""Reads Excel workbooks."""

import io
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING

from srag_mcp.documents.archive import check_archive
from srag_mcp.documents.content import Content
from srag_mcp.documents.json_values import scalar_text
from srag_mcp.documents.page import Page
from srag_mcp.documents.table_rows import arrange_rows, row_contents
from srag_mcp.errors import DocumentError

if TYPE_CHECKING:
    from python_calamine import CalamineSheet

_MAX_CELLS = 20_000_000
_CellValue = int | float | str | bool | time | date | datetime | timedelta


def read_spreadsheet(data: bytes, path: str) -> Content:
    """Read a workbook: each visible sheet is a table below a heading with its name.

    Raises:
        DocumentError: If it is no workbook, is encrypted or holds too many cells.
    """
    page = Page()
    sheets = _read_sheets(data, path)
    for name, rows in sheets:
        table = arrange_rows(rows)
        if len(sheets) > 1 and table.body:
            page.write_heading(name, 1)
        n_headers = len(table.header_rows) if len(table.names) > 2 else None
        page.write_table([*table.header_rows, *table.body], n_headers, table.caption)
    return page.content()


def read_spreadsheet_rows(data: bytes, path: str) -> Sequence[Content]:
    """Read each row of each visible sheet as a content of its own.

    Raises:
        DocumentError: As `read_spreadsheet`.
    """
    return [
        content
        for _, rows in _read_sheets(data, path)
        for content in row_contents(arrange_rows(rows))
    ]


def _read_sheets(data: bytes, path: str) -> list[tuple[str, list[list[str]]]]:
    # a reader of one format is loaded when a file of it comes
    from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

    check_archive(data, path)
    sheets = []
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        for sheet in book.sheets_metadata:
            shown = sheet.visible == SheetVisibleEnum.Visible
            if shown and sheet.typ == SheetTypeEnum.WorkSheet:
                rows = _rows(book.get_sheet_by_name(sheet.name), path)
                sheets.append((sheet.name, rows))
    except (CalamineError, OSError, ValueError, KeyError) as error:
        raise DocumentError(path, f"it is not a readable workbook: {error}") from error
    return sheets


def _rows(sheet: "CalamineSheet", path: str) -> list[list[str]]:
    if sheet.height * sheet.width > _MAX_CELLS:
        reason = f"sheet {sheet.name!r} has {sheet.height} x {sheet.width} cells, too many to read"
        raise DocumentError(path, reason)
    rows = [[_text(value) for value in row] for row in sheet.to_python(skip_empty_area=True)]
    if sheet.start is None:
        return rows
    for first, last in sheet.merged_cell_ranges or []:
        _repeat(rows, (first[0] - sheet.start[0], first[1] - sheet.start[1]),
                (last[0] - sheet.start[0], last[1] - sheet.start[1]))  # fmt: skip
    return rows


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
