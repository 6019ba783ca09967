"""Columns as questions speak of them: the words that mean an attribute, each with a weight."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from srag_mcp.offline.translation.lexicon import (
    BUYING_EVENTS,
    BUYING_PAPERS,
    GLUE,
    LIGHT_VERBS,
    MEASURE_NOUNS,
)
from srag_mcp.offline.translation.reading import Form, Term
from srag_mcp.offline.translation.thesaurus import CONCEPTS, GROUPS, Concept
from srag_mcp.offline.translation.tokens import fold, stem, stems
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.store.statistics import ColumnStatistics

NAME, SYNONYM, GROUP, UNIT, DESCRIPTION = 1.0, 1.0, 0.6, 0.5, 0.35

_NUMERIC_TEXT = re.compile(r"^\W*[-+−]?\d[\d,.]*")
_YEAR = re.compile(r"\b(1[5-9]|20)\d\d\b")
_RANKING = frozenset({"rank", "position", "no"})
_IDENTIFYING = frozenset(
    stem(word)
    for word in (
        "year",
        "rank",
        "ranking",
        "position",
        "place",
        "number",
        "no",
        "id",
        "code",
        "zip",
    )
) | {"pos", "season", "date", "day"}
_SILENT = GLUE | {"no", "not", "non", "and", "or", "per"}
_COUNTING = frozenset({"n", "num", "number", "count"})
_PERSONAL = frozenset({"birth", "gender", "surname", "birthday", "sex"})
_MANY = 20
_WELL_FILLED, _POORLY_FILLED = 0.25, 0.12
_MIN_SHARE = 0.6
_MIN_NUMERIC = 0.85


@dataclass(frozen=True, eq=False)
class Column:
    """One column, and how much each stem of a question speaks for it.

    Attributes:
        attribute: Its attribute.
        weights: Stem -> weight of the word, from `NAME` down to `DESCRIPTION`.
        names: The stems of its name and of each synonym.
        numeric_text: Whether it is text that begins with a number in most records.
        year_text: Whether it is text or a number that holds a year in most records.
        n_records, n_distinct, n_non_null: From the statistics; 0 when unknown.
        known_values: Values of a text column, the most frequent ones when there are many.
        trust: Below 1 for a column that few records have.
    """

    attribute: Attribute
    weights: Mapping[str, float]
    names: tuple[tuple[str, ...], ...]
    numeric_text: bool = False
    year_text: bool = False
    n_records: int = 0
    n_distinct: int = 0
    n_non_null: int = 0
    known_values: tuple[str, ...] = ()
    trust: float = 1.0

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.attribute.name

    @property
    def fill(self) -> float:
        """The share of records with a value; 1 while nothing is known."""
        return self.n_non_null / self.n_records if self.n_records else 1.0

    @property
    def is_number(self) -> bool:
        """Whether it can be summed and compared as a number."""
        return self.attribute.type in {"integer", "number"} or self.numeric_text

    @property
    def is_ordered(self) -> bool:
        """Whether it has a highest and a lowest value."""
        return self.is_number or self.attribute.type == "date"

    @property
    def is_additive(self) -> bool:
        """Whether a sum of it means something: not of years, ranks and numbers that identify."""
        last = {name[-1] for name in self.names}
        ranked = {name[0] for name in self.names} & _RANKING
        return self.is_number and not (self.year_text or last & _IDENTIFYING or ranked)

    @property
    def is_key(self) -> bool:
        """Whether (nearly) every record has its own value."""
        return self.n_non_null > 0 and self.n_distinct >= 0.9 * self.n_non_null

    @property
    def term(self) -> Term:
        """The column as a query measures it."""
        form: Form = "number" if self.numeric_text else "plain"
        if self.year_text and self.attribute.type == "string":
            form = "text_year"
        return Term(self.attribute.name, form)

    def is_named_for(self, concept: Concept) -> bool:
        """Whether a whole name of the column is a word for *concept*."""
        return any(set(name) <= _concept_stems(concept) for name in self.names)

    def names_part(self, concept: Concept) -> bool:
        """Whether a name of the column begins or ends with a word for *concept*."""
        words = _concept_stems(concept)
        return any({name[0], name[-1]} & words for name in self.names)

    def measures(self, concept: Concept) -> bool:
        """Whether the column's name, synonyms or unit say that it measures *concept*."""
        if concept == "time" and self.attribute.type == "date":
            return True
        words = _concept_stems(concept)
        spoken = {word for name in self.names for word in name}
        return bool(words & (spoken | set(stems(self.attribute.unit or ""))))


