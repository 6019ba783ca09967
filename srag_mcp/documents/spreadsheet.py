"""Reads tables in files of their own: csv, tsv and Excel workbooks."""

import csv
import io
import re
import zipfile
from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from functools import reduce
from itertools import islice
from typing import TYPE_CHECKING

from srag_mcp.documents.document import Content
from srag_mcp.documents.encoding import ARCHIVE_ERRORS, check_archive, decode
from srag_mcp.documents.json_text import scalar_text
from srag_mcp.documents.page import Page
from srag_mcp.documents.table_files import RecordTable, find_records
from srag_mcp.documents.tables import Sheet, arrange
from srag_mcp.errors import DocumentError

if TYPE_CHECKING:
    from python_calamine import CalamineSheet

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_CHARACTERS = 20_000
_SAMPLE_ROWS = 50
_BACKSLASH_QUOTE = re.compile(r'[^,;\t|\\\n]\\"(?![,;\t|\n]|$)')
_MAX_CELLS = 8_000_000
_SHEET_PART = re.compile(r"xl/worksheets/[^/]+\.xml$", re.IGNORECASE)
_BOOK = ("xl/styles.xml", "xl/workbook.xml", "xl/_rels/workbook.xml.rels")
_PERCENT = frozenset({"9", "10"})  # formats that every workbook has: 0% and 0.00%
_LITERAL = re.compile(r'"[^"]*"|\\.')  # shown as it is: `0.0" %"` multiplies nothing
_PLACE = rb"""\br=["']([A-Z]{1,3})(\d{1,7})["']"""
_STYLED_CELL = rb"""<(?:\w+:)?c\b(?=[^>]*\bs=["'](?:STYLES)["'])[^>]*?""" + _PLACE
_CELL_PLACE = re.compile(_PLACE)


def read_spreadsheet(data: bytes, path: str) -> Content:
    """Read the tables of a csv or tsv file or a workbook, each sheet below its name.

    Raises:
        DocumentError: If it is not text, or quotes in it are broken; or if it is no workbook, is
            encrypted or holds too many cells.
    """
    page, sheets = Page(), _read_sheets(data, path)
    for sheet in sheets:
        if len(sheets) > 1 and sheet.body:
            page.write_heading(sheet.name, 1)
        captions = []
        for cells in (note.split(" | ") for note in sheet.notes):
            if len(cells) == 2:
                page.write_pair(cells[0], cells[1])
            else:
                captions.append(" ".join(cells))
        may_be_form = _is_workbook(path) and len(sheet.columns) < 3
        n_headers = None if may_be_form else len(sheet.header_rows)
        page.write_table(sheet.rows, n_headers, " ".join(captions))
    return page.content()


def read_spreadsheet_tables(data: bytes, path: str) -> list[RecordTable]:
    """Read the records of each sheet.

    Raises:
        DocumentError: As `read_spreadsheet`.
    """
    return [find_records(sheet, typed=_is_workbook(path)) for sheet in _read_sheets(data, path)]


def _is_workbook(path: str) -> bool:
    return path.lower().endswith(".xlsx")


def _read_sheets(data: bytes, path: str) -> list[Sheet]:
    return _read_workbook(data, path) if _is_workbook(path) else [_read_text(data, path)]


def _read_text(data: bytes, path: str) -> Sheet:
    text = decode(data, path)
    sample = text[:_SAMPLE_CHARACTERS]
    is_tsv = path.lower().endswith(".tsv")
    delimiter = "\t" if is_tsv else max(_DELIMITERS, key=lambda mark: _likeness(sample, mark))
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
    if rows and any("\n" in cell for cell in rows[-1]):  # it may have swallowed the rest
        end = io.StringIO("\n".join(text.split("\n")[first_line:]))
        try:
            list(csv.reader(end, delimiter=delimiter, strict=True))
        except csv.Error as error:
            if "unexpected end" in str(error):
                where = f"a quote that opens in line {first_line + 1} is never closed"
                raise DocumentError(path, f"the table is broken: {where}") from error
    return arrange(rows)


def _likeness(sample: str, delimiter: str) -> tuple[float, int]:
    """Say how many of the cells that *delimiter* cuts stand in rows of one width, and how wide."""
    try:
        rows = list(islice(csv.reader(io.StringIO(sample), delimiter=delimiter), _SAMPLE_ROWS))
    except csv.Error:
        return (0.0, 0)
    cells = Counter[int]()
    for row in rows:
        cells[len(row)] += len(row)
    usual = max((width for width in cells if width > 1), key=lambda w: cells[w], default=0)
    return (cells[usual] / cells.total(), usual) if usual else (0.0, 0)


