"""Linking: which stored values and which columns a question may mean."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from srag_mcp.errors import QueryError
from srag_mcp.grammar.link import Mention, Sentence, read_sentences
from srag_mcp.grammar.table import Column, Table, describe_table
from srag_mcp.names.uniting import read_name
from srag_mcp.schema.schema import Schema
from srag_mcp.schema.schema import Table as TableOfSchema
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.database import quote_name, quote_text
from srag_mcp.store.values import IN_ORDER, ValueMatch, fold_words
from srag_mcp.text.shown import literal, quoted
from srag_mcp.text.words import STOP_WORDS, is_content, stem, words
from srag_mcp.values.states import CURRENCY_NAMES
from srag_mcp.values.units import is_currency, unit_of

MAX_SPELLINGS = 12
MAX_VALUE_CHARACTERS = 120
_MAX_EXAMPLES = 3  # beside a pattern
_MAX_LINKED = 10
_MAX_COLUMNS = 3  # of one phrase
_LONGEST_PHRASE = 8
_LONGEST_CALLED = 3  # words: a longer value is no kind of thing
_LONGEST_MISSPELT = 4  # words: the nearest of each word is sought
_MIN_CHARACTERS = 3
_EQUAL = 0.99  # but for the legal form
_MISSPELT = 0.8  # of a whole value: one letter of a short word, or two of a long one
_ALL = 1_000_000  # spellings of a phrase
_MANY = 2_000  # are read in some 50 ms
_MOST = 0.5  # of the values of a column: what more of them say tells none apart
# What a word of a question says for a column, by what it is there: only their order matters.
_LINKED, _SAID, _NAMED, _MEASURED, _HELD, _TOLD = 4.0, 3.0, 2.0, 1.5, 1.5, 1.0
_MONEY, _AMOUNT = 0.6, 0.5  # of what an amount is asked: more than a word that many columns have
_MEASURING = frozenset({"aggregate", "rank", "how_much", "adjective", "comparative"})
_DATING = frozenset({"when", "part", "compare_time", "period"})
_CONCEPTS = frozenset({"adjective", "comparative", "question_word"})
_BREAK = re.compile(r"([\s/]+|(?<=[^\W\d_])[-‐‑–](?=[^\W\d_]))")  # `AB-12` stays whole
_AROUND = " ,;:'\"“”‘’«»()[]?!."
_HAS_WILDCARD = re.compile(r"[%_\\]")


@dataclass(frozen=True, slots=True)
class LinkedValues:
    """The stored values of one column that a phrase of a question may mean.

    Attributes:
        phrase: As the question says it.
        column: The column.
        values: Those that are shown: what the phrase is, then what holds it, the most frequent
            first.
        n_values: How many there are, shown or not.
        n_records: How many records have one of them.
        pattern: For ILIKE, where not all are shown: it has been counted to match these and no
            others; empty where there is none.
        is_equal: Whether one of them is the phrase, but for case, marks and legal form.
        table: The table of the column; None for the record table.
    """

    phrase: str
    column: str
    values: tuple[ValueMatch, ...]
    n_values: int
    n_records: int
    pattern: str = ""
    is_equal: bool = True
    table: str | None = None

    def __str__(self) -> str:
        """Write it on one line as SQL has it: `"flag: 'Malta' (2), 'MALTA (MT)' (1)"`."""
        shown = ", ".join(f"{_shown(item)} ({item.n_records:,})" for item in self.values)
        if self.pattern:
            pattern = f"ILIKE {quote_text(self.pattern)}"
            rest = ", …" if self.n_values > len(self.values) else ""
            return f"{self.column} {pattern} matches {self.n_values:,} spellings: {shown}{rest}"
        n_more = self.n_values - len(self.values)
        more = f", and {n_more:,} more spellings that hold “{self.phrase}”" if n_more else ""
        return f"{self.column}: {shown}{more}"


def link_values(question: str, corpus: Corpus) -> tuple[LinkedValues, ...]:
    """Find the stored values that phrases of *question* mean, the likeliest column of each first.

    A phrase means a value that it is, but for case, marks, plural and legal form. A name also means
    those that hold it as it is spelt; other phrases, those of which they are half of the words, or
    all that a short value is called by. The nouns of the entity mean none. `the` is not “The
    Lamplighter”; `Conti` may be “Giulia Conti”, `nurses` “Registered Nurse”.
    """
    linker = _Linker(question, corpus)
    found = [(x.first, group) for x in linker.phrases() for group in linker.link(x)]
    found.sort(key=lambda pair: (not pair[1].is_equal, pair[0]))
    return tuple(group for _, group in found[:_MAX_LINKED])


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A stretch of a question, its tokens by number, *last* exclusive."""

    text: str
    first: int
    last: int
    is_name: bool