@dataclass(frozen=True)
class Table:
    """The one table that questions are about.

    *nouns* are the stems that mean a record; *named* is whether there are any, and *of_people*
    whether records describe people.
    """

    name: str
    columns: tuple[Column, ...]
    nouns: frozenset[str]
    named: bool
    of_people: bool = False
    by_name: Mapping[str, Column] = field(default_factory=dict)

    def column(self, name: str) -> Column | None:
        """Return the column called *name*, or None for the document's id."""
        return self.by_name.get(name)

    def of_type(self, *types: str) -> tuple[Column, ...]:
        """Return the columns whose attribute has one of these types."""
        return tuple(column for column in self.columns if column.attribute.type in types)

    @property
    def dates(self) -> tuple[Column, ...]:
        """The date columns, or those that hold years when there are none."""
        years = tuple(c for c in self.columns if c.year_text and c.measures("time"))
        return self.of_type("date") or years

    @property
    def numbers(self) -> tuple[Column, ...]:
        """The columns that can be summed."""
        return tuple(column for column in self.columns if column.is_number)

    @property
    def label(self) -> Column | None:
        """The text column that names a record, if there is one."""
        texts = self.of_type("string")
        for word in ("name", "titl"):
            for column in texts:
                if any(word in name for name in column.names):
                    return column
        keys = (column for column in texts if column.is_key)
        return next((c for c in keys if not self.named or self._names_record(c)), None)

    def _names_record(self, column: Column) -> bool:
        """Whether a key is called like a record or a number of it: `invoice_number`."""
        words = {word for name in column.names for word in name}
        return bool(words & (self.nouns | _IDENTIFYING))


def describe_table(schema: Schema, statistics: Mapping[str, ColumnStatistics]) -> Table:
    """Gather what the words of a question may mean in *schema*."""
    nouns = {word for noun in schema.nouns for word in stems(noun)}
    entity = set(stems(schema.entity)) - {"record", "row"}
    named = bool(nouns or entity)
    if nouns & {stem(word) for word in BUYING_PAPERS}:
        nouns |= {stem(word) for word in (*BUYING_EVENTS, "receipt", "invoice")}
    known = frozenset(nouns | entity)
    columns = tuple(
        _describe(attribute, statistics.get(attribute.name), known)
        for attribute in schema.attributes
    )
    by_name = {column.name: column for column in columns}
    words = {word for column in columns for name in column.names for word in name}
    return Table(schema.entity, columns, known, named, bool(words & _PERSONAL), by_name)


def _describe(
    attribute: Attribute, statistics: ColumnStatistics | None, nouns: frozenset[str]
) -> Column:
    names = tuple(
        found
        for text in (attribute.name, *attribute.synonyms)
        if (found := _spoken_name(text)) and not set(found) <= _SILENT
    )
    weights = _weigh(attribute, names, nouns)
    numeric, year = _text_shape(attribute, statistics)
    if statistics is None:
        return Column(attribute, weights, names, numeric, year)
    counts = (statistics.n_records, statistics.n_distinct, statistics.n_non_null)
    trust = _trust(attribute, names, statistics)
    weights = {word: weight * trust for word, weight in weights.items()}
    texts = tuple(str(item.value) for item in statistics.values)
    return Column(attribute, weights, names, numeric, year, *counts, texts, trust)


def _trust(
    attribute: Attribute, names: tuple[tuple[str, ...], ...], statistics: ColumnStatistics
) -> float:
    """Weigh columns down that hold little: people ask for what most documents say.

    A boolean named like a measure (`amount`) says only that the word occurs.
    """
    if attribute.type == "boolean":
        measures = _concept_stems("money") | {stem(word) for word in MEASURE_NOUNS}
        return 0.3 if any(set(name) <= measures for name in names) else 1.0
    fill = statistics.n_non_null / statistics.n_records if statistics.n_records >= _MANY else 1.0
    if fill >= _WELL_FILLED:
        return 1.0
    return 0.75 if fill >= _POORLY_FILLED else 0.5


def _spoken_name(text: str) -> tuple[str, ...]:
    """Return the stems of a name; `n_rooms` is spoken as `rooms`."""
    found = stems(text)
    return found[1:] if len(found) > 1 and found[0] in _COUNTING else found


def _weigh(
    attribute: Attribute, names: tuple[tuple[str, ...], ...], nouns: frozenset[str]
) -> dict[str, float]:
    """Weigh the words of a column; a word keeps the highest weight that it has."""
    own = {word for name in names for word in name}
    alike = {like for word in own for like in _group_of(word)} - _light_stems() - nouns
    described = {word for word in _content(attribute.description) if word not in nouns}
    weights = dict.fromkeys({like for word in described for like in _group_of(word)}, DESCRIPTION)
    weights |= dict.fromkeys(described, DESCRIPTION)
    weights |= dict.fromkeys(_content(attribute.unit or ""), UNIT)
    weights |= dict.fromkeys(alike, GROUP)
    if attribute.type == "boolean":
        for text in (str(example) for example in attribute.examples):
            weights |= dict.fromkeys(_content(text), SYNONYM)
    weights |= dict.fromkeys(own, NAME)
    return {word: weight for word, weight in weights.items() if word not in _SILENT}


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


@lru_cache(maxsize=64)
def _concept_stems(concept: Concept) -> frozenset[str]:
    return frozenset(stem(fold(word)) for word in CONCEPTS[concept].split())


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
    if not values:
        return False, False
    numeric = sum(bool(_NUMERIC_TEXT.match(value)) for value in values) / len(values)
    year = sum(bool(_YEAR.search(value)) for value in values) / len(values)
    return numeric >= _MIN_NUMERIC and year < _MIN_SHARE, year >= _MIN_SHARE
