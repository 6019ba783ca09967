"""Units in questions, compared with the units of attributes."""

from srag_mcp.text.words import fold_word

_ALIASES = {
    "usd": "$ us$ usd dollar dollars bucks buck", "eur": "€ eur euro euros",
    "gbp": "£ gbp quid sterling", "jpy": "¥ jpy yen", "inr": "₹ inr rupee rupees rs",
    "myr": "rm myr ringgit", "chf": "chf franc francs", "cad": "cad c$", "aud": "aud a$",
    "sgd": "sgd s$", "cny": "cny rmb yuan", "krw": "krw won ₩", "brl": "brl reais r$",
    "sek": "sek kronor krona", "percent": "% percent percentage pct",
    "km": "km kilometre kilometer kilometres kilometers kms", "m": "m metre meter metres meters",
    "cm": "cm centimetre centimeter centimetres centimeters",
    "mm": "mm millimetre millimeter millimetres millimeters", "mi": "mi mile miles",
    "ft": "ft foot feet", "in": "inch inches", "kg": "kg kilogram kilograms kilo kilos kgs",
    "g": "g gram grams", "lb": "lb lbs pound pounds", "t": "t tonne tonnes ton tons",
    "l": "l litre liter litres liters", "ml": "ml millilitre milliliter millilitres milliliters",
    "min": "min minute minutes mins", "s": "s sec second seconds secs",
    "h": "h hr hour hours hrs", "day": "day days", "week": "week weeks", "month": "month months",
    "year": "year years yrs yr", "celsius": "°c celsius degc degrees degree °",
    "fahrenheit": "°f fahrenheit", "kcal": "kcal calorie calories", "kw": "kw kilowatt kilowatts",
    "mw": "mw megawatt megawatts", "kwh": "kwh", "mhz": "mhz megahertz", "ghz": "ghz gigahertz",
    "gb": "gb gigabyte gigabytes", "mb": "mb megabyte megabytes", "tb": "tb terabyte terabytes",
    "w": "w watt watts", "v": "v volt volts", "km/h": "kmh km/h kph", "mph": "mph",
    "ha": "ha hectare hectares", "sqm": "m² sqm m2", "km2": "km² km2", "hp": "hp horsepower",
    "mah": "mah", "mg": "mg milligram milligrams", "ly": "ly", "point": "point points pts",
    "inch": "\"", "acre": "acre acres", "bar": "bar", "hpa": "hpa", "nok": "nok", "dkk": "dkk",
    "pln": "pln zloty", "czk": "czk", "zar": "zar rand", "mxn": "mxn peso pesos",
    "try": "try lira", "thb": "thb baht", "nm": "nm", "knots": "kn knot knots", "rpm": "rpm",
}  # fmt: skip
_UNITS = {alias: unit for unit, aliases in _ALIASES.items() for alias in aliases.split()}
CURRENCIES = frozenset(
    [
        "usd",
        "eur",
        "gbp",
        "jpy",
        "inr",
        "myr",
        "chf",
        "cad",
        "aud",
        "sgd",
        "cny",
        "krw",
        "brl",
        "sek",
        "nok",
        "dkk",
        "pln",
        "czk",
        "zar",
        "mxn",
        "try",
        "thb",
    ]
)
# Words that are units only beside a number.
SHORT = frozenset(
    {
        "m",
        "s",
        "h",
        "l",
        "g",
        "t",
        "v",
        "w",
        "in",
        "bar",
        "try",
        "point",
        "won",
        "sec",
        "second",
        "seconds",
    }
)


def unit_of(word: str) -> str | None:
    """Return the unit that a folded word or sign means, None when it means none."""
    return _UNITS.get(word)


def is_unit(unit: str | None) -> bool:
    """Whether *unit* is one of measures or money, and not a word for what is counted: `rooms`."""
    return unit in _ALIASES and unit != "point"


def canonical_unit(text: str | None) -> str | None:
    """Return a unit of an attribute in one spelling, such as `km` for `kilometres`."""
    if not text:
        return None
    folded = fold_word(text).strip()
    return _UNITS.get(folded, folded)


_FACTORS = {
    ("h", "min"): 60.0, ("min", "s"): 60.0, ("h", "s"): 3600.0, ("kg", "g"): 1000.0,
    ("t", "kg"): 1000.0, ("km", "m"): 1000.0, ("m", "cm"): 100.0, ("cm", "mm"): 10.0,
    ("m", "mm"): 1000.0, ("l", "ml"): 1000.0, ("g", "mg"): 1000.0, ("year", "month"): 12.0,
    ("week", "day"): 7.0, ("day", "h"): 24.0, ("mw", "kw"): 1000.0, ("kw", "w"): 1000.0,
    ("gb", "mb"): 1000.0, ("tb", "gb"): 1000.0, ("ft", "inch"): 12.0, ("km2", "ha"): 100.0,
}  # fmt: skip
# "pounds" are money or weight.
_DOUBTFUL = frozenset({"lb", "gbp"})


def same_unit(left: str | None, right: str | None) -> bool:
    """Whether two spellings mean one unit."""
    units = {canonical_unit(left), canonical_unit(right)}
    return len(units) == 1 or units == _DOUBTFUL


def unit_factor(asked: str | None, stored: str | None) -> float | None:
    """Return what a number in *asked* is multiplied by to be in *stored*, None when it cannot.

    `("h", "minutes") -> 60.0`, `("kg", "EUR") -> None`
    """
    if same_unit(asked, stored):
        return 1.0
    pair = canonical_unit(asked) or "", canonical_unit(stored) or ""
    if pair in _FACTORS:
        return _FACTORS[pair]
    back = _FACTORS.get((pair[1], pair[0]))
    return None if back is None else 1 / back
