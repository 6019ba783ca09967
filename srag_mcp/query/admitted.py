"""Admitted records: those that the conditions of a query do not definitely exclude."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from srag_mcp.query.definite import ALWAYS, columns_of, columns_used, is_definite, make_definite
from srag_mcp.query.trees import parse_query
from srag_mcp.store.selection import any_of, column_readings

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
    if root is None:
        return {}
    known = {"document_id", *(name.lower() for name in columns)}
    admission = _Admission(known, {name.lower() for name in gaps}, columns_used(root))
    return {
        column: any_of([admission.read(parts) for parts in readings])
        for column, readings in column_readings(sql, table, columns).items()
    }


@dataclass(frozen=True, slots=True)
class _Admission:
    known: set[str]
    gaps: set[str]
    used: set[str]
    written: dict[int, str] = field(default_factory=dict)  # of each tree, which columns share

    def read(self, parts: Collection[exp.Expr]) -> str:
        """Write which records *parts* admit; empty where these are all."""
        for part in parts:
            if id(part) not in self.written:
                self.written[id(part)] = self._admit(part)
        kept = dict.fromkeys(self.written[id(part)] for part in parts)
        return " AND ".join(part for part in kept if part != ALWAYS)

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
        if not is_definite(definite) or not columns_of(definite) <= self.known:
            return ALWAYS
        if self._only_says_what_is_used(definite):
            return ALWAYS
        written = f"({definite.sql(dialect='duckdb')})"
        return f"({written} IS NOT FALSE)" if columns_of(definite) & self.gaps else written

    def _only_says_what_is_used(self, tree: exp.Expr) -> bool:
        """Whether it is `price IS NOT NULL`, and the price is used for more."""
        return not columns_used(tree) and bool(columns_of(tree)) and columns_of(tree) <= self.used
