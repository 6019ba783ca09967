"""Merging: keys that never meet in a document and say the same sort of thing are one attribute.

Forms of several makers call one fact by several names. Such keys are complementary: each document
has one of them. That they are one is told by their values, their words, and how many documents
could have had both and do not.
"""

import math
from collections.abc import Sequence
from itertools import combinations

from srag_mcp.offline.key_shapes import likeness, shape_of
from srag_mcp.offline.keys import Key
from srag_mcp.offline.kin import GENERAL_STEMS, are_kin, contrast, kin_of
from srag_mcp.offline.words import content_stems
from srag_mcp.text.words import fold_words as fold

_ENOUGH = 1.25
_COMPLEMENT = 0.6
_ONLY_ONE = 0.4
_MAX_MEETINGS = 0.03
_MAX_KEYS = 120
_MIN_EXPECTED = 1.5
_MIN_PREFIX = 3


def merge_keys(keys: Sequence[Key], n_documents: int) -> list[Key]:
    """Join complementary keys, the surest pair first; the others stay as they are."""
    ranked = [key for key in keys if len(key.values) > 1 and _varies(key)][:_MAX_KEYS]
    merging = _Merging(ranked, n_documents)
    merging.merge()
    gone = merging.gone
    return sorted((key for key in keys if id(key) not in gone), key=lambda key: -len(key.values))


def _varies(key: Key) -> bool:
    return len({fold(value) for value in key.values.values()}) > 1


class _Merging:
    """The keys with their shapes; each merge computes the shape of the joined key again."""

    def __init__(self, keys: Sequence[Key], n_documents: int) -> None:
        self._keys = dict(enumerate(keys))
        self._n_documents = n_documents
        self._shapes = {n: shape_of(list(key.values.values())) for n, key in self._keys.items()}
        self.gone: set[int] = set()

    def merge(self) -> None:
        points = {pair: self._points(*pair) for pair in combinations(self._keys, 2)}
        while points:
            pair = max(points, key=lambda found: (points[found], -found[0], -found[1]))
            if points[pair] < _ENOUGH:
                return
            kept, lost = pair
            self._unite(kept, lost)
            points = {p: v for p, v in points.items() if lost not in p and kept not in p}
            for other in self._keys:
                if other != kept:
                    found = (min(kept, other), max(kept, other))
                    points[found] = self._points(*found)

    def _unite(self, kept: int, lost: int) -> None:
        key, other = self._keys[kept], self._keys.pop(lost)
        self.gone.add(id(other))
        key.absorb(other)
        self._shapes[kept] = shape_of(list(key.values.values()))

    def _points(self, left: int, right: int) -> float:
        """Return how sure it is that both keys are one; 0.0 where they cannot be."""
        alike = likeness(self._shapes[left], self._shapes[right])
        if not alike or not self._may_be_one(left, right):
            return 0.0
        one, other = self._keys[left], self._keys[right]
        words = lexical(one.names, other.names)
        if words < 0 or (not words and self._shapes[left].kind == "text" and alike < _ONLY_ONE):
            return 0.0
        expected = len(one.values) * len(other.values) / self._n_documents
        points = alike + words + _COMPLEMENT * (1 - math.exp(-expected))
        return points + _ONLY_ONE * (expected >= _MIN_EXPECTED and self._is_only_one(left, right))

    def _may_be_one(self, left: int, right: int) -> bool:
        one, other = self._keys[left], self._keys[right]
        if one.section != other.section:
            return False
        shared = one.values.keys() & other.values.keys()
        meetings = sum(fold(one.values[n]) != fold(other.values[n]) for n in shared)
        return meetings <= _MAX_MEETINGS * min(len(one.values), len(other.values))

    def _is_only_one(self, left: int, right: int) -> bool:
        """Whether the keys that *right* never meets are alternatives of *left* as well."""
        shape = self._shapes[left]
        least = len(self._keys[right].values) / 2
        return shape.kind != "text" and all(
            self._may_be_one(left, other)
            for other, key in self._keys.items()
            if other not in {left, right}
            and len(key.values) >= least
            and likeness(shape, self._shapes[other])
            and self._may_be_one(right, other)
        )


def lexical(left: Sequence[str], right: Sequence[str]) -> float:
    """Return how akin the words of two keys are, 0 to 1; below 0 where they exclude each other."""
    stems = [_stems(name) for name in left], [_stems(name) for name in right]
    if contrast(frozenset().union(*stems[0]), frozenset().union(*stems[1])):
        return -1.0
    return max(_kinship(one, other) for one in stems[0] for other in stems[1]) or max(
        0.6 * _is_initials(one, other) for one in left for other in right
    )


def _stems(name: str) -> frozenset[str]:
    return frozenset(content_stems(name))


def _kinship(left: frozenset[str], right: frozenset[str]) -> float:
    one, other = left - GENERAL_STEMS, right - GENERAL_STEMS
    if not one or not other:
        return 0.5 if left & right else 0.0
    if one == other or are_kin(one, other):
        return 0.8
    if one < other or other < one:
        return 0.7
    shared = sum(any(_akin(name, twin) for twin in other) for name in one)
    return 0.6 * shared / min(len(one), len(other))


def _akin(left: str, right: str) -> bool:
    short, long = sorted((left, right), key=len)
    is_form = len(short) >= _MIN_PREFIX and long.startswith(short) and len(long) <= len(short) + 4
    return is_form or right in kin_of(left)


def _is_initials(left: str, right: str) -> bool:
    short, long = sorted((left, right), key=len)
    initials = "".join(word[0] for word in long.split())
    return len(initials) > 2 and short.split()[0] == initials
