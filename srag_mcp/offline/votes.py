"""Votes: which of several keys gives the number a document is about.

A bill says "total", "total incl. tax", "rounded total" and "amount due"; which of them is meant
is told by their agreement with one another and with what was paid.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from srag_mcp.offline.candidates import Candidate
from srag_mcp.offline.sightings import Field, Sightings
from srag_mcp.schema.extractors import VoteRule
from srag_mcp.text.spans import Span
from srag_mcp.text.words import is_content
from srag_mcp.values.quantities import find_quantities

_MIN_KEYS = 3
_MIN_AGREEING = 0.3
_MIN_SHARE = 0.3
_UNKNOWN_KEY = 0.25
_MIN_VOTES = 0.2
_DIFFERENCE = 0.9
_ELSEWHERE = 0.6
_SUM = 0.5
_N_ROUNDS = 6
_MAX_KEYS = 60
_RELIABLE = 0.75
_MAX_LABELS = 5
_MAX_FIGURES = 40


@dataclass(frozen=True, slots=True)
class KeyedNumber:
    """A number beside a key, and where it is."""

    key: str
    cents: int
    text: str
    span: Span


def keyed_numbers(sightings: Sightings) -> list[KeyedNumber]:
    """Return the numbers beside keys, in the order of the text, one a field."""
    fields = [found for group in sightings.fields.values() for found in group]
    numbers = [number for found in fields if (number := _number_of(found)) is not None]
    return sorted(numbers, key=lambda number: number.span.start)


def _number_of(field: Field) -> KeyedNumber | None:
    quantities = find_quantities(field.value)
    if not quantities:
        return None
    span, quantity = quantities[-1]
    if abs(quantity.value) > 1e12:
        return None
    place = Span(field.span.start + span.start, field.span.start + span.end)
    text = field.value[span.start : span.end]
    return KeyedNumber(field.key, round(100 * quantity.value), text, place)


def elect(rule: VoteRule, numbers: Sequence[KeyedNumber]) -> KeyedNumber | None:
    """Return the number on which the keys of *rule* agree most, where it is first said."""
    votes = _count(rule.keys, rule.word, numbers)
    if not votes:
        return None
    best = max(votes.values())
    if best < _MIN_VOTES:
        return None
    return next(n for n in _members(rule.keys, rule.word, numbers) if votes[n.cents] == best)


def _members(
    keys: Mapping[str, float], word: str, numbers: Iterable[KeyedNumber]
) -> list[KeyedNumber]:
    return [n for n in numbers if n.key in keys or word in n.key.split()]


def _count(
    keys: Mapping[str, float], word: str, numbers: Sequence[KeyedNumber]
) -> dict[int, float]:
    members = _members(keys, word, numbers)
    votes: dict[int, float] = defaultdict(float)
    for key, cents in dict.fromkeys((member.key, member.cents) for member in members):
        votes[cents] += keys.get(key, _UNKNOWN_KEY)
    inside = set(votes) - {0}
    outside = {n.cents for n in numbers if n not in members and n.cents}
    for cents in votes:
        votes[cents] += _ELSEWHERE * (cents in outside)
        votes[cents] += _DIFFERENCE * _is_difference(cents, outside - inside, outside)
        votes[cents] += _SUM * _is_sum(cents, inside)
        votes[cents] *= 1.0 if cents else 0.3
    return dict(votes)


def _is_confirmed(
    votes: Collection[int], keys: Mapping[str, float], word: str, numbers: Sequence[KeyedNumber]
) -> bool:
    members = _members(keys, word, numbers)
    return any(n.cents in votes and n not in members for n in numbers) or (
        bool(votes) and len({member.key for member in members}) > 1
    )


def _is_difference(cents: int, paid: Collection[int], returned: Collection[int]) -> bool:
    if cents <= 0 or len(returned) > _MAX_FIGURES:
        return False
    return any(high > cents and high - cents in returned for high in paid)


def _is_sum(cents: int, parts: Collection[int]) -> bool:
    if cents <= 0 or len(parts) > _MAX_FIGURES:
        return False
    return any(cents - part in parts and 2 * part != cents for part in parts if part < cents)


def vote_candidates(sightings: Sequence[Sightings]) -> list[Candidate]:
    """Find groups of keys with one word in common that often agree, a candidate a group."""
    documents = [keyed_numbers(sighting) for sighting in sightings]
    keys_of: dict[str, Counter[str]] = defaultdict(Counter)
    for numbers in documents:
        for key in {number.key for number in numbers}:
            for word in set(key.split()):
                if is_content(word):
                    keys_of[word][key] += 1
    candidates = []
    for word, keys in keys_of.items():
        if len(keys) >= _MIN_KEYS and _agree(word, documents):
            candidates.append(_candidate(word, dict(keys.most_common(_MAX_KEYS)), documents))
    return candidates


def _agree(word: str, documents: Sequence[Sequence[KeyedNumber]]) -> bool:
    """Whether documents with several keys of *word* mostly repeat a number among them."""
    present = several = repeated = 0
    for numbers in documents:
        said = {n.key: n.cents for n in numbers if word in n.key.split()}
        present += bool(said)
        if len(said) > 1:
            several += 1
            counts = Counter(cents for cents in said.values() if cents)
            repeated += bool(counts) and counts.most_common(1)[0][1] > 1
    enough = present >= _MIN_SHARE * len(documents) and several >= _MIN_KEYS
    return enough and repeated >= _MIN_AGREEING * several


def _candidate(
    word: str, counts: Mapping[str, int], documents: Sequence[Sequence[KeyedNumber]]
) -> Candidate:
    keys = dict.fromkeys(counts, 0.5)
    for _ in range(_N_ROUNDS):
        keys = _reliabilities(keys, word, documents)
    rule = VoteRule(keys={key: round(value, 3) for key, value in keys.items()}, word=word)
    values = {}
    for number, numbers in enumerate(documents):
        elected = elect(rule, numbers)
        if elected is not None:
            values[number] = elected.text
    words = Counter({word: 2 * len(values)})
    return Candidate("field", word, [rule], values, words, labels=_labels(rule))


def _labels(rule: VoteRule) -> tuple[str, ...]:
    """Return the keys that nearly always give the number."""
    return tuple(key for key, value in rule.keys.items() if value >= _RELIABLE)[:_MAX_LABELS]


def _reliabilities(
    keys: Mapping[str, float], word: str, documents: Sequence[Sequence[KeyedNumber]]
) -> dict[str, float]:
    """Return how often each key gives the number that wins its document."""
    hits: Counter[str] = Counter()
    tries: Counter[str] = Counter()
    for numbers in documents:
        votes = _count(keys, word, numbers)
        if len(votes) < 2 and not _is_confirmed(votes, keys, word, numbers):
            continue  # a number that stands alone confirms itself
        best = max(votes.values())
        for member in _members(keys, word, numbers):
            tries[member.key] += 1
            hits[member.key] += votes[member.cents] == best
    return {key: (hits[key] + 0.5) / (tries[key] + 1.5) for key in keys}
