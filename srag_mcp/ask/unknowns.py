"""What unknown cells could make of a result: its bounds, or what may be otherwise.

    find_unknowns(corpus, facts, n_rows=1) -> Unknowns(Bounds(2, 4), ())

A record of which it is not known whether it meets the conditions may belong or not; an unknown
value is taken to lie in the range of the known ones.
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass

from srag_mcp.ask.answer import Bounds, render_number
from srag_mcp.sqlfacts.aggregates import Aggregate
from srag_mcp.sqlfacts.query import QueryFacts
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.database import quote_name
from srag_mcp.store.guard import Value
from srag_mcp.values.types import TEXT

_HOLDS: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le, "=": operator.eq,
    "<>": operator.ne,
}  # fmt: skip
NO_BOUNDS = "bounds are not worked out for this kind of query"


@dataclass(frozen=True, slots=True)
class Unknowns:
    """Between which bounds a number lies, and what else unknown cells could change."""

    bounds: Bounds | None = None
    notes: tuple[str, ...] = ()


def find_unknowns(corpus: Corpus, facts: QueryFacts) -> Unknowns:
    """Work out what unknown cells could make of the result of a query.

    `"each count may be up to 3 higher: it is not known where that many documents belong"`; that
    nothing is worked out where a query is of another kind; nothing where nothing can change.

    Raises:
        QueryError: If it took too long, or a condition cannot stand elsewhere.
    """
    if facts.aggregate is None:
        return Unknowns(notes=(NO_BOUNDS,))
    return _Records(corpus, facts.aggregate).unknowns()


class _Records:
    """Counts over the records of a corpus, under the conditions of an aggregate."""

    def __init__(self, corpus: Corpus, found: Aggregate) -> None:
        self._corpus = corpus
        self._found = found
        self._entity = quote_name(corpus.schema().entity)
        self._types = {item.name.lower(): item.type for item in corpus.schema().attributes}

    def unknowns(self) -> Unknowns:
        """Say what can be, for the kind of aggregate that it is."""
        changes: dict[str, Callable[[], str]] = {
            "groups": self._of_records,
            "leads": self._of_leading_group,
            "list": self._of_records,
            "first": self._of_first,
            "compares": self._of_comparison,
            "min": self._of_end,
            "max": self._of_end,
        }
        function = self._found.function
        if function in changes:
            said = changes[function]()
            return Unknowns(notes=(said,) if said else ())
        found = self.range()
        if found is None:
            return Unknowns(notes=(NO_BOUNDS,))
        bounds = found if found.lower < found.upper or found.within else None
        n_left_out = int(self._amounts().n_without) if function == "sum" and bounds else 0
        said = f"the sum leaves out {_documents(n_left_out)} without a value"
        return Unknowns(bounds, (said,) if n_left_out else ())

    # Numbers

    def range(self) -> Bounds | None:
        """Return the least and the most that a number can be; None where it is not worked out."""
        function, condition = self._found.function, f"({self._found.condition})"
        if function == "share":
            return self._range_of_share()
        if function in {"sum", "avg"}:
            return self._range_of_amount()
        if function == "adds":
            return self._range_of_two()
        known, more = f"count(*) FILTER ({condition})", f"{condition} IS NULL"
        if function == "distinct":
            column = quote_name(self._found.column)
            known = f"count(DISTINCT {column}) FILTER ({condition})"
            more = f"{condition} IS NULL OR {condition} AND {column} IS NULL"
        n_known, n_more = self._integers(known, f"count(*) FILTER ({more})")
        return Bounds(n_known, n_known + n_more)

    def _range_of_share(self) -> Bounds | None:
        """Bound a share: of the records not known to be part of it, none or all are."""
        whole, part = f"({self._found.condition})", f"({self._found.part})"
        n_part, n_open, n_not, n_whole = self._count(
            f"{whole} AND {part}",
            f"({whole} AND {part}) IS NULL",
            f"{whole} AND NOT {part}",
            f"{whole} OR {whole} IS NULL AND {part} IS DISTINCT FROM true",
        )
        n_most, factor = n_part + n_open + n_not, self._found.factor
        if not n_most or not n_whole:
            return None
        lower, upper = factor * n_part / n_whole, factor * (n_part + n_open) / n_most
        return Bounds(lower, max(lower, upper))

    def _range_of_amount(self) -> Bounds | None:
        """Bound a sum or average, if unknown values lie in the range of the known ones.

        Records that meet the condition and do not give the column have a value at either end of the
        range; records for which the condition is unknown are in or out.
        """
        known, is_average = self._amounts(), self._found.function == "avg"
        statistics = {item.column.lower(): item for item in self._corpus.statistics()}
        column = statistics.get(self._found.column.lower())
        if not known.n_known or column is None or not column.type.is_numeric:
            return None
        if not known.n_without + known.n_open + known.n_blank:
            exact = known.total / known.n_known if is_average else known.total
            return Bounds(exact, exact)
        low, high = float(str(column.minimum)), float(str(column.maximum))
        within = (low, high) if known.n_without + known.n_blank else None
        if is_average:
            lower = self._end_of_average(known, low)
            return Bounds(lower, self._end_of_average(known, high, is_upper=True), within)
        lower = known.total + known.n_without * low + known.below + known.n_blank * min(low, 0.0)
        upper = known.total + known.n_without * high + known.above + known.n_blank * max(high, 0.0)
        return Bounds(lower, upper, within)

    def _range_of_two(self) -> Bounds | None:
        """Bound a sum or difference by the bounds of its sides, as if each were alone."""
        sides = self._sides()
        if sides is None:
            return None
        one, other = sides
        within = one.within or other.within
        if None not in {one.within, other.within} and one.within != other.within:
            return None  # two columns: no one range says what their unknown values are taken for
        if self._found.operator == "+":
            return Bounds(one.lower + other.lower, one.upper + other.upper, within)
        least, most = one.lower - other.upper, one.upper - other.lower
        if self._found.operator == "distance":
            farthest = max(abs(least), abs(most))
            least, most = (0 if least < 0 < most else min(abs(least), abs(most))), farthest
        return Bounds(least, most, within)

    def _sides(self) -> tuple[Bounds, Bounds] | None:
        found = [
            Bounds(side, side) if isinstance(side, float) else _Records(self._corpus, side).range()
            for side in self._found.sides
        ]
        known = [side for side in found if side is not None]
        return (known[0], known[1]) if len(known) == len(found) else None

    def _amounts(self) -> "_Amounts":
        condition, measure = f"({self._found.condition})", quote_name(self._found.column)
        is_open = f"{condition} IS NULL"
        found = self._totals(
            f"count({measure}) FILTER ({condition})",
            f"sum({measure}) FILTER ({condition})",
            f"count(*) FILTER ({condition} AND {measure} IS NULL)",
            f"count({measure}) FILTER ({is_open})",
            f"sum({measure}) FILTER ({is_open} AND {measure} < 0)",
            f"sum({measure}) FILTER ({is_open} AND {measure} > 0)",
            f"count(*) FILTER ({is_open} AND {measure} IS NULL)",
        )
        return _Amounts(*(float(str(value or 0)) for value in found))

    def _end_of_average(self, known: "_Amounts", end: float, *, is_upper: bool = False) -> float:
        """Return the lowest average that can be, with unknown values at *end*, or the highest.

        Of the records that may belong, the lowest values are taken in as long as they lower it.
        """
        better, order = (max, "DESC") if is_upper else (min, "ASC")
        total, n_all = known.total + known.n_without * end, known.n_known + known.n_without
        with_blank = better(total / n_all, (total + known.n_blank * end) / (n_all + known.n_blank))
        if not known.n_open:
            return with_blank
        if with_blank != total / n_all:
            total, n_all = total + known.n_blank * end, n_all + known.n_blank
        measure = quote_name(self._found.column)
        sql = (
            f"SELECT {better.__name__}(({total!r} + summed) / ({n_all!r} + n)) FROM"  # noqa: S608 - it runs through the guard
            f" (SELECT sum({measure}::DOUBLE) OVER running AS summed, row_number() OVER running"
            f" AS n FROM {self._entity} WHERE ({self._found.condition}) IS NULL"
            f" AND {measure} IS NOT NULL"
            f" WINDOW running AS (ORDER BY {measure} {order} ROWS UNBOUNDED PRECEDING))"
        )
        [[with_open]] = self._corpus.select(sql, limit=1).rows
        return better(with_blank, float(str(with_open)))

    # What may be otherwise

    def _of_comparison(self) -> str:
        """Say that a comparison may turn out otherwise, where the bounds of its sides let it."""
        sides = self._sides()
        if sides is None:
            return NO_BOUNDS
        left, right = sides
        least, most = left.lower - right.upper, left.upper - right.lower
        holds = _HOLDS[self._found.operator]
        if holds(least, 0) != holds(most, 0) or least < 0 < most:
            return f"it may be otherwise: {_said_range(left)} against {_said_range(right)}"
        within = left.within or right.within
        if within is None:
            return ""
        low, high = map(render_number, within)
        return f"this is so if those that do not say lie between {low} and {high}, as the others do"

    def _of_end(self) -> str:
        """Say what a lowest or highest value may be instead: `lower`, for a date `earlier`."""
        found = self._found
        is_date = self._types.get(found.column.lower(), TEXT).is_date
        column, condition = quote_name(found.column), f"({found.condition})"
        end = f"{found.function}({column}) FILTER ({found.counted})"
        beyond = "<" if found.function == "min" else ">"
        stated = f"(SELECT {end} FROM {self._entity})"  # noqa: S608 - it runs through the guard
        is_safe, n_beyond, n_open = self._totals(
            f"{end} IS NOT DISTINCT FROM {found.function}({column}) FILTER ({condition})",
            f"count(*) FILTER ({condition} IS NOT FALSE AND {column} IS NULL"
            f" OR {condition} IS NULL AND {column} {beyond} {stated})",
            f"count(*) FILTER ({condition} IS NULL OR {condition} AND {column} IS NULL)",
        )
        if not is_safe:
            return f"it may be otherwise: {_not_known_of(n_open)}"
        words = {"min": ("lower", "earlier"), "max": ("higher", "later")}
        change = words[found.function][is_date]
        return f"it may be {change}: {_not_known_of(n_beyond)}" if n_beyond else ""

    def _of_records(self) -> str:
        """Say how many records may belong to a group or list without them, or not to theirs."""
        condition, counted = f"({self._found.condition})", f"({self._found.counted})"
        nowhere, is_grouped = self._nowhere(), self._found.function == "groups"
        is_counted_nowhere = f" OR {nowhere}" if is_grouped else ""
        n_more, n_less = self._count(
            f"{condition} IS NOT FALSE AND ({counted} IS NOT TRUE OR {nowhere})",
            f"{counted} AND ({condition} IS NULL{is_counted_nowhere})",
        )
        if is_grouped:
            ends = [f"{n:,} {end}" for n, end in ((n_more, "higher"), (n_less, "lower")) if n]
            where = "it is not known where that many documents belong"
            return f"each count may be up to {' or '.join(ends)}: {where}" if ends else ""
        said = [f"up to {n_more:,} more may belong to the list"] if n_more else []
        said += [f"up to {n_less:,} of the list may not belong to it"] if n_less else []
        return f"{', and '.join(said)}: that is not known of them" if said else ""

    def _of_leading_group(self) -> str:
        """Say that another group may lead, if those of which no group is known can make it so."""
        condition, nowhere = f"({self._found.condition})", self._nowhere()
        n_open, n_nowhere = self._count(f"{condition} IS NULL", f"{condition} AND ({nowhere})")
        if n_open:
            return NO_BOUNDS
        sql = (
            f"SELECT count(*) FROM {self._entity} WHERE {condition} AND NOT ({nowhere})"  # noqa: S608 - it runs through the guard
            f" GROUP BY {', '.join(self._found.keys)} ORDER BY 1 DESC LIMIT 2"
        )
        counts = [int(str(row[0])) for row in self._corpus.select(sql, limit=2).rows]
        most, next_most = (*counts, 0, 0)[:2]
        if not n_nowhere or next_most + n_nowhere < most:
            return ""
        return f"it may be otherwise: {_not_known_of(n_nowhere)}"

    def _of_first(self) -> str:
        """Say that what comes first may be another, where it is not known by what it is ranked."""
        if self._found.column.lower() not in self._types:
            return NO_BOUNDS
        condition, column = f"({self._found.condition})", quote_name(self._found.column)
        n_without, n_open = self._count(
            f"{condition} IS NOT FALSE AND {column} IS NULL", f"{condition} IS NULL"
        )
        if n_without:
            known = f"{self._found.column} is not known of {_documents(n_without)}"
            return f"another may come first: {known}"
        return NO_BOUNDS if n_open else ""

    def _nowhere(self) -> str:
        """Which records have no key to be grouped by, or listed once."""
        return " OR ".join(f"({key}) IS NULL" for key in self._found.keys) or "false"

    # Totals

    def _count(self, *conditions: str) -> tuple[int, ...]:
        """Count the records that meet each of *conditions*."""
        return self._integers(*(f"count(*) FILTER ({condition})" for condition in conditions))

    def _integers(self, *outputs: str) -> tuple[int, ...]:
        return tuple(int(str(value or 0)) for value in self._totals(*outputs))

    def _totals(self, *outputs: str) -> tuple[Value, ...]:
        """Return one row of *outputs* over all records."""
        sql = f"SELECT {', '.join(outputs)} FROM {self._entity}"  # noqa: S608 - it runs through the guard
        return self._corpus.select(sql, limit=1).rows[0]


@dataclass(frozen=True, slots=True)
class _Amounts:
    """What is known of a column of numbers under a condition.

    Attributes:
        n_known, total: The values of the records that meet the condition.
        n_without: Records that meet it and have no value.
        n_open: Records with a value, of which it is not known whether they meet it.
        below, above: The sums of the negative and of the positive ones.
        n_blank: Records without a value of which this is not known either.
    """

    n_known: float
    total: float
    n_without: float
    n_open: float
    below: float
    above: float
    n_blank: float


def _said_range(found: Bounds) -> str:
    lower, upper = render_number(found.lower), render_number(found.upper)
    return lower if lower == upper else f"{lower} to {upper}"


def _not_known_of(n_documents: Value) -> str:
    return f"that is not known of {_documents(int(float(str(n_documents))))}"


def _documents(count: int) -> str:
    return "1 document" if count == 1 else f"{count:,} documents"
