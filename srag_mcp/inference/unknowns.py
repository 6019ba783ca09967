"""What unknown cells could make of a result: its bounds, or what may be otherwise.

    find_unknowns(corpus, facts, n_rows=1) -> Unknowns(Bounds(2, 4), ())

A record of which it is not known whether it meets the conditions may belong or not; an unknown
value is taken to lie in the range of the known ones. So is one that another place of its document
or the rest of its column contradicts: it may be right, and what that place says may be wrong. A
file that could not be read may be a record of which nothing is known.
"""

import operator
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from srag_mcp.cells.cell import Mark
from srag_mcp.inference.answer import Bounds, render_number
from srag_mcp.sqlfacts.aggregates import Aggregate, read_aggregate
from srag_mcp.sqlfacts.query import QueryFacts
from srag_mcp.sqlfacts.trees import ALWAYS, Gaps, said_name
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.database import quote_name, quote_text
from srag_mcp.store.guard import Value
from srag_mcp.text.words import singular
from srag_mcp.values.states import State
from srag_mcp.values.types import TEXT

_HOLDS: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le, "=": operator.eq,
    "<>": operator.ne,
}  # fmt: skip
_CONTRADICTED = f"state = '{State.STATED.value}' AND contains(marks, '{Mark.CONTRADICTED.value}')"
# a none that counts as 0 has a value
SAID_NONE = (
    f"((state = '{State.STATED_ABSENT.value}' OR contains(marks, '{Mark.SAID_NONE.value}'))"
    " AND value IS NULL)"
)
NO_BOUNDS = "bounds are not worked out for this kind of query"
_UNREAD = "nobody knows how many rows the files hold that could not be read"
_HOLDS_ROWS = "SELECT count(*) FROM documents WHERE document_id LIKE '%#%'"


@dataclass(frozen=True, slots=True)
class Unknowns:
    """Between which bounds a number lies, and what else unknown cells could change.

    *is_open*: something else may come first, or nothing is worked out.
    """

    bounds: Bounds | None = None
    notes: tuple[str, ...] = ()
    is_open: bool = False


NOT_WORKED_OUT = Unknowns(notes=(NO_BOUNDS,), is_open=True)


def find_unknowns(corpus: Corpus, facts: QueryFacts) -> Unknowns:
    """Work out what unknown cells could make of the result of a query.

    `"each count may be up to 3 higher: it is not known where that many documents belong"`; that
    nothing is worked out where a query is of another kind; nothing where nothing can change.

    Raises:
        QueryError: If it took too long, or a condition cannot stand elsewhere.
    """
    doubted = find_contradicted(corpus, facts)
    found = read_aggregate(facts, find_gaps(corpus, doubted))
    if found is None:
        return NOT_WORKED_OUT
    n_unread = corpus.info().n_failed
    if n_unread and (facts.schema.table.parent or corpus.select(_HOLDS_ROWS).rows != ((0,),)):
        return replace(NOT_WORKED_OUT, notes=(_UNREAD, NO_BOUNDS))
    return _Records(corpus, found, contradicted=doubted, n_unread=n_unread).unknowns()


def find_contradicted(corpus: Corpus, facts: QueryFacts) -> tuple[str, ...]:
    """Return the columns that *facts* uses and that have values which are contradicted."""
    return tuple(item.column for item in corpus.statistics(facts.names) if item.n_contradicted)


def find_gaps(corpus: Corpus, contradicted: Collection[str] = ()) -> Gaps:
    """Return which columns have unknown cells, and which lack values of known records only.

    What is contradicted in the columns *contradicted* is unknown.
    """
    found, doubted = corpus.statistics(), frozenset(map(str.lower, contradicted))
    unknown = doubted.union(item.column.lower() for item in found if item.n_unknown)
    none = frozenset(item.column.lower() for item in found if item.n_none)
    tables = {item.name for item in corpus.schema().attributes if item.is_column}
    unread = frozenset(
        item.column.lower()
        for item in found
        if item.n_unread + item.n_failed or (item.n_not_mentioned and item.column not in tables)
    )
    return Gaps(unknown, none - unknown, doubted, none & unknown, unread)


