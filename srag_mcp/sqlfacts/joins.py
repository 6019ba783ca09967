"""Which aggregates of a query may take rows several times, since a join repeats them.

    SELECT sum(o.total) FROM orders o JOIN orders_items i USING (document_id)

A join takes a row of a table once where the keys of all the others, of tables and of groups, are
set equal to columns of this one, or of others that are so joined to it. What is not proven so may
be repeated: whoever runs the query compares it with `Joins.once`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from operator import attrgetter
from types import NoneType
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

Attr: TypeAlias = "tuple[int, str]"  # a column of a row that is read; without a name all of it


@dataclass(frozen=True, slots=True)
class Keyed:
    """A table as joins see it: its columns, and those that tell its rows apart."""

    columns: frozenset[str]
    key: frozenset[str]


@dataclass(frozen=True, slots=True)
class Joins:
    """What joins do to the aggregates of a query.

    Attributes:
        repeated: Those that may take a row several times, as they are written.
        tables: The tables whose rows these are, where it is known.
        once: The query with each of these rows taken once; empty where it cannot be written.
        is_joined: Whether rows are joined, and not those of one table put together by a union.
        of: Of aggregates that count joined rows, as `count(*)` does, the table whose rows these
            are: they are what was asked, or rows of *tables* are that were to be counted.
        groups: The columns of *tables* that these are grouped by.
    """

    repeated: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    once: str = ""
    is_joined: bool = True
    of: str = ""
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Taken:
    """An aggregate that takes rows of *tables* several times, as `Joins` says; how it is once."""

    node: exp.Expr
    once: str = ""
    tables: tuple[str, ...] = ()
    of: str = ""
    groups: tuple[str, ...] = ()


class _UnclearError(Exception):
    """A part of a query is not understood."""


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of a FROM.

    Attributes:
        rows: The rows that its values are made of.
        of: The columns that it follows from: itself, where it is not computed.
        sql: What it is computed by; empty where it is not.
    """

    rows: frozenset[int]
    of: frozenset[Attr]
    sql: str = ""


@dataclass(slots=True)
class _Rows:
    """The rows of a FROM.

    Attributes:
        columns: The columns by their names, for each table and subquery by its alias.
        keys: What tells each row apart of those that they are made of; None where it is not known.
        equal: The columns that are set equal.
        tables: Which rows are of which table.
        shared: The columns that USING joins.
    """

    columns: dict[str, dict[str, _Column]] = field(default_factory=dict)
    keys: dict[int, frozenset[str] | None] = field(default_factory=dict)
    equal: list[frozenset[Attr]] = field(default_factory=list)
    tables: dict[int, str] = field(default_factory=dict)
    shared: dict[str, _Column] = field(default_factory=dict)

    def reach(self, rows: Iterable[int]) -> set[int]:
        """Return *rows* and those of which each stands beside them once at most."""
        found, size = set(rows), -1
        while len(found) != size:
            size = len(found)
            for row, key in self.keys.items():
                if key is not None and all(self.binds(found, (row, name)) for name in key):
                    found.add(row)
        return found

    def tells(self, nodes: Iterable[exp.Expr], row: int) -> bool:
        """Whether the columns among *nodes* tell the rows of a table apart."""
        known = {attr for x in map(self.lookup, nodes) if x is not None for attr in x.of}
        key = {(row, name) for name in self.keys[row] or ()}
        return bool(key) and all(
            any(attr in pair and pair & known for pair in (*self.equal, {attr})) for attr in key
        )

    def binds(self, rows: Collection[int], attr: Attr) -> bool:
        """Whether a column has one value beside each of *rows*."""
        return any(row in rows for pair in (*self.equal, {attr}) if attr in pair for row, _ in pair)

    def repeats(self, rows: Iterable[int]) -> bool:
        """Whether *rows* may stand together in more than one row."""
        return not self.keys.keys() <= self.reach(rows)

    def lookup(self, node: exp.Expr) -> _Column | None:
        """Return the column that is meant; None where no table here has it, or several."""
        if not isinstance(node, exp.Column):
            return None
        name, table = node.name.lower(), node.table.lower()
        held = [own[name] for own in self.columns.values() if name in own]
        if table:
            return self.columns.get(table, {}).get(name)
        return self.shared.get(name) or (held[0] if len(held) == 1 else None)

    def equate(self, sides: Iterable[_Column | None], new: Collection[int] | None = None) -> None:
        """Let two columns be equal."""
        pair = [next(iter(x.of)) for x in sides if x is not None and not x.sql]
        if len(pair) == 2 and (new is None or (pair[0][0] in new) != (pair[1][0] in new)):
            self.equal.append(frozenset(pair))

    def write(self, attr: Attr) -> str:
        """Write a column; empty where it has no name here."""
        for alias, own in self.columns.items():
            for name, column in own.items():
                if not column.sql and attr in column.of:
                    return str(exp.column(name, alias or None, quoted=True).sql("duckdb"))
        return ""


