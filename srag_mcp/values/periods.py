"""Periods: words for days, months and years, and how many of one are in another."""

import re

from srag_mcp.values.unit_words import UNITS

_OTHER_WORDS = {
    "min": "minutely",
    "h": "hourly stündlich",
    "day": "daily night nights nightly täglich nacht nächte nuit nuits noche noches notte notti"
    " noite noites nacht nachten jour diem",
    "week": "weekly wöchentlich hebdomadaire semanal settimana settimane settimanale wekelijks",
    "month": "monthly monatlich mensuel mensuelle mensual mese mensile mês mensal maandelijks pcm",
    "year": "yearly annual annually annum jährlich annuel annuelle anual annuale ano jaarlijks pa",
}
_WORDS = {word: unit for unit, words in _OTHER_WORDS.items() for word in words.split()}
_WORD = re.compile(r"[^\W\d_]{2,}")

_IN = {
    ("min", "s"): 60, ("h", "min"): 60, ("day", "h"): 24, ("week", "day"): 7, ("month", "day"): 30,
    ("year", "day"): 365, ("year", "week"): 52, ("year", "month"): 12,
}  # fmt: skip


def conversions_between(words: str | None) -> tuple[float, ...]:
    """Return by what a number per period, or of periods, may be multiplied.

    Only for periods that are both in *words*; for all where that is None.
    `rent per month, annual` -> 12 and 1/12
    """
    named = None if words is None else _periods_in(words)
    found = [float(n) for pair, n in _IN.items() if named is None or named.issuperset(pair)]
    return (*found, *(1 / factor for factor in found))


def _periods_in(words: str) -> set[str]:
    found = (_WORDS.get(word) or UNITS.get(word) for word in _WORD.findall(words.lower()))
    return {unit for unit in found if unit is not None}
