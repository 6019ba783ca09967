"""The running text of an element, and which elements are blocks, or are not read at all."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from srag_mcp.documents.lines import collapse

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

SKIPPED_TAGS = frozenset(
    ("script", "style", "nav", "footer", "noscript", "template", "iframe", "head", "button",
     "select", "textarea", "object", "embed", "canvas", "audio", "video", "map", "symbol",
     "datalist", "dialog")
)  # fmt: skip
BLOCK_TAGS = frozenset(
    ("address", "article", "aside", "blockquote", "body", "center", "dd", "details", "div", "dl",
     "dt", "fieldset", "figcaption", "figure", "form", "h1", "h2", "h3", "h4", "h5", "h6",
     "header", "hgroup", "hr", "html", "legend", "li", "main", "menu", "ol", "p", "pre", "search",
     "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul")
)  # fmt: skip
_NOTICE = re.compile(r"(?:^|[-_\s])(?:cookies?|consent|gdpr|visually-hidden|sr-only)(?:$|[-_\s])")
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_TYPED_INPUTS = frozenset({None, "text", "number", "date", "email", "tel", "url"})
MAX_DEPTH = 80  # deeper elements are read as text without structure
LINE_END = "\x00"
_ICON = "\x01"  # around what an icon is called, until it is known if its line has words
_ICON_LABEL = re.compile(f"{_ICON}[^{_ICON}]*{_ICON}")


def class_names(node: "LexborNode") -> str:
    """Return the classes of an element, in small letters."""
    return (node.attributes.get("class") or "").lower()


def is_skipped(node: "LexborNode") -> bool:
    """Whether an element is not part of what a reader of the page reads."""
    if node.tag in SKIPPED_TAGS:
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


def lines_of(parts: list[str]) -> str:
    r"""Join pieces of text; white space counts once, each `\0` ends a line."""
    text = "".join(parts)
    if LINE_END not in text:
        return _line_text(text)
    lines = map(_line_text, text.split(LINE_END))
    return "\n".join(line for line in lines if line)


def _line_text(line: str) -> str:
    """Return a line with what its icons are called, if it says nothing else."""
    if _ICON in line:
        words = _ICON_LABEL.sub(" ", line)
        line = words if any(map(str.isalnum, words)) else line.replace(_ICON, " ")
    return collapse(line)


def gather_text(node: "LexborNode", parts: list[str], depth: int) -> None:
    """Append the text of *node* to *parts*, at most *depth* elements deep in its structure."""
    if node.is_text_node:
        parts.append(_unmarked(node.text_content or ""))
    elif node.tag == "br":
        parts.append(LINE_END)
    elif node.is_element_node and not is_skipped(node):
        _gather_element(node, parts, depth)


def _gather_element(node: "LexborNode", parts: list[str], depth: int) -> None:
    if depth == 0:
        parts.append(_unmarked(node.text()))
        return
    before = len(parts)
    child = node.child
    while child is not None:
        gather_text(child, parts, depth - 1)
        child = child.next
    add_label(node, parts, before)
    if node.tag in BLOCK_TAGS:
        parts.insert(before, LINE_END)
        parts.append(LINE_END)


def _unmarked(text: str) -> str:
    return text.replace(LINE_END, "").replace(_ICON, "")


def add_label(node: "LexborNode", parts: list[str], before: int) -> None:
    """Append what an element is called if *parts* from *before* on say nothing in words."""
    attributes = node.attributes
    if not attributes:
        return
    is_input = node.tag == "input"
    label = _input_text(attributes) if is_input else _label(attributes)
    if not label:
        return
    shown = "".join(parts[before:])
    if not any(map(str.isalnum, shown)):
        label = _unmarked(label)
        parts.append(f" {label} " if shown.strip() or is_input else f"{_ICON}{label}{_ICON}")


def _label(attributes: Mapping[str, str | None]) -> str | None:
    return attributes.get("alt") or attributes.get("aria-label") or attributes.get("title")


def _input_text(attributes: Mapping[str, str | None]) -> str | None:
    kind = attributes.get("type")
    if kind in {"checkbox", "radio"}:
        return "☑" if "checked" in attributes else "☐"
    return attributes.get("value") if kind in _TYPED_INPUTS else None
