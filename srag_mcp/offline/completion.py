"""Completion: amounts that complete one another are one fact in several wordings.

Where each document words its facts anew, no word tells that "rent", "price" and "you would pay" are
one. The documents do: nearly each of them states one of the amounts, none states two, they are in
one unit and of one size.
"""

from collections.abc import Sequence

from srag_mcp.offline.joining import joined
from srag_mcp.offline.key_shapes import shape_of
from srag_mcp.offline.kin import contrast
from srag_mcp.offline.typed_candidates import TypedCandidate, typed
from srag_mcp.offline.words import content_stems

_MIN_DOCUMENTS = 10
_MIN_EXPECTED = 1.0
_MIN_COMPLETE = 0.8
_MAX_FACTOR = 2.5


def complete(items: Sequence[TypedCandidate], n_documents: int) -> list[TypedCandidate]:
    """Join amounts that together state one fact of nearly all documents; the most frequent first.

    A candidate that meets another of those that would complete the first is a fact of its own.
    """
    kept = list(items)
    if n_documents < _MIN_DOCUMENTS:
        return kept
    for base in sorted(items, key=lambda item: -len(item.candidate.values)):
        if not any(item is base for item in kept):
            continue
        parts = _without_meeting([part for part in kept if _completes(base, part, n_documents)])
        told = set(base.candidate.values).union(*(part.candidate.values for part in parts))
        if parts and len(told) >= _MIN_COMPLETE * n_documents:
            whole = base
            for part in parts:
                whole = joined(whole, part)
            gone = {id(part) for part in parts}
            kept = [
                typed(whole.candidate) if item is base else item
                for item in kept
                if id(item) not in gone
            ]
    return kept


def _completes(base: TypedCandidate, part: TypedCandidate, n_documents: int) -> bool:
    """Whether *part* is an amount like *base* in documents where this is not."""
    one, other = base.candidate, part.candidate
    if one is other or not _is_measured(base) or base.guess.unit != part.guess.unit:
        return False
    expected = len(one.values) * len(other.values) / n_documents
    if expected < _MIN_EXPECTED or len(other.values) > len(one.values):
        return False
    if one.values.keys() & other.values.keys() or contrast(_stems(base), _stems(part)):
        return False
    return _are_of_a_size(base, part)


def _is_measured(item: TypedCandidate) -> bool:
    numeric = item.guess.type in {"integer", "number"} and item.guess.unit is not None
    return numeric and item.guess.unit != "percent"


def _stems(item: TypedCandidate) -> frozenset[str]:
    labels = (item.candidate.label, *item.candidate.labels)
    return frozenset(content_stems(" ".join(labels)))


def _are_of_a_size(base: TypedCandidate, part: TypedCandidate) -> bool:
    shapes = [shape_of(list(item.candidate.values.values())) for item in (base, part)]
    low, high = sorted(shape.middle for shape in shapes)
    alike = shapes[0].kind == shapes[1].kind and shapes[0].detail == shapes[1].detail
    return alike and 0 < high <= _MAX_FACTOR * low


def _without_meeting(parts: Sequence[TypedCandidate]) -> list[TypedCandidate]:
    return [
        part
        for part in parts
        if not any(
            part is not other and part.candidate.values.keys() & other.candidate.values.keys()
            for other in parts
        )
    ]
