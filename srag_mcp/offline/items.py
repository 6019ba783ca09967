"""Candidates from lists: short items that some documents list and others do not."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from srag_mcp.offline.candidates import Candidate
from srag_mcp.offline.sightings import Item, Sightings
from srag_mcp.offline.words import content_stems
from srag_mcp.schema.extractors import ItemRule

_MAX_WORDS = 6
_MAX_CHARACTERS = 48
_MIN_DOCUMENTS = 3
_MIN_SHARE = 0.04
_MAX_SHARE = 0.985
_MAX_ITEMS = 60


def item_candidates(sightings: Sequence[Sightings]) -> list[Candidate]:
    """Find the closed vocabulary of list items: a candidate (a boolean) each."""
    documents: dict[str, dict[int, Item]] = defaultdict(dict)
    spellings: dict[str, Counter[str]] = defaultdict(Counter)
    for number, sighting in enumerate(sightings):
        for item in sighting.items:
            if _is_short(item):
                documents[item.name].setdefault(number, item)
                spellings[item.name][item.text] += not item.negative
    floor = max(_MIN_DOCUMENTS, round(_MIN_SHARE * len(sightings)))
    frequent = [
        name
        for name, found in documents.items()
        if floor <= len(found) and _is_told_apart(found, len(sightings))
    ]
    frequent.sort(key=lambda name: (-len(documents[name]), name))
    return [_candidate(name, documents[name], spellings[name]) for name in frequent[:_MAX_ITEMS]]


def _is_short(item: Item) -> bool:
    return (
        0 < len(item.name.split()) <= _MAX_WORDS
        and len(item.text) <= _MAX_CHARACTERS
        and not any(char.isdigit() for char in item.name)
        and not item.text.rstrip().endswith((".", "?", "!"))
        and bool(content_stems(item.name))
    )


def _is_told_apart(found: dict[int, Item], n_documents: int) -> bool:
    positive = sum(not item.negative for item in found.values())
    return positive > 0 and positive <= max(_MAX_SHARE * n_documents, 1)


def _candidate(name: str, found: dict[int, Item], spellings: Counter[str]) -> Candidate:
    label = spellings.most_common(1)[0][0]
    values = {number: "no" if item.negative else "yes" for number, item in found.items()}
    words = Counter({stem: len(found) for stem in content_stems(name)})
    return Candidate("item", label, [ItemRule(items=(name,))], values, words)
