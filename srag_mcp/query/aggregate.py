"""What a query computes over the records, where it is one of the numbers that can be bounded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from srag_mcp.query.counted_records import (
    PLAIN_ARGS,
    CountedRecords,
    split_filter,
    where_of,
)
from srag_mcp.query.definite import (
    ALWAYS,
    columns_of,
    join_definite,
    only_says,
    split_definite,
    used_columns,
    write_plain,
)

if TYPE_CHECKING:
    from sqlglot import exp

    from srag_mcp.schema.schema import Schema

Function: TypeAlias = Literal["count", "exists", "distinct", "sum", "avg", "share", "groups"]

_GROUPED_ARGS = PLAIN_ARGS | {"group"}


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One number over the records, or one for each group.

    Attributes:
        function: `count` of records, `exists` (whether there is one), `distinct` values, `sum`,
            `avg`, `share` of records, or `groups`: the count of records of each.
        condition: Which records; NULL for one that is not known to meet or miss it.
        column: What is summed, averaged or counted by its values.
        part: What those among them meet whose share it is.
        factor: What the share is multiplied with: 100 for a percentage.
        keys: What the records are grouped by, as SQL.
    """

    function: Function
    condition: str = ALWAYS
    column: str = ""
    part: str = ""
    factor: float = 1.0
    keys: tuple[str, ...] = ()


def read_aggregate(sql: str, schema: Schema) -> Aggregate | None:
    """Read what *sql* computes over the records of *schema*; None for any other query.

    `SELECT 100.0 * count(*) FILTER (pool) / count(pool) FROM hotels WHERE stars > 3` -> share,
    condition `(stars > 3)`, part `(pool)`, factor 100

    CTEs and subqueries in FROM that only select records or columns are seen through.
    """
    from sqlglot import exp

    root = _parse(sql, schema)
    if not isinstance(root, exp.Select):
        return None
    reader = _Reader(root, schema)
    if root.args.get("group"):
        return reader.groups()
    return reader.number(root.expressions[0], root) if len(root.expressions) == 1 else None


def has_aggregate(sql: str) -> bool:
    """Whether *sql* puts out a number or date over many records that unknown cells may change."""
    import sqlglot  # heavy: only when a question was asked
    from sqlglot import exp

    try:
        root = sqlglot.parse_one(sql, read="duckdb")
    except (sqlglot.errors.SqlglotError, ValueError, RecursionError):
        return False
    outputs = root.expressions if isinstance(root, exp.Select) else []
    computed = [item for item in outputs if not isinstance(item.unalias(), exp.Predicate)]
    functions = [node for item in computed for node in item.find_all(exp.AggFunc)]
    return any(not _counts_stated(node) for node in functions)


def _counts_stated(node: exp.Expr) -> bool:
    """Whether *node* counts the documents that state a column: nothing is unknown of that."""
    from sqlglot import exp

    return isinstance(node, exp.Count) and isinstance(node.this, exp.Column)


def _parse(sql: str, schema: Schema) -> exp.Expr | None:
    import sqlglot  # heavy: only when a question was asked
    from sqlglot import exp
    from sqlglot.optimizer.merge_subqueries import merge_subqueries
    from sqlglot.optimizer.qualify import qualify

    columns = dict.fromkeys(["document_id", *(item.name for item in schema.attributes)], "VARCHAR")
    try:
        root: exp.Expr = sqlglot.parse_one(sql, read="duckdb")
        sources = [item.this for item in root.find_all(exp.From)]
        if root.args.get("with_") or any(isinstance(item, exp.Subquery) for item in sources):
            qualified = qualify(root, schema={schema.entity: columns}, dialect="duckdb")
            return merge_subqueries(qualified)
    except (sqlglot.errors.SqlglotError, ValueError, RecursionError):
        return None
    return root


