"""Conditions of a query on single records, wherever they stand in it.

In WHERE, HAVING and QUALIFY, in a FILTER, in the ON of a join, in a CASE, in a CTE or a subquery.
What compares groups, other tables, or one record with another is none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from srag_mcp.query.trees import parse_query, split_and, without_tables

if TYPE_CHECKING:
    from sqlglot import exp

# Tables of a build that may be joined; their columns are not those of the records.
_OTHER_TABLES = frozenset({"documents", "cells"})


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on single records.

    Attributes:
        sql: As SQL, without table names.
        columns: The columns of the records in it, as the schema names them.
        texts: Its text literals.
    """

    sql: str
    columns: tuple[str, ...]
    texts: tuple[str, ...]


def find_conditions(sql: str, columns: Collection[str]) -> tuple[Condition, ...]:
    """Return the conditions of *sql* on *columns* of the records, those joined by AND apart.

    `SELECT count(*) FILTER (crew > 9) FROM ships WHERE flag = 'Malta' AND NOT crane` ->
    `crew > 9`, `flag = 'Malta'`, `NOT crane`
    """
    clauses = find_joined_conditions(sql, columns)
    return tuple(dict.fromkeys(item for clause in clauses for item in clause))


def find_joined_conditions(sql: str, columns: Collection[str]) -> tuple[tuple[Condition, ...], ...]:
    """Return what `find_conditions` does, by clause: those that a record has to meet together."""
    root = parse_query(sql)
    if root is None:
        return ()
    return tuple(_on_records(root, list(split_and(item)), columns) for item in _clauses(root))


def find_comparisons(sql: str, columns: Collection[str]) -> tuple[Condition, ...]:
    """Return each comparison of *columns* with a text in *sql*, as one that wants the text.

    `SELECT 1 FROM ships WHERE NOT (crew > 9 OR flag IN ('Malta', 'Peru')) AND port <> 'Bonn'` ->
    `flag = 'Malta'`, `flag = 'Peru'`, `port = 'Bonn'`
    """
    root = parse_query(sql)
    if root is None:
        return ()
    found = _on_records(root, list(_comparisons(root)), columns)
    return tuple(item for item in found if item.texts)


def find_open_lists(sql: str) -> tuple[str, ...]:
    """Return the columns that a NOT IN takes its list from, unless it leaves unknowns out.

    `… WHERE flag NOT IN (SELECT flag FROM ships WHERE crew > 9)` -> `("flag",)`
    """
    from sqlglot import exp

    root = parse_query(sql)
    if root is None:
        return ()
    lists = [
        item.this.args["query"].unnest()
        for item in root.find_all(exp.Not)
        if isinstance(item.this, exp.In) and item.this.args.get("query") is not None
    ]
    found = {
        column.name: None
        for query in lists
        if isinstance(query, exp.Select)
        for column in query.selects
        if isinstance(column, exp.Column) and not _leaves_unknowns_out(query, column.name)
    }
    return tuple(found)


def _leaves_unknowns_out(query: exp.Select, name: str) -> bool:
    from sqlglot import exp

    where = query.args.get("where")
    parts = split_and(where.this) if where is not None else ()
    return any(
        column.name == name
        for part in parts
        if not isinstance(part, exp.Is)  # `name IS NULL`
        for column in part.find_all(exp.Column)
    )


def _clauses(root: exp.Expr) -> Iterator[exp.Expr]:
    from sqlglot import exp

    kinds = (exp.Where, exp.Having, exp.Qualify, exp.If, exp.CountIf, exp.LogicalOr)
    for node in root.find_all(*kinds, exp.Join):
        clause = node.args.get("on") if isinstance(node, exp.Join) else node.this
        if isinstance(clause, exp.Expr):
            yield clause


def _comparisons(root: exp.Expr) -> Iterator[exp.Expr]:
    from sqlglot import exp

    equal = (exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ)
    like = (exp.Like, exp.ILike, exp.RegexpLike, exp.Contains, exp.StartsWith, exp.EndsWith)
    for node in root.find_all(*equal, *like, exp.In):
        if isinstance(node, exp.In):
            wanted = [item for item in node.expressions if item.is_string]
            yield from (_with_parent(exp.EQ, node, item) for item in wanted)
        elif isinstance(node, equal):
            yield _with_parent(exp.EQ, node, node.expression)
        else:
            yield _with_parent(type(node), node, node.expression)


def _with_parent(kind: type[exp.Expr], node: exp.Expr, wanted: exp.Expr) -> exp.Expr:
    """Make a comparison that stands where *node* stands, so that its tables can be told."""
    comparison = kind(this=node.this.copy(), expression=wanted.copy())
    comparison.parent = node.parent
    return comparison


def _on_records(
    root: exp.Expr, parts: Collection[exp.Expr], columns: Collection[str]
) -> tuple[Condition, ...]:
    from sqlglot import exp

    computed = {
        item.alias.lower()
        for item in root.find_all(exp.Alias)
        if not isinstance(item.this, exp.Column) or item.this.name.lower() != item.alias.lower()
    }
    names = {name.lower(): name for name in columns if name.lower() not in computed}
    found = [_condition(part, names) for part in parts]
    return tuple(dict.fromkeys(item for item in found if item is not None))


def _condition(part: exp.Expr, names: Mapping[str, str]) -> Condition | None:
    from sqlglot import exp

    used = list(part.find_all(exp.Column))
    known = [names[column.name.lower()] for column in used if column.name.lower() in names]
    qualifiers = {column.table.lower() for column in used}
    on_one_record = len(known) == len(used) > 0 and len(qualifiers) == 1
    if not on_one_record or part.find(exp.Query, exp.AggFunc, exp.Window) is not None:
        return None
    if _of_other_table(part, qualifiers.pop()):
        return None
    plain = without_tables(part)
    texts = [str(item.this) for item in plain.find_all(exp.Literal) if item.is_string]
    return Condition(
        plain.sql(dialect="duckdb"), tuple(dict.fromkeys(known)), tuple(dict.fromkeys(texts))
    )


def _of_other_table(part: exp.Expr, qualifier: str) -> bool:
    """Whether the columns of *part* are those of a table beside the records."""
    from sqlglot import exp

    select = part.find_ancestor(exp.Select)
    while isinstance(select, exp.Select):
        joins = select.args.get("joins") or []
        sources = [item.this for item in (select.args.get("from_"), *joins) if item is not None]
        tables = [item for item in sources if isinstance(item, exp.Table)]
        meant = [item for item in tables if qualifier in {"", item.alias_or_name.lower()}]
        if meant or not qualifier:
            return bool(meant) and all(item.name.lower() in _OTHER_TABLES for item in meant)
        select = select.find_ancestor(exp.Select)
    return False