_BESIDE = {  # their columns, and how many of these tell the rows apart
    "documents": ("document_id path title media_type sha256 characters ingested_at", 1),
    "cells": (
        "document_id table_name position attribute state as_stated start end value unit engine"
        " marks note",
        4,
    ),
    "passages": ("document_id number start end page headings kind", 2),
}


def key_tables(schema: Schema) -> dict[str, Keyed]:
    """Return the tables of a build of *schema*, by their names in lower case."""
    beside = ((name, text.split(), n) for name, (text, n) in _BESIDE.items())
    found = {name: Keyed(frozenset(own), frozenset(own[:n])) for name, own, n in beside}
    for table in schema.tables:
        key = frozenset({"document_id", *([POSITION] if table.parent else [])})
        columns = frozenset(item.name.lower() for item in table.attributes)
        found[table.entity.lower()] = Keyed(key | columns, key)
    return found


def read_joins(
    root: exp.Expr | None,
    tables: Mapping[str, Keyed],
    lists: Collection[str],
    *,
    of_rows: bool = False,
) -> Joins:
    """Read which aggregates of a query may take a row several times.

    *tables* are those that it may read, by their names in lower case; of these *lists* may have
    several rows of one document. *of_rows*: read those that count joined rows, and no others.
    """
    if root is None:
        return Joins()
    named = [item.name.lower() for item in root.find_all(exp.Table)]
    read, makes_more = tables.keys() & {*named}, root.find(exp.Join, exp.Lateral, exp.Unnest)
    is_joined = len(read) > 1 or makes_more is not None
    outputs = [item for select in root.find_all(exp.Select) for item in select.selects]
    is_nested = any(item.find(exp.Select) for item in outputs)
    if not (is_joined or is_nested) and not (lists and root.find(exp.SetOperation)):
        return Joins()
    is_plain = makes_more is None and not is_nested
    if is_plain and len({*named}) == len(named) and read.isdisjoint(lists):
        return Joins()  # a union of tables has each row of them once
    root = root.copy()  # of which the aggregates are written anew
    reader, told = _Reader(tables, lists), list[_Taken]()
    for select in root.find_all(exp.Select):
        told += (item for item in reader.judge(select) if bool(item.of) is of_rows)
    repeated = dict.fromkeys(item.node.sql("duckdb") for item in told)
    names, groups = (dict.fromkeys(x for y in told for x in of(y)) for of in (_TABLES, _GROUPS))
    is_whole = bool(told)
    for item in told:
        is_alone = of_rows or not _counts_beside(item.node)
        is_alone &= not _is_taken_again(item.node)
        query = parse_query(f"SELECT {item.once}") if item.once and is_alone else None
        is_whole &= query is not None and item.node.root() is root  # not within another of them
        _whole(item.node).replace(exp.null() if query is None else next(query.iter_expressions()))
    once = root.sql("duckdb") if is_whole else ""
    of = told[0].of if told else ""
    is_joined |= is_nested
    return Joins(tuple(repeated), tuple(names), once, is_joined, of, tuple(groups))