@cache
def _currencies_called() -> Mapping[tuple[str, ...], frozenset[str]]:
    """Return the currencies that folded words name, or the last of them: `franc`, of Swiss ones."""
    found = defaultdict[tuple[str, ...], set[str]](set)
    for name, code in CURRENCY_NAMES.items():
        said = fold_words(name)
        for first in range(len(said)):
            found[said[first:]].add(code)
    return {said: frozenset(codes) for said, codes in found.items()}


class _Linker:
    """Links the phrases of one question, longer ones first: what they are, their parts are not."""

    def __init__(self, question: str, corpus: Corpus) -> None:
        self._corpus, self._values = corpus, corpus.values()
        parts = _BREAK.split(question)
        self._tokens = [token.strip(_AROUND) for token in parts[::2]]
        self._gaps = ["", *(" " if gap.isspace() or "/" in gap else gap for gap in parts[1::2])]
        self._nouns = _nouns_of(corpus.schema())
        self._named = {
            word
            for x in corpus.schema().attributes
            for word in fold_words(x.name.replace("_", " "))
        }
        self._statistics = {item.column: item for item in corpus.statistics()}
        self._linked: list[_Phrase] = []
        self._taken: set[tuple[str, str]] = set()

    def phrases(self) -> Iterator[_Phrase]:
        """Yield the stretches that may be a value."""
        for length in range(min(_LONGEST_PHRASE, len(self._tokens)), 0, -1):
            for first in range(len(self._tokens) - length + 1):
                tokens = self._tokens[first : first + length]
                if not all((tokens[0], tokens[-1])):
                    continue
                gaps = ("", *self._gaps[first + 1 : first + length])
                both = zip(gaps, tokens, strict=True)
                text = "".join(f"{gap}{token}" for gap, token in both if token)
                is_code = text.isupper() and len(text) > 1
                is_short = len(text) < _MIN_CHARACTERS and not is_code
                if is_short:
                    continue
                said = words(text)
                if all(word in STOP_WORDS for word in said) and not is_code:
                    continue
                if not all(word in self._nouns for word in fold_words(text)):
                    yield _Phrase(text, first, first + length, self._is_name(tokens, first))

    def _is_name(self, tokens: Sequence[str], first: int) -> bool:
        """Whether it is written as a name: in capitals, which a sentence begins with as well."""
        if any(token[:1].islower() for token in (tokens[0], tokens[-1])):
            return False
        own = tokens if first else tokens[1:]
        return any(token[:1].isupper() for token in own) or tokens[0].isupper()

    def link(self, phrase: _Phrase) -> list[LinkedValues]:
        """Link one phrase; call it for longer ones first."""
        within = any(x.first <= phrase.first and phrase.last <= x.last for x in self._linked)
        by_column = defaultdict[tuple[str | None, str], list[ValueMatch]](list)
        seen = set(self._taken)
        for match in (*self._currencies(phrase), *self._matches(phrase), *self._initials(phrase)):
            key = (match.column, match.value)
            if key not in seen and (match.score >= _EQUAL or not within):
                by_column[match.table, match.column].append(match)
                seen.add(key)
        groups = [self._group(phrase.text, found) for found in by_column.values()]
        is_kept = phrase.is_name
        groups = [g for g in groups if g.is_equal or is_kept or not self._says_nothing(g)]
        groups.sort(key=lambda item: (not item.is_equal, item.n_values, item.column))
        groups = groups[:_MAX_COLUMNS]
        if groups:
            self._linked.append(phrase)
            self._taken.update((x.column, value.value) for x in groups for value in x.values)
        return groups

    def _matches(self, phrase: _Phrase) -> list[ValueMatch]:
        is_spelt = phrase.last - phrase.first > _LONGEST_MISSPELT
        found = self._values.search(phrase.text, limit=_ALL, is_spelt=is_spelt)
        if _core(phrase.text) != fold_words(phrase.text):
            without = self._values.search(" ".join(_core(phrase.text)), limit=_ALL, is_spelt=True)
            found += [match for match in without if _is_equal(phrase.text, match.value)]
        if len(found) > _MANY:  # too many to look at: what the phrase is comes first
            found = [match for match in found if match.score >= 1.0]
        return [
            replace(match, score=_likeness(phrase.text, match.value))
            for match in found
            if _means(phrase, match) or self._is_called(phrase, match)
        ]

    def _is_called(self, phrase: _Phrase, match: ValueMatch) -> bool:
        """Whether one word is what a short value is called by: `nurses`, of “Registered Nurse”."""
        said, stored = fold_words(phrase.text), fold_words(match.value)
        is_head = len(said) == 1 and 1 < len(stored) <= _LONGEST_CALLED and stored[-1:] == said
        return is_head and said[0] not in self._named and stored[-2] not in STOP_WORDS

    def _initials(self, phrase: _Phrase) -> list[ValueMatch]:
        """Return the full forms of a name in short, and the short forms of one in full."""
        ends = self._tokens[phrase.first], self._tokens[phrase.last - 1]
        if not phrase.is_name or not STOP_WORDS.isdisjoint(words(" ".join(ends))):
            return []
        found = self._values.search_initials(phrase.text)
        return [replace(match, score=IN_ORDER) for match in found]

    def _currencies(self, phrase: _Phrase) -> list[ValueMatch]:
        """Return the stored names of the currency that a phrase names: “EUR” for `euros`."""
        unit, whole = unit_of(phrase.text), " ".join(words(phrase.text))
        meant = {*_currencies_called().get(fold_words(phrase.text), ())}
        meant |= {CURRENCY_NAMES[whole]} if whole in CURRENCY_NAMES else set()
        meant |= {unit} if unit and is_currency(unit) else set()
        return [
            ValueMatch(item.column, str(value.value), value.count, 1.0, item.table)
            for item in (self._statistics.values() if meant else ())
            for value in (item.values if item.type.is_text and not item.truncated else ())
            if unit_of(str(value.value)) in meant
        ]

    def _group(self, phrase: str, found: Sequence[ValueMatch]) -> LinkedValues:
        ordered = sorted(found, key=lambda x: (-x.score, -x.n_records, x.value))
        n_records = sum(match.n_records for match in ordered)
        group = LinkedValues(
            phrase,
            ordered[0].column,
            tuple(ordered),
            len(ordered),
            n_records,
            is_equal=ordered[0].score >= _EQUAL,
            table=ordered[0].table,
        )
        if len(ordered) <= MAX_SPELLINGS and all(map(_is_short, ordered)):
            return group
        n_equal = sum(match.score >= _EQUAL for match in ordered)
        if n_equal:
            return replace(
                group, values=tuple(ordered[: max(n_equal, _MAX_EXAMPLES)][:MAX_SPELLINGS])
            )
        pattern = self._find_pattern(group)
        n_shown = _MAX_EXAMPLES if pattern else MAX_SPELLINGS
        return replace(group, values=tuple(ordered[:n_shown]), pattern=pattern)

    def _says_nothing(self, group: LinkedValues) -> bool:
        """Whether so many values of the column hold the phrase that it tells none apart."""
        found = self._statistics.get(group.column)
        return found is not None and group.n_values > max(1, _MOST * found.n_distinct)

    def _find_pattern(self, group: LinkedValues) -> str:
        """Return a pattern that matches the values of *group* and no others; empty for none."""
        said = group.phrase.lower()
        is_in_all = all(said in item.value.lower() for item in group.values)
        if not is_in_all or _HAS_WILDCARD.search(said):
            return ""
        pattern, name = f"%{said}%", quote_name(group.column)
        table = quote_name(group.table or self._corpus.schema().entity)
        condition = f"{name} ILIKE {quote_text(pattern)}"
        sql = f"SELECT count(DISTINCT {name}), count(*) FROM {table} WHERE {condition}"  # noqa: S608 - it runs through the guard
        try:
            counted = self._corpus.count(sql)
        except QueryError:
            return ""
        return pattern if counted == (group.n_values, group.n_records) else ""


