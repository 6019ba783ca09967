"""Tables of files of their own: which rows name the columns, which are records, what is neither."""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TypeAlias

from srag_mcp.documents.captions import is_caption
from srag_mcp.documents.content import Content
from srag_mcp.documents.document import Block, KeyValue, TableCell
from srag_mcp.documents.grid import count_header_rows, header_paths, is_data, is_year
from srag_mcp.documents.lines import collapse
from srag_mcp.documents.moving import moved_block
from srag_mcp.text.spans import Span
from srag_mcp.text.words import fold_words
from srag_mcp.values.numerals import DECIMAL_POINT, decide_grouping, find_style, read_numeral

Kind: TypeAlias = frozenset[str]
"""What the columns of a table are called, folded; tables of one kind are parts of one."""

_SHEET = "sheet"  # the column with the name of the sheet
_SAMPLE_ROWS = 20
_NOWHERE = Span(0, 0)
_N_SAMPLED = 500  # classifying them takes some 20 ms a column
_FEW_COLUMNS = 3
_N_KINDS = 12  # as many as make a closed set of texts
_LONGEST_NUMBER = 40
_DIGITS = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a sheet that is not empty; *after_gap*: an empty one stands above it."""

    number: int
    cells: tuple[str, ...]
    after_gap: bool = False

    @property
    def n_filled(self) -> int:
        """How many cells have a text; a text that is merged over several counts once."""
        texts = [cell for cell in self.cells if cell]
        is_merged = len(texts) > 2 and len(set(texts)) == 1 and not is_data(texts[0])
        return 1 if is_merged else len(texts)

    @property
    def text(self) -> str:
        """What it says, for people."""
        return " | ".join(dict.fromkeys(filter(None, self.cells)))


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table as it stands: *notes* above it, the rows that name its columns, and the others."""

    name: str
    notes: tuple[str, ...]
    header_rows: tuple[tuple[str, ...], ...]
    body: tuple[Line, ...]

    @property
    def caption(self) -> str:
        """The notes on one line."""
        return " ".join(note.replace(" | ", " ") for note in self.notes)

    @property
    def columns(self) -> tuple[str, ...]:
        """One name a column, each once: `Name`, `Name (2)`, `column 3`."""
        cells = (*self.header_rows, *(line.cells for line in self.body))
        width = max(map(len, cells), default=0)
        rows = [_table_cells(row, width) for row in self.header_rows]
        return unique_names([" ".join(path) for path in header_paths(rows, width)])


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
    """A list that the records have, kept out of the columns, and how many of them have it."""

    name: str
    holds: str
    n_records: int
    members: tuple[str, ...] = ()

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


def column_key(name: str) -> str:
    """Return what tells a column from others: its words without case, accents and punctuation."""
    return fold_words(name) or name.casefold()


def unique_names(names: Sequence[str]) -> tuple[str, ...]:
    """Give every column a name of its own; case and punctuation do not tell names apart."""
    taken: set[str] = set()
    unique = []
    for number, name in enumerate(names, start=1):
        base = collapse(name) or f"column {number}"
        candidate, copy = base, 2
        while column_key(candidate) in taken:
            candidate, copy = f"{base} ({copy})", copy + 1
        taken.add(column_key(candidate))
        unique.append(candidate)
    return tuple(unique)


def take_kind(tables: Sequence[RecordTable], kind: Kind | None = None) -> RecordTable:
    """Join the tables of a file that are of one *kind*; None is that with the most records.

    Where there are several, the name of each becomes a column. Those of other kinds are told.
    """
    if kind is None:
        kind = largest_kind([(table.kind, len(table.rows)) for table in tables])
    mine = [table for table in tables if is_of_kind(table.kind, kind)]
    others = [table for table in tables if table.rows and table not in mine]
    told = [
        f"{_named(table)}its {len(table.rows)} rows have other columns, and are left out:"
        f" {', '.join(table.columns)}"
        for table in others
    ]
    told += [f"{_named(table)}{line}" for table in mine for line in table.told]
    by_key = {column_key(name): name for table in mine for name in table.columns}
    columns = unique_names([*by_key.values(), *([_SHEET] if len(mine) > 1 else [])])
    rows: list[Row] = []
    for table in mine:
        places = {column_key(name): place for place, name in enumerate(table.columns)}
        order = [places.get(key) for key in by_key]
        own = (table.name,) if len(mine) > 1 else ()
        for row in table.rows:
            cells = tuple(None if place is None else row.cells[place] for place in order)
            rows.append(replace(row, cells=cells + own))
    for place, name in enumerate(columns):
        if rows and not any(row.cells[place] for row in rows):
            told.append(f"the column {name!r} is empty")
    lists = tuple(item for table in mine for item in table.lists)
    told += [f"{item.text}, not a column" for item in lists]
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


