"""Admitted records: those that the conditions of a query do not definitely exclude."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from srag_mcp.query.definite import ALWAYS, columns_of, columns_used, is_definite, make_definite
from srag_mcp.query.trees import parse_query
from srag_mcp.store.selection import column_conditions

if TYPE_CHECKING:
    from sqlglot import exp


def admitting_conditions(
    sql: str, table: str, columns: Collection[str], gaps: Collection[str]
) -> dict[str, str]:
    """Return the columns that *sql* uses, each with which records the other conditions admit.

    `SELECT avg(price) FROM hotels WHERE stars > 3` -> `{"price": "stars > 3 IS NOT FALSE", "stars":
    ""}` where *gaps*, the columns that some records do not say, has the stars

    A record of which it is not known whether it meets a condition is admitted. The condition is
    empty, which means all records, where nothing is excluded or it cannot be told.
    """
    root = parse_query(sql)
    conditions = column_conditions(sql, table, columns)
    if root is None:
        return conditions
    reader = _Admission({name.lower() for name in gaps}, columns_used(root))
    return {name: reader.read(condition) for name, condition in conditions.items()}


@dataclass(frozen=True, slots=True)
class _Admission:
    gaps: set[str]
    used: set[str]

    def read(self, condition: str) -> str:
        """Write *condition* so that it admits what is not known; empty where it admits all."""
        root = parse_query(f"SELECT 1 WHERE {condition}") if condition else None
        found = ALWAYS if root is None else self._admit(root.args["where"].this)
        return "" if found == ALWAYS else found

    def _admit(self, tree: exp.Expr) -> str:
        """Write what is not false, which of AND and OR is the same of each side."""
        from sqlglot import exp

        tree = tree.unnest()
        if isinstance(tree, exp.And):
            sides = {self._admit(item): None for item in (tree.left, tree.right)}
            return " AND ".join(side for side in sides if side != ALWAYS) or ALWAYS
        if isinstance(tree, exp.Or):
            sides = {self._admit(item): None for item in (tree.left, tree.right)}
            return ALWAYS if ALWAYS in sides else f"({' OR '.join(sides)})"
        definite = make_definite(tree)
        if not is_definite(definite) or self._only_says_what_is_used(definite):
            return ALWAYS
        written = f"({definite.sql(dialect='duckdb')})"
        return f"({written} IS NOT FALSE)" if columns_of(definite) & self.gaps else written

    def _only_says_what_is_used(self, tree: exp.Expr) -> bool:
        """Whether it is `price IS NOT NULL`, and the price is used for more."""
        return not columns_used(tree) and bool(columns_of(tree)) and columns_of(tree) <= self.used
