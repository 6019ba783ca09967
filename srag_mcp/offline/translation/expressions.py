"""SQL trees of terms, conditions and scalars."""

from datetime import date
from typing import TYPE_CHECKING

from srag_mcp.offline.translation.columns import Table
from srag_mcp.offline.translation.reading import (
    Between,
    Compare,
    Condition,
    Constant,
    Contains,
    Either,
    Elapsed,
    Every,
    Extreme,
    Missing,
    Negated,
    OneOf,
    Operation,
    Operator,
    PartIs,
    Relative,
    Scalar,
    StartsWith,
    Summary,
    Term,
    Truth,
)

if TYPE_CHECKING:
    from sqlglot import exp

# Formats of strftime, whose answers people read.
_FORMATS = {"month": "%B %Y", "month_name": "%B", "quarter": "%Y-Q", "week": "%G-W%V"}


class TreeBuilder:
    """Builds SQL trees over one table; imports sqlglot once, when it is first needed."""

    def __init__(self, table: Table) -> None:
        # Heavy: 0.1 s, and needed only when a question is translated.
        from sqlglot import exp

        self._exp = exp
        self._table = table

    def source(self, where: Every, *outputs: "exp.Expression") -> "exp.Select":
        """Select *outputs* from the records of *where*."""
        select = self._exp.select(*outputs).from_(self._exp.table_(self._table.name))
        condition = self.condition(where)
        return select if condition is None else select.where(condition)

    def column(self, name: str) -> "exp.Expression":
        """Return a column, or the document's id."""
        return self._exp.column(name)

    def call(self, name: str, *arguments: "exp.Expression") -> "exp.Expression":
        """Return a call of a DuckDB function."""
        return self._exp.Anonymous(this=name, expressions=list(arguments))

    def named(self, tree: "exp.Expression", name: str) -> "exp.Expression":
        """Call an output *name*, or by a name like it that no column has."""
        taken = {column.name.lower() for column in self._table.columns}
        while name in taken:
            name = f"the_{name}"
        return self._exp.Alias(this=tree, alias=self._exp.to_identifier(name))

    def text(self, value: str) -> "exp.Expression":
        """Return a text literal."""
        return self._exp.Literal.string(value)

    def literal(self, value: Constant) -> "exp.Expression":
        """Return a constant."""
        if isinstance(value, bool):
            return self._exp.Boolean(this=value)
        if isinstance(value, date):
            day = self.text(value.isoformat())
            return self._exp.Cast(this=day, to=self._exp.DataType.build("date"))
        if isinstance(value, str):
            return self.text(value)
        number = self._exp.Literal.number(abs(value))
        return self._exp.Neg(this=number) if value < 0 else number

    def term(self, term: Term) -> "exp.Expression":
        """Return a column in the form that the query uses."""
        column = self.column(term.column)
        if term.form == "plain":
            return column
        if term.form == "number":
            return self._number_in(column, r"[-+]?\d+(?:\.\d+)?", "double")
        if term.form == "text_year":
            return self._number_in(column, r"\d{4}", "integer")
        if term.form == "date":
            return self._exp.Cast(this=column, to=self._exp.DataType.build("date"))
        return self._date_part(column, term.form)

    def _date_part(self, column: "exp.Expression", form: str) -> "exp.Expression":
        if form == "quarter":
            year = self.call("strftime", column, self.text("%Y"))
            quarter = self._exp.Cast(
                this=self.call("quarter", column), to=self._exp.DataType.build("text")
            )
            return self.call("concat", year, self.text("-Q"), quarter)
        if form == "decade":
            years = self._exp.IntDiv(this=self.call("year", column), expression=self.literal(10))
            return self._exp.Mul(this=self._exp.paren(years), expression=self.literal(10))
        if form in _FORMATS:
            return self.call("strftime", column, self.text(_FORMATS[form]))
        return self.call("dayname" if form == "weekday" else "year", column)

    def _number_in(self, column: "exp.Expression", pattern: str, kind: str) -> "exp.Expression":
        """Read the first number of a text; commas separate thousands."""
        signed = self.call("replace", column, self.text("−"), self.text("-"))
        plain = self.call("replace", signed, self.text(","), self.text(""))
        digits = self.call("regexp_extract", plain, self.text(pattern))
        return self._exp.TryCast(this=digits, to=self._exp.DataType.build(kind))

    def relation(
        self, left: "exp.Expression", operator: Operator, right: "exp.Expression"
    ) -> "exp.Expression":
        """Return `left operator right`."""
        classes: dict[Operator, type[exp.Expression]] = {
            "=": self._exp.EQ, "<>": self._exp.NEQ, "<": self._exp.LT, "<=": self._exp.LTE,
            ">": self._exp.GT, ">=": self._exp.GTE,
        }  # fmt: skip
        return classes[operator](this=left, expression=right)

    def condition(self, condition: Condition) -> "exp.Expression | None":
        """Return a condition; None when it restricts nothing."""
        tree: exp.Expression | None
        match condition:
            case Every(conditions) | Either(conditions):
                tree = self._joined(condition, conditions)
            case Negated(inner, closed):
                tree = self._negated(inner, closed=closed)
            case Missing(column):
                tree = self._exp.Is(this=self.column(column), expression=self._exp.Null())
            case Truth(column):
                tree = self.column(column)
            case Extreme(term, highest, scope):
                best = Summary("max" if highest else "min", term, scope)
                tree = self.relation(self.term(term), "=", self.nested(best))
            case Relative(term, operator, summary):
                tree = self.relation(self.term(term), operator, self.nested(summary))
            case _:
                tree = self._comparison(condition)
        return tree

    def _comparison(self, condition: Condition) -> "exp.Expression":
        tree: exp.Expression
        match condition:
            case Compare(term, operator, value):
                tree = self.relation(self.term(term), operator, self.literal(value))
            case Between(term, low, high):
                tree = self._exp.Between(
                    this=self.term(term), low=self.literal(low), high=self.literal(high)
                )
            case PartIs(column, part, values):
                name = "isodow" if part == "weekday" else part
                tree = self._member(self.call(name, self.column(column)), values)
            case OneOf(column, values, _):
                tree = self._member(self.column(column), values)
            case Contains(column, phrase, _):
                tree = self._alike(column, f"%{phrase}%")
            case StartsWith(column, letters, at_end):
                tree = self._alike(column, f"%{letters}" if at_end else f"{letters}%")
        return tree

    def _alike(self, column: str, pattern: str) -> "exp.Expression":
        return self._exp.ILike(this=self.column(column), expression=self.text(pattern))

    def _member(
        self, left: "exp.Expression", values: tuple[str, ...] | tuple[int, ...]
    ) -> "exp.Expression":
        literals = [self.literal(value) for value in values]
        if len(literals) == 1:
            return self.relation(left, "=", literals[0])
        return self._exp.In(this=left, expressions=literals)

    def _joined(
        self, condition: Condition, parts: tuple[Condition, ...]
    ) -> "exp.Expression | None":
        built = [tree for part in parts if (tree := self.condition(part)) is not None]
        if not built:
            return None
        if len(built) == 1:
            return built[0]
        if isinstance(condition, Every):
            return self._all_of(built)
        return self._exp.Paren(this=self._exp.or_(*built))

    def _all_of(self, trees: "list[exp.Expression]") -> "exp.Expression":
        first, *rest = trees
        for tree in rest:
            first = self._exp.And(this=first, expression=tree)
        return first

    def _negated(self, inner: Condition, *, closed: bool) -> "exp.Expression | None":
        """Negate; where *closed*, unknown counts as not, else it stays out."""
        tree = self.condition(inner)
        if tree is None:
            return None
        if isinstance(inner, OneOf) and len(inner.values) == 1:
            return self.relation(self.column(inner.column), "<>", self.text(inner.values[0]))
        if closed:
            tree = self.call("coalesce", tree, self.literal(value=False))
        return self._exp.not_(tree)

    def nested(self, scalar: Scalar) -> "exp.Expression":
        """Return a scalar as a query in brackets, or an expression of such queries."""
        match scalar:
            case Summary():
                return self.summary_query(scalar).subquery(copy=False)
            case Operation():
                return self._operation(scalar)
            case Elapsed(unit, start, end, absolute):
                days = self.call("date_diff", self.text(unit), self.nested(start), self.nested(end))
                return self.call("abs", days) if absolute else days
        raise TypeError(scalar)

    def _operation(self, operation: Operation) -> "exp.Expression":
        left, right = self.nested(operation.left), self.nested(operation.right)
        if operation.sign == "/":
            factor = self._exp.Literal.number(f"{float(operation.factor)}")
            scaled = self._exp.Mul(this=factor, expression=left)
            nothing = self.call("nullif", right, self.literal(0))
            return self._exp.Div(this=scaled, expression=nothing)
        if operation.sign == "+":
            return self._exp.Add(this=left, expression=right)
        gap = self._exp.Sub(this=left, expression=right)
        return self.call("abs", gap) if operation.sign == "distance" else gap

    def summary_query(self, summary: Summary) -> "exp.Select":
        """Return the query of a summary over its own records."""
        return self.source(summary.where, self.summary(summary))

    def counted(self, select: "exp.Select") -> "exp.Select":
        """Count the rows of a query."""
        count = self._exp.Count(this=self._exp.Star())
        return self._exp.select(count).from_(select.subquery("found", copy=False))

    def summary(self, summary: Summary) -> "exp.Expression":
        """Return the aggregate of a summary, without its records."""
        if summary.term is None:
            return self._exp.Count(this=self._exp.Star())
        value = self.term(summary.term)
        if summary.distinct:
            return self._exp.Count(this=self._exp.Distinct(expressions=[value]))
        if summary.function == "percentile":
            return self.call("quantile_cont", value, self.literal(summary.share))
        return self.call(summary.function, value)


def joined(*conditions: Condition) -> Every:
    """Return all *conditions* as one, without empty ones and repetitions."""
    flat = [part for condition in conditions for part in _parts(condition)]
    return Every(tuple(dict.fromkeys(flat)))


def _parts(condition: Condition) -> tuple[Condition, ...]:
    return condition.conditions if isinstance(condition, Every) else (condition,)
