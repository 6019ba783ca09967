"""Tables of files of their own: their records, what their columns hold, which of them are one."""

import csv
import io
import re
import zipfile
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from functools import reduce
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, TypeAlias

from srag_mcp.documents.document import Block, Content, KeyValue, moved_block
from srag_mcp.documents.folder import ARCHIVE_ERRORS, check_archive, decode
from srag_mcp.documents.lines import collapse, is_data
from srag_mcp.documents.page import Page
from srag_mcp.documents.tables import (
    Sheet,
    arrange,
    column_key,
    filled_up,
    find_grouping,
    is_caption,
    unique_names,
)
from srag_mcp.documents.totals import TableBody, number_style
from srag_mcp.errors import DocumentError
from srag_mcp.text.spans import Span
from srag_mcp.text.words import fold_words
from srag_mcp.values.quantities import DECIMAL_POINT

if TYPE_CHECKING:
    from python_calamine import CalamineSheet

Kind: TypeAlias = frozenset[str]
"""What the columns of a table are called, folded; tables of one kind are parts of one."""

_SHEET = "sheet"  # the column with the name of the sheet
_N_SAMPLED = 500  # classifying them takes some 20 ms a column
_FEW_COLUMNS = 3
_N_KINDS = 12  # as many as make a closed set of texts
_LONGEST_NUMBER = 40
_DIGITS = re.compile(r"\d")
# Why a line beside a table is no row, though it names what is in one: as a correction does.
OF_RECORDS = "and says something of records"


@dataclass(frozen=True, slots=True)
class Row:
    """A record of a table.

    *cells* has one text a column, empty where the table has an empty cell, None where it has no
    such cell at all. *context* changes the reading of its numbers, *more* is what is in no column.
    """

    cells: tuple[str | None, ...]
    context: str = ""
    title: str | None = None
    more: Content | None = None


@dataclass(frozen=True, slots=True)
class ListedMembers:
    """A list that the records have, and how many of them have it.

    *columns* are those of a table of its items; none where they are of several kinds.
    """

    name: str
    holds: str
    n_records: int
    members: tuple[str, ...] = ()
    columns: "tuple[ColumnSample, ...]" = ()

    @property
    def text(self) -> str:
        """What it is, for people."""
        return f"{collapse(self.name)}: a list of {self.holds} in {self.n_records} records"


