"""Queries as sqlglot trees: parsed as the guard parses them, and what they ask of the records.

A condition has three values: true, false, and unknown where cells that decide it are unknown. A
definite one is NULL for a record that is not known to meet or to miss it; an admitting one is true
for each that it does not definitely exclude. What is built from them runs through the guard, as SQL
from outside does.

`exp` is sqlglot's module of expressions, which is heavy: it is imported when a query is read.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from srag_mcp.cells.cell import BY_RULES
from srag_mcp.errors import RefusedQueryError
from srag_mcp.store.database import quote_name, quote_text
from srag_mcp.store.guard.check import UnreadableError, parse_statement
from srag_mcp.values.states import State

if TYPE_CHECKING:
    from sqlglot import exp as exp
else:

    class _Expressions:
        def __getattr__(self, name: str) -> object:
            found = getattr(importlib.import_module("sqlglot.expressions"), name)
            setattr(self, name, found)
            return found

    exp = _Expressions()


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
# 600 conditions: what is worked out of them takes 0.4 s, and a query that is run has 5 s.
_MAX_NODES = 3_000


@dataclass(frozen=True, slots=True)
class Gaps:
    """The columns, in lower case, that some records have no value in.

    *unknown*: some of them may have one. *none*: it is stated of all of them that they have none,
    so that a NULL is what is known; *mixed*: of some of them. *contradicted*: values of theirs are
    taken out as unknown, and stand under `said_name`. *unread*: some documents were not read for
    them, or say what could not be read, or rules found nothing in them, which may be there in other
    words: none of these is known to say nothing.
    """

    unknown: frozenset[str] = frozenset()
    none: frozenset[str] = frozenset()
    contradicted: frozenset[str] = frozenset()
    mixed: frozenset[str] = frozenset()
    unread: frozenset[str] = frozenset()

    def settle(self, tree: exp.Expr) -> bool:
        """Whether *tree* is right as it is written: NULL of some records, and unknown of none."""
        used = columns_of(tree)
        return not used.isdisjoint(self.none) and used.isdisjoint(self.unknown)

    def confuse(self, tree: exp.Expr) -> bool:
        """Whether *tree* asks for what is known to be NULL beside what is unknown."""
        tested = (node.this for node in tree.find_all(exp.Is) if is_null_test(node))
        asked = {name for node in tested for name in columns_of(node)}
        return not self.settle(tree) and not asked.isdisjoint(self.none)

    def write(self, part: exp.Expr) -> str:
        """Write *part*, so that a contradicted value is none that is not stated.

        `height IS NULL` -> `"_said_height" IS NULL`; NULL for who was not read for the height, says
        one that could not be read, or has none that a rule found.
        """
        if not _is_said(part):
            return write(part)
        part = part.copy()
        [column] = part.find_all(exp.Column)
        name = column.name.lower()
        if name in self.contradicted:
            column.set("this", exp.to_identifier(said_name(name), quoted=True))
        if name not in self.unread:
            return write(part)
        silent = f"state = '{State.NOT_MENTIONED.value}' AND engine = '{BY_RULES}'"
        known = f"state <> '{State.FAILED.value}' AND NOT ({silent})"
        read = f"lower(attribute) = {quote_text(name)} AND {known}"
        ids = f"SELECT document_id FROM cells WHERE {read}"  # noqa: S608 - it runs through the guard
        return f"CASE WHEN document_id IN ({ids}) THEN {write(part)} END"


NO_GAPS = Gaps()


def said_name(column: str) -> str:
    """Return where the values of *column* stand that are taken out of it as contradicted."""
    return f"_said_{column.lower()}"


def parse_query(sql: str) -> exp.Expr | None:
    """Parse *sql* as the guard does; None where sqlglot reads less than DuckDB.

    So it is where a query has no end, or is longer than anybody writes one: with the CTEs put where
    they are read, each of which may read the one before it twice.
    """
    try:
        tree = parse_statement(sql)
    except (UnreadableError, RefusedQueryError):
        return None
    return tree if _count_nodes(tree, {}) <= _MAX_NODES else None


def _count_nodes(tree: exp.Expr, counted: dict[int, float]) -> float:
    """Count the parts of *tree* with those of the CTEs that it reads; infinite in a circle."""
    total = 0.0
    for node in tree.walk():
        query = inner_query(node) if isinstance(node, exp.Table) else None
        if query is not None and id(query) not in counted:
            counted[id(query)] = math.inf  # while it is counted
            counted[id(query)] = _count_nodes(query, counted)
        total += 1 if query is None else 1 + counted[id(query)]
        if total > _MAX_NODES:
            return math.inf
    return total


def merge_queries(root: exp.Expr, tables: Mapping[str, Iterable[str]]) -> exp.Expr:
    """Put what CTEs and subqueries in FROM only pass on of *tables*, by name, in their places.

    `WITH t AS (SELECT * FROM hotels WHERE pool) SELECT avg(price) FROM t` -> `SELECT avg(price)
    FROM hotels WHERE pool`. *root* itself where there are none, or sqlglot cannot tell.
    """
    is_nested = any(isinstance(item.this, exp.Subquery) for item in root.find_all(exp.From))
    if not is_nested and not root.args.get("with_"):
        return root
    from sqlglot.errors import SqlglotError  # heavy
    from sqlglot.optimizer.merge_subqueries import merge_subqueries
    from sqlglot.optimizer.qualify import qualify

    known: dict[str, object] = {x: dict.fromkeys(y, "VARCHAR") for x, y in tables.items()}
    failures = (SqlglotError, ValueError, AttributeError, TypeError, LookupError, RecursionError)
    try:
        return merge_subqueries(
            qualify(root.copy(), schema=known, dialect="duckdb", quote_identifiers=False)
        )
    except failures:
        return root


def split_and(condition: exp.Expr) -> list[exp.Expr]:
    """Return what AND joins in *condition*, also within brackets: `a AND (b AND c)` -> a, b, c."""
    unwrapped = condition.unnest()
    if not isinstance(unwrapped, exp.And):
        return [unwrapped]
    return [one for part in unwrapped.flatten() for one in split_and(part)]


def where_of(node: exp.Expr) -> list[exp.Expr]:
    """Return what AND joins in the WHERE of a SELECT or of a FILTER."""
    where = node.expression if isinstance(node, exp.Filter) else node.args.get("where")
    return [] if where is None else split_and(where.this)


def sources_of(select: exp.Expr) -> list[exp.Expr]:
    """Return what *select* reads from, joined or not: tables, subqueries, functions."""
    joins = select.args.get("joins") or []
    return [item.this for item in (select.args.get("from_"), *joins) if item is not None]


def inner_query(source: exp.Expr) -> exp.Expr | None:
    """Return the query that *source* of a FROM stands for; None for a table.

    A CTE is seen by those after it, by itself where it is recursive, and by the query below.
    """
    if isinstance(source, exp.Subquery):
        return source.unnest()
    if not isinstance(source, exp.Table) or not isinstance(source.this, exp.Identifier):
        return None
    own, node = None, source.parent
    while node is not None:
        own = node if isinstance(node, exp.CTE) else own
        with_ = node.args.get("with_")
        seen = [] if with_ is None else with_.expressions
        if own in seen and with_ is not None and not with_.recursive:
            seen = seen[: seen.index(own)]
        for item in seen:
            if item.alias_or_name.lower() == source.name.lower():
                found: exp.Expr = item.this
                return found
        node = node.parent
    return None


def meanings_of(column: exp.Column) -> list[exp.Expr]:
    """Return what *column* may be: outputs of CTEs and subqueries, or tables that it is read from.

    Without the name of a table, it may be in each that is read; where none has it, in those that a
    query around reads.
    """
    name, table = column.name.lower(), column.table.lower()
    select = column.find_ancestor(exp.Select)
    while select is not None:
        sources = [s for s in sources_of(select) if table in {"", s.alias_or_name.lower()}]
        found = [meant for source in sources for meant in _outputs_called(name, source)]
        if found:
            return found
        select = select.find_ancestor(exp.Select)
    return []


def _outputs_called(name: str, source: exp.Expr) -> list[exp.Expr]:
    query = inner_query(source)
    outputs = [source] if query is None else outputs_of(query)
    rows: list[exp.Expr] = [x for x in outputs if isinstance(x, exp.Table | exp.UDTF)]
    named = [x.unalias() for x in outputs if x not in rows and x.alias_or_name.lower() == name]
    parts = selects_of(query) if named and not rows else []  # UNION goes by places
    first, *others = [outputs_of(select) for select in parts] or [[]]
    places = [at for at, x in enumerate(first) if x.alias_or_name.lower() == name]
    named += [x[at].unalias() for x in others for at in places if at < len(x)]
    return named or rows


def outputs_of(query: exp.Expr) -> list[exp.Expr]:
    """Return what a query puts out; a table or written rows stand for all columns of theirs."""
    found: list[exp.Expr] = []
    for select in selects_of(query):
        for item in select.selects:
            inner = [(s, inner_query(s)) for s in sources_of(select)] if item.is_star else []
            for source, of_source in inner:
                found += [source] if of_source is None else outputs_of(of_source)
            found += [] if inner else [item]
    return found


def spell_out(root: exp.Expr | None, tables: Mapping[str, Sequence[str]]) -> exp.Expr | None:
    """Write the columns of *tables* that `*` stands for in what a query puts out.

    `SELECT * FROM hotels` -> `SELECT document_id, stars, price FROM hotels`; the rest stays `*`,
    and so does what no result has room for.
    """
    known: dict[int, Sequence[str]] = {}  # one may stand in `SELECT *, *` of another, and so on

    def names_of(source: exp.Expr) -> Sequence[str]:
        if id(source) not in known:
            found = find_names(source)
            known[id(source)] = found if len(found) <= _MAX_NODES else ()
        return known[id(source)]

    def find_names(source: exp.Expr) -> Sequence[str]:
        query, alias = inner_query(source), source.args.get("alias")
        if alias is not None and alias.args.get("columns"):
            return ()
        if query is None:
            return tables.get(source.name.lower(), ())
        first = selects_of(query)[:1]
        outputs = [y for select in first for x in select.selects for y in spelled(x, select)]
        return () if any(x.is_star for x in outputs) else [x.alias_or_name for x in outputs]

    def spelled(item: exp.Expr, select: exp.Select) -> list[exp.Expr]:
        star = item.this if isinstance(item, exp.Column) else item
        if not isinstance(star, exp.Star) or star.args.get("replace") or star.args.get("rename"):
            return [item]
        table, sources = item.text("table").lower(), sources_of(select)
        read = [x for x in sources if table in {"", x.alias_or_name.lower()}]
        left_out = {x.name.lower() for x in star.args.get("except_") or ()}
        named = [(x.alias_or_name if len(sources) > 1 else None, names_of(x)) for x in read]
        if not named or not all(names for _, names in named):
            return [item]
        return [exp.column(exp.to_identifier(name, quoted=True), table=of)
                for of, names in named for name in names if name not in left_out]  # fmt: skip

    for select in selects_of(root):
        select.set("expressions", [y for x in select.selects for y in spelled(x, select)])
    return root


def selects_of(query: exp.Expr | None) -> list[exp.Select]:
    """Return the SELECTs whose rows a query puts out: several under UNION and its like."""
    query = None if query is None else query.unnest()
    if isinstance(query, exp.SetOperation):
        return selects_of(query.left) + selects_of(query.right)
    return [query] if isinstance(query, exp.Select) else []


def not_null(node: exp.Expr) -> exp.Expr:
    """Return the condition that *node* is stated."""
    return exp.Not(this=exp.Is(this=node.copy(), expression=exp.null()))


def is_null_test(node: exp.Expr | None) -> bool:
    """Whether *node* is `… IS NULL`."""
    return isinstance(node, exp.Is) and isinstance(node.expression, exp.Null)


def stated_column(part: exp.Expr) -> str | None:
    """Return the column of `price IS NOT NULL`, in lower case; None for another condition."""
    is_stated = isinstance(part, exp.Not) and _is_said(part)
    return str(part.this.unnest().this.name).lower() if is_stated else None


def _is_said(tree: exp.Expr) -> bool:
    """Whether *tree* is `column IS NULL` or `column IS NOT NULL`: it asks what documents say."""
    test = tree.this.unnest() if isinstance(tree, exp.Not) else tree
    return is_null_test(test) and isinstance(test.this, exp.Column)


def columns_of(tree: exp.Expr, *, asked: bool = False) -> set[str]:
    """Return the names of the columns in *tree*, in lower case.

    *asked*: those of which it asks more than whether they are NULL.
    """
    found = tree.find_all(exp.Column)
    return {item.name.lower() for item in found if not (asked and is_null_test(item.parent))}


def used_columns(parts: Iterable[exp.Expr]) -> set[str]:
    """Return the columns, in lower case, that *parts* use for more than `price IS NOT NULL`."""
    return {name for part in parts if stated_column(part) is None for name in columns_of(part)}


def rename_columns(sql: str, names: Mapping[str, Mapping[str, str]]) -> str:
    """Write a query with the names that columns have by now, by table and by those of then.

    As it is where it cannot be read, or has such a name for something else.
    """
    tree = parse_query(sql)
    columns = [] if tree is None else [*tree.find_all(exp.Column)]
    new = [(x, name) for x in columns if (name := _name_of_now(x, names))]
    if tree is None or not new:
        return sql
    aliases = {node.alias for node in tree.find_all(exp.Alias, exp.TableAlias)}
    if not aliases.isdisjoint(column.name for column, _ in new):
        return sql
    for column, name in new:
        column.set("this", exp.to_identifier(name))
    return tree.sql(dialect="duckdb")


def _name_of_now(
    column: exp.Column, names: Mapping[str, Mapping[str, str]], seen: tuple[exp.Column, ...] = ()
) -> str | None:
    """Return what a column is called by now that a table among *names* calls otherwise."""
    for meant in meanings_of(column):
        name = None
        if isinstance(meant, exp.Table):
            name = names.get(meant.name.lower(), {}).get(column.name)
        elif isinstance(meant, exp.Column) and meant.name == column.name:
            is_new = all(meant is not item for item in (column, *seen))  # WITH RECURSIVE
            name = _name_of_now(meant, names, (column, *seen)) if is_new else None
        if name:
            return name
    return None


def unite_values(sql: str, table: str, column: str, names: Mapping[str, str]) -> str:
    """Write a query as if values of a column of *table* were others: *names*, by what is stored."""
    cases = " ".join(f"WHEN {quote_text(x)} THEN {quote_text(y)}" for x, y in names.items())
    own = quote_name(column)
    return replace_values(sql, table, own, f"CASE {own} {cases} ELSE {own} END") if cases else sql


def replace_values(sql: str, table: str, column: str, value: str) -> str:
    """Write a query as if a *column* (as SQL) of *table* were *value*; as it is if not readable."""
    tree = parse_query(sql)
    if tree is None:
        return sql
    taken = f"* REPLACE ({value} AS {column})"
    for source in [*tree.find_all(exp.Table)]:
        if source.name.lower() == table.lower():
            query = parse_query(f"SELECT {taken} FROM {quote_name(table)}")  # noqa: S608 - it runs through the guard
            alias = exp.TableAlias(this=exp.to_identifier(source.alias_or_name, quoted=True))
            source.replace(exp.Subquery(this=query, alias=alias))
    return tree.sql(dialect="duckdb")


def write(tree: exp.Expr) -> str:
    """Write *tree* as SQL of DuckDB, without table names, but for those of queries within it."""
    copied = tree.copy()
    for column in copied.find_all(exp.Column):
        if column.find_ancestor(exp.Select) is None:
            column.set("table", None)
    return copied.sql(dialect="duckdb")


def all_of(parts: Iterable[exp.Expr], *, is_told: bool = False) -> str:
    """Write what AND joins; empty where it is nothing. *is_told*: only with brackets it needs."""
    found = list(parts)
    opens = [not is_told or (isinstance(part, exp.Or) and len(found) > 1) for part in found]
    both = zip(found, opens, strict=True)
    return " AND ".join(f"({write(part)})" if is_open else write(part) for part, is_open in both)


def any_of(conditions: Collection[str]) -> str:
    """Join *conditions* with OR; empty, which means all records, where one of them is."""
    different = list(dict.fromkeys(conditions))
    if len(different) < 2:
        return "".join(different)
    return "" if "" in different else " OR ".join(f"({condition})" for condition in different)


def join_definite(
    parts: Collection[exp.Expr], also: Iterable[str] = (), gaps: Gaps = NO_GAPS
) -> str:
    """Write *parts* as one condition; `true` when there are none.

    `price IS NOT NULL` is left out where another part, or the columns *also*, use the price: who
    asks for prices above 9 wants those that are stated only, but the others may be above 9, too.
    A part that *gaps* settle stays: what is NULL then does not meet it.
    """
    used = {name.lower() for name in also} | used_columns(parts)
    written = (
        f"coalesce({write(part)}, false)" if gaps.settle(part) else f"({gaps.write(part)})"
        for part in parts
        if gaps.settle(part) or stated_column(part) not in used
    )
    return " AND ".join(written) or ALWAYS


def make_definite(tree: exp.Expr) -> exp.Expr:
    """Return a copy of *tree* without what makes unknown something known.

    `coalesce(pool, false)` -> `pool`, `pool IS NOT TRUE` -> `NOT pool`, `city IS DISTINCT FROM
    'Bonn'` -> `city <> 'Bonn'`, `NOT pool OR pool IS NULL` -> `NOT pool OR FALSE`. `city IS NULL`
    stays where it is all of it: it asks what documents do not say. Whether nothing else swallows
    unknown is for `is_definite` to say.
    """
    if _is_said(tree):
        return tree.copy()
    used = columns_of(tree, asked=True)

    def leave_unknown(node: exp.Expr) -> exp.Expr:
        found: exp.Expr = node
        if isinstance(node, exp.NullSafeNEQ):
            found = exp.NEQ(this=node.this, expression=node.expression)
        elif isinstance(node, exp.NullSafeEQ):
            found = exp.EQ(this=node.this, expression=node.expression)
        elif isinstance(node, exp.Coalesce):
            # It is its first part, once all cells are known.
            constants = all(isinstance(x, exp.Boolean | exp.Literal) for x in node.expressions)
            found = node.this if constants or isinstance(node.this, exp.Column) else node
        elif isinstance(node, exp.Is) and isinstance(node.expression, exp.Boolean):
            found = node.this if node.expression.this else exp.Not(this=exp.paren(node.this))
        elif is_null_test(node) and isinstance(node.this, exp.Column):
            found = exp.false() if node.this.name.lower() in used else node
        return found

    return tree.transform(leave_unknown)


def is_definite(*trees: exp.Expr) -> bool:
    """Whether each of *trees* is NULL for each record whose unknown cells could change it.

    Not with `CASE`, `greatest`, `concat` and others that make something of NULL, nor with a query.
    """
    kinds = tuple(getattr(exp, kind) for kind in _KEEP_NULL)
    return all(
        _is_said(tree)
        or all(
            node.name.lower() in _KEEP_NULL_BY_NAME
            if isinstance(node, exp.Anonymous)
            else isinstance(node, kinds)
            for node in tree.walk()
        )
        for tree in trees
    )


def admit(tree: exp.Expr, gaps: Gaps, used: Collection[str]) -> str:
    """Write what *tree* does not definitely exclude; of AND and OR that is the same of each side.

    `stars > 3` -> `((stars > 3) IS NOT FALSE)` where the stars of some records are unknown. *used*:
    the columns of which the query asks more than whether they are NULL.
    """
    tree = tree.unnest()
    if gaps.settle(tree):
        return f"({write(tree)})"
    if isinstance(tree, exp.And | exp.Or):
        sides = dict.fromkeys(admit(side, gaps, used) for side in (tree.left, tree.right))
        if isinstance(tree, exp.And):
            return " AND ".join(side for side in sides if side != ALWAYS) or ALWAYS
        return ALWAYS if ALWAYS in sides else f"({' OR '.join(sides)})"
    definite = make_definite(tree)
    is_open = not is_definite(definite) and tree.find(exp.Query) is None
    if is_open or gaps.confuse(tree):
        return ALWAYS  # it makes something of unknown: nothing is definitely excluded
    if not columns_of(definite, asked=True) and set() < columns_of(definite) <= set(used):
        return ALWAYS  # `price IS NOT NULL`, and the price is used for more
    written = f"({gaps.write(definite)})"
    return f"({written} IS NOT FALSE)" if columns_of(definite) & gaps.unknown else written


def leave_parent(select: exp.Select, table: str, parent: str, columns: Collection[str]) -> bool:
    """Ask by conditions for the record of each row of *table* that *select* joins with *parent*.

    `FROM items i JOIN orders o USING (document_id) WHERE o.city = 'Bonn'` -> `FROM items i WHERE
    document_id IN (SELECT document_id FROM orders WHERE city = 'Bonn')`: the rows are the same, as
    each is of one record. False, and *select* as it is, where it reads something else, or a
    condition is on both. *columns*: those of *table* in lower case.
    """
    sources, [join, *_] = sources_of(select), select.args.get("joins") or [None]
    alike = {item.name.lower(): item for item in sources if inner_query(item) is None}
    own, other = alike.get(table.lower()), alike.get(parent.lower())
    if len(sources) != 2 or join is None or own is None or other is None:
        return False
    of_row, of_record = own.alias_or_name.lower(), other.alias_or_name.lower()

    def sides(part: exp.Expr) -> set[str]:
        found = set[str]()
        for item in part.find_all(exp.Column):
            if (name := item.name.lower()) != "document_id":
                found.add(item.table.lower() or (of_row if name in columns else of_record))
        return found

    using = [item.name.lower() for item in join.args.get("using") or []]
    on = [] if join.args.get("on") is None else split_and(join.args["on"])
    both = {of_row, of_record}
    keys = [
        x
        for x in on
        if isinstance(x, exp.EQ)
        and not sides(x)
        and {y.table.lower() for y in x.iter_expressions() if isinstance(y, exp.Column)} == both
    ]
    rest = [x for x in on if x not in keys]
    is_left = str(join.side or "").upper() == "LEFT" and sources[0] is own and not rest
    is_plain = not join.method and str(join.kind or "").upper() in {"", "INNER"}
    is_whole = (
        is_plain and (not join.side or is_left) and len(keys) + (using == ["document_id"]) == 1
    )
    filters = [
        x.expression for x in select.find_all(exp.Filter) if x.find_ancestor(exp.Select) is select
    ]
    where = [*where_of(select), *rest]
    asked = [*where, *(x for item in filters for x in split_and(item.this))]
    mixed = [x for x in asked if of_record in sides(x) and (len(sides(x)) > 1 or x.find(exp.Query))]
    if not is_whole or mixed or any(item.args.get("pivots") for item in sources):
        return False

    def of_its_record(part: exp.Expr) -> exp.Expr:
        if of_record not in sides(part):
            return part.copy()
        asking = f"SELECT document_id FROM {quote_name(parent)} WHERE {write(part)}"  # noqa: S608 - it runs through the guard
        tree = parse_query(f"SELECT document_id IN ({asking})")
        return exp.false() if tree is None else next(tree.iter_expressions()).copy()

    for item in filters:
        item.set("this", exp.and_(*map(of_its_record, split_and(item.this))))
    select.set("where", exp.Where(this=exp.and_(*map(of_its_record, where))) if where else None)
    select.set("joins", None)
    select.set("from_", exp.From(this=own.copy()))
    return True


class UncountedError(Exception):
    """It cannot be told which records a query reads; the text says why."""


def read_records(
    root: exp.Expr | None, table: str, columns: Collection[str]
) -> list[list[exp.Expr]]:
    """Return what each part of *root* that reads *table* asks of a record, joined by AND.

    The two groups of a difference are parts, and what each FILTER keeps. What is read only for a
    condition, such as the maximum of a superlative, is none. *columns* has those of the table, in
    lower case.

    Raises:
        UncountedError: If a step from the table to the result takes records away otherwise.
    """
    if root is None:
        msg = "it could not be taken apart"
        raise UncountedError(msg)
    _refuse_if(root.find(exp.TableSample), "it reads a sample")
    found = _parts_of(root, table, is_result=True)
    used = (column for parts in found for part in parts for column in part.find_all(exp.Column))
    outer = (column for column in used if column.find_ancestor(exp.Select) is None)
    is_computed = any(column.name.lower() not in columns for column in outer)
    _refuse_if(is_computed, "a condition uses what the query computes")
    return found


def _refuse_if(is_so: object, reason: str) -> None:
    if is_so:
        raise UncountedError(reason)


def _parts_of(query: exp.Expr, table: str, *, is_result: bool) -> list[list[exp.Expr]]:
    """Collect the parts of *query*; *is_result*: its rows are shown or counted, no more."""
    query = query.unnest()
    found: list[list[exp.Expr]] = []
    if isinstance(query, exp.SetOperation):
        for side in (query.left, query.right):
            found += _parts_of(side, table, is_result=is_result)
    elif isinstance(query, exp.Select):
        for output in query.selects:
            for node in output.dfs(prune=lambda node: isinstance(node, exp.Query)):
                if isinstance(node, exp.Query):
                    found += _parts_of(node, table, is_result=True)
        found += _parts_of_sources(query, table)
    else:
        _refuse_if(not isinstance(query, exp.Values), "it could not be taken apart")
    if not found:
        return found
    totals = (
        isinstance(query, exp.Select)
        and not query.args.get("group")
        and any(item.find(exp.AggFunc) and not item.find(exp.Window) for item in query.selects)
    )
    is_cut = query.args.get("limit") is not None or query.args.get("offset") is not None
    is_ranked = is_result and query.args.get("order")
    distinct = query.args.get("distinct") if isinstance(query, exp.Select) else None
    takes_first = (is_cut and not totals and not is_ranked) or (
        distinct and distinct.args.get("on")
    )
    _refuse_if(takes_first, "it takes only the first rows")
    picks = not is_result and (query.args.get("having") or query.args.get("qualify"))
    _refuse_if(picks, "it picks from the rows of a subquery")
    return found


def _parts_of_sources(select: exp.Select, table: str) -> list[list[exp.Expr]]:
    """Collect the parts of what *select* reads from, and its own where that is the table."""
    sources, joins = sources_of(select), select.args.get("joins") or []
    inner = [query for source in sources if (query := inner_query(source)) is not None]
    counts = all(isinstance(item.unalias(), exp.Count) for item in select.selects)
    found = [part for query in inner for part in _parts_of(query, table, is_result=counts)]
    picks = any(join.args.get(key) for join in joins for key in ("on", "using", "kind", "side"))
    picks = picks or len(inner) < len(sources) or bool(select.args.get("where"))
    _refuse_if(found and picks, "it picks from the rows of a subquery")
    own = [item for item in sources if item.name.lower() == table.lower() and not inner_query(item)]
    joined = own and (len(sources) > 1 or select.args.get("laterals"))
    _refuse_if(joined, "it joins tables")
    _refuse_if(any(item.args.get("pivots") for item in sources), "it turns rows into columns")
    if not own:
        return found
    where = where_of(select)
    functions = [
        node
        for output in select.selects
        for node in output.find_all(exp.AggFunc)
        if node.find_ancestor(exp.Select) is select
    ]
    filters = [node.parent for node in functions if isinstance(node.parent, exp.Filter)]
    over_rows = any(output.find(exp.Window) for output in select.selects)
    is_filtered = filters and len(filters) == len(functions) and not over_rows
    asked = [where + where_of(item) for item in filters] if is_filtered else [where]
    outer = sources[0].alias_or_name.lower()
    return found + [[_on_one_record(part, outer, table) for part in parts] for parts in asked]


def _on_one_record(part: exp.Expr, outer: str, table: str) -> exp.Expr:
    """Return a copy of *part*, which compares no row of *table*, called *outer*, with others."""
    copied = part.copy()
    for column in copied.find_all(exp.Column):
        inner = column.find_ancestor(exp.Select)
        compares = (
            inner is not None
            and column.table.lower() == outer
            and all(item.alias_or_name.lower() != outer for item in inner.find_all(exp.Table))
            and any(item.name.lower() == table.lower() for item in inner.find_all(exp.Table))
        )
        _refuse_if(compares, "a condition compares each record with others")
    return copied


def find_ungrounded(root: exp.Expr) -> tuple[str, ...]:
    """Return the outputs of a query that would be the same whatever the records held.

    A model could write its answer into it: `SELECT 42 + 0 * count(*) FROM ships` -> `42 + 0 *
    COUNT(*)`. The name of a group may be written in a query, beside what is counted in it:
    `SELECT 'Malta', count(*) … WHERE flag = 'Malta'`.
    """
    outputs = [item.unalias() for item in outputs_of(root)]
    loose = [item for item in outputs if not _is_grounded(item)]
    if not any(_is_grounded(item) for item in root.find_all(exp.Table) if not inner_query(item)):
        loose = outputs
    elif len(loose) < len(outputs):
        asked = [x for where in root.find_all(exp.Where) for x in where.find_all(exp.Literal)]
        is_one = len(selects_of(root)) == 1  # the rows of several are put together
        loose = [item for item in loose if is_one and not _is_label(item, asked)]
    return tuple(item.sql(dialect="duckdb") for item in loose)


def _is_label(node: exp.Expr, asked: Collection[exp.Expr]) -> bool:
    """Whether *node* is what a condition compares with, or stands in rows that are written."""
    if isinstance(node, exp.Column):
        return all(_is_label(meant, asked) for meant in meanings_of(node))
    return node in asked or isinstance(node, exp.Table | exp.UDTF)


def _is_grounded(node: exp.Expr) -> bool:
    """Whether *node* would be another if the records were."""
    if isinstance(node, exp.Table):
        return isinstance(node.this, exp.Identifier)
    if isinstance(node, exp.Column) and (meant := meanings_of(node)):
        return any(map(_is_grounded, meant))
    if _is_constant(node):
        return False
    counting = (exp.Count, exp.CountIf, exp.Sum, exp.RowNumber, exp.Exists)
    if isinstance(node, (*counting, exp.Column, exp.Star, exp.Columns)):
        return True
    if isinstance(node, exp.Query):
        return any(map(_is_grounded, outputs_of(node)))
    # whom a FILTER leaves out changes no constant
    parts = [node.this] if isinstance(node, exp.Filter) else node.iter_expressions()
    return any(map(_is_grounded, parts))


def _is_constant(node: exp.Expr) -> bool:
    """Whether arithmetic takes the records out of *node*: `0 * x`, `x - x`, `sum(0)`."""
    if isinstance(node, exp.Sub):
        return bool(node.left == node.right)
    factors = [node.left, node.right] if isinstance(node, exp.Mul) else []
    factors += [node.this] if isinstance(node, exp.Sum) else []
    plain = [factor.unnest() for factor in factors]
    return any(isinstance(x, exp.Literal) and x.is_number and not float(x.name) for x in plain)
