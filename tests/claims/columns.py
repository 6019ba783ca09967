"""Columns for the tests: values with the words that say them."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from srag_mcp.claims.odd_numbers import NO_TAGS, StatedValue, SuspicionKind, Tags
from srag_mcp.claims.suspects import find_suspicions
from srag_mcp.schema.attribute import Attribute
from srag_mcp.values.types import Value

Stated: TypeAlias = tuple[Value, str]


def column(values: Sequence[Stated]) -> list[StatedValue]:
    """Make a column whose documents are called `d0`, `d1` …"""
    return [StatedValue(f"d{n}", value, words) for n, (value, words) in enumerate(values)]


def suspected(
    attribute: Attribute, values: Sequence[Stated], tags: Tags = NO_TAGS
) -> dict[str, SuspicionKind]:
    """Return the kind of what is suspected, by document."""
    found = find_suspicions(attribute, column(values), tags)
    return {item.document_id: item.kind for item in found}


def reasons(attribute: Attribute, values: Sequence[Stated]) -> Mapping[str, str]:
    """Return why values are suspected, by document."""
    return {item.document_id: item.reason for item in find_suspicions(attribute, column(values))}
