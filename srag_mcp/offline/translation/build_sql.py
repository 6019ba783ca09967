"""SQL of a reading, as a sqlglot tree in DuckDB's dialect."""

from typing import TYPE_CHECKING

from srag_mcp.offline.translation.columns import Table
from srag_mcp.offline.translation.expressions import TreeBuilder, joined
from srag_mcp.offline.translation.reading import (
    ROW,
    Elapsed,
    Every,
    Existence,
    Grouping,
    Listing,
    Missing,
    Negated,
    Neighbour,
    Operation,
    Operator,
    Reading,
    SameAs,
    Scalar,
    Single,
    Summary,
    Term,
    Verdict,
)

if TYPE_CHECKING:
    from sqlglot import exp

_PERCENT = 100
_VERDICT = "is_so"


def build_sql(reading: Reading, table: Table) -> str:
    """Write *reading* as one SELECT over *table*."""
    return _build(reading, TreeBuilder(table)).sql("duckdb")


def _build(reading: Reading, trees: TreeBuilder) -> "exp.Select":
    select: exp.Select
    match reading:
        case Single(scalar):
            select = _single(scalar, trees)
        case Listing():
            select = _listing(reading, trees)
        case Grouping():
            select = _grouping(reading, trees)
        case Verdict(left, operator, right):
            select = _verdict(trees.nested(left), operator, right, trees)
        case Existence(where):
            select = _existence(where, trees)
        case Neighbour():
            select = _neighbour(reading, trees)
        case SameAs():
            select = _same_as(reading, trees)
    return select


def _single(scalar: Scalar, trees: TreeBuilder) -> "exp.Select":
    if isinstance(scalar, Summary):
        return trees.summary_query(scalar)
    return _bare(trees.nested(scalar), _name(scalar), trees)


def _bare(tree: "exp.Expression", name: str, trees: TreeBuilder) -> "exp.Select":
    """Select *tree*, called *name*: the engine would call it by all of its text."""
    # Heavy: 0.1 s, and needed only when a question is translated.
    from sqlglot import exp

    return exp.select(trees.named(tree, name))


def _name(scalar: Operation | Elapsed) -> str:
    """Return what a value that is computed from others is called."""
    match scalar:
        case Operation(sign="/"):
            return "percentage" if scalar.factor == _PERCENT else "ratio"
        case Operation(sign="+"):
            return "total"
        case Elapsed():
            return f"{scalar.unit}s"
    return "difference"


def _listing(listing: Listing, trees: TreeBuilder) -> "exp.Select":
    known = [Negated(Missing(t.column)) for t in _must_be_known(listing) if t.column != ROW]
    outputs = [trees.term(term) for term in listing.outputs]
    select = trees.source(joined(listing.where, *known), *outputs)
    if listing.distinct:
        select = select.distinct()
    if listing.order is not None:
        select = select.order_by(_ordered(trees.term(listing.order), descending=listing.descending))
    if not listing.distinct:
        select = select.order_by(trees.column(ROW))
    if listing.limit is not None:
        select = select.limit(listing.limit)
    return select.offset(listing.offset) if listing.offset else select


def _must_be_known(listing: Listing) -> list[Term]:
    order = [listing.order] if listing.order is not None else []
    return [*order, *listing.outputs] if len(listing.outputs) == 1 else order


def _ordered(tree: "exp.Expression", *, descending: bool) -> "exp.Expression":
    # Heavy: 0.1 s, and needed only when a question is translated.
    from sqlglot import exp

    return exp.Ordered(this=tree, desc=descending, nulls_first=False)


def _grouping(grouping: Grouping, trees: TreeBuilder) -> "exp.Select":
    key = trees.term(grouping.key)
    known = joined(grouping.summary.where, Negated(Missing(grouping.key.column)))
    shown = grouping.pick is None and grouping.having is None
    outputs = [key.copy(), trees.summary(grouping.summary)] if shown else [key.copy()]
    select = trees.source(known, *outputs).group_by(key)
    if grouping.having is not None:
        bound = trees.literal(grouping.having.value)
        amount = trees.summary(grouping.summary)
        select = select.having(trees.relation(amount, grouping.having.operator, bound))
    if grouping.pick is not None:
        return select.qualify(_ranked(grouping, trees))
    if grouping.count_only:
        return trees.counted(select)
    return select.order_by(_group_order(grouping, trees))


def _ranked(grouping: Grouping, trees: TreeBuilder) -> "exp.Expression":
    """Take the groups of the best rank, so that ties are all returned."""
    # Heavy: 0.1 s, and needed only when a question is translated.
    from sqlglot import exp

    amount = trees.summary(grouping.summary)
    order = exp.Order(expressions=[_ordered(amount, descending=grouping.pick == "highest")])
    rank = exp.Window(this=exp.Anonymous(this="rank"), order=order)
    last = trees.literal(grouping.limit or 1)
    return trees.relation(rank, "<=" if grouping.limit else "=", last)


def _group_order(grouping: Grouping, trees: TreeBuilder) -> "exp.Expression":
    """Order groups by time when they are times, else by falling amount."""
    if grouping.key.form in {"month", "year", "quarter", "week", "decade", "text_year"}:
        return trees.call("min", trees.column(grouping.key.column))
    return _ordered(trees.summary(grouping.summary), descending=True)


def _verdict(
    left: "exp.Expression", operator: Operator, right: Scalar | float, trees: TreeBuilder
) -> "exp.Select":
    value = trees.literal(right) if isinstance(right, int | float) else trees.nested(right)
    return _bare(trees.relation(left, operator, value), _VERDICT, trees)


def _existence(where: Every, trees: TreeBuilder) -> "exp.Select":
    count = trees.summary(Summary("count", None))
    found = trees.relation(count, ">", trees.literal(0))
    return trees.source(where, trees.named(found, _VERDICT))


def _neighbour(reading: Neighbour, trees: TreeBuilder) -> "exp.Select":
    row = Term(ROW)
    edge = Summary("max" if reading.after else "min", row, reading.anchor)
    beyond = trees.relation(trees.term(row), ">" if reading.after else "<", trees.nested(edge))
    nearest = trees.summary(Summary("min" if reading.after else "max", row))
    inner = trees.source(reading.where, nearest).where(beyond)
    outputs = [trees.term(term) for term in reading.outputs]
    same = trees.relation(trees.term(row), "=", inner.subquery(copy=False))
    return trees.source(Every(), *outputs).where(same)


def _same_as(reading: SameAs, trees: TreeBuilder) -> "exp.Select":
    # Heavy: 0.1 s, and needed only when a question is translated.
    from sqlglot import exp

    shared = trees.term(reading.shared)
    inner = trees.source(reading.anchor, shared.copy())
    outputs = [trees.term(term) for term in reading.outputs]
    others = exp.not_(
        trees.call("coalesce", _need(trees.condition(reading.anchor)), trees.literal(value=False))
    )
    select = trees.source(reading.where, *outputs).where(
        exp.In(this=shared, query=inner.subquery(copy=False))
    )
    return select.where(others).order_by(trees.column(ROW))


def _need(tree: "exp.Expression | None") -> "exp.Expression":
    # Heavy: 0.1 s, and needed only when a question is translated.
    from sqlglot import exp

    return exp.Boolean(this=True) if tree is None else tree
