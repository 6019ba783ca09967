"""Numbers that do not fit their column: another scale, another unit, impossible."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from srag_mcp.records.normalise import find_quantities
from srag_mcp.records.normalise.units import convert, parse_unit
from srag_mcp.records.standardise.suspicion import StatedValue, Suspicion
from srag_mcp.schema.attribute import Attribute

_FEWEST = 5
_EMPTY_DECADES = 1.5
_FACTORS = (3, 6, 9)
_NEAR_FACTOR = 1.0
_MOST_OTHERS = 0.34
_HUNDRED = 100


def suspect_numbers(attribute: Attribute, values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find values that look as if they were written in another scale or unit."""
    yield from _other_units(attribute, values)
    yield from _other_scales(values)
    yield from _impossible(attribute, values)


def _other_scales(values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find a small cluster that lies 10³, 10⁶ or 10⁹ away from the large one."""
    sized = [(math.log10(abs(_number(item))), item) for item in values if _number(item)]
    if len(sized) < _FEWEST:
        return
    sized.sort(key=lambda pair: pair[0])
    clusters: list[list[tuple[float, StatedValue]]] = [[sized[0]]]
    for before, now in pairwise(sized):
        if now[0] - before[0] >= _EMPTY_DECADES:
            clusters.append([])
        clusters[-1].append(now)
    main = max(clusters, key=len)
    middle = median(size for size, _ in main)
    low, high = (_plain(_number(item)) for item in (main[0][1], main[-1][1]))
    for cluster in clusters:
        if cluster is main or len(cluster) > _MOST_OTHERS * len(sized):
            continue
        away = median(size for size, _ in cluster) - middle
        if any(abs(abs(away) - factor) <= _NEAR_FACTOR for factor in _FACTORS):
            direction = "larger" if away > 0 else "smaller"
            reason = (
                f"{len(main)} of {len(sized)} values lie between {low} and {high}; this one is"
                f" about {10 ** round(abs(away)):,} times {direction}: is the scale (thousand,"
                " million) worked in, and only once?"
            )
            for _, item in cluster:
                yield Suspicion(item.document_id, "scale", reason)


def _other_units(attribute: Attribute, values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find values that equal the figure of their quote although the quote has another unit."""
    wanted = parse_unit(attribute.unit or "").unit
    if wanted is None:
        return
    for item in values:
        for found in find_quantities(item.as_stated):
            quantity = found[1]
            unit = quantity.unit
            if unit is None or unit == wanted or not math.isclose(quantity.value, _number(item)):
                continue
            converted = convert(quantity.value, unit, wanted)
            if converted is not None and not math.isclose(converted, quantity.value):
                reason = f"the document gives it in {unit}, the column is in {attribute.unit}"
                yield Suspicion(item.document_id, "unit", reason)
                break


def _impossible(attribute: Attribute, values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find percentages above 100 and negative values where hardly any other is so."""
    n_large = sum(_number(item) > _HUNDRED for item in values)
    n_negative = sum(_number(item) < 0 for item in values)
    for item in values:
        number = _number(item)
        is_rare_share = n_large <= _MOST_OTHERS * len(values)
        if attribute.unit == "percent" and number > _HUNDRED and is_rare_share:
            yield Suspicion(item.document_id, "impossible", "it is a percentage above 100")
        elif number < 0 and n_negative == 1 and len(values) >= _FEWEST:
            yield Suspicion(item.document_id, "impossible", "it alone is negative")


def _number(item: StatedValue) -> float:
    return float(item.value) if isinstance(item.value, int | float) else 0.0


def _plain(number: float) -> str:
    return f"{number:,.10g}"
