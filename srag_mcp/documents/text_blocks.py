"""Blocks of plain text: lines in, headings, key-values, items, tables and paragraphs out."""

from dataclasses import dataclass
from typing import Literal

from srag_mcp.documents.document import Block, Heading, KeyValue, ListItem, Prose, Span
from srag_mcp.documents.grid import grid_blocks
from srag_mcp.documents.headings import find_heading, find_run_in_heading, is_shouting
from srag_mcp.documents.key_values import Pair, find_pairs
from srag_mcp.documents.lines import Line, collapse, is_wrapped, split_lines, wrap_width
from srag_mcp.documents.list_items import match_marker, split_items
from srag_mcp.documents.outline import Outline
from srag_mcp.documents.text_tables import find_text_table


@dataclass(frozen=True, slots=True)
class Layout:
    """How the lines of a text show its structure.

    *wrapping* says when a line belongs to the paragraph of the line before it: if that line looks
    full, up to the next blank line, or never. *has_bare_titles*: a line that nothing marks as a
    heading may be one.
    """

    wrapping: Literal["guess", "blank_line", "never"] = "guess"
    has_bare_titles: bool = True


PLAIN = Layout()
_LABEL_LEVEL = 7
_MAX_VALUE_CHARACTERS = 400
_MAX_LONG_KEY_VALUE_CHARACTERS = 120
_MAX_LINE_VALUE_CHARACTERS = 80
_MAX_PAIR_ITEM_CHARACTERS = 160
_MAX_ITEM_KEY_WORDS = 4
_MIN_CLAUSE_CHARACTERS = 60
_MIN_BODY_CHARACTERS = 60
_MAX_CAPTION_CHARACTERS = 200


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


