"""A grid of cells, of whatever format, as blocks: the table, and its rows as key-values."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from srag_mcp.documents.document import Block, Heading, KeyValue, Prose, Table, TableCell
from srag_mcp.documents.lines import collapse
from srag_mcp.documents.pairs import is_data, is_key, is_year
from srag_mcp.text.spans import Span

MAX_CAPTION_CHARACTERS = 200
_MAX_CAPTION_LINES = 3
_MAX_HEADER_ROWS = 3
_CAPTION = re.compile(
    r"^(?:table|tabelle|tableau|tabla|tabella|exhibit|schedule)(?:\s*\d|\s+(?:[ivx]+|[a-z])\b)"
    r"|^\([^()]+\)$|\([^()]*(?:[$€£¥₹%]|\bin\b)[^()]*\)$"
    r"|\b(?:in|en)\s(?:\S{1,5}\s)?(?:thousand|million|billion|lakh|crore|tausend|mio|mrd)"
    r"|^(?:thousand|million|billion)s?\sof\s",
    re.IGNORECASE,
)

_Row = Sequence[TableCell]
_Texts = Sequence[str]


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of cells as they stand in the text; *n_headers* is None where nothing marks them."""

    span: Span
    rows: tuple[tuple[TableCell, ...], ...]
    n_headers: int | None = None
    caption: str = ""


def is_caption(text: str) -> bool:
    """Whether a line reads as a title or note of the table below it.

    `Table 3: Sales`, `(in millions)`, `Costs ($)` -> True
    """
    return len(text) <= MAX_CAPTION_CHARACTERS and _CAPTION.search(text) is not None


def captions_at_end(blocks: Sequence[Block], text_of: Callable[[Span], str]) -> list[str]:
    """Return the captions that *blocks* end with, from top to bottom; *text_of* reads a span."""
    found: list[str] = []
    for block in reversed(blocks[-_MAX_CAPTION_LINES:]):
        is_short = block.span.end - block.span.start <= MAX_CAPTION_CHARACTERS
        is_line = isinstance(block, Heading | Prose | KeyValue) and is_short
        text = text_of(block.span) if is_line else ""
        if not is_caption(text):
            break
        found.insert(0, text)
    return found


def grid_blocks(grid: Grid, section: tuple[str, ...]) -> list[Block]:
    """Return the table, then what can be read from it as keys with values.

    That is: each row of a table of two columns, the only row of a table of one row, and the rows at
    the foot of a larger one that sum it up. Titles and notes in rows of their own become part of
    the caption.
    """
    rows = [row for row in grid.rows if any(cell.text for cell in row)]
    width = max(map(len, rows), default=0)
    for at, row in enumerate(rows):
        end = row[-1].span.end
        rows[at] = (*row, *[TableCell("", Span(end, end))] * (width - len(row)))
    start, stop = _without_notes(rows)
    notes, n_titles = [*rows[:start], *rows[stop:]], start
    rows = rows[start:stop]
    if not rows or width < 2:
        return []
    words = [next(cell.text for cell in row if cell.text) for row in notes]
    caption = " ".join([grid.caption, *map(collapse, words)]).strip()
    texts = [[cell.text for cell in row] for row in rows]
    if grid.n_headers is None:
        n_headers = count_header_rows(texts)
    else:
        n_headers = min(max(0, grid.n_headers - n_titles), len(rows))
    headers, body = header_paths(texts[:n_headers], width), rows[n_headers:]
    table = Table(grid.span, headers, tuple(body), caption, section)
    if width == 2:
        return [table, *_row_pairs(rows if grid.n_headers is None else body, section)]
    if len(body) == 1 and n_headers:
        return [
            table,
            *(
                KeyValue(cell.span, " ".join(path).rstrip(":"), cell.text, cell.span, section)
                for path, cell in zip(headers, body[0], strict=True)
                if path and cell.text
            ),
        ]
    return [table, *_row_pairs(_summary_rows(body), section)]


def _without_notes(rows: Sequence[_Row]) -> tuple[int, int]:
    """Return where the table lies between titles above and notes below it.

    They fill one cell of three or more, or are one cell merged over all columns.
    """
    start, stop = 0, len(rows)
    if not rows or len(rows[0]) < 3:
        return start, stop
    filled = [[cell.text for cell in row if cell.text] for row in rows]
    while start < min(stop, _MAX_HEADER_ROWS):
        n_filled = len(filled[start])
        if n_filled != 1 and (n_filled < len(rows[0]) or len(set(filled[start])) > 1):
            break
        start += 1
    while stop > start and len(set(filled[stop - 1])) == 1:
        text = filled[stop - 1][0]
        if not text.startswith(("(", "*", "[", "¹")) and len(text.split()) <= 5:
            break
        stop -= 1
    return start, stop


def count_header_rows(rows: Sequence[_Texts]) -> int:
    """Count the rows at the top that name the columns; 0 where none does.

    A second one only counts below one that spans columns: with gaps or with repeats.
    """
    if len(rows) < 2 or not _is_header(rows[0]):
        return 0
    if len(rows[0]) == 2:
        values = [is_data(row[1]) for row in rows[1:]]
        return int(len(values) > 1 and all(values) and not is_data(rows[0][1]))
    n = 1
    while n < min(_MAX_HEADER_ROWS, len(rows) - 1) and _is_header(rows[n]):
        if not any(not after or before == after for before, after in pairwise(rows[n - 1])):
            break
        n += 1
    return n


def _is_header(row: _Texts) -> bool:
    texts = [text for text in row if text]
    if not texts or any(len(text) > 80 for text in texts):
        return False
    data = [text for text in texts if is_data(text)]
    if data and all(map(is_year, data)):
        others = [text for text in texts if text not in data]
        are_spread = len(data) > 1 and others == [row[0]][: len(others)]
        return not is_data(row[0]) and (are_spread or len(data) >= len(row) - 1)
    return not data


def header_paths(rows: Sequence[_Texts], width: int) -> tuple[tuple[str, ...], ...]:
    """Return one header path a column, outermost first, without repeats and empty cells.

    A gap right of an upper header, above a lower one, belongs to that upper header: that is how
    text writes what spans columns. Where a format repeats what spans columns, a gap is a gap.
    """
    texts = [list(map(collapse, row)) for row in rows]
    for upper, lower in pairwise(texts):
        if not any(before and before == after for before, after in pairwise(upper)):
            for column in range(1, width):
                if lower[column]:
                    upper[column] = upper[column] or upper[column - 1]
    paths: list[tuple[str, ...]] = []
    for column in range(width):
        path: list[str] = []
        for row in texts:
            if row[column] and row[column] not in path[-1:]:
                path.append(row[column])
        paths.append(tuple(path))
    return tuple(paths)


def _row_pairs(rows: Sequence[_Row], section: tuple[str, ...]) -> list[Block]:
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


def _summary_rows(body: Sequence[_Row]) -> list[_Row]:
    """Return, of the rows at the foot of a table, the label and the amount of each.

    `("Net total", "", "", "€ 9.50")` -> `("Net total", "€ 9.50")`; the rows above have more to say.
    """
    summary: list[_Row] = []
    for row in reversed(body):
        filled = [cell for cell in row if cell.text]
        label, amount = row[0], filled[-1]
        has_words = any(map(str.isalpha, label.text))
        if len({cell.text for cell in filled}) != 2 or not has_words or not is_data(amount.text):
            break
        summary.insert(0, (label, amount))
    return summary if len(summary) < len(body) else []
