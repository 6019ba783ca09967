"""Columns as questions speak of them: the words that mean an attribute, each with a weight."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from srag_mcp.offline.translation.reading import Form, Term
from srag_mcp.offline.translation.thesaurus import CONCEPTS, Concept
from srag_mcp.offline.translation.tokens import stem, stems
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.words import fold_word

NAME, SYNONYM, GROUP, UNIT, DESCRIPTION = 1.0, 1.0, 0.6, 0.5, 0.35

_CALLED = re.compile(
    r"(?:the |full )*(?:name|title) of (?:the |an? |each )?"
    r"(?P<noun>[\w -]+?)(?= (?:that|who|which|on|in|at|of|for|as|to|from|with)\b|[.,;:(]|$)",
    re.IGNORECASE,
)
_RANKING = frozenset({"rank", "position", "no"})
_NUMBERED = ("year", "rank", "ranking", "position", "place", "number", "no", "id", "code", "zip")
# A column that few records fill names none, whatever it is called.
_MIN_LABELLED = 0.5
_IDENTIFYING = frozenset(stem(word) for word in _NUMBERED) | {"pos", "season", "date", "day"}


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
        has_zero: Whether a record of a number column has the value 0.
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
    has_zero: bool = False
    known_values: tuple[str, ...] = ()
    trust: float = 1.0

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.attribute.name

    @property
    def counts_silence(self) -> bool:
        """Whether a document that does not mention it says no, or none."""
        return self.attribute.absent_means != "unknown"

    @property
    def fill(self) -> float:
        """The share of records with a value; 1 while nothing is known."""
        return self.n_non_null / self.n_records if self.n_records else 1.0

    @property
    def has_gaps(self) -> bool:
        """Whether documents say nothing of it, and their silence is no answer."""
        return self.fill < 1 and not self.counts_silence

    @property
    def name_length(self) -> int:
        """How many words its shortest name has."""
        return min(map(len, self.names), default=0)

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
        return any(set(name) <= concept_stems(concept) for name in self.names)

    def names_part(self, concept: Concept) -> bool:
        """Whether a name of the column begins or ends with a word for *concept*."""
        words = concept_stems(concept)
        return any({name[0], name[-1]} & words for name in self.names)

    def is_called(self, word: str) -> bool:
        """Whether it is described as the name of what *word* means: `Title of the book on loan`."""
        found = _CALLED.match(self.attribute.description)
        nouns = stems(found.group("noun")) if found else ()
        return self.attribute.type == "string" and nouns[-1:] == (word,)

    def measures(self, concept: Concept) -> bool:
        """Whether the column's name, synonyms or unit say that it measures *concept*."""
        if concept == "time" and self.attribute.type == "date":
            return True
        words = concept_stems(concept)
        spoken = {word for name in self.names for word in name}
        return bool(words & (spoken | set(stems(self.attribute.unit or ""))))


@dataclass(frozen=True)
class Table:
    """The one table that questions are about.

    *nouns* are the stems that mean a record; *named* is whether there are any, and *of_people*
    whether records describe people. *about* are the stems of what the title says a record is about
    (`insurance claim`); *doers* are words of columns that only sound like it (`inspector`).
    """

    name: str
    columns: tuple[Column, ...]
    nouns: frozenset[str]
    named: bool
    of_people: bool = False
    about: frozenset[str] = frozenset()
    doers: frozenset[str] = frozenset()
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
    def main_date(self) -> Column | None:
        """The date that a question means by default: the record's own one, else the fullest."""
        dates = self.dates
        own = [column for column in dates if self.is_own(column)]
        return max(own or dates, key=lambda column: column.n_non_null, default=None)

    @property
    def numbers(self) -> tuple[Column, ...]:
        """The columns that can be summed."""
        return tuple(column for column in self.columns if column.is_number)

    @property
    def label(self) -> Column | None:
        """The text column that names a record, if there is one."""
        texts = self.of_type("string")
        called = [
            column
            for word in ("name", "titl")
            for column in texts
            if any(word in name for name in column.names)
        ]
        called.sort(key=lambda column: column.fill < _MIN_LABELLED)
        own = [c for c in texts if c.is_key and c.fill >= _MIN_LABELLED]
        keys = [c for c in own if not self.named or self._names_record(c)]
        sure = [c for c in called if c in own or not self.named]
        return next(iter((*sure, *keys, *called)), None)

    @property
    def own_measure(self) -> Column | None:
        """The only number named after the record, such as `claimed_amount` of claims."""
        own = [c for c in self.numbers if c.is_additive and self.is_own(c)]
        return own[0] if len(own) == 1 else None

    def is_own(self, column: Column) -> bool:
        """Whether a column is named after the record."""
        return any(self.nouns & set(name) for name in column.names)

    def _names_record(self, column: Column) -> bool:
        """Whether a key is called like a record or a number of it: `invoice_number`."""
        words = {word for name in column.names for word in name}
        return bool(words & (self.nouns | _IDENTIFYING))


@lru_cache(maxsize=64)
def concept_stems(concept: Concept) -> frozenset[str]:
    """Return the stems of the words for *concept*."""
    return frozenset(stem(fold_word(word)) for word in CONCEPTS[concept].split())
