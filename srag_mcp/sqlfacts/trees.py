"""Queries as sqlglot trees: parsed as the guard parses them, and what they ask of single records.

A condition has three values: true, false, and unknown where cells that decide it are unknown. A
definite one is NULL for a record that is not known to meet or to miss it; an admitting one is true
for each that it does not definitely exclude. What is built from them runs through the guard, as SQL
from outside does.

`exp` is sqlglot's module of expressions, which is heavy: it is imported when a query is read.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from srag_mcp.errors import RefusedQueryError
from srag_mcp.store.guard.second_opinion import UnreadableError, parse_statement

if TYPE_CHECKING:
    from sqlglot import exp as exp

    from srag_mcp.sqlfacts.query import QueryFacts
else:

    class _Expressions:
        def __getattr__(self, name: str) -> object:
            found = getattr(importlib.import_module("sqlglot.expressions"), name)
            setattr(self, name, found)
            return found

    exp = _Expressions()


ALWAYS = "true"
# Of these, NULL comes out where NULL goes in, or AND, OR and NOT of three values.
_KEEP_NULL = (
    *("Column", "Identifier", "Literal", "Boolean", "Null", "Paren", "Var", "Interval", "Escape"),
    *("And", "Or", "Not", "EQ", "NEQ", "GT", "GTE", "LT", "LTE", "In", "Between", "Like", "ILike"),
    *("Glob", "SimilarTo", "RegexpLike", "RegexpILike", "Contains", "StartsWith", "EndsWith"),
    *("Add", "Sub", "Mul", "Div", "IntDiv", "Mod", "Neg", "Abs", "Round", "Floor", "Ceil", "DPipe"),
    *("Cast", "TryCast", "DataType", "DataTypeParam", "Lower", "Upper", "Trim", "Length"),
    *("Substring", "Left", "Right", "Replace", "StrPosition", "Year", "Quarter", "Month", "Week"),
    *("Day", "DayOfWeek", "DayOfMonth", "DayOfYear", "Dayname", "Monthname", "Extract"),
    *("DateDiff", "DateTrunc", "TimestampTrunc", "TimeToStr", "CurrentDate"),
)
_KEEP_NULL_BY_NAME = frozenset({"date_part", "strip_accents", "prefix", "suffix"})
_UNREADABLE = "it could not be taken apart"
# 600 conditions: what is worked out of them takes 0.4 s, and a query that is run has 5 s.
_MAX_NODES = 3_000


def parse_query(sql: str) -> exp.Expr | None:
    """Parse *sql* as the guard does; None where sqlglot reads less than DuckDB.

    So it is where a query has no end, or is longer than anybody writes one: with the CTEs put where
    they are read, each of which may read the one before it twice.
    """
    try:
        tree = parse_statement(sql)
    except (UnreadableError, RefusedQueryError):
        return None
    return tree if _count_nodes(tree, {}) <= _MAX_NODES else None


def _count_nodes(tree: exp.Expr, counted: dict[int, float]) -> float:
    """Count the parts of *tree* with those of the CTEs that it reads; infinite in a circle."""
    total = 0.0
    for node in tree.walk():
        total += 1
        query = inner_query(node) if isinstance(node, exp.Table) else None
        if query is not None and id(query) not in counted:
            counted[id(query)] = math.inf  # while it is counted
            counted[id(query)] = _count_nodes(query, counted)
        total += 0 if query is None else counted[id(query)]
        if total > _MAX_NODES:
            return math.inf
    return total


def merge_queries(root: exp.Expr, table: str, columns: Iterable[str]) -> exp.Expr:
    """Put what CTEs and subqueries in FROM only pass on in their places.

    `WITH t AS (SELECT * FROM hotels WHERE pool) SELECT avg(price) FROM t` -> `SELECT avg(price)
    FROM hotels WHERE pool`. *root* itself where there are none, or sqlglot cannot tell.
    """
    is_nested = any(isinstance(item.this, exp.Subquery) for item in root.find_all(exp.From))
    if not is_nested and not root.args.get("with_"):
        return root
    from sqlglot.errors import SqlglotError  # heavy
    from sqlglot.optimizer.merge_subqueries import merge_subqueries
    from sqlglot.optimizer.qualify import qualify

    known: dict[str, object] = {table: dict.fromkeys(columns, "VARCHAR")}
    try:
        return merge_subqueries(
            qualify(root.copy(), schema=known, dialect="duckdb", quote_identifiers=False)
        )
    except (SqlglotError, ValueError, AttributeError, TypeError, KeyError, IndexError):
        return root
    except RecursionError:
        return root


def split_and(condition: exp.Expr) -> Iterator[exp.Expr]:
    """Yield what AND joins in *condition*, also within brackets: `a AND (b AND c)` -> a, b, c."""
    unwrapped = condition.unnest()
    for part in unwrapped.flatten() if isinstance(unwrapped, exp.And) else ():
        yield from split_and(part)
    if not isinstance(unwrapped, exp.And):
        yield unwrapped


def where_of(node: exp.Expr) -> list[exp.Expr]:
    """Return what AND joins in the WHERE of a SELECT or of a FILTER."""
    where = node.expression if isinstance(node, exp.Filter) else node.args.get("where")
    return [] if where is None else list(split_and(where.this))


def sources_of(select: exp.Expr) -> list[exp.Expr]:
    """Return what *select* reads from, joined or not: tables, subqueries, functions."""
    joins = select.args.get("joins") or []
    return [item.this for item in (select.args.get("from_"), *joins) if item is not None]


def inner_query(source: exp.Expr) -> exp.Expr | None:
    """Return the query that *source* of a FROM stands for; None for a table.

    A CTE is seen by those after it, by itself where it is recursive, and by the query below.
    """
    if isinstance(source, exp.Subquery):
        return source.unnest()
    if not isinstance(source, exp.Table) or not isinstance(source.this, exp.Identifier):
        return None
    own, node = None, source.parent
    while node is not None:
        own = node if isinstance(node, exp.CTE) else own
        with_ = node.args.get("with_")
        seen = [] if with_ is None else with_.expressions
        if own in seen and with_ is not None and not with_.recursive:
            seen = seen[: seen.index(own)]
        for item in seen:
            if item.alias_or_name.lower() == source.name.lower():
                found: exp.Expr = item.this
                return found
        node = node.parent
    return None


def is_null_test(node: exp.Expr | None) -> bool:
    """Whether *node* is `… IS NULL`."""
    return isinstance(node, exp.Is) and isinstance(node.expression, exp.Null)


def stated_column(part: exp.Expr) -> str | None:
    """Return the column of `price IS NOT NULL`, in lower case; None for another condition."""
    test = part.this.unnest() if isinstance(part, exp.Not) else part
    is_stated = test is not part and is_null_test(test) and isinstance(test.this, exp.Column)
    return str(test.this.name).lower() if is_stated else None


def without_tables(tree: exp.Expr) -> exp.Expr:
    """Return a copy of *tree* whose columns have no table names."""
    copied = tree.copy()
    for column in copied.find_all(exp.Column):
        column.set("table", None)
    return copied


def write(tree: exp.Expr) -> str:
    """Write *tree* as SQL of DuckDB."""
    return tree.sql(dialect="duckdb")


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
    order = query.args.get("order")
    distinct = query.args.get("distinct") if isinstance(query, exp.Select) else None
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


def join_definite(parts: Collection[exp.Expr], also: Collection[str] = ()) -> str:
    """Write *parts* as one condition; `true` when there are none.

    `price IS NOT NULL` is left out where another part, or the columns *also*, use the price: who
    asks for prices above 9 wants those that are stated only, but the others may be above 9, too.
    """
    used = {name.lower() for name in also} | used_columns(parts)
    return write_all(part for part in parts if not only_says(part, used))


def write_all(parts: Iterable[exp.Expr]) -> str:
    """Write what AND joins, without table names; `true` when it is nothing."""
    return " AND ".join(f"({write_plain(part)})" for part in parts) or ALWAYS


def write_plain(tree: exp.Expr) -> str:
    """Write *tree* without table names."""
    return write(without_tables(tree))


def used_columns(parts: Collection[exp.Expr]) -> set[str]:
    """Return the columns, in lower case, that *parts* use for more than `price IS NOT NULL`."""
    return {name for part in parts if stated_column(part) is None for name in columns_of(part)}


def only_says(part: exp.Expr, used: Collection[str]) -> bool:
    """Whether *part* is `price IS NOT NULL`, and the price is among the columns *used*."""
    return stated_column(part) in used


def columns_of(tree: exp.Expr) -> set[str]:
    """Return the names of the columns in *tree*, in lower case."""
    return {column.name.lower() for column in tree.find_all(exp.Column)}


def make_definite(tree: exp.Expr) -> exp.Expr:
    """Return *tree* without table names and without what makes unknown something known.

    `coalesce(pool, false)` -> `pool`, `pool IS NOT TRUE` -> `NOT pool`, `city IS DISTINCT FROM
    'Bonn'` -> `city <> 'Bonn'`, `NOT pool OR pool IS NULL` -> `NOT pool OR FALSE`. `city IS NULL`
    stays where it is all of it: it asks what documents do not say. Whether nothing else swallows
    unknown is for `is_definite` to say.
    """
    plain = without_tables(tree)
    if _is_said(plain):
        return plain
    used = _columns_asked(plain)
    return plain.transform(lambda node: _leave_unknown(node, used))


def is_definite(tree: exp.Expr) -> bool:
    """Whether *tree* is NULL for each record whose unknown cells could change it.

    Not with `CASE`, `greatest`, `concat` and others that make something of NULL, nor with a query.
    """
    kinds = tuple(getattr(exp, kind) for kind in _KEEP_NULL)
    return _is_said(tree) or all(
        node.name.lower() in _KEEP_NULL_BY_NAME
        if isinstance(node, exp.Anonymous)
        else isinstance(node, kinds)
        for node in tree.walk()
    )


def are_definite(*parts: exp.Expr) -> bool:
    """Whether all *parts* are."""
    return all(map(is_definite, parts))


def admitting_conditions(facts: QueryFacts, gaps: Collection[str]) -> dict[str, tuple[str, str]]:
    """Return the columns that a query uses, each with two conditions on records.

    The first admits those that the conditions on other columns do not definitely exclude; the
    second says which of them meet these as they are written. Both are empty where nothing is
    excluded. *gaps*: the columns that some records do not say.

    `SELECT avg(price) FROM hotels WHERE stars > 3` -> `{"price": ("((stars > 3) IS NOT FALSE)",
    "(stars > 3)"), "stars": ("", "")}` where some records do not say the stars
    """
    unsaid = {name.lower() for name in gaps}
    used = set() if facts.tree is None else _columns_asked(facts.tree)
    admitted: dict[int, str] = {}  # of each part, which the columns share
    found: dict[str, tuple[str, str]] = {}
    for column in facts.names if facts.readings else ():
        others = [
            [p for p in parts if column.lower() not in columns_of(p)] for parts in facts.readings
        ]
        for part in (part for parts in others for part in parts if id(part) not in admitted):
            admitted[id(part)] = _admit(part, unsaid, used)
        may = (dict.fromkeys(admitted[id(part)] for part in parts) for parts in others)
        meets = (write_all(parts) for parts in others)
        found[column] = (
            any_of([" AND ".join(one for one in parts if one != ALWAYS) for parts in may]),
            any_of(["" if one == ALWAYS else one for one in meets]),
        )
    return found


def _admit(tree: exp.Expr, gaps: Collection[str], used: Collection[str]) -> str:
    """Write what is not false, which of AND and OR is the same of each side."""
    tree = tree.unnest()
    if isinstance(tree, exp.And | exp.Or):
        sides = dict.fromkeys(_admit(side, gaps, used) for side in (tree.left, tree.right))
        if isinstance(tree, exp.And):
            return " AND ".join(side for side in sides if side != ALWAYS) or ALWAYS
        return ALWAYS if ALWAYS in sides else f"({' OR '.join(sides)})"
    definite = make_definite(tree)
    if not is_definite(definite) and tree.find(exp.Query) is None:
        return ALWAYS  # it makes something of unknown: nothing is definitely excluded
    stated = not _columns_asked(definite) and columns_of(definite)
    if stated and stated <= set(used):  # `price IS NOT NULL`, and the price is used for more
        return ALWAYS
    written = f"({write(definite)})"
    return f"({written} IS NOT FALSE)" if columns_of(definite) & set(gaps) else written


def _columns_asked(tree: exp.Expr) -> set[str]:
    """Return the columns of *tree*, in lower case, of which it asks more than if it is NULL."""
    found = tree.find_all(exp.Column)
    return {column.name.lower() for column in found if not is_null_test(column.parent)}


def _is_said(tree: exp.Expr) -> bool:
    """Whether *tree* is `column IS NULL` or `column IS NOT NULL`: it asks what documents say."""
    test = tree.this.unnest() if isinstance(tree, exp.Not) else tree
    return is_null_test(test) and isinstance(test.this, exp.Column)


def _leave_unknown(node: exp.Expr, used: Collection[str]) -> exp.Expr:
    found: exp.Expr = node
    if isinstance(node, exp.NullSafeNEQ):
        found = exp.NEQ(this=node.this, expression=node.expression)
    elif isinstance(node, exp.NullSafeEQ):
        found = exp.EQ(this=node.this, expression=node.expression)
    elif isinstance(node, exp.Coalesce) and _gives_way(node):
        found = node.this
    elif isinstance(node, exp.Is) and isinstance(node.expression, exp.Boolean):
        found = node.this if node.expression.this else exp.Not(this=exp.paren(node.this))
    elif is_null_test(node) and isinstance(node.this, exp.Column):
        found = exp.false() if node.this.name.lower() in used else node
    return found


def _gives_way(node: exp.Coalesce) -> bool:
    """Whether a COALESCE is its first part, once all cells are known."""
    constants = all(isinstance(item, exp.Boolean | exp.Literal) for item in node.expressions)
    return isinstance(node.this, exp.Column) or constants
