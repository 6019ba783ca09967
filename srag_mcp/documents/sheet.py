"""A sheet: a table as it stands in a file, the notes above it and the rows that name columns."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from srag_mcp.documents.grid import count_header_rows, header_paths
from srag_mcp.documents.lines import collapse
from srag_mcp.documents.pairs import is_data, is_year
from srag_mcp.text.words import fold_words

_SAMPLE_ROWS = 20
_CODE = re.compile(r"^([A-Z])\d{1,2}$")  # a header such as Q1, which looks like an amount


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a sheet that is not empty.

    *n_filled* counts the cells that have a text; one that is merged over all counts once.
    *after_gap*: an empty row stands above it.
    """

    number: int
    cells: tuple[str, ...]
    n_filled: int
    after_gap: bool = False

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
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """All but the notes."""
        return (*self.header_rows, *(line.cells for line in self.body))

    @property
    def columns(self) -> tuple[str, ...]:
        """One name a column, each once: `Name`, `Name (2)`, `column 3`."""
        width = max(map(len, self.rows), default=0)
        rows = [filled_up(row, width) for row in self.header_rows]
        return unique_names([" ".join(path) for path in header_paths(rows, width)])


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


def arrange(rows: Sequence[Sequence[str]], name: str = "", first: int = 1) -> Sheet:
    """Part *rows* into notes above the table, the rows that name its columns, and the others.

    *first* is the number of the first row.
    """
    lines: list[Line] = []
    after_gap = False
    for number, row in enumerate(rows, start=first):
        cells = tuple(map(collapse, row))
        texts = list(filter(None, cells))
        if texts:
            is_merged = len(texts) > 2 and len(set(texts)) == 1 and not is_data(texts[0])
            n_filled = 1 if is_merged else len(texts)
            lines.append(Line(number, cells, n_filled, after_gap and bool(lines)))
        after_gap = not texts
    n_notes = _count_notes(lines)
    notes = tuple(line.text for line in lines[:n_notes])
    table = [line.cells for line in lines[n_notes:]]
    n_headers = _count_headers(table)
    return Sheet(name, notes, tuple(table[:n_headers]), tuple(lines[n_notes + n_headers :]))


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


def _count_headers(rows: Sequence[tuple[str, ...]]) -> int:
    """Count the rows that name the columns.

    None does if the first row holds data in the columns that hold data below it. Years may name
    columns, and do not count.
    """
    if not rows:
        return 0
    width = max(map(len, rows))
    sample = [[_CODE.sub(r"\1", text) for text in row] for row in rows[:_SAMPLE_ROWS]]
    padded = [filled_up(row, width) for row in sample]
    n = count_header_rows(padded) if width > 2 else 0
    if n:
        return n
    first, below = sample[0], padded[1:]
    data = [
        text
        for column, text in enumerate(first)
        if 2 * sum(is_data(row[column]) for row in below) > len(below)
    ]
    n_alike = sum(is_data(text) and not is_year(text) for text in data)
    return 0 if n_alike and 2 * n_alike > len(data) else 1


def filled_up(cells: Sequence[str], width: int) -> tuple[str, ...]:
    """Return a row with empty cells up to *width*."""
    return (*cells, *[""] * (width - len(cells)))
