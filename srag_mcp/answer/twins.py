"""Twins: columns that may hold one fact, as far as their types, units, values and names tell."""

from collections.abc import Mapping

from srag_mcp.offline.key_merging import lexical
from srag_mcp.schema.attribute import Attribute
from srag_mcp.store.statistics import ColumnStatistics

_MAX_FACTOR = 3.0
_MIN_OVERLAP = 0.3
_MIN_LEXICAL = 0.6
# "Age: 7" and "7 years old" may be one fact, "7" and "7 %" are two.
_BARE_OR_PERIOD = frozenset({None, "year", "month", "week", "day", "h", "min"})


def are_alike(
    attribute: Attribute, other: Attribute, statistics: Mapping[str, ColumnStatistics]
) -> bool:
    """Whether two columns may hold one fact: same type and unit, and like names or values."""
    one, two = statistics.get(attribute.name), statistics.get(other.name)
    if one is None or two is None or other.name == attribute.name:
        return False
    if _kind(other) != _kind(attribute):
        return False
    if lexical([_spoken(attribute)], [_spoken(other)]) >= _MIN_LEXICAL:
        return attribute.unit == other.unit or {attribute.unit, other.unit} <= _BARE_OR_PERIOD
    holds_alike = {"string": _share_values, "number": _are_of_a_size, "date": meet_in_time}
    are_of_one_sort = holds_alike.get(_kind(attribute), _are_never_one)
    return attribute.unit == other.unit and are_of_one_sort(one, two)


def _spoken(attribute: Attribute) -> str:
    return attribute.name.replace("_", " ")


def _kind(attribute: Attribute) -> str:
    return "number" if attribute.type == "integer" else attribute.type


def _are_never_one(_one: ColumnStatistics, _other: ColumnStatistics) -> bool:
    return False


def _share_values(one: ColumnStatistics, other: ColumnStatistics) -> bool:
    """Whether the other column makes a good part of the rarer column's statements, too."""
    rarer, often = sorted((one, other), key=lambda item: item.n_non_null)
    known = {str(item.value).casefold() for item in often.values}
    both = sum(item.count for item in rarer.values if str(item.value).casefold() in known)
    return both >= _MIN_OVERLAP * max(1, rarer.n_non_null)


def _are_of_a_size(one: ColumnStatistics, other: ColumnStatistics) -> bool:
    low, high = sorted((_middle(one), _middle(other)))
    return 0 < high <= _MAX_FACTOR * low


def _middle(found: ColumnStatistics) -> float:
    return float(found.median) if isinstance(found.median, int | float) else 0.0


def meet_in_time(one: ColumnStatistics, other: ColumnStatistics) -> bool:
    """Whether the dates of two columns lie in times that overlap."""
    ends = [str(end or "") for end in (one.minimum, one.maximum, other.minimum, other.maximum)]
    return all(ends) and ends[0] <= ends[3] and ends[2] <= ends[1]
