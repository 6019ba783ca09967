"""Reads web pages: what a reader sees, in blocks, and labels that are set beside their values."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from srag_mcp.documents.document import Content
from srag_mcp.documents.folder import declared_encoding, decode
from srag_mcp.documents.json_text import flatten
from srag_mcp.documents.lines import collapse, is_data, is_key
from srag_mcp.documents.page import Page
from srag_mcp.documents.text_blocks import Layout
from srag_mcp.errors import DocumentError

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_BLOCK_TAGS = frozenset(
    ("address", "article", "aside", "blockquote", "body", "center", "dd", "details", "div", "dl",
     "dt", "fieldset", "figcaption", "figure", "form", "h1", "h2", "h3", "h4", "h5", "h6",
     "header", "hgroup", "hr", "html", "legend", "li", "main", "menu", "ol", "p", "pre", "search",
     "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul")
)  # fmt: skip
_MAX_DEPTH = 80  # deeper elements are read as text without structure
_SKIPPED_TAGS = frozenset(
    ("script", "style", "nav", "footer", "noscript", "template", "iframe", "head", "button",
     "select", "textarea", "object", "embed", "canvas", "audio", "video", "map", "symbol",
     "datalist", "dialog")
)  # fmt: skip
_NOTICE = re.compile(r"(?:^|[-_\s])(?:cookies?|consent|gdpr|visually-hidden|sr-only)(?:$|[-_\s])")
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_TYPED_INPUTS = frozenset({None, "text", "number", "date", "email", "tel", "url"})
_LINE_END = "\x00"
_ICON = "\x01"  # around what an icon is called, until it is known if its line has words
_ICON_LABEL = re.compile(f"{_ICON}[^{_ICON}]*{_ICON}")
_LABEL_CLASS = re.compile(r"(?:^|[-_\s])(?:label|key|term|name|k|caption|field|dt)(?:$|[-_\s])")
_VALUE_CLASS = re.compile(r"(?:^|[-_\s])(?:value|val|data|detail|v|content|dd)(?:$|[-_\s])")
_LABEL_TAGS = frozenset({"label", "b", "strong", "dt", "th"})
_ACTIONS = frozenset({"a", "button"})
_STRUCTURE = "ul, ol, dl, table, h1, h2, h3, h4, h5, h6, pre, form, section, article"
_BETWEEN = " \t\n\r:–-·|\xa0"
_MAX_LABEL_CHARACTERS = 40
_MAX_VALUE_CHARACTERS = 200
_MAX_CHILDREN = 200
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
_TECHNICAL = (  # what names of meta tags for machines begin with
    "al:", "apple-", "charset", "color-scheme", "csrf-", "fb:", "format-detection", "google",
    "handheldfriendly", "mobileoptimized", "msapplication", "next-head-count", "og:image",
    "og:locale", "og:url", "referrer", "robots", "generator", "theme-color", "twitter:",
    "verify-v1", "viewport",
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
    depth = 0  # the time of the parser grows with its square
    for tag in _NESTING.finditer(text):
        depth = max(depth - 1, 0) if tag[1] else depth + 1
        if depth > _MAX_NESTED:
            raise DocumentError(path, f"its elements are nested more than {_MAX_NESTED:,} deep")
    tree = LexborHTMLParser(text)
    pairs = list(_metadata(tree))
    if tree.body is not None:
        unseen = [node for node in tree.body.traverse() if _is_unseen(node)]
        for node in reversed(unseen):  # what is inside comes first
            node.decompose()
    named, first = tree.css_first("title"), tree.css_first("h1")
    title = collapse(named.text()) if named is not None else ""
    heading = collapse(_inline_text(first)) if first is not None else ""
    walker = _Walker()
    for key, value in list(dict.fromkeys([("title", title), *pairs]))[:_MAX_METADATA]:
        walker.page.write_pair(key, value)
    if tree.body is not None:
        walker.walk(tree.body, _MAX_DEPTH)
        walker.flush()
    return walker.page.content(heading or title or None)


def _metadata(tree: "LexborHTMLParser") -> Iterator[tuple[str, str]]:
    """Yield what the head of the page, its JSON-LD and its microdata say."""
    for node in tree.css("meta[content]"):
        attributes = node.attributes
        name = (attributes.get("name") or attributes.get("property") or "").strip().lower()
        value = collapse(attributes.get("content") or "")
        is_short = len(value) <= _MAX_METADATA_CHARACTERS
        if name and value and is_short and not name.startswith(_TECHNICAL):
            yield name.removeprefix("og:").removeprefix("dc."), value
    for node in tree.css('script[type="application/ld+json"]'):
        with suppress(ValueError, RecursionError):  # a page with broken JSON-LD still has its text
            for key, text in flatten(json.loads(node.text())):
                is_own = text.startswith(("http://", "https://")) or ".@" in f".{key}"
                if not is_own and len(text) <= _MAX_METADATA_CHARACTERS:
                    yield key, collapse(text)
    for node in tree.css("[itemprop]"):
        attributes = node.attributes
        name = attributes.get("itemprop") or ""
        if name and "itemscope" not in attributes:
            value = attributes.get("content") or attributes.get("datetime") or _inline_text(node)
            if value.strip() and len(value) <= _MAX_METADATA_CHARACTERS:
                yield name, collapse(value)


class _Walker:
    """Goes through the elements of a page and writes what they show."""

    def __init__(self) -> None:
        self.page = Page()
        self._run: list[str] = []  # pieces of running text that no block has ended yet
        self._paragraphs: list[str] = []

    def walk(self, node: "LexborNode", depth: int) -> None:
        for child in _children(node):
            self._node(child, depth)

    def flush(self) -> None:
        self._end_paragraph()
        self.page.write_text("\n\n".join(self._paragraphs), _LAYOUT)
        self._paragraphs.clear()

    def _end_paragraph(self) -> None:
        text = _lines_of(self._run)
        self._run.clear()
        if text:
            self._paragraphs.append(text)

    def _node(self, node: "LexborNode", depth: int) -> None:
        tag = node.tag
        if not node.is_element_node or tag == "br" or depth <= 0:
            _gather_text(node, self._run, 0)
        elif tag in _BLOCK_TAGS:
            self._end_paragraph()
            self._block(node, depth)
            self._end_paragraph()
        else:
            before = len(self._run)
            self.walk(node, depth - 1)
            _add_label(node, self._run, min(before, len(self._run)))

    def _block(self, node: "LexborNode", depth: int) -> None:
        tag = node.tag or ""
        pairs = [] if tag in _STRUCTURES else _label_values(node)
        if not pairs and tag not in _STRUCTURES:
            self.walk(node, depth - 1)
            return
        self.flush()
        for key, value in pairs:
            self.page.write_pair(key, value)
        if tag in _HEADINGS:
            self.page.write_heading(_inline_text(node), _HEADINGS[tag])
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
        for child in _children(node):
            if child.tag == "li":
                self._item(child, level, depth - 1)
            elif child.tag in _LISTS:
                self._list(child, level + 1, depth - 1)
            elif child.is_element_node:
                self._node(child, depth - 1)
                self.flush()

    def _item(self, node: "LexborNode", level: int, depth: int) -> None:
        if node.css_first(_IN_CARD) is not None:  # it has a structure of its own
            self.walk(node, depth)
            self.flush()
            return
        pairs = _label_values(node)
        for key, value in pairs:
            self.page.write_pair(key, value, level)
        if not pairs:
            lists = [part for part in _children(node) if part.tag in _LISTS]
            pieces: list[str] = []
            for part in _children(node):
                if part.tag not in _LISTS:
                    _gather_text(part, pieces, depth)
            self.page.write_item(_lines_of(pieces), level)
            for part in lists:
                self._list(part, level + 1, depth)

    def _definitions(self, node: "LexborNode") -> None:
        keys: list[str] = []  # several terms may share what is said of them
        before = ""
        for child in _children(node):
            for part in _children(child) if child.tag == "div" else [child]:
                if part.tag == "dt":
                    keys = [*(keys if before == "dt" else []), _inline_text(part)]
                elif part.tag == "dd":
                    self.page.write_pair(", ".join(keys), _inline_text(part))
                before = str(part.tag)

    def _table(self, node: "LexborNode", depth: int) -> None:
        groups = [list(_children(part)) for part in _children(node)]
        rows = [row for group in groups for row in group if row.tag == "tr"]
        cells = [[cell for cell in _children(row) if cell.tag in {"td", "th"}] for row in rows]
        if node.css_first("tr th") is None and node.css_first(_IN_LAYOUT) is not None:
            for cell in (cell for line in cells for cell in line):  # it only arranges other blocks
                self.walk(cell, depth - 1)
                self._end_paragraph()
            return
        caption = node.css_first("caption")
        words = collapse(_inline_text(caption)) if caption is not None else ""
        self.page.write_table(_grid(cells), _count_header_rows(rows, cells), words)


def _count_header_rows(
    rows: "Sequence[LexborNode]", cells: "Sequence[Sequence[LexborNode]]"
) -> int | None:
    """Count the rows at the top in `<thead>` or of `<th>` only; None if nothing marks any."""
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
                text = _inline_text(cell)
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


def _children(node: "LexborNode") -> Iterator["LexborNode"]:
    """Yield what is right below *node*: elements, texts and others."""
    child = node.child
    while child is not None:
        yield child
        child = child.next


def _is_unseen(node: "LexborNode") -> bool:
    """Whether an element of the body is not part of what a reader of the page reads."""
    if node.tag in _SKIPPED_TAGS:
        return True
    attributes = node.attributes if node.tag != "body" else {}
    style = attributes.get("style")
    if "hidden" in attributes or (style and _HIDDEN_STYLE.search(style)):
        return True
    names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}".lower()
    return bool(_NOTICE.search(names)) or attributes.get("role") in {"navigation", "dialog"}


def _inline_text(node: "LexborNode") -> str:
    r"""Return the text of an element, on lines where `<br>` or blocks inside part it."""
    parts: list[str] = []
    _gather_text(node, parts, _MAX_DEPTH)
    return _lines_of(parts)


def _lines_of(parts: Sequence[str]) -> str:
    r"""Join pieces of text; white space counts once, each `\0` ends a line."""
    lines = "".join(parts).split(_LINE_END)
    for number, line in enumerate(lines):
        if _ICON in line:  # what icons are called counts if the line says nothing else
            words = _ICON_LABEL.sub(" ", line)
            lines[number] = words if any(map(str.isalnum, words)) else line.replace(_ICON, " ")
    return "\n".join(filter(None, map(collapse, lines)))


def _gather_text(node: "LexborNode", parts: list[str], depth: int) -> None:
    """Append the text of *node* to *parts*, at most *depth* elements deep in its structure."""
    if node.is_text_node:
        parts.append(_unmarked(node.text_content or ""))
    elif node.tag == "br":
        parts.append(_LINE_END)
    elif node.is_element_node and depth == 0:
        parts.append(_unmarked(node.text()))
    elif node.is_element_node:
        before = len(parts)
        for child in _children(node):
            _gather_text(child, parts, depth - 1)
        _add_label(node, parts, before)
        if node.tag in _BLOCK_TAGS:
            parts.insert(before, _LINE_END)
            parts.append(_LINE_END)


def _unmarked(text: str) -> str:
    return text.replace(_LINE_END, "").replace(_ICON, "")


def _add_label(node: "LexborNode", parts: list[str], before: int) -> None:
    """Append what an element is called if *parts* from *before* on say nothing in words."""
    attributes = node.attributes
    is_input, kind = node.tag == "input", attributes.get("type")
    if not is_input:
        label = attributes.get("alt") or attributes.get("aria-label") or attributes.get("title")
    elif kind in {"checkbox", "radio"}:
        label = "☑" if "checked" in attributes else "☐"
    else:
        label = attributes.get("value") if kind in _TYPED_INPUTS else None
    shown = "".join(parts[before:]) if label else ""
    if label and not any(map(str.isalnum, shown)):
        label = _unmarked(label)
        parts.append(f" {label} " if shown.strip() or is_input else f"{_ICON}{label}{_ICON}")


def _label_values(node: "LexborNode") -> list[tuple[str, str]]:
    """Return the pairs of an element that holds one, or whose children alternate label, value."""
    parts = _text_children(node)
    shapes, is_one = list(map(_shape, parts)), len(parts) == 2
    if not is_one and (len(parts) < 4 or len(parts) % 2 or shapes[0] == shapes[1]):
        return []
    if len(set(shapes[::2])) != 1 or len(set(shapes[1::2])) != 1:
        return []
    words = [collapse(_inline_text(part)) for part in parts]
    if max(map(len, words)) > _MAX_VALUE_CHARACTERS or any(x.tag in _ACTIONS for x in parts):
        return []
    if is_one and not _side_by_side(node, parts):
        return []
    labels, values = words[::2], words[1::2]
    if not all(map(_is_label, labels)):
        (figure, *_), (name, *_) = labels, values
        is_figure = is_data(figure) and _is_label(name) and not any(map(str.isdigit, name))
        return [(name, figure)] if is_one and is_figure else []
    pairs = {label.rstrip(": "): value for label, value in zip(labels, values, strict=True)}
    return list(pairs.items()) if len(pairs) == len(labels) else []


def _text_children(node: "LexborNode") -> "list[LexborNode]":
    """Return the child elements with text; none if there is more in *node*, or too much."""
    elements = []
    for child in _children(node):
        if child.is_element_node:
            elements.append(child)
        elif child.is_text_node and (child.text_content or "").strip(_BETWEEN):
            return []
    # the selector is dear: it comes last of what can be said without reading the elements
    if not 1 < len(elements) <= _MAX_CHILDREN or node.css_first(_STRUCTURE) is not None:
        return []
    return list(filter(_inline_text, elements))


def _is_label(text: str) -> bool:
    text = text.rstrip(": ")
    return len(text) <= _MAX_LABEL_CHARACTERS and len(text.split()) <= 5 and is_key(text)


def _side_by_side(node: "LexborNode", parts: "list[LexborNode]") -> bool:
    """Whether marks, class names or the elements beside it say that they are label and value."""
    label, value = parts
    if label.tag in _LABEL_TAGS and value.tag not in _LABEL_TAGS:
        return True
    if _LABEL_CLASS.search(_shape(label)[1]) or _VALUE_CLASS.search(_shape(value)[1]):
        return True
    if _inline_text(label).rstrip().endswith(":"):
        return True
    for beside in (node.next, node.prev):
        while beside is not None and not beside.is_element_node:
            beside = beside.next
        if beside is None or beside.mem_id == node.mem_id or _shape(beside) != _shape(node):
            continue
        if list(map(_shape, _text_children(beside))) == list(map(_shape, parts)):
            return True
    return False


def _shape(node: "LexborNode") -> tuple[str, str]:
    """Return the tag of an element and its classes, in small letters."""
    return node.tag or "", (node.attributes.get("class") or "").lower()
