"""What a query computes over the records, where it can be said what unknown cells could change."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from srag_mcp.sqlfacts.trees import (
    ALWAYS,
    Gaps,
    all_of,
    columns_of,
    exp,
    is_definite,
    join_definite,
    make_definite,
    meanings_of,
    not_null,
    sources_of,
    split_and,
    stated_column,
    used_columns,
    where_of,
    write,
)

if TYPE_CHECKING:
    from srag_mcp.sqlfacts.query import QueryFacts

Function: TypeAlias = Literal[
    "count", "distinct", "sum", "amount", "share", "both", "min", "max", "groups", "leads", "list",
    "first"
]  # fmt: skip
_Parts: TypeAlias = "list[exp.Expr]"

_NUMBERS = frozenset({"count", "distinct", "sum", "amount", "share", "both"})
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
        function: `count` of records, `distinct` values, `sum`, another `amount` that no higher
            value makes lower (an average, a median, a quantile), `share` of records, `both`: what
            two numbers make, `min`, `max`, `groups`: the count of records of each, the group that
            `leads` by it, a `list` of records, or those that come `first` by *column*.
        condition: Which records; NULL for one that is not known to meet or miss it.
        column: What is summed, averaged, counted by its values or ranked by.
        formula: A sum or amount as SQL, of `value`: `AVG(value)`.
        part: What those among them meet whose share it is.
        factor: What the number is multiplied with: 100 for a percentage.
        keys: What the records are grouped by, or what a list has each of once, as SQL.
        counted: Which records the query takes, as it was written; empty where *condition* says it.
        sides: The two numbers.
        operator: What they make: `+`, `-`, `distance`, or whether `>`, `>=`, `<`, `<=`, `=`, `<>`.
        has_gaps: Whether what is ranked by may be unknown where it is NULL.
        order: By what the records come first, as SQL: `price DESC`.
        n_first: How many places there are; several records may share one.
    """

    function: Function
    condition: str = ALWAYS
    column: str = ""
    formula: str = ""
    part: str = ""
    factor: float = 1.0
    keys: tuple[str, ...] = ()
    counted: str = ""
    sides: tuple[Aggregate | float, ...] = ()
    operator: str = ""
    has_gaps: bool = True
    order: str = ""
    n_first: int = 1

    @property
    def decides(self) -> bool:
        """Whether it is a yes or no that two numbers decide."""
        return self.function == "both" and self.operator not in {"+", "-", "distance"}


def read_aggregate(facts: QueryFacts, gaps: Gaps) -> Aggregate | None:
    """Read what a query computes over the records; None for any other query.

    Of records that are known to have no value in a column, the conditions on it are not NULL.

    `SELECT 100.0 * count(*) FILTER (pool) / count(pool) FROM hotels WHERE stars > 3` -> share,
    condition `(stars > 3)`, part `(pool)`, factor 100
    """
    root = facts.merged
    if not isinstance(root, exp.Select) or not facts.readings:
        return None
    reader = _Reader(facts, gaps)
    if root.args.get("group"):
        return reader.groups(root)
    found = reader.number(root.selects[0], root) if len(root.selects) == 1 else None
    if found is not None or any(item.find(exp.AggFunc, exp.Query) for item in root.selects):
        return found
    return None if root.find(exp.Window) else reader.records(root) or reader.first(root)


