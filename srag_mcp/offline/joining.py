"""Joining: candidates that state one fact become one."""

import math
from collections.abc import Mapping, Sequence

from srag_mcp.offline.candidates import Candidate, agreement
from srag_mcp.offline.fallbacks import may_stand_in
from srag_mcp.offline.key_shapes import shape_of
from srag_mcp.offline.kin import GENERAL_STEMS, kin_of
from srag_mcp.offline.typed_candidates import TypedCandidate, plain_values
from srag_mcp.offline.words import content_stems
from srag_mcp.schema.extractors import KeyRule

_MIN_SHARED = 3
_SAME = 0.85
_SAME_STATEMENTS = 0.95
_MAX_SIZE_FACTOR = 3.0
_MAX_WAYS = 4
_NEAR_SHARE = 0.4
_MAX_DIFFERING = 0.1


def join_same(items: Sequence[TypedCandidate]) -> list[TypedCandidate]:
    """Join candidates that state the same in the documents that have both; the earlier stays."""
    kept: list[TypedCandidate] = []
    plain: list[Mapping[int, str]] = []
    for item in items:
        values = plain_values(item)
        twin = next(
            (n for n, other in enumerate(kept) if _same(other, item, plain[n], values)), None
        )
        if twin is None:
            kept.append(item)
            plain.append(values)
        else:
            kept[twin] = joined(kept[twin], item)
            plain[twin] = {**values, **plain[twin]}
    return kept


def _same(
    left: TypedCandidate, right: TypedCandidate, ours: Mapping[int, str], theirs: Mapping[int, str]
) -> bool:
    kinds = {left.guess.type, right.guess.type}
    if kinds == {"boolean"}:
        return _same_statements(left.candidate.values, right.candidate.values)
    if "boolean" in kinds or (len(kinds) > 1 and kinds != {"integer", "number"}):
        return False
    shared, alike = agreement(ours, theirs)
    enough = shared >= max(_MIN_SHARED, 0.5 * min(len(ours), len(theirs)))
    return enough and alike >= _SAME


def _same_statements(left: Mapping[int, str], right: Mapping[int, str]) -> bool:
    alike = sum(left[number] == right.get(number) for number in left)
    return alike >= _SAME_STATEMENTS * len(left.keys() | right.keys())


def joined(left: TypedCandidate, right: TypedCandidate) -> TypedCandidate:
    """Join two candidates: the more specific rule first, a place only where nothing else speaks."""
    one, other = left.candidate, right.candidate
    if other.origin == "item":
        return left
    if one.origin == "place" and other.origin != "place":
        one, other = other, one
    if one.origin == "part" and " part " in one.label:
        one.label, other.label = other.label, ""
    guess = left.guess if one is left.candidate else right.guess
    if other.origin == "place" and not may_stand_in(one, other, guess.type):
        return TypedCandidate(one, guess)
    one.rules = [*one.rules, *other.rules]
    one.values = {**other.values, **one.values}
    one.words = one.words + other.words
    one.near = {**other.near, **one.near}
    one.full_label = one.full_label or other.full_label
    one.labels = tuple(dict.fromkeys(filter(None, (*one.labels, other.label, *other.labels))))
    return TypedCandidate(one, guess)


def join_ways(items: Sequence[TypedCandidate]) -> list[TypedCandidate]:
    """Join a field with the slots that state its amount in other documents.

    They share a telling word or one of like meaning and the kind of unit, hardly ever meet in a
    document, and are of one size; the slot nearest in size is tried first.
    """
    kept = list(items)
    for field in [item for item in items if item.candidate.origin == "field"]:
        found = field
        for _ in range(_MAX_WAYS):
            ways = [
                (gap, n) for n, item in enumerate(kept) if (gap := _gap(found, item)) is not None
            ]
            if not ways:
                break
            _, place = min(ways)
            slot = kept.pop(place)
            at = next(n for n, item in enumerate(kept) if item is found)
            found = kept[at] = joined(found, slot)
    return kept


def _gap(field: TypedCandidate, slot: TypedCandidate) -> float | None:
    """Return how far apart the sizes of both are; None where they are not one fact."""
    one, other = field.candidate, slot.candidate
    if other.origin != "slot" or not _kinds(field) & _kinds(slot) & {"number", "date"}:
        return None
    if not _are_said_alike(one, other) or not _hardly_meet(field, slot):
        return None
    left, right = shape_of(list(one.values.values())), shape_of(list(other.values.values()))
    if left.kind != right.kind or left.detail != right.detail:
        return None
    low, high = sorted((left.middle, right.middle))
    factor = high / low if low else math.inf
    return factor if factor <= _MAX_SIZE_FACTOR else None


def _kinds(item: TypedCandidate) -> set[str]:
    return {"number"} if item.guess.type in {"integer", "number"} else {item.guess.type}


def _are_said_alike(field: Candidate, slot: Candidate) -> bool:
    """Whether a slot is told by a word of the field's keys, or one of like meaning."""
    own = set(content_stems(" ".join((field.label, *field.labels))))
    if isinstance(field.rules[0], KeyRule):
        own.update(content_stems(" ".join(field.rules[0].keys)))
    telling = own - GENERAL_STEMS or own
    own = {akin for name in telling for akin in kin_of(name)}
    near = {name for name, share in slot.near.items() if share >= _NEAR_SHARE}
    return bool(own & ({*content_stems(slot.label)} | near))


def _hardly_meet(field: TypedCandidate, slot: TypedCandidate) -> bool:
    """Whether few documents state both and differ."""
    ours, theirs = plain_values(field), plain_values(slot)
    differ = sum(theirs[n] != ours.get(n, theirs[n]) for n in theirs)
    return differ <= _MAX_DIFFERING * min(len(ours), len(theirs))
