"""What a query computes over the records, where it can be said what unknown cells could change."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from srag_mcp.sqlfacts.trees import (
    ALWAYS,
    are_definite,
    columns_of,
    exp,
    inner_query,
    join_definite,
    make_definite,
    only_says,
    sources_of,
    used_columns,
    where_of,
    without_tables,
    write_all,
    write_plain,
)

if TYPE_CHECKING:
    from srag_mcp.sqlfacts.query import QueryFacts

Function: TypeAlias = Literal[
    "count", "distinct", "sum", "avg", "min", "max", "share", "groups", "compares", "adds", "leads",
    "list", "first"
]  # fmt: skip
_Parts: TypeAlias = "list[exp.Expr]"
_Place: TypeAlias = "tuple[exp.Expr, exp.Select]"  # an expression, and the SELECT that it stands in

_NAMED: dict[str, Function] = {"Sum": "sum", "Avg": "avg", "Min": "min", "Max": "max"}
_NUMBERS = frozenset({"count", "distinct", "sum", "avg", "share", "adds"})
_COMPARING = frozenset({">", ">=", "<", "<=", "=", "<>"})
_OPERATORS = {
    "GT": ">", "GTE": ">=", "LT": "<", "LTE": "<=", "EQ": "=", "NEQ": "<>", "Add": "+", "Sub": "-"
}  # fmt: skip
# What a SELECT may have beside its outputs, so that it reads all records that meet its condition.
_PLAIN = frozenset({"expressions", "from_", "where", "with_", "order", "limit"})
_GROUPED = _PLAIN | {"group"}


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One number over the records, one for each group, or some of the records.

    Attributes:
        function: `count` of records, `distinct` values, `sum`, `avg`, `min`, `max`, `share` of
            records, `groups`: the count of records of each, `compares`: a yes or no that two
            numbers decide, `adds`: the sum or difference of two, the group that `leads` by its
            count of records, a `list` of records, or those that come `first` by *column*.
        condition: Which records; NULL for one that is not known to meet or miss it.
        column: What is summed, averaged, compared, counted by its values or ranked by.
        part: What those among them meet whose share it is.
        factor: What the share is multiplied with: 100 for a percentage.
        keys: What the records are grouped by, or what a list has each of once, as SQL.
        counted: Which records the query takes, as it was written; empty where *condition* says it.
        sides: The numbers that are compared or added up.
        operator: How: `>`, `>=`, `<`, `<=`, `=`, `<>`; `+`, `-`, or `distance`.
    """

    function: Function
    condition: str = ALWAYS
    column: str = ""
    part: str = ""
    factor: float = 1.0
    keys: tuple[str, ...] = ()
    counted: str = ""
    sides: tuple[Aggregate | float, ...] = ()
    operator: str = ""


def read_aggregate(facts: QueryFacts) -> Aggregate | None:
    """Read what a query computes over the records; None for any other query.

    `SELECT 100.0 * count(*) FILTER (pool) / count(pool) FROM hotels WHERE stars > 3` -> share,
    condition `(stars > 3)`, part `(pool)`, factor 100
    """
    root = facts.merged
    if not isinstance(root, exp.Select) or not facts.readings:
        return None
    return _Reader(facts).read(root)