_TABLES, _GROUPS = attrgetter("tables"), attrgetter("groups")


def _whole(node: exp.Expr) -> exp.Expr:
    """Return an aggregate with its FILTER and OVER."""
    while isinstance(node.parent, exp.Filter | exp.Window) and node.arg_key == "this":
        node = node.parent
    return node


def _counts_beside(node: exp.Expr) -> bool:
    """Whether the same output counts joined rows: `sum(o.total) / count(*)` is of no rows once."""
    return any(isinstance(item.this, exp.Star) for item in _output(node).find_all(exp.Count))


def _is_taken_again(node: exp.Expr) -> bool:
    """Whether the query of *node* stands in an aggregate, which takes its rows again and again."""
    select = node.find_ancestor(exp.Select)
    return select is not None and select.find_ancestor(exp.AggFunc) is not None


def _write_once(node: exp.Expr, source: _Rows, rows: Collection[int]) -> str:
    """Write an aggregate so that it takes each of *rows* once; empty where it cannot be."""
    function, reached = _OF_LISTS.get(type(node).__name__, ""), source.reach(rows)
    columns = map(source.lookup, node.find_all(exp.Column))
    is_one = all(x is not None and reached >= x.rows for x in columns)  # value beside each row
    chooses = node.find(exp.Case, exp.If) is not None and function != "list_sum" and not is_one
    keys = [
        source.write((row, x)) for row in sorted(rows) for x in sorted(source.keys.get(row) or "")
    ]
    is_keyed = all(keys) and all(map(source.keys.get, rows))
    if not function or not is_keyed or chooses or node.args.get("expressions"):
        return ""
    pair = f"{{'k': row({', '.join(keys)}), 'v': {node.this.sql('duckdb')}}}"
    taken = f"array_agg(DISTINCT {pair}){_around(node)}"
    made = f"{function}(list_transform({taken}, lambda x: x.v))"
    return f"coalesce({made}, 0)" if function == "list_count" else made


def _around(node: exp.Expr) -> str:
    """Write the FILTER and OVER of an aggregate."""
    return _whole(node).sql("duckdb").removeprefix(node.sql("duckdb"))


def _count_once(node: exp.Expr, source: _Rows, row: int) -> str:
    """Write a count of joined rows as one of *row*; empty where it cannot be."""
    keys = [source.write((row, x)) for x in sorted(source.keys[row] or "")]
    if not isinstance(node, exp.Count | exp.CountIf) or not keys or not all(keys):
        return _write_once(node, source, {row})
    key = keys[0] if len(keys) == 1 else f"row({', '.join(keys)})"
    if isinstance(node, exp.CountIf):
        key = f"CASE WHEN {node.this.sql('duckdb')} THEN {key} END"
    elif not isinstance(node.this, exp.Star | exp.Literal):
        counted, written = node.this.copy(), parse_query(f"SELECT {key}")
        ends = [x for x in counted.find_all(exp.Literal) if x.arg_key in {"true", "default"}]
        for item in ends:
            item.replace(exp.null() if written is None else next(written.iter_expressions()).copy())
        key = counted.sql("duckdb") if ends else key
    return f"count(DISTINCT {key}){_around(node)}"


def _counts_rows(node: exp.Expr) -> bool:
    """Whether an aggregate takes no value of a row, but counts those that meet a condition."""
    if isinstance(node, exp.Count | exp.Sum | exp.Avg):
        return all(map(is_condition, node.find_all(exp.Column)))
    return isinstance(node, exp.CountIf | exp.Rank | exp.PercentRank | exp.CumeDist | exp.Ntile)


def is_condition(node: exp.Expr) -> bool:
    """Whether *node* stands in the condition of a CASE."""
    while node.parent is not None and not isinstance(node, exp.AggFunc):
        if node.arg_key == "this" and isinstance(node.parent, exp.If | exp.Case):
            return True
        node = node.parent
    return False


