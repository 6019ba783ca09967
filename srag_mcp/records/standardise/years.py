"""Years that do not fit their column: of another age than all others, or none at all."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from srag_mcp.records.normalise import find_dates
from srag_mcp.records.normalise.unit_words import UNITS
from srag_mcp.records.standardise.suspicion import StatedValue, Suspicion
from srag_mcp.records.stated_number import column_unit, has_number
from srag_mcp.schema.attribute import Attribute

_FIRST_YEAR, _LAST_YEAR = 1000, 2199
_FEWEST = 5
_FEWEST_ALIKE = 3
_MOST = 0.5
_YEARS_AWAY, _SPREADS_AWAY = 100, 5
_LONELY_YEARS_AWAY, _LONELY_SPREADS_AWAY = 40, 10
_ALONE = 25
_ALL_TIMES = 50
_WORD = re.compile(r"[^\W\d_]+")


def suspect_years(attribute: Attribute, values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find whole numbers that are no years in a column of years, and years far from the others.

    A column of all times has years that are far from each other.
    """
    if attribute.type != "integer" or column_unit(attribute) not in (None, "year"):
        return
    if sum(_FIRST_YEAR <= item.number <= _LAST_YEAR for item in values) <= _MOST * len(values):
        return
    years = [item for item in values if _is_quoted_year(item)]
    if len(years) < _FEWEST_ALIKE or len(years) <= _MOST * len(values):
        return
    for item in values:
        is_said = item.number <= _LAST_YEAR and has_number(item.as_stated, item.number)
        if not (_FIRST_YEAR <= item.number <= _LAST_YEAR or is_said):
            reason = f"{len(years)} values are years, this one is none"
            yield Suspicion(item.document_id, "impossible", reason)
    if _speaks_of_years(attribute) and _spread([item.number for item in values]) <= _ALL_TIMES:
        yield from far_away({item.document_id: int(item.number) for item in values}, "years")


def far_away(years: Mapping[str, int], what: str) -> Iterator[Suspicion]:
    """Find the years, by document id, that are far from most *what* (`dates`).

    100 years are far, or 40 where the others lie close together and none is near.
    """
    if len(years) < _FEWEST:
        return
    middle = median(years.values())
    spread = _spread(list(years.values()))
    far = max(_YEARS_AWAY, _SPREADS_AWAY * spread)
    lonely = max(_LONELY_YEARS_AWAY, _LONELY_SPREADS_AWAY * spread)
    counts = Counter(years.values())
    for document_id, year in years.items():
        away = abs(year - middle)
        if away > far or (away > lonely and _is_alone(year, counts)):
            reason = f"most {what} are around {int(middle)}, this one is in {year}"
            yield Suspicion(document_id, "impossible", reason)


def _spread(years: Sequence[float]) -> float:
    middle = median(years)
    return median(abs(year - middle) for year in years)


def _is_alone(year: int, counts: Mapping[int, int]) -> bool:
    others = (other for other in counts if other != year)
    return counts[year] == 1 and all(abs(year - other) > _ALONE for other in others)


def _is_quoted_year(item: StatedValue) -> bool:
    if not _FIRST_YEAR <= item.number <= _LAST_YEAR:
        return False
    return any(date.year == item.number for _, date in find_dates(item.as_stated, partial=True))


def _speaks_of_years(attribute: Attribute) -> bool:
    """Whether unit, name or description of a column has a word for years."""
    said = f"{attribute.unit or ''} {attribute.name.replace('_', ' ')} {attribute.description}"
    return any(UNITS.get(word) == "year" for word in _WORD.findall(said.lower()))
