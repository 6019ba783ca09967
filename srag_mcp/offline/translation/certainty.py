"""Certainty: whether a reading leaves so little open that no second reader is needed."""

import re
from collections.abc import Iterable
from functools import cache

from srag_mcp.offline.translation.lexicon import (
    GLUE,
    LEXICON,
    NUMBER_WORDS,
    ORDINAL_WORDS,
    PERIODS,
    SCALES,
)
from srag_mcp.offline.translation.tokens import stems
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.sqlfacts.query import Translation

_EVIDENT = 0.5
_ASKING = frozenset(stems("has have is are number n of count"))
_FIGURE = re.compile(r"\d")


def is_certain(translation: Translation, schema: Schema) -> bool:
    """Return whether every word of the question has a part in the query.

    A word has one where it is a word of grammar, names a column that the query uses or the record,
    or is a value that it compares with. A column must be named by half of its own words, or by a
    value. `How many people does Sanyu employ?` read as a count of receipts of Sanyu is not certain:
    “people” and “employ” have no part in it.

    Source: PRECISE (sound and complete mappings), beside S-RAG 3.3.
    """
    if translation.unsettled:
        return False
    asked = set(stems(translation.question))
    named = {use.column for use in translation.columns}
    columns = [attribute for attribute in schema.attributes if attribute.name in named]
    valued = {literal.column for literal in translation.literals}
    values = _stems_of(literal.asked for literal in translation.literals)
    if not all(_is_evident(item, asked) for item in columns if item.name not in valued):
        return False
    words = _stems_of(_names(item) for item in columns) | values | _stems_of(schema.nouns)
    words |= _stems_of([schema.title, schema.entity.replace("_", " ")])
    open_words = asked - words - _grammar()
    return not any(word for word in open_words if not _FIGURE.search(word))


def _is_evident(attribute: Attribute, asked: set[str]) -> bool:
    """Whether the question says the name of *attribute*, or another name of it."""
    for name in (attribute.name.replace("_", " "), *attribute.synonyms):
        own = set(stems(name)) - _ASKING
        if own and len(own & asked) > _EVIDENT * len(own):
            return True
    return False


def _names(attribute: Attribute) -> str:
    unit = attribute.unit or ""
    return " ".join((attribute.name.replace("_", " "), *attribute.synonyms, unit))


@cache
def _grammar() -> frozenset[str]:
    phrases = (*LEXICON.values(), *NUMBER_WORDS, *ORDINAL_WORDS, *SCALES, *PERIODS, *GLUE)
    return frozenset(_stems_of(phrases))


def _stems_of(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in stems(text)}
