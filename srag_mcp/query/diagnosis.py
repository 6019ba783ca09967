"""Diagnosis of a query: what no record has, and what is stored instead.

For a language model that can put its query or its schema right, by condition; for who wrote a
query, by text.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from srag_mcp.errors import QueryError
from srag_mcp.query.column_holdings import describe_column
from srag_mcp.query.column_roles import find_column_uses
from srag_mcp.query.conditions import (
    Condition,
    find_comparisons,
    find_conditions,
    find_joined_conditions,
    find_open_lists,
)
from srag_mcp.store.engine import quote_name, quote_text
from srag_mcp.store.guard import Value
from srag_mcp.store.selection import compared_texts

if TYPE_CHECKING:
    from srag_mcp.schema.schema import Schema
    from srag_mcp.store.corpus import Corpus
    from srag_mcp.store.values import ValueMatch

_N_NEAREST = 3
_MAX_CONDITIONS = 40
_MAX_UNSTORED = 5
_MAX_SHOWN_CHARACTERS = 60
_LEAST_ALIKE = 0.5


def is_empty(rows: Sequence[Sequence[Value]]) -> bool:
    """Whether a result says nothing: no rows, NULLs only, or a single count of 0."""
    values = [value for row in rows for value in row]
    return all(value is None for value in values) or (
        len(values) == 1 and not isinstance(values[0], bool) and values[0] == 0
    )


def diagnose(corpus: Corpus, sql: str) -> list[str]:
    """Name each comparison of *sql* with a text that no record meets and that may be misspelt.

    `"no record meets flag = 'malta'; nearest stored: flag = 'Malta'"`

    They are found in any part of the query. Empty when each is met by some record, or nothing like
    it is stored, or what is stored is asked for as well: then the result is what the documents say.
    """
    texts = [item.name for item in corpus.schema().attributes if item.type.is_text]
    comparisons = find_comparisons(sql, texts)[:_MAX_CONDITIONS]
    asked = {text for item in comparisons for text in item.texts}
    said = ((item, _nearest(corpus, item, asked)) for item in _unmet(corpus, comparisons))
    return [f"no record meets {item.sql}; nearest stored: {near}" for item, near in said if near]


def explain_nothing(corpus: Corpus, sql: str, *, only_doubtful: bool = False) -> list[str]:
    """Say which conditions of *sql* no record meets alone, and what their columns hold.

    `"none meets crew > 900 (crew is 8 to 30, median 22; known in 4 of 6)"`

    So are those of one column that are met by some record each, and by none together, and lists of
    NOT IN that may hold an unknown. A value of a closed set needs no record that has it. Columns of
    *sql* without a value are named as well. Empty when only conditions on several columns together
    are met by none. *only_doubtful* leaves a yes or no that nobody has out: a query can hardly have
    that wrong.
    """
    schema = corpus.schema()
    names = [item.name for item in schema.attributes]
    statistics = {item.column: item for item in corpus.statistics()}
    unmet = _unmet(corpus, find_conditions(sql, names)[:_MAX_CONDITIONS])
    told = {name for item in unmet for name in item.columns}
    shown = [
        item
        for item in unmet
        if not (_is_of_closed_set(item, schema) or (only_doubtful and _is_yes_or_no(item, schema)))
    ]
    shown += _find_exclusive(corpus, find_joined_conditions(sql, names), unmet)
    said = []
    for item in shown:
        held = (f"{name} is {describe_column(statistics[name])}" for name in item.columns)
        said.append(f"none meets {item.sql} ({'; '.join(held)})")
    used = dict.fromkeys(use.column for use in find_column_uses(sql, names))
    empty = [name for name in used if name not in told and not statistics[name].n_non_null]
    said += [f"none has a value in {name}" for name in empty]
    return said + [
        f"NOT IN is never true where its list has an unknown {name}: leave these out of the list,"
        f" with {name} IS NOT NULL"
        for name in find_open_lists(sql)
        if name in statistics and statistics[name].n_non_null < statistics[name].n_records
    ]


def find_unstored(corpus: Corpus, sql: str) -> list[str]:
    """Say which texts *sql* compares a column with that no record has in it.

    `SELECT count(*) FROM hotel WHERE city = 'lisbon'` ->
    `["no record has city = 'lisbon'; stored: 'Lisbon'"]`

    They are found in any part of the query, also where some records meet its conditions; after a
    few of them the others are not looked for.

    Raises:
        QueryError: If looking took too long.
    """
    texts = [item.name for item in corpus.schema().attributes if item.type.is_text]
    said: list[str] = []
    compared = list(compared_texts(sql, texts))
    for place, (column, text) in enumerate(compared):
        if len(said) == _MAX_UNSTORED:
            return [*said, f"{len(compared) - place} further texts were not looked for"]
        if _is_stored(corpus, column, text):
            continue
        near = [_quoted(match.value) for match in _search(corpus, text, [column])]
        stored = f"stored: {', '.join(near)}" if near else "see get_column_stats"
        said.append(f"no record has {column} = {_quoted(text)}; {stored}")
    return said


def _is_stored(corpus: Corpus, column: str, text: str) -> bool:
    """Look into the records: the value index leaves long and rare texts out."""
    entity = quote_name(corpus.schema().entity)
    condition = f"{quote_name(column)} = {quote_text(text)}"
    sql = f"SELECT count(*) FROM {entity} WHERE {condition}"  # noqa: S608 - it runs through the guard
    return corpus.count(sql) != (0,)


def _quoted(text: str) -> str:
    return repr(text if len(text) <= _MAX_SHOWN_CHARACTERS else f"{text[:_MAX_SHOWN_CHARACTERS]}…")


def _search(corpus: Corpus, text: str, columns: Sequence[str]) -> Sequence[ValueMatch]:
    return corpus.values().search(text, columns, limit=_N_NEAREST)


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


def _find_exclusive(
    corpus: Corpus, clauses: Sequence[Sequence[Condition]], unmet: Collection[Condition]
) -> list[Condition]:
    """Return what *clauses* say of one column in several conditions, where no record meets all."""
    joined: dict[Condition, None] = {}
    for clause in clauses:
        by_column: dict[str, list[Condition]] = {}
        for item in clause:
            if len(item.columns) == 1 and item not in unmet:
                by_column.setdefault(item.columns[0], []).append(item)
        joined.update((_join(items), None) for items in by_column.values() if len(items) > 1)
    return _unmet(corpus, list(joined)[:_MAX_CONDITIONS])


def _join(conditions: Sequence[Condition]) -> Condition:
    """Make one condition of those on one column."""
    parts = [f"({item.sql})" if " OR " in item.sql else item.sql for item in conditions]
    texts = tuple(text for item in conditions for text in item.texts)
    return Condition(" AND ".join(parts), conditions[0].columns, texts)


def _nearest(corpus: Corpus, condition: Condition, asked: Collection[str]) -> str:
    """Return the stored values nearest to the texts of *condition*, but for those *asked* for."""
    phrases = [text.strip("%") for text in condition.texts]
    matches = [match for phrase in phrases for match in _search(corpus, phrase, condition.columns)]
    near = [item for item in matches if item.score >= _LEAST_ALIKE and item.value not in asked]
    return ", ".join(dict.fromkeys(f"{item.column} = {quote_text(item.value)}" for item in near))


def _is_of_closed_set(condition: Condition, schema: Schema) -> bool:
    sets = [schema.attribute(name).categories or () for name in condition.columns]
    known = {value for categories in sets for value in categories}
    return bool(condition.texts) and known.issuperset(condition.texts)


def _is_yes_or_no(condition: Condition, schema: Schema) -> bool:
    return all(schema.attribute(name).type.is_boolean for name in condition.columns)
