"""The running text of an element, and which elements are blocks, or are not read at all."""

import re
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
MAX_DEPTH = 200


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
    if "hidden" in attributes or _HIDDEN_STYLE.search(attributes.get("style") or ""):
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
    lines = "".join(parts).split("\x00")
    return "\n".join(line for line in map(collapse, lines) if line)


def gather_text(node: "LexborNode", parts: list[str], depth: int) -> None:
    r"""Append the text of *node* to *parts*; `\0` stands for a line end."""
    if node.is_text_node:
        parts.append((node.text_content or "").replace("\x00", ""))
        return
    tag = node.tag
    if tag == "br":
        parts.append("\x00")
        return
    if not node.is_element_node or depth == 0 or is_skipped(node):
        return
    before = len(parts)
    child = node.child
    while child is not None:
        gather_text(child, parts, depth - 1)
        child = child.next
    add_label(node, parts, before)
    if tag in BLOCK_TAGS:
        parts.insert(before, "\x00")
        parts.append("\x00")


def add_label(node: "LexborNode", parts: list[str], before: int) -> None:
    """Append what an element is called if *parts* from *before* on say nothing in words."""
    attributes = node.attributes
    if not attributes or any(map(str.isalnum, "".join(parts[before:]))):
        return
    names = ("alt", "aria-label", "title")
    label = next((attributes[name] for name in names if attributes.get(name)), None)
    if node.tag == "input":
        label = _input_text(node)
    if label:
        parts.append(f" {label} ")


def _input_text(node: "LexborNode") -> str | None:
    kind = node.attributes.get("type")
    if kind in {"checkbox", "radio"}:
        return "☑" if "checked" in node.attributes else "☐"
    return node.attributes.get("value") if kind in _TYPED_INPUTS else None