def _shown(match: ValueMatch) -> str:
    """Write a value as SQL has it; one that is cut is no literal."""
    value = match.value
    return literal(value) if _is_short(match) else quoted(value, MAX_VALUE_CHARACTERS)


def _is_short(match: ValueMatch) -> bool:
    return len(match.value) <= MAX_VALUE_CHARACTERS


def _nouns_of(schema: Schema) -> frozenset[str]:
    names = (schema.entity, schema.title, *schema.nouns)
    return frozenset(word for name in names for word in fold_words(name))


def _core(text: str) -> tuple[str, ...]:
    """Return the folded words of a name without the legal form that ends it."""
    name, said = read_name(text), fold_words(text)
    return said[: -len(name.forms)] if name.surety and len(said) > len(name.forms) else said


def _is_equal(phrase: str, value: str) -> bool:
    """Whether two texts are the same but for case, marks, plural and legal form."""
    if _core(phrase) != _core(value):
        return False
    return not value.isupper() or phrase.isupper() or words(phrase)[:1] == words(value)[:1]


def _likeness(phrase: str, value: str) -> float:
    if _is_equal(phrase, value):
        return 1.0 if fold_words(phrase) == fold_words(value) else _EQUAL
    return IN_ORDER


def _means(phrase: _Phrase, match: ValueMatch) -> bool:
    """Whether a value that has the words of *phrase*, or words much like them, may be meant."""
    if _is_equal(phrase.text, match.value):
        return True
    asked, stored = _core(phrase.text), _core(match.value)
    is_half = 2 * len(asked) >= len(stored)
    if not set(words(phrase.text)) <= set(words(match.value)):  # another number, or misspelt
        is_whole = phrase.is_name and len(asked) == len(stored) and match.score >= _MISSPELT
        return is_whole or (len(asked) > 1 and is_half and match.score >= IN_ORDER)
    is_bare = not STOP_WORDS.isdisjoint((asked[0], asked[-1]))
    is_told = phrase.is_name or (len(asked) > 1 and is_half)
    return is_told and not is_bare and match.score >= IN_ORDER


