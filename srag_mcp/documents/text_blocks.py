"""Blocks of plain text: lines in, headings, key-values, items, tables and paragraphs out."""

from dataclasses import replace

from srag_mcp.documents.captions import MAX_CAPTION_CHARACTERS, captions_at_end
from srag_mcp.documents.document import Block, Heading, KeyValue, ListItem, Prose
from srag_mcp.documents.grid import grid_blocks
from srag_mcp.documents.headings import TitleLine, find_run_in_heading
from srag_mcp.documents.key_values import Pair, find_pairs
from srag_mcp.documents.lines import Line, collapse, split_lines
from srag_mcp.documents.list_items import match_marker, split_items
from srag_mcp.documents.outline import Outline
from srag_mcp.documents.page_layout import (
    MAX_ITEM_KEY_WORDS,
    PLAIN,
    LaidOutLines,
    Layout,
    starts_plain,
)
from srag_mcp.documents.stacked_pairs import find_stacked_pairs, may_begin_stack
from srag_mcp.documents.text_tables import TableFinder
from srag_mcp.text.spans import Span

_LABEL_LEVEL = 7
_MAX_VALUE_CHARACTERS = 400
_MAX_LONG_KEY_VALUE_CHARACTERS = 120
_MAX_PAIR_ITEM_CHARACTERS = 160
_MIN_CLAUSE_CHARACTERS = 60
_MAX_STACKED_LINES = 60


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
        self._all = text
        self._offset = offset
        self._outline = outline
        self._lines = split_lines(text, offset)
        self._tables = TableFinder(self._lines)
        self._laid_out = LaidOutLines(self._lines, layout)
        self._blocks: list[Block] = []

    def read(self) -> list[Block]:
        at = 0
        while at < len(self._lines):
            at = at + 1 if self._lines[at].is_blank else self._read_block(at)
        return self._blocks

    def _read_block(self, at: int) -> int:
        for read in (self._table, self._pairs, self._stacked, self._heading, self._item):
            after = read(at)
            if after is not None:
                return after
        return self._prose(at)

    def _table(self, at: int) -> int | None:
        table = self._tables.find(at)
        if table is None:
            return None
        grid = replace(table.grid, caption=self._caption_above(at))
        blocks = grid_blocks(grid, self._outline.section)
        if not blocks:
            self._tables.reject(at + table.n_lines)
            return None
        self._blocks += blocks
        return at + table.n_lines

    def _caption_above(self, at: int) -> str:
        """Return the short text that ends at most one blank line above line *at*.

        That is one heading or paragraph, or a few lines that read as captions.
        """
        if not self._blocks:
            return ""
        span = self._blocks[-1].span
        gap = sum(line.start > span.end for line in self._lines[max(0, at - 3) : at])
        if gap > 1:
            return ""
        captions = " ".join(captions_at_end(self._blocks, self._text))
        is_line = isinstance(self._blocks[-1], Heading | Prose)
        is_short = span.end - span.start <= MAX_CAPTION_CHARACTERS
        return captions or (self._text(span) if is_line and is_short else "")

    def _raw(self, span: Span) -> str:
        return self._all[span.start - self._offset : span.end - self._offset]

    def _text(self, span: Span) -> str:
        return collapse(self._raw(span))

    def _heading(self, at: int) -> int | None:
        found = self._laid_out.heading(at)
        if found is None:
            return None
        self._enter(found)
        return at + found.n_lines

    def _enter(self, found: TitleLine) -> None:
        self._outline.enter(found.title, found.level)
        self._blocks.append(Heading(found.span, found.title, found.level))

    def _pairs(self, at: int) -> int | None:
        line = self._lines[at]
        if match_marker(line.text) or line.text.lstrip().startswith("#"):
            return None
        pairs = find_pairs(line.text)
        if not pairs:
            return None
        if len(pairs) == 1 and not pairs[0].value:
            return self._label(at, pairs[0])
        end = self._laid_out.value_end(at, pairs[-1])
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

    def _label(self, at: int, pair: Pair) -> int | None:
        """Read a line `Key:`: the key of the next line, a heading, or a field left empty."""
        start = self._lines[at].start + pair.key_start
        if self._laid_out.is_value(at + 1):
            self._append_pair(start, pair.key, self._lines[at + 1].span)
            return at + 2
        if self._laid_out.is_shouting or not self._laid_out.introduces(at):
            return None
        span = Span(start, start + len(pair.key))
        self._enter(TitleLine(collapse(pair.key), _LABEL_LEVEL, 1, span))
        return at + 1

    def _stacked(self, at: int) -> int | None:
        if not may_begin_stack(self._lines, at):
            return None
        end = at + 1
        last = min(len(self._lines), at + _MAX_STACKED_LINES)
        while end < last and starts_plain(self._lines[end]) and not self._laid_out.heading(end):
            end += 1
        pairs = find_stacked_pairs(self._lines, at, end)
        for key, value in pairs:
            self._append_pair(key.span.start, key.text.strip(), value.span)
        return at + 2 * len(pairs) if pairs else None

    def _item(self, at: int) -> int | None:
        line = self._lines[at]
        marker = match_marker(line.text)
        if marker is None:
            return None
        start = line.start + marker[1]
        run_in = find_run_in_heading(line) if marker[0] == "number" else None
        if run_in is not None and len(line.text) > _MIN_CLAUSE_CHARACTERS:
            return self._clause(at)
        end = self._laid_out.paragraph_end(at)
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
        if len(pairs) == 1 and len(pairs[0].key.split()) <= MAX_ITEM_KEY_WORDS:
            self._add_pair(line, pairs[0], line.start + pairs[0].value_end)

    def _clause(self, at: int) -> int:
        """Read a numbered paragraph with its title at its start."""
        found = find_run_in_heading(self._lines[at])
        if found is None:
            return at
        self._enter(found)
        end = self._laid_out.paragraph_end(at)
        line = self._lines[at]
        rest = Line(found.span.end, line.text[found.span.end - line.start :])
        span = Span(rest.span.start, self._lines[end - 1].span.end)
        self._blocks.append(Prose(span, self._outline.section))
        return end

    def _prose(self, at: int) -> int:
        end = self._laid_out.paragraph_end(at)
        span = Span(self._lines[at].span.start, self._lines[end - 1].span.end)
        section = self._outline.section
        below_heading = self._blocks and isinstance(self._blocks[-1], Heading)
        items = _items(self._raw(span), span.start, section) if below_heading else []
        self._blocks += items or [Prose(span, section)]
        return end


def _is_sentence(key: str, n_value_characters: int) -> bool:
    """Whether a key with a value of that length reads as running text with a colon in it."""
    most = _MAX_VALUE_CHARACTERS if len(key.split()) < 3 else _MAX_LONG_KEY_VALUE_CHARACTERS
    return n_value_characters > most


def _items(text: str, start: int, section: tuple[str, ...]) -> list[Block]:
    if "\n" in text:
        return []
    return [
        ListItem(Span(start + begin, start + end), text[begin:end], section)
        for begin, end in split_items(text)
    ]
