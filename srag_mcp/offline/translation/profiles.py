"""Profiles: the columns of a schema with the words that speak for them and what they hold."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from srag_mcp.offline.translation.columns import (
    DESCRIPTION,
    GROUP,
    NAME,
    SYNONYM,
    UNIT,
    Column,
    Table,
    concept_stems,
)
from srag_mcp.offline.translation.lexicon import (
    ENTITY_NOUNS,
    FUNCTION_WORDS,
    GLUE,
    LIGHT_VERBS,
    MEASURE_NOUNS,
    SORTING,
)
from srag_mcp.offline.translation.thesaurus import GROUPS
from srag_mcp.offline.translation.tokens import inflected, stem, stems, words_in
from srag_mcp.offline.translation.units import same_unit
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.extractors import MentionRule
from srag_mcp.schema.schema import Schema
from srag_mcp.store.statistics import ColumnStatistics

_NUMERIC_TEXT = re.compile(r"^\W*[-+−]?\d[\d,.]*")
_CLOCK = re.compile(r"\s*\d{1,2}:\d\d\s*(?:[ap]\.?m\.?)?\s*$", re.IGNORECASE)
_YEAR = re.compile(r"\b(1[5-9]|20)\d\d\b")
_SILENT = frozenset(map(stem, FUNCTION_WORDS | {"no", "not", "non", "and", "or", "per"}))
_COUNTING = frozenset({"n", "num", "number", "count"})
_PERSONAL = frozenset({"birth", "gender", "surname", "birthday", "sex"})
_FARTHER = 0.02
_MANY = 20
_WELL_FILLED, _POORLY_FILLED = 0.25, 0.12
_MIN_SHARE = 0.6
_MIN_NUMERIC = 0.85


def describe_table(schema: Schema, statistics: Mapping[str, ColumnStatistics]) -> Table:
    """Gather what the words of a question may mean in *schema*."""
    nouns = {word for noun in schema.nouns for word in stems(noun) if _is_noun(word)}
    nouns -= _generic_stems()
    entity = {word for word in stems(schema.entity) if _is_noun(word)} - _generic_stems()
    named = bool(nouns or entity)
    known = frozenset(nouns | entity)
    columns = tuple(
        _describe(attribute, statistics.get(attribute.name), known)
        for attribute in schema.attributes
        if not _merely_occurs(attribute)
    )
    by_name = {column.name: column for column in columns}
    words = {word for column in columns for name in column.names for word in name}
    about = frozenset(stems(schema.title)) - known - _light_stems() if named else frozenset()
    people, doers = bool(words & _PERSONAL), _doers(schema, known)
    return Table(schema.entity, columns, known, named, people, about, doers, by_name)


def _merely_occurs(attribute: Attribute) -> bool:
    """Whether a column says only that a word occurs: it means nothing that a question asks."""
    return any(isinstance(rule, MentionRule) for rule in attribute.extractors)


def _doers(schema: Schema, nouns: frozenset[str]) -> frozenset[str]:
    """Return words of columns that share their stem with the record: `inspector` of inspections."""
    known = {word for noun in (schema.entity, *schema.nouns) for word in words_in(noun)}
    spoken = {inflected(word) for word in known}
    words = {word for attribute in schema.attributes for word in attribute.name.split("_")}
    found = {word for word in words if stem(word) in nouns}
    other = {word for word in found if word.endswith("ed") or inflected(word) not in spoken}
    return frozenset(other | {f"{word}s" for word in other})


def _is_noun(word: str) -> bool:
    """Whether a stem can name a record; the `s` that is left of `772s` cannot."""
    return word.isalpha() and len(word) > 1


@lru_cache(maxsize=1)
def _generic_stems() -> frozenset[str]:
    """Return the stems of nouns that any record has, and that so name none."""
    return frozenset(stem(noun) for noun in ENTITY_NOUNS)


def _describe(
    attribute: Attribute, statistics: ColumnStatistics | None, nouns: frozenset[str]
) -> Column:
    names = tuple(
        found
        for text in (attribute.name, *attribute.synonyms)
        if (found := _spoken_name(text, attribute.unit)) and _is_name(found)
    )
    weights = _weigh(attribute, names, nouns)
    numeric, year = _text_shape(attribute, statistics)
    if statistics is None:
        return Column(attribute, weights, names, numeric, year)
    counts = (statistics.n_records, statistics.n_distinct, statistics.n_non_null)
    trust = _trust(attribute, names, statistics)
    weights = {word: weight * trust for word, weight in weights.items()}
    texts = tuple(str(item.value) for item in statistics.values)
    zero = attribute.type in {"integer", "number"} and statistics.n_non_zero < counts[2]
    return Column(attribute, weights, names, numeric, year, *counts, zero, texts, trust)


def _trust(
    attribute: Attribute, names: tuple[tuple[str, ...], ...], statistics: ColumnStatistics
) -> float:
    """Weigh columns down that hold little: people ask for what most documents say.

    A boolean named like a measure (`amount`) says only that the word occurs.
    """
    if attribute.type == "boolean":
        measures = concept_stems("money") | {stem(word) for word in MEASURE_NOUNS}
        return 0.3 if any(set(name) <= measures for name in names) else 1.0
    fill = statistics.n_non_null / statistics.n_records if statistics.n_records >= _MANY else 1.0
    if fill >= _WELL_FILLED:
        return 1.0
    return 0.75 if fill >= _POORLY_FILLED else 0.5


def _spoken_name(text: str, unit: str | None) -> tuple[str, ...]:
    """Return the stems of a name; `n_rooms` is spoken as `rooms`, `weight_kg` as `weight`."""
    found = stems(text)
    found = found[1:] if len(found) > 1 and found[0] in _COUNTING else found
    measured = unit is not None and len(found) > 1 and same_unit(text.split("_")[-1], unit)
    return found[:-1] if measured else found


def _weigh(
    attribute: Attribute, names: tuple[tuple[str, ...], ...], nouns: frozenset[str]
) -> dict[str, float]:
    """Weigh the words of a column; a word keeps the highest weight that it has."""
    own = {word for name in names for word in name}
    alike = {like for word in own for like in _group_of(word)} - _light_stems() - nouns
    described = {word for word in _content(attribute.description) if word not in nouns}
    near = {like for word in described for like in _group_of(word)}
    weights = dict.fromkeys(near, DESCRIPTION - _FARTHER)
    weights |= dict.fromkeys(described, DESCRIPTION)
    weights |= dict.fromkeys(_content(attribute.unit or ""), UNIT)
    weights |= dict.fromkeys(alike, GROUP)
    if attribute.type == "boolean":
        for text in (str(example) for example in attribute.examples):
            weights |= dict.fromkeys(_content(text), SYNONYM)
    weights |= dict.fromkeys(own, NAME)
    return {
        word: weight
        for word, weight in weights.items()
        if word not in _SILENT or ((word,) in names and word in SORTING)
    }


def _is_name(words: tuple[str, ...]) -> bool:
    """Whether *words* can name a column: not by glue alone, unless it is a `type`."""
    return not set(words) <= _SILENT or (len(words) == 1 and words[0] in SORTING)


def _content(text: str) -> list[str]:
    light = _light_stems()
    return [word for word in stems(text) if word not in light and len(word) > 1]


@lru_cache(maxsize=1)
def _light_stems() -> frozenset[str]:
    return frozenset(stem(word) for word in LIGHT_VERBS | GLUE)


@lru_cache(maxsize=1)
def _groups() -> Mapping[str, frozenset[str]]:
    groups: dict[str, set[str]] = {}
    for line in GROUPS.strip().splitlines():
        members = {stem(word) for word in line.split()}
        for member in members:
            groups.setdefault(member, set()).update(members)
    return {word: frozenset(members) for word, members in groups.items()}


def _group_of(word: str) -> frozenset[str]:
    return _groups().get(word, frozenset())


def _text_shape(attribute: Attribute, statistics: ColumnStatistics | None) -> tuple[bool, bool]:
    """Return whether the column is text that holds numbers, and whether it holds years."""
    if attribute.type in {"boolean", "date", "number"} or statistics is None:
        return False, False
    if attribute.type == "integer":
        low, high = statistics.minimum, statistics.maximum
        if not isinstance(low, int) or not isinstance(high, int) or high > 2100:
            return False, False
        return False, low >= 1500 or "year" in attribute.name.split("_")
    values = [str(item.value) for item in statistics.values if item.value is not None]
    if not values or _are_clock_times(values):
        return False, False
    numeric = sum(bool(_NUMERIC_TEXT.match(value)) for value in values) / len(values)
    year = sum(bool(_YEAR.search(value)) for value in values) / len(values)
    return numeric >= _MIN_NUMERIC and year < _MIN_SHARE, year >= _MIN_SHARE


def _are_clock_times(values: Sequence[str]) -> bool:
    """Whether most values are times of day, which are not numbers: `19:30`."""
    return sum(bool(_CLOCK.match(value)) for value in values) >= _MIN_SHARE * len(values)
