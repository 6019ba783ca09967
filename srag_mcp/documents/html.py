"""Reads web pages."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from srag_mcp.documents.document import Content
from srag_mcp.documents.encoding import declared_encoding, decode
from srag_mcp.documents.html_metadata import MetaData, find_metadata
from srag_mcp.documents.html_pairs import find_label_values, label_value
from srag_mcp.documents.html_tables import read_table
from srag_mcp.documents.html_text import (
    BLOCK_TAGS,
    MAX_DEPTH,
    add_label,
    gather_text,
    inline_text,
    is_skipped,
    lines_of,
)
from srag_mcp.documents.lines import collapse
from srag_mcp.documents.page import Page
from srag_mcp.documents.text_blocks import Layout
from srag_mcp.errors import DocumentError

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_LAYOUT = Layout(wrapping="blank_line", has_bare_titles=False)
_LISTS = frozenset({"ul", "ol", "menu"})
_MAX_NESTED = 10_000
# elements that do not end by themselves where the next one begins
_NESTING = re.compile(
    r"<(/?)(?:div|section|article|main|aside|blockquote|center|fieldset|figure|ul|ol|dl|menu)\b",
    re.IGNORECASE,
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}


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
    metadata = find_metadata(tree)
    walker = _Walker(Page())
    walker.write_metadata(metadata)
    if tree.body is not None:
        walker.write_body(tree.body)
    first = tree.css_first("h1")
    heading = collapse(inline_text(first)) if first is not None else ""
    return walker.page.content(heading or metadata.title)


def _refuse_depth(text: str, path: str) -> None:
    """Refuse what the parser would take hours for: its time grows with the square of the depth."""
    if len(text) < _MAX_NESTED * len("<ul>"):
        return
    depth = 0
    for tag in _NESTING.finditer(text):
        depth = max(depth - 1, 0) if tag[1] else depth + 1
        if depth > _MAX_NESTED:
            raise DocumentError(path, f"its elements are nested more than {_MAX_NESTED:,} deep")


class _Walker:
    """Goes through the elements of a page and writes what they show."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._run: list[str] = []  # pieces of running text that no block has ended yet
        self._paragraphs: list[str] = []

    def write_metadata(self, metadata: MetaData) -> None:
        for key, value in metadata.pairs:
            self.page.write_pair(key, value)

    def write_body(self, body: "LexborNode") -> None:
        self._children(body, MAX_DEPTH)
        self._flush()

    def _children(self, node: "LexborNode", depth: int) -> None:
        child = node.child
        while child is not None:
            self._node(child, depth)
            child = child.next

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
            self._children(node, depth - 1)
            add_label(node, self._run, min(before, len(self._run)))

    def _block(self, node: "LexborNode", depth: int) -> None:
        tag = node.tag or ""
        if tag in _HEADINGS:
            self._flush()
            self.page.write_heading(inline_text(node), _HEADINGS[tag])
        elif tag in _LISTS:
            self._flush()
            self._list(node, 0, depth)
        elif tag == "dl":
            self._flush()
            self._definitions(node)
        elif tag == "table":
            self._flush()
            self._table(node, depth)
        elif tag == "pre":
            self._flush()
            self.page.write_text(node.text())
        else:
            self._container(node, depth)

    def _container(self, node: "LexborNode", depth: int) -> None:
        pairs = find_label_values(node)
        if not pairs:
            self._children(node, depth - 1)
            return
        self._flush()
        for key, value in pairs:
            self.page.write_pair(key, value)

    def _list(self, node: "LexborNode", level: int, depth: int) -> None:
        if depth <= 0:
            self.page.write_item(node.text(), level)
            return
        child = node.child
        while child is not None:
            if child.tag == "li" and not is_skipped(child):
                self._item(child, level, depth - 1)
            elif child.tag in _LISTS:
                self._list(child, level + 1, depth - 1)
            elif child.is_element_node and child.tag != "li":
                self._node(child, depth - 1)
                self._end_paragraph()
                self._flush()
            child = child.next

    def _item(self, node: "LexborNode", level: int, depth: int) -> None:
        if _is_card(node):
            self._children(node, depth)
            self._end_paragraph()
            self._flush()
            return
        pair = label_value(node)
        if pair is not None:
            self.page.write_item_pair(*pair, depth=level)
            return
        parts: list[str] = []
        nested: list[LexborNode] = []
        child = node.child
        while child is not None:
            if child.tag in _LISTS:
                nested.append(child)
            else:
                gather_text(child, parts, depth)
            child = child.next
        self.page.write_item(lines_of(parts), level)
        for inner in nested:
            self._list(inner, level + 1, depth)

    def _definitions(self, node: "LexborNode") -> None:
        key = ""
        for child in _elements(node):
            for part in _elements(child) if child.tag == "div" else [child]:
                if part.tag == "dt":
                    key = inline_text(part)
                elif part.tag == "dd" and not is_skipped(part):
                    self.page.write_pair(key, inline_text(part))

    def _table(self, node: "LexborNode", depth: int) -> None:
        table = read_table(node)
        if table is None:  # it only arranges other blocks
            for row in node.css("tr > td, tr > th"):
                if row.parent is not None and _table_of(row) == node.mem_id:
                    self._children(row, depth - 1)
                    self._end_paragraph()
            return
        self.page.write_table(table.rows, table.n_headers, table.caption)

    def _end_paragraph(self) -> None:
        if not self._run:
            return
        text = lines_of(self._run)
        self._run.clear()
        if text:
            self._paragraphs.append(text)

    def _flush(self) -> None:
        self._end_paragraph()
        self.page.write_text("\n\n".join(self._paragraphs), _LAYOUT)
        self._paragraphs.clear()


def _is_card(node: "LexborNode") -> bool:
    """Whether an item of a list has a structure of its own."""
    if next(_elements(node), None) is None:
        return False
    return node.css_first("h1, h2, h3, h4, h5, h6, table, dl, p + p") is not None


def _elements(node: "LexborNode") -> "Iterator[LexborNode]":
    child = node.child
    while child is not None:
        if child.is_element_node:
            yield child
        child = child.next


def _table_of(node: "LexborNode") -> int | None:
    parent = node.parent
    while parent is not None and parent.tag != "table":
        parent = parent.parent
    return parent.mem_id if parent is not None else None
