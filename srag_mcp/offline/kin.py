"""Kin: words of like meaning, so that "born" and "date of birth" can be one key."""

from collections.abc import Iterable
from functools import lru_cache

from srag_mcp.offline.translation.thesaurus import GROUPS
from srag_mcp.offline.words import stem


@lru_cache(maxsize=1)
def _groups() -> dict[str, frozenset[str]]:
    """Return for each stem of the thesaurus all stems that share a line with it."""
    kin: dict[str, set[str]] = {}
    for line in GROUPS.strip().splitlines():
        stems = {stem(word) for word in line.split()}
        for name in stems:
            kin.setdefault(name, set()).update(stems)
    return {name: frozenset(stems) for name, stems in kin.items()}


def kin_of(name: str) -> frozenset[str]:
    """Return the stems of words of like meaning, *name* itself included."""
    return _groups().get(name, frozenset()) | {name}


def are_kin(left: Iterable[str], right: Iterable[str]) -> bool:
    """Whether each stem of either side has one of like meaning on the other."""
    one, other = set(left), set(right)
    return bool(one and other) and _covers(one, other) and _covers(other, one)


def _covers(one: set[str], other: set[str]) -> bool:
    return all(kin_of(name) & other for name in one)
