"""What a query computes over the records, where it can be said what unknown cells could change."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from srag_mcp.sqlfacts.trees import (
    ALWAYS,
    all_of,
    columns_of,
    exp,
    inner_query,
    is_definite,
    join_definite,
    make_definite,
    sources_of,
    stated_column,
    used_columns,
    where_of,
    write,
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
    reader = _Reader(facts)
    if root.args.get("group"):
        return reader.groups(root)
    found = reader.number(root.selects[0], root) if len(root.selects) == 1 else None
    if found is not None or any(item.find(exp.AggFunc, exp.Query) for item in root.selects):
        return found
    return None if root.find(exp.Window) else reader.records(root) or reader.first(root)


class _Reader:
    def __init__(self, facts: QueryFacts) -> None:
        attributes = facts.schema.attributes
        self._facts = facts
        self._booleans = {item.name.lower() for item in attributes if item.type.is_boolean}

    # Numbers

    def number(self, node: exp.Expr, select: exp.Select) -> Aggregate | None:
        """Read one number that a SELECT puts out."""
        node, select = self._resolve(node, select)
        while isinstance(node, exp.Not):
            node = node.this.unnest()
        if isinstance(node, exp.Mul | exp.Div):
            return self._quotient(node, select)
        if isinstance(node, exp.Abs) and isinstance(node.this.unnest(), exp.Sub):
            return self._of_two(node.this.unnest(), select, "distance")
        operator = _OPERATORS.get(type(node).__name__)
        if isinstance(node, exp.Binary) and operator is not None:
            return self._of_two(node, select, operator)
        if isinstance(node, exp.Exists | exp.LogicalOr | exp.LogicalAnd):
            return self._decision(node, select)
        counted = self._counted(node, select, by_column=True)
        return self._of_column(node, select) if counted is None else _of("count", counted)

    def _of_column(self, node: exp.Expr, select: exp.Select) -> Aggregate | None:
        """Read `sum(price)`, `avg(price)`, `count(DISTINCT city)`, `avg(pool::INTEGER)`."""
        function, chosen = _split_filter(node)
        if function is None or not self._reads(select):
            return None
        written, measure = where_of(select) + chosen, function.this
        parts, name = _definite(written), _NAMED.get(type(function).__name__)
        if isinstance(measure, exp.Distinct) and len(measure.expressions) == 1:
            measure = measure.expressions[0]
            name = "distinct" if isinstance(function, exp.Count) else None
        condition = self._indicated(measure) if name == "avg" else None
        if condition is not None:
            return _share(parts, [*parts, make_definite(condition)], 1.0)
        found = _of(name, parts, measure.name) if name and isinstance(measure, exp.Column) else None
        is_end = found is not None and name in {"min", "max"}
        return replace(found, counted=all_of(written) or ALWAYS) if found and is_end else found

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
        if not isinstance(counted, exp.Column) or counted.name.lower() == "document_id":
            return parts if isinstance(counted, exp.Column) else None
        if not by_column:
            return None
        stated = _not_null(counted)
        if not select.args.get("group") and all(write(part) == write(stated) for part in parts):
            return [stated]
        return [*parts, exp.EQ(this=counted.copy(), expression=counted.copy())]

    def _indicated(self, node: exp.Expr | None) -> exp.Expr | None:
        """Return the condition of `CASE WHEN pool THEN 1 ELSE 0 END` or `pool::INTEGER`."""
        node = None if node is None else node.unnest()
        inner = node.this.unnest() if isinstance(node, exp.Cast) else node
        is_boolean = isinstance(inner, exp.Column) and inner.name.lower() in self._booleans
        if is_boolean or isinstance(node, exp.Cast):
            return inner if is_boolean or isinstance(inner, exp.Predicate) else None
        choice, other = node, None if node is None else node.args.get("false")
        if isinstance(node, exp.Case) and node.this is None and len(node.args["ifs"]) == 1:
            choice, other = node.args["ifs"][0], node.args.get("default")
        if not isinstance(choice, exp.If):
            return None
        ends = (_figure(choice.args.get("true")), _figure(other))
        return choice.this if ends == (1, 0) else None

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
        if part is None:
            return None
        # What it is a share of: all records, or those that say what is asked.
        below, select = self._resolve(quotient.right, select)
        if isinstance(below, exp.Nullif):
            below, select = self._resolve(below.this, select)
        is_count = isinstance(below, exp.Count) and below.this is not None and self._reads(select)
        if is_count and set() < columns_of(below.this) <= used_columns(part):
            return _share(_definite(where_of(select)), part, factor * more)
        whole = self._counted(below, select)
        return None if whole is None else _share(whole, part, factor * more)

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

    # Yes and no

    def _decision(self, node: exp.Expr, select: exp.Select) -> Aggregate | None:
        """Read what the number of some records decides: `EXISTS (…)`, `bool_and(pool)`."""
        wanted = [exp.not_(node.this) if isinstance(node, exp.LogicalAnd) else node.this]
        if isinstance(node, exp.Exists):
            select, wanted = node.this, []
        if not isinstance(select, exp.Select) or not self._reads(select):
            return None
        deciding = _of("count", _definite([*where_of(select), *wanted]))
        return deciding and Aggregate("compares", sides=(deciding, 0.0), operator=">")

    def _of_two(self, node: exp.Binary, select: exp.Select, operator: str) -> Aggregate | None:
        """Read what compares two numbers or adds them up: `count(*) >= 2`, `max(a) - max(b)`."""
        sides: list[Aggregate | float] = []
        for side in (node.left.unnest(), node.right.unnest()):
            figure = _figure(side)
            found = self.number(side, select) if figure is None else None
            if found is not None and found.function in _NUMBERS:
                sides.append(found)
            elif figure is not None:
                sides.append(figure)
        if len(sides) < 2 or all(isinstance(side, float) for side in sides):
            return None
        function: Function = "adds" if operator in {"+", "-", "distance"} else "compares"
        return Aggregate(function, sides=tuple(sides), operator=operator)

    # Records

    def groups(self, root: exp.Select) -> Aggregate | None:
        """Read a count of records by group, or which group has the most records.

        `SELECT city, count(*) … GROUP BY city`, `… GROUP BY city ORDER BY count(*) DESC LIMIT 1`
        """
        outputs = [item.unalias() for item in root.selects]
        keys = [item for item in outputs if item.find(exp.AggFunc) is None]
        counts = [item for item in outputs if item.find(exp.AggFunc) is not None]
        ranked = None if counts else first_ranked(root)
        grouped, shown = group_keys(root), set(map(write, keys))
        if not grouped or any(write(key) not in shown for key in grouped):
            return None  # a row is a part of what it names
        if ranked is not None:
            count, n_first = ranked[0].this, ranked[1].name
            if n_first != "1" or not ranked[0].args.get("desc") or not isinstance(count, exp.Count):
                return None
            return _of_records("leads", self._counted(count, root, _GROUPED | {"qualify"}), keys)
        function, chosen = _split_filter(counts[0]) if len(counts) == 1 else (None, [])
        if function is None or isinstance(function, exp.Sum):
            return None
        parts, counted = self._counted(counts[0], root, _GROUPED, by_column=True), function.this
        is_condition = isinstance(function, exp.CountIf)
        stated = [
            *([counted] if isinstance(counted, exp.Column) and not is_condition else []),
            *keys,
        ]
        written = [*where_of(root), *chosen, *([counted] if is_condition else [])]
        written += [_not_null(exp.paren(item.copy())) for item in stated]
        return _of_records("groups", parts, _definite(keys), written)

    def records(self, root: exp.Select) -> Aggregate | None:
        """Read a list of the records that meet a condition, each or each value once."""
        is_cut = bool(root.args.get("limit") and root.args.get("order"))
        if is_cut or not self._reads(root, _PLAIN | {"distinct"}):
            return None
        asked, outputs = where_of(root), [item.unalias() for item in root.selects]
        keys = outputs if root.args.get("distinct") else []
        return _of_records("list", _definite(asked), keys, asked, outputs)

    def first(self, root: exp.Select) -> Aggregate | None:
        """Read which records are first: `price = (SELECT max(price) …)`, `ORDER BY … LIMIT`."""
        asked, order = where_of(root), root.args.get("order")
        ends = [item for item in asked if item.find(exp.Query) is not None]
        others = [item for item in asked if item not in ends]
        if not self._reads(root) or len(ends) > 1 or bool(ends) == bool(root.args.get("limit")):
            return None
        column, within = order and order.expressions[0].this, others
        if ends:
            column, select = ends[0].this, ends[0].expression
            select = select.unnest() if isinstance(ends[0], exp.EQ) else None
            if not isinstance(select, exp.Select) or len(select.selects) != 1:
                return None
            end, within = select.selects[0].unalias(), where_of(select)
            is_end = isinstance(end, exp.Max | exp.Min) and isinstance(end.this, exp.Column)
            if not is_end or end.this.name.lower() != column.name.lower():
                return None
            column = column if self._reads(select) else None
        if not isinstance(column, exp.Column):
            return None
        also = {name for item in root.selects for name in columns_of(item)} | {column.name.lower()}
        outer = _definite(others)
        condition = join_definite(outer, also)
        if not is_definite(*outer) or condition != join_definite(_definite(within), also):
            return None
        return Aggregate("first", condition, column.name, counted=all_of(others) or ALWAYS)

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
    if not is_definite(*parts):
        return None
    return Aggregate(function, join_definite(parts, [column]), column)


def _of_records(
    function: Function,
    parts: _Parts | None,
    keys: _Parts,
    written: _Parts | None = None,
    outputs: _Parts | None = None,
) -> Aggregate | None:
    """Return a list or groups; None where *parts*, or a key, are not definite."""
    if parts is None or not is_definite(*parts, *keys):
        return None
    condition = join_definite(parts, {name for x in outputs or keys for name in columns_of(x)})
    counted = "" if written is None else all_of(written) or ALWAYS
    return Aggregate(function, condition, keys=tuple(map(write, keys)), counted=counted)


def _share(whole: _Parts, part: _Parts, factor: float) -> Aggregate | None:
    """Return the share of *part* in *whole*; None where it is not within it, or not smaller."""
    used = used_columns(part)
    whole, part = ([x for x in side if stated_column(x) not in used] for side in (whole, part))
    of_whole, of_part = set(map(write, whole)), set(map(write, part))
    within = [item for item in part if write(item) not in of_whole]
    if not within or not of_whole <= of_part or not is_definite(*whole, *within):
        return None
    return Aggregate("share", join_definite(whole), part=join_definite(within), factor=factor)


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
    keys: list[exp.Expr] = []
    for item in group.expressions:
        key = item.unnest()
        if isinstance(key, exp.Literal) and key.is_int:
            if not 0 < int(key.name) <= len(outputs):
                return None
            keys.append(outputs[int(key.name) - 1])
        elif not isinstance(key, exp.Literal):
            is_name = isinstance(key, exp.Column) and key not in outputs
            keys.append(_meant(key, select) if is_name else key)
    return keys


def first_ranked(select: exp.Select) -> tuple[exp.Ordered, exp.Literal] | None:
    """Return by what the first groups of *select* are ranked, and how many it takes.

    `… QUALIFY rank() OVER (ORDER BY count(*) DESC) = 1`, `… ORDER BY 2 DESC LIMIT 1`
    """
    qualify, limit, order = (select.args.get(name) for name in ("qualify", "limit", "order"))
    wanted = None if limit is None else limit.expression
    if qualify is not None:
        if limit is not None or not isinstance(qualify.this, exp.EQ | exp.LTE):
            return None
        rank, wanted = qualify.this.this, qualify.this.expression
        is_rank = isinstance(rank, exp.Window) and isinstance(rank.this, exp.Rank)
        order = rank.args.get("order") if is_rank and not rank.args.get("partition_by") else None
    if order is None or not isinstance(wanted, exp.Literal) or select.args.get("offset"):
        return None
    ranked: exp.Ordered = order.expressions[0].copy()
    ranked.set("this", _meant(ranked.this, select).copy())
    return ranked, wanted


def _meant(node: exp.Expr, select: exp.Select) -> exp.Expr:
    """Return the output that a place or an alias stands for; *node* itself where it is neither."""
    outputs = select.selects
    if isinstance(node, exp.Literal) and node.is_int and 0 < int(node.name) <= len(outputs):
        return outputs[int(node.name) - 1].unalias()
    named = {item.alias.lower(): item.unalias() for item in outputs if item.alias}
    return named.get(node.name.lower(), node)


def _not_null(node: exp.Expr) -> exp.Expr:
    return exp.Not(this=exp.Is(this=node.copy(), expression=exp.null()))


def _figure(node: exp.Expr | None) -> float | None:
    return float(node.name) if isinstance(node, exp.Literal) and not node.is_string else None
