"""Nouns: which words can name a fact. General language only."""

from functools import lru_cache

from srag_mcp.offline.words import content_stems, stem
from srag_mcp.text.words import fold_words as fold
from srag_mcp.values.units import UNITS

_ENTITY_NOUNS = """
    record row entry item document file instance example occurrence case occasion page thing
    time sheet paper text datum listing
"""
_PERSON_NOUNS = "applicant candidate person people individual man woman jobseeker"


def names_nothing(label: str) -> bool:
    """Whether a label has only words for units, for records, or for people."""
    stems = set(content_stems(label))
    return bool(stems) and stems <= _general_stems()


@lru_cache(maxsize=1)
def _general_stems() -> frozenset[str]:
    words = {
        *_ENTITY_NOUNS.split(),
        *_PERSON_NOUNS.split(),
        *(word for word in UNITS if word.isalpha()),
    }
    periods = ("yearly", "monthly", "weekly", "daily", "hourly")
    return frozenset(stem(fold(word)) for word in (*words, *periods) if len(word) > 2)