class _Reader:
    def __init__(self, facts: QueryFacts, gaps: Gaps) -> None:
        attributes = facts.schema.attributes
        self._facts, self._gaps = facts, gaps
        self._booleans = {item.name.lower() for item in attributes if item.type.is_boolean}

    def number(self, node: exp.Expr, select: exp.Select) -> Aggregate | None:
        """Read one number, or a yes or no, that a SELECT puts out."""
        factor, node, select = self._resolve(node, select)
        if isinstance(node, exp.Not):
            return self.number(node.this, select)
        operator = _OPERATORS.get(type(node).__name__, "")
        if isinstance(node, exp.Abs) and isinstance(node.this.unnest(), exp.Sub):
            node, operator = node.this.unnest(), "distance"
        if isinstance(node, exp.Div):
            found = self._share(node, select)
        elif operator and isinstance(node, exp.Binary):
            found = self._of_two(node, select, operator)
        elif isinstance(node, exp.Exists | exp.LogicalOr | exp.LogicalAnd):
            found = self._decision(node, select)
        else:
            counted = self._counted(node, select, by_column=True)
            found = (
                self._of_column(node, select)
                if counted is None
                else self._of("count", counted, None)
            )
        return None if found is None else replace(found, factor=factor * found.factor)

    def _of_column(self, node: exp.Expr, select: exp.Select) -> Aggregate | None:
        """Read `sum(price)`, `median(price)`, `count(DISTINCT city)`, `avg(pool::INTEGER)`."""
        function, chosen = _split_filter(node)
        if function is None or not self._reads(select):
            return None
        written, measure = where_of(select) + chosen, function.this
        parts = self._definite(written)
        if isinstance(function, exp.Count) and isinstance(measure, exp.Distinct):
            [listed, *more] = measure.expressions
            is_one = isinstance(listed, exp.Column) and not more
            return self._of("distinct", parts, listed) if is_one else None
        condition = self._indicated(measure) if isinstance(function, exp.Avg) else None
        if condition is not None:
            # an average of `pool::INTEGER` leaves NULL out, that of a CASE does not
            if not isinstance(measure.unnest(), exp.Case | exp.If):
                used, stated = columns_of(condition), self._stated(exp.paren(condition.copy()))
                if not stated and not used.isdisjoint(self._gaps.none):
                    return None
                parts = [*parts, *stated]
            return self._part_of(parts, [*parts, *self._definite([condition])])
        if not isinstance(measure, exp.Column):
            return None
        if isinstance(function, exp.Min | exp.Max):
            found = self._of("min" if isinstance(function, exp.Min) else "max", parts, measure)
            return found and replace(found, counted=all_of(written) or ALWAYS)
        if not isinstance(function, exp.Sum | exp.Avg | exp.Median | exp.PercentileCont):
            return None
        found = self._of("sum" if isinstance(function, exp.Sum) else "amount", parts, measure)
        formula = function.copy()
        formula.set("this", exp.column("value"))
        return found and replace(found, formula=write(formula))

    def _counted(
        self,
        node: exp.Expr,
        select: exp.Select,
        clauses: frozenset[str] = _PLAIN,
        *,
        by_column: bool = False,
    ) -> _Parts | None:
        """Return the conditions of the records that *node* counts; None if it does not."""
        function, chosen = _split_filter(node)
        if function is None or not self._reads(select, clauses):
            return None
        parts, counted = self._definite(where_of(select) + chosen), function.this
        if isinstance(function, exp.CountIf | exp.Sum):
            is_sum = isinstance(function, exp.Sum)
            condition = self._indicated(counted) if is_sum else counted
            return None if condition is None else [*parts, *self._definite([condition])]
        if not isinstance(function, exp.Count):
            return None
        if counted is None or isinstance(counted, exp.Star | exp.Literal):
            return parts
        if not isinstance(counted, exp.Column) or counted.name.lower() == "document_id":
            return parts if isinstance(counted, exp.Column) else None
        if not by_column:
            return None
        stated = not_null(counted)
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

    def _share(self, node: exp.Div, select: exp.Select) -> Aggregate | None:
        """Read `100.0 * count(*) FILTER (pool) / count(pool)`."""
        if self._gaps.mixed & columns_of(select) and make_definite(select) != select:
            return None
        factor, top, top_select = self._resolve(node.left, select)
        part = self._counted(top, top_select)
        more, below, select = self._resolve(node.right, select)
        if isinstance(below, exp.Nullif):
            more, below, select = self._resolve(below.this, select)
        if part is None or more != 1:
            return None
        # What it is a share of: all records, or those that say what is asked.
        counted = below.this if isinstance(below, exp.Count) and self._reads(select) else None
        # these are not met without it
        asked = [x for x in part if x.find(exp.Or, exp.Is) is None and is_definite(x)]
        if isinstance(counted, exp.Column) and counted.name.lower() in used_columns(asked):
            stated = self._stated(counted)
            whole: _Parts | None = [*self._definite(where_of(select)), *stated]
            part = [*part, *stated]
        else:
            whole = self._counted(below, select)
        found = None if whole is None else self._part_of(whole, part)
        return found and replace(found, factor=factor)

    def _of_two(self, node: exp.Expr, select: exp.Select, operator: str) -> Aggregate | None:
        """Read what compares two numbers or adds them up: `count(*) >= 2`, `max(a) - max(b)`."""
        sides: list[Aggregate | float] = []
        for side in (node.this, node.expression):
            figure = _figure(side.unnest())
            found = self.number(side, select) if figure is None else None
            if found is not None and found.function in _NUMBERS and not found.decides:
                sides.append(found)
            elif figure is not None:
                sides.append(figure)
        if len(sides) < 2 or all(isinstance(side, float) for side in sides):
            return None
        return Aggregate("both", sides=tuple(sides), operator=operator)

    def _decision(self, node: exp.Expr, select: exp.Select) -> Aggregate | None:
        """Read what the number of some records decides: `EXISTS (…)`, `bool_and(pool)`."""
        wanted = [exp.not_(node.this) if isinstance(node, exp.LogicalAnd) else node.this]
        if isinstance(node, exp.Exists):
            select, wanted = node.this, []
        if not isinstance(select, exp.Select) or not self._reads(select):
            return None
        deciding = self._of("count", self._definite([*where_of(select), *wanted]), None)
        return deciding and Aggregate("both", sides=(deciding, 0.0), operator=">")

    def groups(self, root: exp.Select) -> Aggregate | None:
        """Read a count of records by group, or which group has the most records."""
        outputs = [item.unalias() for item in root.selects]
        keys = [item for item in outputs if item.find(exp.AggFunc) is None]
        counts = [item for item in outputs if item.find(exp.AggFunc) is not None]
        function: Function = "groups" if counts else "leads"
        clauses = _GROUPED
        if not counts and (ranked := first_ranked(root)) is not None:
            order, n_first = ranked
            is_first = n_first.name == "1" and order.args.get("desc")
            counts = [order.this] if is_first and isinstance(order.this, exp.Count) else []
            clauses = _GROUPED | {"qualify"}
        grouped, shown = group_keys(root), set(map(write, keys))
        if not grouped or any(write(key) not in shown for key in grouped) or len(counts) != 1:
            return None  # a row is a part of what it names
        counting, chosen = _split_filter(counts[0])
        if counting is None or isinstance(counting, exp.Sum):
            return None
        parts, counted = self._counted(counts[0], root, clauses, by_column=True), counting.this
        is_condition = isinstance(counting, exp.CountIf)
        stated: _Parts = [counted] if isinstance(counted, exp.Column) and not is_condition else []
        written = [*where_of(root), *chosen, *([counted] if is_condition else [])]
        stated += [key for key in keys if not self._gaps.settle(key)]
        written += [not_null(exp.paren(item.copy())) for item in stated]
        return self._of_records(function, parts, self._definite(keys), written)

    def records(self, root: exp.Select) -> Aggregate | None:
        """Read a list of the records that meet a condition, each or each value once."""
        is_cut = bool(root.args.get("limit") and root.args.get("order"))
        if is_cut or not self._reads(root, _PLAIN | {"distinct"}):
            return None
        asked, outputs = where_of(root), [item.unalias() for item in root.selects]
        keys = outputs if root.args.get("distinct") else []
        return self._of_records("list", self._definite(asked), keys, asked, outputs)

    def first(self, root: exp.Select) -> Aggregate | None:
        """Read which records are first: `price = (SELECT max(price) …)`, `ORDER BY … LIMIT`."""
        asked, order = where_of(root), root.args.get("order")
        ends = [item for item in asked if item.find(exp.Query) is not None]
        shown = {name for item in root.selects for name in columns_of(item)}
        # who has no value of what else is put out competes
        others = [x for x in asked if x not in ends and stated_column(x) not in shown]
        others = self._definite(others)
        if not self._reads(root) or len(ends) > 1 or bool(ends) == bool(root.args.get("limit")):
            return None
        column, end = order and order.expressions[0].this, None
        if ends:
            column = ends[0].this
            end = self.number(ends[0].expression, root) if isinstance(ends[0], exp.EQ) else None
        if not isinstance(column, exp.Column) or not self._is_definite(*others):
            return None
        also = {*shown, column.name.lower()}
        condition = join_definite(others, also, self._gaps)
        found = Aggregate("first", condition, column.name, has_gaps=not self._stated(column))
        falls = end.function == "max" if end else order and order.expressions[0].args.get("desc")
        first = None if ends else _figure(root.args["limit"].expression)
        found = replace(
            found,
            counted=all_of(x for x in asked if x not in ends) or ALWAYS,
            order=f"{write(column)} {'DESC' if falls else 'ASC'}",
            n_first=int(first or 1),
        )
        of_end = end and (end.function in {"min", "max"}, end.column.lower(), end.condition)
        ranked = join_definite([*others, *self._stated(column)], also, self._gaps)
        is_same = of_end == (True, column.name.lower(), ranked)
        return found if is_same or not ends else None

    def _resolve(self, node: exp.Expr, select: exp.Select) -> tuple[float, exp.Expr, exp.Select]:
        """Unwrap *node*, and go where a subquery or a column of a CTE of one row leads."""
        node = node.unalias()
        while isinstance(node, exp.Paren | exp.Round | exp.Cast):
            node = node.this
        query = node.unnest()
        if isinstance(query, exp.Select) and len(query.selects) == 1:
            return self._resolve(query.selects[0], query)
        if isinstance(node, exp.Mul):
            for literal, other in ((node.left, node.right), (node.right, node.left)):
                if (figure := _figure(literal.unnest())) is not None:
                    factor, found, select = self._resolve(other, select)
                    return figure * factor, found, select
        if isinstance(node, exp.Div) and (figure := _figure(node.right.unnest())):
            factor, found, select = self._resolve(node.left, select)
            return factor / figure, found, select
        meant = meanings_of(node) if isinstance(node, exp.Column) else []
        inner = meant[0].find_ancestor(exp.Select) if len(meant) == 1 else None
        if inner is not None and inner is not select and not inner.args.get("group"):
            return self._resolve(meant[0], inner)
        return 1.0, node, select

    def _reads(self, select: exp.Select, clauses: frozenset[str] = _PLAIN) -> bool:
        """Whether *select* reads the records, and nothing but a condition picks among them."""
        sources = sources_of(select)
        is_plain = all(key in clauses for key, value in select.args.items() if value)
        return len(sources) == 1 and self._facts.is_records(sources[0]) and is_plain

    def _definite(self, parts: _Parts) -> _Parts:
        gaps = self._gaps
        as_written = [gaps.settle(part) or gaps.confuse(part) for part in parts]
        pairs = zip(parts, as_written, strict=True)
        return [part.copy() if is_kept else make_definite(part) for part, is_kept in pairs]

    def _is_definite(self, *parts: exp.Expr) -> bool:
        return is_definite(*(part for part in parts if not self._gaps.settle(part)))

    def _stated(self, column: exp.Expr) -> _Parts:
        """Return the condition that there is a value, where it is known to be none otherwise."""
        return [not_null(column)] if self._gaps.settle(column) else []

    def _of(self, function: Function, parts: _Parts, column: exp.Expr | None) -> Aggregate | None:
        parts = parts if column is None else [*parts, *self._stated(column)]
        name = "" if column is None else column.name
        if not self._is_definite(*parts):
            return None
        return Aggregate(function, join_definite(parts, [name], self._gaps), name)

    def _of_records(
        self,
        function: Function,
        parts: _Parts | None,
        keys: _Parts,
        written: _Parts | None = None,
        outputs: _Parts | None = None,
    ) -> Aggregate | None:
        """Return a list or groups; None where *parts*, or a key, are not definite."""
        if parts is None or not self._is_definite(*parts, *keys):
            return None
        used = {name for x in outputs or keys for name in columns_of(x)}
        counted = "" if written is None else all_of(written) or ALWAYS
        # those that are known to have no key are a group: a list of NULL is not NULL
        settle, key_of = self._gaps.settle, self._gaps.write
        keyed = (f"[{write(key)}]" if settle(key) else key_of(key) for key in keys)
        condition = join_definite(parts, used, self._gaps)
        return Aggregate(function, condition, keys=tuple(keyed), counted=counted)

    def _part_of(self, whole: _Parts, part: _Parts) -> Aggregate | None:
        """Return the share of *part* in *whole*; None where it is not within it, or not smaller."""
        used = used_columns(part)
        whole, part = (
            [x for x in side if self._gaps.settle(x) or stated_column(x) not in used]
            for side in (whole, part)
        )
        of_whole, of_part = set(map(write, whole)), set(map(write, part))
        within = [item for item in part if write(item) not in of_whole]
        if not within or not of_whole <= of_part or not self._is_definite(*whole, *within):
            return None
        condition, of_them = (join_definite(side, (), self._gaps) for side in (whole, within))
        return Aggregate("share", condition, part=of_them)


