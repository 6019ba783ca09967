"""Units: what a word after a number means, and values carried from one unit into another.

The words are in `units.toml`, the names of currencies in `names.json`.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from srag_mcp.text.words import WORD, fold_word, fold_words, stem
from srag_mcp.values.states import CURRENCY_NAMES

_TABLE = tomllib.loads(Path(__file__).with_name("units.toml").read_text(encoding="utf-8"))


def _by_word(listed: Mapping[str, str]) -> dict[str, str]:
    return {word: meaning for meaning, known in listed.items() for word in known.split()}


def _scales(listed: Mapping[str, str]) -> dict[str, int]:
    return {word: int(factor) for word, factor in _by_word(listed).items()}


# The dimension of a unit, and how many of the unit of size 1 it is.
SIZES: dict[str, tuple[str, float]] = {
    unit: (dimension, size)
    for dimension, units in _TABLE["dimensions"].items()
    for unit, (size, _) in units.items()
}
# Units, currencies and scales by the words for them.
UNITS: dict[str, str] = _by_word(
    {unit: known for units in _TABLE["dimensions"].values() for unit, (_, known) in units.items()}
    | _TABLE["plain"]
)
CURRENCY_CODES = frozenset(_TABLE["currencies"]["codes"].split())
CURRENCY_SYMBOLS: dict[str, str] = _by_word(_TABLE["currencies"]["symbols"])
CURRENCY_WORDS: dict[str, str] = _by_word(_TABLE["currencies"]["words"])
# Those that have a sign of their own are never meant by another one: no `$` are euros.
_SIGNED = {code for sign, code in CURRENCY_SYMBOLS.items() if len(sign) == 1 and sign != "$"}
# Which currencies a sign may stand for: the others of its column decide.
AMBIGUOUS_CURRENCIES: dict[str, frozenset[str]] = {
    sign: CURRENCY_CODES - _SIGNED if meant == "*" else frozenset(meant.split())
    for meant, signs in _TABLE["currencies"]["several"].items()
    for sign in signs.split()
}
SCALES: dict[str, int] = _scales(_TABLE["scales"])
LETTER_SCALES: dict[str, int] = _scales(_TABLE["letter_scales"])
# Written as a unit or a mark of another sense is, in small letters.
LOOSE_SCALES = frozenset(map(str.lower, LETTER_SCALES)).union(_TABLE["loose"]["words"].split())
MONEY_SCALES: dict[str, int] = _scales(_TABLE["money_scales"])
PIECES = frozenset(_TABLE["pieces"]["words"].split())
HOURLY: dict[str, str] = _TABLE["hourly"]
_PREFIXED: dict[str, dict[str, str]] = {
    word: _TABLE[kind]
    for kind in ("square", "cubic", "nautical")
    for word in _TABLE[kind]["words"].split()
}
_PERIODS: dict[str, str] = _by_word(_TABLE["periods"])

_FREEZING_F = 32
_NAME = re.compile(r"[^\W\d_]+(?:[ \u00a0-][^\W\d_]+){1,5}")
_FIRST_OF_NAMES = frozenset(name.split()[0] for name in CURRENCY_NAMES)
_JOINING = frozenset({"in", "of"})


@dataclass(frozen=True, slots=True)
class ScaledUnit:
    """A unit and the number that one of it stands for: `USD million` is (10**6, "USD")."""

    scale: int = 1
    unit: str | None = None


_WORD = re.compile(
    r"[^\W\d_]*\$|[€£¥￥₹₩₽₺₫₪₦₱฿₴₸₡₲%％‰℃℉]|°\s?[CF]?|[^\W\d_]+[²³]?[23]?(?:/[hs])?"
    r"|(?<![\d,.])'?000s?\b"
)
_SCALE_WORDS = (
    r"thousands?|millions?|billions?|trillions?|lakhs?|crores?|tausend|tsd|mio|millionen|mrd"
    r"|milliarden|milliers|milliards|millones|migliaia|milioni|miliardi|mn|mln|bn|tn"
)
_MONEY = rf"(?:[^\W\d_]{{0,3}}[$€£¥₹]|(?-i:{'|'.join(sorted(CURRENCY_CODES))}|RM|RMB|Rs\.?))"
_SCALE_NOTE = re.compile(
    rf"(?:\b(?:in|en)|\(|\[|(?<!\d),)\s*(?P<unit>(?:[^\W\d_]{{0,3}}[$€£¥₹]|[A-Z]{{3}}|RM|Rs\.?)\s?)?"
    rf"(?P<scale>{_SCALE_WORDS}|(?(unit)[mk]|(?-i:[kKM]))(?=\s*[\])])|['’]?000s?)\b"
    rf"(?:\.?\s(?P<after>[^\W\d_]{{0,3}}[$€£¥₹]|[A-Z]{{3}}\b))?"
    rf"|(?<!\w)(?P<money>{_MONEY})\s?(?P<of_money>{_SCALE_WORDS}|[mk]|['’]?000s?)(?!\w)"
    rf"|(?:^|[(;:,])\s*(?P<start>{_SCALE_WORDS})\s+(?:of|de|d['’]|di|[^\W\d_]+\s*$)"
    rf"|(?<!\d)(?<!\d\s)[x×]\s?(?P<by>{_MONEY})?\s?(?P<times>1(?:[.,'’ ]?000){{1,3}})(?![.,]?\d)",
    re.IGNORECASE,
)
_UNIT_NOTE = re.compile(
    r"(?:(?<![^\W\d_])[(\[]|[(\[](?!(?:e?s|e?n|e)[)\]]))([^()\[\]]{1,30})[)\]]"
    r"|,\s*([^\s,]{1,8})\s*$|\bin\s+([^\s,:;]{1,12})"
)
_THOUSAND_CODES = {"T€": "EUR", "TEUR": "EUR", "k€": "EUR", "K€": "EUR", "kEUR": "EUR"}


def is_currency(unit: str | None) -> bool:
    """Return whether *unit* is a currency as this package writes it, such as `EUR`."""
    return unit is not None and (unit in CURRENCY_CODES or unit == "kr")


def unit_of(word: str) -> str | None:
    """Return the unit that *word* names (`metres` -> `m`, `€` -> `EUR`), or None."""
    known = CURRENCY_SYMBOLS.get(word) or (word if word in CURRENCY_CODES else UNITS.get(word))
    folded = word.lower()
    return known or CURRENCY_WORDS.get(folded) or (UNITS.get(folded) if len(folded) > 2 else None)


def currency_at(text: str, start: int) -> tuple[str, int] | None:
    """Return the currency that is named from *start* of *text*, and the end of its name.

    `500 Swiss francs a night`, 4 -> CHF, 16
    """
    match = _NAME.match(text, start)
    if match is None or fold_word(match.group().split()[0]) not in _FIRST_OF_NAMES:
        return None
    ends = [part.end() for part in WORD.finditer(text, start, match.end())]
    for end in reversed(ends[1:]):
        code = CURRENCY_NAMES.get(fold_words(text[start:end]))
        if code is not None:
            return code, end
    return None


@lru_cache(maxsize=4096)
def parse_unit(text: str) -> ScaledUnit:
    """Read a declared unit.

    `million USD` -> (10**6, "USD"); `metres` -> (1, "m"); a text that names no known unit stays
    as it is: `patients` -> (1, "patients").
    """
    if not text.strip():
        return ScaledUnit()
    if (known := unit_of(text.strip())) is not None:
        return ScaledUnit(1, known)
    if text.strip() in _THOUSAND_CODES:
        return ScaledUnit(1000, _THOUSAND_CODES[text.strip()])
    scale, unit = 1, None
    for word in _WORD.findall(text):
        scale *= SCALES.get(word.lower(), 1000 if word.startswith(("000", "'000")) else 1)
        unit = unit or unit_of(word.replace(" ", ""))
    named = (currency_at(text, word.start()) for word in WORD.finditer(text))
    currency = next((found[0] for found in named if found), None)
    combined = currency or combine(text) or ratio_of(text)
    return ScaledUnit(scale, combined or unit or (text.strip() if scale == 1 else None))


_OF_EACH = frozenset({"per", "pour", "por", "pro"})


def combine(text: str) -> str | None:
    """Read a unit of two words: `square metres` -> `m²`, `pro mille` -> `permille`."""
    words = text.lower().replace(".", " ").split()
    if len(words) < 2:
        return None
    first, last = words[0], unit_of(words[1]) or ""
    if first in _PREFIXED:
        return _PREFIXED[first].get(last)
    if words[1:] in (["per", "hour"], ["an", "hour"]):
        return HOURLY.get(unit_of(first) or "")
    if first not in _OF_EACH:
        return None
    return "percent" if words[1] == "ciento" else unit_of(f"per{words[1]}")


_RATIO = re.compile(r"\s*([^\W\d_]+[²³]?)\s*(?:/|\bper\b)\s*([^\W\d_]+[²³23]?)\s*")


def ratio_of(text: str) -> str | None:
    """Read one measure per another as a unit: `mg/L` and `mg per litre` -> `mg/l`; else None."""
    match = _RATIO.fullmatch(text)
    above, below = (unit_of(word) for word in match.groups()) if match else (None, None)
    return f"{above}/{below}" if above in SIZES and below in SIZES else None


# Said in the context of a cell whose row has a column for units.
UNIT_OF_ROW = "unit: "


def unit_of_row(context: str) -> ScaledUnit:
    """Return the unit that the row of a cell says, as it is where it is not known."""
    _, found, said = context.partition(UNIT_OF_ROW)
    said = said.partition(";")[0].strip()
    if not found:
        return ScaledUnit()
    return parse_unit(said) if _is_unit(said) else ScaledUnit(1, said)


def _is_unit(text: str) -> bool:
    """Whether *text* is a unit and nothing else: `in USD million`, not `at least a day`."""
    words = _WORD.findall(text)
    known = [unit_of(word) or SCALES.get(word.lower()) or word in _JOINING for word in words]
    is_known = (bool(words) and all(known)) or text.strip() in _THOUSAND_CODES
    return is_known or combine(text) is not None


def holds_units(texts: Iterable[str]) -> bool:
    """Whether a column of *texts* holds units: half of those that differ, not letters alone."""
    said = {text.strip() for text in texts} - {""}
    units = {text for text in said if unit_of(text) or ratio_of(text) or combine(text)}
    return 2 * len(units) >= len(said) and any(len(text) > 1 for text in units)


@lru_cache(maxsize=4096)
def read_context(context: str) -> ScaledUnit:
    """Read scale and unit from words around a value.

    `Revenue (in millions)` -> (10**6, None); `Price (USD)` -> (1, "USD"); `Length (m)` ->
    (1, "m"), see `as_money`.
    """
    note = _SCALE_NOTE.search(context)
    found = unit_of_row(context)
    for groups in _UNIT_NOTE.findall(context):
        text = next(filter(None, groups))
        if found.unit is None and _is_unit(text):
            found = parse_unit(text)
    if note is None:
        return found
    if note["times"]:
        scale = int("".join(filter(str.isdigit, note["times"])))
    else:
        word = (note["scale"] or note["of_money"] or note["start"]).lower().lstrip("'’")
        is_thousand = word.startswith(("000", "k"))
        scale = 1000 if is_thousand else SCALES.get(word, MONEY_SCALES.get(word, 1))
    written = (note["unit"] or note["money"] or note["after"] or note["by"] or "").strip()
    return ScaledUnit(scale, found.unit or unit_of(written))


def unit_ending(name: str) -> str | None:
    """Return the unit whose sign ends the name of a column: `weight_kg` -> kg, `fee_eur` -> EUR.

    No single letter, and no word of a language, which may be more than a unit: `sales_m`,
    `temperature_min`, `birth_year`; nor what the value is for each of: `price_per_kg`.
    """
    words = fold_words(name).split()
    is_rate = "/" in name or not _OF_EACH.isdisjoint(words[-2:-1])
    last = "" if is_rate or len(words) < 2 else words[-1]
    unit = unit_of(last) if len(last) > 1 else None
    is_sign = unit == last and SIZES.get(last, ("time", 0))[0] not in {"time", "period"}
    return unit if is_sign or (is_currency(unit) and unit == last.upper()) else None


def unit_of_name(name: str) -> str | None:
    """Return the unit that the name of a column says: `Length (m)`, `price in EUR`, `weight_kg`."""
    return read_context(name).unit or unit_ending(name)


@lru_cache(maxsize=64)
def units_in(text: str) -> frozenset[str]:
    """Return the units that words and signs of *text* may be, those of all dollars for `$`."""
    found = set[str | None]()
    for word in {match[0] for match in _WORD.finditer(text)}:
        found |= {unit_of(word), unit_of(word.replace(" ", ""))} | AMBIGUOUS_CURRENCIES.get(
            word, set()
        )
    for one, other in pairwise(WORD.finditer(text)):
        found.add((currency_at(text, one.start()) or [None])[0])
        if one[0].lower() in _PREFIXED or one[0].lower() in _OF_EACH:
            found.add(combine(f"{one[0]} {other[0]}"))
    return frozenset(unit for unit in found if unit is not None)


def as_money(around: ScaledUnit) -> ScaledUnit:
    """Return what the words around a sum of money mean: `(m)` is no metres there but millions."""
    return ScaledUnit(MONEY_SCALES["m"]) if around == ScaledUnit(1, "m") else around


def scale_of(word: str, *, attached: bool, money: bool) -> int | None:
    """Return the factor that *word* after a number means, or None.

    A single letter counts only when it is *attached* to the digits (`300K`); `m` for million only
    beside a currency.
    """
    factor = SCALES.get(word.lower()) if word not in {"mil", "MD"} or not attached else None
    if factor is None and (attached or money):
        factor = LETTER_SCALES.get(word)
    if factor is None and money:
        factor = MONEY_SCALES.get(word)
    return factor


def convert(value: float, unit: str, into: str) -> float | None:
    """Carry *value* from one unit into another; None when they do not measure the same thing.

    `convert(600, "m", "km")` -> 0.6; `convert(0.5, "mg/l", "µg/l")` -> 500
    """
    if unit == into:
        return value
    if unit not in SIZES or into not in SIZES:
        parts = [part for name in (unit, into) for part in name.split("/")]
        sizes = [SIZES.get(part, ("temperature", 0.0)) for part in parts]
        if len(parts) != 4 or "temperature" in dict(sizes):
            return None
        above, below = convert(value, parts[0], parts[2]), convert(1.0, parts[1], parts[3])
        return _tidy(above / below) if above is not None and below else None
    (dimension, size), (other, other_size) = SIZES[unit], SIZES[into]
    if dimension != other:
        return None
    if dimension == "temperature":
        celsius = value if unit == "°C" else (value - _FREEZING_F) * size
        return _tidy(celsius if into == "°C" else celsius / other_size + _FREEZING_F)
    return _tidy(value * size / other_size)


def _tidy(value: float) -> float:
    return float(f"{value:.12g}")


_RATE = re.compile(
    r"\s*(?:(?:/|(?:per|pro|je|par|por)\b)\s*(?P<per>[^\W\d_]+)|an?\s(?P<a>[^\W\d_]+)"
    r"|(?P<bare>[^\W\d_]+))"
)


def rate_of(behind: str, unit: str | None) -> str | None:
    """Return what the words *behind* a number say that it is for each of; None for no such words.

    ` per month`, `/month`, ` a month` -> `month`; ` per head` -> `head`; of what has a *unit*
    ` monthly` -> `month`, too, and of 3 ` nights` are no rate.
    """
    match = _RATE.match(behind)
    per, a, bare = match.group("per", "a", "bare") if match else (None, None, None)
    if per is not None and not is_currency(unit_of(per)):  # `€12 / $13`
        return period_of(per.lower()) or stem(fold_word(per))
    if bare == "each":
        return "one"
    if a is not None:
        return period_of(a.lower())
    return _PERIODS.get(bare.lower()) if bare and unit else None


def period_of(word: str) -> str | None:
    """Return the period that *word* means, in small letters: `annual` -> `year`."""
    unit = UNITS.get(word)
    is_time = SIZES.get(unit or "", ("", 0))[0] in {"time", "period"}
    return _PERIODS.get(word) or (unit if is_time else None)


_LETTERS = re.compile(r"[^\W\d_]{2,}")

_TIMES = {
    ("min", "s"): 60, ("h", "min"): 60, ("day", "h"): 24, ("week", "day"): 7, ("month", "day"): 30,
    ("year", "day"): 365, ("year", "week"): 52, ("year", "month"): 12,
}  # fmt: skip


def conversions_between(words: str | None) -> tuple[float, ...]:
    """Return by what a number per period, or of periods, may be multiplied.

    Only for periods that are both in *words*; for all where that is None.
    `rent per month, annual` -> 12 and 1/12
    """
    named = {period_of(word) for word in _LETTERS.findall((words or "").lower())}
    found = [float(n) for pair, n in _TIMES.items() if words is None or named.issuperset(pair)]
    return (*found, *(1 / factor for factor in found))
