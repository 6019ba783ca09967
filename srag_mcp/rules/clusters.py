"""Clusters of slots: values of several documents that the same words stand around.

Clusters need repeated wording. Where every document is worded afresh, a number is still told by the
word that it counts or measures to ("38 rooms", "12 km from the airport").
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from srag_mcp.rules.candidates import join_surest
from srag_mcp.rules.slots import Slot

_POSITION_WEIGHTS = {"~": 0.7, "<": 1.2, ">": 1.5, "#": 0.5, "@": 2.5, "u": 1.5, "^": 0.35, "|": 1}
_NEXT_WORD_WEIGHT = 2.0
_MAX_FEATURES = 32
_MAX_CLUSTERS = 300
_MAX_REFRESHED = 32  # members, after which a centroid hardly moves
_JOIN_SIMILARITY = 0.6
_VARIANT_SIMILARITY = 0.30
_MAX_SHARED_DOCUMENTS = 0.2
_MAX_FACTOR = 6.0
_MIN_AMOUNT = 1e-9
_SIZE_POWER = 0.25
_MIN_SHARE = 0.15
_MIN_DOCUMENTS = 4
_MAX_ROUNDS = 16
_MAX_PER_DOCUMENT = 1.8
_SETTLED_SHARE = 0.1
_COMMON = 0.7
_MIN_COMMON = 2
_FORMS = frozenset({"@score", "@stars"})
_NEAR_BONUS = {">!": 1.5, ">": 1.25, "<": 1.15}
_MAX_DISTANCE = 1.5

Vector = dict[str, float]


@dataclass(slots=True)
class Cluster:
    """Slots that are taken for one fact: by document, and what they look like on average.

    *words* is what it is about, whatever the order of its words.
    """

    members: dict[int, Slot] = field(default_factory=dict)
    features: Counter[str] = field(default_factory=Counter)
    words: Vector = field(default_factory=dict)

    def add(self, document: int, slot: Slot) -> None:
        """Take *slot* in as what that document says."""
        self.members[document] = slot
        self.features.update(slot.features)

    def middle(self) -> float:
        """Return the size of the median amount."""
        return abs(median(slot.value.amount for slot in self.members.values()))


def cluster_slots(documents: Sequence[Sequence[Slot]]) -> list[Cluster]:
    """Group the slots of *documents* by what they are; types and thresholds are never mixed.

    Clusters of one wording come first, then what no cluster of one wording holds, grouped by the
    words that tell them apart, then what is left.
    """
    by_sort: dict[_Sort, list[list[Slot]]] = {}
    for index, slots in enumerate(documents):
        for slot in slots:
            rows = by_sort.setdefault(_sort_of(slot), [[] for _ in documents])
            rows[index].append(slot)
    clusters: list[Cluster] = []
    for rows in by_sort.values():
        weights, seeds = _FeatureWeights(rows), list[Cluster]()
        for _ in range(2):
            assigned = _assign_all(rows, seeds, weights)
            seeds = [cluster for cluster in assigned if len(cluster.members) > 1]
        clusters += _join_variants([c for c in assigned if c.members], weights)
    return group_by_keywords(clusters, len(documents))


_Sort = tuple[str, str]


def _sort_of(slot: Slot) -> _Sort:
    """Return the type of a slot, and the threshold under which it holds."""
    return slot.value.type, slot.threshold


class _FeatureWeights:
    """How much a feature tells: by its position, and by how few slots of the corpus have it."""

    def __init__(self, documents: Iterable[Iterable[Slot]]) -> None:
        slots, spread = Counter[str](), Counter[str]()
        n_slots = 0
        for found in documents:
            inside = Counter(name for slot in found for name in slot.features)
            n_slots += sum(1 for _ in found)
            slots.update(inside)
            spread.update(inside.keys())
        self._weights = {
            name: (_NEXT_WORD_WEIGHT if name[:2] == ">!" else _POSITION_WEIGHTS[name[0]])
            * math.log(1 + n_slots / (1 + count))
            for name, count in slots.items()
            if spread[name] > 1
        }

    def vector(self, features: Mapping[str, float]) -> Vector:
        """Return *features* weighted and of length one."""
        known = self._weights
        weighted = {n: known[n] * count for n, count in features.items() if n in known}
        if len(weighted) > _MAX_FEATURES:
            best = sorted(weighted, key=lambda name: (-weighted[name], name))[:_MAX_FEATURES]
            weighted = {name: weighted[name] for name in best}
        norm = math.sqrt(sum(value * value for value in weighted.values())) or 1.0
        return {name: value / norm for name, value in weighted.items()}


def _assign_all(
    documents: Sequence[Sequence[Slot]], seeds: Sequence[Cluster], weights: _FeatureWeights
) -> list[Cluster]:
    """Put each slot into the nearest cluster; the centroids of *seeds* stay where they are."""
    clusters = [Cluster() for _ in seeds]
    postings: dict[str, dict[int, float]] = defaultdict(dict)

    def refresh(number: int, features: Mapping[str, float]) -> None:
        for name, value in weights.vector(features).items():
            postings[name][number] = value

    for number, seed in enumerate(seeds):
        refresh(number, seed.features)
    for document, slots in enumerate(documents):
        found: list[tuple[float, int, int]] = []
        for position, slot in enumerate(slots):
            vector = weights.vector(dict.fromkeys(slot.features, 1.0))
            found += [(points, position, number) for number, points in _near(vector, postings)]
        placed: dict[int, int] = {}
        for _, position, number in sorted(found, reverse=True):
            if position not in placed and number not in placed.values():
                placed[position] = number
                cluster = clusters[number]
                cluster.add(document, slots[position])
                if number >= len(seeds) and len(cluster.members) <= _MAX_REFRESHED:
                    refresh(number, cluster.features)
        for position, slot in enumerate(slots):
            if position not in placed:
                clusters.append(Cluster({document: slot}, Counter(slot.features)))
                refresh(len(clusters) - 1, clusters[-1].features)
    return clusters


def _near(vector: Vector, postings: Mapping[str, Mapping[int, float]]) -> list[tuple[int, float]]:
    """Return the clusters that a slot is similar to, with how similar."""
    scores: dict[int, float] = defaultdict(float)
    for name, value in vector.items():
        for number, weight in postings.get(name, {}).items():
            scores[number] += value * weight
    return [(number, points) for number, points in scores.items() if points >= _JOIN_SIMILARITY]


def _join_variants(clusters: Sequence[Cluster], weights: _FeatureWeights) -> list[Cluster]:
    """Join clusters that say the same in other words, the most similar first."""
    ranked = sorted(clusters, key=lambda cluster: -len(cluster.members))
    several = [cluster for cluster in ranked[:_MAX_CLUSTERS] if len(cluster.members) > 1]
    for cluster in several:
        cluster.words = _word_vector(cluster, weights)

    def similarity(left: Cluster, right: Cluster) -> float:
        short, long = sorted((left.words, right.words), key=len)
        alike = sum(value * long.get(name, 0.0) for name, value in short.items())
        return alike * _may_be_one(left, right) if alike >= _VARIANT_SIMILARITY else 0.0

    def join(kept: Cluster, gone: Cluster) -> None:
        for document, slot in gone.members.items():
            if document not in kept.members:
                kept.add(document, slot)
        kept.words = _word_vector(kept, weights)

    return [*join_surest(several, similarity, join, _VARIANT_SIMILARITY), *ranked[len(several) :]]


def _word_vector(cluster: Cluster, weights: _FeatureWeights) -> Vector:
    words: Counter[str] = Counter()
    for name, count in cluster.features.items():
        if name[0] in "~u":
            words[name] += count
        elif name[0] in "<>" and name[1] != "!":
            words[f"~{name[1:]}"] += count
    return weights.vector(words)


def _may_be_one(left: Cluster, right: Cluster) -> float:
    """Return 1.0, less for amounts of another size; 0.0 where both cannot be one."""
    shared = len(left.members.keys() & right.members.keys())
    # mostly values of an earlier day, given for comparison
    past = [2 * c.features["@earlier"] > len(c.members) for c in (left, right)]
    if shared > _MAX_SHARED_DOCUMENTS * min(map(len, (left.members, right.members))):
        return 0.0
    if past[0] != past[1]:
        return 0.0
    if next(iter(left.members.values())).value.type == "date":
        return 1.0
    low, high = sorted((left.middle(), right.middle()))
    factor = max(1.0, high / max(low, _MIN_AMOUNT))
    return 0.0 if factor > _MAX_FACTOR else float(factor**-_SIZE_POWER)


# --- Slots that one word tells apart -------------------------------------------------------------

_Located = tuple[int, Slot]
_Keyword = tuple[_Sort, str, str]  # sort and unit of the slot, and the word


def group_by_keywords(clusters: Sequence[Cluster], n_documents: int) -> list[Cluster]:
    """Return the clusters of one wording, new groups by keyword, and what is left of the others."""
    settled = [cluster for cluster in clusters if _is_settled(cluster, n_documents)]
    loose = [cluster for cluster in clusters if not _is_settled(cluster, n_documents)]
    left = [found for cluster in loose for found in cluster.members.items()]
    floor = max(_MIN_DOCUMENTS, _MIN_SHARE * n_documents)
    words: dict[_Keyword, list[_Located]] = defaultdict(list)
    for document, slot in left:
        unit = next((name for name in slot.features if name.startswith("unit:")), "")
        for word in sorted({n[1:].lstrip("!") for n in slot.features if n[0] in "~<>"} - {""}):
            words[_sort_of(slot), unit, word].append((document, slot))
    words = {keyword: group for keyword, group in words.items() if len(group) >= floor}
    groups: list[Cluster] = []
    gone: set[int] = set()
    while len(groups) < _MAX_ROUNDS and (chosen := _best_group(words, floor, gone)):
        groups.append(Cluster())
        for document, slot in chosen.items():
            groups[-1].add(document, slot)
            gone.add(id(slot))
    kept = [
        cluster
        for cluster in loose
        if 2 * sum(id(slot) not in gone for slot in cluster.members.values()) > len(cluster.members)
    ]
    return [*settled, *groups, *kept]


def _is_settled(cluster: Cluster, n_documents: int) -> bool:
    """Whether a cluster is large and its slots are worded alike."""
    n_members = len(cluster.members)
    if n_members < max(_MIN_DOCUMENTS, _SETTLED_SHARE * n_documents):
        return False
    common = {n for n, count in cluster.features.items() if count >= _COMMON * n_members}
    near = [sum(n[0] in "<>" for n in slot.features & common) for slot in cluster.members.values()]
    return not _FORMS.isdisjoint(common) or median(near) >= _MIN_COMMON


def _best_group(
    words: Mapping[_Keyword, Sequence[_Located]], floor: float, gone: Collection[int]
) -> dict[int, Slot]:
    """Return the slots, one a document, that one word tells best; none below *floor*."""
    best, most = dict[int, Slot](), 0.0
    for (_, _, word), everything in words.items():
        group = [found for found in everything if id(found[1]) not in gone]
        spread = len({document for document, _ in group})
        if spread < floor or len(group) > _MAX_PER_DOCUMENT * spread:
            continue
        chosen: dict[int, Slot] = {}
        for document, slot in group:
            known = chosen.get(document)
            if known is None or _bonus(word, slot) > _bonus(word, known):
                chosen[document] = slot
        # decimal orders; days are numbers of one size
        sizes = {d: math.log10(max(abs(s.value.amount), 1e-6)) for d, s in chosen.items()}
        middle = median(sizes.values())
        chosen = {d: s for d, s in chosen.items() if abs(sizes[d] - middle) <= _MAX_DISTANCE}
        worth = sum(_bonus(word, slot) for slot in chosen.values()) * spread / len(group)
        if len(chosen) >= floor and worth > most:
            best, most = chosen, worth
    return best


def _bonus(word: str, slot: Slot) -> float:
    """Return how near the word stands to the value."""
    near = (bonus for mark, bonus in _NEAR_BONUS.items() if f"{mark}{word}" in slot.features)
    return next(near, 1.0)