def is_of_kind(kind: Kind, wanted: Kind) -> bool:
    """Whether a table has the columns that are *wanted*, but for a quarter of them at most."""
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
        blocks += [moved_block(block, offset, ()) for block in row.more.blocks]
        text = f"{text}\n\n{row.more.text}" if lines else row.more.text
    words = (value for value in row.cells if value and not is_data(value))
    return Content(text, tuple(blocks), next(words, None) if row.title is None else row.title)


@dataclass(frozen=True, slots=True)
class ColumnSample:
    """What a column holds, for who has to tell its type.

    Attributes:
        name: As the table has it.
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
        replace(
            _sample_column(name, [row.cells[at] or "" for row in table.rows]),
            context=context,
            caption=table.caption,
        )
        for at, name in enumerate(table.columns)
    )
    return TableSketch(
        table.name, table.kind, len(table.rows), columns, table.lists, table.is_plain
    )


def _sample_column(name: str, cells: Sequence[str]) -> ColumnSample:
    values = [cell for cell in cells if cell]
    # drawn, not every so many-th: rows often alternate
    places = Random(0).sample(range(len(values)), min(_N_SAMPLED, len(values)))
    sampled = [values[place] for place in sorted(places)]
    shapes = {_shape(value) for value in sampled}
    odd: dict[str, str] = {}
    for value in values:
        if ("." in value or "," in value) and len(odd) < _N_SAMPLED:
            odd.setdefault(_shape(value), value)
    kinds: set[str] = set()
    for value in values:
        kinds.add(value)
        if len(kinds) > _N_KINDS:
            break
    return ColumnSample(
        name,
        len(cells),
        len(values),
        (*sampled, *(value for shape, value in odd.items() if shape not in shapes)),
        any(value[0] == "0" and len(value) > 1 and value.isdigit() for value in values),
        frozenset(kinds) if len(kinds) <= _N_KINDS else None,
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


def arrange(rows: Sequence[Sequence[str]], name: str = "", first: int = 1) -> Sheet:
    """Part *rows* into notes above the table, the rows that name its columns, and the others.

    *first* is the number of the first row.
    """
    lines: list[Line] = []
    after_gap = False
    for number, row in enumerate(rows, start=first):
        cells = tuple(map(collapse, row))
        if any(cells):
            lines.append(Line(number, cells, after_gap and bool(lines)))
        after_gap = not any(cells)
    n_notes = _count_notes(lines)
    table = [line.cells for line in lines[n_notes:]]
    n_headers = _count_headers(table)
    return Sheet(
        name,
        tuple(line.text for line in lines[:n_notes]),
        tuple(table[:n_headers]),
        tuple(lines[n_notes + n_headers :]),
    )


def _count_notes(lines: Sequence[Line]) -> int:
    """Count the rows at the top that are no part of the table.

    They fill one cell of three or more; above a gap, at most half of what the rows below fill.
    """
    counts = sorted(line.n_filled for line in lines)
    usual = counts[len(counts) // 2] if counts else 0
    if usual < 3:
        return 0
    n = 0
    for place, line in enumerate(lines):
        if line.after_gap and all(2 * above.n_filled <= usual for above in lines[:place]):
            n = place
        if 2 * line.n_filled > usual:
            break
    while n < len(lines) - 1 and lines[n].n_filled == 1 and lines[n].cells[0]:
        n += 1
    return n


def _count_headers(rows: Sequence[Sequence[str]]) -> int:
    if not rows:
        return 0
    width = max(map(len, rows))
    sample = [_table_cells(row, width) for row in rows[:_SAMPLE_ROWS]]
    n = count_header_rows(sample) if width > 2 else 0
    return n or int(not _looks_like_body(rows))


def _looks_like_body(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row holds data in the columns that hold data below it.

    Then no row names the columns. Years may name columns, and do not count.
    """
    below = rows[1:_SAMPLE_ROWS]
    columns = [
        column
        for column in range(len(rows[0]))
        if 2 * sum(is_data(row[column]) for row in below if column < len(row)) > len(below)
    ]
    first = [rows[0][column] for column in columns]
    alike = sum(is_data(text) and not is_year(text) for text in first)
    return alike > 0 and 2 * alike > len(columns)


def _table_cells(row: Sequence[str], width: int) -> tuple[TableCell, ...]:
    return tuple(TableCell(text, _NOWHERE) for text in (*row, *[""] * (width - len(row))))


