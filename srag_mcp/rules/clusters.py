"""Clusters of slots: values of several documents that the same words stand around.

Documents are read one after the other; each of their slots joins the most similar cluster, at most
one slot of a document a cluster. Clusters that never meet in a document, share distinctive words
and are of one magnitude are variants of one fact in other words, and are joined afterwards.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import median

from srag_mcp.rules.slots import Slot

_POSITION_WEIGHTS = {"~": 0.7, "<": 1.2, ">": 1.5, "#": 0.5, "@": 2.5, "u": 1.5, "^": 0.35}
_MAX_FEATURES = 32
_MAX_CLUSTERS = 300
_NEXT_WORD_WEIGHT = 2.0
_JOIN_SIMILARITY = 0.6
_VARIANT_SIMILARITY = 0.30
_MAX_SHARED_DOCUMENTS = 0.2
_MAX_FACTOR = 6.0
_MIN_AMOUNT = 1e-9
_SIZE_POWER = 0.25

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

    def is_past(self) -> bool:
        """Whether its values are mostly those of an earlier day, given for comparison."""
        return self.features["@earlier"] > 0.5 * len(self.members)


class FeatureWeights:
    """How much a feature tells, learnt from all slots of a corpus: rare ones tell more.

    What only one document has tells nothing about the others.
    """

    def __init__(self, documents: Iterable[Iterable[Slot]]) -> None:
        slots: Counter[str] = Counter()
        spread: Counter[str] = Counter()
        n_slots = 0
        for found in documents:
            inside: Counter[str] = Counter()
            for slot in found:
                inside.update(slot.features)
                n_slots += 1
            slots.update(inside)
            spread.update(inside.keys())
        self._weights = {
            name: _position_weight(name) * math.log(1 + n_slots / (1 + count))
            for name, count in slots.items()
            if spread[name] > 1
        }

    def weight(self, feature: str) -> float:
        """Return the weight of *feature*: by its position, and by how few slots have it."""
        return self._weights.get(feature, 0.0)

    def vector(self, features: Mapping[str, float], scale: float = 1.0) -> Vector:
        """Return *features* weighted and of length one."""
        known = self._weights
        weighted = {n: known[n] * count / scale for n, count in features.items() if n in known}
        if len(weighted) > _MAX_FEATURES:
            best = sorted(weighted, key=lambda name: -weighted[name])[:_MAX_FEATURES]
            weighted = {name: weighted[name] for name in best}
        norm = math.sqrt(sum(value * value for value in weighted.values())) or 1.0
        return {name: value / norm for name, value in weighted.items()}


def _position_weight(feature: str) -> float:
    return _NEXT_WORD_WEIGHT if feature[:2] == ">!" else _POSITION_WEIGHTS[feature[0]]


def cluster_slots(documents: Sequence[Sequence[Slot]]) -> list[Cluster]:
    """Group the slots of *documents* by what they are; types are never mixed."""
    by_type: dict[str, list[list[Slot]]] = {}
    for index, slots in enumerate(documents):
        for slot in slots:
            rows = by_type.setdefault(slot.value.type, [[] for _ in documents])
            rows[index].append(slot)
    return [cluster for rows in by_type.values() for cluster in _cluster_type(rows)]


def _cluster_type(documents: Sequence[Sequence[Slot]]) -> list[Cluster]:
    weights = FeatureWeights(documents)
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
    """Join clusters that say the same in other words, the most similar first.

    Clusters of one slot are left as they are; so are the smallest of very many.
    """
    ranked = sorted(clusters, key=lambda cluster: -len(cluster.members))
    several = [cluster for cluster in ranked[:_MAX_CLUSTERS] if len(cluster.members) > 1]
    return [*_Variants(several, weights).join(), *ranked[len(several) :]]


class _Variants:
    """Agglomeration of clusters; the similarities that a join changes are computed again."""

    def __init__(self, clusters: Sequence[Cluster], weights: FeatureWeights) -> None:
        self._clusters = dict(enumerate(sorted(clusters, key=lambda c: -len(c.members))))
        self._weights = weights
        self._vectors = {n: _word_vector(c, weights) for n, c in self._clusters.items()}
        self._pairs: dict[tuple[int, int], float] = {}
        for left, right in combinations(self._clusters, 2):
            self._compare(left, right)

    def join(self) -> list[Cluster]:
        while self._pairs:
            pair = max(self._pairs, key=lambda found: self._pairs[found])
            self._unite(*pair)
        return list(self._clusters.values())

    def _unite(self, kept: int, gone: int) -> None:
        lost = self._clusters.pop(gone)
        for document, slot in lost.members.items():
            if document not in self._clusters[kept].members:
                self._clusters[kept].add(document, slot)
        touched = [pair for pair in self._pairs if kept in pair or gone in pair]
        for pair in touched:
            del self._pairs[pair]
        self._vectors[kept] = _word_vector(self._clusters[kept], self._weights)
        for other in self._clusters:
            if other != kept:
                self._compare(min(kept, other), max(kept, other))

    def _compare(self, left: int, right: int) -> None:
        similarity = _dot(self._vectors[left], self._vectors[right])
        if similarity < _VARIANT_SIMILARITY:
            return
        kinship = _kinship(self._clusters[left], self._clusters[right], similarity)
        if kinship >= _VARIANT_SIMILARITY:
            self._pairs[left, right] = kinship


def _word_vector(cluster: Cluster, weights: FeatureWeights) -> Vector:
    """What a cluster is about, whatever the order of its words."""
    words: Counter[str] = Counter()
    for name, count in cluster.features.items():
        if name[0] in "~u":
            words[name] += count
        elif name[0] in "<>" and name[1] != "!":
            words[f"~{name[1:]}"] += count
    return weights.vector(words)


def _dot(left: Vector, right: Vector) -> float:
    if len(right) < len(left):
        left, right = right, left
    return sum(value * right.get(name, 0.0) for name, value in left.items())


def _kinship(left: Cluster, right: Cluster, similarity: float) -> float:
    """Return the similarity, less for amounts of another size; 0.0 where both cannot be one."""
    shared = len(left.members.keys() & right.members.keys())
    if shared > _MAX_SHARED_DOCUMENTS * min(len(left.members), len(right.members)):
        return 0.0
    if left.is_past() != right.is_past():
        return 0.0
    if left.type == "date":
        return similarity
    low, high = sorted((abs(left.middle()), abs(right.middle())))
    factor = max(1.0, high / max(low, _MIN_AMOUNT))
    return 0.0 if factor > _MAX_FACTOR else similarity * factor**-_SIZE_POWER