class _Reader:
    def __init__(self, facts: QueryFacts) -> None:
        attributes = facts.schema.attributes
        self._facts = facts
        self._booleans = {item.name.lower() for item in attributes if item.type.is_boolean}

    def read(self, root: exp.Select) -> Aggregate | None:
        if root.args.get("group"):
            return self._groups(root) or self._leading_group(root)
        outputs = root.selects
        found = self._number((outputs[0], root)) if len(outputs) == 1 else None
        if found is not None or any(item.find(exp.AggFunc, exp.Query) for item in outputs):
            return found
        return self._list(root) or self._first(root)

    # Numbers

    def _number(self, place: _Place) -> Aggregate | None:
        """Read one number that a SELECT puts out."""
        node, select = self._resolve(*place)
        while isinstance(node, exp.Not):
            node = node.this.unnest()
        if isinstance(node, exp.Mul | exp.Div):
            return self._quotient(node, select)
        operator = _OPERATORS.get(type(node).__name__)
        if isinstance(node, exp.Abs) and isinstance(node.this.unnest(), exp.Sub):
            return self._of_two(node.this.unnest(), select, "distance")
        if isinstance(node, exp.Binary) and operator is not None:
            return self._of_two(node, select, operator)
        if isinstance(node, exp.Predicate | exp.LogicalOr | exp.LogicalAnd):
            return self._decision(node, select)
        counted = self._counted(node, select, by_column=True)
        return self._of_column(node, select) if counted is None else _of("count", counted)

    def _of_column(self, node: exp.Expr, select: exp.Select) -> Aggregate | None:
        """Read `sum(price)`, `avg(price)`, `count(DISTINCT city)`, `avg(pool::INTEGER)`."""
        function, chosen = _split_filter(node)
        if function is None or not self._reads(select):
            return None
        written = where_of(select) + chosen
        parts, measure = _definite(written), function.this
        if isinstance(measure, exp.Distinct) and len(measure.expressions) == 1:
            measure = measure.expressions[0]
            is_column = isinstance(function, exp.Count) and isinstance(measure, exp.Column)
            return _of("distinct", parts, measure.name) if is_column else None
        condition = self._indicated(measure) if isinstance(function, exp.Avg) else None
        if condition is not None:
            return _share(parts, [*parts, make_definite(condition)], 1.0)
        name = _NAMED.get(type(function).__name__)
        if name is None or not isinstance(measure, exp.Column):
            return None
        found = _of(name, parts, measure.name)
        is_end = found is not None and name in {"min", "max"}
        return replace(found, counted=write_all(written)) if found and is_end else found

    def _counted(
        self,
        node: exp.Expr,
        select: exp.Select,
        clauses: frozenset[str] = _PLAIN,
        *,
        by_column: bool = False,
    ) -> _Parts | None:
        """Return the conditions of the records that *node* counts; None if it does not.

        *by_column*: `count(name)` counts, too. With another condition, a record without the name
        may belong: it is `count(*)` for most who write it. Alone it counts what documents say, of
        which nothing is unknown.
        """
        function, chosen = _split_filter(node)
        if function is None or not self._reads(select, clauses):
            return None
        parts, counted = _definite(where_of(select) + chosen), function.this
        if isinstance(function, exp.CountIf | exp.Sum):
            is_sum = isinstance(function, exp.Sum)
            condition = self._indicated(counted) if is_sum else counted
            return None if condition is None else [*parts, make_definite(condition)]
        if not isinstance(function, exp.Count):
            return None
        if counted is None or isinstance(counted, exp.Star | exp.Literal):
            return parts
        if counted.name.lower() == "document_id" or not isinstance(counted, exp.Column):
            return parts if isinstance(counted, exp.Column) else None
        if not by_column:
            return None
        column = without_tables(counted)
        stated = exp.Not(this=exp.Is(this=column, expression=exp.null()))
        is_alone = not select.args.get("group") and all(part == stated for part in parts)
        return [stated] if is_alone else [*parts, exp.EQ(this=column, expression=column.copy())]

    def _indicated(self, node: exp.Expr | None) -> exp.Expr | None:
        """Return the condition of `CASE WHEN pool THEN 1 ELSE 0 END` or `pool::INTEGER`."""
        node = None if node is None else node.unnest()
        if isinstance(node, exp.Cast):
            inner = node.this.unnest()
            is_condition = isinstance(inner, exp.Predicate) or self._is_boolean(inner)
            return inner if is_condition else None
        if node is None or self._is_boolean(node):
            return node
        choice, other = node, node.args.get("false")
        if isinstance(node, exp.Case) and node.this is None and len(node.args["ifs"]) == 1:
            choice, other = node.args["ifs"][0], node.args.get("default")
        if not isinstance(choice, exp.If):
            return None
        ends = (_figure(choice.args.get("true")), _figure(other))
        return choice.this if ends == (1, 0) else None

    def _is_boolean(self, node: exp.Expr) -> bool:
        return isinstance(node, exp.Column) and node.name.lower() in self._booleans

    # Shares

    def _quotient(self, node: exp.Expr, select: exp.Select) -> Aggregate | None:
        """Read `100.0 * count(*) FILTER (pool) / count(pool)`, the factor anywhere."""
        factor, quotient, select = self._without_factor(node, select)
        if not isinstance(quotient, exp.Div):
            share = self._of_column(quotient, select)
            is_share = share is not None and share.function == "share"
            return replace(share, factor=factor) if share is not None and is_share else None
        more, top, top_select = self._without_factor(quotient.left, select)
        part = self._counted(top, top_select)
        whole = None if part is None else self._whole(quotient.right, select, part)
        return None if part is None or whole is None else _share(whole, part, factor * more)

    def _without_factor(
        self, node: exp.Expr, select: exp.Select
    ) -> tuple[float, exp.Expr, exp.Select]:
        node, select = self._resolve(node, select)
        if isinstance(node, exp.Mul):
            sides = (node.left.unnest(), node.right.unnest())
            for literal, other in (sides, sides[::-1]):
                if (figure := _figure(literal)) is not None:
                    factor, found, select = self._without_factor(other, select)
                    return figure * factor, found, select
        return 1.0, node, select

    def _whole(self, node: exp.Expr, select: exp.Select, part: _Parts) -> _Parts | None:
        """Read what a share is of: all records, or those that say what is asked."""
        node, select = self._resolve(node, select)
        if isinstance(node, exp.Nullif):
            node, select = self._resolve(node.this, select)
        if isinstance(node, exp.Count) and node.this is not None and self._reads(select):
            stated = columns_of(node.this)
            if stated and stated <= used_columns(part):
                return _definite(where_of(select))
        return self._counted(node, select)

    # Yes and no

    def _decision(self, node: exp.Expr, select: exp.Select) -> Aggregate | None:
        """Read what the number of some records decides: `EXISTS (…)`, `bool_and(pool)`."""
        wanted: _Parts = []
        if isinstance(node, exp.Exists) and isinstance(node.this, exp.Select):
            select = node.this
        elif isinstance(node, exp.LogicalOr | exp.LogicalAnd):
            wanted = [exp.not_(node.this) if isinstance(node, exp.LogicalAnd) else node.this]
        else:
            return None
        deciding = _of("count", _definite([*where_of(select), *wanted]))
        if deciding is None or not self._reads(select):
            return None
        return Aggregate("compares", sides=(deciding, 0.0), operator=">")

    def _of_two(self, node: exp.Binary, select: exp.Select, operator: str) -> Aggregate | None:
        """Read what compares two numbers or adds them up: `count(*) >= 2`, `max(a) - max(b)`."""
        sides = [self._side(side.unnest(), select) for side in (node.left, node.right)]
        known = tuple(side for side in sides if side is not None)
        if len(known) < len(sides) or all(isinstance(side, float) for side in sides):
            return None
        function: Function = "compares" if operator in _COMPARING else "adds"
        return Aggregate(function, sides=known, operator=operator)

    def _side(self, node: exp.Expr, select: exp.Select) -> Aggregate | float | None:
        if (figure := _figure(node)) is not None:
            return figure
        found = self._number((node, select))
        return found if found is not None and found.function in _NUMBERS else None

    # Records

    def _groups(self, root: exp.Select) -> Aggregate | None:
        """Read a count of records by group: `SELECT city, count(*) FROM hotels GROUP BY city`."""
        outputs = [item.unalias() for item in root.selects]
        keys = [item for item in outputs if item.find(exp.AggFunc) is None]
        counts = [item for item in outputs if item.find(exp.AggFunc) is not None]
        if len(counts) != 1 or not _puts_out_its_keys(root, keys):
            return None
        function, chosen = _split_filter(counts[0])
        parts = self._counted(counts[0], root, _GROUPED, by_column=True)
        if parts is None or isinstance(function, exp.Sum) or function is None:
            return None
        definite = _definite(keys)
        if not are_definite(*parts, *definite):
            return None
        counted = function.this
        asks = [counted] if isinstance(function, exp.CountIf) else []
        asks += [_not_null(counted)] if isinstance(counted, exp.Column) and not asks else []
        written = [*where_of(root), *chosen, *asks, *map(_not_null, keys)]
        names = {name for key in definite for name in columns_of(key)}
        return Aggregate(
            "groups",
            join_definite(parts, names),
            keys=tuple(map(write_plain, definite)),
            counted=write_all(written),
        )

    def _leading_group(self, root: exp.Select) -> Aggregate | None:
        """Read which group has the most records: `GROUP BY city ORDER BY count(*) DESC LIMIT 1`."""
        keys = [item.unalias() for item in root.selects]
        ranked = first_ranked(root)
        if ranked is None or ranked[1].name != "1" or any(key.find(exp.AggFunc) for key in keys):
            return None
        count, is_most = ranked[0].this, ranked[0].args.get("desc")
        if not isinstance(count, exp.Count) or not is_most:
            return None
        parts = self._counted(count, root, _GROUPED | {"qualify"})
        names = {name for key in keys for name in columns_of(key)}
        if parts is None or not _puts_out_its_keys(root, keys) or not are_definite(*parts, *keys):
            return None
        written = tuple(map(write_plain, keys))
        return Aggregate("leads", join_definite(parts, names), keys=written)

    def _list(self, root: exp.Select) -> Aggregate | None:
        """Read a list of the records that meet a condition, each or each value once."""
        is_cut = bool(root.args.get("limit") and root.args.get("order"))
        if is_cut or not self._reads(root, _PLAIN | {"distinct"}) or root.find(exp.Window):
            return None
        parts, outputs = _definite(where_of(root)), [item.unalias() for item in root.selects]
        keys = outputs if root.args.get("distinct") else []
        if not are_definite(*parts, *keys):
            return None
        names = {name for item in outputs for name in columns_of(item)}
        return Aggregate(
            "list",
            join_definite(parts, names),
            keys=tuple(map(write_plain, keys)),
            counted=write_all(where_of(root)),
        )

    def _first(self, root: exp.Select) -> Aggregate | None:
        """Read which records are first: `price = (SELECT max(price) …)`, `ORDER BY … LIMIT`."""
        if not self._reads(root) or root.find(exp.Window) is not None:
            return None
        asked = where_of(root)
        ends = [item for item in asked if item.find(exp.Query) is not None]
        others = [item for item in asked if item not in ends]
        limit, order = root.args.get("limit"), root.args.get("order")
        found: tuple[exp.Expr, _Parts] | None = None
        if len(ends) == 1 and not limit:
            found = self._end(ends[0])
        elif not ends and limit and order:
            found = order.expressions[0].this, others
        if found is None or not isinstance(found[0], exp.Column):
            return None
        column = found[0].name
        also = {name for item in root.selects for name in columns_of(item)} | {column.lower()}
        outer, within = _definite(others), _definite(found[1])
        condition = join_definite(outer, also)
        if not are_definite(*outer) or condition != join_definite(within, also):
            return None
        return Aggregate("first", condition, column, counted=write_all(others))

    def _end(self, part: exp.Expr) -> tuple[exp.Expr, _Parts] | None:
        """Read `price = (SELECT max(price) … WHERE …)`: the column, and what is asked there."""
        select = part.expression.unnest() if isinstance(part, exp.EQ) else None
        if not isinstance(select, exp.Select) or len(select.selects) != 1:
            return None
        end = select.selects[0].unalias()
        is_end = isinstance(end, exp.Max | exp.Min) and isinstance(end.this, exp.Column)
        if not is_end or not self._reads(select) or end.this.name.lower() != part.this.name.lower():
            return None
        return part.this, where_of(select)

    # Places

    def _resolve(self, node: exp.Expr, select: exp.Select) -> _Place:
        """Unwrap *node*, and go where a subquery or a column of a CTE of one row leads."""
        node = node.unalias()
        while isinstance(node, exp.Paren | exp.Round | exp.Cast):
            node = node.this
        inner = node.unnest()
        if isinstance(inner, exp.Select) and len(inner.selects) == 1:
            return self._resolve(inner.selects[0], inner)
        if isinstance(node, exp.Column) and node.table:
            meant = [s for s in sources_of(select) if s.alias_or_name.lower() == node.table.lower()]
            source = inner_query(meant[0]) if meant else None
            if isinstance(source, exp.Select) and not source.args.get("group"):
                named = {item.alias_or_name.lower(): item for item in source.selects}
                if node.name.lower() in named:
                    return self._resolve(named[node.name.lower()], source)
        return node, select

    def _reads(self, select: exp.Select, clauses: frozenset[str] = _PLAIN) -> bool:
        """Whether *select* reads the records, and nothing but a condition picks among them."""
        sources = sources_of(select)
        is_plain = all(key in clauses for key, value in select.args.items() if value)
        return len(sources) == 1 and self._facts.is_records(sources[0]) and is_plain


