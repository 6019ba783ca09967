"""Grounding: whether what a query puts out depends on what the records hold.

A model could write its answer into the query: `SELECT 'four lanes' FROM bridges` runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from srag_mcp.sqlfacts.trees import exp, inner_query, sources_of, write


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


def reads_tables(root: exp.Expr | None) -> bool:
    """Whether a query takes anything out of a table: a column, or the number of its rows.

    `SELECT 42` and `SELECT 42 FROM hotels` do not: such an answer would come from no document.
    """
    if root is None:
        return True  # the guard has run it: it is for others to say what it reads
    tables = [item for item in root.find_all(exp.Table) if inner_query(item) is None]
    return bool(tables) and root.find(exp.Column, exp.Star, exp.Count) is not None


def find_ungrounded(root: exp.Expr | None) -> tuple[str, ...]:
    """Return the outputs of a query that would be the same whatever the records held.

    `SELECT 42 + 0 * count(*) FROM ships` -> `42 + 0 * COUNT(*)`. The name of a group may be written
    in a query, beside what is counted in it: `SELECT 'Malta', count(*) … WHERE flag = 'Malta'`.
    """
    outputs = [] if root is None else _Grounding().outputs(root)
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
        if id(query) in self._known:
            return self._known[id(query)]
        self._known[id(query)] = found = []
        plain = query.unnest()
        if isinstance(plain, exp.SetOperation):  # the rows of both are put together
            for one, other in zip(
                self.outputs(plain.left), self.outputs(plain.right), strict=False
            ):
                ground = max(one.ground, other.ground, _Ground.LABEL)
                found.append(_Output(one.name, one.sql, ground))
        elif isinstance(plain, exp.Select):
            for item in plain.selects:
                found += self._star(plain) if item.is_star else [self._output(item, plain)]
        return found

    def _output(self, item: exp.Expr, select: exp.Select) -> _Output:
        value = item.unalias()
        ground = self._ground(value)
        where = select.args.get("where")
        compared = (
            [] if where is None else [literal.this for literal in where.find_all(exp.Literal)]
        )
        if ground == _Ground.NOTHING and isinstance(value, exp.Literal) and value.this in compared:
            ground = _Ground.LABEL  # it is what was asked for
        return _Output(item.alias_or_name.lower(), write(value), ground)

    def _star(self, select: exp.Select) -> list[_Output]:
        found: list[_Output] = []
        for source in sources_of(select):
            inner = inner_query(source)
            outputs = [] if inner is None else self.outputs(inner)
            found += outputs or [_Output("", "*", _ground_of_source(source))]
        return found

    def _ground(self, node: exp.Expr) -> _Ground:
        """Return what the value of *node* depends on."""
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
        select = column.find_ancestor(exp.Select)
        while isinstance(select, exp.Select):
            grounds: list[_Ground] = []
            for source in sources_of(select):
                if column.table and source.alias_or_name.lower() != column.table.lower():
                    continue
                inner = inner_query(source)
                outputs = [] if inner is None else self.outputs(inner)
                grounds += [item.ground for item in outputs if item.name == column.name.lower()]
                grounds += [_ground_of_source(source)] if inner is None else []
            if grounds:
                return max(grounds)
            select = select.find_ancestor(exp.Select)
        return _Ground.RECORDS


def _ground_of_source(source: exp.Expr) -> _Ground:
    """Tell the tables of a build from rows that are written in the query."""
    is_table = isinstance(source, exp.Table) and isinstance(source.this, exp.Identifier)
    return _Ground.RECORDS if is_table else _Ground.LABEL


def _is_constant(node: exp.Expr) -> bool:
    """Whether arithmetic takes the records out of *node*: `0 * x`, `x - x`, `sum(0)`."""
    if isinstance(node, exp.Mul):
        return _is_zero(node.left) or _is_zero(node.right)
    if isinstance(node, exp.Sum):
        return _is_zero(node.this)
    return isinstance(node, exp.Sub) and node.left == node.right


def _is_zero(node: exp.Expr) -> bool:
    plain = node.unnest()
    return isinstance(plain, exp.Literal) and not plain.is_string and float(plain.this) == 0
