"""Conditions with three values: true, false, and unknown where cells that decide it are unknown.

A definite condition is NULL for a record that is not known to meet or to miss it; an admitting one
is true for each that it does not definitely exclude.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from srag_mcp.sqlfacts.readings import any_of
from srag_mcp.sqlfacts.trees import (
    exp,
    is_null_test,
    stated_column,
    without_tables,
    write,
)

if TYPE_CHECKING:
    from srag_mcp.sqlfacts.query import QueryFacts

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