def veil(
    corpus: Corpus, table: str, contradicted: Collection[str], outputs: Sequence[str] = ()
) -> str:
    """Return *table* as SQL without the values of the columns *contradicted* that are it.

    *outputs* are of the values as they are; so is `_said_height`, for each column (`said_name`).
    """
    cases, said = list[str](), list[str]()
    for column in contradicted:
        name, where = quote_name(column), f"attribute = {quote_text(column)} AND {_CONTRADICTED}"
        kept = corpus.has_cell(where, is_none=True)
        cases.append(f"CASE WHEN {kept} THEN {name} END AS {name}")
        said.append(f"{name} AS {quote_name(said_name(column))}")
    taken = ", ".join((f"* REPLACE ({', '.join(cases)})", *said, *outputs))
    return f"(SELECT {taken} FROM {table})"  # noqa: S608 - as above


def is_settled(corpus: Corpus, facts: QueryFacts, gaps: Collection[str]) -> bool:
    """Whether a result is the same whatever the unknown cells of the columns *gaps* hold.

    Records without a value of what else is measured are left out of this, as the result leaves
    them.
    """
    found = read_aggregate(facts, find_gaps(corpus))
    if found is None:
        return False
    measured = {use.column for use in facts.columns if use.role == "measure"}
    others = sorted(measured - set(gaps))
    known = _Records(corpus, found, others).unknowns()
    return not known.notes and (known.bounds is None or known.bounds.is_point)


