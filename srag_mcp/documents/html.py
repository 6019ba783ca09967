"""Reads web pages."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from srag_mcp.documents.document import Content
from srag_mcp.documents.encoding import declared_encoding, decode
from srag_mcp.documents.html_elements import (
    BLOCK_TAGS,
    MAX_DEPTH,
    add_label,
    children,
    find_label_values,
    gather_text,
    inline_text,
    is_skipped,
    label_value,
    lines_of,
)
from srag_mcp.documents.json_text import flatten
from srag_mcp.documents.lines import collapse
from srag_mcp.documents.page import Page
from srag_mcp.documents.text_blocks import Layout
from srag_mcp.errors import DocumentError

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_LAYOUT = Layout(wrapping="blank_line", has_bare_titles=False)
_LISTS = frozenset({"ul", "ol", "menu"})
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_STRUCTURES = frozenset({*_HEADINGS, *_LISTS, "dl", "table", "pre"})
_IN_CARD = "h1, h2, h3, h4, h5, h6, table, dl, p + p"
_IN_LAYOUT = "td :is(table, ul, ol, dl, h1, h2, h3, h4, h5, h6, p + p, section)"
_MAX_NESTED = 10_000
# elements that do not end by themselves where the next one begins
_NESTING = re.compile(
    r"<(/?)(?:div|section|article|main|aside|blockquote|center|fieldset|figure|ul|ol|dl|menu)\b",
    re.IGNORECASE,
)
_MAX_SPAN = 100
_MAX_COLUMNS = 500  # a few cells that span a lot would fill the memory
_TECHNICAL = frozenset(
    ("viewport", "theme-color", "robots", "generator", "referrer", "color-scheme", "googlebot",
     "format-detection", "next-head-count", "csrf-token", "csrf-param", "verify-v1", "charset",
     "handheldfriendly", "mobileoptimized")
)  # fmt: skip
_TECHNICAL_PREFIXES = (
    "msapplication", "google", "apple-", "twitter:", "fb:", "al:", "og:image", "og:url",
    "og:locale",
)  # fmt: skip
_MAX_METADATA_CHARACTERS, _MAX_METADATA = 300, 100


def read_html(data: bytes, path: str) -> Content:
    """Read a web page: what a reader sees, and its title, meta tags, JSON-LD and microdata.

    Raises:
        DocumentError: If it is not text, or its elements are nested too deeply.
    """
    # a reader of one format is loaded when a file of it comes
    from selectolax.lexbor import LexborHTMLParser

    text = decode(data, path, declared_encoding(data))
    _refuse_depth(text, path)
    tree = LexborHTMLParser(text)
    node, first = tree.css_first("title"), tree.css_first("h1")
    title = collapse(node.text()) if node is not None else ""
    heading = collapse(inline_text(first)) if first is not None else ""
    pairs = [("title", title)] if title else []
    pairs += ((key, collapse(value)) for key, value in _metadata(tree))
    walker = _Walker()
    for key, value in list(dict.fromkeys(pairs))[:_MAX_METADATA]:
        walker.page.write_pair(key, value)
    if tree.body is not None:
        walker.walk(tree.body, MAX_DEPTH)
        walker.flush()
    return walker.page.content(heading or title or None)


def _refuse_depth(text: str, path: str) -> None:
    """Refuse what the parser would take hours for: its time grows with the square of the depth."""
    if len(text) < _MAX_NESTED * len("<ul>"):
        return
    depth = 0
    for tag in _NESTING.finditer(text):
        depth = max(depth - 1, 0) if tag[1] else depth + 1
        if depth > _MAX_NESTED:
            raise DocumentError(path, f"its elements are nested more than {_MAX_NESTED:,} deep")


def _metadata(tree: "LexborHTMLParser") -> Iterator[tuple[str, str]]:
    """Yield what the head of the page, its JSON-LD and its microdata say."""
    for node in tree.css("meta[content]"):
        attributes = node.attributes
        name = (attributes.get("name") or attributes.get("property") or "").strip().lower()
        value = collapse(attributes.get("content") or "")
        is_technical = name in _TECHNICAL or name.startswith(_TECHNICAL_PREFIXES)
        if name and value and len(value) <= _MAX_METADATA_CHARACTERS and not is_technical:
            yield name.removeprefix("og:").removeprefix("dc."), value
    for node in tree.css('script[type="application/ld+json"]'):
        with suppress(ValueError, RecursionError):  # a page with broken JSON-LD still has its text
            for key, text in flatten(json.loads(node.text())):
                is_own = text.startswith(("http://", "https://")) or ".@" in f".{key}"
                if not is_own and len(text) <= _MAX_METADATA_CHARACTERS:
                    yield key, text
    for node in tree.css("[itemprop]"):
        attributes = node.attributes
        name = attributes.get("itemprop") or ""
        if name and "itemscope" not in attributes:
            value = attributes.get("content") or attributes.get("datetime") or inline_text(node)
            if value.strip() and len(value) <= _MAX_METADATA_CHARACTERS:
                yield name, value


class _Walker:
    """Goes through the elements of a page and writes what they show."""

    def __init__(self) -> None:
        self.page = Page()
        self._run: list[str] = []  # pieces of running text that no block has ended yet
        self._paragraphs: list[str] = []

    def walk(self, node: "LexborNode", depth: int) -> None:
        for child in children(node):
            self._node(child, depth)

    def flush(self) -> None:
        self._end_paragraph()
        self.page.write_text("\n\n".join(self._paragraphs), _LAYOUT)
        self._paragraphs.clear()

    def _end_paragraph(self) -> None:
        text = lines_of(self._run)
        self._run.clear()
        if text:
            self._paragraphs.append(text)

    def _node(self, node: "LexborNode", depth: int) -> None:
        tag = node.tag
        if not node.is_element_node or tag == "br" or depth <= 0:
            gather_text(node, self._run, 0)
        elif is_skipped(node):
            return
        elif tag in BLOCK_TAGS or tag in _LISTS:
            self._end_paragraph()
            self._block(node, depth)
            self._end_paragraph()
        else:
            before = len(self._run)
            self.walk(node, depth - 1)
            add_label(node, self._run, min(before, len(self._run)))

    def _block(self, node: "LexborNode", depth: int) -> None:
        tag = node.tag or ""
        pairs = [] if tag in _STRUCTURES else find_label_values(node)
        if not pairs and tag not in _STRUCTURES:
            self.walk(node, depth - 1)
            return
        self.flush()
        for key, value in pairs:
            self.page.write_pair(key, value)
        if tag in _HEADINGS:
            self.page.write_heading(inline_text(node), _HEADINGS[tag])
        elif tag in _LISTS:
            self._list(node, 0, depth)
        elif tag == "dl":
            self._definitions(node)
        elif tag == "table":
            self._table(node, depth)
        elif tag == "pre":
            self.page.write_text(node.text())

    def _list(self, node: "LexborNode", level: int, depth: int) -> None:
        if depth <= 0:
            self.page.write_item(node.text(), level)
            return
        for child in children(node):
            if child.tag == "li" and not is_skipped(child):
                self._item(child, level, depth - 1)
            elif child.tag in _LISTS:
                self._list(child, level + 1, depth - 1)
            elif child.is_element_node and child.tag != "li":
                self._node(child, depth - 1)
                self.flush()

    def _item(self, node: "LexborNode", level: int, depth: int) -> None:
        parts = list(children(node))
        has_elements = any(part.is_element_node for part in parts)
        if has_elements and node.css_first(_IN_CARD) is not None:  # it has a structure of its own
            self.walk(node, depth)
            self.flush()
            return
        pair = label_value(node)
        if pair is not None:
            self.page.write_item_pair(*pair, depth=level)
            return
        pieces: list[str] = []
        for part in parts:
            if part.tag not in _LISTS:
                gather_text(part, pieces, depth)
        self.page.write_item(lines_of(pieces), level)
        for part in parts:
            if part.tag in _LISTS:
                self._list(part, level + 1, depth)

    def _definitions(self, node: "LexborNode") -> None:
        key = ""
        for child in children(node):
            for part in children(child) if child.tag == "div" else [child]:
                if part.tag == "dt":
                    key = inline_text(part)
                elif part.tag == "dd" and not is_skipped(part):
                    self.page.write_pair(key, inline_text(part))

    def _table(self, node: "LexborNode", depth: int) -> None:
        if node.css_first("tr th") is None and node.css_first(_IN_LAYOUT) is not None:
            for cell in node.css("tr > td, tr > th"):  # it only arranges other blocks
                table = cell.parent
                while table is not None and table.tag != "table":
                    table = table.parent
                if table is not None and table.mem_id == node.mem_id:
                    self.walk(cell, depth - 1)
                    self._end_paragraph()
            return
        rows = [row for row in node.css("tr") if not is_skipped(row)]
        cells = [[cell for cell in children(row) if cell.tag in {"td", "th"}] for row in rows]
        caption = node.css_first("caption")
        words = collapse(inline_text(caption)) if caption is not None else ""
        self.page.write_table(_grid(cells), _count_header_rows(rows, cells), words)


def _count_header_rows(
    rows: "Sequence[LexborNode]", cells: "Sequence[Sequence[LexborNode]]"
) -> int | None:
    """Count the rows at the top in `<thead>` or of `<th>` only; None if nothing marks any.

    A title that spans all columns above such rows counts with them.
    """
    width = max(map(len, cells), default=0)
    n = 0
    for number, (row, line) in enumerate(zip(rows, cells, strict=True), start=1):
        in_head = row.parent is not None and row.parent.tag == "thead"
        is_title = len(line) == 1 < width - 1 and _span(line[0], "colspan") >= width
        if in_head or (line and all(cell.tag == "th" for cell in line)):
            n = number
        elif number > n + 1 or not is_title:
            break
    has_row_names = any(line and line[0].tag == "th" for line in cells)
    return n if n or has_row_names else None


def _grid(rows: "Sequence[Sequence[LexborNode]]") -> list[list[str]]:
    """Lay out the cells; `rowspan` and `colspan` repeat a cell's text."""
    grid: list[list[str]] = []
    hanging: dict[int, tuple[int, str]] = {}  # column -> rows still to fill, text
    for row in rows:
        line: list[str] = []
        for cell in [*row, None]:
            while len(line) in hanging:
                left, text = hanging.pop(len(line))
                if left > 1:
                    hanging[len(line)] = (left - 1, text)
                line.append(text)
            if cell is not None:
                text = inline_text(cell)
                down, across = _span(cell, "rowspan"), _span(cell, "colspan")
                for _ in range(min(across, _MAX_COLUMNS - len(line))):
                    if down > 1:
                        hanging[len(line)] = (down - 1, text)
                    line.append(text)
        grid.append(line)
    return grid


def _span(cell: "LexborNode", name: str) -> int:
    value = cell.attributes.get(name) or "1"
    return max(1, min(int(value), _MAX_SPAN)) if value.isdecimal() and len(value) < 5 else 1