def _split_filter(node: exp.Expr) -> tuple[exp.Expr | None, _Parts]:
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
        is_first = wanted.name == "1"  # of these, dense or not makes no difference
        kinds = exp.Rank | exp.DenseRank if is_first else exp.Rank
        is_rank = isinstance(rank, exp.Window) and isinstance(rank.this, kinds)
        order = rank.args.get("order") if is_rank and not rank.args.get("partition_by") else None
    if order is None or not isinstance(wanted, exp.Literal) or select.args.get("offset"):
        return None
    ranked: exp.Ordered = order.expressions[0].copy()
    ranked.set("this", _meant(ranked.this, select).copy())
    return ranked, wanted


def takes_first(facts: QueryFacts) -> bool:
    """Return whether a query takes what comes first, and with it all that ties.

    `… QUALIFY rank() OVER (ORDER BY count(*)) = 1`, `… WHERE price = (SELECT max(price) …)`,
    `… HAVING count(*) = (SELECT max(n) …)`
    """
    root = facts.merged
    if not isinstance(root, exp.Select) or root.args.get("limit"):
        return False
    ranked = first_ranked(root)
    having = root.args.get("having")
    asked = [*where_of(root), *(split_and(having.this) if having else ())]
    ends = (item.expression.unnest() for item in asked if isinstance(item, exp.EQ))
    return (ranked is not None and ranked[1].name == "1") or any(
        isinstance(end, exp.Select) and isinstance(end.selects[0].unalias(), exp.Max | exp.Min)
        for end in ends
    )


