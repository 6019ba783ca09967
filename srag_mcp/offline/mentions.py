"""Mentions: words that merely occur in a document, in rules of older schema files."""

import re

from srag_mcp.offline.sightings import Sightings
from srag_mcp.schema.extractors import MentionRule
from srag_mcp.text.spans import Span


def find_mention(rule: MentionRule, sighting: Sightings) -> Span | None:
    """Return the first word that begins with a stem of *rule*, or None."""
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, rule.stems))})\w*", re.IGNORECASE)
    match = pattern.search(sighting.text)
    return Span(*match.span()) if match else None
