"""A reading in plain words with the names of the columns, so that a person can check it."""

from typing import Literal

from srag_mcp.offline.translation.columns import Table
from srag_mcp.offline.translation.reading import (
    ROW,
    Between,
    Compare,
    Condition,
    Constant,
    Contains,
    Either,
    Elapsed,
    Every,
    Existence,
    Extreme,
    Grouping,
    Listing,
    Missing,
    Negated,
    Neighbour,
    OneOf,
    Operation,
    PartIs,
    Reading,
    Relative,
    SameAs,
    Scalar,
    Single,
    StartsWith,
    Summary,
    Term,
    Truth,
    Verdict,
)
from srag_mcp.values.numerals import digit_grouping

_FUNCTIONS = {
    "sum": "sum of", "avg": "average of", "median": "median of", "min": "lowest", "max": "highest",
    "percentile": "percentile of", "count": "number of",
}  # fmt: skip
_OPERATORS = {
    "=": "is", "<>": "is not", "<": "is below", "<=": "is at most", ">": "is above",
    ">=": "is at least",
}  # fmt: skip


def restate(reading: Reading) -> str:
    """Say what *reading* asks, as one clause with column names."""
    text: str
    match reading:
        case Single(scalar):
            text = _scalar(scalar)
        case Listing():
            text = _listing(reading)
        case Grouping():
            text = _grouping(reading)
        case Verdict(left, operator, right):
            value = f"{right:g}" if isinstance(right, int | float) else f"the {_scalar(right)}"
            text = f"whether the {_scalar(left)} {_OPERATORS[operator]} {value}"
        case Existence(where):
            text = f"whether there is a record{_where(where)}"
        case Neighbour(outputs, anchor, after, where):
            side = "after" if after else "before"
            place = f"the record listed next {side} the one{_where(anchor)}"
            text = f"{_terms(outputs)} of {place}{_where(where)}"
        case SameAs(outputs, shared, anchor, where):
            others = f"the other records with the same {_term(shared)} as the one{_where(anchor)}"
            text = f"{_terms(outputs)} of {others}{_where(where)}"
    return text


def answer_kind(reading: Reading) -> Literal["value", "boolean", "list", "rows"]:
    """Return what the answer is: one value, yes or no, a list of values, or rows."""
    match reading:
        case Single():
            return "value"
        case Verdict() | Existence():
            return "boolean"
        case Grouping(pick=pick, having=having, count_only=count_only):
            if count_only:
                return "value"
            return "rows" if pick is None and having is None else "list"
        case Listing(outputs) | Neighbour(outputs) | SameAs(outputs):
            return "list" if len(outputs) == 1 else "rows"


def answer_unit(reading: Reading, table: Table) -> str | None:
    """Return the unit of the answer, when its values are of one column."""
    unit: str | None = None
    match reading:
        case Single(Operation("/", _, _, factor)):
            unit = "percent" if factor == 100 else None
        case Single(Elapsed(passed)):
            unit = f"{passed}s"
        case Single(Summary() as summary) | Single(Operation(left=Summary() as summary)):
            counted = summary.term is None or summary.function == "count"
            unit = None if counted or summary.term is None else _unit(summary.term, table)
        case Listing((term,)):
            unit = _unit(term, table)
    return unit


def _unit(term: Term, table: Table) -> str | None:
    column = table.column(term.column)
    return column.attribute.unit if column is not None else None


def _term(term: Term) -> str:
    if term.column == ROW:
        return "the document's place in the list"
    names = {"month_name": "month", "text_year": "year"}
    if term.form in {"plain", "number", "date"}:
        return term.column
    return f"{names.get(term.form, term.form)} of {term.column}"


def _terms(terms: tuple[Term, ...]) -> str:
    return " and ".join("document" if term.column == ROW else _term(term) for term in terms)


