"""Fallbacks: whether a place in the document may stand in for a field that a document lacks."""

from collections.abc import Mapping, Sequence
from datetime import date

from srag_mcp.offline.candidates import Candidate
from srag_mcp.offline.values import numbers_of
from srag_mcp.values.dates import read_date

_MIN_KNOWN = 5
_MIN_INSIDE = 0.7
_MARGIN = 0.5


def may_stand_in(field: Candidate, place: Candidate, kind: str) -> bool:
    """Whether what only *place* says lies where the values of *field* lie.

    The first date of a letter is its date, also where nothing says so. The first date of a form
    is its first field, and of a form without this field it is another fact: it lies elsewhere.
    """
    alone = {n: value for n, value in place.values.items() if n not in field.values}
    known = _sizes(field.values, kind)
    asked = _sizes(alone, kind)
    if len(known) < _MIN_KNOWN or not asked:
        return True
    margin = _MARGIN * (known[-1] - known[0])
    inside = sum(known[0] - margin <= size <= known[-1] + margin for size in asked)
    return inside >= _MIN_INSIDE * len(asked)


def _sizes(values: Mapping[int, str], kind: str) -> Sequence[float]:
    """Return dates as days and numbers as they are, in order; texts have no size."""
    if kind == "date":
        days = [read_date(value) for value in values.values()]
        return sorted(float(day.toordinal()) for day in days if isinstance(day, date))
    if kind in {"integer", "number"}:
        return sorted(float(number) for number in numbers_of(values).values())
    return ()
