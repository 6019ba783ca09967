"""SQL of readings: conditions, terms and whole queries over the record table, as text."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import Literal, TypeAlias

from srag_mcp.grammar.table import LISTED, OF_RECORD
from srag_mcp.sqlfacts.trees import exp
from srag_mcp.store.database import quote_text

Function: TypeAlias = Literal["count", "sum", "avg", "median", "min", "max"]
Value: TypeAlias = str | int | float | date

ROW = "document_id"
_PARTS = {
    "year": "YEAR({0})",
    "month": "STRFTIME({0}, '%B %Y')",
    "month_name": "STRFTIME({0}, '%B')",
    "quarter": "CONCAT(STRFTIME({0}, '%Y'), '-Q', QUARTER({0}))",
    "week": "STRFTIME({0}, '%G-W%V')",
    "weekday": "DAYNAME({0})",
    "decade": "(YEAR({0}) // 10) * 10",
}


@dataclass(frozen=True, slots=True)
class Term:
    """A column as a query uses it: as it is, or a *part* of its date (`month`, `year` …)."""

    column: str
    part: str = ""

    @property
    def sql(self) -> str:
        """The term as SQL."""
        name = quoted(self.column)
        return _PARTS[self.part].format(name) if self.part else name


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on single records, about one column.

    Attributes:
        sql: As SQL.
        column: The column.
        kind: What it compares: stored values, a number, a period, a truth, or that it is known.
        values: The stored values, where it compares with some.
        asked: What the question says for them.
        denied: Whether it says that something is not.
        plain: Without the denial; *sql* where nothing is denied.
        alone: Whether each of its values is that of one record.
        is_unclear: Whether it cannot be told which of several restrictions an `or` joins.
    """

    sql: str
    column: str
    kind: Literal["value", "number", "period", "truth", "known", "either"]
    values: tuple[str, ...] = ()
    asked: str = ""
    denied: bool = False
    plain: str = ""
    alone: bool = False
    is_unclear: bool = False


