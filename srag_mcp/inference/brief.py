"""A brief: what an agent needs to write the query itself when `ask` did not translate."""

from collections.abc import Sequence
from dataclasses import dataclass

from srag_mcp.inference.linking import LinkedValues
from srag_mcp.retrieval.snippets import Quote
from srag_mcp.store.statistics import ColumnStatistics, ValueCount
from srag_mcp.text.shown import literal, quoted

MAX_VALUES_SHOWN = 8
_SMALL_SET, _SHORT = 16, 30  # values, and characters of one
MAX_UNIQUE_SHOWN = 3
MAX_VALUE_CHARACTERS = 40

RULES = (
    "Write one SELECT in DuckDB's dialect, of the record table, documents, cells and passages.",
    "Unknown values are NULL: IS DISTINCT FROM counts them as different, IS NULL finds them.",
    "Spell text values as they are stored (linked_values, get_column_stats) or use ILIKE.",
    "Exclude NULLs from ORDER BY with NULLS LAST; return ties of a superlative.",
    "Send it with run_sql. If no column holds what is asked, say so: do not guess.",
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
    """

    reason: str
    unplaced: tuple[str, ...]
    table: str
    columns: tuple[str, ...]
    linked_values: tuple[LinkedValues, ...]
    passages: tuple[Quote, ...] = ()
    previous: str = ""


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
