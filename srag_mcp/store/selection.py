"""Which records a query selects: the condition that it puts on the record table.

It serves denominators, bounds and sources. What is built from it runs through the guard, as SQL
from outside does.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(frozen=True, slots=True)
class Selection:
    """How one query reads the record table.

    Attributes:
        where: The condition on single records, as SQL; empty when all records are read, or when the
            query reads the table in several ways.
        counts_records: Whether the result is the number of records that meet the condition.
        aggregate: `("sum", column)` or `("avg", column)` where that is the one result, rounded or
            not; else None.
        definite: *where* and the condition of a FILTER, with `IS DISTINCT FROM` as `<>`: NULL for a
            record that is not known to meet or to miss them; empty when there is no condition, or
            one has a subquery.
    """

    where: str
    counts_records: bool
    definite: str
    aggregate: tuple[str, str] | None = None


ALL_RECORDS = Selection("", counts_records=False, definite="")


def read_selection(sql: str, table: str) -> Selection:
    """Read which records of *table* the statement *sql* selects; all when it cannot be read.

    `SELECT count(*) FROM hotels WHERE pool` -> where `pool`, counts_records True
    """
    from sqlglot import exp

    root = _parse(sql)
    if root is None:
        return ALL_RECORDS
    selects = [item for item in root.find_all(exp.Select) if _reads(item, table)]
    outer = [item for item in selects if not item.find_ancestor(exp.Where, exp.Having, exp.Qualify)]
    if len(outer) != 1:
        return ALL_RECORDS
    output = _output(outer[0]) if outer[0] is root else None
    where = _condition(outer[0])
    conditions = [item for item in (where, _condition(output)) if item is not None]
    if not conditions:
        return replace(ALL_RECORDS, aggregate=_aggregate(output))
    if any(item.find(exp.Select) for item in conditions):
        conditions, output = [], None
    return Selection(
        where="" if where is None else where.sql(dialect="duckdb"),
        counts_records=_counts_records(output),
        definite=_definite(exp.and_(*conditions)) if conditions else "",
        aggregate=_aggregate(output),
    )


def _parse(sql: str) -> exp.Expr | None:
    """Parse *sql*; None when it is empty or cannot be parsed."""
    import sqlglot  # heavy: only when a query was asked

    try:
        return sqlglot.parse_one(sql, read="duckdb") if sql else None
    except (sqlglot.errors.SqlglotError, ValueError, AttributeError, RecursionError):
        return None


def _reads(select: exp.Select, table: str) -> bool:
    from sqlglot import exp

    source = select.args.get("from_")
    if source is None or select.args.get("joins"):
        return False
    return isinstance(source.this, exp.Table) and source.this.name.lower() == table.lower()


def _without_table_names(condition: exp.Expr) -> exp.Expr:
    from sqlglot import exp

    copied = condition.copy()
    if not copied.find(exp.Select):
        for column in copied.find_all(exp.Column):
            column.set("table", None)
    return copied


def _definite(where: exp.Expr) -> str:
    from sqlglot import exp

    def plain(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.NullSafeNEQ):
            return exp.NEQ(this=node.this, expression=node.expression)
        return node

    return where.transform(plain).sql(dialect="duckdb")


def _output(select: exp.Select) -> exp.Expr | None:
    """Return the one function over all records that *select* consists of, unrounded."""
    from sqlglot import exp

    grouped = any(select.args.get(key) for key in ("group", "having", "distinct"))
    if len(select.expressions) != 1 or grouped:
        return None
    output: exp.Expr = select.expressions[0].unalias()
    while isinstance(output, exp.Round | exp.Cast | exp.Paren):
        output = output.this
    return output


def _condition(node: exp.Expr | None) -> exp.Expr | None:
    """Return the condition of a SELECT, or of a FILTER after a function."""
    from sqlglot import exp

    if isinstance(node, exp.Select):
        where = node.args.get("where")
    else:
        where = node.expression if isinstance(node, exp.Filter) else None
    return None if where is None else _without_table_names(where.this)


def _function(output: exp.Expr | None) -> exp.Expr | None:
    from sqlglot import exp

    function: exp.Expr | None = output.this if isinstance(output, exp.Filter) else output
    return function


def _aggregate(output: exp.Expr | None) -> tuple[str, str] | None:
    from sqlglot import exp

    function = _function(output)
    if not isinstance(function, exp.Sum | exp.Avg) or not isinstance(function.this, exp.Column):
        return None
    return ("sum" if isinstance(function, exp.Sum) else "avg", function.this.name)


def _counts_records(output: exp.Expr | None) -> bool:
    """Whether *output* is `count(*)`, or counts what no record lacks."""
    from sqlglot import exp

    function = _function(output)
    if not isinstance(function, exp.Count):
        return False
    counted = function.this
    if isinstance(counted, exp.Column):
        return counted.name.lower() == "document_id"
    return isinstance(counted, exp.Star | exp.Literal)


def column_conditions(sql: str, table: str, columns: Collection[str]) -> dict[str, str]:
    """Return the columns that *sql* uses, each with the condition that the others put on records.

    `SELECT avg(price) FROM hotels WHERE stars > 3` -> `{"price": "(stars > 3)", "stars": ""}`

    What a statement asks of a column does not restrict that column's own count: `stars > 3` is
    decided over all documents that say how many stars. The condition is empty, which means all
    records, where *sql* does not read the table in one way. Conditions with a query of their own
    are left out.
    """
    root = _parse(sql)
    if root is None:
        return {}
    where = _parse(read_selection(sql, table).where)
    parts = [] if where is None else _parts(where)
    return {
        column: _join([part for part in parts if column not in _columns(part, columns)])
        for column in _columns(root, columns)
    }


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


def _join(parts: Sequence[exp.Expr]) -> str:
    return " AND ".join(f"({part.sql(dialect='duckdb')})" for part in parts)


def _parts(where: exp.Expr) -> list[exp.Expr]:
    from sqlglot import exp

    parts = list(where.flatten()) if isinstance(where, exp.And) else [where]
    return [_without_table_names(part) for part in parts if part.find(exp.Query) is None]


def _columns(tree: exp.Expr, columns: Collection[str]) -> list[str]:
    from sqlglot import exp

    names = {name.lower(): name for name in columns}
    used = (names.get(column.name.lower()) for column in tree.find_all(exp.Column))
    return [name for name in dict.fromkeys(used) if name is not None]
