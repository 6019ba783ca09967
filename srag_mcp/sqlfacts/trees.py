"""Queries as sqlglot trees: parsed as the guard parses them, and taken apart.

`exp` is sqlglot's module of expressions, which is heavy: it is imported when a query is read.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from srag_mcp.errors import RefusedQueryError
from srag_mcp.store.guard.second_opinion import UnreadableError, parse_statement

if TYPE_CHECKING:
    from sqlglot import exp as exp
else:

    class _Expressions:
        def __getattr__(self, name: str) -> object:
            found = getattr(importlib.import_module("sqlglot.expressions"), name)
            setattr(self, name, found)
            return found

    exp = _Expressions()


def parse_query(sql: str) -> exp.Expr | None:
    """Parse *sql* as the guard does; None where sqlglot reads less than DuckDB."""
    try:
        return parse_statement(sql)
    except (UnreadableError, RefusedQueryError):
        return None


def merge_queries(root: exp.Expr, table: str, columns: Iterable[str]) -> exp.Expr:
    """Put what CTEs and subqueries in FROM only pass on in their places.

    `WITH t AS (SELECT * FROM hotels WHERE pool) SELECT avg(price) FROM t` -> `SELECT avg(price)
    FROM hotels WHERE pool`. *root* itself where there are none, or sqlglot cannot tell.
    """
    is_nested = any(isinstance(item.this, exp.Subquery) for item in root.find_all(exp.From))
    if not is_nested and not root.args.get("with_"):
        return root
    from sqlglot.errors import SqlglotError  # heavy
    from sqlglot.optimizer.merge_subqueries import merge_subqueries
    from sqlglot.optimizer.qualify import qualify

    known: dict[str, object] = {table: dict.fromkeys(columns, "VARCHAR")}
    try:
        return merge_subqueries(
            qualify(root.copy(), schema=known, dialect="duckdb", quote_identifiers=False)
        )
    except (SqlglotError, ValueError, AttributeError, TypeError, KeyError, IndexError):
        return root
    except RecursionError:
        return root


def split_and(condition: exp.Expr) -> Iterator[exp.Expr]:
    """Yield what AND joins in *condition*, also within brackets: `a AND (b AND c)` -> a, b, c."""
    unwrapped = condition.unnest()
    if isinstance(unwrapped, exp.And):
        yield from split_and(unwrapped.left)
        yield from split_and(unwrapped.right)
    else:
        yield unwrapped


def where_of(node: exp.Expr) -> list[exp.Expr]:
    """Return what AND joins in the WHERE of a SELECT or of a FILTER."""
    where = node.expression if isinstance(node, exp.Filter) else node.args.get("where")
    return [] if where is None else list(split_and(where.this))


def sources_of(select: exp.Expr) -> list[exp.Expr]:
    """Return what *select* reads from, joined or not: tables, subqueries, functions."""
    joins = select.args.get("joins") or []
    return [item.this for item in (select.args.get("from_"), *joins) if item is not None]


def inner_query(source: exp.Expr) -> exp.Expr | None:
    """Return the query that *source* of a FROM stands for; None for a table."""
    if isinstance(source, exp.Subquery):
        return source.unnest()
    if isinstance(source, exp.Table) and isinstance(source.this, exp.Identifier):
        for item in source.root().find_all(exp.CTE):
            if item.alias_or_name.lower() == source.name.lower():
                found: exp.Expr = item.this
                return found
    return None


def group_keys(select: exp.Select) -> list[exp.Expr] | None:
    """Return what *select* groups by, with places and aliases put into what they stand for.

    None for ROLLUP and its like, and for a place that there is not. A constant is no key.
    """
    group = select.args["group"]
    outputs = [item.unalias() for item in select.expressions]
    if any(group.args.get(name) for name in ("rollup", "cube", "grouping_sets", "totals")):
        return None
    if group.args.get("all"):
        return [item for item in outputs if item.find(exp.AggFunc) is None]
    named = {item.alias.lower(): item.unalias() for item in select.expressions if item.alias}
    keys: list[exp.Expr] = []
    for item in group.expressions:
        found = item.unnest()
        if isinstance(found, exp.Literal):
            if not found.is_int:
                continue
            if not 0 < int(found.name) <= len(outputs):
                return None
            found = outputs[int(found.name) - 1]
        elif isinstance(found, exp.Column) and found not in outputs:
            found = named.get(found.name.lower(), found)
        keys.append(found)
    return keys


def is_null_test(node: exp.Expr | None) -> bool:
    """Whether *node* is `… IS NULL`."""
    return isinstance(node, exp.Is) and isinstance(node.expression, exp.Null)


def stated_column(part: exp.Expr) -> str | None:
    """Return the column of `price IS NOT NULL`, in lower case; None for another condition."""
    test = part.this.unnest() if isinstance(part, exp.Not) else part
    is_stated = test is not part and is_null_test(test) and isinstance(test.this, exp.Column)
    return str(test.this.name).lower() if is_stated else None


def without_tables(tree: exp.Expr) -> exp.Expr:
    """Return a copy of *tree* whose columns have no table names."""
    copied = tree.copy()
    for column in copied.find_all(exp.Column):
        column.set("table", None)
    return copied


def write(tree: exp.Expr) -> str:
    """Write *tree* as SQL of DuckDB."""
    return tree.sql(dialect="duckdb")