# Words that name a total, a subtotal or a mean. Never enough alone: a company is called Total, too.
_SUMMARY = re.compile(
    r"\b(?:sub-?|grand )?totals?\b|\bsumm?[ea]?\b|gesamt|zwischensumme|\bsomm[ae]\b|\bsuma\b"
    r"|\btota(?:al|le|ux)\b|итого|всего|合计|总计|合計|小计|\b(?:average|mean)\b|durchschnitt"
    r"|mittelwert|moyenne|promedio",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"\W*?[A-Z]{0,3}\s?([-−(]?)[^\w\s]?\s?(\d[\d.,'’ \u00a0\u202f]*)\D{0,12}")
_SEPARATORS = ".,'’ \u00a0\u202f"
_STEADY, _USUAL = 0.9, 0.5  # filled in nearly all rows, in most rows
_MANY_LACKING = 3  # of somebody only the name may be known; a row that lacks more is no record
_MAX_MARKS = 50  # starts of groups that a total is tried for: totals of totals are few levels deep


def find_records(sheet: Sheet, *, typed: bool = False) -> RecordTable:
    """Return the rows of a sheet that are records, and tell what the others are.

    *typed*: numbers come from a format that knows them, and were written with a decimal point.
    """
    columns = sheet.columns
    lines = [_padded(line, len(columns)) for line in sheet.body]
    body = _Body(lines, columns)
    reasons = body.reasons()
    kept = [line for line in lines if line.number not in reasons]
    told = [f"note above the table: {note}" for note in sheet.notes]
    told += [
        f"row {line.number} is left out, {reasons[line.number]}: {line.text}"
        for line in lines
        if line.number in reasons
    ]
    told += [
        f"row {line.number} is a record, and may be {body.doubted[line.number]}: {line.text}"
        for line in kept
        if line.number in body.doubted
    ]
    marked = (cell for line in kept for cell in line.cells if "," in cell or "." in cell)
    style = find_style(found[2] for cell in marked if (found := _FIGURE.fullmatch(cell)))
    style = style or (DECIMAL_POINT if typed else "")
    rows = tuple(Row(line.cells, style) for line in kept)
    caption = "; ".join(filter(is_caption, sheet.notes))
    is_plain = bool(sheet.header_rows) and not sheet.notes and len(columns) >= _FEW_COLUMNS
    return RecordTable(sheet.name, columns, rows, tuple(told), (), caption, is_plain)


def _padded(line: Line, width: int) -> Line:
    return replace(line, cells=(*line.cells, *[""] * (width - len(line.cells))))


@dataclass(frozen=True, slots=True)
class _Amounts:
    """A column of numbers; *step* is the smallest difference that it can show, 0 of integers."""

    numbers: tuple[float | None, ...]
    step: float


