"""Numbers that do not fit their column: another scale, another unit, impossible."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import TypeAlias

from srag_mcp.records.standardise.quoted_numbers import says_minus, suspect_quoted_numbers
from srag_mcp.records.standardise.suspicion import NO_TAGS, StatedValue, Suspicion, Tags
from srag_mcp.records.standardise.units import suspect_units
from srag_mcp.records.standardise.years import suspect_years
from srag_mcp.records.stated_number import scales_of
from srag_mcp.schema.attribute import Attribute
from srag_mcp.values.scales import ignored_scale

_FEWEST = 5
_EMPTY_DECADES = 1.5
_FACTORS = (3, 6, 9)
_NEAR_FACTOR = 1.0
_NEARER_FACTOR = 0.5
_MOST_OTHERS = 0.34
_HUNDRED = 100

_Sized: TypeAlias = tuple[float, StatedValue]  # the decade of a value, and the value


def suspect_numbers(
    attribute: Attribute, values: Sequence[StatedValue], tags: Tags = NO_TAGS
) -> Iterator[Suspicion]:
    """Find values that look as if they were written in another scale or unit."""
    yield from _other_scales(values)
    yield from _impossible(attribute, values)
    yield from _ignored_scales(attribute, values)
    yield from suspect_units(attribute, values, tags)
    yield from suspect_quoted_numbers(attribute, values)
    yield from suspect_years(attribute, values)


def _ignored_scales(attribute: Attribute, values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find values that leave out the scale word of their own quote: `15 thousand` read as 15."""
    for item in values:
        word = ignored_scale(item.as_stated, item.number, scales_of(attribute))
        if word:
            reason = f"the document says {word}: is the scale (thousand, million) worked in?"
            yield Suspicion(item.document_id, "scale_word", reason)


def _other_scales(values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find a cluster that lies 10³, 10⁶ or 10⁹ away from the largest, and both if equally large."""
    sized = [(math.log10(abs(item.number)), item) for item in values if item.number]
    if len(sized) < _FEWEST:
        return
    clusters = _clusters(sized)
    main = max(clusters, key=len)
    for cluster in clusters:
        away = _middle(cluster) - _middle(main)
        if cluster is main or not _is_scale_apart(away, len(cluster) / len(sized)):
            continue
        yield from _away_from(main, cluster, away, len(sized))
        if len(cluster) == len(main):
            yield from _away_from(cluster, main, -away, len(sized))


def _clusters(sized: Sequence[_Sized]) -> list[list[_Sized]]:
    """Part values where a decade and a half is empty; smallest first."""
    ranked = sorted(sized, key=lambda pair: pair[0])
    clusters: list[list[_Sized]] = [[ranked[0]]]
    for before, now in pairwise(ranked):
        if now[0] - before[0] >= _EMPTY_DECADES:
            clusters.append([])
        clusters[-1].append(now)
    return clusters


def _middle(cluster: Sequence[_Sized]) -> float:
    return median(size for size, _ in cluster)


def _is_scale_apart(decades: float, share: float) -> bool:
    """Whether a scale word may explain a distance; the more values, the closer it must be to one.

    A column may have two kinds of things: villages and cities.
    """
    near = _NEAR_FACTOR if share <= _MOST_OTHERS else _NEARER_FACTOR
    return any(abs(abs(decades) - factor) <= near for factor in _FACTORS)


def _away_from(
    main: Sequence[_Sized], cluster: Sequence[_Sized], away: float, n_values: int
) -> Iterator[Suspicion]:
    low, high = (_plain(item.number) for item in (main[0][1], main[-1][1]))
    direction = "larger" if away > 0 else "smaller"
    reason = (
        f"{len(main)} of {n_values} values lie between {low} and {high}; this one is"
        f" about {10 ** round(abs(away)):,} times {direction}: is the scale (thousand,"
        " million) worked in, and only once?"
    )
    for _, item in cluster:
        yield Suspicion(item.document_id, "scale", reason)


def _impossible(attribute: Attribute, values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find percentages above 100 and negative values where hardly any other is so."""
    n_large = sum(item.number > _HUNDRED for item in values)
    n_negative = sum(item.number < 0 for item in values)
    for item in values:
        number = item.number
        is_rare_share = n_large <= _MOST_OTHERS * len(values)
        if attribute.unit == "percent" and number > _HUNDRED and is_rare_share:
            yield Suspicion(item.document_id, "impossible", "it is a percentage above 100")
        elif number < 0 and n_negative == 1 and len(values) >= _FEWEST and not says_minus(item):
            yield Suspicion(item.document_id, "impossible", "it alone is negative")


def _plain(number: float) -> str:
    return f"{number:,.10g}"
