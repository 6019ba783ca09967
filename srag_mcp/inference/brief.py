"""A brief: what an agent needs to write the query itself, or to see why one found nothing.

Beside it a proposal: what could be read from documents, and its price. Nothing is read for it until
somebody says so: it costs money, or the time of an agent.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from srag_mcp.claims.figures import definition
from srag_mcp.errors import QueryError
from srag_mcp.inference.linking import LinkedValues
from srag_mcp.model.language_model import tokens_of
from srag_mcp.records.prediction import Estimate, estimate_definition, estimate_records
from srag_mcp.retrieval.segments import Quote
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.rounds import find_wished
from srag_mcp.sqlfacts.query import Condition, QueryFacts
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.database import quote_name, quote_text
from srag_mcp.store.predictions import narrow, wish_note
from srag_mcp.store.state import open_state
from srag_mcp.store.statistics import ColumnStatistics, ValueCount
from srag_mcp.store.takeover import find_left_out
from srag_mcp.store.values import ValueMatch, fold_words
from srag_mcp.text.shown import literal, quoted
from srag_mcp.text.words import content_words, stem, stems

MAX_VALUES_SHOWN = 8
_SMALL_SET, _SHORT = 16, 30  # values, and characters of one
MAX_UNIQUE_SHOWN = 3
MAX_VALUE_CHARACTERS = 40

RULES = (
    "One SELECT, DuckDB; text values as they are stored (here, or get_column_stats), or ILIKE.",
    "Unknown values are NULL: IS DISTINCT FROM, NULLS LAST; return ties of a superlative.",
)


@dataclass(frozen=True, slots=True)
class Brief:
    """Schema, values and rules for one question.

    Attributes:
        reason: Why the question was not translated.
        unplaced: Its words that had no place.
        table: The record table.
        columns: The names of all columns.
        linked_values: Stored values that phrases of the question may mean.
        passages: The best passages of the documents, to judge whether it is worth looking there.
        previous: The question before, with its query; empty where this one leans on none.
        kinds: The corpora whose tables it names, where these are kinds of one folder.
    """

    reason: str
    unplaced: tuple[str, ...]
    table: str
    columns: tuple[str, ...]
    linked_values: tuple[LinkedValues, ...]
    passages: tuple[Quote, ...] = ()
    previous: str = ""
    kinds: tuple[str, ...] = ()


def list_shown(statistics: ColumnStatistics) -> Sequence[ValueCount]:
    """Return the values that stand in the line of a column without a range, the most frequent."""
    if statistics.minimum is not None:
        return ()
    are_unique = statistics.n_distinct == statistics.n_non_null
    found = statistics.values
    is_small = len(found) == statistics.n_distinct <= _SMALL_SET
    if not are_unique and is_small and all(len(str(item.value)) <= _SHORT for item in found):
        return found  # who sees all of a set knows what is not in it
    return found[: MAX_UNIQUE_SHOWN if are_unique else MAX_VALUES_SHOWN]


def describe_column(statistics: ColumnStatistics, *, literals: bool = False) -> str:
    """Say what a column holds in one line.

    `"62 to 1244, median 482; known in 98 of 100"`, `"known in 99 of 100: Berlin (12), Rome (9), …
    14 distinct"`; values that no other record has come without a count. *literals*: texts stand as
    SQL has them, so that a value is told from what is said of it: `'Berlin' (12)`; what is cut is
    no literal: `“The Old Ba…” (3)`.
    """
    known = f"known in {statistics.n_non_null} of {statistics.n_records}"
    if statistics.n_unread:
        known += f", of which only {statistics.n_read} were read for it"
    if statistics.minimum is not None:
        return f"{statistics.minimum} to {statistics.maximum}, median {statistics.median}; {known}"
    are_unique = statistics.n_distinct == statistics.n_non_null
    listed = list_shown(statistics)
    shown = []
    for item in listed:
        text = str(item.value).lower() if isinstance(item.value, bool) else str(item.value)
        is_cut = len(text) > MAX_VALUE_CHARACTERS
        if is_cut:
            text = f"{text[: MAX_VALUE_CHARACTERS - 1]}…"
        if literals and isinstance(item.value, str):
            text = quoted(text) if is_cut else literal(text)
        elif "," in text:
            text = f"'{text}'"
        shown.append(text if are_unique else f"{text} ({item.count})")
    rest = f", … {statistics.n_distinct} distinct" if statistics.n_distinct > len(listed) else ""
    return f"{known}: {', '.join(shown)}{rest}" if shown else known


USUAL_DESCRIPTION = "What it is and what it is not. How it is written, with its unit and format."
# Of more than a thousand documents, so many stand for all.
_LENGTHS = """
WITH srag_chosen AS (
  SELECT document_id, count(*) OVER () AS n FROM documents WHERE {chosen}
  ORDER BY document_id LIMIT 1000)