def _of(function: Function, parts: _Parts, column: str = "") -> Aggregate | None:
    if not are_definite(*parts):
        return None
    return Aggregate(function, join_definite(parts, [column]), column)


def _share(whole: _Parts, part: _Parts, factor: float) -> Aggregate | None:
    found = _divide(whole, part)
    if found is None or not are_definite(*found[0], *found[1]):
        return None
    condition, within = map(join_definite, found)
    return Aggregate("share", condition, part=within, factor=factor)


def _divide(whole: _Parts, part: _Parts) -> tuple[_Parts, _Parts] | None:
    """Return the conditions of *whole*, and those that *part* has beside them.

    None where *part* is not within *whole*, or not smaller.
    """
    used = used_columns(part)
    whole, part = ([item for item in side if not only_says(item, used)] for side in (whole, part))
    of_whole, of_part = set(map(write_plain, whole)), set(map(write_plain, part))
    within = [item for item in part if write_plain(item) not in of_whole]
    return (whole, within) if within and of_whole <= of_part else None


def _definite(parts: _Parts) -> _Parts:
    return [make_definite(part) for part in parts]


def _split_filter(node: exp.Expr) -> tuple[exp.Expr | None, _Parts]:
    """Return an aggregate function and the parts of its FILTER."""
    if isinstance(node, exp.Filter):
        return node.this, where_of(node)
    return (node, []) if isinstance(node, exp.AggFunc) else (None, [])


