"""What a web page says about itself: title, meta tags, JSON-LD, microdata."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from srag_mcp.documents.html_text import inline_text
from srag_mcp.documents.json_values import JsonValue, flatten
from srag_mcp.documents.lines import collapse

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_TECHNICAL = frozenset(
    ("viewport", "theme-color", "robots", "generator", "referrer", "color-scheme", "googlebot",
     "format-detection", "next-head-count", "csrf-token", "csrf-param", "verify-v1", "charset",
     "handheldfriendly", "mobileoptimized")
)  # fmt: skip
_TECHNICAL_PREFIXES = (
    "msapplication", "google", "apple-", "twitter:", "fb:", "al:", "og:image", "og:url",
    "og:locale",
)  # fmt: skip
_MAX_VALUE_CHARACTERS = 300
_MAX_PAIRS = 100


@dataclass(frozen=True, slots=True)
class MetaData:
    """The title of a page (None if it has none) and what else it says, in its order."""

    title: str | None
    pairs: tuple[tuple[str, str], ...]


def find_metadata(tree: "LexborHTMLParser") -> MetaData:
    """Return what the head of the page, its JSON-LD and its microdata say, each once."""
    node = tree.css_first("title")
    title = collapse(node.text()) if node is not None else ""
    pairs = [("title", title)] if title else []
    pairs += [*_meta_tags(tree), *_linked_data(tree), *_microdata(tree)]
    known: dict[tuple[str, str], None] = {}
    for key, value in pairs:
        known.setdefault((key, collapse(value)))
    return MetaData(title or None, tuple(known)[:_MAX_PAIRS])


def _meta_tags(tree: "LexborHTMLParser") -> list[tuple[str, str]]:
    pairs = []
    for node in tree.css("meta[content]"):
        attributes = node.attributes
        name = (attributes.get("name") or attributes.get("property") or "").strip().lower()
        value = collapse(attributes.get("content") or "")
        if name and value and len(value) <= _MAX_VALUE_CHARACTERS and not _is_technical(name):
            pairs.append((name.removeprefix("og:").removeprefix("dc."), value))
    return pairs


def _is_technical(name: str) -> bool:
    return name in _TECHNICAL or name.startswith(_TECHNICAL_PREFIXES)


def _linked_data(tree: "LexborHTMLParser") -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for node in tree.css('script[type="application/ld+json"]'):
        try:
            value: JsonValue = json.loads(node.text())
        except (ValueError, RecursionError):
            continue  # a page with broken JSON-LD still has its text
        pairs += [
            (key, text)
            for key, text in flatten(value)
            if not any(part.startswith("@") for part in key.split("."))
            and len(text) <= _MAX_VALUE_CHARACTERS
            and not text.startswith(("http://", "https://"))
        ]
    return pairs


def _microdata(tree: "LexborHTMLParser") -> list[tuple[str, str]]:
    pairs = []
    for node in tree.css("[itemprop]"):
        attributes = node.attributes
        if "itemscope" in attributes:
            continue
        value = attributes.get("content") or attributes.get("datetime") or inline_text(node)
        if value.strip() and len(value) <= _MAX_VALUE_CHARACTERS:
            pairs.append((attributes.get("itemprop") or "", collapse(value)))
    return [(key, value) for key, value in pairs if key]