SELECT length(text), strlen(text), n FROM srag_chosen JOIN srag_texts USING (document_id)
ORDER BY document_id
"""


@dataclass(frozen=True, slots=True)
class ReadingPrice(Estimate):
    """What a loose reading takes of a language model, the definition of the attribute included."""

    n_documents: int

    def __str__(self) -> str:
        of = "1 document" if self.n_documents == 1 else f"{self.n_documents:,} documents"
        return f"{of}, about {self.n_prompts:,} prompts and {self.tokens:,} tokens"


@dataclass(frozen=True, slots=True)
class Proposal:
    """An attribute that no column holds, and that documents are to be read for.

    Attributes:
        attribute: What it shall hold, in words.
        documents: A SELECT of the documents that are to be read, all that the question is about.
        price: What that takes.
    """

    attribute: str
    documents: str
    price: ReadingPrice


def _find_known(corpus: Corpus, attribute: str) -> Attribute | None:
    """Return the attribute of that name, or the one that became of the same wish before."""
    before: str | None = None
    if corpus.state is not None:
        with open_state(corpus.state) as state:
            before = state.note(wish_note(attribute))
    schema = corpus.schema()
    defined = (*schema.attributes, *find_left_out(corpus.state, schema))
    return find_wished(defined, before, attribute)


def price_reading(
    corpus: Corpus, attribute: str, documents: str, prompt_tokens: int
) -> ReadingPrice:
    """Estimate what it takes to read *attribute*, in words, from the *documents* of a SELECT.

    Nothing is asked. What a loose attribute of that name, or of the same wish, was read from is not
    read again.

    Raises:
        QueryError: If *documents* is refused, wrong or too heavy.
        StoreError: If the build is of an earlier version.
    """
    among = narrow(corpus, documents)
    conditions = ["characters > 0"]
    if among:
        conditions.append(f"document_id IN ({among}\n)")
    known = _find_known(corpus, attribute)
    if known is not None:
        read = f"SELECT document_id FROM cells WHERE attribute = {quote_text(known.name)}"  # noqa: S608 - it runs through the guard
        conditions.append(f"document_id NOT IN ({read})")
    rows = corpus.rank(_LENGTHS.format(chosen=" AND ".join(conditions)), is_ours=False)
    n_documents = int(rows[0][2] or 0) if rows else 0
    lengths = [tokens_of(int(n or 0), int(n_bytes or 0)) for n, n_bytes, _ in rows]
    sought = Attribute(name="sought", type="string", description=USUAL_DESCRIPTION)
    of_all = (lengths[number % len(lengths)] for number in range(n_documents))
    estimate = estimate_records([sought], of_all, prompt_tokens)
    if known is None:
        estimate += estimate_definition(n_documents)
    return ReadingPrice(estimate.n_prompts, estimate.tokens_in, estimate.tokens_out, n_documents)


_N_NEAREST = 3
_MAX_CONDITIONS = 40
_MAX_UNSTORED = 5
_MAX_SHOWN_CHARACTERS = 200
_LEAST_ALIKE = 0.5
_COMPARES_NULL = re.compile(r"[=<>] NULL\b")


@dataclass(frozen=True, slots=True)
class Seen:
    """What whoever wrote a query was shown: to show it again tells nothing.

    Attributes:
        columns: Those whose range, or most frequent values, were shown.
        values: Columns with the values of them that were shown whole.
        words: The stems of the question.
    """

    columns: frozenset[str] = frozenset()
    values: frozenset[tuple[str, str]] = frozenset()
    words: frozenset[str] = frozenset()

    def has_all_of(self, found: ColumnStatistics) -> bool:
        """Whether all that a column holds was shown: its range, or each of its values."""
        if found.column not in self.columns or found.truncated:
            return False
        shown = ((found.column, str(item.value)) in self.values for item in found.values)
        return found.minimum is not None or all(shown)


NOTHING_SEEN = Seen()


def diagnose(corpus: Corpus, facts: QueryFacts, seen: Seen = NOTHING_SEEN) -> list[str]:
    """Name each comparison of a query with a text that no record meets and that may be misspelt.

    `"no record meets flag = 'malta'; nearest stored: flag = 'Malta'"`

    They are found in any part of the query; none that nothing like it is stored, or asked for as
    well, or was *seen*, unless it is the same but for its spelling.
    """
    corpus = corpus.about(facts.schema.entity)
    return [said for said, near in _unmet_texts(corpus, facts, seen=seen) if near]


def find_unstored(corpus: Corpus, facts: QueryFacts) -> list[str]:
    """Name the texts that a query wants a column to be equal to and no record has, at most a few.

    They are found in any part of the query, also where some records meet its conditions: others of
    a list hide that one is met by none.
    """
    said = [
        one if near else f"{one}; get_column_stats shows what it holds"
        for one, near in _unmet_texts(corpus, facts, only_equal=True)
    ]
    more = len(said) - _MAX_UNSTORED
    rest = [f"and at least {more} more texts that no record has"] if more > 0 else []
    return said[:_MAX_UNSTORED] + rest


def _unmet_texts(
    corpus: Corpus, facts: QueryFacts, *, only_equal: bool = False, seen: Seen = NOTHING_SEEN
) -> list[tuple[str, bool]]:
    """Say which comparisons with a text no record meets, and whether something near is stored."""
    types = {item.name: item.type for item in facts.schema.attributes}
    compared = [
        item
        for item in facts.comparisons
        if all(name in types and types[name].is_text for name in item.columns)
    ]
    compared = compared[:_MAX_CONDITIONS]
    asked = {text for item in compared for text in item.texts}
    found = []
    for item in _unmet(corpus, compared):
        equal = f"{item.columns[0]} = {quote_text(item.texts[0])}"
        if only_equal and item.sql.lower() != equal.lower():
            continue
        near = [match for match in _find_near(corpus, item) if match.value not in asked]
        lengths = {len(fold_words(text.strip("%"))) for text in item.texts}
        is_new = any(
            (m.column, m.value) not in seen.values or len(fold_words(m.value)) in lengths
            for m in near
        )
        near = near if is_new else []
        nearest = ", ".join(dict.fromkeys(f"{m.column} = {quote_text(m.value)}" for m in near))
        said = f"no record meets {_shown(item)}"
        found.append((f"{said}; nearest stored: {nearest}" if nearest else said, bool(nearest)))
    return found


def _find_near(corpus: Corpus, item: Condition) -> list[ValueMatch]:
    """Return what is stored that is like the texts of a condition."""
    search = corpus.values().search
    found = (
        m for text in item.texts for m in search(text.strip("%"), item.columns, limit=_N_NEAREST)
    )
    return [match for match in found if match.score >= _LEAST_ALIKE]


def _is_unlike_all(corpus: Corpus, facts: QueryFacts, item: Condition, seen: Seen) -> bool:
    """Whether the question's own words are like nothing stored, and values would tell nothing."""
    if not item.texts or not seen.words.issuperset(stems(" ".join(item.texts))):
        return False
    statistics = {found.column: found for found in corpus.statistics()}
    for name in item.columns:
        found, attribute = statistics[name], facts.schema.attribute(name)
        are_names = found.n_distinct == found.n_non_null
        spoken = {stem(word) for word in content_words(definition(attribute))}
        n_spoken = sum(not spoken.isdisjoint(stems(str(item.value))) for item in found.values)
        if not attribute.type.is_text or not (are_names or 2 * n_spoken > found.n_distinct):
            return False
    return not _find_near(corpus, item)


