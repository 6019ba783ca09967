"""Nouns: which words can name a fact. General language only."""

from functools import lru_cache

from srag_mcp.offline.translation.lexicon import ENTITY_NOUNS, PERSON_NOUNS
from srag_mcp.offline.words import content_stems, stem
from srag_mcp.text.words import fold_words as fold
from srag_mcp.values.units import UNITS


def names_nothing(label: str) -> bool:
    """Whether a label has only words for units, for records, or for people."""
    stems = set(content_stems(label))
    return bool(stems) and stems <= _general_stems()


@lru_cache(maxsize=1)
def _general_stems() -> frozenset[str]:
    words = {*ENTITY_NOUNS, *PERSON_NOUNS, *(word for word in UNITS if word.isalpha())}
    periods = ("yearly", "monthly", "weekly", "daily", "hourly")
    return frozenset(stem(fold(word)) for word in (*words, *periods) if len(word) > 2)
