"""Labels with values that a web page sets side by side: `<span>Rooms</span> <b>120</b>`."""

import re
from typing import TYPE_CHECKING

from srag_mcp.documents.html_text import SKIPPED_TAGS, class_names, inline_text
from srag_mcp.documents.lines import collapse
from srag_mcp.documents.pairs import is_data, is_key

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_LABEL_CLASS = re.compile(r"(?:^|[-_\s])(?:label|key|term|name|k|caption|field|dt)(?:$|[-_\s])")
_VALUE_CLASS = re.compile(r"(?:^|[-_\s])(?:value|val|data|detail|v|content|dd)(?:$|[-_\s])")
_LABEL_TAGS = frozenset({"label", "b", "strong", "dt", "th"})
_ACTIONS = frozenset({"a", "button"})
_STRUCTURE = "ul, ol, dl, table, h1, h2, h3, h4, h5, h6, pre, form, section, article"
_BETWEEN = " \t\n\r:–-·|\xa0"
_MAX_LABEL_CHARACTERS = 40
_MAX_VALUE_CHARACTERS = 200
_MAX_CHILDREN = 200


def find_label_values(node: "LexborNode") -> list[tuple[str, str]]:
    """Return the pairs of an element that holds one, or whose children alternate label, value."""
    children = _text_children(node, most=_MAX_CHILDREN)
    if children is None:
        return []
    pair = _label_value(node, children)
    return [pair] if pair else _alternating_pairs(children)


def label_value(node: "LexborNode") -> tuple[str, str] | None:
    """Return the label and value of an element that holds these two and nothing else."""
    children = _text_children(node, most=2)
    return None if children is None else _label_value(node, children)


def _label_value(node: "LexborNode", children: "list[LexborNode]") -> tuple[str, str] | None:
    if len(children) != 2:
        return None
    label, value = _texts(children)
    if label is None or value is None or not _side_by_side(node, children):
        return None
    if _is_label(label):
        return label.rstrip(": "), value
    is_figure = is_data(label) and _is_label(value) and not any(map(str.isdigit, value))
    return (value, label) if is_figure else None


def _alternating_pairs(children: "list[LexborNode]") -> list[tuple[str, str]]:
    if len(children) < 4 or len(children) % 2:
        return []
    shapes = [_shape(child) for child in children]
    if len(set(shapes[::2])) != 1 or len(set(shapes[1::2])) != 1 or shapes[0] == shapes[1]:
        return []
    pairs = []
    for label, value in zip(children[::2], children[1::2], strict=True):
        key, text = _texts([label, value])
        if key is None or text is None or not _is_label(key):
            return []
        pairs.append((key.rstrip(": "), text))
    return pairs if len({key for key, _ in pairs}) == len(pairs) else []


def _text_children(node: "LexborNode", most: int) -> "list[LexborNode] | None":
    """Return the child elements with text; None if there is more in *node*, or more of them."""
    elements = _elements_alone(node)
    # the selector is dear: it comes last of what can be said without reading the elements
    if elements and node.css_first(_STRUCTURE) is not None:
        return None
    children = []
    for element in elements or ():
        if element.tag not in SKIPPED_TAGS and inline_text(element):
            children.append(element)
            if len(children) > most:
                return None
    return None if elements is None else children


def _elements_alone(node: "LexborNode") -> "list[LexborNode] | None":
    """Return the child elements; None if there are words between them."""
    elements = []
    child = node.child
    while child is not None:
        if child.is_element_node:
            elements.append(child)
        elif child.is_text_node and (child.text_content or "").strip(_BETWEEN):
            return None
        child = child.next
    return elements


def _texts(children: "list[LexborNode]") -> tuple[str | None, str | None]:
    """Return the texts of two elements; None for one that is no label or value."""
    texts: list[str | None] = []
    for child in children:
        text = collapse(inline_text(child))
        is_short = len(text) <= _MAX_VALUE_CHARACTERS
        texts.append(text if is_short and child.tag not in _ACTIONS else None)
    return texts[0], texts[1]


def _is_label(text: str) -> bool:
    text = text.rstrip(": ")
    return len(text) <= _MAX_LABEL_CHARACTERS and len(text.split()) <= 5 and is_key(text)


def _side_by_side(node: "LexborNode", children: "list[LexborNode]") -> bool:
    """Whether marks, class names or the elements beside it say that they are label and value."""
    label, value = children
    if label.tag in _LABEL_TAGS and value.tag not in _LABEL_TAGS:
        return True
    if _LABEL_CLASS.search(class_names(label)) or _VALUE_CLASS.search(class_names(value)):
        return True
    if inline_text(label).rstrip().endswith(":"):
        return True
    return any(_has_shape_of(node, children, beside) for beside in (node.next, node.prev))


def _has_shape_of(
    node: "LexborNode", children: "list[LexborNode]", beside: "LexborNode | None"
) -> bool:
    while beside is not None and not beside.is_element_node:
        beside = beside.next
    if beside is None or beside.mem_id == node.mem_id or _shape(beside) != _shape(node):
        return False
    others = _text_children(beside, most=2)
    return others is not None and list(map(_shape, others)) == list(map(_shape, children))


def _shape(node: "LexborNode") -> tuple[str, str]:
    return (node.tag or "", class_names(node))