def _count_beside(
    node: exp.Expr, rows: _Rows, own: Collection[int], summed: Sequence[exp.Expr]
) -> Iterator[_Taken]:
    """Yield a count of joined rows that may be taken for one of a table whose rows these repeat."""
    select, whole = node.find_ancestor(exp.Select), _whole(node)
    fine = {row for row in rows.keys if not rows.repeats({row})}
    beside = {*(own or rows.keys)} - fine
    if len(own) == 1 and isinstance(node, exp.Count):  # of a column that is theirs as well
        beside = {row for row in rows.keys.keys() - fine if rows.tells([node.this], row)}
    elif len(own) == 1 or not _counts_rows(node):
        return
    if select is None or not fine or any(_output(x) is _output(node) for x in summed):
        return
    over = whole if isinstance(whole, exp.Window) else exp.Window()
    of_order = [x for y in [over.args.get("order")] if y for x in y.find_all(exp.Column)]
    if not isinstance(node, exp.CountIf | exp.Count | exp.Sum | exp.Avg):  # it ranks
        ranked = {row for x in map(rows.lookup, of_order) if x for row in x.rows}
        is_first = isinstance(whole.parent, exp.EQ) and whole.parent.expression.name == "1"
        if not ranked or ranked & fine or is_first or select.args.get("group"):
            return
    keys = (group_keys(select) if select.args.get("group") else None) or []
    keys = [*keys, *over.args.get("partition_by", [])]
    named = [x for key in keys for x in map(rows.lookup, key.find_all(exp.Column)) if x]
    counts = (x.this for x in select.find_all(exp.Count) if isinstance(x.this, exp.Distinct))
    apart = [x for item in counts for x in item.expressions]
    for row in sorted(beside):
        of = {name for column in named for at, name in column.of if at == row}
        is_told = rows.tells(keys, row) or rows.tells(apart, row)
        if row in rows.tables and not is_told and (of or all(x.rows - fine for x in named)):
            counted = next((rows.tables[x] for x in fine if x in rows.tables), "the join")
            once = _count_once(node, rows, row)
            yield _Taken(node, once, (rows.tables[row],), counted, tuple(sorted(of)))
            return


def _output(node: exp.Expr) -> exp.Expr:
    """Return what *node* is a part of, as its query puts it out, sorts or asks for it."""
    while node.parent is not None and not isinstance(node.parent, exp.Select):
        node = node.parent
    return node


