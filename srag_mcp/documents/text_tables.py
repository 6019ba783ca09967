"""Tables in plain text: with pipes, or aligned by white space."""

import re
from collections.abc import Sequence

from srag_mcp.documents.document import TableCell
from srag_mcp.documents.lines import Line, split_segments
from srag_mcp.documents.pairs import is_data, is_year
from srag_mcp.documents.tables import Grid
from srag_mcp.text.spans import Span

_RULE = re.compile(r"^[\s|:+=_-]*[-=_]{2}[\s|:+=_-]*$")
_WIDE_GAP = re.compile(r"\S(?:\s{2,}|\t)\s*\S")
_PIPE = re.compile(r"(?<!\\)\|")
_MIN_ALIGNED_COLUMNS = 3
_MAX_RULE_CHARACTERS = 1000
_MAX_TRIES = 3
_MIN_MISSING_GAP = 6
_MAX_LINE_CHARACTERS = 400
_MAX_COLUMNS = 200
_MAX_ALIGNED_COLUMNS = 50


class TableFinder:
    """Finds tables in lines from top to bottom.

    Lines that look like rows and are no table are tried again from a few of their first lines only:
    else a long run of them would be read once for each of its lines.
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self._failed_until = 0
        self._tries_left = _MAX_TRIES

    def find(self, at: int) -> tuple[Grid, int] | None:
        """Return the table that begins at line *at* and the line after it, None if none does."""
        if at >= self._failed_until:
            self._tries_left = _MAX_TRIES
        if not self._tries_left:
            return None
        piped_end = aligned_end = at
        while piped_end < len(self._lines) and _has_pipes(self._lines[piped_end].text):
            piped_end += 1
        grid = _read_piped(self._lines[at:piped_end])
        if grid is not None:
            return grid, piped_end
        while aligned_end < len(self._lines) and _is_aligned(
            self._lines[aligned_end].text, is_first=aligned_end == at
        ):
            aligned_end += 1
        grid = _read_aligned(self._lines[at:aligned_end])
        if grid is not None:
            return grid, aligned_end
        if max(piped_end, aligned_end) > at + 1:
            self.reject(max(piped_end, aligned_end))
        return None

    def reject(self, end: int) -> None:
        """Note that the lines up to *end* are no table, or one without any values."""
        self._failed_until = max(end, self._failed_until)
        self._tries_left -= 1


def _is_rule(text: str) -> bool:
    return len(text) <= _MAX_RULE_CHARACTERS and bool(_RULE.match(text))


def _has_pipes(text: str) -> bool:
    text = text.strip()
    is_row = text[:1] == "|" or _is_rule(text) or _PIPE.search(text) is not None
    return text.startswith("+-") or ("|" in text and is_row)


def _read_piped(lines: Sequence[Line]) -> Grid | None:
    rules: list[int] = []
    rows: list[tuple[TableCell, ...]] = []
    for line in lines:
        if _is_rule(line.text):
            rules.append(len(rows))
        else:
            rows.append(_pipe_cells(line))
    width = max(map(len, rows), default=0)
    if len(lines) < 2 or width < 2:
        return None
    if not rules:  # then they are a table if all have as many cells
        is_wide = width >= _MIN_ALIGNED_COLUMNS or lines[0].text.lstrip().startswith("|")
        if not is_wide or any(len(row) < width for row in rows):
            return None
    span = Span(lines[0].span.start, lines[-1].span.end)
    return Grid(span, tuple(rows), next((n for n in rules if n), None))


def _pipe_cells(line: Line) -> tuple[TableCell, ...]:
    start, end = line.indent, len(line.text.rstrip())
    text = line.text[:end]
    if text.startswith("|", start):
        start += 1
    if text.endswith("|") and end - 1 > start and text[end - 2] != "\\":
        end -= 1
    cells = []
    for pipe in [*_PIPE.finditer(text, start, end), None]:
        stop = end if pipe is None else pipe.start()
        part = Line(line.start + start, text[start:stop])
        words = part.text.strip()
        begin = part.span.start if words else part.start
        cells.append(TableCell(words.replace("\\|", "|"), Span(begin, begin + len(words))))
        start = stop + 1
    return tuple(cells[:_MAX_COLUMNS])


def _is_aligned(text: str, *, is_first: bool) -> bool:
    """Whether the line is a row, or a rule below the first one.

    Two parts are a header if they are at its top, else they need a gap where a cell is missing; a
    name with a value is neither.
    """
    if not is_first and _is_rule(text):
        return True
    segments = _columns(text)
    if len(segments) != 2:
        return len(segments) > 2
    if is_first:
        return not is_data(segments[1].text) or is_year(segments[1].text)
    return segments[1].start - segments[0].end >= _MIN_MISSING_GAP


def _columns(text: str) -> list[Line]:
    if len(text) > _MAX_LINE_CHARACTERS or not _WIDE_GAP.search(text):
        return []
    segments = split_segments(text)
    return [] if any(part.text.endswith(":") for part in segments) else segments


def _read_aligned(lines: Sequence[Line]) -> Grid | None:
    """Return the table if its full rows line up; words above the first may span columns."""
    rows = [(line, _columns(line.text)) for line in lines if not _is_rule(line.text)]
    n_columns = max((len(segments) for _, segments in rows), default=0)
    full = [segments for _, segments in rows if len(segments) == n_columns]
    n_wide = sum(len(segments) >= _MIN_ALIGNED_COLUMNS for _, segments in rows)
    if n_wide < 2 or len(full) < 2 or n_columns > _MAX_ALIGNED_COLUMNS:
        return None
    columns: list[Span] = []
    for start, end in sorted((part.start, part.end) for segments in full for part in segments):
        if columns and start <= columns[-1].end:
            columns[-1] = Span(columns[-1].start, max(end, columns[-1].end))
        else:
            columns.append(Span(start, end))
    if len(columns) != n_columns:
        return None
    cells = []
    is_spanning = True
    for line, segments in rows:
        is_above_data = not any(is_data(part.text) and not is_year(part.text) for part in segments)
        is_spanning = is_spanning and len(segments) < n_columns and is_above_data
        row = []
        for column in columns:
            # what spans columns stands above the numbers, not above their names
            is_above = is_spanning and column is not columns[0]
            middle = column.start + column.end
            if is_spanning:
                part = min(segments, key=lambda part: abs(part.start + part.end - middle))
            else:
                part = max(segments, key=lambda part: _overlap(part, column))
            if is_above or _overlap(segments[0] if is_spanning else part, column) > 0:
                row.append(TableCell(part.text, Span(part.start, part.end).moved(line.start)))
            else:
                row.append(TableCell("", Span(line.end, line.end)))
        if not is_spanning and len({cell.span.start for cell in row if cell.text}) < len(segments):
            return None  # a part that stands below no column: the lines do not line up
        cells.append(tuple(row))
    return Grid(Span(lines[0].span.start, lines[-1].span.end), tuple(cells))


def _overlap(part: Line, column: Span) -> int:
    return min(part.end, column.end) - max(part.start, column.start)
