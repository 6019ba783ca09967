"""Nouns: which words of questions and sentences can name a fact.

General language only. A word is a noun where documents set an article or the like before it.
"""

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import pairwise

from srag_mcp.offline.sightings import Sightings
from srag_mcp.offline.translation.lexicon import ENTITY_NOUNS, PERSON_NOUNS
from srag_mcp.offline.words import content_stems, stem
from srag_mcp.text.words import fold_words as fold
from srag_mcp.values.units import UNITS

_ARTICLES = """
a an the any no some each every of with without his her its their your our my this that these those
per
"""
_AUXILIARIES = """
to who he she it i we you they will shall can could may might must should would cannot
"""
_BEFORE_NOUN = frozenset(_ARTICLES.split())
_BEFORE_VERB = frozenset(_AUXILIARIES.split())
_MIN_SHARE = 0.25
_COUNTED = re.compile(
    r"\b(?:how many|share of|percentage of|proportion of|number of)\s+(?:of\s+)?"
    r"(?:all\s+)?(?:(?:the|these|those)\s+)?\w+\s+(\w+)\s+\w",
    re.IGNORECASE,
)


def names_nothing(label: str) -> bool:
    """Whether a label has only words for units, for records, or for people."""
    stems = set(content_stems(label))
    return bool(stems) and stems <= _general_stems()


@lru_cache(maxsize=1)
def _general_stems() -> frozenset[str]:
    words = {*ENTITY_NOUNS, *PERSON_NOUNS, *(word for word in UNITS if word.isalpha())}
    periods = ("yearly", "monthly", "weekly", "daily", "hourly")
    return frozenset(stem(fold(word)) for word in (*words, *periods) if len(word) > 2)


def asked_verbs(questions: Sequence[str]) -> set[str]:
    """Return the stems that *questions* use as verbs: behind the counted noun, or behind "to".

    `How many guests travel with a dog?` -> `travel`
    """
    verbs: set[str] = set()
    for question in questions:
        words = fold(question).split()
        verbs |= {stem(word) for before, word in pairwise(words) if before in _BEFORE_VERB}
        verbs |= {stem(fold(match[1])) for match in _COUNTED.finditer(question)}
    return verbs


def find_verbs(
    stems: Collection[str], questions: Sequence[str], sightings: Sequence[Sightings]
) -> set[str]:
    """Return those of *stems* that questions or documents use as verbs, and documents not as nouns.

    The word before tells: `to audit` is a verb, and a noun all the same where documents say `the
    audit`.
    """
    asked = asked_verbs(questions)
    before: dict[str, list[str]] = {name: [] for name in stems}
    for sighting in sightings:
        last = ""
        for word in fold(sighting.text).split():
            if (name := stem(word)) in before:
                before[name].append(last)
            last = word
    return {
        name
        for name, words in before.items()
        if not _often(words, _BEFORE_NOUN) and (name in asked or _often(words, _BEFORE_VERB))
    }


def _often(words: Sequence[str], wanted: Collection[str]) -> bool:
    return sum(word in wanted for word in words) >= max(1, _MIN_SHARE * len(words))
