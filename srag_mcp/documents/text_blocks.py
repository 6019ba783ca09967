"""Blocks of plain text: lines in, headings, key-values, items, tables and paragraphs out."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from srag_mcp.documents.document import Block, Heading, KeyValue, ListItem, Prose, Table, TableCell
from srag_mcp.documents.lines import (
    Line,
    Outline,
    Pair,
    collapse,
    find_heading,
    find_pairs,
    find_run_in_heading,
    find_stacked_pairs,
    is_data,
    is_wrapped,
    is_year,
    item_pair,
    match_marker,
    may_begin_stack,
    split_items,
    split_lines,
    split_segments,
    wrap_width,
)
from srag_mcp.documents.tables import (
    MAX_CAPTION_CHARACTERS,
    Grid,
    Row,
    captions_at_end,
    count_header_rows,
    grid_blocks,
    may_name_column,
)
from srag_mcp.text.spans import Span
from srag_mcp.values.dates import find_dates
from srag_mcp.values.states import read_missing

LABEL_LEVEL = 7
_MAX_VALUE_CHARACTERS = 400
_MAX_LONG_KEY_VALUE_CHARACTERS = 120
_MIN_CLAUSE_CHARACTERS = 60
_MAX_STACKED_LINES = 60
_MAX_VALUE_LINES = 10
_MAX_MISALIGNMENT = 3
_MIN_WRAPPED_VALUE = 20
_MAX_NEXT_LINE_VALUE = 80
_MIN_BODY_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Layout:
    """How the lines of a text show its structure.

    *wrapping* says when a line belongs to the paragraph of the line before it: if that line looks
    full, up to the next blank line, or never. *has_bare_titles*: a line that nothing marks as a
    heading may be one. *titles*: lines known to be headings, with their level.
    """

    wrapping: Literal["guess", "blank_line", "never"] = "guess"
    has_bare_titles: bool = True
    titles: Mapping[str, int] = field(default_factory=dict)


PLAIN = Layout()


def find_blocks(
    text: str, *, offset: int = 0, outline: Outline | None = None, layout: Layout = PLAIN
) -> list[Block]:
    r"""Return the blocks of *text*, in order.

    Args:
        text: With line ends `\n`.
        offset: Where *text* begins in the text of the document.
        outline: The headings above, which are kept up to date.
        layout: How paragraphs and headings show in these lines.
    """
    return _TextReader(text, offset, outline or Outline(), layout).read()


def pair_blocks(
    start: int, key: str, raw: str, value_span: Span, section: tuple[str, ...]
) -> list[Block]:
    """Return a pair that begins at *start*, and what its value lists; *raw* is the value."""
    key, span = collapse(key), Span(start, value_span.end)
    pair = KeyValue(span, key, collapse(raw), value_span, section)
    return [pair, *_listed(raw, value_span, (*section, key))]


def item_blocks(raw: str, span: Span, section: tuple[str, ...]) -> list[Block]:
    """Return an item of a list whose words are *raw*, and the pair that it is as well."""
    item, pair = ListItem(span, collapse(raw), section), item_pair(raw)
    if pair is None:
        return [item]
    value_span = Span(pair.value_start, pair.value_end).moved(span.start)
    start = span.start + pair.key_start
    return [item, *pair_blocks(start, pair.key, pair.value, value_span, section)]


def _listed(raw: str, span: Span, section: tuple[str, ...]) -> list[Block]:
    places = [] if "\n" in raw else split_items(raw)
    return [ListItem(place.moved(span.start), place.of(raw), section) for place in places]


class _TextReader:
    def __init__(self, text: str, offset: int, outline: Outline, layout: Layout) -> None:
        self._text = text
        self._offset = offset
        self._outline = outline
        self._layout = layout
        self._lines = split_lines(text, offset)
        self._width = wrap_width(self._lines)
        # Lines that look like rows and are no table are tried again from a few of their first lines
        # only: else a long run of them would be read once for each of its lines.
        self._rejected_until, self._tries_left = 0, _MAX_TRIES
        # What a table goes on with, by where its first line begins, with the line after it.
        self._parts: dict[int, tuple[int, Table, list[Block]]] = {}
        lettered = [line.text for line in self._lines if any(map(str.isalpha, line.text))]
        self._is_shouting = sum(map(str.isupper, lettered)) >= 0.5 * len(lettered)
        self._blocks: list[Block] = []

    def read(self) -> list[Block]:
        readers = (self._table, self._pairs, self._stacked, self._heading, self._item)
        at = 0
        while at < len(self._lines):
            if self._lines[at].is_blank:
                at += 1
                continue
            ends = (read(at) for read in readers)
            at = next((end for end in ends if end is not None), None) or self._prose(at)
        return self._blocks

    # Each reader appends the blocks that begin at a line and returns the line after them; None
    # where there is nothing of its kind.

    def _table(self, at: int) -> int | None:
        if (part := self._parts.get(self._lines[at].start)) is not None:
            end, table, pairs = part
            self._blocks += [replace(table, section=self._outline.section), *pairs]
            return end
        found = self._find_table(at)
        if found is None:
            return None
        grid, columns, end = found
        caption, last = "", self._blocks[-1] if self._blocks else None
        above = self._lines[max(0, at - 3) : at]
        if last is not None and sum(line.start > last.span.end for line in above) <= 1:
            is_short = last.span.end - last.span.start <= MAX_CAPTION_CHARACTERS
            is_line = isinstance(last, Heading | Prose) and is_short
            caption = " ".join(captions_at_end(self._blocks, self._words))
            caption = caption or (self._words(last.span) if is_line else "")
        parts = self._find_parts(grid.rows, columns, end)
        rows = (*grid.rows, *(row for _, part in parts.values() for row in part))
        blocks = grid_blocks(replace(grid, rows=rows, caption=caption), self._outline.section)
        pairs, tables = blocks[1:], [block for block in blocks[:1] if isinstance(block, Table)]
        if not tables:
            self._reject(end)
            return None
        [table] = tables
        for start, (stop, _) in reversed(parts.items()):
            span = Span(self._lines[start].span.start, self._lines[stop - 1].span.end)
            own = tuple(row for row in table.rows if row[0].span.start >= span.start)
            self._parts[self._lines[start].start] = (
                stop,
                replace(table, span=span, rows=own),
                pairs,
            )
            table, pairs = replace(table, rows=table.rows[: len(table.rows) - len(own)]), []
        self._blocks += [table, *pairs]
        return end

    def _find_table(self, at: int) -> tuple[Grid, Sequence[Span], int] | None:
        """Return the table that begins at line *at*, where its columns are and the next line."""
        if at >= self._rejected_until:
            self._tries_left = _MAX_TRIES
        if not self._tries_left or at + 1 == len(self._lines) or self._lines[at + 1].is_blank:
            return None
        piped_end = at
        while piped_end < len(self._lines) and _has_pipes(self._lines[piped_end].text):
            piped_end += 1
        if (grid := _read_piped(self._lines[at:piped_end])) is not None:
            return grid, (), piped_end
        end = self._rows_end(at)
        parted = range(at + 1, end)
        first = next((n for n in parted if not _columns(self._lines[n].text)), end)
        for stop in dict.fromkeys((end, first)):  # if not all lines up, its beginning may
            if (found := _read_aligned(self._lines[at:stop])) is not None:
                return *found, stop
        if max(piped_end, end) > at + 1:
            self._reject(max(piped_end, end))
        return None

    def _rows_end(self, at: int) -> int:
        """Return the line after the last of the rows that begin at line *at*."""
        end = at + 1 if _is_aligned(self._lines[at].text, is_first=True) else at
        for n in range(end, len(self._lines) if end > at else end):
            line = self._lines[n]
            is_row = _is_aligned(line.text, is_first=False)
            rows = (self._lines[at], self._lines[end - 1], line)
            if line.is_blank or line.start in self._parts:
                break
            if is_row and not _are_between(self._lines[end:n], *rows):
                break
            end = n + 1 if is_row else end
        return end

    def _find_parts(
        self, rows: Sequence[Row], columns: Sequence[Span], end: int
    ) -> dict[int, tuple[int, list[Row]]]:
        """Return the rows behind line *end* that a table goes on with.

        They stand by the line that they begin at, with the line after them. As far as no other
        table begins, these are all lines that line up with its columns and fill what all of its
        rows fill, with numbers where these have numbers.
        """
        texts = [[cell.text for cell in row] for row in rows]
        body = [row for row in texts[count_header_rows(texts) :]
                if sum(map(bool, row)) >= _MIN_ALIGNED_COLUMNS]  # fmt: skip
        steady = [at for at, column in enumerate(zip(*body, strict=True)) if all(column)]
        numbers = [at for at in steady if all(is_data(row[at]) for row in body)]
        parts: dict[int, tuple[int, list[Row]]] = {}
        start = reach = end  # of the last part, and how far it may reach
        for n in range(end, len(self._lines) if columns and numbers else end):
            line = self._lines[n]
            if len(_columns(line.text)) < _MIN_ALIGNED_COLUMNS:
                continue
            row = _place(line, _segments(line), columns)
            if row is None or not all(row[at].text for at in steady):
                break
            if not all(is_data(row[at].text) for at in numbers):
                break
            if n >= reach:
                start, reach = n, self._rows_end(n)
            stop, own = parts.get(start, (n, []))
            between = (x for x in self._lines[stop:n] if not _is_rule(x.text))
            own += (_place(x, _segments(x), columns) or _alone(x, columns) for x in between)
            own.append(row)
            parts[start] = (n + 1, own)
        return parts

    def _reject(self, end: int) -> None:
        """Note that the lines up to *end* are no table, or one without any values."""
        self._rejected_until = max(end, self._rejected_until)
        self._tries_left -= 1

    def _pairs(self, at: int) -> int | None:
        line = self._lines[at]
        if match_marker(line.text) or line.text.lstrip().startswith("#"):
            return None
        pairs = find_pairs(line.text)
        if not pairs:
            return None
        last = pairs[-1]
        if len(pairs) == 1 and not last.value:
            return self._label(at, last)
        end = self._value_end(at, last)
        stop = self._lines[end - 1].span.end if end > at + 1 else line.start + last.value_end
        if len(pairs) == 1:
            is_short = len(last.key.split()) < 3
            most = _MAX_VALUE_CHARACTERS if is_short else _MAX_LONG_KEY_VALUE_CHARACTERS
            if self._lines[end - 1].span.end - line.start - last.value_start > most:
                return None  # running text with a colon in it
        for pair in pairs:
            if pair.value:
                value_end = stop if pair is last else line.start + pair.value_end
                value_span = Span(line.start + pair.value_start, value_end)
                self._add_pair(line.start + pair.key_start, pair.key, value_span)
        return end

    def _value_end(self, at: int, pair: Pair) -> int:
        """Return the line after the value of *pair* on line *at*; it may be indented or wrapped."""
        end = at + 1
        last = min(len(self._lines), end + _MAX_VALUE_LINES)
        is_long = len(pair.value) > _MIN_WRAPPED_VALUE and self._layout.wrapping != "never"
        while pair.value and end < last and self._starts_plain(self._lines[end]):
            line = self._lines[end]
            is_below = line.indent > 1 and abs(line.indent - pair.value_start) <= _MAX_MISALIGNMENT
            may_wrap = is_long or line.indent >= self._lines[at].indent + 2
            if not is_below and not (
                may_wrap
                and is_wrapped(self._lines[end - 1], line, self._width)
                and self._heading_at(end) is None
            ):
                break
            end += 1
        return end

    def _label(self, at: int, pair: Pair) -> int | None:
        """Read a line `Key:`: the key of the next line, a heading, or a field left empty."""
        start = self._lines[at].start + pair.key_start
        below = self._lines[at + 1 : at + 3]
        if (
            below
            and self._starts_plain(below[0])
            and len(below[0].text.strip()) <= _MAX_NEXT_LINE_VALUE
        ):
            is_value = len(below) < 2 or below[1].is_blank or bool(find_pairs(below[1].text))
            if is_value:
                self._add_pair(start, pair.key, below[0].span)
                return at + 2
        after = next((line for line in below if not line.is_blank), None)
        if self._is_shouting or after is None:
            return None
        if self._starts_plain(after) and len(after.text) <= _MIN_BODY_CHARACTERS:
            return None
        span = Span(start, start + len(pair.key))
        self._enter(Heading(span, collapse(pair.key), LABEL_LEVEL))
        return at + 1

    def _stacked(self, at: int) -> int | None:
        if not may_begin_stack(self._lines, at):
            return None
        end = at + 1
        last = min(len(self._lines), at + _MAX_STACKED_LINES)
        while end < last and self._starts_plain(self._lines[end]) and not self._heading_at(end):
            end += 1
        pairs = find_stacked_pairs(self._lines[at:end])
        for key, value in pairs:
            self._add_pair(key.span.start, key.text.strip(), value.span)
        return at + 2 * len(pairs) if pairs else None

    def _heading(self, at: int) -> int | None:
        heading, end = self._heading_at(at) or (None, None)
        if heading is not None:
            self._enter(heading)
        return end

    def _heading_at(self, at: int) -> tuple[Heading, int] | None:
        line, titles = self._lines[at], self._layout.titles
        level = titles.get(collapse(line.text)) if titles else None
        if level is not None:
            return Heading(line.span, collapse(line.text), level), at + 1
        guess = self._layout.has_bare_titles and not self._is_shouting
        found = find_heading(self._lines, at, guess=guess)
        if found is not None and titles:  # the largest are known
            return replace(found[0], level=max(2, found[0].level)), found[1]
        return found

    def _item(self, at: int) -> int | None:
        line = self._lines[at]
        marker = match_marker(line.text)
        if marker is None:
            return None
        end = self._paragraph_end(at)
        stop = self._lines[end - 1].span.end
        is_long = len(line.text) > _MIN_CLAUSE_CHARACTERS
        title = find_run_in_heading(line) if marker[0] == "number" and is_long else None
        if title is not None:  # a clause with its title at its start
            self._enter(title)
            rest = Line(title.span.end, line.text[title.span.end - line.start :])
            self._blocks.append(Prose(Span(rest.span.start, stop), self._outline.section))
            return end
        span = Span(line.start + marker[1], stop)
        self._blocks += item_blocks(self._raw(span), span, self._outline.section)
        return end

    def _prose(self, at: int) -> int:
        end = self._paragraph_end(at)
        span = Span(self._lines[at].span.start, self._lines[end - 1].span.end)
        section = self._outline.section
        below_heading = self._blocks and isinstance(self._blocks[-1], Heading)
        listed = _listed(self._raw(span), span, section) if below_heading else []
        self._blocks += listed or [Prose(span, section)]
        return end

    def _paragraph_end(self, at: int) -> int:
        """Return the line after the paragraph that begins at line *at*."""
        end = at + 1
        while end < len(self._lines) and self._goes_on(end):
            end += 1
        return end

    def _goes_on(self, at: int) -> bool:
        """Whether line *at* belongs to the paragraph of the line before it."""
        line, before, wrapping = self._lines[at], self._lines[at - 1], self._layout.wrapping
        if line.is_blank or line.start in self._parts or self._heading_at(at):
            return False
        if line.text.lstrip().startswith(("#", "|")):
            return False
        if wrapping == "never" or (
            wrapping == "guess" and not is_wrapped(before, line, self._width)
        ):
            return False
        marker = match_marker(line.text)
        has_ended = before.text.rstrip().endswith((".", "!", "?", ":", ";"))
        if marker is not None:
            return wrapping == "guess" and marker[0] == "number" and not has_ended
        pairs = find_pairs(line.text)
        return not (pairs and pairs[0].has_short_key and (has_ended or wrapping == "blank_line"))

    def _starts_plain(self, line: Line) -> bool:
        """Whether a line begins with neither a mark nor a key nor a row, and is not blank."""
        if line.is_blank or match_marker(line.text) or find_pairs(line.text):
            return False
        return line.start not in self._parts and not line.text.lstrip().startswith(("#", "|"))

    def _enter(self, heading: Heading) -> None:
        self._outline.enter(heading.text, heading.level)
        self._blocks.append(heading)

    def _add_pair(self, start: int, key: str, value_span: Span) -> None:
        raw, section = self._raw(value_span), self._outline.section
        self._blocks += pair_blocks(start, key, raw, value_span, section)

    def _raw(self, span: Span) -> str:
        return span.moved(-self._offset).of(self._text)

    def _words(self, span: Span) -> str:
        return collapse(self._raw(span))


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
    """Whether the line is a row, or a rule below the first one."""
    if not is_first and _is_rule(text):
        return True
    segments = _columns(text)
    if len(segments) != 2:
        return len(segments) > 2
    if is_first:
        return not is_data(segments[1].text) or is_year(segments[1].text)
    return segments[1].start - segments[0].end >= _MIN_MISSING_GAP


def _are_between(between: Sequence[Line], first: Line, above: Line, below: Line) -> bool:
    """Whether lines between two rows of a table are of it; *first* is its first row.

    A cell alone, where a column but the first begins, is of a row around it; lines that are
    indented deeper than the row above say more of it. One that begins as rows do is the name of a
    section, where the row below has a name with numbers: a line above numbers alone may be their
    name, and years, codes and dates may name the columns of another table.
    """
    parts = _columns(below.text)
    if not between or len(parts) <= 2:
        return not between
    starts = {part.start for row in (first, above) for part in _columns(row.text)[1:]}
    is_cell = not _columns(between[0].text)
    if len(between) == 1 and is_cell and between[0].indent in starts:
        return True
    numbers = [is_data(x.text) and not may_name_column(x.text) and not find_dates(x.text)
               for x in parts]  # fmt: skip
    if all(line.indent > above.indent for line in between):
        return any(numbers)
    label, is_name = parts[0], not is_data(parts[0].text)
    is_label = len(between) == 1 and is_cell and between[0].indent == label.start
    return is_label and is_name and all(numbers[1:])


def _columns(text: str) -> list[Line]:
    if len(text) > _MAX_LINE_CHARACTERS or not _WIDE_GAP.search(text):
        return []
    segments = split_segments(text)
    return [] if any(part.text.endswith(":") for part in segments) else segments


def _segments(line: Line, *, is_first: bool = False) -> list[Line]:
    """Return the parts of a row; a line that is none is one part."""
    is_row = _is_aligned(line.text, is_first=is_first)
    return split_segments(line.text) if is_row else [Line(line.indent, line.text.strip())]


def _read_aligned(lines: Sequence[Line]) -> tuple[Grid, list[Span]] | None:
    """Return the table if its full rows line up, and where its columns are."""
    rows = [(x, _segments(x, is_first=x is lines[0])) for x in lines if not _is_rule(x.text)]
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
        is_label = len(segments) == 1 and line.indent == columns[0].start
        is_spanning = is_spanning and len(segments) < n_columns and is_above_data and not is_label
        row = (
            _cells(line, _spanned(segments, columns))
            if is_spanning
            else _place(line, segments, columns)
        )
        if row is None:
            return None  # a part that stands below no column: the lines do not line up
        cells.append(row)
    _part_from_rows(cells, [line for line, _ in rows], columns)
    return Grid(Span(lines[0].span.start, lines[-1].span.end), tuple(cells)), columns


def _part_from_rows(cells: list[Row], lines: Sequence[Line], columns: Sequence[Span]) -> None:
    """Make one cell of what is no row, though its parts stand below columns."""
    texts = [[cell.text for cell in row] for row in cells]
    n_headers = count_header_rows(texts)
    full = [row for row in texts[n_headers:] if all(row)]
    numbers = [n for n, column in enumerate(zip(*full, strict=True)) if all(map(is_data, column))]
    for n, (first, *rest) in enumerate(texts[n_headers:], n_headers):
        said = [rest[at - 1] for at in numbers if at and rest[at - 1]]
        if said and not first and not any(is_data(x) or read_missing(x) is not None for x in said):
            cells[n] = _alone(lines[n], columns)


def _place(line: Line, segments: Sequence[Line], columns: Sequence[Span]) -> Row | None:
    """Return a row whose parts stand below columns, each below one; None where they do not."""
    if len(segments) == 1:
        return _alone(line, columns)
    best = [max(segments, key=lambda part: _overlap(part, column)) for column in columns]
    pairs = zip(segments if len(segments) == len(columns) else best, columns, strict=True)
    row = _cells(line, [part if _overlap(part, column) > 0 else None for part, column in pairs])
    return row if len({cell.span.start for cell in row if cell.text}) == len(segments) else None


def _alone(line: Line, columns: Sequence[Span]) -> Row:
    """Return the row of a line that is none, as one cell where it begins."""
    whole = Line(line.indent, line.text.strip())
    left = (n for n, column in enumerate(columns) if column.start <= line.indent)
    below = (n for n, column in enumerate(columns) if _overlap(whole, column) > 0)
    place = next(below, max(left, default=0))
    return _cells(line, [whole if n == place else None for n in range(len(columns))])


def _cells(line: Line, parts: Sequence[Line | None]) -> Row:
    return tuple(
        TableCell("", Span(line.end, line.end))
        if part is None
        else TableCell(part.text, Span(part.start, part.end).moved(line.start))
        for part in parts
    )


def _spanned(segments: Sequence[Line], columns: Sequence[Span]) -> list[Line | None]:
    """Return the part of a row of names that stands above each column.

    One that begins or ends with a column, lies within it or covers it stands above it, another one
    above the two that it lies between; and above as many on both sides as no other part does. What
    spans columns stands above the numbers, not above their names.
    """
    found: list[Line | None] = [None] * len(columns)
    if _overlap(segments[0], columns[0]) > 0:
        found[0], segments = segments[0], segments[1:]
    middles = [column.start + column.end for column in columns]
    ends = list[tuple[int, int, Line]]()
    for part in segments:
        middle = part.start + part.end
        within = [
            at
            for at, x in enumerate(columns)
            if (part.start - x.start) * (part.end - x.end) <= 0 and _overlap(part, x) > 0
        ]
        left = max(1, sum(x <= middle for x in middles) - 1)
        first, last = (within[0], within[-1]) if within else (left, left + 1)
        ends.append((max(first, 1), min(last, len(columns) - 1), part))
    while ends:
        for first, last, part in ends:
            found[first : last + 1] = [part] * (last + 1 - first)
        wider = [(first - 1, last + 1, part) for first, last, part in ends]
        wider = [x for x in wider if x[0] and x[1] < len(columns)]
        ends = [x for x in wider if found[x[0]] is found[x[1]] is None]
    return found


def _overlap(part: Line, column: Span) -> int:
    return min(part.end, column.end) - max(part.start, column.start)
