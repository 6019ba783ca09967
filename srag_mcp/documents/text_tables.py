"""Tables in plain text: with pipes, or aligned by white space."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from srag_mcp.documents.document import Span, TableCell
from srag_mcp.documents.grid import Grid
from srag_mcp.documents.lines import Line, Segment, split_segments

_RULE = re.compile(r"^[\s|:+=_-]*[-=_]{2}[\s|:+=_-]*$")
_WIDE_GAP = re.compile(r"\S(?:\s{2,}|\t)\s*\S")
_PIPE = re.compile(r"(?<!\\)\|")
_MIN_ALIGNED_COLUMNS = 3
_MIN_MISSING_GAP = 6
_MAX_LINE_CHARACTERS = 400
_MAX_COLUMNS = 200


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table found in lines, and how many lines it takes."""

    grid: Grid
    n_lines: int


def find_text_table(lines: Sequence[Line], at: int) -> TextTable | None:
    """Return the table that begins at line *at*, None if there is none."""
    return _piped(lines, at) or _aligned(lines, at)


def _is_rule(text: str) -> bool:
    return bool(_RULE.match(text))


def _piped(lines: Sequence[Line], at: int) -> TextTable | None:
    end, rules, rows = at, [], list[tuple[TableCell, ...]]()
    while end < len(lines) and _has_pipes(lines[end].text):
        if _is_rule(lines[end].text):
            rules.append(len(rows))
        else:
            rows.append(_pipe_cells(lines[end]))
        end += 1
    if end - at < 2 or not rows or max(map(len, rows)) < 2:
        return None
    if not rules and not _same_width(rows):
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


def _same_width(rows: Sequence[Sequence[TableCell]]) -> bool:
    return len(rows) >= 2 and len(set(map(len, rows))) == 1 and len(rows[0]) >= 3


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


def _aligned(lines: Sequence[Line], at: int) -> TextTable | None:
    rows: list[tuple[Line, list[Segment]]] = []
    end = at
    while end < len(lines):
        text = lines[end].text
        if not (rows and _is_rule(text)):
            segments = _columns(text)
            if not _is_aligned_row(segments, first=not rows):
                break
            rows.append((lines[end], segments))
        end += 1
    if sum(len(segments) >= _MIN_ALIGNED_COLUMNS for _, segments in rows) < 2:
        return None
    columns = _gutters(rows)
    if columns is None:
        return None
    span = Span(lines[at].span.start, lines[end - 1].span.end)
    return TextTable(Grid(span, _aligned_cells(rows, columns)), end - at)


def _is_aligned_row(segments: Sequence[Segment], *, first: bool) -> bool:
    """Whether the line goes on with a table: two parts are a header, or have a gap between them."""
    if len(segments) != 2 or first:
        return len(segments) >= 2
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
    if len(full) < 2 or n_columns > _MAX_COLUMNS:
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
