"""Shared names: what several keys of one fact have in common."""

from collections import Counter
from collections.abc import Sequence

from srag_mcp.offline.kin import GENERAL_STEMS
from srag_mcp.offline.words import content_stems, stem
from srag_mcp.text.words import content_words
from srag_mcp.values.units import CURRENCY_WORDS, UNITS, is_currency

_MIN_KEYS = 3
_MIN_SHARE = 0.6
_MAX_SIGN = 2


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


def shares(key: str, name: str) -> bool:
    """Whether *key* is the shared *name* with words that tell which, and so another word for it.

    `adoption fee` is one for `fee`; `total fee` and `fee eur` add nothing that tells.
    """
    own, shared = set(content_words(key)), set(content_stems(name))
    further = {word for word in own if stem(word) not in shared}
    return shared <= {stem(word) for word in own} and not any(map(_tells_nothing, further))


def _tells_nothing(word: str) -> bool:
    is_unit = word in UNITS or word in CURRENCY_WORDS or is_currency(word.upper())
    return is_unit or stem(word) in GENERAL_STEMS or len(word) <= _MAX_SIGN
