"""Grounding: whether what a query puts out depends on what the records hold.

A model could write its answer into the query: `SELECT 'four lanes' FROM bridges` runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from srag_mcp.query.trees import parse_query

if TYPE_CHECKING:
    from sqlglot import exp


class _Ground(IntEnum):
    """What a value depends on.

    Attributes:
        NOTHING: It is written in the query.
        LABEL: So it is, but as one of several rows, or as what a condition compares with.
        RECORDS: It would be another if the records were.
    """

    NOTHING = 0
    LABEL = 1
    RECORDS = 2


@dataclass(frozen=True, slots=True)
class _Output:
    name: str
    sql: str
    ground: _Ground


def reads_records(sql: str) -> bool:
    """Whether *sql* takes anything out of a table: a column, or the number of its rows.

    `SELECT 42` and `SELECT 42 FROM hotels` do not: such an answer would come from no document.
    """
    from sqlglot import exp

    root = parse_query(sql)
    if root is None:
        return True  # the guard has run it: it is for others to say what it reads
    named = {item.alias_or_name.lower() for item in root.find_all(exp.CTE)}
    tables = [item for item in root.find_all(exp.Table) if item.name.lower() not in named]
    return bool(tables) and root.find(exp.Column, exp.Star, exp.Count) is not None


def find_ungrounded(sql: str) -> tuple[str, ...]:
    """Return the outputs of *sql* that would be the same whatever the records held.

    `SELECT 42 + 0 * count(*) FROM ships` -> `42 + 0 * COUNT(*)`. The name of a group may be written
    in a query, beside what is counted in it: `SELECT 'Malta', count(*) … WHERE flag = 'Malta'`.
    """
    root = parse_query(sql)
    if root is None:
        return ()
    outputs = _Grounding().outputs(root)
    least = _Ground.LABEL if any(o.ground == _Ground.RECORDS for o in outputs) else _Ground.RECORDS
    return tuple(output.sql for output in outputs if output.ground < least)


class _Grounding:
    """Looks into the queries of one tree, into each once."""

    def __init__(self) -> None:
        self._known: dict[int, list[_Output]] = {}

    def outputs(self, query: exp.Expr) -> list[_Output]:
        """Return what *query* puts out; nothing while it is looked into, as where it is recursive.

        `*` of a table is one output.
        """
        from sqlglot import exp

        if id(query) in self._known:
            return self._known[id(query)]
        self._known[id(query)] = found = []
        plain = query.unnest()
        if isinstance(plain, exp.SetOperation):
            sides = (self.outputs(plain.left), self.outputs(plain.right))
            found += [_merge(*pair) for pair in zip(*sides, strict=False)]
        elif isinstance(plain, exp.Select):
            for item in plain.expressions:
                found += self._star(plain) if item.is_star else [self._output(item, plain)]
        return found

    def _output(self, item: exp.Expr, select: exp.Expr) -> _Output:
        value = item.unalias()
        ground = self._ground(value)
        if ground == _Ground.NOTHING and _is_compared(value, select):
            ground = _Ground.LABEL
        return _Output(item.alias_or_name.lower(), value.sql(dialect="duckdb"), ground)

    def _star(self, select: exp.Expr) -> list[_Output]:
        found: list[_Output] = []
        for source in _sources(select):
            inner = _inner_query(source)
            outputs = [] if inner is None else self.outputs(inner)
            found += outputs or [_Output("", "*", _ground_of_source(source))]
        return found

    def _ground(self, node: exp.Expr) -> _Ground:
        """Return what the value of *node* depends on."""
        from sqlglot import exp

        if isinstance(node, exp.Column):
            return self._ground_of_column(node)
        if _is_constant(node):
            return _Ground.NOTHING
        counting = (exp.Count, exp.CountIf, exp.Sum, exp.RowNumber, exp.Exists)
        if isinstance(node, (*counting, exp.Star, exp.Columns)):
            return _Ground.RECORDS
        if isinstance(node, exp.Query):
            grounds = [output.ground for output in self.outputs(node)]
        else:  # whom a FILTER leaves out changes no constant
            parts = [node.this] if isinstance(node, exp.Filter) else node.iter_expressions()
            grounds = [self._ground(part) for part in parts]
        return max(grounds, default=_Ground.NOTHING)

    def _ground_of_column(self, column: exp.Column) -> _Ground:
        """Look *column* up in what the queries around it read from."""
        from sqlglot import exp

        select = column.find_ancestor(exp.Select)
        while isinstance(select, exp.Select):
            grounds: list[_Ground] = []
            for source in _sources(select):
                if column.table and source.alias_or_name.lower() != column.table.lower():
                    continue
                inner = _inner_query(source)
                if inner is None:
                    grounds.append(_ground_of_source(source))
                    continue
                outputs = self.outputs(inner)
                grounds += [item.ground for item in outputs if item.name == column.name.lower()]
            if grounds:
                return max(grounds)
            select = select.find_ancestor(exp.Select)
        return _Ground.RECORDS


def _merge(first: _Output, second: _Output) -> _Output:
    """Make one output of those of two queries whose rows are put together."""
    return _Output(first.name, first.sql, max(first.ground, second.ground, _Ground.LABEL))


def _sources(select: exp.Expr) -> Sequence[exp.Expr]:
    joins = select.args.get("joins") or []
    return [item.this for item in (select.args.get("from_"), *joins) if item is not None]


def _inner_query(source: exp.Expr) -> exp.Expr | None:
    """Return the query that *source* of a FROM stands for; None for a table."""
    from sqlglot import exp

    if isinstance(source, exp.Subquery):
        return source.unnest()
    if not isinstance(source, exp.Table):
        return None
    for item in source.root().find_all(exp.CTE):
        if item.alias_or_name.lower() == source.name.lower() and isinstance(item.this, exp.Expr):
            return item.this
    return None


def _ground_of_source(source: exp.Expr) -> _Ground:
    """Tell the tables of a build from rows that are written in the query."""
    from sqlglot import exp

    is_table = isinstance(source, exp.Table) and isinstance(source.this, exp.Identifier)
    return _Ground.RECORDS if is_table else _Ground.LABEL


def _is_compared(value: exp.Expr, select: exp.Expr) -> bool:
    """Whether a condition of *select* compares something with *value*: it is what was asked for."""
    from sqlglot import exp

    where = select.args.get("where")
    if where is None or not isinstance(value, exp.Literal):
        return False
    return any(item.this == value.this for item in where.find_all(exp.Literal))


def _is_constant(node: exp.Expr) -> bool:
    """Whether arithmetic takes the records out of *node*: `0 * x`, `x - x`, `sum(0)`."""
    from sqlglot import exp

    if isinstance(node, exp.Mul):
        return _is_zero(node.left) or _is_zero(node.right)
    if isinstance(node, exp.Sum):
        return _is_zero(node.this)
    return isinstance(node, exp.Sub) and node.left == node.right


def _is_zero(node: exp.Expr) -> bool:
    from sqlglot import exp

    plain = node.unnest()
    return isinstance(plain, exp.Literal) and not plain.is_string and float(plain.this) == 0
