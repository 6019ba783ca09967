"""Counted nouns: whether a number column is the count of what `how many` asks for."""

import re
from collections.abc import Sequence
from itertools import takewhile

from srag_mcp.offline.translation.columns import Column
from srag_mcp.offline.translation.lexicon import GLUE, MEASURE_NOUNS
from srag_mcp.offline.translation.tokens import PARTICIPLES, stem, stems, words_in
from srag_mcp.offline.translation.units import canonical_unit, is_unit

_COUNTS = frozenset(stem(word) for word in MEASURE_NOUNS)
_SIGNS = frozenset({"n", "num", "number", "count"})
_SILENT = _COUNTS | {stem(word) for word in GLUE}
_NUMBER_OF = re.compile(r"\b(?:(?:number|count|total|sum|amount) of|how many) ([^.;:,\"“]*)", re.I)


def is_count_of(column: Column, said: frozenset[str]) -> bool:
    """Whether *column* counts the things that *said*, the stems of a noun, means.

    `stations` are counted by `n_stations`, by `closed_stations` and `stations_closed`, and by what
    is described as the number of stations; not by `station_height`, which only belongs to one.
    """
    names = [frozenset(name) - _COUNTS or frozenset(name) for name in column.names]
    unit = column.attribute.unit
    if any(name <= said for name in names) or said & set(stems(unit or "")):
        return True
    if is_unit(canonical_unit(unit)):
        return False
    described = _NUMBER_OF.findall(column.attribute.description)
    texts = (column.attribute.name.replace("_", " "), *column.attribute.synonyms)
    heads = {_head(words_in(text)) for text in texts}
    return bool(said & (heads | {word for text in described for word in stems(text)}))


def is_count(column: Column) -> bool:
    """Whether the definition of a whole number says that it is how many there are: `n_rooms`."""
    attribute = column.attribute
    named = stem(attribute.name.split("_")[0]) in _SIGNS
    described = _NUMBER_OF.search(attribute.description) is not None
    return attribute.type == "integer" and attribute.unit is None and (named or described)


def _head(words: Sequence[str]) -> str:
    """Return the stem of the noun that a name is about.

    `tickets sold` -> `ticket`; `cost of repairs` -> `cost`; `number of repairs` -> `repair`
    """
    before = [word for word in takewhile(lambda word: word != "of", words) if not _is_idle(word)]
    telling = before or [word for word in words if not _is_idle(word)] or list(words)
    return stem(telling[-1])


def _is_idle(word: str) -> bool:
    return stem(word) in _SILENT or word.endswith("ed") or word in PARTICIPLES
