"""A grid of cells, of whatever format, as blocks: the table, and its rows as key-values."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from srag_mcp.documents.document import Block, KeyValue, Table, TableCell
from srag_mcp.documents.key_values import is_key
from srag_mcp.documents.lines import collapse
from srag_mcp.text.spans import Span

MAX_HEADER_ROWS = 3
_DATA = re.compile(r"^[^\w]*[A-Z]{0,3}[\s$€£¥]*[-+(]?\d[\d.,'\s/:–-]*[^\W\d_]{0,3}[%)°€$£¥]*$")
_YEAR = re.compile(r"^(?:1[89]|20)\d\d$")

Row = Sequence[TableCell]
_Rows = list[tuple[TableCell, ...]]


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of cells as they stand in the text; *n_headers* is None where nothing marks them."""

    span: Span
    rows: tuple[tuple[TableCell, ...], ...]
    n_headers: int | None = None
    caption: str = ""


def is_data(text: str) -> bool:
    """Whether a cell holds a number, an amount, a time or a date rather than words."""
    return bool(_DATA.match(text))


def is_year(text: str) -> bool:
    """Whether a cell holds a year, which may also name a column."""
    return bool(_YEAR.match(text))


def grid_blocks(grid: Grid, section: tuple[str, ...]) -> list[Block]:
    """Return the table, then what can be read from it as keys with values.

    That is: each row of a table of two columns, the only row of a table of one row, and the rows at
    the foot of a larger one that sum it up. Titles and notes in rows of their own become part of
    the caption.
    """
    filled = _rectangular([row for row in grid.rows if _words(row)])
    titles, rows, notes = _without_notes(filled)
    if not rows or len(rows[0]) < 2:
        return []
    caption = " ".join([grid.caption, *map(_note, titles), *map(_note, notes)]).strip()
    if grid.n_headers is None:
        n_headers = count_header_rows(rows)
    else:
        n_headers = min(max(0, grid.n_headers - len(titles)), len(rows))
    headers, body = header_paths(rows[:n_headers], len(rows[0])), rows[n_headers:]
    table = Table(grid.span, headers, tuple(body), caption, section)
    if len(rows[0]) == 2:
        return [table, *_row_pairs(rows if grid.n_headers is None else body, section)]
    if len(body) == 1 and n_headers:
        return [table, *_column_pairs(headers, body[0], section)]
    return [table, *_row_pairs(_summary_rows(body), section)]


def count_header_rows(rows: Sequence[Row]) -> int:
    """Count the rows at the top that name the columns; 0 where none does.

    A second one only counts below one that spans columns: with gaps or with repeats.
    """
    if len(rows) < 2 or not _is_header(rows[0]):
        return 0
    if len(rows[0]) == 2:
        values = [is_data(row[1].text) for row in rows[1:]]
        return int(len(values) > 1 and all(values) and not is_data(rows[0][1].text))
    n = 1
    while n < min(MAX_HEADER_ROWS, len(rows) - 1) and _spans(rows[n - 1]) and _is_header(rows[n]):
        n += 1
    return n


def _spans(row: Row) -> bool:
    texts = [cell.text for cell in row]
    return any(not after or before == after for before, after in pairwise(texts))


def _words(row: Row) -> set[str]:
    return {cell.text for cell in row if cell.text}


def _without_notes(rows: _Rows) -> tuple[_Rows, _Rows, _Rows]:
    """Part the rows from titles above and notes below, which fill one cell of three or more."""
    if not rows or len(rows[0]) < 3:
        return [], rows, []
    start, end = 0, len(rows)
    while start < min(end, MAX_HEADER_ROWS) and _is_title(rows[start]):
        start += 1
    while end > start and _is_note(rows[end - 1]):
        end -= 1
    return rows[:start], rows[start:end], rows[end:]


def _note(row: Row) -> str:
    return collapse(next(iter(_words(row)), ""))