class _Reader:
    def __init__(self, root: exp.Select, schema: Schema) -> None:
        self._root = root
        self._records = CountedRecords(root, schema)

    def number(self, output: exp.Expr, select: exp.Select) -> Aggregate | None:
        """Read one number that *select* puts out."""
        from sqlglot import exp

        node, select = self._records.resolve(output, select)
        if isinstance(node, exp.Mul | exp.Div):
            return self._share(node, select)
        if isinstance(node, exp.GT | exp.GTE | exp.Exists | exp.LogicalOr):
            return self._existence(node, select)
        counted = self._records.conditions(node, select)
        if counted is not None:
            return self._of("count", counted)
        return self._of_column(node, select)

    def groups(self) -> Aggregate | None:
        """Read a count of records by group."""
        from sqlglot import exp

        if not self._records.reads(self._root, _GROUPED_ARGS):
            return None
        outputs = [item.unalias() for item in self._root.expressions]
        keys = [item for item in outputs if item.find(exp.AggFunc) is None]
        counts = [item for item in outputs if item.find(exp.AggFunc) is not None]
        is_count = len(counts) == 1 and isinstance(counts[0], exp.Count)
        if not is_count or self._records.conditions(counts[0], self._root, _GROUPED_ARGS) is None:
            return None
        conditions = split_definite(where_of(self._root))
        names = {name for key in keys for name in columns_of(key)}
        if not names or any(part.find(exp.Query) for part in (*conditions, *keys)):
            return None
        condition = join_definite(conditions, names)
        return Aggregate("groups", condition, keys=tuple(write_plain(key) for key in keys))

    def _of(
        self, function: Function, parts: list[exp.Expr], column: exp.Expr | None = None
    ) -> Aggregate | None:
        from sqlglot import exp

        if any(part.find(exp.Query) for part in parts):
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
            return _share_of(parts, parts + split_definite(condition), 1.0)
        if isinstance(function, exp.Sum | exp.Avg) and isinstance(measure, exp.Column):
            return self._of("sum" if isinstance(function, exp.Sum) else "avg", parts, measure)
        return None

    def _existence(self, node: exp.Expr, select: exp.Select) -> Aggregate | None:
        """Read `count(*) > 0`, `count(*) >= 1`, `EXISTS (SELECT …)`, `bool_or(pool)`."""
        from sqlglot import exp

        counted = None
        if isinstance(node, exp.Exists):
            inner = node.this
            if isinstance(inner, exp.Select) and self._records.reads(inner):
                counted = split_definite(where_of(inner))
        elif isinstance(node, exp.LogicalOr):
            if self._records.reads(select):
                counted = split_definite(where_of(select)) + split_definite(node.this)
        elif node.expression.name == ("0" if isinstance(node, exp.GT) else "1"):
            counted = self._records.conditions(*self._records.resolve(node.this, select))
        return None if counted is None else self._of("exists", counted)

    def _share(self, node: exp.Expr, select: exp.Select) -> Aggregate | None:
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
        return None if part is None or whole is None else _share_of(whole, part, factor * more)

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
        counted = self._records.conditions(node, select)
        if counted is None and isinstance(node, exp.Count) and self._records.reads(select):
            says = node.this
            if (
                isinstance(says, exp.Expr)
                and columns_of(says)
                and columns_of(says) <= used_columns(part)
            ):
                return split_definite(where_of(select))
        return counted


def _share_of(whole: list[exp.Expr], part: list[exp.Expr], factor: float) -> Aggregate | None:
    """Make the share of *part* in *whole*; None where the first is not within the second."""
    from sqlglot import exp

    used = used_columns(part)
    whole, part = ([item for item in side if not only_says(item, used)] for side in (whole, part))
    of_whole = _written(whole)
    if any(item.find(exp.Query) for item in part) or not of_whole <= _written(part):
        return None
    within = [item for item in part if not _written([item]) <= of_whole]
    return Aggregate("share", join_definite(whole), part=join_definite(within), factor=factor)


def _written(parts: list[exp.Expr]) -> set[str]:
    return {part.sql(dialect="duckdb") for part in parts}
