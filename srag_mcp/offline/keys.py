"""Keys: keyed fields that several documents have, the spellings of one key joined."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from srag_mcp.offline.candidates import Candidate, agreement, complementary
from srag_mcp.offline.key_shapes import amount_span, shape_of
from srag_mcp.offline.kin import are_kin
from srag_mcp.offline.shared_names import shared_name, shares
from srag_mcp.offline.sightings import Field, Sightings
from srag_mcp.offline.values import looks, numbers_of, of_one_size
from srag_mcp.offline.words import content_stems
from srag_mcp.schema.extractors import KeyRule

_MIN_DOCUMENTS = 2
_MIN_SHARE = 0.02
_SPELLING_RATIO = 88
_MIN_SPELLING = 6
_MIN_AGREEMENT = 0.5
_MIN_SHARED = 3
_ALIKE = 0.92
_MOST = 0.75


@dataclass(slots=True)
class Key:
    """A folded key with what each document says beside it.

    *names* are the keys that mean the same, by falling number of documents; *values* holds the
    first statement of each document, *all_values* every one.
    """

    names: list[str]
    label: str
    section: str | None
    values: dict[int, str] = field(default_factory=dict)
    look: str = "text"
    figures: dict[int, str] = field(default_factory=dict)
    stems: frozenset[str] = frozenset()

    def take(self, number: int, found: Field) -> None:
        """Note what document *number* says."""
        self.values.setdefault(number, found.value)

    def absorb(self, other: "Key") -> None:
        """Take in a key that means the same; what is known already stays."""
        self.names.extend(other.names)
        for number, value in other.values.items():
            self.values.setdefault(number, value)
        for number, figure in other.figures.items():
            self.figures.setdefault(number, figure)


def harvest_keys(sightings: Sequence[Sightings]) -> list[Key]:
    """Collect the keys of *sightings*, spellings and synonyms joined, by falling support."""
    keys = _collect(sightings)
    for key in keys:
        key.look = looks(key.values.values())
        key.figures = numbers_of(key.values) if key.look == "number" else {}
        key.stems = frozenset(content_stems(key.names[0]))
    floor = max(_MIN_DOCUMENTS, round(_MIN_SHARE * len(sightings)))
    floor = 1 if len(sightings) < 3 else floor
    joined = _join(keys)
    return [key for key in joined if len(key.values) >= floor]


def _collect(sightings: Sequence[Sightings]) -> list[Key]:
    sections = _repeated_in_sections(sightings)
    found: dict[tuple[str, str | None], Key] = {}
    for number, sighting in enumerate(sightings):
        for name, fields in sighting.fields.items():
            for item in fields:
                if not item.value:
                    continue
                section = item.section if name in sections else None
                key = found.setdefault((name, section), Key([name], item.label, section))
                key.take(number, item)
    return sorted(found.values(), key=lambda key: -len(key.values))


def _repeated_in_sections(sightings: Sequence[Sightings]) -> set[str]:
    """Return the keys that mean another thing below another heading.

    They have different values below different headings of one document, and these headings recur.
    """
    repeated: Counter[str] = Counter()
    sections: dict[str, Counter[str]] = {}
    for sighting in sightings:
        for name, fields in sighting.fields.items():
            values = {item.section: item.value for item in fields}
            sections.setdefault(name, Counter()).update(values.keys())
            repeated[name] += len(set(values.values())) > 1
    n_documents = len(sightings)
    return {
        name
        for name, count in repeated.items()
        if count >= max(2, 0.2 * n_documents)
        and sections[name].most_common(2)[-1][1] >= max(2, 0.2 * n_documents)
    }


def _join(keys: Sequence[Key]) -> list[Key]:
    kept: list[Key] = []
    for key in keys:
        twin = next((other for other in kept if _same(other, key)), None)
        if twin is None:
            kept.append(key)
        else:
            twin.absorb(key)
    return kept


def _same(left: Key, right: Key) -> bool:
    """Whether two keys are spellings of one, or words for one thing that never meet."""
    if left.section != right.section or left.look != right.look:
        return False
    shared, alike = agreement(left.values, right.values)
    if shared >= _MIN_SHARED and alike < _ALIKE:
        return False
    if not _related(left, right, shared, alike):
        return False
    return left.look != "number" or of_one_size(left.figures, right.figures)


def _related(left: Key, right: Key, shared: int, alike: float) -> bool:
    one, other = left.stems, right.stems
    if one == other and one:
        return True
    if shared >= _MIN_SHARED and alike >= _ALIKE:
        return bool(one & other)
    if not complementary(left.values, right.values):
        return False
    if are_kin(one, other):
        return True
    within = bool(one & other) and (one < other or other < one)
    return (within and left.look != "text") or _is_spelling(left.names[0], right.names[0])


def _is_spelling(left: str, right: str) -> bool:
    from rapidfuzz import fuzz  # compiled: not before it is needed

    if min(len(left), len(right)) < _MIN_SPELLING:
        return False
    if any(char.isdigit() for char in left + right):
        return False
    return fuzz.ratio(left, right) >= _SPELLING_RATIO


def key_candidates(keys: Sequence[Key]) -> list[Candidate]:
    """Turn keys into candidates, each with the keys that may stand in for it."""
    reliability = _reliability(keys)
    candidates = []
    for key in keys:
        family = _family(key, keys, reliability)
        candidates.append(_candidate(key, family))
    return candidates


def _candidate(key: Key, family: Sequence[Key]) -> Candidate:
    values: dict[int, str] = {}
    for member in family:
        for number, value in member.values.items():
            values.setdefault(number, value)
    names = tuple(dict.fromkeys(name for member in family for name in member.names))
    words = Counter(stem for member in family for stem in content_stems(" ".join(member.names)))
    amounts = _amounts(values) if len(key.names) > 1 else None
    rule = KeyRule(keys=names, section=key.section, reads="amount" if amounts else "whole")
    values = amounts or values
    label = shared_name(names) or key.label
    spelt = [key.label, *names] if label != key.label else []
    others = (*(one for one in spelt if shares(one, label)), *(k.label for k in family[1:]))
    return Candidate("field", label, [rule], values, words, labels=others)


def _amounts(values: Mapping[int, str]) -> dict[int, str] | None:
    """Return the one amount of each value where nearly all have one and words beside it."""
    spans = {number: amount_span(value) for number, value in values.items()}
    amounts = {n: span.of(values[n]) for n, span in spans.items() if span is not None}
    wordy = sum(amounts[n].strip() != values[n].strip() for n in amounts)
    if not wordy or len(amounts) < _MOST * len(values) or shape_of(values.values()).kind == "date":
        return None
    return amounts


def _family(key: Key, keys: Sequence[Key], reliability: Mapping[str, float]) -> list[Key]:
    """Return *key* and the keys of numbers that mostly say the same, the most reliable first.

    A key that shares a word and, where both are there, gives the same number belongs to it. One
    that never meets it does when its other words are those of such keys.
    """
    if key.look != "number":
        return [key]
    related = [
        other
        for other in keys
        if other is not key
        and other.look == "number"
        and other.section == key.section
        and key.stems & other.stems
        and of_one_size(key.figures, other.figures)
    ]
    met = {other.names[0]: agreement(key.figures, other.figures) for other in related}
    members, words = [key], set(key.stems)
    for other in related:
        shared, alike = met[other.names[0]]
        if shared and alike >= _MIN_AGREEMENT:
            members.append(other)
            words |= other.stems
    members.extend(
        other for other in related if not met[other.names[0]][0] and other.stems <= words
    )
    return sorted(members, key=lambda member: -reliability[member.names[0]])


def _reliability(keys: Sequence[Key]) -> dict[str, float]:
    """Return how often a key of numbers says what most of its document says.

    A document's amounts support one another: a number that several keys give, or that is the
    difference of two others (paid minus returned), is what the document is about.
    """
    numeric = [key for key in keys if key.look == "number"]
    amounts = {key.names[0]: key.figures for key in numeric}
    hits: Counter[str] = Counter()
    tries: Counter[str] = Counter()
    for number in {number for values in amounts.values() for number in values}:
        said = {name: values[number] for name, values in amounts.items() if number in values}
        votes = Counter(said.values())
        figures = sorted({float(value) for value in said.values()})
        for figure in figures:
            if _is_difference(figure, figures):
                votes[repr(figure)] += 2
        best = max(votes.values())
        for name, value in said.items():
            tries[name] += 1
            hits[name] += votes[value] == best
    return {key.names[0]: (hits[key.names[0]] + 1) / (tries[key.names[0]] + 2) for key in keys}


def _is_difference(figure: float, figures: Sequence[float]) -> bool:
    cents = {round(100 * other) for other in figures if other > 0}
    wanted = round(100 * figure)
    return wanted > 0 and any(
        high - wanted in cents and high - wanted != wanted for high in cents if high > wanted
    )