class _TextReader:
    def __init__(self, text: str, offset: int, outline: Outline, layout: Layout) -> None:
        lines = split_lines(text, offset)
        self._lines = lines
        self._all = text
        self._offset = offset
        self._outline = outline
        self._layout = layout
        self._width = wrap_width(lines)
        self._shouting = is_shouting(lines)
        self._blocks: list[Block] = []

    def read(self) -> list[Block]:
        at = 0
        while at < len(self._lines):
            at = at + 1 if self._lines[at].is_blank else self._read_block(at)
        return self._blocks

    def _read_block(self, at: int) -> int:
        for read in (self._table, self._pairs, self._heading, self._item):
            after = read(at)
            if after is not None:
                return after
        return self._prose(at)

    def _table(self, at: int) -> int | None:
        table = find_text_table(self._lines, at)
        if table is None:
            return None
        grid = table.grid
        caption = self._caption_above(at)
        blocks = grid_blocks(
            type(grid)(grid.span, grid.rows, grid.n_headers, caption), self._outline.section
        )
        self._blocks += blocks
        return at + table.n_lines if blocks else None

    def _caption_above(self, at: int) -> str:
        """Return the short text that ends at most one blank line above line *at*."""
        if not self._blocks or not isinstance(self._blocks[-1], Heading | Prose):
            return ""
        span = self._blocks[-1].span
        gap = sum(line.start > span.end for line in self._lines[max(0, at - 3) : at])
        if gap > 1 or span.end - span.start > _MAX_CAPTION_CHARACTERS:
            return ""
        return self._text(span)

    def _raw(self, span: Span) -> str:
        return self._all[span.start - self._offset : span.end - self._offset]

    def _text(self, span: Span) -> str:
        return collapse(self._raw(span))

    def _heading(self, at: int) -> int | None:
        guess = self._layout.has_bare_titles and not self._shouting
        found = find_heading(self._lines, at, guess=guess)
        if found is None:
            return None
        self._outline.enter(found.title, found.level)
        self._blocks.append(Heading(found.span, found.title, found.level))
        return at + found.n_lines

    def _pairs(self, at: int) -> int | None:
        line = self._lines[at]
        if match_marker(line.text) or line.text.lstrip().startswith("#"):
            return None
        pairs = find_pairs(line.text)
        if not pairs:
            return None
        if len(pairs) == 1 and not pairs[0].value:
            return self._label(at, pairs[0])
        end = self._value_end(at, pairs[-1])
        last = self._lines[end - 1].span.end
        if len(pairs) == 1 and _is_sentence(pairs[0].key, last - line.start - pairs[0].value_start):
            return None
        for pair in pairs:
            stop = line.start + pair.value_end if pair is not pairs[-1] or end == at + 1 else last
            self._add_pair(line, pair, stop)
        return end

    def _add_pair(self, line: Line, pair: Pair, stop: int) -> None:
        if not pair.value:
            return
        value_span = Span(line.start + pair.value_start, stop)
        self._append_pair(line.start + pair.key_start, pair.key, value_span)

    def _append_pair(self, start: int, key: str, value_span: Span) -> None:
        key, value, section = collapse(key), self._text(value_span), self._outline.section
        self._blocks.append(KeyValue(Span(start, value_span.end), key, value, value_span, section))
        self._blocks += _items(self._raw(value_span), value_span.start, (*section, key))

    def _value_end(self, at: int, pair: Pair) -> int:
        """Return the line after the value of *pair*, which may go on over indented lines."""
        end = at + 1
        indent = self._lines[at].indent
        while end < len(self._lines) and pair.value:
            line = self._lines[end]
            if line.is_blank or match_marker(line.text) or find_pairs(line.text):
                break
            aligned = line.indent >= max(indent + 2, 2)
            full = len(pair.value) > 20 and is_wrapped(self._lines[end - 1], line, self._width)
            if not (aligned or full) or end - at > 10:
                break
            end += 1
        return end

    def _label(self, at: int, pair: Pair) -> int | None:
        """Read a line `Key:`: the key of the next line, a heading, or a field left empty."""
        line = self._lines[at]
        start = line.start + pair.key_start
        if self._is_value(at + 1):
            self._append_pair(start, pair.key, self._lines[at + 1].span)
            return at + 2
        if self._shouting or not self._introduces(at):
            return None
        self._outline.enter(collapse(pair.key), _LABEL_LEVEL)
        span = Span(start, start + len(pair.key))
        self._blocks.append(Heading(span, collapse(pair.key), _LABEL_LEVEL))
        return at + 1

    def _introduces(self, at: int) -> bool:
        """Whether a list, fields or a longer text come below line *at*."""
        after = next((line for line in self._lines[at + 1 : at + 3] if not line.is_blank), None)
        if after is None:
            return False
        return not _starts_plain(after) or len(after.text) > _MIN_BODY_CHARACTERS

    def _is_value(self, at: int) -> bool:
        if at >= len(self._lines) or not _starts_plain(self._lines[at]):
            return False
        if len(self._lines[at].text.strip()) > _MAX_LINE_VALUE_CHARACTERS:
            return False
        after = at + 1
        return (
            after >= len(self._lines)
            or self._lines[after].is_blank
            or bool(find_pairs(self._lines[after].text))
        )

    def _item(self, at: int) -> int | None:
        line = self._lines[at]
        marker = match_marker(line.text)
        if marker is None:
            return None
        start = line.start + marker[1]
        run_in = find_run_in_heading(line) if marker[0] == "number" else None
        if run_in is not None and len(line.text) > _MIN_CLAUSE_CHARACTERS:
            return self._clause(at)
        end = self._paragraph_end(at)
        span = Span(start, self._lines[end - 1].span.end)
        self._add_item(span)
        return end

    def _add_item(self, span: Span) -> None:
        text, section = self._text(span), self._outline.section
        self._blocks.append(ListItem(span, text, section))
        line = Line(span.start, self._raw(span))
        if "\n" in line.text or len(line.text) > _MAX_PAIR_ITEM_CHARACTERS or ":" not in text:
            return
        pairs = find_pairs(line.text)
        if len(pairs) == 1 and len(pairs[0].key.split()) <= _MAX_ITEM_KEY_WORDS:
            self._add_pair(line, pairs[0], line.start + pairs[0].value_end)

    def _clause(self, at: int) -> int:
        """Read a numbered paragraph with its title at its start."""
        found = find_run_in_heading(self._lines[at])
        if found is None:
            return at
        self._outline.enter(found.title, found.level)
        self._blocks.append(Heading(found.span, found.title, found.level))
        end = self._paragraph_end(at)
        line = self._lines[at]
        rest = Line(found.span.end, line.text[found.span.end - line.start :])
        span = Span(rest.span.start, self._lines[end - 1].span.end)
        self._blocks.append(Prose(span, self._outline.section))
        return end

    def _prose(self, at: int) -> int:
        end = self._paragraph_end(at)
        span = Span(self._lines[at].span.start, self._lines[end - 1].span.end)
        section = self._outline.section
        below_heading = self._blocks and isinstance(self._blocks[-1], Heading)
        items = _items(self._raw(span), span.start, section) if below_heading else []
        self._blocks += items or [Prose(span, section)]
        return end

    def _paragraph_end(self, at: int) -> int:
        end = at + 1
        while end < len(self._lines) and self._goes_on(end):
            end += 1
        return end

    def _goes_on(self, at: int) -> bool:
        """Whether line *at* belongs to the paragraph of the line before it."""
        line, before = self._lines[at], self._lines[at - 1]
        if line.is_blank or line.text.lstrip().startswith(("#", "|")):
            return False
        if self._layout.wrapping == "blank_line":
            return match_marker(line.text) is None and not self._is_pair_line(at)
        if self._layout.wrapping == "never" or not is_wrapped(before, line, self._width):
            return False
        marker = match_marker(line.text)
        if marker is not None:
            return marker[0] == "number" and not _ends(before)
        return not (self._is_pair_line(at) and _ends(before))

    def _is_pair_line(self, at: int) -> bool:
        pairs = find_pairs(self._lines[at].text)
        return bool(pairs) and len(pairs[0].key.split()) <= _MAX_ITEM_KEY_WORDS


def _starts_plain(line: Line) -> bool:
    if line.is_blank or match_marker(line.text) or find_pairs(line.text):
        return False
    return not line.text.lstrip().startswith(("#", "|"))


def _is_sentence(key: str, n_value_characters: int) -> bool:
    """Whether a key with a value of that length reads as running text with a colon in it."""
    most = _MAX_VALUE_CHARACTERS if len(key.split()) < 3 else _MAX_LONG_KEY_VALUE_CHARACTERS
    return n_value_characters > most


def _ends(line: Line) -> bool:
    return line.text.rstrip().endswith((".", "!", "?", ":", ";"))


def _items(text: str, start: int, section: tuple[str, ...]) -> list[Block]:
    if "\n" in text:
        return []
    return [
        ListItem(Span(start + begin, start + end), text[begin:end], section)
        for begin, end in split_items(text)
    ]