class _Reader:
    """Reads the parts of one query."""

    def __init__(self, tables: Mapping[str, Keyed], lists: Collection[str]) -> None:
        self._tables, self._lists, self._ids = tables, lists, count()

    def judge(self, select: exp.Select) -> Iterator[_Taken]:
        """Yield the aggregates of *select* that may repeat rows, or count those of a join."""
        sensitive = [node for node in _aggregates(select) if _is_sensitive(node)]
        try:
            rows = self._from(select) if sensitive else _Rows()
            made = [
                frozenset[int]().union(*(_made_of(x, rows) for x in node.iter_expressions()))
                for node in sensitive
            ]
        except _UnclearError:
            yield from map(_Taken, sensitive)
            return
        for node, own in zip(sensitive, made, strict=True):
            names = [rows.tables[row] for row in own or rows.keys if row in rows.tables]
            lists = {*names} & {*self._lists}
            if own and rows.repeats(own):
                yield _Taken(node, _write_once(node, rows, own), (*names,))
            elif not own and len(lists) > 1 and all(rows.repeats({row}) for row in rows.keys):
                yield _Taken(node, "", (*names,))  # of no table it counts the rows
            else:
                others = zip(sensitive, made, strict=True)
                summed = [x for x, of in others if len(of) == 1 and x is not node]
                yield from _count_beside(node, rows, own, summed)

    def _from(self, select: exp.Select) -> _Rows:
        found, first = _Rows(), select.args.get("from_")
        makes = (exp.Unnest, exp.Explode)
        if select.args.get("laterals") or any(item.find(*makes) for item in select.selects):
            raise _UnclearError
        if first is not None:
            self._take(found, first.this)
        for join in select.args.get("joins") or []:
            if str(join.kind or "").upper() not in {"SEMI", "ANTI"}:
                self._join(found, join)
        for part in where_of(select):
            if isinstance(part, exp.EQ | exp.NullSafeEQ):
                found.equate(found.lookup(x.unnest()) for x in (part.this, part.expression))
        return found

    def _join(self, found: _Rows, join: exp.Join) -> None:
        side, known = str(join.side or "").upper(), set(found.keys)
        using, on = join.args.get("using") or [], join.args.get("on")
        if join.method or (side == "FULL" and len(using) > 1):
            raise _UnclearError
        left = {item.name.lower(): found.lookup(exp.column(item.name)) for item in using}
        own = self._take(found, join.this)
        for name, column in left.items():
            if column is None or name not in own:
                raise _UnclearError
            found.shared[name] = column
            found.equate((column, own[name]))
        new = found.keys.keys() - known if side else None
        named = [] if on is None else [found.lookup(x) for x in on.find_all(exp.Column)]
        others = {row for column in named if column for row, _ in column.of} - (new or set())
        is_one = new is None or len(others) < 2  # else who finds no partner is not told by one row
        for part in split_and(on) if on is not None and is_one else ():
            if isinstance(part, exp.EQ | exp.NullSafeEQ):
                found.equate((found.lookup(x.unnest()) for x in (part.this, part.expression)), new)

    def _take(self, found: _Rows, item: exp.Expr) -> dict[str, _Column]:
        """Add a table or a subquery to what is read; return its columns."""
        alias, inner = item.alias_or_name.lower(), inner_query(item)
        named = [item, *([inner.parent] if inner and isinstance(inner.parent, exp.CTE) else [])]
        is_changed = item.args.get("pivots") or item.args.get("joins")
        if is_changed or any(x.alias_column_names for x in named) or alias in found.columns:
            raise _UnclearError
        if inner is not None:
            own, rows = self._query(inner.unnest())
            found.keys |= rows.keys
            found.tables |= rows.tables
            found.equal += rows.equal
        else:
            known = self._tables.get(item.name.lower()) if isinstance(item, exp.Table) else None
            if known is None or not isinstance(item.this, exp.Identifier):
                raise _UnclearError
            row = next(self._ids)
            found.keys[row], found.tables[row] = known.key, item.name.lower()
            own = {x: _Column(frozenset({row}), frozenset({(row, x)})) for x in known.columns}
        found.columns[alias] = own
        return own

    def _query(self, select: exp.Expr) -> tuple[dict[str, _Column], _Rows]:
        """Return what a query puts out, and the rows that this is made of."""
        if not isinstance(select, exp.Select):
            raise _UnclearError
        rows, outputs = self._from(select), list[tuple[str, _Column]]()
        for item in select.selects:
            star = item.this if isinstance(item, exp.Column) else item
            if not isinstance(star, exp.Star):
                outputs.append((item.alias_or_name.lower(), _column(item.unalias(), rows)))
            elif any(star.args.values()):
                raise _UnclearError  # EXCLUDE and its like
            else:
                wanted = item.table.lower() if isinstance(item, exp.Column) else ""
                for alias, own in rows.columns.items():
                    outputs += own.items() if wanted in {"", alias} else ()
        group, distinct = select.args.get("group"), select.args.get("distinct")
        keys = [column for _, column in outputs]
        if group or any(not node.find_ancestor(exp.Window) for node in _aggregates(select)):
            written = group_keys(select) if group else []
            if written is None:
                raise _UnclearError
            keys = [_column(key, rows) for key in written]
        elif distinct is None or distinct.args.get("on"):
            return dict(reversed(outputs)), rows
        made = next(self._ids)

        def settle(name: str, column: _Column) -> _Column:
            """Take a value as one of the group, where its rows are in one group only."""
            reached = rows.reach(column.rows)
            is_once = not column.rows or all(
                rows.binds(reached, attr) for key in keys for attr in key.of
            )
            return _Column(frozenset({made}) if is_once else column.rows, frozenset({(made, name)}))

        names = frozenset(name for name, column in outputs if column in keys)
        is_keyed = len(dict(outputs)) == len(outputs) and {*keys} <= {x for _, x in outputs}
        found = {name: settle(name, column) for name, column in reversed(outputs)}
        return found, _Rows(keys={made: names if is_keyed else None}, tables=rows.tables)