def rank_columns(question: str, corpus: Corpus, linked: Sequence[LinkedValues]) -> list[str]:
    """Return the columns that *question* may need, the likeliest first.

    They are told by what the grammar takes its words for, by the words of their names, synonyms,
    definitions and categories, each the more the fewer columns have it, and by the values that are
    *linked*. The column that names a record comes first; those that no word tells of, last.
    """
    schema, table = corpus.schema(), corpus.once(_describe_records)
    sentences = read_sentences(question, table, corpus.values())
    by_word = _read_words(question, schema, table)
    scores = defaultdict[str, float](float)
    for item in linked:
        scores[item.column] = max(scores[item.column], _LINKED if item.is_equal else _HELD)
    for name, score in _read_meanings(sentences, table).items():
        scores[name] += score
    for of_columns in by_word.values():
        for name, score in of_columns.items():
            scores[name] += score
    ranked = sorted((x for x in scores if scores[x] > 0), key=lambda x: (-scores[x], x))
    label = [x.name for x in (table.label, *filter(_numbers_all, table.columns)) if x][:1]
    others = sorted(table.columns, key=lambda x: (_rest_rank(x), -x.fill))
    return list(dict.fromkeys([*label, *ranked, *(column.name for column in others)]))


def _describe_records(corpus: Corpus) -> Table:
    return describe_table(corpus.schema(), {item.column: item for item in corpus.statistics()})


