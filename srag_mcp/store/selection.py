"""Which records a query selects: the condition that it puts on the record table.

It serves denominators, bounds and sources. What is built from it runs through the guard, as SQL
from outside does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from srag_mcp.errors import RefusedQueryError
from srag_mcp.store.guard.second_opinion import UnreadableError, parse_statement

if TYPE_CHECKING:
    from sqlglot import exp


def read_condition(sql: str, table: str) -> str | None:
    """Return which records of *table* the statement *sql* reads, as a condition on single records.

    `SELECT count(*) FROM hotels AS h WHERE h.pool` -> `pool`

    Records that any part of the statement reads, where there are several: the two groups of a
    difference, what each FILTER keeps. Empty for all records; None where it cannot be told, because
    the table is joined or not read, or *sql* cannot be read.
    """
    root = _parse(sql)
    readings = [] if root is None else _readings(root, table)
    return any_of([_join(parts) for parts in readings]) if readings else None


def any_of(conditions: Collection[str]) -> str:
    """Join *conditions* with OR; empty, which means all records, where one of them is."""
    different = list(dict.fromkeys(conditions))
    if len(different) < 2:
        return "".join(different)
    return "" if "" in different else " OR ".join(f"({condition})" for condition in different)


def _parse(sql: str) -> exp.Expr | None:
    """Parse *sql*; None when it is empty or cannot be parsed."""
    try:
        return parse_statement(sql) if sql else None
    except (UnreadableError, RefusedQueryError):
        return None


def _readings(root: exp.Expr, table: str) -> list[list[exp.Expr]]:
    """Return what each part of *root* that reads *table* asks of a record, joined by AND.

    What is read only for a condition, such as the maximum of a superlative, is no part. None at all
    where the table is joined: then no condition of single records selects.
    """
    from sqlglot import exp

    selects = [item for item in root.find_all(exp.Select) if _reads(item, table)]
    outer = [item for item in selects if not item.find_ancestor(exp.Where, exp.Having, exp.Qualify)]
    if any(item.args.get("joins") for item in outer):
        return []
    return [parts for item in outer for parts in _readings_of(item)]


def _reads(select: exp.Select, table: str) -> bool:
    from sqlglot import exp

    joins = select.args.get("joins") or []
    sources = [item.this for item in (select.args.get("from_"), *joins) if item is not None]
    tables = [item for item in sources if isinstance(item, exp.Table)]
    return any(item.name.lower() == table.lower() for item in tables)


def _readings_of(select: exp.Select) -> Iterator[list[exp.Expr]]:
    """Read the condition of *select*, with that of each function where all have a FILTER."""
    from sqlglot import exp

    where = _parts(select.args.get("where"))
    functions = [
        node
        for output in select.expressions
        for node in output.find_all(exp.AggFunc)
        if node.find_ancestor(exp.Select) is select
    ]
    filters = [node.parent for node in functions if isinstance(node.parent, exp.Filter)]
    over_rows = any(output.find(exp.Window) for output in select.expressions)
    if not filters or len(filters) < len(functions) or over_rows:
        yield where
        return
    for found in filters:
        yield where + _parts(found.expression)


def _parts(clause: exp.Expr | None) -> list[exp.Expr]:
    """Return what AND joins in a clause, without the name of the table.

    A part whose own query asks for the outer record is left out: it cannot stand elsewhere.
    """
    from sqlglot import exp

    if clause is None:
        return []
    condition = clause.this.unnest()
    parts = list(condition.flatten()) if isinstance(condition, exp.And) else [condition]
    plain = (_without_table_names(part.unnest(), clause) for part in parts)
    return [part for part in plain if part is not None]


def _without_table_names(part: exp.Expr, clause: exp.Expr) -> exp.Expr | None:
    from sqlglot import exp

    select = clause.find_ancestor(exp.Select)
    outer = "" if select is None else select.args["from_"].this.alias_or_name.lower()
    copied = part.copy()
    for column in copied.find_all(exp.Column):
        inner = column.find_ancestor(exp.Select)
        if inner is None:
            column.set("table", None)
        elif column.table.lower() == outer and outer not in _names(inner):
            return None
    return copied


def _names(select: exp.Select) -> list[str]:
    from sqlglot import exp

    return [item.alias_or_name.lower() for item in select.find_all(exp.Table)]


def column_conditions(sql: str, table: str, columns: Collection[str]) -> dict[str, str]:
    """Return the columns that *sql* uses, each with the condition that the others put on records.

    `SELECT avg(price) FROM hotels WHERE stars > 3` -> `{"price": "(stars > 3)", "stars": ""}`

    What a statement asks of a column does not restrict that column's own count: `stars > 3` is
    decided over all documents that say how many stars. The condition is empty, which means all
    records, where *sql* does not read the table in one way. Conditions with a query of their own
    are left out.
    """
    found = column_readings(sql, table, columns)
    return {
        column: any_of([_join(parts) for parts in readings]) for column, readings in found.items()
    }


def column_readings(
    sql: str, table: str, columns: Collection[str]
) -> dict[str, list[list[exp.Expr]]]:
    """Return for each column the conditions of `column_conditions`, apart.

    One list for each part of *sql* that reads the table: a record counts that meets all of one
    list. A condition is the same tree in all lists that have it.
    """
    root = _parse(sql)
    if root is None:
        return {}
    readings = [
        [(part, _columns(part, columns)) for part in parts if not _has_query(part)]
        for parts in _readings(root, table)
    ]
    return {
        column: [[part for part, used in parts if column not in used] for parts in readings]
        for column in _columns(root, columns)
    }


def columns_in(sql: str, columns: Collection[str]) -> list[str]:
    """Return which of *columns* the statement *sql* uses, in the order of the text."""
    root = _parse(sql)
    return [] if root is None else _columns(root, columns)


def _has_query(part: exp.Expr) -> bool:
    from sqlglot import exp

    return part.find(exp.Query) is not None


def compared_texts(sql: str, columns: Collection[str]) -> list[tuple[str, str]]:
    """Return the texts that *sql* wants to be equal to one of *columns*, in their order.

    `SELECT 1 FROM hotels WHERE city IN ('Rome', 'Bonn')` -> `[("city", "Rome"), ("city", "Bonn")]`
    """
    from sqlglot import exp

    root = _parse(sql)
    if root is None:
        return []
    names = {name.lower(): name for name in columns}
    found = []
    for node in root.find_all(exp.EQ, exp.In):
        column = node.this.name.lower() if isinstance(node.this, exp.Column) else ""
        wanted = [node.expression] if isinstance(node, exp.EQ) else node.expressions
        found += [
            (names[column], item.this) for item in wanted if item.is_string and column in names
        ]
    return list(dict.fromkeys(found))


def _join(parts: Collection[exp.Expr]) -> str:
    return " AND ".join(f"({part.sql(dialect='duckdb')})" for part in parts)


def _columns(tree: exp.Expr, columns: Collection[str]) -> list[str]:
    from sqlglot import exp

    names = {name.lower(): name for name in columns}
    used = (names.get(column.name.lower()) for column in tree.find_all(exp.Column))
    return [name for name in dict.fromkeys(used) if name is not None]