def _column(node: exp.Expr, rows: _Rows) -> _Column:
    if (plain := rows.lookup(node)) is not None:
        return plain
    is_any = node.find(exp.Rand, exp.Query, exp.Window, exp.Anonymous)
    of = {(row, "") for row in rows.keys} if is_any else set[Attr]()
    for column in map(rows.lookup, node.find_all(exp.Column)):
        of |= set() if column is None else column.of
    return _Column(_made_of(node, rows), frozenset(of), node.sql("duckdb"))


def _made_of(node: exp.Expr, rows: _Rows) -> frozenset[int]:
    """Return whose rows a value is made of; a condition is no part, but where it is counted.

    Raises:
        _UnclearError: If it is a sum of several, of which each counts for itself.
    """
    if isinstance(node, exp.Column):
        if (column := rows.lookup(node)) is None:
            raise _UnclearError
        return column.rows
    if isinstance(node, exp.Query | exp.Window | exp.Columns):
        if len(rows.keys) != 1 or (isinstance(node, exp.Query) and not _is_of_row(node, rows)):
            raise _UnclearError
        return frozenset(rows.keys)
    parts, adds = [*node.iter_expressions()], False
    if isinstance(node, exp.Order | exp.Nullif | exp.Filter) or is_aggregate(node):
        parts = [] if is_aggregate(node) and _is_sensitive(node) else [node.this]
    elif isinstance(node, exp.If):
        ends = [x for x in parts if x is not node.this]
        parts = [x for x in ends if x.find(exp.Column)] or [node.this]
        adds = True
    elif isinstance(node, exp.Mul | exp.Div):
        adds = node.find(exp.Predicate, exp.Connector, exp.Not, exp.If) is not None
    elif isinstance(node, exp.Add | exp.Sub):
        # of a difference that is averaged, neither side counts for itself
        adds = isinstance(node.find_ancestor(exp.AggFunc), exp.Sum | NoneType)
    else:
        adds = isinstance(node, exp.Coalesce | exp.Greatest | exp.Least | exp.Case)
    found = {_made_of(x, rows) for x in parts if not isinstance(x, exp.DataType)} - {frozenset()}
    if adds and len(found) > 1:
        raise _UnclearError
    return frozenset[int]().union(*found)


def _is_of_row(query: exp.Query, rows: _Rows) -> bool:
    """Whether a query within another has a value for each row, or the same for all of them."""
    own = {item.alias_or_name.lower() for item in query.find_all(exp.Table)}
    columns = [x for x in query.find_all(exp.Column) if x.table.lower() not in {"", *own}]
    asked = {attr for found in map(rows.lookup, columns) if found for attr in found.of}
    keys = [(row, name) for row, key in rows.keys.items() for name in key or ("",)]
    return not columns or asked.issuperset(keys)


def is_aggregate(node: exp.Expr) -> bool:
    """Whether *node* makes one value of many rows, by its kind or its name."""
    is_named = isinstance(node, exp.Anonymous) and node.name.lower() in _BY_NAME
    return is_named or isinstance(node, exp.AggFunc)


def _is_sensitive(node: exp.Expr) -> bool:
    is_distinct = isinstance(node.this, exp.Distinct)
    return not is_distinct and type(node).__name__ not in _INSENSITIVE


def _aggregates(select: exp.Select) -> list[exp.Expr]:
    found = filter(is_aggregate, select.find_all(exp.AggFunc, exp.Anonymous))
    return [node for node in found if node.find_ancestor(exp.Select) is select]
