"""Which records a query puts out or counts by group, and what comes first among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from srag_mcp.query.aggregate import Aggregate
from srag_mcp.query.counted_records import PLAIN_ARGS, CountedRecords, where_of
from srag_mcp.query.definite import (
    columns_of,
    is_definite,
    join_definite,
    make_definite,
    split_definite,
    write_all,
    write_plain,
)
from srag_mcp.query.trees import split_and

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

_GROUPED_ARGS = PLAIN_ARGS | {"group"}
_LEADING_ARGS = _GROUPED_ARGS | {"qualify"}
_LISTED_ARGS = PLAIN_ARGS | {"distinct"}


def read_groups(root: exp.Select, records: CountedRecords) -> Aggregate | None:
    """Read a count of records by group: `SELECT city, count(*) FROM hotels GROUP BY city`."""
    from sqlglot import exp

    outputs = [item.unalias() for item in root.expressions]
    keys = [item for item in outputs if item.find(exp.AggFunc) is None]
    counts = [item for item in outputs if item.find(exp.AggFunc) is not None]
    if len(counts) != 1 or not _puts_out_its_keys(root, keys):
        return None
    counted_by = _counted_by(counts[0])
    conditions = records.stating(counts[0], root, _GROUPED_ARGS)
    definite = [make_definite(key) for key in keys]
    names = {name for key in definite for name in columns_of(key)}
    if conditions is None or counted_by is None or not names:
        return None
    if not all(is_definite(part) for part in (*conditions, *definite)):
        return None
    where = where_of(root)
    written = [*([] if where is None else [where]), *counted_by, *map(_is_not_null, keys)]
    return Aggregate(
        "groups",
        join_definite(conditions, names),
        keys=tuple(write_plain(key) for key in definite),
        counted=write_all(written),
    )


def read_leading_group(root: exp.Select, records: CountedRecords) -> Aggregate | None:
    """Read which group has the most records: `GROUP BY city ORDER BY count(*) DESC LIMIT 1`."""
    from sqlglot import exp

    keys = [item.unalias() for item in root.expressions]
    count = _counted_first(root)
    if count is None or any(key.find(exp.AggFunc) for key in keys):
        return None
    conditions = records.conditions(count, root, _LEADING_ARGS)
    names = {name for key in keys for name in columns_of(key)}
    if conditions is None or not names or not _puts_out_its_keys(root, keys):
        return None
    if not all(is_definite(part) for part in (*conditions, *keys)):
        return None
    return Aggregate(
        "leads", join_definite(conditions, names), keys=tuple(write_plain(key) for key in keys)
    )


def _counted_first(root: exp.Select) -> exp.Expr | None:
    """Return the count of which *root* takes the group with the most; None for another query."""
    from sqlglot import exp

    qualify, limit, order = (root.args.get(key) for key in ("qualify", "limit", "order"))
    if qualify is not None and limit is None and isinstance(qualify.this, exp.EQ):
        ranked, wanted = qualify.this.this, qualify.this.expression
        is_rank = isinstance(ranked, exp.Window) and isinstance(ranked.this, exp.Rank)
        order = None if not is_rank or ranked.args.get("partition_by") else ranked.args["order"]
    elif qualify is None and limit is not None:
        wanted = limit.expression
    else:
        return None
    if order is None or not isinstance(wanted, exp.Literal) or wanted.this != "1":
        return None
    first = order.expressions[0]
    is_count = isinstance(first.this, exp.Count) and first.args.get("desc")
    return first.this if is_count else None


def read_list(root: exp.Select, records: CountedRecords) -> Aggregate | None:
    """Read a list of the records that meet a condition, each or each value once."""
    from sqlglot import exp

    where = where_of(root)
    is_cut = bool(root.args.get("limit") and root.args.get("order"))
    if is_cut or not records.reads(root, _LISTED_ARGS) or root.find(exp.Window) is not None:
        return None
    distinct = root.args.get("distinct")
    parts = split_definite(where)
    outputs = [item.unalias() for item in root.expressions]
    keys = outputs if distinct else []
    if not all(is_definite(part) for part in (*parts, *keys)):
        return None
    if distinct and distinct.args.get("on"):
        return None
    names = {name for item in outputs for name in columns_of(item)}
    return Aggregate(
        "list",
        join_definite(parts, names),
        keys=tuple(write_plain(key) for key in keys),
        counted=write_all([] if where is None else [where]),
    )


def read_first(root: exp.Select, records: CountedRecords) -> Aggregate | None:
    """Read which records are first: `WHERE price = (SELECT max(price) …)`, `ORDER BY … LIMIT`."""
    from sqlglot import exp

    if not records.reads(root) or root.find(exp.Window) is not None:
        return None
    where = where_of(root)
    parts = [] if where is None else list(split_and(where))
    ends = [item for item in parts if item.find(exp.Query) is not None]
    others = [item for item in parts if item not in ends]
    if len(ends) == 1 and not root.args.get("limit"):
        column, inner = _end_of(ends[0], records)
    elif not ends and root.args.get("limit") and root.args.get("order"):
        column, inner = _ordered_by(root), others
    else:
        return None
    outputs = {name for item in root.expressions for name in columns_of(item)}
    also = {*outputs, column.lower()}
    outer = [make_definite(item) for item in others]
    within = [make_definite(item) for item in inner]
    if not column or not all(is_definite(item) for item in outer):
        return None
    condition = join_definite(outer, also)
    is_same = condition == join_definite(within, also)
    return Aggregate("first", condition, column, counted=write_all(others)) if is_same else None


def _puts_out_its_keys(root: exp.Select, keys: Sequence[exp.Expr]) -> bool:
    """Whether all that *root* groups by is put out: else a row is a part of what it names."""
    from sqlglot import exp

    group = root.args["group"]
    if group.find(exp.Rollup, exp.Cube, exp.GroupingSets):
        return False
    named = {item.alias.lower(): item.this for item in root.expressions if item.alias}
    shown = {write_plain(key) for key in keys}
    for item in group.expressions:
        found = item.unnest()
        if (
            isinstance(found, exp.Literal) and found.is_int
        ):  # `GROUP BY 'all'` and `GROUP BY 2.5` make one group
            found = root.expressions[int(found.this) - 1].unalias()
        elif isinstance(found, exp.Column) and write_plain(found) not in shown:
            found = named.get(found.name.lower(), found)
        if write_plain(found) not in shown:
            return False
    return True


def _counted_by(node: exp.Expr) -> list[exp.Expr] | None:
    """Return what a count asks of a record beside the WHERE: its FILTER, or a column.

    None for a sum that counts.
    """
    from sqlglot import exp

    function, found = node, []
    if isinstance(node, exp.Filter):
        function, found = node.this, [node.expression.this]
    if isinstance(function, exp.CountIf):
        return [*found, function.this]
    if not isinstance(function, exp.Count):
        return None
    stated = function.this
    return [*found, _is_not_null(stated)] if isinstance(stated, exp.Column) else found


def _is_not_null(node: exp.Expr) -> exp.Expr:
    from sqlglot import exp

    return exp.Not(this=exp.Is(this=exp.paren(node.copy()), expression=exp.null()))


def _end_of(part: exp.Expr, records: CountedRecords) -> tuple[str, list[exp.Expr]]:
    """Read `price = (SELECT max(price) FROM hotels WHERE …)`: the column, and what is asked there.

    No column for any other condition with a query.
    """
    from sqlglot import exp

    select = part.expression.unnest() if isinstance(part, exp.EQ) else None
    if not isinstance(select, exp.Select) or len(select.expressions) != 1:
        return "", []
    end = select.expressions[0].unalias()
    is_end = isinstance(end, exp.Max | exp.Min) and isinstance(part.this, exp.Column)
    if not is_end or not isinstance(end.this, exp.Column) or not records.reads(select):
        return "", []
    where = where_of(select)
    inner = [] if where is None else list(split_and(where))
    is_same = end.this.name.lower() == part.this.name.lower()
    return (part.this.name, inner) if is_same else ("", [])


def _ordered_by(root: exp.Select) -> str:
    """Return the column that comes first in an ORDER BY; empty for anything else."""
    from sqlglot import exp

    ordered = root.args["order"].expressions[0].this
    return ordered.name if isinstance(ordered, exp.Column) else ""
