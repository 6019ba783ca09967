"""Builds the text of a document from parts that come with their structure."""

from collections.abc import Sequence

from srag_mcp.documents.document import (
    Block,
    Content,
    Heading,
    ListItem,
    Prose,
    TableCell,
    moved_block,
)
from srag_mcp.documents.folder import normalise_lines
from srag_mcp.documents.lines import Outline, collapse, find_pairs
from srag_mcp.documents.tables import Grid, captions_at_end, grid_blocks
from srag_mcp.documents.text_blocks import (
    LABEL_LEVEL,
    PLAIN,
    Layout,
    find_blocks,
    item_blocks,
    pair_blocks,
)
from srag_mcp.text.spans import Span

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

    def write_pair(self, key: str, value: str, depth: int | None = None) -> None:
        """Write `key: value`; as an item of a list that is *depth* lists deep, if that is given."""
        key, value, section = _line(key).rstrip(": "), joined_lines(value), self._outline.section
        if not key or not value:
            return
        self._start("pair" if depth is None else "item")
        if depth is not None:
            self._write("  " * depth + "- ")
            text = f"{key}: {value}"
            self._blocks.append(
                ListItem(Span(self._length, self._length + len(text)), text, section)
            )
        start, value_span = self._write(f"{key}: ").start, self._write(value)
        self._blocks += pair_blocks(start, key, value, value_span, section)

    def write_item(self, text: str, depth: int = 0) -> TableCell:
        """Write an item of a list that is *depth* lists deep; return it with its place."""
        text = _line(text)
        if not text:
            return self.empty_cell()
        self._head_items()
        self._start("item")
        self._write("  " * depth + "- ")
        span, section = self._write(text), self._outline.section
        self._blocks += item_blocks(text, span, section)
        return TableCell(text, span)

    def _head_items(self) -> None:
        """Take a line `Key:` that ends a text for the heading of the items below it."""
        last = self._blocks[-1] if self._kind == "text" and self._blocks else None
        pairs = find_pairs(self._tail_of(last.span)) if isinstance(last, Prose) else []
        if last is not None and [pair.value for pair in pairs] == [""]:
            key, start = pairs[0].key, last.span.start + pairs[0].key_start
            self._blocks[-1] = Heading(Span(start, start + len(key)), collapse(key), LABEL_LEVEL)
            self._outline.enter(collapse(key), LABEL_LEVEL)

    def empty_cell(self) -> TableCell:
        """Return a cell without words at the end of what was written."""
        return TableCell("", Span(self._length, self._length))

    def write_text(self, text: str, layout: Layout = PLAIN) -> None:
        """Write lines of text, whose blocks are found as in a text file."""
        text = normalise_lines(text).strip("\n")
        if text and not text.isspace():
            self._start("text")
            offset = self._write(text).start
            self._blocks += find_blocks(text, offset=offset, outline=self._outline, layout=layout)

    def write_content(self, content: Content) -> None:
        """Write the text of another content below the open headings, with its blocks."""
        if content.text:
            self._start("content")
            offset, above = self._write(content.text).start, self._outline.section
            self._blocks += [moved_block(block, offset, above) for block in content.blocks]

    def write_table(
        self, rows: Sequence[Sequence[str]], n_headers: int | None = None, caption: str = ""
    ) -> list[tuple[TableCell, ...]]:
        """Write a table, a row a line; rows of one column are written as items.

        Return the rows that have any words, with their places.

        *n_headers* is the number of rows at the top that name the columns, None if unknown. Notes
        that were written just above, such as "(in millions)", become part of the caption.
        """
        filled = [row for row in rows if any(map(str.strip, row))]
        if n_headers is not None:
            n_headers -= sum(not any(map(str.strip, row)) for row in rows[:n_headers])
        if max(map(len, filled), default=0) < 2:
            return [(self.write_item(row[0]),) for row in filled]
        above = captions_at_end(self._blocks, self._tail_of)
        if caption.strip():
            self.write_text(_line(caption))
        self._start("table")
        start = self._length
        cells: list[tuple[TableCell, ...]] = []
        for row in filled:
            if cells:
                self._write("\n")
            line: list[TableCell] = []
            for raw in row:
                if line:
                    self._write(" | ")
                text = joined_lines(raw)
                line.append(TableCell(text, self._write(text)))
            cells.append(tuple(line))
        caption = _line(" ".join([*above, caption]))
        grid = Grid(Span(start, self._length), tuple(cells), n_headers, caption)
        self._blocks += grid_blocks(grid, self._outline.section)
        return cells

    def _tail_of(self, span: Span) -> str:
        """Return the text of *span* if it is near the end: all of it is only joined once."""
        tail = "".join(part[-_TAIL_CHARACTERS:] for part in self._parts[-_TAIL_PARTS:])
        tail = tail[-_TAIL_CHARACTERS:]
        offset = self._length - len(tail)
        return collapse(span.moved(-offset).of(tail)) if span.start >= offset else ""

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
