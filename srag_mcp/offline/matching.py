"""Matching: which candidates state the attributes of a hand-written schema."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from srag_mcp.offline.candidates import Candidate
from srag_mcp.offline.kin import kin_of
from srag_mcp.offline.typed_candidates import TypedCandidate
from srag_mcp.offline.values import numbers_of
from srag_mcp.offline.words import content_stems, stem
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.extractors import Extractor, ItemRule
from srag_mcp.text.words import fold_words as fold
from srag_mcp.values.units import SIZES

_MIN_POINTS = 0.8
_FALLBACK_SHARE = 0.5
_MAX_RULES = 5
_NAME_WEIGHT = 1.0
_KIN_WEIGHT = 0.6
_DESCRIPTION_WEIGHT = 0.25
_EXAMPLE_POINTS = 2.0
_RANGE_POINTS = 0.5
_UNIT_POINTS = 0.6
_HAS_WORDS = frozenset({"has", "hav", "is", "are", "with", "n", "number", "offer", "provid"})
_NUMBERS = frozenset({"integer", "number"})
_DIMENSIONS = {unit: dimension for unit, (dimension, _) in SIZES.items()}


@dataclass(frozen=True, slots=True)
class Wanted:
    """An attribute as words: stems with how much they tell, examples folded.

    *kin* holds for each stem of the name the stems of like meaning, itself included.
    """

    attribute: Attribute
    stems: dict[str, float]
    kin: dict[str, frozenset[str]]
    values: frozenset[str]


def match_attributes(
    attributes: Sequence[Attribute], items: Sequence[TypedCandidate], n_documents: int
) -> dict[str, tuple[Extractor, ...]]:
    """Return the extractors of each attribute, the best candidate's first.

    The best pair of attribute and candidate is settled first; a candidate serves one attribute.
    """
    wanted = [_wanted(attribute) for attribute in attributes]
    spread = Counter(name for item in items for name in _shares(item.candidate))
    pairs = sorted(
        (
            (points, row, column)
            for row, want in enumerate(wanted)
            for column, item in enumerate(items)
            if (points := _points(want, item, spread, n_documents)) >= _MIN_POINTS
        ),
        key=lambda pair: (-pair[0], pair[1], pair[2]),
    )
    chosen: dict[int, list[tuple[float, int]]] = {row: [] for row in range(len(wanted))}
    taken: set[int] = set()
    for points, row, column in pairs:
        own = chosen[row]
        if column in taken or len(own) >= _MAX_RULES:
            continue
        if not own or (points >= _FALLBACK_SHARE * own[0][0] and not _is_guess(items[column])):
            own.append((points, column))
            taken.add(column)
    return {
        want.attribute.name: _rules(want, [items[column] for _, column in chosen[row]])
        for row, want in enumerate(wanted)
    }


def _is_guess(item: TypedCandidate) -> bool:
    """Whether a candidate only says where a value stands: no help beside one that says what."""
    return item.candidate.origin == "place"


def _rules(wanted: Wanted, items: Sequence[TypedCandidate]) -> tuple[Extractor, ...]:
    """Return the rules of *items*; a boolean without any is looked for by its name."""
    found = [rule for item in items for rule in item.candidate.rules]
    attribute = wanted.attribute
    if attribute.type == "boolean":
        names = (attribute.name.replace("_", " "), *attribute.synonyms)
        words = [" ".join(w for w in fold(n).split() if stem(w) not in _HAS_WORDS) for n in names]
        found.append(ItemRule(items=tuple(dict.fromkeys(filter(None, words))) or (attribute.name,)))
    return tuple(found)


def _wanted(attribute: Attribute) -> Wanted:
    stems: dict[str, float] = {}
    for name in content_stems(attribute.description.partition(". ")[0]):
        stems[name] = _DESCRIPTION_WEIGHT
    named = content_stems(attribute.name.replace("_", " "))
    own = [*named, *content_stems(" ".join(attribute.synonyms))]
    for name in own:
        for like in kin_of(name):
            stems[like] = max(stems.get(like, 0.0), _KIN_WEIGHT)
    stems.update(dict.fromkeys((n for n in own if n not in _HAS_WORDS), _NAME_WEIGHT))
    kin = {name: kin_of(name) for name in named if name not in _HAS_WORDS}
    values = (*attribute.examples, *(attribute.categories or ()))
    return Wanted(attribute, stems, kin, frozenset(fold(str(value)) for value in values))


def _shares(candidate: Candidate) -> dict[str, float]:
    """Return what a candidate is about: stems with how surely they belong to it."""
    shares = dict(candidate.near)
    if not shares and candidate.words:
        top = max(candidate.words.values())
        shares = {name: count / top for name, count in candidate.words.items()}
    for label in (candidate.label, *candidate.labels):
        for name in content_stems(label):
            shares[name] = max(shares.get(name, 0.0), 0.8)
    return shares


def _points(wanted: Wanted, item: TypedCandidate, spread: Counter[str], n_documents: int) -> float:
    attribute, candidate = wanted.attribute, item.candidate
    if not _fits(wanted, item):
        return 0.0
    points = _word_points(wanted, _shares(candidate), spread)
    values = [fold(value) for value in candidate.values.values()]
    if attribute.type == "string" and wanted.values and values:
        known = sum(value in wanted.values for value in values)
        points += _EXAMPLE_POINTS * known / len(values) + 0.2 * bool(known)
    points += _amount_points(attribute, item)
    return points * (0.6 + 0.4 * candidate.share(n_documents)) if points > 0 else 0.0


def _word_points(wanted: Wanted, shares: Mapping[str, float], spread: Counter[str]) -> float:
    """Return points for common words, less where words of the name are not met."""
    points = sum(
        weight * shares[name] * math.log(1 + 12 / (1 + spread[name]))
        for name, weight in wanted.stems.items()
        if name in shares
    )
    met = sum(bool(wanted.kin[name] & shares.keys()) for name in wanted.kin)
    return points * math.sqrt(max(met, 0.2) / max(1, len(wanted.kin)))


def _fits(wanted: Wanted, item: TypedCandidate) -> bool:
    attribute = wanted.attribute
    if item.candidate.origin == "item":
        return attribute.type == "boolean" and set(item.candidate.words) <= wanted.stems.keys()
    if attribute.type in _NUMBERS:
        return item.guess.type in _NUMBERS
    if attribute.type == "boolean":
        return item.guess.type == "boolean" or item.candidate.origin == "field"
    if attribute.type == "date":
        return item.guess.type == "date"
    return item.guess.type == "string"


def _amount_points(attribute: Attribute, item: TypedCandidate) -> float:
    """Return points for a fitting unit and for examples within the range of the values."""
    if attribute.type not in _NUMBERS:
        return 0.0
    points = 0.0
    if attribute.unit and item.guess.unit:
        ours, theirs = _dimension(attribute.unit), _dimension(item.guess.unit)
        points += _UNIT_POINTS if ours == theirs else -_UNIT_POINTS
    numbers = sorted(float(number) for number in numbers_of(item.candidate.values).values())
    examples = [float(e) for e in attribute.examples if isinstance(e, int | float)]
    if numbers and examples and not (attribute.unit in SIZES and attribute.unit != item.guess.unit):
        low, high = min(numbers), max(numbers)
        inside = sum(low <= example <= high for example in examples) / len(examples)
        points += _RANGE_POINTS * (2 * inside - 1)
    return points


def _dimension(unit: str) -> str:
    return _DIMENSIONS.get(unit, unit.casefold())
