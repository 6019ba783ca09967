"""Builds the text of a document from parts that come with their structure."""

from collections.abc import Sequence

from srag_mcp.documents.captions import captions_at_end
from srag_mcp.documents.document import (
    Block,
    Content,
    Heading,
    KeyValue,
    ListItem,
    TableCell,
    moved_block,
)
from srag_mcp.documents.encoding import normalise_lines
from srag_mcp.documents.grid import Grid, grid_blocks
from srag_mcp.documents.key_values import find_pairs
from srag_mcp.documents.lines import collapse
from srag_mcp.documents.list_items import split_items
from srag_mcp.documents.outline import Outline
from srag_mcp.documents.page_layout import PLAIN, Layout
from srag_mcp.documents.text_blocks import find_blocks
from srag_mcp.text.spans import Span

_MAX_PAIR_ITEM_CHARACTERS = 160
_MAX_ITEM_KEY_WORDS = 4
_TAIL_CHARACTERS, _TAIL_PARTS = 1000, 30


class Page:
    """Writes parts one below the other and notes where each of them stands.

    Parts of a kind follow each other line by line; a blank line parts them from others.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._kind = ""
        self._blocks: list[Block] = []
        self._outline = Outline()

    def content(self, title: str | None = None) -> Content:
        """Return what was written so far."""
        return Content("".join(self._parts), tuple(self._blocks), title)

    def write_heading(self, text: str, level: int) -> None:
        """Write a heading, which opens a section."""
        text = _line(text)
        if text:
            self._start("heading")
            self._blocks.append(Heading(self._write(text), text, level))
            self._outline.enter(text, level)

    def write_pair(self, key: str, value: str) -> None:
        """Write `key: value`."""
        key, value = _line(key).rstrip(": "), joined_lines(value)
        if not key or not value:
            return
        self._start("pair")
        self._add_pair(key, value)

    def write_item(self, text: str, depth: int = 0) -> None:
        """Write an item of a list that is *depth* lists deep."""
        text = _line(text)
        if not text:
            return
        self._start("item")
        self._write("  " * depth + "- ")
        span = self._write(text)
        section = self._outline.section
        self._blocks.append(ListItem(span, text, section))
        pairs = find_pairs(text) if len(text) <= _MAX_PAIR_ITEM_CHARACTERS and ":" in text else []
        if len(pairs) == 1 and pairs[0].value and len(pairs[0].key.split()) <= _MAX_ITEM_KEY_WORDS:
            pair = pairs[0]
            start = span.start + pair.value_start
            value_span = Span(start, start + len(pair.value))
            pair_span = Span(span.start + pair.key_start, value_span.end)
            self._blocks.append(KeyValue(pair_span, pair.key, pair.value, value_span, section))

    def write_item_pair(self, key: str, value: str, depth: int = 0) -> None:
        """Write an item of a list that is a key with its value."""
        key, value = _line(key).rstrip(": "), joined_lines(value)
        if not key or not value:
            return
        self._start("item")
        self._write("  " * depth + "- ")
        start, place = self._length, len(self._blocks)
        section = self._outline.section
        self._add_pair(key, value)
        text = f"{key}: {value}"
        self._blocks.insert(place, ListItem(Span(start, start + len(text)), text, section))

    def write_text(self, text: str, layout: Layout = PLAIN) -> None:
        """Write lines of text, whose blocks are found as in a text file."""
        text = normalise_lines(text).strip("\n")
        if not text or text.isspace():
            return
        self._start("text")
        offset = self._length
        self._write(text)
        self._blocks += find_blocks(text, offset=offset, outline=self._outline, layout=layout)

    def write_content(self, content: Content) -> None:
        """Write the text of another content below the open headings, with its blocks."""
        if not content.text:
            return
        self._start("content")
        offset, above = self._length, self._outline.section
        self._write(content.text)
        self._blocks += [moved_block(block, offset, above) for block in content.blocks]

    def write_table(
        self, rows: Sequence[Sequence[str]], n_headers: int | None = None, caption: str = ""
    ) -> None:
        """Write a table, a row a line; rows of one column are written as items.

        *n_headers* is the number of rows at the top that name the columns, None if unknown. Notes
        that were written just above, such as "(in millions)", become part of the caption.
        """
        filled = [row for row in rows if any(map(str.strip, row))]
        if n_headers is not None:
            n_headers -= sum(not any(map(str.strip, row)) for row in rows[:n_headers])
        if max(map(len, filled), default=0) < 2:
            for row in filled:
                self.write_item(row[0])
            return
        above = captions_at_end(self._blocks, self._tail_of)
        if caption.strip():
            self.write_text(_line(caption))
        self._start("table")
        start = self._length
        cells = [self._write_row(row, is_first=n == 0) for n, row in enumerate(filled)]
        caption = _line(" ".join([*above, caption]))
        grid = Grid(Span(start, self._length), tuple(cells), n_headers, caption)
        self._blocks += grid_blocks(grid, self._outline.section)
        self._kind = "end of table"

    def _write_row(self, row: Sequence[str], *, is_first: bool) -> tuple[TableCell, ...]:
        if not is_first:
            self._write("\n")
        cells = []
        for number, raw in enumerate(row):
            if number:
                self._write(" | ")
            text = joined_lines(raw)
            cells.append(TableCell(text, self._write(text)))
        return tuple(cells)

    def _tail_of(self, span: Span) -> str:
        """Return the text of *span* if it is near the end: all of it is only joined once."""
        tail = "".join(part[-_TAIL_CHARACTERS:] for part in self._parts[-_TAIL_PARTS:])
        tail = tail[-_TAIL_CHARACTERS:]
        offset = self._length - len(tail)
        is_near = span.start >= offset
        return collapse(tail[span.start - offset : span.end - offset]) if is_near else ""

    def _add_pair(self, key: str, value: str) -> None:
        start = self._write(f"{key}: ").start
        value_span = self._write(value)
        section = self._outline.section
        self._blocks.append(KeyValue(Span(start, value_span.end), key, value, value_span, section))
        self._blocks += [
            ListItem(
                Span(value_span.start + begin, value_span.start + end),
                value[begin:end],
                (*section, key),
            )
            for begin, end in split_items(value)
        ]

    def _start(self, kind: str) -> None:
        if self._parts:
            self._write("\n" if kind == self._kind and kind in {"pair", "item"} else "\n\n")
        self._kind = kind

    def _write(self, text: str) -> Span:
        start = self._length
        self._parts.append(text)
        self._length += len(text)
        return Span(start, self._length)


def _line(text: str) -> str:
    return collapse(normalise_lines(text))


def joined_lines(text: str) -> str:
    """Return the lines of a cell on one, with a semicolon where a line ends without a mark."""
    lines = [line for line in map(collapse, normalise_lines(text).split("\n")) if line]
    marked = [line if line[-1] in ".,;:!?" else f"{line};" for line in lines[:-1]]
    return " ".join([*marked, *lines[-1:]])
