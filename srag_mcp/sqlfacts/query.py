"""What a query says, parsed once: whoever asks what SQL means takes its facts.

    facts = read_query("SELECT avg(price) FROM hotels WHERE stars > 3", schema)
    facts.unit     -> "EUR", the unit of price
    facts.columns  -> (ColumnUse("price", "measure"), ColumnUse("stars", "filter"))
    facts.words    -> "average of price where stars is above 3"

`facts.tree` is None where sqlglot reads less than DuckDB: then there are no columns, no unit and no
words, and `facts.uncounted` says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import NoneType
from typing import Literal, TypeAlias, TypeVar

from srag_mcp.schema.schema import POSITION, Schema, Table
from srag_mcp.sqlfacts.aggregates import Aggregate, group_keys, read_aggregate
from srag_mcp.sqlfacts.joins import Joins, is_aggregate, is_condition, key_tables, read_joins
from srag_mcp.sqlfacts.plain_words import say_query
from srag_mcp.sqlfacts.trees import (
    ALWAYS,
    NO_GAPS,
    Gaps,
    UncountedError,
    admit,
    all_of,
    any_of,
    columns_of,
    exp,
    find_ungrounded,
    inner_query,
    is_definite,
    is_null_test,
    leave_parent,
    meanings_of,
    merge_queries,
    not_null,
    parse_query,
    read_records,
    selects_of,
    sources_of,
    spell_out,
    split_and,
    stated_column,
    where_of,
    write,
)
from srag_mcp.store.database import quote_name
from srag_mcp.values.units import unit_of

Role: TypeAlias = Literal["output", "measure", "filter", "group", "order"]

_Node = TypeVar("_Node", bound="exp.Expr")
_ROW = "document_id"


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


@dataclass(frozen=True, slots=True)
class Take:
    """Which rows an expression takes the value of a column from, as SQL; empty: all.

    *lost*: those of whose values it makes nothing, as `TRY_CAST(helpers AS INT)`, which is *said*,
    does of `two dozen`. *parts*: the conditions that *taken* joins, on other columns.
    """

    taken: str
    lost: str = ""
    said: str = ""
    parts: tuple[exp.Expr, ...] = ()


def read_query(sql: str, schema: Schema) -> QueryFacts:
    """Parse *sql* and return what it says of the records of *schema*."""
    return QueryFacts(sql, schema)


_COMPARING = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)


class QueryFacts:
    """What one query says of the records of a schema; each fact is worked out when it is asked for.

    Attributes:
        sql: As it was written.
        whole: The schema that it was read with.
        schema: The same about the table whose rows the query counts: the records, or what they
            list (`Schema.about`).
        tree: As sqlglot has it, with the columns that `*` puts out; None where it has not.
    """

    def __init__(self, sql: str, schema: Schema, table: str = "") -> None:
        self.sql, self.whole = sql, schema
        named = {x.entity.lower(): _named(x) for x in schema.tables}
        self._written = parse_query(sql)
        self.tree = spell_out(self._written and self._written.copy(), named)
        self.schema = schema.about(table or self._main(self.tree) or schema.entity)
        self._names = {item.name.lower(): item.name for item in self.schema.attributes}
        keys = (_ROW, POSITION) if self.schema.table.parent else (_ROW,)
        self._names |= dict.fromkeys(keys, _ROW)

    def of_tables(self) -> Iterator[QueryFacts]:
        """Yield what it says of each table that it may read: this one first."""
        yield self
        for name in (self.whole.entity, *self.listed):
            if name != self.schema.entity:
                yield QueryFacts(self.sql, self.whole, name)

    def _find(self, *kinds: type[_Node]) -> list[_Node]:
        return [] if self.tree is None else list(self.tree.find_all(*kinds))

    def _main(self, tree: exp.Expr | None) -> str:
        """Return the table that a query reads first; empty where it reads none of the schema."""
        names = {item.entity.lower(): item.entity for item in self.whole.tables}
        if tree is None or len(names) == 1:
            return ""
        [select, *_] = selects_of(tree) or [exp.Select()]
        for child in self.whole.children if select.args.get("joins") else ():
            if leave_parent(select.copy(), child.entity, child.parent, _named(child)):
                return child.entity
        for source in sources_of(select)[:1]:
            query = inner_query(source)
            return names.get(source.name.lower(), "") if query is None else self._main(query)
        tables = (names.get(x.name.lower(), "") for x in tree.find_all(exp.Table))
        return next(filter(None, tables), "")

    @cached_property
    def listed(self) -> tuple[str, ...]:
        """The child tables that the query reads in any part of it, or names as that of cells."""
        named = {item.name.lower() for item in self._find(exp.Table, exp.Literal)}
        return tuple(x.entity for x in self.whole.children if x.entity.lower() in named)

    @cached_property
    def joins(self) -> Joins:
        """What its joins do to its aggregates."""
        return self._joins(of_rows=False)

    @cached_property
    def counts(self) -> Joins:
        """What it counts of the rows that its joins make."""
        return self._joins(of_rows=True)

    def _joins(self, *, of_rows: bool) -> Joins:
        lists = {item.entity.lower() for item in self.whole.children}
        return read_joins(self.tree, key_tables(self.whole), lists, of_rows=of_rows)

    @cached_property
    def merged(self) -> exp.Expr | None:
        """The tree without the CTEs and subqueries that only pass records on."""
        if self.tree is None:
            return None
        parent = self.schema.table.parent
        tables: dict[str, Iterable[str]] = {self.schema.entity: self._names}
        tables |= {x.entity: _named(x) for x in self.whole.tables if x.entity == parent}
        return merge_queries(self.tree, tables)

    @cached_property
    def _alone(self) -> exp.Expr | None:
        """The same, where rows of a list are joined with their records by conditions on these."""
        parent, found = self.schema.table.parent, self.merged
        if (
            found is None
            or not parent
            or not any(x.args.get("joins") for x in found.find_all(exp.Select))
        ):
            return found
        found = found.copy()
        for select in [*found.find_all(exp.Select)]:
            leave_parent(select, self.schema.entity, parent, self._names)
        return found

    @cached_property
    def words(self) -> str | None:
        """What the query asks, in plain words; None where there are none for a part of it."""
        table = self.schema.table
        units = {x.name: x.unit for x in table.attributes if x.unit and x.unit != "year"}
        said = say_query(self._written, units)
        return said and said.replace("of records", f"of {table.rows}") if table.parent else said

    @cached_property
    def _used(self) -> list[tuple[str, exp.Column, bool]]:
        """The columns of the records, and of each whether it stands in `price IS NULL`."""
        found = [(self.origin(node), node) for node in self._find(exp.Column)]
        return [
            (name, node, is_null_test(node.parent)) for name, node in found if name and name != _ROW
        ]

    @cached_property
    def told_apart(self) -> frozenset[str]:
        """The columns whose different values it groups by, or counts."""
        nodes = (*self._find(exp.Group), *self._find(exp.Distinct))
        names = {self.origin(column) for node in nodes for column in node.find_all(exp.Column)}
        return frozenset(name for name in names if name and name != _ROW)

    @cached_property
    def asked(self) -> frozenset[str]:
        """The columns of which the query asks more than whether they are stated."""
        return frozenset(name for name, _, is_tested in self._used if not is_tested)

    @cached_property
    def columns(self) -> tuple[ColumnUse, ...]:
        """The columns of the records that the query uses, each once a role.

        `price IS NOT NULL` is no use of a price that the query uses otherwise.
        """
        roles: tuple[tuple[type[exp.Expr], Role], ...] = (
            (exp.Where, "filter"),
            (exp.Having, "filter"),
            (exp.Join, "filter"),
            (exp.Group, "group"),
            (exp.Order, "order"),
            (exp.AggFunc, "measure"),
            (exp.Select, "output"),
        )
        uses: dict[ColumnUse, None] = {}
        for name, node, is_tested in self._used:
            if not (is_tested and name in self.asked):
                around = node.find_ancestor(*(kind for kind, _ in roles))
                role: Role = next((r for kind, r in roles if isinstance(around, kind)), "output")
                uses[ColumnUse(name, role)] = None
        return tuple(uses)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns of the records that the query uses, in the order of the text."""
        return tuple(dict.fromkeys(use.column for use in self.columns))

    @cached_property
    def _outputs(self) -> list[exp.Expr]:
        return [output for select in selects_of(self.tree)[:1] for output in select.selects]

    @cached_property
    def unit(self) -> str | None:
        """The unit of the one output, where its values have one."""
        units = self.units_of(self._outputs[0]) if len(self._outputs) == 1 else set[str]()
        return units.pop() if len(units) == 1 else None

    @cached_property
    def outputs(self) -> tuple[OutputColumn | None, ...]:
        """Which column each output has values of; None for what is computed.

        `SELECT city, max(price), count(*) FROM hotels GROUP BY city` -> city, price (extreme), None
        """
        found: list[OutputColumn | None] = []
        for plain in map(_unwrapped, self._outputs):
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
    def _read(self) -> tuple[list[list[exp.Expr]], str]:
        try:
            return read_records(self._alone, self.schema.entity, self._names), ""
        except UncountedError as reason:
            return [], str(reason)

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
        highest, or that a column which is used otherwise is stated, is no condition here; nor is
        what one FILTER of several asks: what that leaves is a part of what is put out.
        """
        counts = list(map(_unwrapped, self._outputs))
        if len(counts) == 1 and isinstance(counts[0], exp.Count) and not counts[0].find(exp.Column):
            return ""
        names = {name.lower() for name in self.asked}

        def selects(part: exp.Expr) -> bool:
            select = part.expression.unnest() if isinstance(part, exp.EQ) else None
            ends = select.selects if isinstance(select, exp.Select) else []
            is_extreme = len(ends) == 1 and isinstance(ends[0].unalias(), exp.Max | exp.Min)
            return not is_extreme and stated_column(part) not in names

        nodes = [] if self._alone is None else self._alone.find_all(exp.Filter)
        shared = set[str].intersection(*({*map(write, x)} for x in self.readings or [[]]))
        apart = {write(part) for node in nodes for part in where_of(node)} - shared
        told = (
            all_of((x for x in parts if write(x) not in apart and selects(x)), is_told=True)
            for parts in self.readings
        )
        return any_of([*told])

    @cached_property
    def takes(self) -> dict[str, list[Take]]:
        """Which values amounts and conditions take of columns, where that is not each of them."""
        found: dict[str, list[Take]] = {}
        root = self._alone
        for select in () if root is None else root.find_all(exp.Select):
            [source, *others] = sources_of(select) or [select]
            if others or not self.is_records(source):
                continue
            for node in select.find_all(exp.AggFunc, exp.Anonymous, exp.Where):
                above, is_amount = node.parent, not isinstance(node, exp.Where)
                is_other = is_amount and not is_aggregate(node)
                if node.find_ancestor(exp.Select) is not select or is_other:
                    continue
                where = where_of(above) if isinstance(above, exp.Filter) and is_amount else []
                for part in _arguments(node) if is_amount else split_and(node.this):
                    for column, take in self._taken(part, where, is_amount=is_amount):
                        is_told = not isinstance(node, _SAYING)  # else the result says it
                        take = take if is_told else replace(take, lost="", said="")
                        found.setdefault(column, []).append(take)
        roles = {x: {use.role for use in self.columns if use.column == x} for x in found}
        return {
            name: takes if roles[name] == {"measure"} else [Take("", x.lost, x.said) for x in takes]
            for name, takes in found.items()
            if any(x.lost or x.taken for x in takes)
        }

    def _taken(
        self, part: exp.Expr, where: Sequence[exp.Expr], *, is_amount: bool
    ) -> Iterator[tuple[str, Take]]:
        """Yield the columns that *part* has a value of; a CASE chooses among rows.

        Of others and of OR or NOT AND on several columns it cannot be told: an amount takes all.
        """
        plain, choices = part.unnest(), [*part.find_all(exp.If)]
        asked = {x for item in choices for x in columns_of(item.this)}
        ends = {write(x) for item in choices for x in [item.args.get("true")] if x}
        valued = [x for x in part.find_all(exp.Column) if not is_amount or not is_condition(x)]
        is_mapped = not valued and len(ends) > 1  # each value of a column is written as a number
        valued = [*part.find_all(exp.Column)] if is_mapped else valued
        names = {x.name.lower() for x in valued}
        other = plain.args.get("default") or plain.args.get("false")
        is_choice = isinstance(plain, exp.Case | exp.If) and isinstance(other, exp.Null | NoneType)
        is_choice &= is_amount and len(choices) == len(plain.args.get("ifs", [plain]))
        either = any(not is_condition(x) for x in part.find_all(exp.Connector))
        is_mixed = len(names) > 1 and (is_mapped or either)
        is_simple = any(x.this for x in part.find_all(exp.Case))  # its conditions are values
        is_open = is_simple or is_mixed or (choices and not is_choice)
        if is_open or part.find(exp.Query, exp.Window) is not None:
            used = part.find_all(exp.Column) if is_amount else ()
            yield from ((x, Take("")) for x in map(self.origin, used) if x)
            return
        picked = [exp.or_(*(x.this for x in choices))] if choices and not is_mapped else []
        parts = [*where, *(picked if names.isdisjoint(asked) else [])]
        chosen = all_of([*where, *picked])
        lost = ""
        if not is_definite(part) or part.find(exp.TryCast, exp.Div, exp.IntDiv, exp.Mod):
            stated = [*map(not_null, {x.name: x for x in valued}.values())]
            lost = f"{all_of(stated)} AND ({write(part)}) IS NULL"
            lost = f"({chosen}) AND {lost}" if chosen else lost
        for column in dict.fromkeys(map(self.origin, valued)):
            if column and column != _ROW and (is_amount or lost):
                others = (x for x in parts if column.lower() not in columns_of(x))
                yield column, Take(all_of(parts), lost, write(part), (*others,))

    def rows_of(self, gaps: Gaps) -> dict[str, str | None]:
        """Return of which rows each column that the query uses is used, as SQL, or of more.

        Those are left out that a condition on another column definitely excludes where the column
        stands. Empty for all; None where it cannot be told.
        """
        used = {name.lower() for name in self.asked}
        found: dict[str, list[str] | None] = {}
        for node in () if self._alone is None else self._alone.find_all(exp.Column):
            column, select = self.origin(node) or "", node.find_ancestor(exp.Select)
            if select is None or column not in self.names:
                continue
            if (conditions := found.setdefault(column, [])) is None:
                continue
            sources = sources_of(select)
            own = {x.alias_or_name.lower() for x in sources if self.is_records(x)}
            names = own & ({node.table.lower()} if node.table else own)
            if len(names) != 1:  # of what a subquery makes
                found[column] = None
                continue
            around = node.find_ancestor(exp.Filter, exp.Select)
            parts = where_of(select) + (where_of(around) if isinstance(around, exp.Filter) else [])
            names |= {""} if len(sources) == 1 else set()
            mine = [x for x in parts if _tables_of(x, select) <= names]
            others = (x for x in mine if column.lower() not in columns_of(x))
            may = dict.fromkeys(admit(part, gaps, used) for part in others)
            conditions.append(" AND ".join(x for x in may if x != ALWAYS))
        return {x: None if y is None else any_of(y) for x, y in found.items()}

    def may_take(self, column: str, gaps: Gaps) -> str:
        """Write from which rows a value of *column* may be taken, were the *gaps* known."""
        used = {name.lower() for name in self.asked}
        admitted = [
            dict.fromkeys(admit(part, gaps, used) for part in x.parts)
            for x in self.takes.get(column, ())
        ]
        return any_of([" AND ".join(x for x in may if x != ALWAYS) for may in admitted])

    def admitting(self, gaps: Gaps) -> dict[str, tuple[str, str]]:
        """Return the columns that the query uses, each with two conditions on records.

        The first admits those that the conditions on other columns do not definitely exclude; the
        second says which of them meet these as they are written. Both are empty where nothing is
        excluded.

        `SELECT avg(price) FROM hotels WHERE stars > 3` -> `{"price": ("((stars > 3) IS NOT FALSE)",
        "(stars > 3)"), "stars": ("", "")}` where some records do not say the stars
        """
        used = {name.lower() for name in self.asked}
        admitted: dict[int, str] = {}  # of each part, which the columns share
        found: dict[str, tuple[str, str]] = {}
        for column in self.names if self.readings else ():
            may, meets = [], []
            for parts in self.readings:
                others = [part for part in parts if column.lower() not in columns_of(part)]
                for part in others:
                    if id(part) not in admitted:
                        admitted[id(part)] = admit(part, gaps, used)
                one = dict.fromkeys(admitted[id(part)] for part in others)
                may.append(" AND ".join(item for item in one if item != ALWAYS))
                meets.append(all_of(others))
            found[column] = any_of(may), any_of(meets)
        return found

    @cached_property
    def aggregate(self) -> Aggregate | None:
        """What the query computes, where it can be said what unknown cells could change of it."""
        return read_aggregate(self, NO_GAPS)

    @property
    def divides(self) -> bool:
        """Whether it may compute a share."""
        return bool(self._find(exp.Div, exp.Avg))

    @property
    def sized(self) -> set[str]:
        """The columns that it puts in order by size."""
        nodes = self._find(exp.Ordered, exp.Min, exp.Max, *_COMPARING)
        sides = (side for node in nodes for side in node.iter_expressions())
        names = {self.origin(side) for side in sides if isinstance(side, exp.Column)}
        return {name for name in names if name and name != _ROW}

    def pools(
        self, column: str, other: str, key: str, told: str, adding: Sequence[type[exp.AggFunc]] = ()
    ) -> Iterator[str]:
        """Write how many values of *other* the amounts of *column* have that it puts together.

        Those of a row are what `SELECT key, told` (as `_told`) says of its *key*.

        In what is *adding* them, and else in each aggregate but counts, in orders and comparisons
        with numbers, and in the sides of a difference together; the most of one group, where groups
        are shown, with *other* or where it is *adding*.

        `SELECT AVG(size) FROM lots GROUP BY kind`, unit -> the largest of `SELECT COUNT(DISTINCT
        unit) FROM lots WHERE size IS NOT NULL GROUP BY kind`; none where *other* is such a group
        """
        root = self.merged
        kinds = adding or (exp.AggFunc, exp.Ordered, *_COMPARING)
        found: dict[int, dict[str, None]] = {}
        for node in [] if root is None else root.find_all(*kinds):
            used = [x for x in node.find_all(exp.Column) if self.origin(x) == column]
            is_compared, select = isinstance(node, _COMPARING), node.find_ancestor(exp.Select)
            is_free = is_compared and not node.find(exp.Literal)
            if used and select is not None and not is_free and not isinstance(node, exp.Count):
                is_one = is_compared or any(select.args.get(x) for x in ("limit", "qualify"))
                is_one |= not adding and other.lower() not in columns_of(
                    exp.tuple_(*select.selects)
                )
                keys = [] if is_one or not select.args.get("group") else group_keys(select) or []
                if other.lower() not in (x.name.lower() for x in keys if isinstance(x, exp.Column)):
                    rows = f"{quote_name(self.schema.entity)} JOIN (SELECT {key}, {told})"
                    pool = self._pool(node, used[0], keys, f"(FROM {rows} USING ({key}))")
                    whole: exp.Expr = node
                    while not keys and (above := whole.find_ancestor(*_SIDED)):
                        whole = above
                    found.setdefault(id(whole), {})[pool] = None
        for pools in found.values():
            counted = f"count(DISTINCT _told) AS n FROM ({' UNION ALL '.join(pools)}) GROUP BY _of"
            yield f"SELECT max(n) FROM (SELECT {counted})"  # noqa: S608 - as below

    def _pool(self, node: exp.Expr, column: exp.Column, keys: Sequence[exp.Expr], rows: str) -> str:
        """Write which values of `_told` the SELECT around *node* puts together there, by *keys*."""
        select = node.find_ancestor(exp.Select)
        own = [x for x in sources_of(select) if self.is_records(x)] if select else []
        names = [x.alias_or_name for x in own if column.table in {"", x.alias_or_name}]
        whole = f"SELECT _told, NULL AS _of FROM {rows}"  # noqa: S608 - it runs through the guard
        if not names or select is None or self.merged is None:
            return whole
        query, name = select.copy(), exp.to_identifier(names[0], quoted=True)
        source = exp.Subquery(this=parse_query(whole), alias=exp.TableAlias(this=name))
        source.this.set("expressions", [exp.Star()])
        next(x for x in sources_of(query) if x.alias_or_name == names[0]).replace(source)
        asked = where_of(query) + (
            where_of(node.parent) if isinstance(node.parent, exp.Filter) else []
        )
        others = [x.copy() for x in asked if column.name.lower() not in columns_of(x)]
        told = exp.case().when(not_null(column), exp.column("_told", name.copy()))
        for part in ("distinct", "group", "having", "order", "limit", "offset", "qualify"):
            query.set(part, None)
        query.set("where", exp.Where(this=exp.and_(*others)) if others else None)
        query.set("with_", self.merged.args.get("with_"))
        of = exp.func("row", *(x.copy() for x in keys)) if keys else exp.null()
        query.set("expressions", [exp.alias_(told, "_told"), exp.alias_(of, "_of")])
        return f"({query.sql('duckdb')})"

    @cached_property
    def shares_of(self) -> tuple[str, ...]:
        """Of what the shares in the query are shares: `COUNT(pool)`, `all records`."""
        below = [node.right for node in self._find(exp.Div) if node.left.find(exp.AggFunc)]
        below = [(x.this if isinstance(x, exp.Nullif) else x).unnest() for x in below]
        plain = (say_query(node if isinstance(node, exp.Select) else None) for node in below)
        found = zip(below, plain, strict=True)
        said = [words or write(node) for node, words in found if node.find(exp.AggFunc)]
        for node in self._find(exp.Avg):
            measure = node.this.unnest()
            if isinstance(measure, exp.Case) and measure.args.get("default") is not None:
                said.append("all records, also those that do not say it")
            elif isinstance(measure, exp.Cast):
                said.append("those that say it")
        return tuple(dict.fromkeys(said))

    @property
    def decimals(self) -> int | None:
        """To how many decimals the one output is rounded; None where it is not."""
        output = self._outputs[0].unalias() if len(self._outputs) == 1 else None
        if not isinstance(output, exp.Round):
            return None
        digits = output.args.get("decimals")
        return int(digits.name) if digits is not None and digits.is_int else 0

    @property
    def has_unnamed(self) -> bool:
        """Whether it puts out columns that it does not name: `COLUMNS('m.*')`, some stars."""
        return any(x.is_star or x.find(exp.Columns) for x in self._outputs)

    @property
    def ungrounded(self) -> tuple[str, ...]:
        """The outputs of the query that would be the same whatever the records held."""
        return () if self._written is None else find_ungrounded(self._written)

    @cached_property
    def clauses(self) -> tuple[tuple[Condition, ...], ...]:
        """The conditions on single records, by clause: those that a record has to meet together.

        In WHERE, HAVING and QUALIFY, in a FILTER, in the ON of a join, in a CASE, in a CTE or a
        subquery. What compares groups, other tables, or one record with another is none.
        """
        kinds = (exp.Where, exp.Having, exp.Qualify, exp.If, exp.CountIf, exp.LogicalOr, exp.Join)
        clauses = self._find(*kinds)
        asked = [node.args.get("on" if isinstance(node, exp.Join) else "this") for node in clauses]
        parts = [split_and(clause) for clause in asked if isinstance(clause, exp.Expr)]
        return tuple(self._on_records(items) for items in parts)

    @cached_property
    def comparisons(self) -> tuple[Condition, ...]:
        """Each comparison of a column with a text, as one that wants the text.

        `… WHERE NOT (crew > 9 OR flag IN ('Malta', 'Peru')) AND port <> 'Bonn'` ->
        `flag = 'Malta'`, `flag = 'Peru'`, `port = 'Bonn'`
        """
        equal = (exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ, exp.In)
        like = (exp.Like, exp.ILike, exp.RegexpLike, exp.Contains, exp.StartsWith, exp.EndsWith)
        wanted: list[exp.Expr] = []
        for node in self._find(*equal, *like):
            kind = exp.EQ if isinstance(node, equal) else type(node)
            listed = [item for item in node.expressions if item.is_string]
            for text in listed if isinstance(node, exp.In) else [node.expression]:
                comparison = kind(this=node.this.copy(), expression=text.copy())
                comparison.parent = node.parent  # it stands there, so that its table can be told
                wanted.append(comparison)
        return tuple(item for item in self._on_records(wanted) if item.texts)

    def _on_records(self, parts: Iterable[exp.Expr]) -> tuple[Condition, ...]:
        found: dict[Condition, None] = {}
        for part in parts:
            used = list(part.find_all(exp.Column))
            names = [self.origin(column) or "" for column in used]
            is_renamed = [column.name.lower() for column in used] != list(map(str.lower, names))
            if is_renamed or len({column.table.lower() for column in used}) != 1:
                continue
            if part.find(exp.Query, exp.AggFunc, exp.Window) is None:
                texts = (item.name for item in part.find_all(exp.Literal) if item.is_string)
                columns = tuple(dict.fromkeys(names))
                found[Condition(write(part), columns, tuple(dict.fromkeys(texts)))] = None
        return tuple(found)

    @cached_property
    def open_lists(self) -> tuple[str, ...]:
        """The columns that a NOT IN takes its list from, unless it leaves unknowns out.

        `… WHERE flag NOT IN (SELECT flag FROM ships WHERE crew > 9)` -> `("flag",)`
        """
        found: dict[str, None] = {}
        for node in self._find(exp.Not):
            query = node.this.args.get("query") if isinstance(node.this, exp.In) else None
            select = None if query is None else query.unnest()
            if isinstance(select, exp.Select):
                asked = [part for part in where_of(select) if not isinstance(part, exp.Is)]
                known = {column.name for part in asked for column in part.find_all(exp.Column)}
                listed = [item.name for item in select.selects if isinstance(item, exp.Column)]
                found |= dict.fromkeys(name for name in listed if name not in known)
        return tuple(found)

    def origin(self, column: exp.Column) -> str | None:
        """Return which column of the records *column* is, through CTEs and subqueries.

        None for what is computed, and for columns of other tables.
        """
        for meant in meanings_of(column):
            if isinstance(meant, exp.Column):
                found = self.origin(meant)
            else:
                found = self._names.get(column.name.lower()) if self.is_records(meant) else None
            if found is not None:
                return found
        return None

    def is_records(self, source: exp.Expr) -> bool:
        """Whether *source* of a FROM is the table of the records."""
        return isinstance(source, exp.Table) and source.name.lower() == self.schema.entity.lower()

    def units_of(self, output: exp.Expr) -> set[str]:
        """Return the units of the values of *output*: several where it puts some together."""
        node = _unwrapped(output)
        if isinstance(node, exp.Div):
            factors = [side.name for side in node.left.find_all(exp.Literal) if not side.is_string]
            is_scaled = isinstance(_unwrapped(node.left), exp.Mul)
            return {"percent"} if is_scaled and 100.0 in map(float, factors) else set()
        if isinstance(node, exp.DateDiff):
            return {f"{node.args['unit'].name.lower()}s"}
        meant = meanings_of(node) if isinstance(node, exp.Column) else _operands(node)
        tables = {x.name.lower() for x in meant if isinstance(x, exp.Table)}
        held = (x for table in self.whole.tables if table.entity.lower() in tables
                for x in table.attributes)  # fmt: skip
        found = {x.unit for x in held if x.unit and x.name.lower() == node.name.lower()}
        return found.union(*(self.units_of(x) for x in meant if not isinstance(x, exp.Table)))

    @property
    def mixed_units(self) -> Iterator[str]:
        """Say where amounts of columns in different units are put together, or compared.

        `"price + freight puts EUR and USD together"`, also of columns that a UNION makes one.
        """
        found: dict[tuple[str, ...], str] = {}
        for node in self._find(*_KEEPING, *_JOINING, *_COMPARING):
            sides = _operands(node) or [node.this, node.expression]
            units = set[str]().union(*(self.units_of(x) for x in sides if x))
            if len({unit_of(x) for x in units} - {None}) > 1:
                found.setdefault(tuple(sorted(units)), write(node))
        yield from (f"{sql} puts {' and '.join(units)} together" for units, sql in found.items())


def _tables_of(part: exp.Expr, select: exp.Select) -> set[str]:
    """Return how a condition of *select* calls the tables that it is on."""
    used = [x for x in part.find_all(exp.Column) if x.find_ancestor(exp.Select) is select]
    return {x.table.lower() for x in used}


def _named(table: Table) -> tuple[str, ...]:
    keys = (_ROW, POSITION) if table.parent else (_ROW,)
    return (*keys, *(item.name.lower() for item in table.attributes))


_SIDED = (exp.Add, exp.Sub, exp.Div, *_COMPARING)
_JOINING = (exp.Add, exp.Sub, exp.Case, exp.If, exp.Coalesce, exp.Greatest, exp.Least, exp.Abs)
_KEEPING = (exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Median, exp.Quantile, exp.PercentileCont)


# Their results say of how many values nothing is made: they count them, or keep NULL.
_SAYING = (exp.Count, exp.ArrayAgg, exp.First, exp.Last, exp.FirstValue, exp.LastValue,
           exp.NthValue, exp.Lag, exp.Lead, exp.JSONArrayAgg, exp.JSONObjectAgg)  # fmt: skip


def _arguments(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield what an aggregate is of, without DISTINCT and order."""
    for part in (node.this, node.args.get("expression"), *node.expressions):
        while isinstance(part, exp.Order | exp.IgnoreNulls):
            part = part.this
        if isinstance(part, exp.Distinct):
            yield from part.expressions
        elif isinstance(part, exp.Condition):
            yield part


