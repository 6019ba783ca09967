"""Which records a query counts: the conditions of its counts, through subqueries and CTEs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from srag_mcp.query.definite import split_definite
from srag_mcp.query.trees import without_tables

if TYPE_CHECKING:
    from sqlglot import exp

    from srag_mcp.schema.schema import Schema

# What a SELECT may have beside its outputs, so that it reads all records that meet its condition.
PLAIN_ARGS = frozenset({"expressions", "from_", "where", "with_", "order", "limit"})


class CountedRecords:
    """Reads the counts of the one query *root* on the records of *schema*."""

    def __init__(self, root: exp.Select, schema: Schema) -> None:
        self._entity = schema.entity.lower()
        self._booleans = {item.name.lower() for item in schema.attributes if item.type.is_boolean}
        self._common = {item.alias.lower(): item.this for item in root.ctes}

    def conditions(
        self, node: exp.Expr, select: exp.Select, args: frozenset[str] = PLAIN_ARGS
    ) -> list[exp.Expr] | None:
        """Return the conditions of the records that *node* counts; None if it does not."""
        from sqlglot import exp

        function, extra = split_filter(node)
        if function is None or not self.reads(select, args):
            return None
        counted = function.this
        if isinstance(function, exp.CountIf):
            extra = extra + split_definite(counted)
        elif isinstance(function, exp.Sum):
            condition = self.indicated(counted)
            if condition is None:
                return None
            extra = extra + split_definite(condition)
        elif not isinstance(function, exp.Count) or not _in_all_records(counted):
            return None
        return split_definite(where_of(select)) + extra

    def stating(
        self, node: exp.Expr, select: exp.Select, args: frozenset[str] = PLAIN_ARGS
    ) -> list[exp.Expr] | None:
        """Return the conditions of what *node* counts: records, or those that state a column.

        With another condition, a record without the column may belong: `count(name)` is `count(*)`
        for most who write it. Alone it counts what documents say, of which nothing is unknown.
        """
        from sqlglot import exp

        function, extra = split_filter(node)
        stated = function.this if isinstance(function, exp.Count) else None
        if not isinstance(stated, exp.Column) or _in_all_records(stated):
            return self.conditions(node, select, args)
        if not self.reads(select, args):
            return None
        parts = split_definite(where_of(select)) + extra
        column = without_tables(stated)
        said = exp.Not(this=exp.Is(this=column, expression=exp.null()))
        is_alone = not select.args.get("group") and all(part == said for part in parts)
        return [said] if is_alone else [*parts, exp.EQ(this=column, expression=column.copy())]

    def indicated(self, node: exp.Expr | None) -> exp.Expr | None:
        """Return the condition of `CASE WHEN pool THEN 1 ELSE 0 END` or `pool::INTEGER`."""
        from sqlglot import exp

        node = None if node is None else node.unnest()
        if isinstance(node, exp.Cast):
            inner = node.this.unnest()
            is_condition = isinstance(inner, exp.Predicate) or self._is_boolean(inner)
            return inner if is_condition else None
        if self._is_boolean(node):
            return node
        choice = node.args["ifs"][0] if isinstance(node, exp.Case) and _is_if(node) else node
        if not isinstance(choice, exp.If):
            return None
        other = node.args.get("default") if isinstance(node, exp.Case) else choice.args.get("false")
        is_indicator = _is_number(choice.args.get("true"), 1) and _is_number(other, 0)
        return choice.this if is_indicator else None

    def _is_boolean(self, node: exp.Expr | None) -> bool:
        from sqlglot import exp

        return isinstance(node, exp.Column) and node.name.lower() in self._booleans

    def resolve(self, node: exp.Expr, select: exp.Select) -> tuple[exp.Expr, exp.Select]:
        """Unwrap *node*, and go where a subquery or a column of a CTE of one row leads."""
        from sqlglot import exp

        node = node.unalias()
        while isinstance(node, exp.Paren | exp.Round | exp.Cast):
            node = node.this
        inner = node.unnest()
        if isinstance(inner, exp.Select) and len(inner.expressions) == 1:
            return self.resolve(inner.expressions[0], inner)
        if isinstance(node, exp.Column) and node.table.lower() in self._common:
            source = self._common[node.table.lower()]
            if isinstance(source, exp.Select) and not source.args.get("group"):
                outputs = {item.alias_or_name.lower(): item for item in source.expressions}
                found = outputs.get(node.name.lower())
                if found is not None:
                    return self.resolve(found, source)
        return node, select

    def reads(self, select: exp.Select, args: frozenset[str] = PLAIN_ARGS) -> bool:
        """Whether *select* reads the record table, and nothing but a condition picks records."""
        from sqlglot import exp

        source = select.args.get("from_")
        table = None if source is None else source.this
        if not isinstance(table, exp.Table) or table.name.lower() != self._entity:
            return False
        return all(key in args for key, value in select.args.items() if value)


def split_filter(node: exp.Expr) -> tuple[exp.Expr | None, list[exp.Expr]]:
    """Return an aggregate function and the parts of its FILTER."""
    from sqlglot import exp

    if isinstance(node, exp.Filter):
        return node.this, split_definite(node.expression.this)
    return (node, []) if isinstance(node, exp.AggFunc) else (None, [])


def where_of(select: exp.Select) -> exp.Expr | None:
    """Return the condition of *select*."""
    where = select.args.get("where")
    return None if where is None else where.this


def _in_all_records(counted: exp.Expr | None) -> bool:
    """Whether every record has what is counted: `*`, `1`, `document_id`, nothing."""
    from sqlglot import exp

    if isinstance(counted, exp.Column):
        return counted.name.lower() == "document_id"
    return counted is None or isinstance(counted, exp.Star | exp.Literal)


def _is_if(case: exp.Expr) -> bool:
    return case.this is None and len(case.args["ifs"]) == 1


def _is_number(node: exp.Expr | None, wanted: float) -> bool:
    from sqlglot import exp

    return isinstance(node, exp.Literal) and not node.is_string and float(node.this) == wanted
