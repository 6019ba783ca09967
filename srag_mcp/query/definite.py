"""Definite conditions: NULL for a record that is not known to meet or to miss them."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from srag_mcp.query.trees import split_and, without_tables

if TYPE_CHECKING:
    from sqlglot import exp

ALWAYS = "true"


def split_definite(condition: exp.Expr | None) -> list[exp.Expr]:
    """Return the parts of *condition* that AND joins, each definite and without table names.

    What makes unknown a yes or a no is taken away: `coalesce(pool, false)` -> `pool`, `pool IS NOT
    TRUE` -> `NOT pool`, `city IS DISTINCT FROM 'Bonn'` -> `city <> 'Bonn'`. `city IS NULL` stays:
    it asks what documents do not say.
    """
    if condition is None:
        return []
    return [_definite(part) for part in split_and(condition)]


def join_definite(parts: Collection[exp.Expr], also: Collection[str] = ()) -> str:
    """Write *parts* as one condition; `true` when there are none.

    `price IS NOT NULL` is left out where another part, or the columns *also*, use the price: who
    asks for prices above 9 wants those that are stated only, but the others may be above 9, too.
    """
    used = {name.lower() for name in also} | used_columns(parts)
    kept = [part for part in parts if not only_says(part, used)]
    return " AND ".join(f"({part.sql(dialect='duckdb')})" for part in kept) or ALWAYS


def used_columns(parts: Collection[exp.Expr]) -> set[str]:
    """Return the columns, in lower case, that *parts* use for more than `price IS NOT NULL`."""
    used = [part for part in parts if _column_not_null(part) is None]
    return {name for part in used for name in columns_of(part)}


def only_says(part: exp.Expr, used: Collection[str]) -> bool:
    """Whether *part* is `price IS NOT NULL`, and the price is among the columns *used*."""
    return _column_not_null(part) in used


def columns_of(tree: exp.Expr) -> set[str]:
    """Return the names of the columns in *tree*, in lower case."""
    from sqlglot import exp

    return {column.name.lower() for column in tree.find_all(exp.Column)}


def write_plain(tree: exp.Expr) -> str:
    """Write *tree* without table names."""
    return without_tables(tree).sql(dialect="duckdb")


def _definite(condition: exp.Expr) -> exp.Expr:
    return without_tables(condition).transform(_leave_unknown)


def _leave_unknown(node: exp.Expr) -> exp.Expr:
    from sqlglot import exp

    found: exp.Expr = node
    if isinstance(node, exp.NullSafeNEQ):
        found = exp.NEQ(this=node.this, expression=node.expression)
    elif isinstance(node, exp.NullSafeEQ):
        found = exp.EQ(this=node.this, expression=node.expression)
    elif isinstance(node, exp.Coalesce) and all(_is_constant(item) for item in node.expressions):
        found = node.this
    elif isinstance(node, exp.Is) and isinstance(node.expression, exp.Boolean):
        found = node.this if node.expression.this else exp.Not(this=exp.paren(node.this))
    return found


def _is_constant(node: exp.Expr) -> bool:
    from sqlglot import exp

    return isinstance(node, exp.Boolean | exp.Literal)


def _column_not_null(part: exp.Expr) -> str | None:
    """Return the column of `column IS NOT NULL`, in lower case."""
    from sqlglot import exp

    test = part.this.unnest() if isinstance(part, exp.Not) else None
    if not isinstance(test, exp.Is) or not isinstance(test.expression, exp.Null):
        return None
    return test.this.name.lower() if isinstance(test.this, exp.Column) else None
