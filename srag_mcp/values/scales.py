"""Scales: thousand and million, in a quote, around it and in the definition of a column."""

import math
import re
from collections.abc import Collection, Iterator

from srag_mcp.values.quantities import Figure, scan_figures
from srag_mcp.values.units import SCALES, as_money, parse_unit, read_context

_WORD = re.compile(r"[^\W\d_]+|[千万萬亿億]")
_THOUSANDS = re.compile(r"(?<![\d,.])['’]?000s?\b|[TKk][€$]|\b[TkK]EUR\b")
_SAME = 1e-9
_AROUND = 200
_MAX_PLACES = 20
_LONGEST_CAPTION = 200


def ignored_scale(quote: str, value: float, declared: Collection[float]) -> str:
    """Return the words of *quote* whose scale *value* leaves out; empty where there are none.

    *declared* are those that the column is in. `15 thousand tonnes`, 15 -> `15 thousand tonnes`
    """
    for figure in scan_figures(quote):
        for end in (figure, figure.upper):
            if end is not None and end.scaled and _leaves_out(end, value, declared):
                return figure.span.of(quote)
    return ""


def declared_scales(unit: str | None, definition: str) -> set[float]:
    """Return the scales that the unit and the *definition* of a column speak of, and 1."""
    return {1.0, float(parse_unit(unit or "").scale), *_scales_in(definition)}


def stated_scales(quote: str, text: str) -> set[float]:
    """Return the scales that *text* speaks of around *quote* or in a caption, and 1."""
    found = {scale for part in _around(quote, text) for scale in _scales_in(part)}
    for line in text.splitlines():
        if len(line) <= _LONGEST_CAPTION:
            around = read_context(line)
            found |= {float(around.scale), float(as_money(around).scale)}
    return {1.0, *found}


def _leaves_out(figure: Figure, value: float, declared: Collection[float]) -> bool:
    quantity = figure.read()
    if quantity is None or not value:
        return False
    factor = figure.scale * 10.0**figure.power
    if not math.isclose(abs(quantity.value), abs(value) * factor, rel_tol=_SAME):
        return False
    return factor not in declared


def _around(quote: str, text: str) -> Iterator[str]:
    """Yield what stands around the places of *quote*, which is in the words of *text*."""
    yield quote
    start = text.find(quote)
    for _ in range(_MAX_PLACES):
        if start < 0:
            return
        yield text[max(0, start - _AROUND) : start + len(quote) + _AROUND]
        start = text.find(quote, start + 1)


def _scales_in(words: str) -> set[float]:
    found = {float(SCALES[word]) for word in _WORD.findall(words.lower()) if word in SCALES}
    if _THOUSANDS.search(words):
        found.add(1000.0)
    return found
