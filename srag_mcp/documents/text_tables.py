"""Tables in plain text: with pipes, or aligned by white space."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from srag_mcp.documents.document import TableCell
from srag_mcp.documents.grid import Grid, is_data, is_year
from srag_mcp.documents.lines import Line, Segment, split_segments
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


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table found in lines, and how many lines it takes."""

    grid: Grid
    n_lines: int


class TableFinder:
    """Finds tables in lines from top to bottom.

    Lines that look like rows and are no table are tried again from a few of their first lines only:
    else a long run of them would be read once for each of its lines.
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self._failed_until = 0
        self._tries_left = _MAX_TRIES

    def find(self, at: int) -> TextTable | None:
        """Return the table that begins at line *at*, None if there is none."""
        if at >= self._failed_until:
            self._tries_left = _MAX_TRIES
        if not self._tries_left:
            return None
        piped_end, aligned_end = _piped_end(self._lines, at), _aligned_end(self._lines, at)
        table = _piped(self._lines, at, piped_end) or _aligned(self._lines, at, aligned_end)
        if table is None and max(piped_end, aligned_end) > at + 1:
            self.reject(max(piped_end, aligned_end))
        return table

    def reject(self, end: int) -> None:
        """Note that the lines up to *end* are no table, or one without any values."""
        self._failed_until = max(end, self._failed_until)
        self._tries_left -= 1


def _is_rule(text: str) -> bool:
    return len(text) <= _MAX_RULE_CHARACTERS and bool(_RULE.match(text))


def _piped_end(lines: Sequence[Line], at: int) -> int:
    end = at
    while end < len(lines) and _has_pipes(lines[end].text):
        end += 1
    return end


def _piped(lines: Sequence[Line], at: int, end: int) -> TextTable | None:
    rules, rows = list[int](), list[tuple[TableCell, ...]]()
    for line in lines[at:end]:
        if _is_rule(line.text):
            rules.append(len(rows))
        else:
            rows.append(_pipe_cells(line))
    if end - at < 2 or not rows or max(map(len, rows)) < 2:
        return None
    if not rules and not _is_even(lines[at], rows):
        return None
    n_headers = next((n for n in rules if n), None)
    span = Span(lines[at].span.start, lines[end - 1].span.end)
    return TextTable(Grid(span, tuple(rows), n_headers), end - at)


def _has_pipes(text: str) -> bool:
    stripped = text.strip()
    if stripped.startswith("+-"):
        return True
    if _is_rule(stripped):
        return "|" in stripped
    return stripped.startswith("|") or len(_PIPE.findall(stripped)) >= 1


def _is_even(first: Line, rows: Sequence[Sequence[TableCell]]) -> bool:
    """Whether rows without a rule among them are a table: all have as many cells."""
    if len(rows) < 2 or len(set(map(len, rows))) > 1:
        return False
    return len(rows[0]) >= _MIN_ALIGNED_COLUMNS or first.text.lstrip().startswith("|")


def _pipe_cells(line: Line) -> tuple[TableCell, ...]:
    span = line.span
    start, end = span.start - line.start, span.end - line.start
    text = line.text[:end]
    if text.startswith("|", start):
        start += 1
    if text.endswith("|") and end - 1 > start and text[end - 2] != "\\":
        end -= 1
    cells = []
    for pipe in [*_PIPE.finditer(text, start, end), None]:
        stop = end if pipe is None else pipe.start()
        cells.append(_cell(line, start, stop))
        start = stop + 1
    return tuple(cells[:_MAX_COLUMNS])


def _cell(line: Line, start: int, end: int) -> TableCell:
    raw = line.text[start:end]
    text = raw.strip()
    begin = line.start + start + (len(raw) - len(raw.lstrip()) if text else 0)
    return TableCell(text.replace("\\|", "|"), Span(begin, begin + len(text)))


def _aligned_end(lines: Sequence[Line], at: int) -> int:
    end = at
    while end < len(lines):
        is_rule = end > at and _is_rule(lines[end].text)
        if not is_rule and not _is_aligned_row(_columns(lines[end].text), first=end == at):
            break
        end += 1
    return end


def _aligned(lines: Sequence[Line], at: int, end: int) -> TextTable | None:
    if end - at < 2:
        return None
    rows = [(line, _columns(line.text)) for line in lines[at:end] if not _is_rule(line.text)]
    if sum(len(segments) >= _MIN_ALIGNED_COLUMNS for _, segments in rows) < 2:
        return None
    columns = _gutters(rows)
    if columns is None:
        return None
    span = Span(lines[at].span.start, lines[end - 1].span.end)
    return TextTable(Grid(span, _aligned_cells(rows, columns)), end - at)


def _is_aligned_row(segments: Sequence[Segment], *, first: bool) -> bool:
    """Whether the line goes on with a table.

    Two parts are a header if they are at its top, else they need a gap where a cell is missing; a
    name with a value is neither.
    """
    if len(segments) != 2:
        return len(segments) > 2
    if first:
        return not is_data(segments[1].text) or is_year(segments[1].text)
    return segments[1].start - segments[0].end >= _MIN_MISSING_GAP


def _columns(text: str) -> list[Segment]:
    if len(text) > _MAX_LINE_CHARACTERS or not _WIDE_GAP.search(text):
        return []
    segments = split_segments(text)
    return [] if any(part.text.endswith(":") for part in segments) else segments


def _gutters(rows: Sequence[tuple[Line, list[Segment]]]) -> list[tuple[int, int]] | None:
    """Return where the columns are, None if full rows do not line up."""
    n_columns = max(len(segments) for _, segments in rows)
    full = [segments for _, segments in rows if len(segments) == n_columns]
    if len(full) < 2 or n_columns > _MAX_ALIGNED_COLUMNS:
        return None
    merged: list[tuple[int, int]] = []
    for start, end in sorted((part.start, part.end) for segments in full for part in segments):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged if len(merged) == n_columns else None


def _aligned_cells(
    rows: Sequence[tuple[Line, list[Segment]]], columns: Sequence[tuple[int, int]]
) -> tuple[tuple[TableCell, ...], ...]:
    """Return one cell a column; words above the first full row may span several columns."""
    cells = []
    is_spanning = True
    for line, segments in rows:
        is_spanning = is_spanning and len(segments) < len(columns)
        choose = _nearest if is_spanning else _overlapping
        parts = [choose(segments, column, columns[0]) for column in columns]
        cells.append(tuple(_segment_cell(line, part) for part in parts))
    return tuple(cells)


def _segment_cell(line: Line, part: Segment | None) -> TableCell:
    if part is None:
        return TableCell("", Span(line.end, line.end))
    return TableCell(part.text, Span(line.start + part.start, line.start + part.end))


def _overlapping(
    segments: Sequence[Segment], column: tuple[int, int], _first: tuple[int, int]
) -> Segment | None:
    part = max(segments, key=lambda segment: _overlap(segment, column))
    return part if _overlap(part, column) > 0 else None


def _nearest(
    segments: Sequence[Segment], column: tuple[int, int], first: tuple[int, int]
) -> Segment | None:
    if column == first and _overlap(segments[0], column) <= 0:
        return None  # what spans columns stands above the numbers, not above their names
    middle = column[0] + column[1]
    return min(segments, key=lambda segment: abs(segment.start + segment.end - middle))


def _overlap(segment: Segment, column: tuple[int, int]) -> int:
    return min(segment.end, column[1]) - max(segment.start, column[0])