def _scalar(scalar: Scalar) -> str:
    text: str
    match scalar:
        case Summary(_, None, where):
            text = f"number of records{_where(where)}"
        case Summary("count", term, where, distinct=False):
            assert term is not None
            text = f"number of records that state {_term(term)}{_where(where)}"
        case Summary(function, term, where, distinct):
            assert term is not None
            what = "number of different" if distinct else _FUNCTIONS[function]
            text = f"{what} {_term(term)}{_where(where)}"
        case Operation("/", left, right, factor):
            times = "" if factor == 1 else f"{factor:g} × "
            text = f"{times}({_scalar(left)}) divided by ({_scalar(right)})"
        case Operation("+", left, right):
            text = f"({_scalar(left)}) plus ({_scalar(right)})"
        case Operation(_, left, right):
            text = f"difference between ({_scalar(left)}) and ({_scalar(right)})"
        case Elapsed(unit, start, end):
            text = f"{unit}s from ({_scalar(start)}) to ({_scalar(end)})"
    return text


def _listing(listing: Listing) -> str:
    order = ""
    if listing.order is not None:
        direction = "falling" if listing.descending else "rising"
        order = f", by {direction} {_term(listing.order)}"
    many = "" if listing.limit is None else f"the first {listing.limit} "
    if listing.offset:
        many = f"number {listing.offset + 1} of "
    different = "different " if listing.distinct else ""
    return f"{many}{different}{_terms(listing.outputs)}{_where(listing.where)}{order}"


def _grouping(grouping: Grouping) -> str:
    amount = _scalar(grouping.summary)
    if grouping.having is not None:
        relation = f"{_OPERATORS[grouping.having.operator]} {grouping.having.value:g}"
        head = "number of values of" if grouping.count_only else "each"
        return f"{head} {_term(grouping.key)} whose {amount} {relation}"
    if grouping.pick is not None:
        return f"{_term(grouping.key)} with the {grouping.pick} {amount}"
    return f"{amount}, for each {_term(grouping.key)}"


def _where(where: Every) -> str:
    return f" where {_condition(where)}" if where.conditions else ""


def _condition(condition: Condition) -> str:
    text: str
    match condition:
        case Every(parts):
            text = " and ".join(_condition(part) for part in parts)
        case Either(parts):
            text = "(" + " or ".join(_condition(part) for part in parts) + ")"
        case Negated(Missing(column)):
            text = f"{column} is stated"
        case Negated(OneOf(column, values)):
            text = f"{column} is not {' or '.join(repr(value) for value in values)}"
        case Negated(inner, closed):
            text = f"not {_condition(inner)}{' (unknown counts as not)' if closed else ''}"
        case Extreme(term, highest, scope):
            among = f" among records{_where(scope)}" if scope.conditions else ""
            text = f"{_term(term)} is the {'highest' if highest else 'lowest'}{among}"
        case Relative(term, operator, summary):
            text = f"{_term(term)} {_OPERATORS[operator]} the {_scalar(summary)}"
        case _:
            text = _comparison(condition)
    return text


def _comparison(condition: Condition) -> str:
    text: str
    match condition:
        case Compare(term, operator, value):
            text = f"{_term(term)} {_OPERATORS[operator]} {_constant(value)}"
        case Between(term, low, high):
            text = f"{_term(term)} is between {_constant(low)} and {_constant(high)}"
        case PartIs(column, part, values):
            text = f"{part} of {column} is {' or '.join(str(value) for value in values)}"
        case OneOf(column, values):
            text = f"{column} is {' or '.join(repr(value) for value in values)}"
        case Contains(column, phrase):
            text = f"{column} contains {phrase!r}"
        case _:
            text = _quality(condition)
    return text


def _quality(condition: Condition) -> str:
    text = str(condition)
    match condition:
        case StartsWith(column, letters, at_end):
            text = f"{column} {'ends' if at_end else 'begins'} with {letters!r}"
        case Missing(column):
            text = f"{column} is not stated"
        case Truth(column):
            text = f"{column} holds"
    return text


def _constant(value: Constant) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return f"{value:{digit_grouping(value)}}"
