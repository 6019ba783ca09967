"""A brief: what an agent needs to write the query itself when `ask` did not translate.

Beside it a proposal: what could be read from documents, and its price. Nothing is read for it until
somebody says so: it costs money, or the time of an agent.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from srag_mcp.inference.linking import LinkedValues
from srag_mcp.model.language_model import tokens_of
from srag_mcp.records.prediction import Estimate, estimate_definition, estimate_records
from srag_mcp.retrieval.segments import Quote
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.rounds import find_wished
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.database import quote_text
from srag_mcp.store.predictions import narrow, wish_note
from srag_mcp.store.state import open_state
from srag_mcp.store.statistics import ColumnStatistics, ValueCount
from srag_mcp.store.takeover import find_left_out
from srag_mcp.text.shown import literal, quoted

MAX_VALUES_SHOWN = 8
_SMALL_SET, _SHORT = 16, 30  # values, and characters of one
MAX_UNIQUE_SHOWN = 3
MAX_VALUE_CHARACTERS = 40

RULES = (
    "Write one SELECT in DuckDB's dialect, of the record table, documents, cells and passages.",
    "Unknown values are NULL: IS DISTINCT FROM counts them as different, IS NULL finds them.",
    "Spell text values as they are stored (as in this brief, or get_column_stats) or use ILIKE.",
    "Exclude NULLs from ORDER BY with NULLS LAST; return ties of a superlative.",
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
