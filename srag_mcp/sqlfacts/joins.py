"""Which aggregates of a query take rows several times, since a join repeats them.

    SELECT sum(o.total) FROM orders o JOIN orders_items i USING (document_id)

A row of a table is taken once where it determines all of the row that it stands in: by the keys of
tables and of groups, and by what is set equal. What is read so is proven; what is not understood is
said.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import TypeAlias

from srag_mcp.schema.schema import POSITION, Schema
from srag_mcp.sqlfacts.aggregates import group_keys
from srag_mcp.sqlfacts.trees import exp, inner_query, parse_query, split_and, where_of

# Aggregates that sqlglot knows by their names only.
_BY_NAME = frozenset(
    "mean favg fsum kahan_sum sumkahan product geomean geometric_mean mad sem entropy histogram"  # noqa: SIM905
    " histogram_exact wavg weighted_avg reservoir_quantile bitstring_agg json_group_array"
    " json_group_object json_group_structure kurtosis_pop".split()
)
# The same whatever is repeated; the rest of them number rows, or look beside one.
_INSENSITIVE = frozenset(
    "Min Max AnyValue First Last ArgMax ArgMin LogicalOr LogicalAnd BitwiseAndAgg BitwiseOrAgg"  # noqa: SIM905
    " ApproxDistinct Lag Lead FirstValue LastValue NthValue DenseRank RowNumber".split()
)
_OF_LISTS = {"Sum": "list_sum", "Avg": "list_avg", "Median": "list_median", "Count": "list_count"}
_ONE_OR_OTHER = ("Coalesce", "Greatest", "Least")
_MOST_WAYS = 64
_NAMELESS = "?"  # begins what stands for the name of a subquery that has none

Attr: TypeAlias = "tuple[int, str]"  # a column of what is read; without a name its row
# Whose rows a value is made of, once for each part that is added up; None where nobody can tell.
Ways: TypeAlias = "frozenset[frozenset[Attr]] | None"
_Output: TypeAlias = "tuple[str, _Value, exp.Expr | None]"
_CONSTANT: Ways = frozenset({frozenset()})


@dataclass(frozen=True, slots=True)
class Keyed:
    """A table as joins see it: its columns, and those that tell its rows apart."""

    columns: frozenset[str]
    key: frozenset[str]


@dataclass(frozen=True, slots=True)
class Repeated:
    """An aggregate that takes rows of *tables* several times; *sql* as it is written."""

    sql: str
    tables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Joins:
    """What joins do to the aggregates of a query.

    Attributes:
        repeated: Those that may take a row several times.
        once: The query with each of these rows taken once; empty where it cannot be written.
        unchecked: Why it cannot be told of some aggregate; empty where it can of all.
    """

    repeated: tuple[Repeated, ...] = ()
    once: str = ""
    unchecked: str = ""


class _UnclearError(Exception):
    """A part of a query is not understood; the text says what it does."""


@dataclass(frozen=True, slots=True)
class _Value:
    """A column of what is read, and whose rows it is made of; *counted*: where it is counted."""

    attr: Attr
    ways: Ways
    counted: Ways


@dataclass(slots=True)
class _Source:
    """The rows of a FROM, or those that a query puts out.

    Attributes:
        values: Its columns by their names, for each table by its alias; for a query by "".
        rows: What tells its rows apart.
        rules: What determines what.
        keys: Of each row of a table, or of a group, the columns that tell it apart.
        tables: Which rows are of which table.
        shared: The columns that USING joins.
        computed: What was made of an expression.
    """

    values: dict[str, dict[str, _Value]] = field(default_factory=dict)
    rows: frozenset[Attr] = frozenset()
    rules: list[tuple[frozenset[Attr], Attr]] = field(default_factory=list)
    keys: dict[Attr, frozenset[Attr]] = field(default_factory=dict)
    tables: dict[Attr, str] = field(default_factory=dict)
    shared: dict[str, _Value] = field(default_factory=dict)
    computed: dict[str, _Value] = field(default_factory=dict)

    def determined(self, attrs: Iterable[Attr]) -> set[Attr]:
        """Return what *attrs* determine, and themselves."""
        found, size = set(attrs), -1
        while len(found) != size:
            size = len(found)
            found.update(to for of, to in self.rules if of <= found)
        return found

    def repeats(self, rows: Iterable[Attr]) -> bool:
        """Whether *rows* may stand together in more than one row."""
        return not self.rows <= self.determined(rows)

    def key(self, row: Attr, columns: Iterable[Attr]) -> None:
        """Let *columns* tell *row* apart."""
        self.keys[row] = frozenset(columns)
        self.rules += [(self.keys[row], row), *((frozenset({row}), x) for x in self.keys[row])]

    def equate(self, one: Attr, other: Attr) -> None:
        """Let two columns determine one another."""
        self.rules += [(frozenset({one}), other), (frozenset({other}), one)]

    def take(self, other: _Source, alias: str) -> None:
        """Add what *other* reads, under the name *alias*."""
        if alias in self.values and alias:
            msg = "two tables have one name"
            raise _UnclearError(msg)
        self.values[alias or f"{_NAMELESS}{len(self.values)}"] = other.values[""]
        self.rows |= other.rows
        self.rules += other.rules
        self.keys |= other.keys
        self.tables |= other.tables

    def lookup(self, name: str, table: str = "") -> _Value | None:
        """Return the column that a name means; None where no table here has it, or several."""
        if table:
            return self.values.get(table, {}).get(name)
        held = [own[name] for own in self.values.values() if name in own]
        return self.shared.get(name) or (held[0] if len(held) == 1 else None)

    def write(self, attr: Attr) -> str:
        """Write a column; empty where it has no name here."""
        for alias, own in self.values.items():
            for name, value in own.items():
                if value.attr == attr:
                    table = None if alias.startswith(_NAMELESS) else alias
                    return str(exp.column(name, table, quoted=True).sql("duckdb"))
        return ""


_BESIDE = {
    "documents": "path title media_type sha256 characters ingested_at",
    "cells": "table_name position attribute state as_stated start end value unit engine marks note",
    "passages": "number start end page headings kind",
}
_OF_CELLS = frozenset({"document_id", "table_name", "position", "attribute"})


def key_tables(schema: Schema) -> dict[str, Keyed]:
    """Return the tables of a build of *schema*, by their names in lower case."""
    found = {}
    for name, text in _BESIDE.items():
        keys = {"cells": _OF_CELLS, "passages": frozenset({"document_id", "number"})}
        key = keys.get(name, frozenset({"document_id"}))
        found[name] = Keyed(key | frozenset(text.split()), key)
    for table in schema.tables:
        key = frozenset({"document_id", *([POSITION] if table.parent else [])})
        columns = frozenset(item.name.lower() for item in table.attributes)
        found[table.entity.lower()] = Keyed(key | columns, key)
    return found


def read_joins(root: exp.Expr | None, tables: Mapping[str, Keyed], lists: Collection[str]) -> Joins:
    """Read which aggregates of a query may take a row several times.

    *tables* are those that it may read, by their names in lower case; of these *lists* may have
    several rows of one document.
    """
    if root is None:
        return Joins(unchecked="it could not be taken apart")
    reader, unchecked = _Reader(tables, lists), ""
    is_plain = root.find(exp.Join, exp.Lateral, exp.Unnest) is None
    for select in () if is_plain and sum(1 for _ in root.find_all(exp.Select)) == 1 else (
        root.find_all(exp.Select)
    ):  # fmt: skip
        try:
            reader.judge(select)
        except _UnclearError as reason:
            unchecked = unchecked or str(reason)
    if not reader.found:
        return Joins(unchecked=unchecked)
    repeated = tuple(told for _, told, _ in reader.found.values())
    written = [(node, once) for node, _, once in reader.found.values()]
    return Joins(repeated, _replaced(root, written), unchecked)


def _replaced(root: exp.Expr, written: Collection[tuple[exp.Expr, str]]) -> str:
    """Write *root* with other expressions in the places of its nodes; empty where one is empty."""
    copied = root.copy()
    places = dict(zip(map(id, root.walk()), list(copied.walk()), strict=True))
    for node, sql in written:
        parsed = parse_query(f"SELECT {sql}") if sql else None
        if parsed is None:
            return ""
        places[id(node)].replace(next(parsed.iter_expressions()))
    return str(copied.sql(dialect="duckdb"))


def _write_once(
    node: exp.Expr, filtered: exp.Filter | None, source: _Source, rows: frozenset[Attr]
) -> str:
    """Write an aggregate so that it takes each of *rows* once; empty where it cannot be.

    `sum(o.total)` -> `list_sum` of the totals in `array_agg(DISTINCT {'k': key of o, 'v': total})`
    """
    function = _OF_LISTS.get(type(node).__name__, "")
    chooses = node.find(exp.Case, exp.If) is not None and function != "list_sum"
    is_windowed = isinstance((filtered or node).parent, exp.Window)
    known = [attr for row in sorted(rows) for attr in source.keys.get(row, ())]
    keys = [source.write(attr) for attr in known]
    if not function or chooses or is_windowed or node.args.get("expressions") or not all(keys):
        return ""
    if not all(source.keys.get(row) for row in rows):
        return ""
    where = "" if filtered is None else f" FILTER ({filtered.expression.sql('duckdb')})"
    pair = f"{{'k': row({', '.join(keys)}), 'v': {node.this.sql('duckdb')}}}"
    made = f"{function}(list_transform(array_agg(DISTINCT {pair}){where}, lambda x: x.v))"
    return f"coalesce({made}, 0)" if function == "list_count" else made


def _is_sensitive(node: exp.Expr) -> bool:
    if isinstance(node, exp.Anonymous):
        return node.name.lower() in _BY_NAME
    is_distinct = isinstance(node.this, exp.Distinct)
    return not is_distinct and type(node).__name__ not in _INSENSITIVE


class _Reader:
    """Reads one query; *found* has each aggregate that repeats rows: it, told, and written once."""

    def __init__(self, tables: Mapping[str, Keyed], lists: Collection[str]) -> None:
        self.found: dict[int, tuple[exp.Expr, Repeated, str]] = {}
        self._tables, self._lists, self._n = tables, lists, 0

    def _row(self) -> Attr:
        self._n += 1
        return self._n, ""

    # -- aggregates ------------------------------------------------------------------------------

    def judge(self, select: exp.Select) -> None:
        """Find the aggregates of *select* that repeat rows.

        Raises:
            _UnclearError: If it cannot be told.
        """
        sensitive = [node for node in _aggregates(select) if _is_sensitive(node)]
        source = self._from(select) if sensitive else _Source()
        for node in sensitive:
            ways = self._ways(node, source, select, counts=isinstance(node, exp.Count))
            if ways is None:
                msg = f"{node.sql('duckdb')} is not understood"
                raise _UnclearError(msg)
            bad = [rows for rows in ways if rows and source.repeats(rows)]
            if ways == _CONSTANT and self._pairs(source):
                bad = [source.rows]
            if bad:
                names = (source.tables.get(row, "") for rows in bad for row in sorted(rows))
                told = Repeated(node.sql("duckdb"), tuple(dict.fromkeys(filter(None, names))))
                filtered = node.parent if isinstance(node.parent, exp.Filter) else None
                once = _write_once(node, filtered, source, bad[0]) if ways == {*bad[:1]} else ""
                self.found[id(node)] = filtered or node, told, once

    def _pairs(self, source: _Source) -> bool:
        """Whether each row is made of rows of several lists, so that none of them is counted."""
        lists = {source.tables.get(row) for row in source.rows} & set(self._lists)
        return len(lists) > 1 and all(source.repeats({row}) for row in source.rows)

    # -- what is read ----------------------------------------------------------------------------

    def _query(self, query: exp.Expr) -> _Source:
        query = query.unnest()
        if not isinstance(query, exp.Select):
            msg = f"it reads {query.key} in FROM"
            raise _UnclearError(msg)
        return self._outputs(query, self._from(query))

    def _from(self, select: exp.Select) -> _Source:
        found, first = _Source(), select.args.get("from_")
        makes = (exp.Unnest, exp.Explode)
        if select.args.get("laterals") or any(item.find(*makes) for item in select.selects):
            msg = "it makes several rows of one"
            raise _UnclearError(msg)
        if first is not None:
            found.take(self._table(first.this), first.this.alias_or_name.lower())
        for join in select.args.get("joins") or []:
            if str(join.kind or "").upper() not in {"SEMI", "ANTI"}:
                self._join(found, join)
        for part in where_of(select):
            self._equal(found, part)
        return found

    def _table(self, item: exp.Expr) -> _Source:
        if item.args.get("pivots") or item.args.get("joins"):
            msg = "it turns rows into columns, or joins in brackets"
            raise _UnclearError(msg)
        inner = inner_query(item)
        if inner is not None:
            source = self._query(inner)
            parent = inner.parent if isinstance(item, exp.Table) else None
            renamed = item.alias_column_names
            renamed = renamed or (parent.alias_column_names if isinstance(parent, exp.CTE) else [])
            names = [*map(str.lower, renamed), *list(source.values[""])[len(renamed) :]]
            source.values[""] = dict(zip(names, source.values[""].values(), strict=True))
            return source
        is_named = isinstance(item, exp.Table) and isinstance(item.this, exp.Identifier)
        known = self._tables.get(item.name.lower()) if is_named else None
        if known is None and (is_named or item.find(exp.Column) is not None):
            msg = f"nothing is known of {item.name or 'what it makes of each row'}"
            raise _UnclearError(msg)
        row = self._row()
        columns = frozenset(item.alias_column_names) if known is None else known.columns
        ways: Ways = frozenset({frozenset({row})})
        values = {name.lower(): _Value((row[0], name.lower()), ways, ways) for name in columns}
        source = _Source({"": values}, frozenset({row}))
        source.rules = [(frozenset({row}), value.attr) for value in values.values()]
        if known is not None:
            source.tables[row] = item.name.lower()
            source.key(row, ((row[0], name) for name in known.key))
        return source

    def _join(self, found: _Source, join: exp.Join) -> None:
        other, side = self._table(join.this), str(join.side or "").upper()
        shared = [item.name.lower() for item in join.args.get("using") or []]
        if join.method or (side == "FULL" and len(shared) > 1):
            msg = f"it joins by {join.method.lower() or 'several columns, fully'}"
            raise _UnclearError(msg)
        pairs = [(name, found.lookup(name), other.values[""].get(name)) for name in shared]
        found.take(other, join.this.alias_or_name.lower())
        for name, left, right in pairs:
            if left is None or right is None:
                msg = f"{name} may be of several tables"
                raise _UnclearError(msg)
            found.shared[name] = left
            found.equate(left.attr, right.attr)
        new = {value.attr for value in other.values[""].values()}
        condition = join.args.get("on")
        for part in [] if condition is None else split_and(condition):
            self._equal(found, part, new if side else None)

    def _equal(self, found: _Source, part: exp.Expr, new: Collection[Attr] | None = None) -> None:
        """Take what a condition sets equal.

        *new* are the columns that an outer join adds: of its condition only what sets these equal
        to others holds, of rows that have found a partner.
        """
        if not isinstance(part, exp.EQ | exp.NullSafeEQ):
            return
        sides = [side.unnest() for side in (part.this, part.expression)]
        one, other = (
            found.lookup(x.name.lower(), x.table.lower()) if isinstance(x, exp.Column) else None
            for x in sides
        )
        if one is not None and other is not None:
            if new is None or (one.attr in new) != (other.attr in new):
                found.equate(one.attr, other.attr)
        elif new is None:
            for value, against in ((one, sides[1]), (other, sides[0])):
                if value is not None and isinstance(against, exp.Literal | exp.Boolean):
                    found.rules.append((frozenset(), value.attr))

    # -- what is put out -------------------------------------------------------------------------

    def _outputs(self, select: exp.Select, source: _Source) -> _Source:
        own = [node for node in _aggregates(select) if not _is_windowed(node)]
        items = list(self._items(select, source))
        group = select.args.get("group")
        if own or group:
            keys = group_keys(select) if group else []
            if keys is None:
                msg = "it groups by several sets"
                raise _UnclearError(msg)
            attrs = {self._value(key, source, select).attr for key in keys}
            items = self._collapsed(items, source, attrs, select)
        distinct = select.args.get("distinct")
        if distinct is not None and not distinct.args.get("on"):
            attrs = {value.attr for _, value, _ in items}
            items = self._collapsed(items, source, attrs, select)
        found = _Source(rows=source.rows, rules=source.rules, keys=source.keys)
        found.tables, found.values[""] = source.tables, {}
        for name, value, _ in items:
            found.values[""].setdefault(name, value)
        return found

    def _collapsed(
        self, items: Collection[_Output], source: _Source, attrs: set[Attr], select: exp.Select
    ) -> list[_Output]:
        """Make a row of each that has the same *attrs*; what stands for such a row is of it."""
        group = self._row()
        source.key(group, attrs)
        source.rows, own = frozenset({group}), frozenset({group})
        known, found = source.determined(own), list[_Output]()
        for name, value, node in items:
            ways, attr = value.ways, value.attr
            made = node is not None and next((x for x in _own_aggregates(node)), None)
            if made:
                source.rules.append((own, attr))
                # the highest of a group is a value of one of its rows
                ways = frozenset({own})
                ways = ways if _is_sensitive(made) else self._ways(made, source, select)
            is_of_one = ways is not None and all(rows <= known for rows in ways)
            counted = ways if is_of_one else frozenset({own})
            found.append((name, _Value(attr, ways, counted), None))
        return found

    def _items(self, select: exp.Select, source: _Source) -> Iterator[_Output]:
        for item in select.selects:
            inner = item.this if isinstance(item, exp.Column) else item
            if not isinstance(inner, exp.Star):
                if item.find(exp.Columns) is not None:
                    msg = "it picks columns by a pattern"
                    raise _UnclearError(msg)
                node = item.unalias()
                yield item.alias_or_name.lower(), self._value(node, source, select), node
                continue
            if inner.args.get("rename") or inner.args.get("replace"):
                msg = "it changes columns of *"
                raise _UnclearError(msg)
            left = {x.name.lower() for x in inner.args.get("except_") or []}
            wanted = item.table.lower() if isinstance(item, exp.Column) else ""
            for alias, own in source.values.items():
                for name, value in own.items() if wanted in {"", alias} else ():
                    if name not in left:
                        yield name, value, None

    # -- values ----------------------------------------------------------------------------------

    def _value(self, node: exp.Expr, source: _Source, select: exp.Select) -> _Value:
        """Return what an expression is; the same for the same expression."""
        node = node.unnest()
        if isinstance(node, exp.Column):
            found = source.lookup(node.name.lower(), node.table.lower())
            named = [x for x in select.selects if x.alias.lower() == node.name.lower()]
            if found is not None:
                return found
            if named and not node.table and node.name.lower() not in {
                x.name.lower() for x in named[0].find_all(exp.Column)
            }:  # fmt: skip
                return self._value(named[0].unalias(), source, select)
        sql = node.sql("duckdb")
        if sql not in source.computed:
            row = self._row()
            ways = self._ways(node, source, select) if not isinstance(node, exp.Column) else None
            value = source.computed[sql] = _Value((row[0], sql), ways, ways)
            used = [self._value(x, source, select) for x in _columns(node)]
            is_fixed = (
                node.find(exp.Rand, exp.Query, exp.Window, exp.Anonymous, exp.AggFunc) is None
            )
            if is_fixed and not isinstance(node, exp.Column):
                source.rules.append((frozenset(x.attr for x in used), value.attr))
        return source.computed[sql]

    def _ways(
        self, node: exp.Expr, source: _Source, select: exp.Select, *, counts: bool = False
    ) -> Ways:
        if isinstance(node, exp.Query) and len(source.rows) == 1:
            return frozenset({source.rows})  # a number for each
        if isinstance(node, exp.Query | exp.Window | exp.Columns):
            return None
        if isinstance(node, exp.Column):
            value = self._value(node, source, select)
            return value.counted if counts else value.ways
        if isinstance(node, exp.AggFunc) and node.find_ancestor(exp.AggFunc):
            return _CONSTANT  # of groups, as in `sum(count(*)) OVER ()`
        adds, parts = _parts_of(node)
        found = [
            self._ways(x, source, select, counts=counts)
            for x in parts
            if not isinstance(x, exp.DataType)
        ]
        return _either(found) if adds else _together(found)


def _parts_of(node: exp.Expr) -> tuple[bool, list[exp.Expr]]:
    """Return the parts of an expression, and whether each counts for itself, as in a sum.

    A condition is no part, unless it is what is counted itself.
    """
    parts = list(node.iter_expressions())
    adds = type(node).__name__ in _ONE_OR_OTHER
    if isinstance(node, exp.Order | exp.Nullif):
        parts = [node.this]
    elif isinstance(node, exp.Case | exp.If):
        choices = [*node.args.get("ifs", ())] if isinstance(node, exp.Case) else [node]
        other = node.args.get("default" if isinstance(node, exp.Case) else "false")
        ends = [x for x in (*(x.args.get("true") for x in choices), other) if x is not None]
        adds = any(x.find(exp.Column) for x in ends)
        parts = ends if adds else [x.this for x in choices]
    elif isinstance(node, exp.Add | exp.Sub):
        adds = node.find_ancestor(exp.Sum) is not None
    elif isinstance(node, exp.Mul | exp.Div):
        parts = [x for x in (node.left, node.right) if not _is_condition(x)] or parts
    return adds, parts


def _either(parts: Collection[Ways]) -> Ways:
    """Return whose rows a sum is made of: those of each of its parts."""
    found = {rows for part in parts if part is not None for rows in part}
    return None if None in parts else frozenset(found - {frozenset()} or {frozenset()})


def _together(parts: Collection[Ways]) -> Ways:
    """Return whose rows a product is made of: those of all its factors."""
    known = [part for part in parts if part is not None]
    made = [frozenset[Attr]().union(*rows) for rows in product(*known)] if len(known) < 9 else []
    return None if None in parts or not 0 < len(made) <= _MOST_WAYS else frozenset(made)


def _is_condition(node: exp.Expr) -> bool:
    """Whether a factor only says whether the other counts: `(i.quantity > 1)::INTEGER`."""
    node = node.unnest()
    while isinstance(node, exp.Cast):
        node = node.this.unnest()
    if isinstance(node, exp.Case | exp.If):
        return not any(x.find(exp.Column) for x in node.find_all(exp.If) for x in [x.args["true"]])
    return isinstance(node, exp.Predicate | exp.Connector | exp.Not)


def _columns(node: exp.Expr) -> Iterator[exp.Column]:
    for found in node.dfs(prune=lambda part: isinstance(part, exp.Query)):
        if isinstance(found, exp.Column) and found is not node:
            yield found


def _own_aggregates(node: exp.Expr) -> Iterator[exp.Expr]:
    for found in node.dfs(prune=lambda part: isinstance(part, exp.Query | exp.Window)):
        is_named = isinstance(found, exp.Anonymous) and found.name.lower() in _BY_NAME
        if is_named or isinstance(found, exp.AggFunc):
            yield found


def _aggregates(select: exp.Select) -> list[exp.Expr]:
    found = select.find_all(exp.AggFunc, exp.Anonymous)
    own = [node for node in found if node.find_ancestor(exp.Select) is select]
    return [x for x in own if isinstance(x, exp.AggFunc) or x.name.lower() in _BY_NAME]


def _is_windowed(node: exp.Expr) -> bool:
    """Whether an aggregate stands before OVER, and so makes no group."""
    parent = node.parent
    while isinstance(parent, exp.Filter | exp.IgnoreNulls | exp.RespectNulls):
        node, parent = parent, parent.parent
    return isinstance(parent, exp.Window) and parent.this is node