class _Records:
    """Counts over the records of a corpus, under the conditions of an aggregate.

    *stated*: of those only that have a value of these columns. *contradicted*: columns of which
    values are taken for unknown that the result was made of. *n_unread*: rows that are added, of
    which nothing is known.
    """

    def __init__(
        self,
        corpus: Corpus,
        found: Aggregate,
        stated: Sequence[str] = (),
        contradicted: Collection[str] = (),
        n_unread: int = 0,
    ) -> None:
        self._corpus = corpus
        self._stated = stated
        self._n_unread = n_unread
        self._entity = quote_name(corpus.schema().entity)
        said = {item.column.lower(): item for item in corpus.statistics()}
        self._own = own = said.get(found.column.lower())
        if own is not None and own.n_none and own.n_unknown:  # who states none has no value of it
            where = f"attribute = {quote_text(own.column)} AND {SAID_NONE}"
            kept = corpus.has_cell(where, is_none=True)
            self._entity = f"(SELECT * FROM {self._entity} WHERE {kept})"  # noqa: S608 - it runs through the guard
        if stated:
            known = " AND ".join(f"{quote_name(column)} IS NOT NULL" for column in stated)
            self._entity = f"(SELECT * FROM {self._entity} WHERE {known})"  # noqa: S608 - it runs through the guard
        if n_unread:
            unread = f"range({n_unread}) AS unread(_unread)"
            self._entity = f"(FROM {self._entity} FULL JOIN {unread} ON false)"
            condition, part, counted = (
                f"CASE WHEN _unread IS NULL THEN {said or ALWAYS} END"
                for said in (found.condition, found.part, found.counted)
            )
            found = replace(found, condition=condition, part=part, counted=counted)
        self._found = found
        self._contradicted = contradicted
        self._counted, self._shown = f"({found.counted})", "false"
        if contradicted:  # what is counted and shown is so by the values as they are
            shown = " AND ".join(f"({key}) IS NOT NULL" for key in found.keys) or "false"
            outputs = (f"({found.counted or ALWAYS}) AS _counted", f"({shown}) AS _shown")
            self._entity = veil(corpus, self._entity, contradicted, outputs)
            self._counted, self._shown = "_counted", "_shown"
        self._types = {item.name.lower(): item.type for item in corpus.schema().attributes}

    def unknowns(self) -> Unknowns:
        """Say what can be, for the kind of aggregate that it is."""
        changes: dict[str, Callable[[], str]] = {
            "groups": self._of_records,
            "leads": self._of_leading_group,
            "list": self._of_records,
            "first": self._of_first,
            "min": self._of_end,
            "max": self._of_end,
        }
        function = self._found.function
        say = self._of_comparison if self._found.decides else changes.get(function)
        if say is not None:
            said = say()
            is_open = function in {"leads", "first"} or said == NO_BOUNDS
            return Unknowns(notes=(said,), is_open=is_open) if said else Unknowns()
        found = self.range()
        if found is None and self._own is not None and self._own.n_failed:
            said = f"{self._found.column} may lie beyond its values: some could not be read"
            return replace(NOT_WORKED_OUT, notes=(said, NO_BOUNDS))
        if found is None:
            return NOT_WORKED_OUT
        condition, column = f"({self._found.condition})", self._said(self._found.column)
        n_left_out = 0
        if function == "sum" and not found.is_point:
            [n_left_out] = self._count(f"{condition} AND {column} IS NULL")
        said = f"the sum leaves out {self._rows(n_left_out)} without a value"
        return Unknowns(found, (said,) if n_left_out else ())

    def range(self) -> Bounds | None:
        """Return the least and the most that a number can be; None where it is not worked out."""
        ranges: dict[str, Callable[[], Bounds | None]] = {
            "count": self._range_of_count,
            "distinct": self._range_of_distinct,
            "share": self._range_of_share,
            "both": self._range_of_two,
        }
        found, factor = (
            ranges.get(self._found.function, self._range_of_amount)(),
            self._found.factor,
        )
        return found and replace(found, lower=found.lower * factor, upper=found.upper * factor)

    def _range_of_count(self) -> Bounds:
        condition = f"({self._found.condition})"
        n_known, n_most = self._count(condition, f"{condition} IS NOT FALSE")
        return Bounds(n_known, n_most)

    def _range_of_distinct(self) -> Bounds:
        """Bound a number of values: each unknown one may be another."""
        condition, column = f"({self._found.condition})", quote_name(self._found.column)
        n_known, n_open, n_blank = self._integers(
            f"count(DISTINCT {column}) FILTER ({condition})",
            f"count(DISTINCT {column}) FILTER ({condition} IS NOT FALSE)",
            f"count(*) FILTER ({condition} IS NOT FALSE AND {column} IS NULL)",
        )
        return Bounds(n_known, n_open + n_blank)

    def _range_of_share(self) -> Bounds | None:
        """Bound a share: of the records not known to be part of it, none or all are."""
        whole, part = f"({self._found.condition})", f"({self._found.part})"
        n_part, n_open, n_not, n_whole = self._count(
            f"{whole} AND {part}",
            f"({whole} AND {part}) IS NULL",
            f"{whole} AND NOT {part}",
            f"{whole} OR {whole} IS NULL AND {part} IS DISTINCT FROM true",
        )
        n_most = n_part + n_open + n_not
        if not n_most or not n_whole:
            return None
        lower, upper = n_part / n_whole, (n_part + n_open) / n_most
        return Bounds(lower, max(lower, upper))

    def _range_of_amount(self) -> Bounds | None:
        """Bound a sum, average or median, if unknown values lie in the range of the known ones."""
        condition, column = f"({self._found.condition})", quote_name(self._found.column)
        n_in, n_open, n_known, n_blank = self._count(
            condition,
            f"{condition} IS NULL",
            f"{condition} AND {column} IS NOT NULL",
            f"{condition} IS NOT FALSE AND {column} IS NULL",
        )
        known = self._own
        if not n_known or known is None or not known.type.is_numeric:
            return None
        if n_blank and known.n_failed:  # what could not be read, such as `over 30`, may lie beyond
            return None
        within = low, high = float(str(known.minimum)), float(str(known.maximum))
        if self._found.function == "sum":  # who does not say it may have nothing to add
            low, high = min(low, 0.0), max(high, 0.0)
        n_sure = n_in if n_open else None
        ends = (self._end_of_amount(low, n_sure), self._end_of_amount(high, n_sure, is_upper=True))
        sql = f"SELECT {', '.join(ends)}"
        [[lower, upper]] = self._corpus.select(sql, limit=1).rows
        is_less = bool(n_blank) and within != (low, high)
        return Bounds(float(str(lower)), float(str(upper)), within if n_blank else None, is_less)

    def _end_of_amount(self, end: float, n_sure: int | None, *, is_upper: bool = False) -> str:
        """Write the query of the lowest amount with unknown values at *end*, or of the highest.

        Beside *n_sure* records that meet the condition, those that may meet it are taken in by
        their value: with as many as there are in the lowest result, no others of them make a lower
        one. None: there are no such records, and no running amount, which takes longer.
        """
        better, order = ("max", "DESC") if is_upper else ("min", "ASC")
        condition, column = f"({self._found.condition})", quote_name(self._found.column)
        values = (
            f"SELECT coalesce({column}, {end!r})::DOUBLE AS value, {condition} IS NULL AS is_open"  # noqa: S608 - it runs through the guard
            f" FROM {self._entity} WHERE {condition} IS NOT FALSE"
        )
        if n_sure is None:
            return f"(SELECT {self._found.formula} FROM ({values}))"  # noqa: S608 - as above
        running = (
            f"SELECT {self._found.formula} OVER running AS made, row_number() OVER running AS n"  # noqa: S608 - as above
            f" FROM ({values}) WINDOW running AS (ORDER BY is_open, value {order}"
            " ROWS UNBOUNDED PRECEDING)"
        )
        return f"(SELECT {better}(made) FROM ({running}) WHERE n >= {n_sure})"  # noqa: S608 - as above

    def _range_of_two(self) -> Bounds | None:
        """Bound a sum or difference by the bounds of its sides, as if each were alone."""
        sides = self._sides()
        if sides is None:
            return None
        one, other = sides
        within, or_none = one.within or other.within, one.or_none or other.or_none
        if None not in {one.within, other.within} and one.within != other.within:
            return None  # two columns: no one range says what their unknown values are taken for
        if self._found.operator == "+":
            return Bounds(one.lower + other.lower, one.upper + other.upper, within, or_none)
        least, most = one.lower - other.upper, one.upper - other.lower
        if self._found.operator == "distance":
            farthest = max(abs(least), abs(most))
            least, most = (0 if least < 0 < most else min(abs(least), abs(most))), farthest
        return Bounds(least, most, within, or_none)

    def _sides(self) -> tuple[Bounds, Bounds] | None:
        found = [
            Bounds(side, side)
            if isinstance(side, float)
            else _Records(
                self._corpus, side, self._stated, self._contradicted, self._n_unread
            ).range()
            for side in self._found.sides
        ]
        known = [side for side in found if side is not None]
        return (known[0], known[1]) if len(known) == len(found) else None

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
        whole = replace(left if left.within else right, or_none=left.or_none or right.or_none)
        return f"this is so {whole.condition}" if whole.condition else ""

    def _of_end(self) -> str:
        """Say what a lowest or highest value may be instead: `lower`, for a date `earlier`."""
        found = self._found
        column, condition = quote_name(found.column), f"({found.condition})"
        end = f"{found.function}({self._said(found.column)}) FILTER ({self._counted})"
        beyond = "<" if found.function == "min" else ">"
        stated = f"(SELECT {end} FROM {self._entity})"  # noqa: S608 - it runs through the guard
        is_safe, n_beyond, n_open = self._totals(
            f"{end} IS NOT DISTINCT FROM {found.function}({column}) FILTER ({condition})",
            f"count(*) FILTER ({condition} IS NOT FALSE AND {column} IS NULL"
            f" OR {condition} IS NULL AND coalesce({column} {beyond} {stated}, true))",
            f"count(*) FILTER ({condition} IS NULL OR {condition} AND {column} IS NULL)",
        )
        if not is_safe:
            return f"it may be otherwise: {self._not_known_of(n_open)}"
        is_date = self._types.get(found.column.lower(), TEXT).is_date
        words = {"min": ("lower", "earlier"), "max": ("higher", "later")}
        change = words[found.function][is_date]
        return f"it may be {change}: {self._not_known_of(n_beyond)}" if n_beyond else ""

    def _of_records(self) -> str:
        """Say how many records may belong to a group or list without them, or not to theirs."""
        n_more, n_less = self._misplaced()
        if self._found.function == "groups":
            ends = [f"{n:,} {end}" for n, end in ((n_more, "higher"), (n_less, "lower")) if n]
            where = f"it is not known where that many {self._corpus.schema().table.rows} belong"
            return f"each count may be up to {' or '.join(ends)}: {where}" if ends else ""
        said = [f"up to {n_more:,} more may belong to the list"] if n_more else []
        said += [f"up to {n_less:,} of the list may not belong to it"] if n_less else []
        return f"{', and '.join(said)}: that is not known of them" if said else ""

    def _misplaced(self) -> tuple[int, ...]:
        """Count the records that may belong where they are not counted, and those that may not."""
        condition, counted = f"({self._found.condition})", self._counted
        nowhere = misplaced = f"({self._nowhere()})"
        if self._found.function == "list":  # it has no row of those, unless they are contradicted
            misplaced += f" AND {self._shown}"
        return self._count(
            f"{condition} IS NOT FALSE AND ({counted} IS NOT TRUE OR {nowhere})",
            f"{counted} AND ({condition} IS NULL OR {misplaced})",
        )

    def _nowhere(self) -> str:
        return " OR ".join(f"({key}) IS NULL" for key in self._found.keys) or "false"

    def _of_leading_group(self) -> str:
        """Say that another group may lead, if the records that may belong to it can make it so."""
        n_misplaced = sum(self._misplaced())
        if not n_misplaced:
            return ""
        condition, nowhere = f"({self._found.condition})", f"({self._nowhere()})"
        groups = (
            f"SELECT count(*) FILTER ({condition}) AS least,"  # noqa: S608 - it runs through the guard
            f" count(*) FILTER ({condition} IS NOT FALSE) AS most,"
            f" row_number() OVER (ORDER BY count(*) FILTER ({self._counted}) DESC) AS place"
            f" FROM {self._entity} WHERE NOT {nowhere} GROUP BY {', '.join(self._found.keys)}"
        )
        sql = f"SELECT max(least) FILTER (place = 1), max(most) FILTER (place > 1) FROM ({groups})"  # noqa: S608 - as above
        least, most = (int(str(n or 0)) for n in self._corpus.select(sql, limit=1).rows[0])
        [n_anywhere] = self._count(f"{condition} IS NOT FALSE AND {nowhere}")
        if most + n_anywhere < least:
            return ""
        return f"it may be otherwise: {self._not_known_of(n_misplaced)}"

    def _of_first(self) -> str:
        """Say that what comes first may be another, where it is not known by what it is ranked."""
        if self._found.column.lower() not in self._types:
            return NO_BOUNDS
        condition, column = f"({self._found.condition})", quote_name(self._found.column)
        unranked = f" OR {condition} AND {column} IS NULL" if self._found.has_gaps else ""
        [n_open] = self._count(f"{condition} IS NULL{unranked}")
        ranked = (
            f"SELECT {self._counted} IS TRUE AS is_taken,"  # noqa: S608 - it runs through the guard
            f" rank() OVER (ORDER BY {self._found.order}) AS place"
            f" FROM {self._entity} WHERE {condition} AND {column} IS NOT NULL"
        )
        left_out = f"NOT is_taken AND place <= {self._found.n_first}"
        n_left_out = self._corpus.count(f"SELECT count(*) FROM ({ranked}) WHERE {left_out}")[0]  # noqa: S608 - as above
        said = [f"another may come first: {self._not_known_of(n_open)}"] if n_open else []
        if n_left_out:
            lacking = f"{self._rows(n_left_out)} as far ahead"
            said.append(f"it leaves out {lacking}, for lack of what else it shows")
        return "; ".join(said)

    def _not_known_of(self, count: Value) -> str:
        return f"that is not known of {self._rows(count)}"

    def _rows(self, count: Value) -> str:
        n, rows = int(float(str(count))), self._corpus.schema().table.rows
        return f"{n:,} {singular(rows) if n == 1 else rows}"

    def _said(self, column: str) -> str:
        is_veiled = column.lower() in map(str.lower, self._contradicted)
        return quote_name(said_name(column) if is_veiled else column)

    def _count(self, *conditions: str) -> tuple[int, ...]:
        return self._integers(*(f"count(*) FILTER ({condition})" for condition in conditions))

    def _integers(self, *outputs: str) -> tuple[int, ...]:
        return tuple(int(str(value or 0)) for value in self._totals(*outputs))

    def _totals(self, *outputs: str) -> tuple[Value, ...]:
        sql = f"SELECT {', '.join(outputs)} FROM {self._entity}"  # noqa: S608 - it runs through the guard
        return self._corpus.select(sql, limit=1).rows[0]


def _said_range(found: Bounds) -> str:
    lower, upper = render_number(found.lower), render_number(found.upper)
    return lower if lower == upper else f"{lower} to {upper}"
