"""Which records a query reads: the conditions that each part of it puts on the table.

They serve denominators, bounds and sources. What is built from them runs through the guard, as SQL
from outside does.
"""

from __future__ import annotations

from collections.abc import Collection

from srag_mcp.sqlfacts.trees import exp, inner_query, sources_of, where_of, write

_UNREADABLE = "it could not be taken apart"


class UncountedError(Exception):
    """It cannot be told which records a query reads; the text says why."""


def read_records(
    root: exp.Expr | None, table: str, columns: Collection[str]
) -> list[list[exp.Expr]]:
    """Return what each part of *root* that reads *table* asks of a record, joined by AND.

    The two groups of a difference are parts, and what each FILTER keeps. What is read only for a
    condition, such as the maximum of a superlative, is none. *columns* has those of the table, in
    lower case.

    Raises:
        UncountedError: If a step from the table to the result takes records away otherwise.
    """
    if root is None:
        raise UncountedError(_UNREADABLE)
    if root.find(exp.TableSample):
        msg = "it reads a sample"
        raise UncountedError(msg)
    found = _of_query(root, table, is_result=True)
    used = (column for parts in found for part in parts for column in part.find_all(exp.Column))
    outer = (column for column in used if column.find_ancestor(exp.Select) is None)
    if any(column.name.lower() not in columns for column in outer):
        msg = "a condition uses what the query computes"
        raise UncountedError(msg)
    return found


def any_of(conditions: Collection[str]) -> str:
    """Join *conditions* with OR; empty, which means all records, where one of them is."""
    different = list(dict.fromkeys(conditions))
    if len(different) < 2:
        return "".join(different)
    return "" if "" in different else " OR ".join(f"({condition})" for condition in different)


def all_of(parts: Collection[exp.Expr]) -> str:
    """Write what AND joins; empty where it is nothing."""
    return " AND ".join(f"({write(part)})" for part in parts)


def is_extreme(part: exp.Expr) -> bool:
    """Whether *part* is `price = (SELECT max(price) …)`."""
    select = part.expression.unnest() if isinstance(part, exp.EQ) else None
    ends = select.selects if isinstance(select, exp.Select) else []
    return len(ends) == 1 and isinstance(ends[0].unalias(), exp.Max | exp.Min)


def _of_query(query: exp.Expr, table: str, *, is_result: bool) -> list[list[exp.Expr]]:
    """Collect the parts of *query*; *is_result*: its rows are shown or counted, no more."""
    query = query.unnest()
    if isinstance(query, exp.SetOperation):
        sides = (_of_query(side, table, is_result=is_result) for side in (query.left, query.right))
        found = [part for side in sides for part in side]
    elif isinstance(query, exp.Select):
        within = [part for output in query.selects for part in _of_output(output, table)]
        found = within + _of_sources(query, table)
    elif isinstance(query, exp.Values):
        found = []
    else:
        raise UncountedError(_UNREADABLE)
    if found:
        _check_rows(query, is_result=is_result)
    return found


def _of_output(output: exp.Expr, table: str) -> list[list[exp.Expr]]:
    """Collect the parts of the subqueries in an output."""
    if isinstance(output, exp.Query):
        return _of_query(output, table, is_result=True)
    return [part for node in output.iter_expressions() for part in _of_output(node, table)]


def _of_sources(select: exp.Select, table: str) -> list[list[exp.Expr]]:
    sources = sources_of(select)
    inner = [query for source in sources if (query := inner_query(source)) is not None]
    counts = all(isinstance(item.unalias(), exp.Count) for item in select.selects)
    found = [part for query in inner for part in _of_query(query, table, is_result=counts)]
    joins = select.args.get("joins") or []
    picks = any(join.args.get(key) for join in joins for key in ("on", "using", "kind", "side"))
    if found and (picks or len(inner) < len(sources) or select.args.get("where")):
        msg = "it picks from the rows of a subquery"
        raise UncountedError(msg)
    own = [item for item in sources if item.name.lower() == table.lower() and not inner_query(item)]
    if own and (len(sources) > 1 or select.args.get("laterals")):
        msg = "it joins tables"
        raise UncountedError(msg)
    if any(source.args.get("pivots") for source in sources):
        msg = "it turns rows into columns"
        raise UncountedError(msg)
    return found + _asked(select) if own else found


def _check_rows(query: exp.Expr, *, is_result: bool) -> None:
    """Check that *query* shows or passes on all that it read."""
    distinct, order = query.args.get("distinct"), query.args.get("order")
    is_cut = query.args.get("limit") is not None or query.args.get("offset") is not None
    totals = (
        isinstance(query, exp.Select)
        and not query.args.get("group")
        and any(item.find(exp.AggFunc) and not item.find(exp.Window) for item in query.selects)
    )
    if (is_cut and not totals and not (is_result and order)) or (
        distinct and distinct.args.get("on")
    ):
        msg = "it takes only the first rows"
        raise UncountedError(msg)
    if not is_result and (query.args.get("having") or query.args.get("qualify")):
        msg = "it picks from the rows of a subquery"
        raise UncountedError(msg)


def _asked(select: exp.Select) -> list[list[exp.Expr]]:
    """Read the condition of *select*, with that of each function where all have a FILTER."""
    where = [_without_table(part, select) for part in where_of(select)]
    functions = [
        node
        for output in select.selects
        for node in output.find_all(exp.AggFunc)
        if node.find_ancestor(exp.Select) is select
    ]
    filters = [node.parent for node in functions if isinstance(node.parent, exp.Filter)]
    over_rows = any(output.find(exp.Window) for output in select.selects)
    if not filters or len(filters) < len(functions) or over_rows:
        return [where]
    return [where + [_without_table(part, select) for part in where_of(item)] for item in filters]


def _without_table(part: exp.Expr, select: exp.Select) -> exp.Expr:
    """Return *part* so that it can stand in another query on the table."""
    outer = select.args["from_"].this.alias_or_name.lower()
    copied = part.copy()
    for column in copied.find_all(exp.Column):
        inner = column.find_ancestor(exp.Select)
        if inner is None:
            column.set("table", None)
        elif column.table.lower() == outer and all(
            item.alias_or_name.lower() != outer for item in inner.find_all(exp.Table)
        ):
            msg = "a condition compares each record with others"
            raise UncountedError(msg)
    return copied
