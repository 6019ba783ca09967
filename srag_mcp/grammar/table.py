"""The table that questions are about: its columns with the words that speak for them."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, log10

from srag_mcp.grammar.lexicon import (
    concept_stems,
    is_function,
    is_irregular,
    is_past,
    is_time,
    phrases,
    plain_words,
    ranked_stems,
    stem,
    stems,
    stems_of,
    tokenise,
    words_in,
    words_of,
)
from srag_mcp.names.uniting import are_names
from srag_mcp.schema.attribute import Attribute, SlotRule
from srag_mcp.schema.schema import Schema
from srag_mcp.store.statistics import ColumnStatistics
from srag_mcp.store.values import fold_words
from srag_mcp.text.words import ENGLISH_STOP_WORDS, is_content, singular
from srag_mcp.values.states import read_boolean, read_statement
from srag_mcp.values.units import SIZES, is_currency, read_context, unit_of

# Of the columns of other tables: between the name of a list and its own, before one of the record.
LISTED, OF_RECORD = ".", "^"
_FIRST_YEAR, _LAST_YEAR = 1500, 2100
# Smaller numbers that name things are not told from those that count them.
_LOWEST_CODE = 100
# The share of records that must have their own value, for a column to tell records apart.
_OWN = 0.9
_MOST = 0.5
# Fewer different numbers may stand in a row by chance.
_SERIES = 5
_COUNTING = frozenset({"n", "num", "is", "has"})
_NAMING = frozenset({"no", "nr", "id", "number", "name"})
_NUMBERING = frozenset(map(stem, _NAMING))
# Signs of units as they end the names of columns: `kw`; of three letters at most, no words.
_RATED = re.compile(r"[ _](?:per|an?)[ _]")
_SIGNS = {unit.lower(): unit for unit in SIZES if len(unit) < 4 and (unit,) not in phrases()}

_EXACT = frozenset({"sum", "min", "max"})  # of whole numbers
_TURNED = str.maketrans("<>", "><")
_TURNING = frozenset({"<", ">"})
# Of the 15 of a double: a sum over a million records, rounded at each, loses three at most.
_SURE_DIGITS = 12
_QUOTES = '"“”'


@dataclass(frozen=True, eq=False)
class Column:
    """One column, and which words of a question speak for it.

    Attributes:
        attribute: Its attribute.
        statistics: What it holds.
        names: The stems of its name and of each synonym, without counting words and units.
        heads: The stems of which one must be said where the column itself is meant: `price` of
            `price_per_night`, `customer` of `customer_name`.
        told: The stems of its description, its unit and of what documents say of its values.
        around: Further stems of what they say around these.
        key: What it is called in a query where that is not its name: see `grammar.sql.quoted`.
        does: The stems of what somebody does who is named in it: `attend` of attendees.
        listed: The list of which it counts the rows.
        names_rows: Whether it says what is listed, so that records have what it names.
        is_namesake: Whether it counts rows that have a number of the same name: a fare of fares.
    """

    attribute: Attribute
    statistics: ColumnStatistics
    names: tuple[tuple[str, ...], ...]
    heads: frozenset[str]
    told: frozenset[str]
    around: frozenset[str] = frozenset()
    key: str = ""
    does: frozenset[str] = frozenset()
    listed: "Table | None" = None
    names_rows: bool = False
    is_namesake: bool = False

    @property
    def name(self) -> str:
        """The name of the column; of one of another table, with that of the table."""
        return self.key or self.attribute.name

    @property
    def is_of_list(self) -> bool:
        """Whether it is how many the records list of something, which tells none of these."""
        return self.key.startswith("(")

    @property
    def is_beside(self) -> bool:
        """Whether another table has it, so that it restricts and is never put out."""
        return not self.is_of_list and (LISTED in self.key or OF_RECORD in self.key)

    @cached_property
    def is_of_other(self) -> bool:
        """Whether what it says of rows need not be so of records: `returned`, but no `mug`."""
        is_so = self.tells_deeds or (LISTED in self.key and not are_names(self.texts))
        return self.is_beside and not self.names_rows and is_so

    @cached_property
    def named(self) -> frozenset[str]:
        """The stems of all its names."""
        return frozenset(word for name in self.names for word in name)

    @cached_property
    def telling(self) -> frozenset[str]:
        """The stems of all that says anything of it."""
        return self.named | self.told | self.around

    @cached_property
    def verbs(self) -> frozenset[str]:
        """The stems of what its names say that somebody does: `reporter`, `date_reported`.

        Not of a number, which somebody has: `score`, `amount_paid`.
        """
        if not (self.is_text or self.is_date):
            return frozenset()
        acting = tuple(words_of("ending", "acting"))
        said = (word for text in self.called for word in words_in(text))
        acts = {*self.does} | {stem(word) for word in said if word.endswith(acting)}
        return frozenset(acts | {name[0] for name in self.names if len(name) == 1})

    @cached_property
    def unit(self) -> str | None:
        """Its unit, or else that which ends its name: `rated_power_kw`."""
        said = self.attribute.unit or ""
        last = words_in(self.attribute.name)[-1:]
        if said or not last or not self.is_number or is_function(last[0]):
            return unit_of(said) or said or None
        return _SIGNS.get(last[0]) or unit_of(last[0])

    @cached_property
    def told_units(self) -> frozenset[str | None]:
        """The units that its description speaks of, where it has none itself."""
        words = () if self.unit else words_in(" ".join(self.attribute.description.split('"')[::2]))
        return frozenset(unit_of(word) for word in words if not is_function(word)) - {None}

    @property
    def is_number(self) -> bool:
        """Whether it can be computed with."""
        return self.attribute.type.is_numeric

    @property
    def is_amount(self) -> bool:
        """Whether it is a number that tells how much or how many."""
        return self.is_number and not (self.is_year or self.is_numbering)

    @cached_property
    def is_measured(self) -> bool:
        """Whether its unit measures something other than what it is called: `tents` in metres."""
        unit = unit_of(self.attribute.unit or "")
        return unit in SIZES and all(unit_of(w) != unit for w in words_in(self.attribute.name))

    @property
    def is_of_things(self) -> bool:
        """Whether it may say how many there are: whole numbers, in no measure."""
        return self.attribute.type.is_whole and not is_measure(self.attribute.unit)

    @property
    def is_text(self) -> bool:
        """Whether it holds texts."""
        return self.attribute.type.is_text

    @property
    def is_date(self) -> bool:
        """Whether it holds dates."""
        return self.attribute.type.is_date

    @property
    def is_boolean(self) -> bool:
        """Whether it holds yes and no."""
        return self.attribute.type.is_boolean

    @cached_property
    def is_year(self) -> bool:
        """Whether it is a number that holds years."""
        return self.may_be_years and ("year" in self.named or self.attribute.unit == "year")

    @property
    def may_be_years(self) -> bool:
        """Whether all its whole numbers are of the size of years."""
        low, high = self.ends or (0, 0)
        return self.attribute.type.is_whole and low >= _FIRST_YEAR and high <= _LAST_YEAR

    def is_start(self, concept: str) -> bool:
        """Whether it may be the year from which on a thing is so old as `how old` asks: `born`."""
        return concept == "age" and self.may_be_years and self.may_name and "age" not in self.named

    @cached_property
    def is_called_one(self) -> bool:
        """Whether no word of its name is in the plural: `room` names one, `rooms` are many."""
        return not self.counts and all(singular(w) == w for w in words_in(self.attribute.name))

    @cached_property
    def may_name(self) -> bool:
        """Whether its whole numbers may name or date things: `room`, of 101 and 203; `born`.

        They have as many digits each, and neither a unit nor a word of the name says how much.
        """
        low, high = self.ends or (0, 0)
        is_code = low >= _LOWEST_CODE and int(log10(low)) == int(log10(high))
        says = stems_of("additive", "words") | (set() if self.may_be_years else concept_stems())
        is_bare = self.attribute.type.is_whole and not (self.attribute.unit or self.named & says)
        return is_code and is_bare and self.is_called_one

    @property
    def ends(self) -> tuple[float, float] | None:
        """Its lowest and its highest number; None where it has none."""
        low, high = self.statistics.minimum, self.statistics.maximum
        if isinstance(low, int | float) and isinstance(high, int | float):
            return low, high
        return None

    @cached_property
    def texts(self) -> list[str]:
        """The texts that it holds, the most frequent ones where there are many."""
        return [str(found.value) for found in self.statistics.values] if self.is_text else []

    @cached_property
    def counts(self) -> bool:
        """Whether it is a number of things: `n_rooms`, `item_count`, a `Number of …`."""
        told = " ".join(words_in(self.attribute.description)[:4])
        return self.attribute.type.is_whole and (self.is_called_count or "number of" in told)

    @property
    def may_group(self) -> bool:
        """Whether `per season` is for each of its few numbers; `per kg`, `per frame` divide."""
        returns = 2 * self.statistics.n_distinct <= self.statistics.n_non_null
        return returns and self.is_of_things and not counted_things([self])

    @property
    def is_called_count(self) -> bool:
        """Whether its name says that it counts; a text such as `5-10` may be called so, too."""
        words = self.attribute.name.split("_")
        return words[0] in {"n", "num", "number"} or words[-1] == "count"

    @cached_property
    def is_numbering(self) -> bool:
        """Whether it only numbers the records: 1, 2, 3 … without a gap, each once."""
        return self.is_series and self.ends is not None and self.ends[0] in {0, 1}

    @cached_property
    def is_series(self) -> bool:
        """Whether its whole numbers stand in a row without a gap, each once."""
        n, is_whole = self.statistics.n_distinct, self.attribute.type.is_whole
        if not is_whole or self.ends is None or self.counts or not self.is_own or n < _SERIES:
            return False
        return self.ends[1] - self.ends[0] + 1 == n

    @cached_property
    def is_additive(self) -> bool:
        """Whether a sum of it can mean something: not of rates, prices, years and identifiers."""
        if not self.is_number or self.is_year or self.is_numbering:
            return False
        if self.attribute.unit in {"percent", "%"}:
            return False
        if self.attribute.type.is_whole and "total" in self.attribute.name.split("_")[1:]:
            return False  # a running total: each value holds those before it
        is_rate = any("per" in words_in(name) for name in self.called)
        if is_rate or "/" in (self.attribute.unit or "") or (self.may_be_years and self.may_name):
            return False
        said = {word for name in self.called for word in fold_words(name)}
        return self.counts or not said & words_of("additive", "never")

    @property
    def is_identifier(self) -> bool:
        """Whether its whole numbers are names: `order_id`, or the numbers of the records."""
        is_code = self.attribute.name.split("_")[-1] in _NAMING and not self.is_called_count
        return self.attribute.type.is_whole and (is_code or self.is_numbering)

    @property
    def numbers_own(self) -> bool:
        """Whether it numbers things of which each record has its own: `quotation_no`, of `Q-17`."""
        return self.is_own and self.attribute.name.split("_")[-1] in _NAMING - {"name"}

    @property
    def called(self) -> tuple[str, ...]:
        """Its name and its synonyms, as they are written."""
        return (self.attribute.name, *self.attribute.synonyms)

    @property
    def sums(self) -> bool:
        """Whether its name says that it is an amount that is summed without saying so."""
        last = {name[-1] for name in self.names}
        return self.is_additive and bool(last & stems_of("additive", "words"))

    @property
    def fill(self) -> float:
        """The share of records with a value."""
        return self.statistics.n_non_null / max(1, self.statistics.n_records)

    @property
    def has_all_stated(self) -> bool:
        """Whether every record says its value, or that it has none, as a cell of a table does."""
        found = self.statistics
        return found.n_non_null + found.n_stated_absent == found.n_records

    @property
    def is_own(self) -> bool:
        """Whether (nearly) every record that has a value has its own."""
        return 0 < _OWN * self.statistics.n_non_null <= self.statistics.n_distinct

    @cached_property
    def qualifies(self) -> bool:
        """Whether it holds yes or no among its texts, so that it names no things to count."""
        return any(read_boolean(text) is not None for text in self.texts)

    @cached_property
    def denies(self) -> bool:
        """Whether a text of it denies, as `not yet` does, so that no empty cell alone says no."""
        return any(read_statement(text, self.attribute.name) is False for text in self.texts)

    @property
    def is_of_all(self) -> bool:
        """Whether no record is told from others by having one: `posted_on`, of parcels."""
        says_none = self.is_boolean or self.has_zero or self.denies
        return self.fill == 1 and not says_none

    @cached_property
    def tells_deeds(self) -> bool:
        """Whether a yes or a text of it says what was done with some records: `cancelled`."""
        own = self.statistics.n_non_zero > 0 and self.is_boolean
        said = self.called if own else () if self.is_own else self.texts
        return any(is_past(token) for text in said for token in tokenise(text.replace("_", " ")))

    @cached_property
    def numbers(self) -> bool:
        """Whether it holds texts that return and have a digit each: `1/2025`."""
        return (
            bool(self.texts)
            and not self.is_own
            and all(any(map(str.isdigit, text)) for text in self.texts)
        )

    @property
    def has_zero(self) -> bool:
        """Whether a record of a number column has the value 0."""
        return self.is_number and self.statistics.n_non_zero < self.statistics.n_non_null

    @cached_property
    def scale(self) -> float:
        """What a bare number may be meant in: 1,000 below a header in `k€`."""
        return read_context(self.attribute.description).scale

    @property
    def has_blanks(self) -> bool:
        """Whether a record says that it has no value, or its cell of a table file is empty."""
        is_unsaid = self.attribute.is_column and not self.has_all_stated
        return self.statistics.n_stated_absent > 0 or is_unsaid

    @property
    def says_by_silence(self) -> bool:
        """Whether no value means none: not in running text, nor where only some say so."""
        rules = self.attribute.extractors
        is_of_prose = bool(rules) and all(isinstance(rule, SlotRule) for rule in rules)
        return not is_of_prose and (not self.has_blanks or self.has_all_stated)

    @property
    def closed(self) -> bool:
        """Whether a document that does not mention it says no, or none."""
        return self.attribute.absent_means != "unknown"

    @cached_property
    def is_less(self) -> bool:
        """Whether a minus is the sign of all its amounts, and may be none of their sizes."""
        is_amount = self.is_amount and not self.measures("temperature")
        return is_amount and self.ends is not None and self.ends[1] < 0

    def decimals(self, function: str) -> int | None:
        """Return how many decimals of an aggregate are no noise; None where all are exact.

        Of averages of prices up to 900, 9: a double has 15 digits, of which long sums lose some.
        """
        if self.ends is None or (self.attribute.type.is_whole and function in _EXACT):
            return None
        n_summed = self.statistics.n_records if function == "sum" else 1
        largest = max(map(abs, self.ends)) * n_summed
        return max(0, _SURE_DIGITS - ceil(log10(largest))) if largest else None

    def end_of(self, concept: str, highest: bool) -> bool | None:
        """Return which of its ends a word for an end of *concept* means; None if it may be both.

        The oldest has the earliest year, the fastest takes the shortest time; the best price is not
        the highest one, and the highest rank may be the first.
        """
        is_rating, is_time = self.measures("rating"), self.takes_time
        if self.measures("rank") or (not is_rating and concept == "best") or self.is_less:
            return None
        if is_time and concept == "top":
            return None
        is_speed = concept == "speed" and not self.measures(concept)
        if is_speed and not is_time:
            return None
        return highest != (is_speed or (concept == "age" and "age" not in self.named))

    def turned(self, operator: str, concept: str) -> str | None:
        """Return what `older than` means here: `<` for a year; None where nobody knows."""
        is_either = operator in _TURNING and self.measures("rank")  # above 10 is 9, or 11
        end = self.end_of(concept, True) if concept or is_either else True
        return None if end is None else operator if end else operator.translate(_TURNED)

    @property
    def takes_time(self) -> bool:
        """Whether it says how long something takes, perhaps for each of a unit: `min/km`."""
        above = SIZES.get((self.unit or "").partition("/")[0])
        return self.is_number and above is not None and above[0] in {"time", "period"}

    def is_rate_of(self, rate: str) -> bool:
        """Whether its description, or a quote there, speaks of a rate, as *rate* does if anything.

        `cases per 100,000 inhabitants` of `140 cases per 100,000 population`
        """
        said = plain_words(self.attribute.description)
        return not rate or f" {plain_words(rate)} " in f" {said} "

    @cached_property
    def bases(self) -> frozenset[str]:
        """The stems of its name that say of what it is for each: `day` of `walks_a_day`."""
        parts = (_RATED.split(name)[1:] for name in self.called)
        return frozenset(word for part in parts for word in stems(" ".join(part)))

    def measures(self, concept: str) -> bool:
        """Whether its name, synonyms or unit say that it measures *concept*."""
        wanted = stems_of("concept", concept)
        if self.is_text or self.is_boolean or not wanted:
            return False
        is_old = concept == "age" and "age" not in self.named and self.ends is not None
        if self.is_number and (concept == "time" or is_old) and not self.may_be_years:
            return False  # `birth_weight` is no age
        if self.is_date:
            return concept == "time" or (concept == "age" and bool(wanted & self.named))
        unit = self.attribute.unit or ""
        return bool(wanted & ((self.named - self.bases) | {*stems(unit), unit.lower()}))


@dataclass(frozen=True)
class Table:
    """A table that questions are about.

    *nouns* are the stems that mean a record, by the schema; *general* those that any record has;
    *qualifiers* those that say no more before such a noun: `tram` of `tram stops`; *things* those
    of what several records are about: `lift` of reports that have it in a column; *called* are the
    words for one record, whole; *claimed* those nouns that only the folder or the title has, and no
    document, and *doubted* those that only some records have as a value, or what only some call
    themselves; *beside* are columns of other tables that may restrict it.

    *pieces* is the column of how many pieces a row stands for. Of a list (*is_list*) *holders* are
    the nouns of the records that it stands in, and *naming* is the column that names an item.
    *truths* are nouns that a yes/no column is called by as well, and no other: of a folder `sold`
    not all are.
    """

    name: str
    columns: tuple[Column, ...]
    nouns: frozenset[str]
    general: frozenset[str]
    qualifiers: frozenset[str] = frozenset()
    things: frozenset[str] = frozenset()
    called: frozenset[str] = frozenset()
    claimed: frozenset[str] = frozenset()
    doubted: frozenset[str] = frozenset()
    beside: tuple[Column, ...] = ()
    holders: frozenset[str] = frozenset()
    naming: Column | None = None
    pieces: Column | None = None
    is_list: bool = False
    truths: frozenset[str] = frozenset()

    @property
    def repeated(self) -> Column | None:
        """The column of a list that only names what several records may name: `reviewer`."""
        naming = self.naming if self.is_list and len(self.columns) == 1 else None
        return None if naming is None or naming.is_own else naming

    def is_verb(self, word: str) -> bool:
        """Whether a word ends as a verb does, and is no name of the record: `listing`."""
        return word.endswith(tuple(words_of("ending", "verb"))) and word not in self.called

    @cached_property
    def by_name(self) -> Mapping[str, Column]:
        """The columns by name."""
        return {column.name: column for column in (*self.columns, *self.beside)}

    @cached_property
    def named(self) -> frozenset[str]:
        """The stems of the names of all columns."""
        return frozenset(word for column in self.columns for word in column.named)

    @cached_property
    def main_date(self) -> Column | None:
        """The date of the record: the only one that is named after it, or after nothing else.

        What half of the records lack dates something else: the mail that some of them came with.
        """
        plain = {"date", "day"} | self.nouns
        dates = [column for column in self.dates if column.fill > _MOST]
        own = [c for c in dates if any(set(name) <= plain for name in c.names)]
        return own[0] if len(own) == 1 else None

    @cached_property
    def dates(self) -> list[Column]:
        """The columns of dates."""
        return [column for column in self.columns if column.is_date]

    @cached_property
    def main_amount(self) -> Column | None:
        """The amount of the record as a whole: the only one that is called `total` or the like."""
        plain = stems_of("whole", "words") | self.nouns
        own = [
            c
            for c in self.columns
            if c.is_amount and any(set(n) <= plain and not set(n) < {*c.names[0]} for n in c.names)
        ]
        return own[0] if len(own) == 1 else None

    def main_of(self, columns: list[Column]) -> list[Column]:
        """Return of *columns* the amount of the whole record, where it is among them; else all."""
        return [column for column in columns if column is self.main_amount] or columns

    @cached_property
    def dating(self) -> Column | None:
        """The date of the record, else the only one, if all have it and it is no age; or a year."""
        years = [c for c in self.columns if c.is_year and {*c.named} == {"year"}]
        lone = [c for c in self.dates if len(self.dates) == 1 == c.fill and not c.measures("age")]
        return self.main_date or next(iter(lone or years), None)

    @cached_property
    def events(self) -> frozenset[str]:
        """The stems of what each record is one of, by its own date: `visit` of `date_of_visit`."""
        dated = [c for c in self.dates if c.is_own and c.fill == 1 and not c.measures("age")]
        names = [{*c.names[0]} - stems_of("naming", "dating") for c in dated if c.names]
        others = [c.named - _NUMBERING for c in self.columns if not c.is_date]
        counted = counted_things(self.columns).union(
            *(c.named for c in self.columns if c.is_of_list)
        )
        own = (name - counted for name in names if len(name) == 1 and name not in others)
        return frozenset[str]().union(*own)

    @property
    def is_daily(self) -> bool:
        """Whether each record has a day of its own, so that `day` means a record."""
        return self.main_date is not None and self.main_date.is_own and self.main_date.fill >= _OWN

    @cached_property
    def label(self) -> Column | None:
        """The column that names a record, if there is one: a text, else its number."""
        if self.is_list:
            return self.naming
        texts = [column for column in self.columns if column.is_text and column.fill >= _OWN]
        called = [
            c
            for c in texts
            if self._is_called(c) and 2 * c.statistics.n_distinct >= c.statistics.n_non_null
        ]
        own = [column for column in texts if column.is_own]
        called += [c for c in own if any(set(name) <= self.nouns for name in c.names)]
        for words in ({"name"}, {"titl"}, self.nouns, stems_of("naming", "words")):
            called += [c for c in own if any(words & set(name) for name in c.names)]
        numbers = [c for c in self.columns if c.is_identifier and c.is_own and c.fill >= _OWN]
        idle = self.nouns | stems_of("naming", "words")
        called += [c for c in numbers if any(set(name) <= idle for name in c.names)]
        return next(iter(called), None)

    def narrows(self, column: Column, said: Collection[str]) -> bool:
        """Whether each name of *column* has a word beside *said* that says which one it is.

        Not so the record's own noun, nor a word for naming, measuring or dating it: `export`
        narrows a revenue, `order` no `order_date`.
        """
        idle = {*said, *self.nouns, *self.general, *self.qualifiers}
        idle |= stems_of("naming", "words") | stems_of("measure", "words")
        if column.is_date or column.attribute.type.is_whole:
            idle |= stems_of("naming", "dating") if column.is_date else {"year"}
        return all(set(name) - idle for name in column.names)

    def shares_modifier(self, column: Column) -> bool:
        """Whether what stands before the head of a name is in other names, too: another thing.

        `export` of `export_country` beside `export_revenue`; `sea area` is one name.
        """
        idle = self.nouns | self.general | stems_of("naming", "words")
        before = set(column.names[0]) - column.heads - idle if column.names else set()
        others = [other for other in self.columns if other is not column and other.names]
        return any(before & set(other.names[0]) for other in others)

    def narrows_concept(self, column: Column, concept: str) -> bool:
        """Whether a word of *column* is unsaid where `cheapest`, `500 euros` say only *concept*."""
        unit = unit_of(column.attribute.unit or "")
        said = {
            stem(word) for word in words_in(column.attribute.name) if unit and unit_of(word) == unit
        }
        said |= stems_of("concept", concept) if concept else frozenset()
        return column is not self.main_date and self.narrows(column, said)

    def is_of_record(self, column: Column) -> bool:
        """Whether a date is that of the record, and not of a thing that it is about."""
        return column is self.main_date or not column.named.isdisjoint(self.nouns)

    def may_number(self, column: Column) -> bool:
        """Whether it may number records within something else: issues 1, 2 of each magazine.

        Nothing else says then what a record is.
        """
        return not self.nouns and column.numbers

    def numbers(self, stems: Collection[str]) -> bool:
        """Whether each record has a number of what *stems* say: `episode`, by `episode_id`."""
        return not _named_things(self.columns, _OWN).isdisjoint(stems)

    def is_thing(self, column: Column) -> bool:
        """Whether a column names what several records are called after: its parts, or others alike.

        Not where they have numbers in it. Where documents have no noun, it has the most names.
        """
        read = [c for c in self.columns if c.attribute.extractors and not c.attribute.is_column]
        texts = [c for c in read if c.is_text and not self.nouns]
        named = max(texts, key=lambda c: c.statistics.n_distinct, default=None)
        is_thing = column is named or not column.named.isdisjoint(self.things)
        return is_thing and not any(c.numbers for c in self.columns)

    def is_called_thing(self, column: Column) -> bool:
        """Whether an amount is called as all names of records end: a height `mill`."""
        own = [c for c in self.columns if c.is_own and len(c.texts) > 1 and column.is_amount]
        ends = [{tuple(stems(text)[-1:]) for text in c.texts} for c in own]
        return {*column.names[:1]} in ends

    def _is_called(self, column: Column) -> bool:
        """Whether a column is the name or the title of the record: `name`, `job_title` of jobs."""
        return any(
            name[-1] in {"name", "titl"} and set(name[:-1]) <= self.nouns for name in column.names
        )

    def others(self, columns: Sequence[Column]) -> set[str]:
        """Return those of *columns* that are not named after the record, where some are."""
        own = {column.name for column in columns if column.named & self.nouns}
        return {column.name for column in columns} - own if own else set()

    def tells_of_other(self, name: str) -> bool:
        """Whether a column tells of a thing that several records are about, by its name.

        `animal_kind` beside `animal_name`, of visits: `how many cats` counts animals, not visits.
        """
        thing, _, rest = name.partition("_")
        return (
            bool(rest)
            and stem(thing) not in self.nouns
            and any(
                column.name in {f"{thing}_{word}" for word in _NAMING} and not column.is_own
                for column in self.columns
            )
        )

    def answering(self, word: str) -> tuple[Column, ...]:
        """Return the text columns that answer `who` or `where`, the likeliest first.

        Where none is called so, who is asked for by the name of the record.
        """
        texts = [column for column in self.columns if column.is_text]
        found = dict.fromkeys(
            column
            for noun in ranked_stems("answers", word)
            for column in texts
            if any(noun in name for name in column.names)
        )
        names = [c for c in texts if c is self.label and word == "who" and are_names(c.texts)]
        return tuple(found or names)

    def measuring(self, concept: str) -> list[Column]:
        """Return the columns that measure *concept*; its date is the age and time of a record.

        A unit shows that a column can be compared, not that it is meant: a mileage in km has a name
        of its own, and is no length.
        """
        found = [column for column in self.columns if concept and column.measures(concept)]
        wanted = stems_of("concept", concept) if concept else frozenset()
        found = [c for c in found if wanted & c.named] or [
            c for c in found if c.may_be_years or c.is_date or not self.narrows_concept(c, concept)
        ]
        dated = self.main_date is not None and (
            concept == "time" or (concept == "age" and not found)
        )
        return [self.main_date] if dated and self.main_date is not None else self.main_of(found)


def describe_table(schema: Schema, statistics: Mapping[str, ColumnStatistics]) -> Table:
    """Gather what the words of a question may mean in *schema*."""
    general = stems_of("record", "words")
    known = [item for item in schema.attributes if item.name in statistics]
    columns = tuple(describe_column(item, statistics[item.name]) for item in known)
    named = {word for column in columns for word in column.named}
    names = [
        [w for w in words_in(x) if is_content(w) or (len(w) == 1 and w not in ENGLISH_STOP_WORDS)]
        for x in (schema.entity, schema.title)
    ]
    entity, title = ([stem(word) for word in name] for name in names)
    own = {*entity, *title[-1:], *(set(title) - named)}
    # what documents list is no record that only a folder is called after
    lists = (*(child.list_name for child in schema.children), *(x.name for x in schema.lists))
    own -= {stem(word) for name in lists for word in words_in(name.rpartition(".")[2])[-1:]}
    # of `audit reports`, as some of them call themselves
    kinds = {word for noun in schema.nouns for word in stems(noun)[:-1]} - own - named
    numbered = _named_things(columns, _OWN)
    attested = set(stems(" ".join(schema.nouns))) - kinds | numbered
    silent = [c for c in columns if not c.has_blanks]  # an empty cell says that there is none
    partly = set[str]() if numbered else _named_things(silent, _MOST) - attested
    nouns = attested = attested | partly
    words = [word for name in names for word in name]
    many = {stem(word) for word in words if singular(word) != word} & own
    last = {*entity[-1:], *title[-1:]} & own
    nouns = (nouns | many) or last  # tram stops are no trams, nor is lost property lost
    # what a folder of closed and of open ones is called, or of those of a place
    nouns = nouns - (stored_words(columns) - (many & last))
    truths = nouns & _truths(columns)
    nouns -= truths
    nouns = {word for word in nouns - general if word.isalpha() and len(word) > 1}
    things = _repeated(columns) & nouns
    nouns -= things | counted_things(columns)
    plain = words_in(" ".join((schema.entity, *schema.nouns)))
    called = frozenset(singular(word) for word in plain if singular(word) != word)
    rest = frozenset((own - last | kinds) - nouns)  # of what is called fire, no fire drills
    claimed = frozenset(nouns - attested)
    doubted = frozenset(nouns & (stored_words(columns) | partly - own) | kinds)
    said = stems_of("pieces", "words")  # `quantity`, `units_sold`, or `sold` of whole numbers
    acts = said | stems_of("pieces", "verbs")
    bare = {
        c
        for c in columns
        if c.attribute.type.is_whole
        and not c.attribute.unit
        and any(x.endswith("ed") or is_irregular(x) for x in c.called)
    }
    pieces = [
        c
        for c in columns
        if c.is_number and any({*n} <= acts and (c in bare or {*n} & said) for n in c.names)
    ]
    return Table(
        schema.entity,
        columns,
        frozenset(nouns),
        general,
        rest,
        things,
        called,
        claimed,
        doubted,
        truths=frozenset(truths),
        pieces=pieces[0] if len(pieces) == 1 and pieces[0].is_additive else None,
    )


def _truths(columns: Iterable[Column]) -> set[str]:
    """Return what yes/no columns are called in a word: of lots in a folder `sold` some are not."""
    return {word for c in columns if c.is_boolean for x in c.names if len(x) == 1 for word in x}


def stored_words(columns: Iterable[Column]) -> set[str]:
    """Return the stems of the words that are texts of a column by themselves."""
    texts = (stems(str(x.value)) for c in columns if c.is_text for x in c.statistics.values)
    return {said[0] for said in texts if len(said) == 1}


def counted_things(columns: Iterable[Column]) -> frozenset[str]:
    """Return what numbers are counts of: `visitors` are no records where each says how many came.

    A name in the singular names or numbers one: `invoice: 17`; an amount in a unit counts none.
    """
    amounts = [item for item in columns if item.is_amount and not item.attribute.unit]
    words = {word for column in amounts for word in words_in(column.attribute.name)}
    return frozenset(stem(word) for word in words if word != singular(word))


def _repeated(columns: Sequence[Column]) -> frozenset[str]:
    """Return what columns name of which several records have one: `lift`, `lift_no` of reports."""
    found = {True: set[str](), False: set[str]()}
    for column in columns:
        if column.is_text or column.is_identifier:
            bare = [set(name) - _NUMBERING or set(name) for name in column.names[:1]]
            found[column.is_own] |= {word for name in bare if len(name) == 1 for word in name}
    return frozenset(found[False] - found[True])


def _named_things(columns: Sequence[Column], least: float) -> set[str]:
    """Return what the one column names of which a share of *least* have their own: `order_no`."""
    own = [
        c for c in columns if c.is_own and c.statistics.n_distinct >= least * c.statistics.n_records
    ]
    words = [(column, words_in(column.attribute.name)) for column in own]
    found = [said[0] for _, said in words if len(said) == 2 and said[1] in _NAMING]
    series = (said[0] for c, said in words if len(said) == 1 and c.is_series and c.is_called_one)
    ranks = stems_of("concept", "rank")  # these order records, and name none
    found += [w for w in series if not (w in _NAMING or is_time(w) or stem(w) in ranks)]
    return {stem(found[0])} if len(found) == 1 else set()


def describe_column(attribute: Attribute, statistics: ColumnStatistics) -> Column:
    """Gather the words that speak for a column."""
    spoken = [_spoken_name(text, attribute) for text in (attribute.name, *attribute.synonyms)]
    names = tuple(dict.fromkeys(name for name, _ in spoken if name))
    own = {word for name in names for word in name}
    slots = [rule for rule in attribute.extractors if isinstance(rule, SlotRule)]
    said = (word for rule in slots for word in rule.told)
    texts = statistics.values if attribute.type.is_text else ()
    apart = {word for text in texts for word in stems(str(text.value))[:-1]}
    definition = " ".join(_definition(attribute.description))
    told = _content(" ".join((definition, attribute.unit or "", *said))) - apart
    pairs = (pair for rule in slots for pair in rule.weights.items())
    weights = (name for name, weight in pairs if weight > 0 and name[0] in "<>^~")
    # what a boolean is described by are kinds of it: a rooftop pool
    more = "" if attribute.type.is_boolean else attribute.description
    around = _content(" ".join((more, *(w.lstrip("<>^~!") for w in weights)))) - apart
    heads = frozenset(word for _, heads in spoken for word in heads)
    beside = frozenset(around - told - own)
    return Column(attribute, statistics, names, heads, frozenset(told - own), around=beside)


def _content(text: str) -> set[str]:
    return {stem(word) for word in words_in(text) if not is_function(word) and len(word) > 1}


def _definition(description: str) -> Iterator[str]:
    """Yield the words, a quoted label too, before what examples, alternatives or denials open."""
    for token in tokenise(description):
        if {("or", ""), ("not", "")} & {*phrases().get((token.word,), ())}:
            return
        if not token.is_mark:
            yield token.word
        elif token.text not in _QUOTES:
            return


def is_measure(unit: str | None) -> bool:
    """Whether a unit measures: `kg`, `EUR/night`; of `deaths` there are so many."""
    return any(map(unit_of, (unit or "").replace("/", " ").split()))


def _spoken_name(text: str, attribute: Attribute) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the stems of a name as people say it, and its head.

    `n_rooms` is said as `rooms`, `weight_kg` as `weight`, `catch_t_2024` as `catch 2024`, but
    `new_deaths` in `deaths` counts them; the head of `price_per_night` is `price`, `fee_paid` has
    two, and `customer_name` may be called by the customer alone.
    """
    words = list(words_in(text))
    if len(words) > 1 and words[0] in _COUNTING:
        words = words[1:]
    number = [words.pop()] if len(words) > 1 and words[-1].isdigit() else []
    unit = fold_words(attribute.unit or "")
    if is_measure(attribute.unit) and fold_words(" ".join(words))[-len(unit) :] == unit:
        words = words[: -len(unit)] or words
    elif attribute.type.is_numeric and words[-2:-1] not in ([], ["per"]):  # no word of a language
        is_sign = words[-1] in _SIGNS or is_currency(unit_of(words[-1].upper()))
        words = words[:-1] if is_sign else words
    words += number
    content = [word for word in words if not is_function(word)] or words
    if not content:
        return (), frozenset()
    joins = (at for at, word in enumerate(words) if at and (is_function(word) or word == "per"))
    first = next(joins, len(words))
    heads = [word for word in words[:first] if word in content] or content
    name, last = tuple(stem(word) for word in content), heads[-1]
    # of `fee_paid`, but not of `year_built`
    is_amount = attribute.type.is_numeric and not any(map(is_time, heads))
    acts = is_amount and (last.endswith("ed") or is_irregular(last))
    whole = attribute.type.is_boolean or stem(last) in stems_of("naming", "words")
    return name, frozenset(name) if whole else frozenset(map(stem, heads[-2 if acts else -1 :]))
