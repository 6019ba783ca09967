"""Slot rules: from the slots that say a fact to weights that find it in any document."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from srag_mcp.rules.slots import Slot
from srag_mcp.schema.extractors import SlotRule

_MAX_FEATURES = 18
_MAX_PENALTIES = 8
_MIN_SHARE = 0.04
_N_CORRECTIONS = 4
_SMOOTH = 0.02
_STEP = 0.6
_RANGE_FACTOR = 4.0
_NEAR = 0.95  # of the points of the best slot: too near to tell which is meant


def score(rule: SlotRule, slot: Slot) -> float:
    """Return the points of *slot* under *rule*; 0.0 where its type or amount does not fit."""
    if slot.value.type != rule.value_type or not _is_in_range(rule, slot):
        return 0.0
    features = slot.features
    return sum(weight for name, weight in rule.weights.items() if name in features)


def _is_in_range(rule: SlotRule, slot: Slot) -> bool:
    low = -math.inf if rule.minimum is None else rule.minimum
    high = math.inf if rule.maximum is None else rule.maximum
    amount, other = slot.value.amount, slot.value.other
    return low <= amount <= high or (other is not None and low <= other <= high)


def best_slot(rule: SlotRule, slots: Sequence[Slot]) -> Slot | None:
    """Return the slot with the most points, the first of equals; None below the threshold."""
    best, found = 0.0, None
    for slot in slots:
        points = score(rule, slot)
        if points > best:
            best, found = points, slot
    if found is None or best < rule.threshold:
        return None
    asks_for_earlier = rule.weights.get("@earlier", 0.0) > 0
    return found if asks_for_earlier else to_latest(found, slots)


def rival(rule: SlotRule, chosen: Slot, slots: Sequence[Slot], text: str) -> Slot | None:
    """Return a slot of nearly as many points as *chosen* that gives another value, or None."""
    least = _NEAR * score(rule, chosen)
    words = chosen.value.span.of(text).casefold()
    for slot in slots:
        if slot is chosen or score(rule, slot) < least or "@earlier" in slot.features:
            continue
        if slot.value.amount != chosen.value.amount or slot.value.span.of(text).casefold() != words:
            return slot
    return None


def to_latest(slot: Slot, slots: Iterable[Slot]) -> Slot:
    """Return the latest of the values that one paragraph gives for several dates.

    "from 41 on 1 May to 58 on 1 June": the second is what holds now.
    """
    if "@earlier" not in slot.features:
        return slot
    around = {name for name in slot.features if name[0] == "^"}
    for other in slots:
        is_latest = "@latest" in other.features and other.value.type == slot.value.type
        if is_latest and around <= other.features:
            return other
    return slot


def learn_slot_rule(members: Mapping[int, Slot], documents: Sequence[Sequence[Slot]]) -> SlotRule:
    """Learn what tells *members* (one slot a document) from all other slots of *documents*."""
    kind = next(iter(members.values())).value.type
    others = [
        slot
        for number, slots in enumerate(documents)
        for slot in slots
        if slot.value.type == kind and slot is not members.get(number)
    ]
    weights = _weights(list(members.values()), others)
    low, high = _range(members.values())
    rule = SlotRule(value_type=kind, weights=weights, threshold=1.0, minimum=low, maximum=high)
    for _ in range(_N_CORRECTIONS):
        corrected = _correct(rule, members, documents)
        if corrected is None:
            break
        rule = corrected
    return rule.model_copy(update={"threshold": _threshold(rule, members, documents)})


def _weights(members: Sequence[Slot], others: Sequence[Slot]) -> dict[str, float]:
    inside = Counter(name for slot in members for name in slot.features)
    outside = Counter(name for slot in others for name in slot.features)
    weights = {}
    for name, count in inside.items():
        share = count / len(members)
        if share >= _MIN_SHARE and (count > 1 or len(members) < 3):
            elsewhere = outside[name] / max(1, len(others))
            odds = math.log((share + _SMOOTH) / (elsewhere + _SMOOTH))
            if odds > 0:
                weights[name] = round(odds * math.sqrt(share), 3)
    best = sorted(weights, key=lambda name: (-weights[name], name))[:_MAX_FEATURES]
    return {name: weights[name] for name in best if weights[name] > 0} or {"~": 1.0}


def _range(members: Iterable[Slot]) -> tuple[float | None, float | None]:
    amounts = [slot.value.amount for slot in members]
    if next(iter(members)).value.type == "date":
        return None, None
    low, high = min(amounts), max(amounts)
    return (
        round(low / _RANGE_FACTOR, 6) if low > 0 else None,
        round(high * _RANGE_FACTOR, 6) if high > 0 else None,
    )


def _correct(
    rule: SlotRule, members: Mapping[int, Slot], documents: Sequence[Sequence[Slot]]
) -> SlotRule | None:
    """Give penalties to features of slots that win over the members; None when none does."""
    winners = _winners(rule, members, documents)
    if not winners:
        return None
    blame = _blame(winners)
    weights = dict(rule.weights)
    for name, count in blame.most_common(_MAX_PENALTIES):
        if count > 0 and (name in weights or _n_penalties(weights) < _MAX_PENALTIES):
            weights[name] = round(weights.get(name, 0.0) - _STEP, 3)
    for name, count in sorted(blame.items(), key=lambda pair: pair[1])[:_MAX_PENALTIES]:
        if count < 0:
            weights[name] = round(weights.get(name, 0.0) + _STEP, 3)
    return rule.model_copy(update={"weights": weights})


def _blame(winners: Sequence[tuple[Slot, Slot]]) -> Counter[str]:
    """Count what wrong winners have (+) and members lack (-), but for what is so only once."""
    blame: Counter[str] = Counter()
    for slot, member in winners:
        blame.update(slot.features - member.features)
        blame.subtract(member.features - slot.features)
    least = min(2, len(winners))
    return Counter({name: count for name, count in blame.items() if abs(count) >= least})


def _n_penalties(weights: Mapping[str, float]) -> int:
    return sum(weight < 0 for weight in weights.values())


def _winners(
    rule: SlotRule, members: Mapping[int, Slot], documents: Sequence[Sequence[Slot]]
) -> list[tuple[Slot, Slot]]:
    """Return each slot that beats its document's member, with the member."""
    found = []
    for number, member in members.items():
        best = best_slot(rule.model_copy(update={"threshold": 1e-9}), documents[number])
        if best is not None and best is not member:
            found.append((best, member))
    return found


def _threshold(
    rule: SlotRule, members: Mapping[int, Slot], documents: Sequence[Sequence[Slot]]
) -> float:
    """Choose the number of points that best parts members from best slots of other documents."""
    hits = sorted(score(rule, member) for member in members.values())
    misses = [
        max((score(rule, slot) for slot in slots), default=0.0)
        for number, slots in enumerate(documents)
        if number not in members
    ]
    best, found = -1.0, max(0.01, 0.5 * hits[len(hits) // 2])
    for limit in sorted({*hits}):
        kept = sum(hit >= limit for hit in hits)
        wrong = sum(miss >= limit for miss in misses)
        quality = kept / (len(hits) + wrong)
        if limit > 0 and quality > best:
            best, found = quality, limit
    floor = max((miss for miss in misses if miss < found), default=0.0)
    return round(max(0.01, found - 0.4 * (found - floor)), 3)
