"""Keywords: slots that one word tells apart, in text where no two sentences are alike.

Clusters need repeated wording. Where every document is worded afresh, a number is still told by the
word that it counts or measures to ("38 rooms", "12 km from the airport"), if that word goes with
one number of a document, and does so in many documents.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from statistics import median

from srag_mcp.rules.clusters import Cluster
from srag_mcp.rules.slots import Slot

_MIN_SHARE = 0.15
_MIN_DOCUMENTS = 4
_MAX_ROUNDS = 16
_MAX_PER_DOCUMENT = 1.8
_SETTLED_SHARE = 0.1
_COMMON = 0.7
_MIN_COMMON = 2
_FORMS = frozenset({"@score", "@stars"})
_NEAR_BONUS = {">!": 1.5, ">": 1.25, "<": 1.15, "~": 1.0}
_MAX_DISTANCE = 1.5

Found = tuple[int, Slot]
Keyword = tuple[str, str, str]  # type and unit of the slot, and the word


def group_by_keywords(clusters: Sequence[Cluster], n_documents: int) -> list[Cluster]:
    """Group the slots that no cluster of one wording holds by the words that tell them apart.

    Returns the clusters of one wording, the new groups, and what is left of the others.
    """
    settled = [cluster for cluster in clusters if _is_settled(cluster, n_documents)]
    loose = [cluster for cluster in clusters if not _is_settled(cluster, n_documents)]
    left = [found for cluster in loose for found in cluster.members.items()]
    floor = max(_MIN_DOCUMENTS, _MIN_SHARE * n_documents)
    words = _by_word(left, floor)
    groups: list[Cluster] = []
    gone: set[int] = set()
    for _ in range(_MAX_ROUNDS):
        group = _best_cluster(words, floor, gone)
        if group is None:
            break
        groups.append(group)
        gone.update(id(slot) for slot in group.members.values())
    kept = {id(slot) for _, slot in left} - gone
    return [*settled, *groups, *(cluster for cluster in loose if _mostly(cluster, kept))]


def _is_settled(cluster: Cluster, n_documents: int) -> bool:
    """Whether a cluster is large and its slots are worded alike."""
    n_members = len(cluster.members)
    if n_members < max(_MIN_DOCUMENTS, _SETTLED_SHARE * n_documents):
        return False
    common = {n for n, count in cluster.features.items() if count >= _COMMON * n_members}
    if not _FORMS.isdisjoint(common):
        return True
    near = [sum(n[0] in "<>" for n in slot.features & common) for slot in cluster.members.values()]
    return median(near) >= _MIN_COMMON


def _mostly(cluster: Cluster, kept: set[int]) -> bool:
    return 2 * sum(id(slot) in kept for slot in cluster.members.values()) > len(cluster.members)


def _by_word(left: Sequence[Found], floor: float) -> dict[Keyword, list[Found]]:
    """Group slots by type, unit and each word around; words of few documents are left out."""
    groups: dict[Keyword, list[Found]] = defaultdict(list)
    for document, slot in left:
        unit = _unit(slot)
        for word in _words(slot):
            groups[slot.value.type, unit, word].append((document, slot))
    return {
        keyword: group
        for keyword, group in groups.items()
        if len(group) >= floor and len({document for document, _ in group}) >= floor
    }


def _best_cluster(
    words: Mapping[Keyword, list[Found]], floor: float, gone: Collection[int]
) -> Cluster | None:
    best, points = None, 0.0
    for (_, _, word), everything in words.items():
        group = [found for found in everything if id(found[1]) not in gone]
        spread = len({document for document, _ in group})
        if spread < floor or len(group) > _MAX_PER_DOCUMENT * spread:
            continue
        chosen = _choose(word, group)
        if len(chosen) >= floor:
            worth = len(chosen) * _nearness(word, chosen) * spread / len(group)
            if worth > points:
                best, points = chosen, worth
    if best is None:
        return None
    cluster = Cluster()
    for document, slot in best.items():
        cluster.add(document, slot)
    return cluster


def _unit(slot: Slot) -> str:
    return next((name for name in slot.features if name.startswith("unit:")), "")


def _words(slot: Slot) -> set[str]:
    return {word for name in slot.features if (word := _word(name))}


def _word(feature: str) -> str:
    return feature[1:].lstrip("!") if feature[0] in "~<>" else ""


def _choose(word: str, group: Sequence[Found]) -> dict[int, Slot]:
    """Take one slot a document, the nearest to the word, and leave out amounts of another size."""
    chosen: dict[int, Slot] = {}
    for document, slot in group:
        known = chosen.get(document)
        if known is None or _bonus(word, slot) > _bonus(word, known):
            chosen[document] = slot
    sizes = [_size(slot) for slot in chosen.values()]
    middle = median(sizes) if sizes else 0.0
    return {d: slot for d, slot in chosen.items() if abs(_size(slot) - middle) <= _MAX_DISTANCE}


def _size(slot: Slot) -> float:
    """Return the decimal order of an amount; dates are all of one size."""
    return 0.0 if slot.value.type == "date" else math.log10(max(abs(slot.value.amount), 1e-6))


def _bonus(word: str, slot: Slot) -> float:
    return max((bonus for mark, bonus in _marks(word) if mark in slot.features), default=1.0)


def _marks(word: str) -> Iterator[tuple[str, float]]:
    for position, bonus in _NEAR_BONUS.items():
        yield f"{position}{word}", bonus


def _nearness(word: str, chosen: dict[int, Slot]) -> float:
    return sum(_bonus(word, slot) for slot in chosen.values()) / max(1, len(chosen))
