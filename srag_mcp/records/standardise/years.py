"""Years that do not fit their column: of another age than all others, or none at all."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from srag_mcp.records.standardise.suspicion import StatedValue, Suspicion
from srag_mcp.records.stated_number import column_unit, has_number
from srag_mcp.schema.attribute import Attribute
from srag_mcp.values.dates import find_dates
from srag_mcp.values.units import UNITS

_FIRST_YEAR, _LAST_YEAR = 1000, 2199
_FEWEST = 5
_FEWEST_ALIKE = 3
_MOST = 0.5
_YEARS_AWAY, _SPREADS_AWAY = 100, 5
_LONELY_YEARS_AWAY, _LONELY_SPREADS_AWAY = 40, 10
_ALONE = 25
_MOST_LONELY = 0.1
_WORD = re.compile(r"[^\W\d_]+")


def suspect_years(attribute: Attribute, values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find whole numbers that are no years in a column of years, and years far from the others."""
    if not attribute.type.is_whole or column_unit(attribute) not in (None, "year"):
        return
    if sum(_FIRST_YEAR <= item.number <= _LAST_YEAR for item in values) <= _MOST * len(values):
        return
    if not _speaks_of_years(attribute):
        return  # numbers of invoices and heights of hills look like years, too
    years = [item for item in values if _is_quoted_year(item)]
    if len(years) < _FEWEST_ALIKE or len(years) <= _MOST * len(values):
        return
    for item in values:
        is_said = item.number <= _LAST_YEAR and has_number(item.as_stated, item.number)
        if not (_FIRST_YEAR <= item.number <= _LAST_YEAR or is_said):
            reason = f"{len(years)} values are years, this one is none"
            yield Suspicion(item.document_id, "impossible", reason)
    by_document = {item.document_id: int(item.number) for item in values}
    lonely = list(far_away(by_document, "years", only_lonely=True))
    if len(lonely) <= max(1, _MOST_LONELY * len(values)):
        yield from lonely


def far_away(
    years: Mapping[str, int], what: str, *, only_lonely: bool = False
) -> Iterator[Suspicion]:
    """Find the years, by document id, that are far from most *what* (`dates`).

    100 years are far, or 40 where the others lie close together and none is near (*only_lonely*:
    only those; some things are much older than most of their kind).
    """
    if len(years) < _FEWEST:
        return
    middle, spread = median(years.values()), _spread(list(years.values()))
    far = max(_YEARS_AWAY, _SPREADS_AWAY * spread)
    lonely = max(_LONELY_YEARS_AWAY, _LONELY_SPREADS_AWAY * spread)
    counts = Counter(years.values())
    for document_id, year in years.items():
        away = abs(year - middle)
        is_far = away > far and not only_lonely
        if is_far or (away > lonely and _is_alone(year, counts)):
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
