"""Roles of columns in a query that somebody else wrote: measured, filtered, grouped, put out."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from srag_mcp.query.trees import parse_query
from srag_mcp.schema.translation import ColumnUse, Role

if TYPE_CHECKING:
    from sqlglot import exp


def find_column_uses(sql: str, columns: Collection[str]) -> tuple[ColumnUse, ...]:
    """Return the *columns* that *sql* uses, each once a role, in the order of the text.

    `SELECT avg(price) FROM hotels WHERE stars > 3` -> price as measure, stars as filter
    """
    from sqlglot import exp

    root = parse_query(sql)
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

    root = parse_query(sql)
    if not isinstance(root, exp.Select) or len(root.expressions) != 1:
        return None
    output = _unwrapped(root.expressions[0])
    keeping = (exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Median, exp.Quantile, exp.PercentileCont)
    if isinstance(output, keeping):
        output = output.this
    by_name = {name.lower(): name for name in columns}
    return by_name.get(output.name.lower()) if isinstance(output, exp.Column) else None


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """A column whose values a query puts out; *is_extreme*: the highest or the lowest of them."""

    column: str
    is_extreme: bool = False


def find_output_columns(sql: str, columns: Collection[str]) -> tuple[OutputColumn | None, ...]:
    """Return which of *columns* each output of *sql* has values of; None for what is computed.

    `SELECT city, max(price), count(*) FROM hotels GROUP BY city` -> city, price (extreme), None
    """
    from sqlglot import exp

    root = parse_query(sql)
    if not isinstance(root, exp.Select):
        return ()
    computed = {item.alias.lower() for item in root.find_all(exp.Alias) if not _is_renamed(item)}
    by_name = {name.lower(): name for name in columns if name.lower() not in computed}
    found: list[OutputColumn | None] = []
    for output in root.expressions:
        plain = _unwrapped(output)
        is_extreme = isinstance(plain, exp.Min | exp.Max)
        value = plain.this if is_extreme else plain
        name = by_name.get(value.name.lower()) if isinstance(value, exp.Column) else None
        found.append(None if name is None else OutputColumn(name, is_extreme))
    return tuple(found)


def _unwrapped(output: exp.Expr) -> exp.Expr:
    """Take away the alias, brackets and FILTER of an output."""
    from sqlglot import exp

    node: exp.Expr = output.unalias().unnest()
    return node.this if isinstance(node, exp.Filter) else node


def _is_renamed(alias: exp.Expr) -> bool:
    """Whether an alias is another name, and not one that hides a column of that name."""
    from sqlglot import exp

    column = alias.this
    return isinstance(column, exp.Column) and column.name.lower() == alias.alias.lower()


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