def explain_nothing(corpus: Corpus, facts: QueryFacts, seen: Seen | None = None) -> list[str]:
    """Say which conditions of a query no record meets alone, and what their columns hold.

    `"none meets crew > 900 (crew is 8 to 30, median 22; known in 4 of 6)"`

    So are those of one column that are met by some record each, and by none together, lists of NOT
    IN that may hold an unknown, and columns without a value. Empty when only conditions on several
    columns together are met by none. Where who wrote the query has *seen* what columns hold, what
    it can hardly have wrong is left out.
    """
    corpus = corpus.about(facts.schema.entity)
    statistics = {item.column: item for item in corpus.statistics()}
    conditions = dict.fromkeys(item for clause in facts.clauses for item in clause)
    unmet = _unmet(corpus, list(conditions)[:_MAX_CONDITIONS])
    told = {name for item in unmet for name in item.columns}
    shown = []
    for item in unmet:
        attributes = [facts.schema.attribute(name) for name in item.columns]
        known = {value for attribute in attributes for value in attribute.categories or ()}
        is_of_closed_set = item.texts and known.issuperset(item.texts)
        is_yes_or_no = all(attribute.type.is_boolean for attribute in attributes)
        has_all = seen is not None and all(seen.has_all_of(statistics[n]) for n in item.columns)
        is_never_true = _COMPARES_NULL.search(item.sql) is not None
        is_unlike = seen is not None and _is_unlike_all(corpus, facts, item, seen)
        is_shown = (has_all or is_unlike) and not is_never_true
        is_known = (seen is not None and is_yes_or_no) or is_shown
        if not is_of_closed_set and not is_known:
            shown.append(item)
    joined: dict[Condition, None] = {}  # what a clause says of one column in several conditions
    for clause in facts.clauses:
        by_column: dict[tuple[str, ...], list[Condition]] = {}
        for item in clause:
            if len(item.columns) == 1 and item not in unmet:
                by_column.setdefault(item.columns, []).append(item)
        for columns, items in by_column.items():
            if len(items) > 1:
                parts = (f"({x.sql})" if " OR " in x.sql else x.sql for x in items)
                texts = tuple(text for x in items for text in x.texts)
                joined[Condition(" AND ".join(parts), columns, texts)] = None
    shown += [
        item
        for item in _unmet(corpus, list(joined)[:_MAX_CONDITIONS])
        if seen is None
        or statistics[item.columns[0]].minimum is None
        or item.columns[0] not in seen.columns
    ]
    said = []
    for item in shown:
        held = (f"{name} is {describe_column(statistics[name])}" for name in item.columns)
        said.append(f"none meets {_shown(item)} ({'; '.join(held)})")
    empty = [name for name in facts.names if name not in told and not statistics[name].n_non_null]
    said += [f"none has a value in {name}" for name in empty]
    return said + [
        f"NOT IN is never true where its list has an unknown {name}: leave these out of the list,"
        f" with {name} IS NOT NULL"
        for name in facts.open_lists
        if name in statistics and statistics[name].n_non_null < statistics[name].n_records
    ]


def _unmet(corpus: Corpus, conditions: Sequence[Condition]) -> list[Condition]:
    """Return the *conditions* that no record meets alone; none where they cannot be counted."""
    if not conditions:
        return []
    counts = ", ".join(f"count(*) FILTER ({item.sql})" for item in conditions)
    entity = quote_name(corpus.schema().entity)
    try:
        met = corpus.count(f"SELECT {counts} FROM {entity}")  # noqa: S608 - it runs through the guard
    except QueryError:
        return []
    return [item for item, n_met in zip(conditions, met, strict=True) if n_met == 0]


def _shown(condition: Condition) -> str:
    sql = condition.sql
    return sql if len(sql) <= _MAX_SHOWN_CHARACTERS else f"{sql[:_MAX_SHOWN_CHARACTERS]}…"