@dataclass(frozen=True, slots=True)
class RecordTable:
    """The records of a table file, or of one of its sheets.

    *told* says what was left out and what stood around the table, for people. *caption* is of that
    what may change the reading of all numbers, such as "(in millions)". *is_plain*: it names its
    columns, three at least, and has no notes above it, as a form has.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    told: tuple[str, ...] = ()
    lists: tuple[ListedMembers, ...] = ()
    caption: str = ""
    is_plain: bool = True

    @property
    def kind(self) -> Kind:
        """What its columns are called."""
        return frozenset(map(column_key, self.columns))


def take_kind(
    tables: Sequence[RecordTable], kind: Kind | None = None, others: Collection[Kind] = ()
) -> RecordTable:
    """Join the tables of a file that are of one *kind*; None is that with the most records.

    Where there are several, the name of each becomes a column. Those of no kind are told: the
    tables of *others* are read by whoever has these.
    """
    if kind is None:
        kind = largest_kind([(table.kind, len(table.rows)) for table in tables])
    mine = [table for table in tables if is_of_kind(table.kind, kind, others)]
    left = [x for x in tables if x not in mine and not any(is_of_kind(x.kind, y) for y in others)]
    told = [
        f"{_named(table)}its {len(table.rows)} rows have other columns, and are left out:"
        f" {', '.join(table.columns)}"
        for table in left
        if table.rows
    ]
    told += [f"{_named(table)}{line}" for table in mine for line in table.told]
    by_key = {column_key(name): name for table in mine for name in table.columns}
    columns = unique_names([*by_key.values(), *([_SHEET] if len(mine) > 1 else [])])
    rows = list(mine[0].rows) if len(mine) == 1 else []
    for table in mine if len(mine) > 1 else []:
        places = {column_key(name): place for place, name in enumerate(table.columns)}
        order = [places.get(key) for key in by_key]
        for row in table.rows:
            cells = (None if place is None else row.cells[place] for place in order)
            rows.append(replace(row, cells=(*cells, table.name)))
    for place, name in enumerate(columns):
        if rows and not any(row.cells[place] for row in rows):
            told.append(f"the column {name!r} is empty")
    lists = tuple(item for table in mine for item in table.lists)
    return RecordTable("", columns, tuple(rows), tuple(told), lists)


def _named(table: RecordTable) -> str:
    return f"sheet {table.name!r}: " if table.name else ""


def largest_kind(sizes: Sequence[tuple[Kind, int]]) -> Kind:
    """Return the kind with the most records: that of the widest of its tables."""
    kinds = sorted(
        {kind for kind, n_rows in sizes if n_rows}, key=lambda kind: (-len(kind), min(kind))
    )
    counts = [(sum(n for other, n in sizes if is_of_kind(other, kind)), kind) for kind in kinds]
    return max(counts, key=lambda count: count[0])[1] if counts else frozenset()


def is_of_kind(kind: Kind, wanted: Kind, others: Collection[Kind] = ()) -> bool:
    """Whether a table has the columns that are *wanted*, but for a quarter of them at most.

    It is of no two kinds: one of *others* may have more of its columns, or as many of fewer.
    """
    fitting = [item for item in (wanted, *others) if _fits(kind, item)]
    best = min(fitting, key=lambda item: (len(item ^ kind), sorted(item)), default=None)
    return best == wanted


def _fits(kind: Kind, wanted: Kind) -> bool:
    inner, outer = sorted((kind, wanted), key=len)
    return inner <= outer and 4 * len(inner) >= 3 * len(outer)


def row_content(columns: Sequence[str], row: Row) -> Content:
    """Write a record as lines `column: value`, then what is in no column.

    An empty cell is no line, but a pair without a value at the place where its line would be.
    """
    lines: list[str] = []
    blocks: list[Block] = []
    section = (row.context,) if row.context else ()
    end = 0
    for key, value in zip(columns, row.cells, strict=True):
        if value is None:
            continue
        if not value:
            blocks.append(KeyValue(Span(end, end), key, "", Span(end, end), section))
            continue
        start = end + 1 if lines else 0
        end = start + len(key) + 2 + len(value)
        lines.append(f"{key}: {value}")
        place = Span(end - len(value), end)
        blocks.append(KeyValue(Span(start, end), key, value, place, section))
    text = "\n".join(lines)
    if row.more is not None and row.more.text:
        offset = end + 2 if lines else 0
        blocks += [moved_block(block, offset) for block in row.more.blocks]
        text = f"{text}\n\n{row.more.text}" if lines else row.more.text
    listings = row.more.listings if row.more is not None else ()
    if row.more is not None and row.more.text and lines:
        listings = tuple(item.moved(end + 2) for item in listings)
    words = (value for value in row.cells if value and not is_data(value))
    title = next(words, None) if row.title is None else row.title
    return Content(text, tuple(blocks), title, listings=listings)


@dataclass(frozen=True, slots=True)
class ColumnSample:
    """What a column holds, for who has to tell its type.

    Attributes:
        n_rows, n_filled: Rows, and those that fill it.
        values: Some hundred of its values, and those that are written otherwise.
        has_codes: Whether there are digits after a leading zero anywhere: `05023` is no number.
        kinds: All of its values where they are few; None where they are many.
        context: What changes the reading of its numbers.
        caption: What a note above the table says of all numbers.
    """

    name: str
    n_rows: int
    n_filled: int
    values: tuple[str, ...]
    has_codes: bool
    kinds: frozenset[str] | None
    context: str = ""
    caption: str = ""


@dataclass(frozen=True, slots=True)
class TableSketch:
    """What a table of a file holds, without its rows."""

    name: str
    kind: Kind
    n_rows: int
    columns: tuple[ColumnSample, ...]
    lists: tuple[ListedMembers, ...]
    is_plain: bool


def sketch(table: RecordTable) -> TableSketch:
    """Sample the columns of a table."""
    contexts = {row.context for row in table.rows}
    context = contexts.pop() if len(contexts) == 1 else ""
    columns = tuple(
        _sample_column(name, [row.cells[at] or "" for row in table.rows], context, table.caption)
        for at, name in enumerate(table.columns)
    )
    lists = tuple(_sampled(item, table.rows) for item in table.lists)
    return TableSketch(table.name, table.kind, len(table.rows), columns, lists, table.is_plain)


def _sampled(item: ListedMembers, rows: Sequence[Row]) -> ListedMembers:
    """Sample the columns of a list as those of a table, unless its items are of several kinds."""
    if item.holds not in {"objects", "values"}:
        return item
    listings = (x for row in rows if row.more for x in row.more.listings if x.name == item.name)
    keys, listed = item.members or ("",), list[Row]()
    for listing in listings:
        for cells in listing.rows:
            said = {
                key: found.text for key, found in zip(listing.keys, cells, strict=True) if found
            }
            listed.append(Row(tuple(map(said.get, keys)), listing.context))
    return replace(item, columns=sketch(RecordTable(item.name, keys, tuple(listed))).columns)


def _sample_column(
    name: str, cells: Sequence[str], context: str = "", caption: str = ""
) -> ColumnSample:
    values = [cell for cell in cells if cell]
    # drawn, not every so many-th: rows often alternate
    places = Random(0).sample(range(len(values)), min(_N_SAMPLED, len(values)))
    sampled = [values[place] for place in sorted(places)]
    kinds = dict.fromkeys(values)
    odd: dict[str, str] = {}
    for value in kinds:
        if ("." in value or "," in value) and len(odd) < _N_SAMPLED:
            odd.setdefault(_shape(value), value)
    for shape in set(map(_shape, sampled)):
        odd.pop(shape, None)
    return ColumnSample(
        name,
        len(cells),
        len(values),
        (*sampled, *odd.values()),
        any(value[0] == "0" and len(value) > 1 and value.isdigit() for value in kinds),
        frozenset(kinds) if len(kinds) <= _N_KINDS else None,
        context,
        caption,
    )


def _shape(value: str) -> str:
    return _DIGITS.sub("9", value) if len(value) < _LONGEST_NUMBER else ""


def join_sketches(files: Sequence[Sequence[TableSketch]]) -> tuple[ColumnSample, ...]:
    """Join the columns of the tables of several files as `take_kind` does."""
    joined: dict[str, list[ColumnSample]] = {}
    sheets: list[ColumnSample] = []
    for tables in files:
        for column in (column for table in tables for column in table.columns):
            joined.setdefault(column_key(column.name), []).append(column)
        if len(tables) > 1:
            names = [table.name for table in tables for _ in range(table.n_rows)]
            sheets.append(_sample_column(_SHEET, names))
    groups = [*joined.values(), *([sheets] if sheets else [])]
    unique = unique_names([columns[0].name for columns in groups])
    return tuple(_joined(name, same) for name, same in zip(unique, groups, strict=True))


def join_lists(files: Sequence[Sequence[TableSketch]]) -> tuple[ListedMembers, ...]:
    """Join the lists of the tables of several files, each by its name."""
    by_name: dict[str, list[ListedMembers]] = {}
    for item in (item for tables in files for table in tables for item in table.lists):
        by_name.setdefault(item.name, []).append(item)
    joined = []
    for name, same in by_name.items():
        holds = same[0].holds if len({item.holds for item in same}) == 1 else "several things"
        columns: dict[str, list[ColumnSample]] = {}
        for column in (column for item in same for column in item.columns):
            columns.setdefault(column.name, []).append(column)
        is_one, members = holds == same[0].holds, tuple(filter(None, columns))
        found = tuple(_joined(*samples) for samples in columns.items()) if is_one else ()
        n_records = sum(item.n_records for item in same)
        joined.append(ListedMembers(name, holds, n_records, members, found))
    return tuple(joined)


def _joined(name: str, columns: Sequence[ColumnSample]) -> ColumnSample:
    if len(columns) == 1:
        return replace(columns[0], name=name)
    kinds = [column.kinds for column in columns]
    known = [kind for kind in kinds if kind is not None]
    all_kinds = frozenset[str]().union(*known)
    return ColumnSample(
        name,
        sum(column.n_rows for column in columns),
        sum(column.n_filled for column in columns),
        tuple(value for column in columns for value in column.values),
        any(column.has_codes for column in columns),
        all_kinds if len(known) == len(kinds) and len(all_kinds) <= _N_KINDS else None,
        columns[0].context if len({column.context for column in columns}) == 1 else "",
        "; ".join(dict.fromkeys(filter(None, (column.caption for column in columns)))),
    )


def find_records(sheet: Sheet, *, typed: bool = False) -> RecordTable:
    """Return the rows of a sheet that are records, and tell what the others are.

    *typed*: numbers come from a format that knows them, and were written with a decimal point.
    """
    columns = sheet.columns
    width = len(columns)
    lines = [
        line if len(line.cells) == width else replace(line, cells=filled_up(line.cells, width))
        for line in sheet.body
    ]
    body = TableBody(lines, [filled_up(row, width) for row in sheet.header_rows])
    told = [f"note above the table: {note}" for note in sheet.notes]
    told += [sheet.doubt] if sheet.doubt else []
    kept = [line for line in lines if line.number not in body.left_out]
    named = {fold_words(x) for line in kept for x in line.cells if any(map(str.isalpha, x))}
    for line in lines:
        if why := body.left_out.get(line.number):
            said = f" {fold_words(line.text)} "
            is_named = any(f" {x} " in said and f" {x} " != said for x in named)
            why = OF_RECORDS if is_named and line.n_filled == 1 else why
            told.append(f"row {line.number} is left out, {why}: {line.text}")
    told += [
        f"row {line.number} is a record, and may be {body.doubted[line.number]}: {line.text}"
        for line in kept
        if line.number in body.doubted
    ]
    if body.n_alike:
        told.append(f"rows that say the same as another in every cell, and count: {body.n_alike}")
    style = number_style(x for line in kept for x in line.cells) or (DECIMAL_POINT if typed else "")
    grouping = find_grouping([line.cells for line in kept])
    why = "may stand in the first row of each group only: where it is empty, nobody knows it"
    told += [f"the column {columns[at]!r} {why}" for at in grouping]
    rows = tuple(
        Row(tuple(x or (None if at in grouping else x) for at, x in enumerate(line.cells)), style)
        for line in kept
    )
    caption = "; ".join(filter(is_caption, sheet.notes))
    is_plain = bool(sheet.header_rows) and not sheet.notes and len(columns) >= _FEW_COLUMNS
    return RecordTable(sheet.name, columns, rows, tuple(told), (), caption, is_plain)


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


def scalar_text(value: object) -> str:
    """Return a scalar as text: `null` is nothing, `12.0` is `12`."""
    if value is None or isinstance(value, dict | list):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)
