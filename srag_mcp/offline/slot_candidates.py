"""Candidates from running text: clusters of slots that are frequent and vary."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

from srag_mcp.offline.candidates import Candidate
from srag_mcp.offline.clusters import cluster_slots
from srag_mcp.offline.keywords import group_by_keywords
from srag_mcp.offline.sentences import tokens_of
from srag_mcp.offline.sightings import Sightings
from srag_mcp.offline.slot_rules import best_slot, learn_slot_rule
from srag_mcp.offline.slots import Slot
from srag_mcp.offline.words import is_content

_MIN_DOCUMENTS = 3
_MIN_SHARE = 0.05
_MIN_DISTINCT = 3
_MAX_COMMON = 0.85
_OUTLIER_FACTOR = 6.0
_MAX_CLUSTERED = 120
_N_LABEL_WORDS = 4
_LABEL_SHARE = 0.4


def slot_candidates(sightings: Sequence[Sightings]) -> list[Candidate]:
    """Cluster the slots of *sightings* and learn a rule for each cluster worth one."""
    documents = [sighting.slots for sighting in sightings]
    floor = max(_MIN_DOCUMENTS, round(_MIN_SHARE * len(documents)))
    step = max(1, -(-len(documents) // _MAX_CLUSTERED))
    sample = documents[::step]
    clusters = group_by_keywords(cluster_slots(sample), len(sample))
    candidates = []
    for cluster in clusters:
        members = without_outliers(cluster.members)
        if len(members) * step >= floor and len(members) >= _MIN_DOCUMENTS and _varies(members):
            placed = {number * step: slot for number, slot in members.items()}
            candidates.append(slot_candidate(placed, documents, sightings))
    return sorted(candidates, key=lambda candidate: -len(candidate.values))


def slot_candidate(
    members: Mapping[int, Slot], documents: Sequence[Sequence[Slot]], sightings: Sequence[Sightings]
) -> Candidate:
    """Learn a candidate from the slots that say one fact."""
    rule = learn_slot_rule(members, documents)
    values: dict[int, str] = {}
    for number, slots in enumerate(documents):
        found = best_slot(rule, slots)
        if found is not None:
            values[number] = found.value.span.of(sightings[number].document.text)
    label = _label(members, sightings, rule.weights)
    return Candidate("slot", label, [rule], values, _words(members))


def without_outliers(members: Mapping[int, Slot]) -> dict[int, Slot]:
    """Leave out numbers of another size: a cumulative total among daily figures."""
    slots = list(members.values())
    if slots[0].value.type == "date" or len(slots) < _MIN_DOCUMENTS:
        return dict(members)
    sizes = sorted(abs(slot.value.amount) for slot in slots)
    low = sizes[len(sizes) // 20] / _OUTLIER_FACTOR
    high = sizes[-1 - len(sizes) // 20]
    middle = median(sizes)
    high = max(min(high, middle * 50), middle) * _OUTLIER_FACTOR
    return {n: slot for n, slot in members.items() if low <= abs(slot.value.amount) <= high}


def _varies(members: Mapping[int, Slot]) -> bool:
    counts = Counter(slot.value.amount for slot in members.values())
    if len(members) <= _MIN_DISTINCT:
        return len(counts) > 1
    return len(counts) >= _MIN_DISTINCT and max(counts.values()) <= _MAX_COMMON * len(members)


def _words(members: Mapping[int, Slot]) -> Counter[str]:
    """Count the stems around the slots: near ones twice, those of the sentence once."""
    words: Counter[str] = Counter()
    for slot in members.values():
        for name in slot.features:
            if name[0] == "~" or (name[0] in "<>" and name[1] != "!"):
                words[name[1:]] += 1
            elif name[0] == "#":
                words.update(name[1:].split())
    return words


def _label(
    members: Mapping[int, Slot], sightings: Sequence[Sightings], weights: Mapping[str, float]
) -> str:
    """Take the words that tell most, whole and in the order of a typical sentence."""
    number, slot = _typical(members, weights)
    points: dict[str, float] = defaultdict(float)
    for name, weight in weights.items():
        if weight > 0 and name[0] in "~<>" and name[1:2] != "!":
            points[name[1:]] += weight if name[0] == "~" else 1.2 * weight
    text = sightings[number].document.text
    tokens = tokens_of(text, slot.sentence)
    there = {token.stem: token.word for token in tokens if is_content(token.word)}
    telling = [stem for stem in sorted(points, key=lambda stem: -points[stem]) if stem in there]
    chosen = telling[:_N_LABEL_WORDS]
    ordered = dict.fromkeys(token.word for token in tokens if token.stem in chosen)
    return " ".join(list(ordered)[:_N_LABEL_WORDS])


def _typical(members: Mapping[int, Slot], weights: Mapping[str, float]) -> tuple[int, Slot]:
    def points(item: tuple[int, Slot]) -> float:
        return sum(weights.get(name, 0.0) for name in item[1].features)

    return max(members.items(), key=points)
