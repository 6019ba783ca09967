"""Clusters of slots: values of several documents that the same words stand around.

Documents are read one after the other; each of their slots joins the most similar cluster, at most
one slot of a document a cluster. Clusters that never meet in a document, share distinctive words
and are of one magnitude are variants of one fact in other words, and are joined afterwards.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from srag_mcp.offline.slots import Slot

_POSITION_WEIGHTS = {"~": 0.7, "<": 1.2, ">": 1.5, "#": 0.5, "@": 1.0, "u": 1.5}
_JOIN_SIMILARITY = 0.45
_VARIANT_SIMILARITY = 0.30
_MAX_SHARED_DOCUMENTS = 0.08
_MAX_FACTOR = 4.0
_MIN_FACTOR_AMOUNT = 1e-9

Vector = dict[str, float]


@dataclass(slots=True)
class Cluster:
    """Slots that are taken for one fact: by document, and what they look like on average."""

    members: dict[int, Slot] = field(default_factory=dict)
    features: Counter[str] = field(default_factory=Counter)

    @property
    def type(self) -> str:
        """The type of its values."""
        return next(iter(self.members.values())).value.type

    def add(self, document: int, slot: Slot) -> None:
        """Take *slot* in as what that document says."""
        self.members[document] = slot
        self.features.update(slot.features)

    def middle(self) -> float:
        """Return the median amount."""
        return median(slot.value.amount for slot in self.members.values())


class FeatureWeights:
    """How much a feature tells, learnt from all slots of a corpus: rare ones tell more."""

    def __init__(self, slots: Iterable[Slot]) -> None:
        self._counts: Counter[str] = Counter()
        self._n = 0
        for slot in slots:
            self._counts.update(slot.features)
            self._n += 1

    def weight(self, feature: str) -> float:
        """Return the weight of *feature*: by its position, and by how few slots have it."""
        rarity = math.log(1 + self._n / (1 + self._counts[feature]))
        return _POSITION_WEIGHTS[feature[0]] * rarity

    def vector(self, features: Mapping[str, float], scale: float = 1.0) -> Vector:
        """Return *features* weighted and of length one."""
        weighted = {name: self.weight(name) * count / scale for name, count in features.items()}
        norm = math.sqrt(sum(value * value for value in weighted.values())) or 1.0
        return {name: value / norm for name, value in weighted.items()}


def cluster_slots(documents: Sequence[Sequence[Slot]]) -> list[Cluster]:
    """Group the slots of *documents* by what they are; types are never mixed."""
    by_type: dict[str, list[list[Slot]]] = {}
    for index, slots in enumerate(documents):
        for slot in slots:
            rows = by_type.setdefault(slot.value.type, [[] for _ in documents])
            rows[index].append(slot)
    return [cluster for rows in by_type.values() for cluster in _cluster_type(rows)]


def _cluster_type(documents: Sequence[Sequence[Slot]]) -> list[Cluster]:
    weights = FeatureWeights(slot for slots in documents for slot in slots)
    clusters: list[Cluster] = []
    for _ in range(2):
        seeds = [cluster for cluster in clusters if len(cluster.members) > 1]
        clusters = _assign_all(documents, seeds, weights)
    return join_variants([cluster for cluster in clusters if cluster.members], weights)


def _assign_all(
    documents: Sequence[Sequence[Slot]], seeds: Sequence[Cluster], weights: FeatureWeights
) -> list[Cluster]:
    index = _Centroids(weights)
    for seed in seeds:
        index.add(Cluster(features=seed.features), frozen=True)
    for number, slots in enumerate(documents):
        vectors = [weights.vector(dict.fromkeys(slot.features, 1.0)) for slot in slots]
        found = [
            (similarity, position, cluster)
            for position, vector in enumerate(vectors)
            for cluster, similarity in index.nearest(vector)
            if similarity >= _JOIN_SIMILARITY
        ]
        _assign(number, slots, sorted(found, reverse=True), index)
    return index.clusters


def _assign(
    number: int, slots: Sequence[Slot], found: Sequence[tuple[float, int, int]], index: "_Centroids"
) -> None:
    placed: set[int] = set()
    used: set[int] = set()
    for _, position, cluster in found:
        if position not in placed and cluster not in used:
            placed.add(position)
            used.add(cluster)
            index.extend(cluster, number, slots[position])
    for position, slot in enumerate(slots):
        if position not in placed:
            index.add(Cluster()).add(number, slot)
            index.refresh(len(index.clusters) - 1)


class _Centroids:
    """The centroids of clusters, found by their features."""

    def __init__(self, weights: FeatureWeights) -> None:
        self.clusters: list[Cluster] = []
        self._weights = weights
        self._frozen: set[int] = set()
        self._postings: dict[str, dict[int, float]] = defaultdict(dict)

    def add(self, cluster: Cluster, *, frozen: bool = False) -> Cluster:
        self.clusters.append(cluster)
        if frozen:
            self.refresh(len(self.clusters) - 1)
            self._frozen.add(len(self.clusters) - 1)
            cluster.features = Counter()
        return cluster

    def extend(self, number: int, document: int, slot: Slot) -> None:
        cluster = self.clusters[number]
        cluster.add(document, slot)
        if number not in self._frozen and len(cluster.members) <= 32:
            self.refresh(number)

    def refresh(self, number: int) -> None:
        for name, value in self._weights.vector(self.clusters[number].features).items():
            self._postings[name][number] = value

    def nearest(self, vector: Vector) -> list[tuple[int, float]]:
        scores: dict[int, float] = defaultdict(float)
        for name, value in vector.items():
            for number, weight in self._postings.get(name, {}).items():
                scores[number] += value * weight
        return list(scores.items())


def join_variants(clusters: Sequence[Cluster], weights: FeatureWeights) -> list[Cluster]:
    """Join clusters that say the same in other words, the most similar first."""
    alive = sorted(clusters, key=lambda cluster: -len(cluster.members))
    while True:
        pair = _best_pair(alive, weights)
        if pair is None:
            return alive
        kept, gone = alive[pair[0]], alive.pop(pair[1])
        for document, slot in gone.members.items():
            if document not in kept.members:
                kept.add(document, slot)


def _best_pair(clusters: Sequence[Cluster], weights: FeatureWeights) -> tuple[int, int] | None:
    vectors = [_word_vector(cluster, weights) for cluster in clusters]
    best, pair = _VARIANT_SIMILARITY, None
    for right, gone in enumerate(clusters):
        if len(gone.members) < 2:
            continue
        for left in range(right):
            similarity = _dot(vectors[left], vectors[right])
            if similarity > best and _may_join(clusters[left], gone):
                best, pair = similarity, (left, right)
    return pair


def _word_vector(cluster: Cluster, weights: FeatureWeights) -> Vector:
    """What a cluster is about, whatever the order of its words."""
    words: Counter[str] = Counter()
    for name, count in cluster.features.items():
        if name[0] == "~" or name[0] in "@u":
            words[name] += count
    for name, count in cluster.features.items():
        if name[0] in "<>" and name[1] != "!":
            words[f"~{name[1:]}"] += count
    return weights.vector(words)


def _dot(left: Vector, right: Vector) -> float:
    if len(right) < len(left):
        left, right = right, left
    return sum(value * right.get(name, 0.0) for name, value in left.items())


def _may_join(left: Cluster, right: Cluster) -> bool:
    shared = len(left.members.keys() & right.members.keys())
    if shared > _MAX_SHARED_DOCUMENTS * min(len(left.members), len(right.members)):
        return False
    if left.type == "date":
        return True
    low, high = sorted((abs(left.middle()), abs(right.middle())))
    return high <= _MAX_FACTOR * max(low, _MIN_FACTOR_AMOUNT)
