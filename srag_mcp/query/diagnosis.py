"""Diagnosis of an empty result: what no record has, and what is stored instead.

For a language model that can put its query right, by condition; for who wrote a query, by text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from srag_mcp.errors import QueryError
from srag_mcp.store.engine import quote_name, quote_text
from srag_mcp.store.guard import Value
from srag_mcp.store.selection import compared_texts, read_selection

if TYPE_CHECKING:
    from sqlglot import exp

    from srag_mcp.store.corpus import Corpus
    from srag_mcp.store.values import ValueMatch

_N_NEAREST = 3
_MAX_SHOWN_CHARACTERS = 60
_LEAST_ALIKE = 0.5


def is_empty(rows: Sequence[Sequence[Value]]) -> bool:
    """Whether a result says nothing: no rows, NULLs only, or a single count of 0."""
    values = [value for row in rows for value in row]
    return all(value is None for value in values) or (
        len(values) == 1 and not isinstance(values[0], bool) and values[0] == 0
    )


def diagnose_empty(corpus: Corpus, sql: str) -> list[str]:
    """Name each condition of *sql* that no record meets alone and that may be misspelt.

    With the nearest stored values. Empty when every condition is met by some record, or nothing
    like it is stored: then the result is what the documents say.
    """
    import sqlglot  # heavy: only when a query came back empty

    entity = corpus.schema().entity
    where = read_selection(sql, entity).where
    if not where:
        return []
    condition = sqlglot.parse_one(where, read="duckdb")
    return [problem for part in _conjuncts(condition) for problem in _problem(corpus, entity, part)]


def find_unstored(corpus: Corpus, sql: str) -> list[str]:
    """Say which texts *sql* compares a column with that no record has in it.

    `SELECT count(*) FROM hotel WHERE city = 'lisbon'` ->
    `["no record has city = 'lisbon'; stored: 'Lisbon'"]`

    They are found in any part of the query, also where some records meet its conditions.

    Raises:
        QueryError: If looking took too long.
    """
    texts = [item.name for item in corpus.schema().attributes if item.type == "string"]
    said = []
    for column, text in compared_texts(sql, texts):
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


def _conjuncts(condition: exp.Expr) -> Iterator[exp.Expr]:
    from sqlglot import exp

    unwrapped = condition.unnest()
    if isinstance(unwrapped, exp.And):
        yield from _conjuncts(unwrapped.left)
        yield from _conjuncts(unwrapped.right)
    else:
        yield unwrapped


def _problem(corpus: Corpus, entity: str, part: exp.Expr) -> Iterator[str]:
    text = part.sql(dialect="duckdb")
    counting = f'SELECT count(*) FROM "{entity}" WHERE {text}'  # noqa: S608 - it runs through the guard
    try:
        [(n_met,)] = corpus.select(counting, limit=1).rows
    except QueryError:
        return
    nearest = _nearest(corpus, part) if n_met == 0 else ""
    if nearest:
        yield f"no record meets {text}{nearest}"


def _nearest(corpus: Corpus, part: exp.Expr) -> str:
    from sqlglot import exp

    columns = {column.name for column in part.find_all(exp.Column)}
    known = [item.name for item in corpus.schema().attributes if item.name in columns]
    said = []
    for literal in part.find_all(exp.Literal):
        phrase = str(literal.this).strip("%")
        if not literal.is_string or not known:
            continue
        matches = _search(corpus, phrase, known)
        said += [f"{m.column} = '{m.value}'" for m in matches if m.score >= _LEAST_ALIKE]
    return f"; nearest stored: {', '.join(dict.fromkeys(said))}" if said else ""
