"""What a query says, parsed once: whoever asks what SQL means takes its facts.

    facts = read_query("SELECT avg(price) FROM hotels WHERE stars > 3", schema)
    facts.kind     -> "value"
    facts.unit     -> "EUR", the unit of price
    facts.columns  -> (ColumnUse("price", "measure"), ColumnUse("stars", "filter"))
    facts.words    -> "average of price where stars is above 3"

`facts.tree` is None where sqlglot reads less than DuckDB: then there are no columns, no unit and no
words, and `facts.uncounted` says so.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from srag_mcp.schema.schema import Schema
from srag_mcp.sqlfacts.aggregates import Aggregate, read_aggregate
from srag_mcp.sqlfacts.plain_words import say_query
from srag_mcp.sqlfacts.trees import (
    UncountedError,
    all_of,
    any_of,
    exp,
    inner_query,
    is_extreme,
    is_null_test,
    merge_queries,
    parse_query,
    read_records,
    sources_of,
    split_and,
    stated_column,
    where_of,
    without_tables,
    write,
)

Kind: TypeAlias = Literal["value", "boolean", "list", "rows"]
Role: TypeAlias = Literal["output", "measure", "filter", "group", "order"]

_ROW = "document_id"
_OTHER_TABLES = frozenset({"documents", "cells"})


@dataclass(frozen=True, slots=True)
class ColumnUse:
    """A column that a query uses, and what for."""

    column: str
    role: Role


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """A column whose values a query puts out; *is_extreme*: the highest or the lowest of them."""

    column: str
    is_extreme: bool = False


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on single records.

    Attributes:
        sql: As SQL, without table names.
        columns: The columns of the records in it, as the schema names them.
        texts: Its text literals.
    """

    sql: str
    columns: tuple[str, ...]
    texts: tuple[str, ...]


def read_query(sql: str, schema: Schema) -> QueryFacts:
    """Parse *sql* and return what it says of the records of *schema*."""
    return QueryFacts(sql, schema)


