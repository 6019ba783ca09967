"""Rows of a table file: which name the columns, and each row as a document of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from srag_mcp.documents.content import Content
from srag_mcp.documents.document import Block, KeyValue, Prose, TableCell
from srag_mcp.documents.grid import count_header_rows, header_paths, is_data, is_year
from srag_mcp.documents.lines import collapse
from srag_mcp.text.spans import Span

_MAX_NOTES = 3
_SAMPLE_ROWS = 20
_NOWHERE = Span(0, 0)


@dataclass(frozen=True, slots=True)
class TableRows:
    """A table of text: the rows that name its columns, its body, and notes from above it."""

    header_rows: tuple[tuple[str, ...], ...]
    body: tuple[tuple[str, ...], ...]
    caption: str

    @property
    def names(self) -> tuple[str, ...]:
        """One name a column, each once: `Name`, `Name (2)`, `column 3`."""
        width = max(map(len, (*self.header_rows, *self.body)), default=0)
        rows = [_cells(row, width) for row in self.header_rows]
        return unique_names([" ".join(path) for path in header_paths(rows, width)])


def arrange_rows(rows: Sequence[Sequence[str]]) -> TableRows:
    """Part *rows* into notes above the table, header rows and body; empty rows are left out."""
    filled = [tuple(map(collapse, row)) for row in rows]
    filled = [row for row in filled if any(row)]
    n_notes = _count_notes(filled)
    notes, table = filled[:n_notes], filled[n_notes:]
    n_headers = _count_headers(table)
    caption = " ".join(text for row in notes for text in row if text)
    return TableRows(tuple(table[:n_headers]), tuple(table[n_headers:]), caption)


def unique_names(names: Sequence[str]) -> tuple[str, ...]:
    """Give every column a name of its own; case does not tell names apart."""
    taken: set[str] = set()
    unique = []
    for number, name in enumerate(names, start=1):
        base = collapse(name) or f"column {number}"
        candidate, copy = base, 2
        while candidate.casefold() in taken:
            candidate, copy = f"{base} ({copy})", copy + 1
        taken.add(candidate.casefold())
        unique.append(candidate)
    return tuple(unique)


def row_contents(table: TableRows) -> list[Content]:
    """Return each row as a content of lines `name: value`; its title is its first words."""
    names = table.names
    contents = []
    for row in table.body:
        pairs = [(name, cell) for name, cell in zip_longest(names, row, fillvalue="") if cell]
        if pairs:
            contents.append(pair_content(pairs, table.caption))
    return contents


def pair_content(pairs: Sequence[tuple[str, str]], note: str = "") -> Content:
    """Write *pairs* line by line, then *note*."""
    lines: list[str] = []
    blocks: list[Block] = []
    place = 0
    for key, value in pairs:
        line = f"{key}: {value}"
        end = place + len(line)
        span = Span(end - len(value), end)
        blocks.append(KeyValue(Span(place, end), key, value, span))
        lines.append(line)
        place = end + 1
    if note:
        lines.append(note)
        blocks.append(Prose(Span(place, place + len(note))))
    title = next((value for _, value in pairs if not is_data(value)), None)
    return Content("\n".join(lines), tuple(blocks), title)


def _count_notes(rows: Sequence[Sequence[str]]) -> int:
    """Count the rows at the top with one cell only, where the table has three columns or more."""
    width = max((sum(map(bool, row)) for row in rows[:_SAMPLE_ROWS]), default=0)
    n = 0
    while width > 2 and n < min(_MAX_NOTES, len(rows)) and sum(map(bool, rows[n])) == 1:
        n += 1
    return n


def _count_headers(rows: Sequence[Sequence[str]]) -> int:
    if not rows:
        return 0
    width = max(map(len, rows))
    sample = [_cells(row, width) for row in rows[:_SAMPLE_ROWS]]
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


def _cells(row: Sequence[str], width: int) -> tuple[TableCell, ...]:
    return tuple(TableCell(text, _NOWHERE) for text in (*row, *[""] * (width - len(row))))
