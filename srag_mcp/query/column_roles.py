"""Roles of columns in a query that somebody else wrote: measured, filtered, grouped, ordered."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from srag_mcp.schema.translation import ColumnUse, Role

if TYPE_CHECKING:
    from sqlglot import exp


def find_column_uses(sql: str, columns: Collection[str]) -> tuple[ColumnUse, ...]:
    """Return the *columns* that *sql* uses, each once a role, in the order of the text.

    `SELECT avg(price) FROM hotels WHERE stars > 3` -> price as measure, stars as filter
    """
    from sqlglot import exp

    root = _parse(sql)
    if root is None:
        return ()
    by_name = {name.lower(): name for name in columns}
    uses: dict[ColumnUse, None] = {}
    for node in root.find_all(exp.Column):
        name = by_name.get(node.name.lower())
        if name is not None:
            uses[ColumnUse(name, _role(node))] = None
    return tuple(uses)


def find_measured_column(sql: str, columns: Collection[str]) -> str | None:
    """Return the column whose unit the one output of *sql* has; None if there is none such.

    `SELECT avg(price) …` and `SELECT price …` -> price; `SELECT count(*) …`, quotients -> None
    """
    from sqlglot import exp

    root = _parse(sql)
    if not isinstance(root, exp.Select) or len(root.expressions) != 1:
        return None
    output = root.expressions[0].unalias().unnest()
    keeping = (exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Median, exp.Quantile, exp.PercentileCont)
    if isinstance(output, keeping):
        output = output.this
    by_name = {name.lower(): name for name in columns}
    return by_name.get(output.name.lower()) if isinstance(output, exp.Column) else None


def reads_records(sql: str) -> bool:
    """Whether *sql* takes anything out of a table: a column, or the number of its rows.

    `SELECT 42` and `SELECT 42 FROM hotels` do not: such an answer would come from no document.
    """
    from sqlglot import exp

    root = _parse(sql)
    if root is None:
        return True  # the guard has run it: it is for others to say what it reads
    named = {item.alias_or_name.lower() for item in root.find_all(exp.CTE)}
    tables = [item for item in root.find_all(exp.Table) if item.name.lower() not in named]
    return bool(tables) and root.find(exp.Column, exp.Star, exp.Count) is not None


def _parse(sql: str) -> exp.Expr | None:
    import sqlglot  # heavy: only when a question was asked

    try:
        return sqlglot.parse_one(sql, read="duckdb")
    except (sqlglot.errors.SqlglotError, ValueError, RecursionError):
        return None


def _role(node: exp.Column) -> Role:
    """Return what the nearest clause or function around *node* makes of it."""
    from sqlglot import exp

    roles: tuple[tuple[type[exp.Expr], Role], ...] = (
        (exp.Where, "filter"),
        (exp.Having, "filter"),
        (exp.Group, "group"),
        (exp.Order, "order"),
        (exp.AggFunc, "measure"),
        (exp.Select, "output"),
    )
    parent = node.parent
    while parent is not None:
        for kind, role in roles:
            if isinstance(parent, kind):
                return role
        parent = parent.parent
    return "output"
