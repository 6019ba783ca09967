"""Queries as sqlglot trees: parsed as the guard parses them, and taken apart.

`exp` is sqlglot's module of expressions, which is heavy: it is imported when a query is read.
"""

from __future__ import annotations

import importlib
import math
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


# 600 conditions: what is worked out of them takes 0.4 s, and a query that is run has 5 s.
_MAX_NODES = 3_000


def parse_query(sql: str) -> exp.Expr | None:
    """Parse *sql* as the guard does; None where sqlglot reads less than DuckDB.

    So it is where a query has no end, or is longer than anybody writes one: with the CTEs put where
    they are read, each of which may read the one before it twice.
    """
    try:
        tree = parse_statement(sql)
    except (UnreadableError, RefusedQueryError):
        return None
    return tree if _count_nodes(tree, {}) <= _MAX_NODES else None


def _count_nodes(tree: exp.Expr, counted: dict[int, float]) -> float:
    """Count the parts of *tree* with those of the CTEs that it reads; infinite in a circle."""
    total = 0.0
    for node in tree.walk():
        total += 1
        query = inner_query(node) if isinstance(node, exp.Table) else None
        if query is not None and id(query) not in counted:
            counted[id(query)] = math.inf  # while it is counted
            counted[id(query)] = _count_nodes(query, counted)
        total += 0 if query is None else counted[id(query)]
        if total > _MAX_NODES:
            return math.inf
    return total


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
    for part in unwrapped.flatten() if isinstance(unwrapped, exp.And) else ():
        yield from split_and(part)
    if not isinstance(unwrapped, exp.And):
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
    """Return the query that *source* of a FROM stands for; None for a table.

    A CTE is seen by those after it, by itself where it is recursive, and by the query below.
    """
    if isinstance(source, exp.Subquery):
        return source.unnest()
    if not isinstance(source, exp.Table) or not isinstance(source.this, exp.Identifier):
        return None
    own, node = None, source.parent
    while node is not None:
        own = node if isinstance(node, exp.CTE) else own
        with_ = node.args.get("with_")
        seen = [] if with_ is None else with_.expressions
        if own in seen and with_ is not None and not with_.recursive:
            seen = seen[: seen.index(own)]
        for item in seen:
            if item.alias_or_name.lower() == source.name.lower():
                found: exp.Expr = item.this
                return found
        node = node.parent
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


def first_ranked(select: exp.Select) -> tuple[exp.Ordered, exp.Literal] | None:
    """Return by what the first groups of *select* are ranked, and how many it takes.

    `… QUALIFY rank() OVER (ORDER BY count(*) DESC) = 1`, `… ORDER BY 2 DESC LIMIT 1`
    """
    qualify, limit, order = (select.args.get(name) for name in ("qualify", "limit", "order"))
    wanted = None if limit is None else limit.expression
    if qualify is not None and (
        limit is not None or not isinstance(qualify.this, exp.EQ | exp.LTE)
    ):
        return None
    if qualify is not None:
        rank, wanted = qualify.this.this, qualify.this.expression
        is_rank = isinstance(rank, exp.Window) and isinstance(rank.this, exp.Rank)
        order = rank.args.get("order") if is_rank and not rank.args.get("partition_by") else None
    if order is None or not isinstance(wanted, exp.Literal) or select.args.get("offset"):
        return None
    ranked: exp.Ordered = order.expressions[0].copy()
    named = {item.alias.lower(): item.unalias() for item in select.selects if item.alias}
    place = (
        int(ranked.this.name) if isinstance(ranked.this, exp.Literal) and ranked.this.is_int else 0
    )
    if 0 < place <= len(select.selects):
        ranked.set("this", select.selects[place - 1].unalias().copy())
    elif ranked.this.name.lower() in named:
        ranked.set("this", named[ranked.this.name.lower()].copy())
    return ranked, wanted


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