def _is_title(row: Row) -> bool:
    """Whether a row has one cell, or one cell merged over all columns."""
    n_filled = sum(bool(cell.text) for cell in row)
    return n_filled == 1 or (len(_words(row)) == 1 and n_filled == len(row))


def _is_note(row: Row) -> bool:
    words = _words(row)
    text = next(iter(words), "")
    return len(words) == 1 and (text.startswith(("(", "*", "[", "¹")) or len(text.split()) > 5)


def header_paths(rows: Sequence[Row], width: int) -> tuple[tuple[str, ...], ...]:
    """Return one header path a column, outermost first, without repeats and empty cells.

    A gap right of an upper header, above a lower one, belongs to that upper header: that is how
    text writes what spans columns. Where a format repeats what spans columns, a gap is a gap.
    """
    texts = [[collapse(cell.text) for cell in row] for row in rows]
    texts = [_spread(upper, lower) for upper, lower in pairwise(texts)] + texts[-1:]
    paths: list[tuple[str, ...]] = []
    for column in range(width):
        path: list[str] = []
        for row in texts:
            if row[column] and row[column] not in path[-1:]:
                path.append(row[column])
        paths.append(tuple(path))
    return tuple(paths)


def _spread(upper: list[str], lower: list[str]) -> list[str]:
    if any(before and before == after for before, after in pairwise(upper)):
        return upper
    spread: list[str] = []
    for text, below in zip(upper, lower, strict=True):
        spread.append(text or (spread[-1] if spread and below else ""))
    return spread


def _is_header(row: Row) -> bool:
    texts = [cell.text for cell in row if cell.text]
    if not texts or any(len(text) > 80 for text in texts):
        return False
    data = [text for text in texts if is_data(text)]
    if data and all(_YEAR.match(text) for text in data):
        others = [text for text in texts if text not in data]
        are_spread = len(data) > 1 and others == [row[0].text][: len(others)]
        return not is_data(row[0].text) and (are_spread or len(data) >= len(row) - 1)
    return not data


def _rectangular(rows: Sequence[Row]) -> list[tuple[TableCell, ...]]:
    width = max(map(len, rows), default=0)
    full = []
    for row in rows:
        end = row[-1].span.end if row else 0
        empty = TableCell("", Span(end, end))
        full.append((*row, *[empty] * (width - len(row))))
    return full


def _row_pairs(rows: Sequence[Row], section: tuple[str, ...]) -> list[Block]:
    """Return a pair a row; a row with the same text in both cells is a heading among them."""
    pairs: list[Block] = []
    inner = section
    for key, value in rows:
        name = collapse(key.text).rstrip(":").rstrip()
        if name == value.text:
            inner = (*section, name)
        elif value.text and is_key(name):
            span = Span(key.span.start, value.span.end)
            pairs.append(KeyValue(span, name, value.text, value.span, inner))
    return pairs


def _summary_rows(body: Sequence[Row]) -> list[Row]:
    """Return, of the rows at the foot of a table, the label and the amount of each.

    `("Net total", "", "", "€ 9.50")` -> `("Net total", "€ 9.50")`; the rows above have more to say.
    """
    summary: list[Row] = []
    for row in reversed(body):
        filled = {cell.text: cell for cell in reversed(row) if cell.text}
        label, amount = row[0], next((cell for cell in reversed(row) if cell.text), row[-1])
        has_words = any(character.isalpha() for character in label.text)
        if len(filled) != 2 or not has_words or not is_data(amount.text):
            break
        summary.insert(0, (label, amount))
    return summary if len(summary) < len(body) else []


def _column_pairs(
    headers: Sequence[tuple[str, ...]], row: Row, section: tuple[str, ...]
) -> list[Block]:
    return [
        KeyValue(cell.span, " ".join(path).rstrip(":"), cell.text, cell.span, section)
        for path, cell in zip(headers, row, strict=True)
        if path and cell.text
    ]
