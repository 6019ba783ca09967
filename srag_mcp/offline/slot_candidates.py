"""Candidates from running text: clusters of slots that are frequent and vary."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from statistics import median

from srag_mcp.offline.candidates import Candidate
from srag_mcp.offline.clusters import cluster_slots
from srag_mcp.offline.keywords import group_by_keywords
from srag_mcp.offline.sentences import tokens_of
from srag_mcp.offline.sightings import Sightings
from srag_mcp.offline.slot_rules import best_slot, learn_slot_rule
from srag_mcp.offline.slots import Slot
from srag_mcp.offline.words import is_content
from srag_mcp.schema.extractors import SlotRule

_MIN_DOCUMENTS = 3
_MIN_SHARE = 0.05
_MIN_DISTINCT = 3
_MAX_COMMON = 0.85
_OUTLIER_FACTOR = 6.0
_MAX_CLUSTERED = 120
_N_LABEL_WORDS = 4
_LABEL_SHARE = 0.4
_ASKED_BONUS = 1.6
_COPULAS = frozenset({"<!is", "<!are", "<!was", "<!wer", "<!at"})


def slot_candidates(sightings: Sequence[Sightings], asked: Collection[str] = ()) -> list[Candidate]:
    """Cluster the slots of *sightings* and learn a rule for each cluster worth one.

    *asked* are stems that sample questions use: labels prefer them.
    """
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
            candidate = _candidate(placed, documents, sightings)
            candidate.label = _label(placed, sightings, candidate, asked)
            candidates.append(candidate)
    return sorted(candidates, key=lambda candidate: -len(candidate.values))


def _candidate(
    members: Mapping[int, Slot], documents: Sequence[Sequence[Slot]], sightings: Sequence[Sightings]
) -> Candidate:
    """Learn a candidate from the slots that say one fact."""
    rule = learn_slot_rule(members, documents)
    values: dict[int, str] = {}
    for number, slots in enumerate(documents):
        found = best_slot(rule, slots)
        if found is not None:
            values[number] = found.value.span.of(sightings[number].text)
    candidate = Candidate("slot", "", [rule], values, _words(members))
    candidate.near = _near_words(members)
    return candidate


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
            if name[0] in "~<>" and name[1] != "!":
                words[name[1:]] += 1
            elif name[0] == "#":
                words.update(name[1:].split())
    return words


def _near_words(members: Mapping[int, Slot]) -> dict[str, float]:
    """Return the share of slots that have a stem on the side that says what they are.

    That is the right side ("38 rooms"), but the left one after a copula ("the incidence is 139").
    """
    mark = "<" if _is_predicate(members) else ">"
    counts = Counter(
        name[1:].lstrip("!")
        for slot in members.values()
        for name in slot.features
        if name[0] == mark and (name[1] != "!" or is_content(name[2:]))
    )
    return {stem: min(1.0, count / len(members)) for stem, count in counts.items()}


def _is_predicate(members: Mapping[int, Slot]) -> bool:
    after = sum(not _COPULAS.isdisjoint(slot.features) for slot in members.values())
    return 2 * after > len(members)


def _label(
    members: Mapping[int, Slot],
    sightings: Sequence[Sightings],
    candidate: Candidate,
    asked: Collection[str],
) -> str:
    """Take the words that tell most and most slots share, in the order of a typical sentence."""
    rule = candidate.rules[0]
    weights = rule.weights if isinstance(rule, SlotRule) else {}
    shares = Counter(stem for slot in members.values() for stem in _stems(slot))
    points: dict[str, float] = defaultdict(float)
    for name, weight in weights.items():
        if weight > 0 and name[0] in "~<>":
            stem = name[1:].lstrip("!")
            points[stem] += weight * (0.3 + 2 * candidate.near.get(stem, 0.0))
            points[stem] *= _ASKED_BONUS if stem in asked else 1.0
    number, slot = _typical(members, weights)
    tokens = tokens_of(sightings[number].text, slot.sentence)
    there = {token.stem for token in tokens if is_content(token.word) and len(token.word) > 2}
    telling = sorted((stem for stem in points if stem in there), key=lambda stem: -points[stem])
    shared = [stem for stem in telling if shares[stem] >= _LABEL_SHARE * len(members)]
    chosen = (shared or telling[:1])[:_N_LABEL_WORDS]
    ordered = dict.fromkeys(token.word for token in tokens if token.stem in chosen)
    return " ".join(list(ordered)[:_N_LABEL_WORDS])


def _stems(slot: Slot) -> set[str]:
    return {name[1:].lstrip("!") for name in slot.features if name[0] in "~<>"}


def _typical(members: Mapping[int, Slot], weights: Mapping[str, float]) -> tuple[int, Slot]:
    def points(item: tuple[int, Slot]) -> float:
        return sum(weights.get(name, 0.0) for name in item[1].features)

    return max(members.items(), key=points)
