"""Reads what a query computes, where what unknown cells could change of it can be said."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from srag_mcp.query.aggregate import Aggregate, Function
from srag_mcp.query.counted_records import CountedRecords, split_filter, where_of
from srag_mcp.query.definite import (
    columns_of,
    is_definite,
    join_definite,
    only_says,
    split_definite,
    used_columns,
    write_all,
)
from srag_mcp.query.record_sets import (
    read_first,
    read_groups,
    read_leading_group,
    read_list,
)
from srag_mcp.query.trees import parse_query

if TYPE_CHECKING:
    from sqlglot import exp

    from srag_mcp.schema.schema import Schema


def read_aggregate(sql: str, schema: Schema) -> Aggregate | None:
    """Read what *sql* computes over the records of *schema*; None for any other query.

    `SELECT 100.0 * count(*) FILTER (pool) / count(pool) FROM hotels WHERE stars > 3` -> share,
    condition `(stars > 3)`, part `(pool)`, factor 100

    CTEs and subqueries in FROM that only select records or columns are seen through.
    """
    from sqlglot import exp

    root = _parse(sql, schema)
    if not isinstance(root, exp.Select) or not _asks_of_records(root, schema):
        return None
    records = CountedRecords(root, schema)
    if root.args.get("group"):
        return read_groups(root, records) or read_leading_group(root, records)
    outputs = root.expressions
    found = _Reader(root, schema).number(outputs[0], root) if len(outputs) == 1 else None
    if found is not None or any(item.find(exp.AggFunc, exp.Query) for item in outputs):
        return found
    return read_list(root, records) or read_first(root, records)


def _asks_of_records(root: exp.Expr, schema: Schema) -> bool:
    """Whether the conditions of *root* can stand elsewhere: not if they use what it computes."""
    from sqlglot import exp

    known = {"document_id", *(item.name.lower() for item in schema.attributes)}
    return all(columns_of(clause) <= known for clause in root.find_all(exp.Where, exp.Filter))


def _parse(sql: str, schema: Schema) -> exp.Expr | None:
    """Parse *sql*, with what its CTEs and subqueries only pass on put in their places."""
    from sqlglot import exp
    from sqlglot.errors import SqlglotError
    from sqlglot.optimizer.merge_subqueries import merge_subqueries
    from sqlglot.optimizer.qualify import qualify

    root = parse_query(sql)
    sources = [] if root is None else [item.this for item in root.find_all(exp.From)]
    is_nested = any(isinstance(item, exp.Subquery) for item in sources)
    if root is None or not (is_nested or root.args.get("with_")):
        return root
    columns = dict.fromkeys(["document_id", *(item.name for item in schema.attributes)], "VARCHAR")
    try:
        return merge_subqueries(qualify(root, schema={schema.entity: columns}, dialect="duckdb"))
    except (SqlglotError, ValueError, RecursionError):
        return None


_OPERATORS = {"GT": ">", "GTE": ">=", "LT": "<", "LTE": "<=", "EQ": "=", "NEQ": "<>"}


_NAMED: dict[str, Function] = {"Sum": "sum", "Avg": "avg", "Min": "min", "Max": "max"}


class _Reader:
    def __init__(self, root: exp.Select, schema: Schema) -> None:
        self._root = root
        self._records = CountedRecords(root, schema)

    def number(self, output: exp.Expr, select: exp.Select) -> Aggregate | None:
        """Read one number that *select* puts out."""
        from sqlglot import exp

        node, select = self._records.resolve(output, select)
        while isinstance(node, exp.Not):
            node = node.this.unnest()
        if isinstance(node, exp.Mul | exp.Div):
            return self._quotient(node, select)
        if isinstance(node, exp.Predicate | exp.LogicalOr | exp.LogicalAnd):
            return self._decision(node, select) or self._comparison(node, select)
        counted = self._records.stating(node, select)
        if counted is not None:
            return self._of("count", counted)
        return self._of_column(node, select)

    def _of(
        self, function: Function, parts: list[exp.Expr], column: exp.Expr | None = None
    ) -> Aggregate | None:
        if not all(is_definite(part) for part in parts):
            return None
        name = "" if column is None else column.name
        return Aggregate(function, join_definite(parts, [name]), name)

    def _of_column(self, node: exp.Expr, select: exp.Select) -> Aggregate | None:
        """Read `sum(price)`, `avg(price)`, `count(DISTINCT city)`, `avg(pool::INTEGER)`."""
        from sqlglot import exp

        function, extra = split_filter(node)
        if function is None or not self._records.reads(select):
            return None
        parts = split_definite(where_of(select)) + extra
        measure = function.this
        if isinstance(measure, exp.Distinct) and len(measure.expressions) == 1:
            measure = measure.expressions[0]
            is_column = isinstance(function, exp.Count) and isinstance(measure, exp.Column)
            return self._of("distinct", parts, measure) if is_column else None
        condition = self._records.indicated(measure) if isinstance(function, exp.Avg) else None
        if condition is not None:
            return _share(parts, parts + split_definite(condition), 1.0)
        name = _NAMED.get(type(function).__name__) if isinstance(measure, exp.Column) else None
        found = None if name is None else self._of(name, parts, measure)
        if found is None or name in {"sum", "avg"}:
            return found
        chosen = [where_of(select), node.expression.this if isinstance(node, exp.Filter) else None]
        return replace(found, counted=write_all(item for item in chosen if item is not None))

    def _decision(self, node: exp.Expr, select: exp.Select) -> Aggregate | None:
        """Read whether some records are there: `count(*) > 0`, `EXISTS (…)`, `bool_or(pool)`.

        Or whether all meet what is asked, which one that does not decides: `bool_and(pool)`,
        `count(*) FILTER (pool) = count(*)`.
        """
        from sqlglot import exp

        deciding = None
        if isinstance(node, exp.Exists):
            if isinstance(node.this, exp.Select) and self._records.reads(node.this):
                deciding = split_definite(where_of(node.this))
        elif isinstance(node, exp.LogicalOr | exp.LogicalAnd):
            if self._records.reads(select):
                is_all = isinstance(node, exp.LogicalAnd)
                wanted = exp.not_(node.this) if is_all else node.this
                deciding = split_definite(where_of(select)) + split_definite(wanted)
        elif isinstance(node, exp.GT | exp.GTE | exp.EQ | exp.NEQ):
            deciding = self._compared(node, select)
        return None if deciding is None else self._of("decides", deciding)

    def _comparison(self, node: exp.Expr, select: exp.Select) -> Aggregate | None:
        """Read what compares a count with another or with a number: `count(*) >= 2`."""
        from sqlglot import exp

        operator = _OPERATORS.get(type(node).__name__)
        if operator is None or not isinstance(node, exp.Binary):
            return None
        sides = tuple(self._side(side, select) for side in (node.left, node.right))
        known = tuple(side for side in sides if side is not None)
        return Aggregate("compares", sides=known, operator=operator) if known == sides else None

    def _side(self, node: exp.Expr, select: exp.Select) -> Aggregate | float | None:
        from sqlglot import exp

        node = node.unnest()
        if isinstance(node, exp.Literal) and not node.is_string:
            return float(node.this)
        found = self.number(node, select)
        return found if found is not None and found.function in {"count", "distinct"} else None

    def _compared(self, node: exp.Binary, select: exp.Select) -> list[exp.Expr] | None:
        """Read what decides a comparison of a count with nothing, or with the count of all."""
        from sqlglot import exp

        counted = self._records.conditions(*self._records.resolve(node.left, select))
        if counted is None or isinstance(node.right, exp.Literal):
            nothing = "1" if isinstance(node, exp.GTE) else "0"
            return counted if node.right.name == nothing else None
        all_of = self._whole(node.right, select, counted)
        found = None if all_of is None else _divide(all_of, counted)
        if found is None or isinstance(node, exp.GT):
            return None
        whole, within = found
        return [*whole, exp.not_(exp.and_(*within))]

    def _quotient(self, node: exp.Expr, select: exp.Select) -> Aggregate | None:
        """Read `100.0 * count(*) FILTER (pool) / count(pool)`, the factor anywhere."""
        from sqlglot import exp

        factor, quotient, select = self._without_factor(node, select)
        if not isinstance(quotient, exp.Div):
            share = self._of_column(quotient, select)
            if share is None or share.function != "share":
                return None
            return replace(share, factor=factor)
        more, top, top_select = self._without_factor(quotient.left, select)
        part = self._records.conditions(top, top_select)
        whole = None if part is None else self._whole(quotient.right, select, part)
        return None if part is None or whole is None else _share(whole, part, factor * more)

    def _without_factor(
        self, node: exp.Expr, select: exp.Select
    ) -> tuple[float, exp.Expr, exp.Select]:
        from sqlglot import exp

        node, select = self._records.resolve(node, select)
        if isinstance(node, exp.Mul):
            sides = (node.left.unnest(), node.right.unnest())
            for literal, other in (sides, sides[::-1]):
                if isinstance(literal, exp.Literal) and not literal.is_string:
                    factor, found, select = self._without_factor(other, select)
                    return float(literal.this) * factor, found, select
        return 1.0, node, select

    def _whole(
        self, node: exp.Expr, select: exp.Select, part: list[exp.Expr]
    ) -> list[exp.Expr] | None:
        """Read what a share is of: all records, or those that say what is asked."""
        from sqlglot import exp

        node, select = self._records.resolve(node, select)
        if isinstance(node, exp.Nullif):
            node, select = self._records.resolve(node.this, select)
        if isinstance(node, exp.Count) and self._records.reads(select):
            says = node.this
            if (
                isinstance(says, exp.Expr)
                and columns_of(says)
                and columns_of(says) <= used_columns(part)
            ):
                return split_definite(where_of(select))
        return self._records.conditions(node, select)


def _share(whole: list[exp.Expr], part: list[exp.Expr], factor: float) -> Aggregate | None:
    found = _divide(whole, part)
    if found is None or not all(is_definite(item) for side in found for item in side):
        return None
    condition, within = map(join_definite, found)
    return Aggregate("share", condition, part=within, factor=factor)


def _divide(
    whole: list[exp.Expr], part: list[exp.Expr]
) -> tuple[list[exp.Expr], list[exp.Expr]] | None:
    """Return the conditions of *whole*, and those that *part* has beside them.

    None where *part* is not within *whole*, or not smaller.
    """
    used = used_columns(part)
    whole, part = ([item for item in side if not only_says(item, used)] for side in (whole, part))
    of_whole = _written(whole)
    within = [item for item in part if not _written([item]) <= of_whole]
    if not within or not of_whole <= _written(part):
        return None
    return whole, within


def _written(parts: list[exp.Expr]) -> set[str]:
    return {part.sql(dialect="duckdb") for part in parts}
