"""Harvest: all candidates of a sample of documents, each fact once."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from srag_mcp.documents.document import Document
from srag_mcp.offline.anchors import anchor_candidates
from srag_mcp.offline.candidates import Candidate, agreement
from srag_mcp.offline.completion import complete
from srag_mcp.offline.currency import find_currency, look_like_money
from srag_mcp.offline.items import item_candidates
from srag_mcp.offline.joining import join_same, join_ways
from srag_mcp.offline.key_merging import merge_keys
from srag_mcp.offline.keys import harvest_keys, key_candidates
from srag_mcp.offline.known_values import add_known_values
from srag_mcp.offline.nouns import names_nothing
from srag_mcp.offline.parts import part_candidates
from srag_mcp.offline.places import place_candidates
from srag_mcp.offline.questions import question_stems
from srag_mcp.offline.row_cells import cell_candidates
from srag_mcp.offline.sightings import Sightings
from srag_mcp.offline.slot_candidates import slot_candidates
from srag_mcp.offline.table_columns import are_rows, row_candidates
from srag_mcp.offline.typed_candidates import TypedCandidate, plain_values, typed
from srag_mcp.offline.votes import vote_candidates
from srag_mcp.schema.extractors import KeyRule, VoteRule
from srag_mcp.text.words import fold_words as fold

_MAX_SAMPLE = 200
_MIN_SHARED = 3
_REPEATED = 0.4
_LONG_VALUE = 240
_MIN_TEMPLATES = 5
_TEMPLATE_SHARE = 0.4
_MIN_WORDS = 5
_CLOCK = frozenset({"am", "pm"})


def choose_sample(documents: Sequence[Document]) -> list[Document]:
    """Take evenly spaced documents, at most as many as induction needs."""
    step = max(1, -(-len(documents) // _MAX_SAMPLE))
    return list(documents[::step])


def harvest(documents: Sequence[Document], questions: Sequence[str] = ()) -> list[TypedCandidate]:
    """Collect the candidates of *documents* with their types; rows of a table keep their order."""
    asked = {name for question in questions for name in question_stems(question)}
    if are_rows(documents):
        return [typed(candidate) for candidate in row_candidates(documents)]
    sightings = [Sightings(document) for document in documents]
    votes = vote_candidates(sightings)
    covered = {key for vote in votes for rule in vote.rules if isinstance(rule, VoteRule)
               for key, reliability in rule.keys.items() if reliability > 0.6}  # fmt: skip
    keys = merge_keys(harvest_keys(sightings), len(sightings))
    fields = [c for c in key_candidates(keys) if not _is_covered(c, covered)]
    found = [
        *place_candidates(sightings),
        *votes,
        *fields,
        *part_candidates(sightings),
        *slot_candidates(sightings, asked),
        *cell_candidates(sightings),
        *anchor_candidates(sightings),
        *item_candidates(sightings),
    ]
    items = [typed(candidate) for candidate in found]
    for item in items:
        if item.guess.type == "string" and item.candidate.origin == "field":
            add_known_values(item.candidate, sightings)
    joined = join_ways(join_same([item for item in items if _is_usable(item)]))
    joined = complete(joined, len(sightings))
    currency = find_currency(sightings)
    return [_priced(item, currency) for item in _without_repeated_dates(joined)]


def _priced(item: TypedCandidate, currency: str | None) -> TypedCandidate:
    """Give the corpus's currency to amounts that are written without one."""
    guess = item.guess
    if currency is None or guess.type != "number" or guess.unit is not None:
        return item
    if not look_like_money(item.candidate.values.values()):
        return item
    return TypedCandidate(item.candidate, replace(guess, unit=currency))


def _without_repeated_dates(items: Sequence[TypedCandidate]) -> list[TypedCandidate]:
    """Leave out dates in sentences that mostly repeat a date that more documents state."""
    dates = sorted(
        (item for item in items if item.guess.type == "date"),
        key=lambda item: -len(item.candidate.values),
    )
    plain = {id(item): plain_values(item) for item in dates}
    repeated: set[int] = set()
    for place, item in enumerate(dates):
        if item.candidate.origin != "slot":
            continue
        for other in dates[:place]:
            shared, alike = agreement(plain[id(other)], plain[id(item)])
            if shared >= _MIN_SHARED and alike >= _REPEATED:
                repeated.add(id(item))
    return [item for item in items if id(item) not in repeated]


def _is_covered(candidate: Candidate, covered: set[str]) -> bool:
    rule = candidate.rules[0]
    return isinstance(rule, KeyRule) and rule.keys[0] in covered


def _is_usable(item: TypedCandidate) -> bool:
    """Leave out what says the same everywhere, and whole paragraphs."""
    values = list(item.candidate.values.values())
    if item.guess.type == "boolean" or not values:
        return bool(values)
    if not _is_named(item.candidate):
        return False
    place = item.candidate.origin == "place" and item.guess.type == "string"
    plain = {_plain_words(value, without_numbers=place) for value in values}
    if len(values) > 1 and len(plain) == 1:
        return False
    if sorted(map(len, values))[len(values) // 2] > _LONG_VALUE:
        return False
    return item.guess.type != "string" or not _is_template(values)


def _is_named(candidate: Candidate) -> bool:
    """Whether the words around a value name it; a key always does."""
    if candidate.origin == "slot":
        return bool(candidate.label) and not names_nothing(candidate.label)
    return candidate.origin != "place" or bool(candidate.label)


def _is_template(values: Sequence[str]) -> bool:
    """Whether texts are one sentence with changing names in it, which are facts of their own."""
    texts = [fold(value).split() for value in dict.fromkeys(values)]
    if len(texts) < _MIN_TEMPLATES or sum(map(len, texts)) < _MIN_WORDS * len(texts):
        return False
    counts = Counter(word for text in texts for word in set(text))
    constant = {word for word, count in counts.items() if count >= 0.9 * len(texts)}
    shares = sorted(sum(word in constant for word in text) / max(1, len(text)) for text in texts)
    return shares[len(shares) // 2] >= _TEMPLATE_SHARE


def _plain_words(value: str, *, without_numbers: bool) -> str:
    """Return a value in one spelling; a title without its numbers, facts of their own."""
    if not without_numbers:
        return " ".join(value.split()).casefold()
    words = fold(value).split()
    return " ".join(word for word in words if word.isalpha() and word not in _CLOCK) or value
