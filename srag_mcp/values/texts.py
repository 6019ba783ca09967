"""Texts: spellings of one value, and the one to keep."""

from collections import Counter
from collections.abc import Sequence

from srag_mcp.text.words import fold


def choose_spellings(values: Sequence[str]) -> dict[str, str]:
    """Map every spelling to the one to keep: the most frequent, then the first in order."""
    counts = Counter(values)
    groups: dict[str, list[str]] = {}
    for value in counts:
        groups.setdefault(fold(value) or value, []).append(value)
    kept: dict[str, str] = {}
    for group in groups.values():
        best = min(group, key=lambda value: (-counts[value], value.isupper(), value))
        kept.update(dict.fromkeys(group, best))
    return kept
