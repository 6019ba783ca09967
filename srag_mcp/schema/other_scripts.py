"""Names in other scripts: columns whose name says nothing, as theirs has no Latin letter."""

import re
from collections.abc import Iterator

from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.extractors import KeyRule
from srag_mcp.schema.names import snake_case
from srag_mcp.schema.schema import Schema

_SAYS_NOTHING = re.compile(r"(?:attribute|value)(?:_\d+)*")


def find_meant(schema: Schema) -> dict[str, str]:
    """Return the words that are meant by names of columns which do not say it.

    `--schema` with a property `高さ` -> `{"attribute_1": "高さ"}`
    """
    found = {
        attribute.name: next(_words(attribute), "")
        for attribute in schema.attributes
        if _SAYS_NOTHING.fullmatch(attribute.name)
    }
    return {name: word for name, word in found.items() if word}


def _words(attribute: Attribute) -> Iterator[str]:
    """Yield what people and documents call the attribute, where it cannot be a name."""
    rules = [rule for rule in attribute.extractors if isinstance(rule, KeyRule)]
    keys = [key for rule in rules for key in rule.keys]
    for word in (*attribute.synonyms, *keys):
        if any(map(str.isalpha, word)) and not snake_case(word):
            yield word
