"""Shared names: what several keys of one fact have in common."""

from collections import Counter
from collections.abc import Sequence

from srag_mcp.offline.kin import GENERAL_STEMS
from srag_mcp.offline.words import content_words, stem
from srag_mcp.records.normalise.unit_words import UNITS

_MIN_KEYS = 3
_MIN_SHARE = 0.6


def shared_name(keys: Sequence[str]) -> str:
    """Return the words that most of *keys* share; empty where they share none that tells.

    `adoption fee; rehoming fee; price` -> `fee`
    """
    if len(keys) < _MIN_KEYS:
        return ""
    spelt: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for key in keys:
        stems = {stem(word): word for word in content_words(key) if word not in UNITS}
        counts.update(stems.keys())
        for name, word in stems.items():
            spelt.setdefault(name, word)
    shared = [name for name in spelt if counts[name] >= _MIN_SHARE * len(keys)]
    return "" if set(shared) <= GENERAL_STEMS else " ".join(spelt[name] for name in shared)