class _Body:
    """The rows below the header, and what most of them have in common.

    Attributes:
        doubted: What else rows that are records may be, by their numbers.
    """

    def __init__(self, lines: Sequence[Line], columns: Sequence[str]) -> None:
        self.doubted: dict[int, str] = {}
        self._lines = lines
        self._header = tuple(map(column_key, columns))
        width = len(columns)
        whole = [line for line in lines if line.n_filled > 1 or width < 3]
        self._n_whole = len(whole)
        self._n_filled = [sum(bool(line.cells[c]) for line in whole) for c in range(width)]
        self._amounts = {
            c: amounts
            for c in range(width)
            if (amounts := _read_amounts([line.cells[c] for line in lines])) is not None
        }
        usual = [c for c in range(width) if self._n_filled[c] > _USUAL * self._n_whole]
        self._names = [c for c in usual if c not in self._amounts] or usual[:1]

    def reasons(self) -> dict[int, str]:
        """Say of each row that is no record why, by its number; nothing where none would be."""
        found = {
            line.number: "the header again"
            for line in self._lines
            if tuple(map(column_key, line.cells)) == self._header
        }
        places = range(len(self._lines))
        self._find_totals(places, "above", found)
        self._find_totals(places[::-1], "below", found)
        for line in self._lines:
            n_lacking = 0 if line.number in found else self._count_lacking(line)
            if n_lacking >= (1 if line.after_gap else _MANY_LACKING):
                found[line.number] = "it fills few of the columns that nearly all rows fill"
            elif n_lacking:
                self.doubted.setdefault(line.number, "a note or a heading")
        return found if len(found) < len(self._lines) else {}

    def _find_totals(self, places: Sequence[int], where: str, found: dict[int, str]) -> None:
        """Find rows that sum up those before them in the order of *places*.

        A sum goes back to the start of the table or to another total.
        """
        sums = dict.fromkeys(self._amounts, 0.0)
        n_rows, marks = 0, [(0, dict(sums))]
        for place in places:
            line = self._lines[place]
            figures = {c: a for c, x in self._amounts.items() if (a := x.numbers[place])}
            if line.number not in found and figures:
                is_called, is_nameless = self._is_called(line, figures), self._is_nameless(line)
                is_end = place in {0, len(self._lines) - 1}
                if is_called or is_nameless or is_end:
                    groups = [
                        (n_rows - n_before, {c: sums[c] - before[c] for c in figures})
                        for n_before, before in (marks[0], *marks[1:][-_MAX_MARKS:])
                    ]
                    n_summed, n_equal = self._count_equal(figures, groups)
                    is_sum = n_equal > 0 and 2 * n_equal >= len(figures)
                    of_rows = f"the sum of the {n_summed} rows {where} it"
                    if (is_sum and (is_called or (is_nameless and n_summed > 1))) or (
                        is_sum and n_summed > 2 and n_equal > 1 and n_equal == len(figures)
                    ):
                        found[line.number] = of_rows
                    elif is_called and is_nameless:
                        found[line.number] = "called a total or mean, without what names a row"
                    elif is_sum and n_summed > 2:
                        self.doubted.setdefault(line.number, of_rows)
                    elif any(map(_SUMMARY.fullmatch, line.cells)):
                        self.doubted.setdefault(line.number, "a total")
            if line.number in found:
                marks.append((n_rows, dict(sums)))
                continue
            n_rows += 1
            for c, figure in figures.items():
                sums[c] += figure

    def _is_called(self, line: Line, figures: Collection[int]) -> bool:
        """Whether the first words of a row name a total or a mean."""
        words = [cell for c, cell in enumerate(line.cells) if cell and c not in figures]
        return any(map(_SUMMARY.search, words[:2]))

    def _is_nameless(self, line: Line) -> bool:
        """Whether a row lacks half of the words by which most rows are known."""
        return 2 * sum(not line.cells[c] for c in self._names) >= max(1, len(self._names))

    def _count_equal(
        self, figures: Mapping[int, float], groups: Sequence[tuple[int, Mapping[int, float]]]
    ) -> tuple[int, int]:
        """Count the rows of the group that most figures sum up, and these figures."""
        return max(
            (
                (n, sum(self._is_sum(c, figure, group[c], n) for c, figure in figures.items()))
                for n, group in groups
            ),
            key=lambda found: (found[1], found[0]),
        )

    def _is_sum(self, column: int, figure: float, total: float, n_rows: int) -> bool:
        slack = self._amounts[column].step * math.sqrt(n_rows) + 1e-9 * abs(total)
        return n_rows > 0 and abs(figure - total) <= slack

    def _share_filled(self, column: int, line: Line) -> float:
        """Return the share of the other rows that fill a column."""
        is_own = line.n_filled > 1 or len(self._header) < 3
        others = self._n_whole - is_own
        return (self._n_filled[column] - (is_own and bool(line.cells[column]))) / max(1, others)

    def _count_lacking(self, line: Line) -> int:
        """Count what a row lacks of the columns that nearly all others fill.

        0 unless it lacks most of them, as notes, headings and footers do.
        """
        n_filled, width = line.n_filled, len(self._header)
        if (2 if line.after_gap else 3) * n_filled > width:
            return 0
        steady = [c for c in range(width) if self._share_filled(c, line) >= _STEADY]
        n_steady = sum(bool(line.cells[c]) for c in steady) if n_filled > 1 else 1
        n_lacking = len(steady) - n_steady
        return n_lacking if n_lacking > n_steady or (line.after_gap and n_lacking) else 0


def _read_amounts(texts: Sequence[str]) -> _Amounts | None:
    """Read a column of numbers; None where less than two thirds of its cells are numbers."""
    found = [_FIGURE.fullmatch(text) if text else None for text in texts]
    n_numbers = sum(match is not None for match in found)
    if not n_numbers or 3 * n_numbers < 2 * sum(map(bool, texts)):
        return None
    numerals = [match[2].rstrip(_SEPARATORS) if match else "" for match in found]
    grouping = decide_grouping(list(filter(None, numerals)))
    numbers: list[float | None] = []
    n_decimals = 0
    for match, numeral in zip(found, numerals, strict=True):
        number = read_numeral(numeral, grouping) if numeral else None
        if isinstance(number, float):
            n_decimals = max(n_decimals, len(re.split("[.,]", numeral)[-1]))
        numbers.append(-number if number is not None and match and match[1] else number)
    return _Amounts(tuple(numbers), 10.0**-n_decimals if n_decimals else 0.0)