def group_keys(select: exp.Select) -> list[exp.Expr] | None:
    """Return what *select* groups by, with places and aliases put into what they stand for.

    None for ROLLUP and its like, and for a place that there is not. A constant is no key.
    """
    group = select.args["group"]
    outputs = [item.unalias() for item in select.expressions]
    if any(group.args.get(name) for name in ("rollup", "cube", "grouping_sets", "totals")):
        return None
    if group.args.get("all"):
        return [item for item in outputs if item.find(exp.AggFunc) is None]
    named = {item.alias.lower(): item.unalias() for item in select.expressions if item.alias}
    keys: list[exp.Expr] = []
    for item in group.expressions:
        found = item.unnest()
        if isinstance(found, exp.Literal):
            if not found.is_int:
                continue
            if not 0 < int(found.name) <= len(outputs):
                return None
            found = outputs[int(found.name) - 1]
        elif isinstance(found, exp.Column) and found not in outputs:
            found = named.get(found.name.lower(), found)
        keys.append(found)
    return keys


def first_ranked(select: exp.Select) -> tuple[exp.Ordered, exp.Literal] | None:
    """Return by what the first groups of *select* are ranked, and how many it takes.

    `… QUALIFY rank() OVER (ORDER BY count(*) DESC) = 1`, `… ORDER BY 2 DESC LIMIT 1`
    """
    qualify, limit, order = (select.args.get(name) for name in ("qualify", "limit", "order"))
    wanted = None if limit is None else limit.expression
    if qualify is not None and (
        limit is not None or not isinstance(qualify.this, exp.EQ | exp.LTE)
    ):
        return None
    if qualify is not None:
        rank, wanted = qualify.this.this, qualify.this.expression
        is_rank = isinstance(rank, exp.Window) and isinstance(rank.this, exp.Rank)
        order = rank.args.get("order") if is_rank and not rank.args.get("partition_by") else None
    if order is None or not isinstance(wanted, exp.Literal) or select.args.get("offset"):
        return None
    ranked: exp.Ordered = order.expressions[0].copy()
    named = {item.alias.lower(): item.unalias() for item in select.selects if item.alias}
    place = (
        int(ranked.this.name) if isinstance(ranked.this, exp.Literal) and ranked.this.is_int else 0
    )
    if 0 < place <= len(select.selects):
        ranked.set("this", select.selects[place - 1].unalias().copy())
    elif ranked.this.name.lower() in named:
        ranked.set("this", named[ranked.this.name.lower()].copy())
    return ranked, wanted


def _puts_out_its_keys(root: exp.Select, outputs: _Parts) -> bool:
    """Whether all that *root* groups by is put out: else a row is a part of what it names."""
    keys, shown = group_keys(root), set(map(write_plain, outputs))
    return bool(keys) and all(write_plain(key) in shown for key in keys or ())


def _not_null(node: exp.Expr) -> exp.Expr:
    return exp.Not(this=exp.Is(this=exp.paren(node.copy()), expression=exp.null()))


def _figure(node: exp.Expr | None) -> float | None:
    return float(node.name) if isinstance(node, exp.Literal) and not node.is_string else None