def _read_workbook(data: bytes, path: str) -> list[Sheet]:
    # a reader of one format is loaded when a file of it comes
    from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

    check_archive(data, path)
    _check_sizes(data, path)
    sheets = []
    try:
        book, percents = CalamineWorkbook.from_filelike(io.BytesIO(data)), _find_percents(data)
        for sheet in book.sheets_metadata:
            shown = sheet.visible == SheetVisibleEnum.Visible
            if shown and sheet.typ == SheetTypeEnum.WorkSheet:
                places = percents.get(sheet.name, ())
                sheets.append(_arranged(book.get_sheet_by_name(sheet.name), places))
    except (CalamineError, OSError, ValueError, KeyError) as error:
        raise DocumentError(path, f"it is not a readable workbook: {error}") from error
    return sheets


def _check_sizes(data: bytes, path: str) -> None:
    """Refuse sheets with cells so far apart that calamine's grid between them ends the process."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in filter(_SHEET_PART.search, archive.namelist()):
                places = set(_CELL_PLACE.findall(archive.read(name)))
                rows = [int(row) for _, row in places] or [0]
                columns = [_number(name) for name in {name for name, _ in places}] or [0]
                n_rows, n_columns = max(rows) - min(rows) + 1, max(columns) - min(columns) + 1
                if n_rows * n_columns > _MAX_CELLS:
                    reason = f"{name} spans {n_rows} x {n_columns} cells, too many to read"
                    raise DocumentError(path, reason)
    except ARCHIVE_ERRORS as error:
        raise DocumentError(path, "it is a damaged Office file") from error


def _find_percents(data: bytes) -> dict[str, set[tuple[int, int]]]:
    """Return rows and columns of the cells that each sheet, by its name, shows as per cents."""
    from xml.etree import ElementTree

    found: dict[str, set[tuple[int, int]]] = {}
    errors = (KeyError, StopIteration, ElementTree.ParseError)
    with zipfile.ZipFile(io.BytesIO(data)) as archive, suppress(*errors):
        styles, book, links = (ElementTree.fromstring(archive.read(part)) for part in _BOOK)
        formats = {
            x.get("numFmtId"): x.get("formatCode", "") for x in styles.iterfind(".//{*}numFmt")
        }
        percent = {n for n, code in formats.items() if "%" in _LITERAL.sub("", code)} | _PERCENT
        looks = enumerate(styles.iterfind("{*}cellXfs/{*}xf"))
        shown = "|".join(str(n) for n, look in looks if look.get("numFmtId") in percent)
        cell = re.compile(_STYLED_CELL.replace(b"STYLES", shown.encode()))
        parts = {link.get("Id"): link.get("Target", "").rpartition("/")[2] for link in links}
        for sheet in book.iterfind("{*}sheets/{*}sheet") if shown else ():
            part = next(parts[x] for key, x in sheet.items() if key.endswith("}id"))
            places = cell.findall(archive.read(f"xl/worksheets/{part}"))
            found[sheet.get("name", "")] = {(int(row), _number(name)) for name, row in places}
    return found


def _number(letters: bytes) -> int:
    """Return which column *letters* name: `A` -> 1, `AB` -> 28."""
    return reduce(lambda number, letter: 26 * number + letter - ord("@"), letters, 0)


def _arranged(sheet: "CalamineSheet", percents: Collection[tuple[int, int]]) -> Sheet:
    """Arrange a sheet; the text of merged cells stands in each of them."""
    if sheet.start is None:
        return arrange((), sheet.name)
    above, left = sheet.start
    rows = [
        [_text(value, is_share=(n, m) in percents) for m, value in enumerate(row, left + 1)]
        for n, row in enumerate(sheet.to_python(skip_empty_area=True), above + 1)
    ]
    for (top, first), (bottom, last) in sheet.merged_cell_ranges or []:
        if 0 <= top - above < len(rows) and 0 <= first - left < len(rows[top - above]):
            text = rows[top - above][first - left]
            for row in rows[top - above : bottom - above + 1]:
                stop = min(last - left + 1, len(row))
                row[first - left : stop] = [text] * (stop - first + left)
    return arrange(rows, sheet.name, above + 1)


def _text(value: float | str | bool | time | date | timedelta, *, is_share: bool) -> str:
    """Return a cell as text: `12.0` is `12`, a day without a time of day is its date."""
    if isinstance(value, datetime):
        midnight = value.time() == time(0)
        return value.date().isoformat() if midnight else value.isoformat(" ", "seconds")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value)
    if is_share and isinstance(value, float):
        return f"{scalar_text(round(100 * value, 12))}%"
    return scalar_text(round(value, 12) if isinstance(value, float) else value)
