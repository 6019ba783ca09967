"""The currency of a corpus: what amounts without a sign are in, when most documents show one."""

import re
from collections import Counter
from collections.abc import Collection, Sequence

from srag_mcp.offline.sightings import Sightings
from srag_mcp.values.units import CURRENCY_CODES, CURRENCY_SYMBOLS

_MIN_SHARE = 0.4
_MIN_LEAD = 2.0
_MIN_MONEY = 0.8
_MARK = re.compile(
    r"(?<![^\W\d_])(?:[A-Z]{2,3}(?![^\W\d_])|R[sp](?![^\W\d_])|[^\W\d_]{0,2}[$€£¥₹₩₽₺])"
)
_MONEY = re.compile(r"[^\W\d_]{0,3}\s?[$€£¥₹]?\s*-?\d[\d.,' ]*[.,]\d{2}")


def find_currency(sightings: Sequence[Sightings]) -> str | None:
    """Return the currency that most documents show, and far more than any other."""
    counts: Counter[str] = Counter()
    for sighting in sightings:
        counts.update({unit for mark in _MARK.findall(sighting.text) if (unit := _unit(mark))})
    ranked = counts.most_common(2)
    if not ranked or ranked[0][1] < _MIN_SHARE * len(sightings):
        return None
    second = ranked[1][1] if len(ranked) > 1 else 0
    return ranked[0][0] if ranked[0][1] >= _MIN_LEAD * second else None


def _unit(mark: str) -> str | None:
    return CURRENCY_SYMBOLS.get(mark) or (mark if mark in CURRENCY_CODES else None)


def look_like_money(values: Collection[str]) -> bool:
    """Whether nearly all values have two decimals, as prices do."""
    fitting = sum(_MONEY.fullmatch(value.strip()) is not None for value in values)
    return bool(values) and fitting >= _MIN_MONEY * len(values)