class QueryFacts:
    """What one query says of the records of a schema; each fact is worked out when it is asked for.

    Attributes:
        sql: As it was written.
        schema: The schema that it was read with.
        tree: As sqlglot has it; None where it has not.
    """

    def __init__(self, sql: str, schema: Schema) -> None:
        self.sql, self.schema = sql, schema
        self.tree = parse_query(sql)
        self._names = {item.name.lower(): item.name for item in schema.attributes} | {_ROW: _ROW}
        self._origins: dict[int, str | None] = {}

    @cached_property
    def merged(self) -> exp.Expr | None:
        """The tree without the CTEs and subqueries that only pass records on."""
        if self.tree is None:
            return None
        return merge_queries(self.tree, self.schema.entity, self._names.values())

    @cached_property
    def words(self) -> str | None:
        """What the query asks, in plain words; None where there are none for a part of it."""
        return say_query(self.tree)

    @cached_property
    def columns(self) -> tuple[ColumnUse, ...]:
        """The columns of the records that the query uses, each once a role.

        `price IS NOT NULL` is no use of a price that the query uses otherwise.
        """
        uses = (
            ColumnUse(name, _role(node))
            for name, node in self._used
            if name not in self.asked or not _is_known_test(node)
        )
        return tuple(dict.fromkeys(uses))

    @cached_property
    def asked(self) -> frozenset[str]:
        """The columns of which the query asks more than whether they are stated."""
        return frozenset(name for name, node in self._used if not _is_known_test(node))

    @cached_property
    def _used(self) -> list[tuple[str, exp.Column]]:
        nodes = [] if self.tree is None else self.tree.find_all(exp.Column)
        found = [(self.origin(node), node) for node in nodes]
        return [(name, node) for name, node in found if name is not None and name != _ROW]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns of the records that the query uses, in the order of the text."""
        return tuple(dict.fromkeys(use.column for use in self.columns))

    @cached_property
    def kind(self) -> Kind:
        """What comes out: one value, yes or no, a list of values, or rows of several."""
        outputs = _outputs_of(self.tree)
        if len(outputs) != 1 or outputs[0].is_star:
            return "rows"
        select, output = outputs[0].find_ancestor(exp.Select), _unwrapped(outputs[0])
        if isinstance(output, exp.Predicate | exp.Not | exp.LogicalOr | exp.LogicalAnd):
            return "boolean"
        is_one = select is None or not (sources_of(select) or select.args.get("group"))
        totals = output.find(exp.AggFunc) is not None and output.find(exp.Window) is None
        grouped = select is not None and select.args.get("group")
        return "value" if is_one or (totals and not grouped) else "list"

    @cached_property
    def unit(self) -> str | None:
        """The unit of the one output, where its values have one."""
        outputs = _outputs_of(self.tree)
        return self._unit(outputs[0]) if len(outputs) == 1 else None

    @cached_property
    def outputs(self) -> tuple[OutputColumn | None, ...]:
        """Which column each output has values of; None for what is computed.

        `SELECT city, max(price), count(*) FROM hotels GROUP BY city` -> city, price (extreme), None
        """
        found: list[OutputColumn | None] = []
        for output in _outputs_of(self.tree):
            plain = _unwrapped(output)
            is_extreme = isinstance(plain, exp.Min | exp.Max)
            value = plain.this if is_extreme else plain
            name = self.origin(value) if isinstance(value, exp.Column) else None
            found.append(None if name in {None, _ROW} else OutputColumn(str(name), is_extreme))
        return tuple(found)

    @cached_property
    def uncounted(self) -> str:
        """Why it cannot be told which records the query reads; empty where it can.

        `"it reads a sample"`
        """
        return self._read[1]

    @property
    def readings(self) -> list[list[exp.Expr]]:
        """What each part of the query that reads the records asks of one (`read_records`).

        Empty where no record is read, or it cannot be told which.
        """
        return self._read[0]

    @cached_property
    def condition(self) -> str | None:
        """Which records the query reads, as SQL; empty for all; None where it cannot be told.

        `SELECT count(*) FROM hotels AS h WHERE h.pool` -> `(pool)`
        """
        return any_of([all_of(parts) for parts in self.readings]) if self.readings else None

    @cached_property
    def selecting(self) -> str:
        """The same for people, who are told how many records meet the conditions.

        Empty without any, and where the query itself counts these records. That a value is the
        highest is no condition here: what is told is among how many it is. Nor is that a column
        which is used otherwise is stated: how many do not is told of each column.
        """
        counts = [_unwrapped(output) for output in _outputs_of(self.tree)]
        if len(counts) == 1 and isinstance(counts[0], exp.Count) and not counts[0].find(exp.Column):
            return ""
        names = {name.lower() for name in self.asked}
        plain = [
            [part for part in parts if not (is_extreme(part) or stated_column(part) in names)]
            for parts in self.readings
        ]
        return any_of([all_of(parts) for parts in plain])

    @cached_property
    def _read(self) -> tuple[list[list[exp.Expr]], str]:
        try:
            return read_records(self.merged, self.schema.entity, self._names), ""
        except UncountedError as reason:
            return [], str(reason)

    @cached_property
    def aggregate(self) -> Aggregate | None:
        """What the query computes, where it can be said what unknown cells could change of it."""
        return read_aggregate(self)

    @cached_property
    def clauses(self) -> tuple[tuple[Condition, ...], ...]:
        """The conditions on single records, by clause: those that a record has to meet together.

        In WHERE, HAVING and QUALIFY, in a FILTER, in the ON of a join, in a CASE, in a CTE or a
        subquery. What compares groups, other tables, or one record with another is none.
        """
        kinds = (exp.Where, exp.Having, exp.Qualify, exp.If, exp.CountIf, exp.LogicalOr, exp.Join)
        clauses = [] if self.tree is None else list(self.tree.find_all(*kinds))
        asked = [node.args.get("on" if isinstance(node, exp.Join) else "this") for node in clauses]
        parts = [list(split_and(clause)) for clause in asked if isinstance(clause, exp.Expr)]
        return tuple(self._on_records(items) for items in parts)

    @cached_property
    def comparisons(self) -> tuple[Condition, ...]:
        """Each comparison of a column with a text, as one that wants the text.

        `… WHERE NOT (crew > 9 OR flag IN ('Malta', 'Peru')) AND port <> 'Bonn'` ->
        `flag = 'Malta'`, `flag = 'Peru'`, `port = 'Bonn'`
        """
        equal = (exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ)
        like = (exp.Like, exp.ILike, exp.RegexpLike, exp.Contains, exp.StartsWith, exp.EndsWith)
        wanted: list[exp.Expr] = []
        for node in () if self.tree is None else self.tree.find_all(*equal, *like, exp.In):
            kind = exp.EQ if isinstance(node, (exp.In, *equal)) else type(node)
            listed = [item for item in node.expressions if item.is_string]
            for text in listed if isinstance(node, exp.In) else [node.expression]:
                comparison = kind(this=node.this.copy(), expression=text.copy())
                comparison.parent = node.parent  # it stands there, so that its table can be told
                wanted.append(comparison)
        return tuple(item for item in self._on_records(wanted) if item.texts)

    @cached_property
    def open_lists(self) -> tuple[str, ...]:
        """The columns that a NOT IN takes its list from, unless it leaves unknowns out.

        `… WHERE flag NOT IN (SELECT flag FROM ships WHERE crew > 9)` -> `("flag",)`
        """
        found: dict[str, None] = {}
        for node in () if self.tree is None else self.tree.find_all(exp.Not):
            query = node.this.args.get("query") if isinstance(node.this, exp.In) else None
            select = None if query is None else query.unnest()
            if not isinstance(select, exp.Select):
                continue
            asked = [part for part in where_of(select) if not isinstance(part, exp.Is)]
            known = {column.name for part in asked for column in part.find_all(exp.Column)}
            listed = [item for item in select.selects if isinstance(item, exp.Column)]
            found.update((item.name, None) for item in listed if item.name not in known)
        return tuple(found)

    def origin(self, column: exp.Column) -> str | None:
        """Return which column of the records *column* is, through CTEs and subqueries.

        None for what is computed, and for columns of other tables.
        """
        if id(column) not in self._origins:
            self._origins[id(column)] = None  # while it is looked for, as in a recursive query
            self._origins[id(column)] = self._find_origin(column)
        return self._origins[id(column)]

    def _find_origin(self, column: exp.Column) -> str | None:
        name, qualifier = column.name.lower(), column.table.lower()
        select = column.find_ancestor(exp.Select)
        while isinstance(select, exp.Select):
            sources = sources_of(select)
            meant = [s for s in sources if qualifier in {"", s.alias_or_name.lower()}]
            for source in meant:
                found = self._origin_in(source, name)
                if found is not None:
                    return found
            if meant and (qualifier or any(item.name.lower() in _OTHER_TABLES for item in meant)):
                return None
            select = select.find_ancestor(exp.Select)
        return None

    def _origin_in(self, source: exp.Expr, name: str) -> str | None:
        """Look *name* up in what a FROM reads."""
        query = inner_query(source)
        if query is None:
            return self._names.get(name) if self.is_records(source) else None
        while isinstance(query, exp.SetOperation):
            query = query.left.unnest()
        for output in query.selects if isinstance(query, exp.Select) else ():
            if output.is_star:
                inner = (self._origin_in(item, name) for item in sources_of(query))
                return next((found for found in inner if found is not None), None)
            if output.alias_or_name.lower() == name:
                value = output.unalias()
                return self.origin(value) if isinstance(value, exp.Column) else None
        return None

    def is_records(self, source: exp.Expr) -> bool:
        """Whether *source* of a FROM is the table of the records."""
        return isinstance(source, exp.Table) and source.name.lower() == self.schema.entity.lower()

    def _unit(self, output: exp.Expr) -> str | None:
        node = _unwrapped(output)
        if isinstance(node, exp.Div):
            factors = [side.name for side in node.left.find_all(exp.Literal) if not side.is_string]
            scaled = isinstance(_unwrapped(node.left), exp.Mul) and "100" in {
                f"{float(item):g}" for item in factors
            }
            return "percent" if scaled else None
        if isinstance(node, exp.DateDiff):
            return f"{node.args['unit'].name.lower()}s"
        if isinstance(node, exp.Sub | exp.Add):
            return self._unit(node.left)
        keeping = (exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Median, exp.Quantile, exp.PercentileCont)
        if isinstance(node, (*keeping, exp.Abs)):
            return self._unit(node.this)
        if isinstance(node, exp.Select):
            return self._unit(node.selects[0]) if len(node.selects) == 1 else None
        name = self.origin(node) if isinstance(node, exp.Column) else None
        return None if name in {None, _ROW} else self.schema.attribute(str(name)).unit

    def _on_records(self, parts: Collection[exp.Expr]) -> tuple[Condition, ...]:
        found = (self._condition(part) for part in parts)
        return tuple(dict.fromkeys(item for item in found if item is not None))

    def _condition(self, part: exp.Expr) -> Condition | None:
        """Return *part* as a condition on one record; None if it is none."""
        used = list(part.find_all(exp.Column))
        origins = [self.origin(column) for column in used]
        if not used or len({column.table.lower() for column in used}) > 1:
            return None
        if part.find(exp.Query, exp.AggFunc, exp.Window) is not None:
            return None
        known = [name for name in origins if name is not None]
        is_renamed = any(
            c.name.lower() != str(n).lower() for c, n in zip(used, origins, strict=True)
        )
        if len(known) < len(used) or is_renamed:
            return None
        texts = [item.name for item in part.find_all(exp.Literal) if item.is_string]
        return Condition(
            write(without_tables(part)), tuple(dict.fromkeys(known)), tuple(dict.fromkeys(texts))
        )


@dataclass(frozen=True, slots=True)
class BoundLiteral:
    """A literal as the question says it and as the corpus stores it."""

    asked: str
    column: str
    stored: str


@dataclass(frozen=True, slots=True)
class Translation:
    """One reading of a question.

    Attributes:
        question: As it was asked.
        restated: The reading in plain words, with the column names, so that a person can check it.
        facts: The query, one SELECT in DuckDB's dialect, and what it says.
        literals: What was bound to stored values.
        score: 0 to 1, how sure the reading is; 1 when every word of the question has its place.
        ordered: Whether the order of the rows is part of the answer.
    """

    question: str
    restated: str
    facts: QueryFacts
    literals: tuple[BoundLiteral, ...] = ()
    score: float = 1.0
    ordered: bool = False

    @property
    def sql(self) -> str:
        """The query."""
        return self.facts.sql

    @property
    def kind(self) -> Kind:
        """What the answer is: one `value`, a `boolean`, a `list` of values, or `rows`."""
        return self.facts.kind

    @property
    def columns(self) -> tuple[ColumnUse, ...]:
        """Columns used, each once a role."""
        return self.facts.columns

    @property
    def unit(self) -> str | None:
        """Unit of a single value or of a list, where it is known."""
        return self.facts.unit


def _outputs_of(tree: exp.Expr | None) -> list[exp.Expr]:
    """Return the outputs of a query, of its first part where it has several."""
    while isinstance(tree, exp.SetOperation | exp.Subquery):
        tree = tree.this.unnest()
    return list(tree.selects) if isinstance(tree, exp.Select) else []


def _unwrapped(output: exp.Expr) -> exp.Expr:
    """Take away what changes no unit: alias, brackets, rounding, a type, FILTER."""
    node = output.unalias()
    while isinstance(node, exp.Paren | exp.Round | exp.Cast | exp.Filter | exp.Subquery):
        node = node.this
    return node


def _is_known_test(node: exp.Column) -> bool:
    """Whether *node* stands in `price IS NOT NULL`."""
    test = node.parent
    return test is not None and is_null_test(test) and isinstance(test.parent, exp.Not)


def _role(node: exp.Column) -> Role:
    """Return what the nearest clause or function around *node* makes of it."""
    roles: tuple[tuple[type[exp.Expr], Role], ...] = (
        (exp.Where, "filter"),
        (exp.Having, "filter"),
        (exp.Join, "filter"),
        (exp.Group, "group"),
        (exp.Order, "order"),
        (exp.AggFunc, "measure"),
        (exp.Select, "output"),
    )
    parent = node.parent
    while parent is not None:
        for kind, role in roles:
            if isinstance(parent, kind):
                return role
        parent = parent.parent
    return "output"
