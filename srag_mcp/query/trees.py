"""Queries as sqlglot trees: parsed, and their conditions taken apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from srag_mcp.errors import RefusedQueryError
from srag_mcp.store.guard.second_opinion import UnreadableError, parse_statement

if TYPE_CHECKING:
    from sqlglot import exp


def parse_query(sql: str) -> exp.Expr | None:
    """Parse *sql* as the guard does; None when it cannot be parsed."""
    try:
        return parse_statement(sql)
    except (UnreadableError, RefusedQueryError):
        return None


def split_and(condition: exp.Expr) -> Iterator[exp.Expr]:
    """Yield what AND joins in *condition*, also within brackets: `a AND (b AND c)` -> a, b, c."""
    from sqlglot import exp

    unwrapped = condition.unnest()
    if isinstance(unwrapped, exp.And):
        yield from split_and(unwrapped.left)
        yield from split_and(unwrapped.right)
    else:
        yield unwrapped


def without_tables(tree: exp.Expr) -> exp.Expr:
    """Return a copy of *tree* whose columns have no table names."""
    from sqlglot import exp

    copied = tree.copy()
    for column in copied.find_all(exp.Column):
        column.set("table", None)
    return copied
