"""Time that passed: between the first and the last, two extremes, or two named things."""

from typing import Literal

from srag_mcp.offline.translation.columns import Column
from srag_mcp.offline.translation.contrasts import contrast_of
from srag_mcp.offline.translation.expressions import joined
from srag_mcp.offline.translation.items import Item, Sentence
from srag_mcp.offline.translation.measures import where_of
from srag_mcp.offline.translation.parse import Parse
from srag_mcp.offline.translation.picks import picks_of
from srag_mcp.offline.translation.ranked import Pick
from srag_mcp.offline.translation.reading import (
    Elapsed,
    Every,
    Extreme,
    Operation,
    Scalar,
    Single,
    Summary,
    Term,
)
from srag_mcp.offline.translation.tokens import stems

_TIMES = frozenset(stems("year date day time on"))
_UNITS: dict[str, Literal["day", "week", "month", "year"]] = {
    "day": "day", "week": "week", "month": "month", "year": "year",
}  # fmt: skip


def read_elapsed(sentence: Sentence) -> Parse | None:
    """Read `how many days lie between …`, `how many days after … did …`."""
    units = [item for item in sentence.items if item.kind == "elapsed"]
    column = _column_said(sentence, units[0].word) if units else None
    if column is None:
        return None
    picks = picks_of(sentence)
    found = _between_ends(sentence, column, picks) or _between_extremes(sentence, column, picks)
    if found is None and not picks:
        found = _between_two(sentence, column)
    if found is None:
        return None
    start, end, used = found
    links = sentence.of("between", "time", "listed", "than", "and", "each")
    scalar = _elapsed(column, units[0].word, start, end)
    return Parse(Single(scalar), (*units, *used, *links, *sentence.of("filter")))


def _column_said(sentence: Sentence, unit: str) -> Column | None:
    """Return the column of the days, or of the years: the one that the question names, if any."""
    table = sentence.table
    years = tuple(c for c in table.columns if c.year_text and c not in table.dates)
    said = {token.stem for token in sentence.tokens} - table.nouns
    timed = (*table.dates, *years) if unit == "year" else table.dates
    named = [c for c in timed if any(said & (set(name) - _TIMES) for name in c.names)]
    return named[0] if len(named) == 1 else table.main_date


_Found = tuple[Scalar, Scalar, tuple[Item, ...]]


def _elapsed(column: Column, unit: str, start: Scalar, end: Scalar) -> Scalar:
    if column.attribute.type == "date":
        return Elapsed(_UNITS[unit], start, end)
    return Operation("-", end, start)


def _term(column: Column) -> Term:
    if column.attribute.type == "string":
        return Term(column.name, "text_year")
    return Term(column.name)


def _between_ends(sentence: Sentence, column: Column, picks: list[Pick | None]) -> _Found | None:
    """Read the first and the last record, or `the two …`, of those that pass the filters."""
    where = where_of(sentence)
    term = _term(column)
    two = [item for item in sentence.of("number") if item.number == 2]
    ends = {
        pick.highest
        for pick in picks
        if pick is not None and pick.term in {term, Term(column.name)}
    }
    if not (ends == {True, False} and len(picks) == 2) and not (
        two and not picks and where.conditions
    ):
        return None
    used = tuple(item for pick in picks if pick is not None for item in pick.used)
    return Summary("min", term, where), Summary("max", term, where), (*used, *two)


def _between_extremes(
    sentence: Sentence, column: Column, picks: list[Pick | None]
) -> _Found | None:
    """Read the days of two extremes: `after the maximum of A did B reach its maximum`."""
    known = [pick for pick in picks if pick is not None and pick.term is not None]
    if len(known) != 2 or len(picks) != 2:
        return None
    where = where_of(sentence)
    start, end = (_day_of(column, pick, where) for pick in known)
    if any(item.word == "<" for item in sentence.of("time")):
        start, end = end, start
    return start, end, tuple(item for pick in known for item in pick.used)


def _day_of(column: Column, pick: Pick, where: Every) -> Summary:
    assert pick.term is not None
    return Summary("min", _term(column), joined(where, Extreme(pick.term, pick.highest, where)))


def _between_two(sentence: Sentence, column: Column) -> _Found | None:
    """Read the time between two named records."""
    contrast = contrast_of(sentence, None)
    if contrast is None or contrast.timed:
        return None
    start, end = (Summary("min", _term(column), side) for side in (contrast.left, contrast.right))
    return start, end, contrast.used