def is_spoken_of(question: str, child: TableOfSchema, schema: Schema) -> bool:
    """Whether a content word of *question*, but for nouns of the records, tells of a list."""
    said = [child.title, child.list_name, child.description]
    for item in child.attributes:
        said += [item.name, item.description, *item.synonyms, *(item.categories or ())]
    told = {stem(word) for text in said for word in words(text)}
    return not told.isdisjoint(map(stem, telling_words(question, schema)))


def telling_words(question: str, schema: Schema) -> list[str]:
    """Return the folded content words of *question* but for nouns of the records.

    What the records are called stands in any document: it tells none from the others.
    """
    nouns = {stem(word) for word in _nouns_of(schema)}
    return [word for word in words(question) if is_content(word) and stem(word) not in nouns]


def _numbers_all(column: Column) -> bool:
    found = column.statistics
    return found.n_distinct == found.n_records > 1


def _rest_rank(column: Column) -> int:
    """Return how late a column comes of which no word of the question tells."""
    if not column.fill:
        return 3
    if _is_measure(column):
        return 1
    found = column.statistics
    return 0 if 2 * found.n_distinct <= found.n_non_null else 2


def _is_measure(column: Column) -> bool:
    """Whether it has a least and a most that tell something, and numbers no records."""
    return column.is_date or (column.is_number and not column.is_numbering)


def _read_meanings(sentences: Sequence[Sentence], table: Table) -> Mapping[str, float]:
    """Return how much is said for each column by what the grammar takes the words for."""
    found: dict[tuple[str, int], float] = {}
    for sentence in sentences:
        for mention in sentence.mentions:
            for name, score in _columns_of(mention, table):
                key = (name, mention.first)
                found[key] = max(found.get(key, 0.0), score)
    total = defaultdict[str, float](float)
    for (name, _), score in found.items():
        total[name] += score
    return total


def _columns_of(mention: Mention, table: Table) -> Iterator[tuple[str, float]]:
    for name, said in mention.columns:
        yield name, _SAID * said
    meant: Sequence[Column] = ()
    if mention.kind in _CONCEPTS:
        concept = mention.word.partition(" ")[0]
        meant = [column for column in table.columns if column.measures(concept)]
    elif mention.kind in {"who", "where"}:
        meant = table.answering(mention.kind)
        yield from ((column.name, _TOLD) for column in table.columns if column.is_text)
    elif mention.kind in _DATING:
        meant = [column for column in table.columns if column.is_date or column.is_year]
    elif mention.kind in {"number", "unit"} and mention.unit is not None:
        measured = [c for c in table.columns if c.attribute.unit or c.measures("money")]
        meant = [column for column in measured if mention.in_unit_of(column) is not None]
    for column in meant:
        yield column.name, _MEASURED
    if mention.kind in _MEASURING:
        for column in filter(_is_measure, table.columns):
            yield column.name, _MONEY if column.measures("money") else _AMOUNT
    for choice in mention.choices:
        yield choice.column, _HELD


def _read_words(question: str, schema: Schema, table: Table) -> Mapping[str, Mapping[str, float]]:
    """Return how much each stem of *question* says for each column that has it."""
    nouns = {stem(word) for word in _nouns_of(schema)}
    asked = {stem(word) for word in words(question) if is_content(word)} - nouns
    named: dict[str, frozenset[str]] = {}
    told: dict[str, frozenset[str]] = {}
    for column in table.columns:
        attribute = column.attribute
        named[column.name] = column.named.union(map(stem, words(attribute.name)))
        said = " ".join((attribute.description, *(attribute.categories or ())))
        told[column.name] = column.told.union(column.around, map(stem, words(said)))
    n_having = Counter(word for name in named for word in named[name] | told[name])
    all_of_them = math.log(len(named) + 1)
    return {
        word: {
            name: (_NAMED if word in named[name] else _TOLD)
            * (1 - math.log(n_having[word]) / all_of_them)
            for name in named
            if word in named[name] | told[name]
        }
        for word in asked
        if n_having[word]
    }