def find_cuts(facts: QueryFacts) -> list[tuple[int, str]]:
    """Return the LIMITs in any part of a query, each with a count of the rows that come so far.

    More of them than the LIMIT takes are a tie that it cuts. What is sorted by the document alone
    has no ties, nor has what is told once for each value.
    """
    found = []
    for select in [] if facts.tree is None else facts.tree.find_all(exp.Select):
        order, limit = select.args.get("order"), select.args.get("limit")
        others = any(select.args.get(name) for name in ("offset", "qualify", "distinct"))
        wanted = None if limit is None or others else limit.expression
        if order is None or not isinstance(wanted, exp.Literal) or not wanted.is_int:
            continue
        ranked = [item.copy() for item in order.expressions]
        for item in ranked:
            item.set("this", _meant(item.this, select).copy())
        while ranked and ranked[-1].this.name == "document_id":
            ranked.pop()
        if not ranked or any(item.find(exp.Window) for item in ranked) or wanted.name == "0":
            continue
        rows = select.copy()
        if select is not facts.tree and facts.tree is not None:
            rows.set("with_", facts.tree.args.get("with_"))
        rank = exp.Window(this=exp.Rank(), order=exp.Order(expressions=ranked))
        rows.set("order", None)
        rows.set("limit", None)
        rows.set("qualify", exp.Qualify(this=exp.LTE(this=rank, expression=wanted.copy())))
        found.append((int(wanted.name), f"SELECT count(*) FROM ({write(rows)})"))  # noqa: S608 - it runs through the guard
    return found


def _meant(node: exp.Expr, select: exp.Select) -> exp.Expr:
    """Return the output that a place or an alias stands for; *node* itself where it is neither."""
    outputs = select.selects
    if isinstance(node, exp.Literal) and node.is_int and 0 < int(node.name) <= len(outputs):
        return outputs[int(node.name) - 1].unalias()
    named = {item.alias.lower(): item.unalias() for item in outputs if item.alias}
    return named.get(node.name.lower(), node)


def _figure(node: exp.Expr | None) -> float | None:
    return float(node.name) if isinstance(node, exp.Literal) and not node.is_string else None
