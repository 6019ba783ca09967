"""Diagnosis of an empty result: which condition no record meets, and what is stored instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from srag_mcp.errors import QueryError
from srag_mcp.store.guard import Value
from srag_mcp.store.selection import read_selection

if TYPE_CHECKING:
    from sqlglot import exp

    from srag_mcp.store.corpus import Corpus

_N_NEAREST = 3
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
        matches = corpus.values().search(phrase, known, limit=_N_NEAREST)
        said += [f"{m.column} = '{m.value}'" for m in matches if m.score >= _LEAST_ALIKE]
    return f"; nearest stored: {', '.join(dict.fromkeys(said))}" if said else ""
