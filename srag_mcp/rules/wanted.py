"""Matching: which candidates state the attributes of a hand-written schema."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from srag_mcp.rules.candidates import Candidate
from srag_mcp.rules.kinship import content_stems, kin_of
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.extractors import Extractor, ItemRule
from srag_mcp.schema.schema import Schema
from srag_mcp.text.words import fold_words, stem
from srag_mcp.values.units import SIZES

# Found by trial at 16a3ebc on the hand-written schemas of hotels, CVs, reports, receipts and
# contracts: below 0.8 points pairs are right by chance.
_MIN_POINTS = 0.8
_FALLBACK_SHARE = 0.5
_MAX_RULES = 5
_NAME_WEIGHT, _KIN_WEIGHT, _DESCRIPTION_WEIGHT = 1.0, 0.6, 0.25
_EXAMPLE_POINTS, _RANGE_POINTS, _UNIT_POINTS = 2.0, 0.5, 0.6
_LABEL_SHARE = 0.8
_HAS_WORDS = frozenset(map(stem, ("has", "have", "is", "are", "with", "number", "offer", "n")))


@dataclass(frozen=True, slots=True)
class Wanted:
    """An attribute as words: stems with how much they tell, and examples, folded.

    *names* are the stems of its name and of each synonym, without the words for one record.
    """

    attribute: Attribute
    stems: dict[str, float]
    names: tuple[frozenset[str], ...]
    values: frozenset[str]


def match_attributes(
    schema: Schema, candidates: Sequence[Candidate], n_documents: int
) -> dict[str, tuple[Extractor, ...]]:
    """Return the extractors of each attribute, the best candidate's first.

    The best pair of attribute and candidate is settled first; a candidate serves one attribute.
    """
    nouns = {*content_stems(" ".join((schema.title, schema.entity, *schema.nouns)))}
    wanted = [_wanted(attribute, nouns) for attribute in schema.attributes]
    shares = [_shares(candidate) for candidate in candidates]
    spread = Counter(name for own in shares for name in own)
    pairs = sorted(
        (
            (points, row, column)
            for row, want in enumerate(wanted)
            for column, candidate in enumerate(candidates)
            if _fits(want, candidate)
            and (points := _points(want, candidate, shares[column], spread, n_documents))
            >= _MIN_POINTS
        ),
        key=lambda pair: (-pair[0], pair[1], pair[2]),
    )
    chosen: dict[int, list[tuple[float, int]]] = {row: [] for row in range(len(wanted))}
    taken: set[int] = set()
    for points, row, column in pairs:
        own = chosen[row]
        # a place only says where a value stands: no help beside one that says what it is
        helps = (
            points >= _FALLBACK_SHARE * own[0][0] and candidates[column].origin != "place"
            if own
            else True
        )
        if column not in taken and len(own) < _MAX_RULES and helps:
            own.append((points, column))
            taken.add(column)
    return {
        want.attribute.name: _rules(want, [candidates[column] for _, column in chosen[row]])
        for row, want in enumerate(wanted)
    }


def _rules(wanted: Wanted, candidates: Sequence[Candidate]) -> tuple[Extractor, ...]:
    """Return the rules of *candidates*; a boolean without any is looked for by its name."""
    found = [rule for candidate in candidates for rule in candidate.rules]
    attribute = wanted.attribute
    if attribute.type.is_boolean:
        names = (attribute.name.replace("_", " "), *attribute.synonyms)
        words = [
            " ".join(w for w in fold_words(n).split() if stem(w) not in _HAS_WORDS) for n in names
        ]
        found.append(ItemRule(items=tuple(dict.fromkeys(filter(None, words))) or (attribute.name,)))
    return tuple(found)


def _wanted(attribute: Attribute, nouns: set[str]) -> Wanted:
    stems = dict.fromkeys(
        content_stems(attribute.description.partition(". ")[0]), _DESCRIPTION_WEIGHT
    )
    own = content_stems(" ".join((attribute.name.replace("_", " "), *attribute.synonyms)))
    for name in own:
        for like in kin_of(name):
            stems[like] = max(stems.get(like, 0.0), _KIN_WEIGHT)
    stems.update(dict.fromkeys((name for name in own if name not in _HAS_WORDS), _NAME_WEIGHT))
    values = (*attribute.examples, *(attribute.categories or ()))
    folded = frozenset(fold_words(str(value)) for value in values)
    spoken = (
        frozenset(content_stems(name.replace("_", " ")))
        for name in (attribute.name, *attribute.synonyms)
    )
    names = tuple(name - nouns - _HAS_WORDS or name for name in spoken if name)
    return Wanted(attribute, stems, names or (frozenset({attribute.name}),), folded)


def _shares(candidate: Candidate) -> dict[str, float]:
    """Return what a candidate is about: stems with how surely they belong to it."""
    shares = dict(candidate.near)
    also = ("name",) if candidate.origin == "place" and candidate.label == "title" else ()
    for label in (*candidate.labels, *also):
        for name in content_stems(label):
            shares[name] = max(shares.get(name, 0.0), _LABEL_SHARE)
    return shares


def _points(
    wanted: Wanted,
    candidate: Candidate,
    shares: Mapping[str, float],
    spread: Counter[str],
    n_documents: int,
) -> float:
    attribute = wanted.attribute
    points = sum(
        weight * shares[name] * math.log(1 + 12 / (1 + spread[name]))
        for name, weight in wanted.stems.items()
        if name in shares
    )
    met = max(
        sum(bool(kin_of(word) & shares.keys()) for word in name) / len(name)
        for name in wanted.names
    )
    if candidate.origin == "place" and met < 1:
        return 0.0  # a place has no name of its own: a title is no job title
    points *= math.sqrt(met)
    values = [fold_words(found.text) for found in candidate.found.values()]
    if attribute.type.is_text and wanted.values and values:
        known = sum(value in wanted.values for value in values)
        points += _EXAMPLE_POINTS * known / len(values) + 0.2 * bool(known)
    points += _amount_points(attribute, candidate) if attribute.type.is_numeric else 0.0
    return points * (0.6 + 0.4 * candidate.share(n_documents))


def _fits(wanted: Wanted, candidate: Candidate) -> bool:
    kind, found = wanted.attribute.type, candidate.guess.type
    if candidate.origin == "item":
        return kind.is_boolean and any(
            set(content_stems(label)) <= wanted.stems.keys() for label in candidate.labels
        )
    if kind.is_boolean:
        return found.is_boolean or candidate.origin == "label"
    return found.is_numeric if kind.is_numeric else found == kind


def _amount_points(attribute: Attribute, candidate: Candidate) -> float:
    """Return points for a fitting unit and for examples within the range of the values."""
    points, unit = 0.0, candidate.guess.unit
    if attribute.unit and unit:
        points += _UNIT_POINTS if _dimension(attribute.unit) == _dimension(unit) else -_UNIT_POINTS
    numbers = [float(number) for number in candidate.plain().values() if _is_number(number)]
    examples = [
        float(example) for example in attribute.examples if isinstance(example, int | float)
    ]
    if numbers and examples and not (attribute.unit in SIZES and attribute.unit != unit):
        inside = sum(min(numbers) <= example <= max(numbers) for example in examples)
        points += _RANGE_POINTS * (2 * inside / len(examples) - 1)
    return points


def _dimension(unit: str) -> str:
    return SIZES[unit][0] if unit in SIZES else unit.casefold()


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
