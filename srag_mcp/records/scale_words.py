"""Scale words: thousand and million, in a quote, around it and in the definition of a column."""

import math
import re
from collections.abc import Iterator

from srag_mcp.schema.attribute import Attribute
from srag_mcp.values.quantities import Figure, scan_figures
from srag_mcp.values.units import SCALES, as_money, parse_unit, read_context

_WORD = re.compile(r"[^\W\d_]+|[千万萬亿億]")
_THOUSANDS = re.compile(r"(?<![\d,.])['’]?000s?\b|[TKk][€$]|\b[TkK]EUR\b")
_SAME = 1e-9
_AROUND = 200
_MAX_PLACES = 20
_LONGEST_CAPTION = 200


def ignored_scale(attribute: Attribute, quote: str, value: float) -> str:
    """Return the words of *quote* whose scale *value* leaves out; empty where there are none.

    `15 thousand tonnes`, 15 -> `15 thousand tonnes`, unless the column is in thousands
    """
    for figure in scan_figures(quote):
        for end in (figure, figure.upper):
            if end is not None and end.scaled and _leaves_out(attribute, end, value):
                return figure.span.of(quote)
    return ""


def declared_scales(attribute: Attribute) -> set[float]:
    """Return the scales that unit, name and description of *attribute* speak of, and 1."""
    words = f"{attribute.name.replace('_', ' ')} {attribute.description}"
    return {1.0, float(parse_unit(attribute.unit or "").scale), *_scales_in(words)}


def stated_scales(quote: str, text: str) -> set[float]:
    """Return the scales that *text* speaks of around *quote* or in a caption, and 1."""
    found = {scale for part in _around(quote, text) for scale in _scales_in(part)}
    for line in text.splitlines():
        if len(line) <= _LONGEST_CAPTION:
            around = read_context(line)
            found |= {float(around.scale), float(as_money(around).scale)}
    return {1.0, *found}


def _leaves_out(attribute: Attribute, figure: Figure, value: float) -> bool:
    quantity = figure.read()
    if quantity is None or not value:
        return False
    factor = figure.scale * 10.0**figure.power
    if not math.isclose(abs(quantity.value), abs(value) * factor, rel_tol=_SAME):
        return False
    return factor not in declared_scales(attribute)


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
