"""What elements of a web page say: their running text, and labels set beside values.

`<span>Rooms</span> <b>120</b>` -> Rooms, 120.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from srag_mcp.documents.lines import collapse
from srag_mcp.documents.pairs import is_data, is_key

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

BLOCK_TAGS = frozenset(
    ("address", "article", "aside", "blockquote", "body", "center", "dd", "details", "div", "dl",
     "dt", "fieldset", "figcaption", "figure", "form", "h1", "h2", "h3", "h4", "h5", "h6",
     "header", "hgroup", "hr", "html", "legend", "li", "main", "menu", "ol", "p", "pre", "search",
     "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul")
)  # fmt: skip
MAX_DEPTH = 80  # deeper elements are read as text without structure
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


def children(node: "LexborNode") -> Iterator["LexborNode"]:
    """Yield what is right below *node*: elements, texts and others."""
    child = node.child
    while child is not None:
        yield child
        child = child.next


def is_skipped(node: "LexborNode") -> bool:
    """Whether an element is not part of what a reader of the page reads."""
    if node.tag in _SKIPPED_TAGS:
        return True
    attributes = node.attributes
    if not attributes:
        return False
    style = attributes.get("style")
    if "hidden" in attributes or (style and _HIDDEN_STYLE.search(style)):
        return True
    names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}".lower()
    return bool(_NOTICE.search(names)) or attributes.get("role") in {"navigation", "dialog"}


def inline_text(node: "LexborNode") -> str:
    r"""Return the text of an element, on lines where `<br>` or blocks inside part it.

    Where it has no letters or digits, its `title`, `aria-label` or the `alt` of its images counts:
    `<span title="3 stars">★★★</span>` -> `★★★ 3 stars`.
    """
    parts: list[str] = []
    gather_text(node, parts, MAX_DEPTH)
    return lines_of(parts)


def lines_of(parts: Sequence[str]) -> str:
    r"""Join pieces of text; white space counts once, each `\0` ends a line."""
    lines = []
    for line in "".join(parts).split(_LINE_END):
        words = line
        if _ICON in line:  # what icons are called counts if the line says nothing else
            words = _ICON_LABEL.sub(" ", line)
            words = words if any(map(str.isalnum, words)) else line.replace(_ICON, " ")
        lines.append(collapse(words))
    return "\n".join(filter(None, lines))


def gather_text(node: "LexborNode", parts: list[str], depth: int) -> None:
    """Append the text of *node* to *parts*, at most *depth* elements deep in its structure."""
    if node.is_text_node:
        parts.append(_unmarked(node.text_content or ""))
    elif node.tag == "br":
        parts.append(_LINE_END)
    elif not node.is_element_node or is_skipped(node):
        return
    elif depth == 0:
        parts.append(_unmarked(node.text()))
    else:
        before = len(parts)
        for child in children(node):
            gather_text(child, parts, depth - 1)
        add_label(node, parts, before)
        if node.tag in BLOCK_TAGS:
            parts.insert(before, _LINE_END)
            parts.append(_LINE_END)


def _unmarked(text: str) -> str:
    return text.replace(_LINE_END, "").replace(_ICON, "")


def add_label(node: "LexborNode", parts: list[str], before: int) -> None:
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


def find_label_values(node: "LexborNode") -> list[tuple[str, str]]:
    """Return the pairs of an element that holds one, or whose children alternate label, value."""
    parts = _text_children(node, most=_MAX_CHILDREN)
    if parts is None:
        return []
    pair = _label_value(node, parts)
    return [pair] if pair else _alternating_pairs(parts)


def label_value(node: "LexborNode") -> tuple[str, str] | None:
    """Return the label and value of an element that holds these two and nothing else."""
    parts = _text_children(node, most=2)
    return None if parts is None else _label_value(node, parts)


def _label_value(node: "LexborNode", parts: "list[LexborNode]") -> tuple[str, str] | None:
    if len(parts) != 2:
        return None
    label, value = map(_words, parts)
    if label is None or value is None or not _side_by_side(node, parts):
        return None
    if _is_label(label):
        return label.rstrip(": "), value
    is_figure = is_data(label) and _is_label(value) and not any(map(str.isdigit, value))
    return (value, label) if is_figure else None


def _alternating_pairs(parts: "list[LexborNode]") -> list[tuple[str, str]]:
    shapes = list(map(_shape, parts))
    if len(parts) < 4 or len(parts) % 2 or shapes[0] == shapes[1]:
        return []
    if len(set(shapes[::2])) != 1 or len(set(shapes[1::2])) != 1:
        return []
    pairs: dict[str, str] = {}
    for label, value in zip(parts[::2], parts[1::2], strict=True):
        key, text = _words(label), _words(value)
        if key is None or text is None or not _is_label(key):
            return []
        pairs[key.rstrip(": ")] = text
    return list(pairs.items()) if 2 * len(pairs) == len(parts) else []


def _text_children(node: "LexborNode", most: int) -> "list[LexborNode] | None":
    """Return the child elements with text; None if there is more in *node*, or more of them."""
    elements = []
    for child in children(node):
        if child.is_element_node:
            elements.append(child)
        elif child.is_text_node and (child.text_content or "").strip(_BETWEEN):
            return None
    # the selector is dear: it comes last of what can be said without reading the elements
    if elements and node.css_first(_STRUCTURE) is not None:
        return None
    found = []
    for element in elements:
        if element.tag not in _SKIPPED_TAGS and inline_text(element):
            found.append(element)
            if len(found) > most:
                return None
    return found


def _words(node: "LexborNode") -> str | None:
    """Return the text of an element; None if it is no label or value."""
    text = collapse(inline_text(node))
    return text if len(text) <= _MAX_VALUE_CHARACTERS and node.tag not in _ACTIONS else None


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
    if inline_text(label).rstrip().endswith(":"):
        return True
    for beside in (node.next, node.prev):
        while beside is not None and not beside.is_element_node:
            beside = beside.next
        is_other = beside is not None and beside.mem_id != node.mem_id
        if beside is not None and is_other and _shape(beside) == _shape(node):
            others = _text_children(beside, most=2)
            if others is not None and list(map(_shape, others)) == list(map(_shape, parts)):
                return True
    return False


def _shape(node: "LexborNode") -> tuple[str, str]:
    """Return the tag of an element and its classes, in small letters."""
    return node.tag or "", (node.attributes.get("class") or "").lower()
