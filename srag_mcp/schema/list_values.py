"""Lists in one column: what a model defines that holds several values a document."""

import re

from srag_mcp.schema.names import snake_case
from srag_mcp.schema.schema_reply import AttributeReply

_LIST_OF = re.compile(
    r"(?:^|[.!?;:]\s+)(?:an?\s|the\s)?(?:[\w-]+\s){0,2}lists?\sof\b"
    r"|\b(?:comma|semicolon)[- ]separated\s(?:list|values|items|names)\b",
    re.IGNORECASE,
)
_SEPARATED = re.compile(
    r"\b(?:comma|semicolon)s?[- ]separated\b|\bseparated\sby\s(?:an?\s)?(?:comma|semicolon)s?\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[,;]\s")
_PLURAL = re.compile(r"\w{2,}[^su]s")


def find_lists(reply: AttributeReply) -> list[str]:
    """Say that the column would hold lists, for the model that defined it; empty if it would not.

    Commas alone tell nothing, an address and a place have them: the description must say so, or
    the name begin or end in the plural and most examples have several parts.

    `sensors: "wind, rain", "rain, sun" -> "its values are lists: …"`

    Source: S-RAG 3.2.1, footnote 3.
    """
    if not reply.type.is_text or not (_LIST_OF.search(reply.description) or _names_several(reply)):
        return []
    return [
        "its values are lists, and a column holds one value: give a boolean column to each item"
        " that several documents have, and an integer column for how many there are"
    ]


def _names_several(reply: AttributeReply) -> bool:
    first, _, last = snake_case(reply.name).partition("_")
    if not any(_PLURAL.fullmatch(word) for word in (first, last.rpartition("_")[2])):
        return False
    lists = [item for item in reply.examples if isinstance(item, str) and _BETWEEN.search(item)]
    if len(reply.examples) > 1:
        return len(lists) * 2 > len(reply.examples)
    return bool(_SEPARATED.search(reply.description))