Where: TypeAlias = tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """One number (or date) over the records of *where*; *term* None counts records."""

    function: Function
    term: Term | None
    where: Where = ()
    distinct: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The column that it is of; none where records are counted."""
        return () if self.term is None else (self.term.column,)

    @property
    def sql(self) -> str:
        """The aggregate, without its records."""
        if self.term is None:
            return "COUNT(*)"
        distinct = "DISTINCT " if self.distinct else ""
        return f"{self.function.upper()}({distinct}{self.term.sql})"


@lru_cache(maxsize=4096)
def quoted(name: str) -> str:
    """Return a name as SQL, in quotes where it needs them; what is in brackets is SQL already."""
    return name if name.startswith("(") else str(exp.column(name).sql("duckdb"))


def literal(value: Value) -> str:
    """Return a constant as SQL."""
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, str):
        return quote_text(value)
    return str(int(value)) if value == int(value) else repr(float(value))


def is_one_of(
    column: str, values: Sequence[str], asked: str = "", *, denied: bool = False
) -> Condition:
    """Return that a text column holds one of *values*, or none of them; unknown is neither."""
    name, texts = quoted(column), [literal(value) for value in values]
    listed = f"IN ({', '.join(texts)})"
    plain = f"{name} = {texts[0]}" if len(texts) == 1 else f"{name} {listed}"
    other = f"{name} <> {texts[0]}" if len(texts) == 1 else f"NOT {name} {listed}"
    sql = other if denied else plain
    return Condition(sql, column, "value", tuple(values), asked, denied, plain)


def compare(column: str, operator: str, value: Value) -> Condition:
    """Return that a number or a date stands in a relation to a constant."""
    sql = f"{quoted(column)} {operator} {literal(value)}"
    return Condition(sql, column, "period" if isinstance(value, date) else "number", plain=sql)


def between(column: str, low: Value, high: Value) -> Condition:
    """Return that a number or a date lies between two constants, both included."""
    if low == high:
        return compare(column, "=", low)
    sql = f"{quoted(column)} BETWEEN {literal(low)} AND {literal(high)}"
    return Condition(sql, column, "period" if isinstance(low, date) else "number", plain=sql)


def part_is(column: str, part: Literal["month", "day", "isodow"], numbers: Sequence[int]) -> str:
    """Return as SQL that a part of a date is one of *numbers*."""
    listed = ", ".join(map(str, numbers))
    name = f"{part.upper()}({quoted(column)})"
    return f"{name} = {listed}" if len(numbers) == 1 else f"{name} IN ({listed})"


def holds(column: str, *, denied: bool = False, closed: bool = False) -> Condition:
    """Return that a boolean is true, or is not; where *closed*, of the silent documents, too."""
    name = quoted(column)
    plain = f"COALESCE({name}, FALSE)" if closed else name
    sql = f"NOT {plain}" if denied else name
    return Condition(sql, column, "truth", denied=denied, plain=plain)


def is_known(column: str, *, known: bool = True) -> Condition:
    """Return that a column has a value, or has none."""
    unknown = f"{quoted(column)} IS NULL"
    plain = f"NOT {unknown}"
    return Condition(plain if known else unknown, column, "known", denied=not known, plain=plain)


def deny(condition: Condition) -> Condition:
    """Return that a number or a period is not so."""
    return replace(condition, sql=f"NOT ({condition.sql})", denied=True)


def either(conditions: Sequence[Condition]) -> Condition:
    """Return that at least one of *conditions* holds; values of one column become one list."""
    first = conditions[0]
    if len(conditions) == 1:
        return first
    if all(c.kind == "value" and c.column == first.column for c in conditions):
        values = tuple(dict.fromkeys(value for c in conditions for value in c.values))
        asked = ", ".join(c.asked for c in conditions)
        alone = all(c.alone for c in conditions)
        found = is_one_of(first.column, values, asked, denied=first.denied)
        return replace(found, alone=alone)
    sql = "(" + " OR ".join(map(_of_row, conditions)) + ")"
    return Condition(sql, first.column, "either", plain=sql)


def _of_row(condition: Condition) -> str:
    """Write a condition as one on a row; on the record of a row, or on what it lists, by its id."""
    table, mark, name = condition.column.rpartition(LISTED)
    record, of, own = condition.column.partition(OF_RECORD)
    if condition.kind == "either" or condition.column.startswith("(") or not (mark or of):
        return condition.sql
    word = "NOT IN" if mark and condition.denied else "IN"
    inner = condition.plain if mark else condition.sql
    asked = inner.replace(quoted(condition.column), quoted(name if mark else own))
    found = f"SELECT {ROW} FROM {quoted(table or record)} WHERE {asked}"
    return f"{ROW} {word} ({found})"


def where_sql(where: Where) -> str:
    """Return conditions as a clause; nothing where there is none."""
    return " WHERE " + " AND ".join(dict.fromkeys(map(_of_row, where))) if where else ""


def _rounded(sql: str, decimals: int | None) -> str:
    return sql if decimals is None else f"ROUND({sql}, {decimals})"


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes queries over the table called *table*; of a list things are named once."""

    table: str
    is_list: bool = False

    def single(self, summary: Summary) -> str:
        """Write a query of one value."""
        return f"SELECT {summary.sql} FROM {quoted(self.table)}{where_sql(summary.where)}"

    def ratio(
        self, part: Summary, whole: Summary, factor: int = 1, name: str = "percentage"
    ) -> str:
        """Write *factor* times the ratio of two values; what it is called says what it is."""
        name = name if factor != 1 else "ratio"
        one, other = f"({self.single(part)})", f"({self.single(whole)})"
        return f"SELECT {factor}.0 * {one} / NULLIF({other}, 0) AS {name}"

    def difference(
        self, left: Summary, right: Summary, decimals: int | None, *, signed: bool = True
    ) -> str:
        """Write the difference of two values, or their distance, without noise behind *decimals*.

        `2.3 - 2.3` may be 0.0000000000002274 where both are averages.
        """
        found = f"({self.single(left)}) - ({self.single(right)})"
        return f"SELECT {_rounded(found if signed else f'ABS({found})', decimals)} AS difference"

    def verdict(
        self, left: Summary, operator: str, right: Summary | float, decimals: int | None
    ) -> str:
        """Write whether a relation holds between two values, but for noise behind *decimals*."""
        one = _rounded(f"({self.single(left)})", decimals)
        if not isinstance(right, Summary):
            return f"SELECT {one} {operator} {literal(right)} AS is_so"
        return f"SELECT {one} {operator} {_rounded(f'({self.single(right)})', decimals)} AS is_so"

    def existence(self, where: Where) -> str:
        """Write whether there is a record of *where*."""
        return f"SELECT COUNT(*) > 0 AS is_so FROM {quoted(self.table)}{where_sql(where)}"

    def listing(
        self,
        outputs: Sequence[Term],
        where: Where,
        *,
        distinct: bool = False,
        order: tuple[Term, bool] | None = None,
        limit: int | None = None,
    ) -> str:
        """Write a list of *outputs*; *order* is a term and whether it falls."""
        needed = [*([order[0]] if order else []), *(outputs if len(outputs) == 1 else [])]
        known = [is_known(term.column) for term in needed if term.column != ROW]
        distinct = distinct or (self.is_list and order is None)
        shown = ", ".join(term.sql for term in outputs)
        source = f"FROM {quoted(self.table)}{where_sql((*where, *known))}"
        keys = [] if order is None else [f"{order[0].sql} {'DESC' if order[1] else 'ASC'}"]
        keys += [] if distinct else [ROW]
        ordered = f" ORDER BY {', '.join(keys)}" if keys else ""
        cut = "" if limit is None else f" LIMIT {limit}"
        return f"SELECT {'DISTINCT ' if distinct else ''}{shown} {source}{ordered}{cut}"

    def extreme(
        self,
        outputs: Sequence[Term],
        where: Where,
        term: Term,
        function: str,
        n_known: int | None = None,
    ) -> str:
        """Write the outputs of the records in which *term* is the highest (`max`) or lowest.

        Of none where *n_known* is given and not so many records state it.
        """
        best = Summary("max" if function == "max" else "min", term, where)
        tests = [f"{term.sql} = ({self.single(best)})"]
        if n_known is not None:
            tests.append(f"({self.single(Summary('count', term, where))}) = {n_known}")
        found = (Condition(sql, term.column, "number", plain=sql) for sql in tests)
        return self.listing(outputs, (*where, *found))

    def placed(self, output: Term, place: str, where: Where) -> str:
        """Write the output of the first (last) row of the one file that there is.

        Of the row before (after) that of *where*, where *place* says so.
        """
        table, path = quoted(self.table), f"REGEXP_REPLACE({ROW}, '#[0-9]+$', '')"
        aside = {"before": f"{ROW} < (SELECT MIN", "after": f"{ROW} > (SELECT MAX"}.get(place)
        rows = f" WHERE {aside}({ROW}) FROM {table}{where_sql(where)})" if aside else ""
        end = "MIN" if place in {"first", "after"} else "MAX"
        tests = (
            f"{ROW} = (SELECT {end}({ROW}) FROM {table}{rows})",
            f"(SELECT COUNT(DISTINCT {path}) FROM {table}) = 1",
        )
        return self.listing([output], tuple(Condition(x, ROW, "number") for x in tests))

    def groups(self, key: Term, summary: Summary) -> str:
        """Write all groups of records with a summary of each."""
        timed = key.part in {"month", "year", "quarter", "week", "decade"}
        order = f"MIN({quoted(key.column)})" if timed else f"{summary.sql} DESC"
        return f"SELECT {key.sql}, {summary.sql} {self._by(key, summary)} ORDER BY {order}"

    def best_groups(self, key: Term, summary: Summary, falling: bool, limit: int | None) -> str:
        """Write the groups of the highest (lowest) summary, or of the first *limit*; with ties."""
        order = f"ORDER BY {summary.sql} {'DESC' if falling else 'ASC'}"
        rank = f"RANK() OVER ({order}) {'=' if limit is None else '<='} {limit or 1}"
        return f"SELECT {key.sql} {self._by(key, summary)} QUALIFY {rank}"

    def groups_having(
        self, key: Term, summary: Summary, having: tuple[str, float], *, counted: bool
    ) -> str:
        """Write the groups whose summary stands in a relation to a number, or how many do."""
        kept = f"{self._by(key, summary)} HAVING {summary.sql} {having[0]} {literal(having[1])}"
        if counted:
            return f"SELECT COUNT(*) FROM (SELECT {key.sql} {kept}) AS found"
        return f"SELECT {key.sql} {kept} ORDER BY {summary.sql} DESC"

    def _by(self, key: Term, summary: Summary) -> str:
        known = (*summary.where, is_known(key.column))
        return f"FROM {quoted(self.table)}{where_sql(known)} GROUP BY {key.sql}"