def _operands(node: exp.Expr) -> list[exp.Expr]:
    """Return the parts of which an expression has the unit."""
    match node:
        case exp.Case():
            parts = [*node.args["ifs"], node.args.get("default")]
        case exp.If():
            parts = [node.args.get("true"), node.args.get("false")]
        case exp.Select():
            parts = node.selects * (len(node.selects) == 1)
        case exp.Expr() if isinstance(node, (*_JOINING, *_KEEPING)):
            parts = [node.this, node.args.get("expression"), *node.expressions]
        case _:
            parts = []
    return [x for x in parts if x is not None]


def _unwrapped(output: exp.Expr) -> exp.Expr:
    """Take away what changes no unit: alias, brackets, rounding, a type, FILTER."""
    node = output.unalias()
    while isinstance(node, exp.Paren | exp.Round | exp.Cast | exp.Filter | exp.Subquery):
        node = node.this
    return node


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
        assumed: What it takes for granted and the question does not say, in words; sure are those
            without.
        rivals: The queries of other readings that are good enough, the best first.
        ordered: Whether the order of the rows is part of the answer.
    """

    question: str
    restated: str
    facts: QueryFacts
    literals: tuple[BoundLiteral, ...] = ()
    assumed: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()
    ordered: bool = False

    @property
    def sql(self) -> str:
        """The query."""
        return self.facts.sql
