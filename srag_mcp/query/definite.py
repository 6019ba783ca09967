"""Definite conditions: NULL for a record that is not known to meet or to miss them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from srag_mcp.query.trees import split_and, without_tables

if TYPE_CHECKING:
    from sqlglot import exp

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


def split_definite(condition: exp.Expr | None) -> list[exp.Expr]:
    """Return the parts of *condition* that AND joins, each definite and without table names.

    What makes unknown a yes or a no is taken away: `coalesce(pool, false)` -> `pool`, `pool IS NOT
    TRUE` -> `NOT pool`, `city IS DISTINCT FROM 'Bonn'` -> `city <> 'Bonn'`, `NOT pool OR pool IS
    NULL` -> `NOT pool OR FALSE`. `city IS NULL` stays where it is all of a part: it asks what
    documents do not say. Whether nothing else swallows unknown is for `is_definite` to say.
    """
    if condition is None:
        return []
    return [make_definite(part) for part in split_and(condition)]


def join_definite(parts: Collection[exp.Expr], also: Collection[str] = ()) -> str:
    """Write *parts* as one condition; `true` when there are none.

    `price IS NOT NULL` is left out where another part, or the columns *also*, use the price: who
    asks for prices above 9 wants those that are stated only, but the others may be above 9, too.
    """
    used = {name.lower() for name in also} | used_columns(parts)
    kept = [part for part in parts if not only_says(part, used)]
    return " AND ".join(f"({part.sql(dialect='duckdb')})" for part in kept) or ALWAYS


def used_columns(parts: Collection[exp.Expr]) -> set[str]:
    """Return the columns, in lower case, that *parts* use for more than `price IS NOT NULL`."""
    used = [part for part in parts if _column_not_null(part) is None]
    return {name for part in used for name in columns_of(part)}


def only_says(part: exp.Expr, used: Collection[str]) -> bool:
    """Whether *part* is `price IS NOT NULL`, and the price is among the columns *used*."""
    return _column_not_null(part) in used


def columns_of(tree: exp.Expr) -> set[str]:
    """Return the names of the columns in *tree*, in lower case."""
    from sqlglot import exp

    return {column.name.lower() for column in tree.find_all(exp.Column)}


def write_plain(tree: exp.Expr) -> str:
    """Write *tree* without table names."""
    return without_tables(tree).sql(dialect="duckdb")


def write_all(parts: Iterable[exp.Expr]) -> str:
    """Write *parts* as they are, without table names; `true` when there are none."""
    return " AND ".join(f"({write_plain(part)})" for part in parts) or ALWAYS


def make_definite(tree: exp.Expr) -> exp.Expr:
    """Return *tree* without table names and without what makes unknown something known."""
    plain = without_tables(tree)
    if _is_said(plain):
        return plain
    used = columns_used(plain)
    return plain.transform(lambda node: _leave_unknown(node, used))


def is_definite(tree: exp.Expr) -> bool:
    """Whether *tree* is NULL for each record whose unknown cells could change it.

    Not with `CASE`, `greatest`, `concat` and others that make something of NULL, nor with a query.
    """
    from sqlglot import exp

    def keeps(node: exp.Expr) -> bool:
        if isinstance(node, exp.Anonymous):
            return node.name.lower() in _KEEP_NULL_BY_NAME
        return any(isinstance(node, getattr(exp, kind)) for kind in _KEEP_NULL)

    return _is_said(tree) or all(keeps(node) for node in tree.walk())


def columns_used(tree: exp.Expr) -> set[str]:
    """Return the columns of *tree*, in lower case, of which it asks more than if it is NULL."""
    from sqlglot import exp

    found = tree.find_all(exp.Column)
    return {column.name.lower() for column in found if not _is_null_test(column.parent)}


def _is_said(tree: exp.Expr) -> bool:
    """Whether *tree* is `column IS NULL` or `column IS NOT NULL`: it asks what documents say."""
    from sqlglot import exp

    test = tree.this.unnest() if isinstance(tree, exp.Not) else tree
    return _is_null_test(test) and isinstance(test.this, exp.Column)


def _is_null_test(node: exp.Expr | None) -> bool:
    from sqlglot import exp

    return isinstance(node, exp.Is) and isinstance(node.expression, exp.Null)


def _leave_unknown(node: exp.Expr, used: Collection[str]) -> exp.Expr:
    from sqlglot import exp

    found: exp.Expr = node
    if isinstance(node, exp.NullSafeNEQ):
        found = exp.NEQ(this=node.this, expression=node.expression)
    elif isinstance(node, exp.NullSafeEQ):
        found = exp.EQ(this=node.this, expression=node.expression)
    elif isinstance(node, exp.Coalesce) and _gives_way(node):
        found = node.this
    elif isinstance(node, exp.Is) and isinstance(node.expression, exp.Boolean):
        found = node.this if node.expression.this else exp.Not(this=exp.paren(node.this))
    elif _is_null_test(node) and isinstance(node.this, exp.Column):
        found = exp.false() if node.this.name.lower() in used else node
    return found


def _gives_way(node: exp.Coalesce) -> bool:
    """Whether a COALESCE is its first part, once all cells are known."""
    from sqlglot import exp

    others = node.expressions
    return isinstance(node.this, exp.Column) or all(_is_constant(item) for item in others)


def _is_constant(node: exp.Expr) -> bool:
    from sqlglot import exp

    return isinstance(node, exp.Boolean | exp.Literal)


def _column_not_null(part: exp.Expr) -> str | None:
    """Return the column of `column IS NOT NULL`, in lower case."""
    from sqlglot import exp

    test = part.this.unnest() if isinstance(part, exp.Not) else None
    if not isinstance(test, exp.Is) or not isinstance(test.expression, exp.Null):
        return None
    return test.this.name.lower() if isinstance(test.this, exp.Column) else None
