"""Words for units, currencies and scales, as data: language knowledge, no rules."""

_SIZES: dict[str, dict[str, float]] = {
    "length": {
        "mm": 1e-3, "cm": 1e-2, "m": 1.0, "km": 1e3, "inch": 0.0254, "ft": 0.3048, "yd": 0.9144,
        "mi": 1609.344, "nmi": 1852.0,
    },
    "mass": {"mg": 1e-6, "g": 1e-3, "kg": 1.0, "t": 1e3, "lb": 0.45359237, "oz": 0.028349523125},
    "area": {
        "cm²": 1e-4, "m²": 1.0, "km²": 1e6, "ha": 1e4, "acre": 4046.8564224, "ft²": 0.09290304,
        "mi²": 2589988.110336,
    },
    "volume": {"ml": 1e-3, "cl": 1e-2, "dl": 0.1, "l": 1.0, "m³": 1e3, "gal": 3.785411784},
    "time": {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "day": 86400.0, "week": 604800.0},
    "period": {"month": 1.0, "year": 12.0},
    "speed": {"m/s": 1.0, "km/h": 1 / 3.6, "mph": 0.44704, "knot": 0.514444},
    "data": {"KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12},
    "energy": {"kJ": 1.0, "kcal": 4.184, "kWh": 3600.0, "MWh": 3.6e6},
    "power": {"W": 1.0, "kW": 1e3, "MW": 1e6, "GW": 1e9, "hp": 745.6998715822702},
    "temperature": {"°C": 1.0, "°F": 5 / 9},
}  # fmt: skip

SIZES: dict[str, tuple[str, float]] = {
    unit: (dimension, size) for dimension, units in _SIZES.items() for unit, size in units.items()
}

_UNIT_WORDS: dict[str, str] = {
    "mm": "mm millimetre millimetres millimeter millimeters",
    "cm": "cm centimetre centimetres centimeter centimeters zentimeter",
    "m": "m metre metres meter meters mètre mètres metro metros metri",
    "km": "km kms kilometre kilometres kilometer kilometers kilomètres kilómetros chilometri",
    "inch": "inch inches",
    "ft": "ft foot feet",
    "yd": "yd yard yards",
    "mi": "mi mile miles",
    "nmi": "nmi",
    "mg": "mg milligram milligrams",
    "g": "g gr gram grams gramme grammes gramm gramos",
    "kg": "kg kgs kilo kilos kilogram kilograms kilogramme kilogramm",
    "t": "t tonne tonnes tonnen tons",
    "lb": "lb lbs pound pounds",
    "oz": "oz ounce ounces",
    "cm²": "cm² cm2",
    "m²": "m² m2 sqm qm",
    "km²": "km² km2",
    "ha": "ha hectare hectares hektar",
    "acre": "acre acres",
    "ft²": "ft² ft2 sqft",
    "mi²": "mi² mi2",
    "ml": "ml millilitre millilitres milliliter milliliters",
    "cl": "cl",
    "dl": "dl",
    "l": "l litre litres liter liters litros",
    "m³": "m³ m3",
    "gal": "gal gallon gallons",
    "ms": "ms millisecond milliseconds",
    "s": "s sec secs second seconds sekunden secondes segundos",
    "min": "min mins minute minutes minuten minutos minuti",
    "h": "h hr hrs hour hours std stunde stunden heure heures hora horas",
    "day": "day days tag tage tagen jour jours día días dia dias giorni dagen",
    "week": "week weeks woche wochen semaine semaines semana semanas",
    "month": "month months monat monate mois mes meses mesi",
    "year": "year years yr yrs jahr jahre jahren ans année années año años anni anos jaar",
    "m/s": "m/s",
    "km/h": "km/h kmh kph kmph",
    "mph": "mph",
    "knot": "kn knot knots",
    "KB": "kB KB",
    "MB": "MB",
    "GB": "GB",
    "TB": "TB",
    "kJ": "kJ",
    "kcal": "kcal calories cal",
    "kWh": "kWh",
    "MWh": "MWh",
    "W": "W watt watts",
    "kW": "kW",
    "MW": "MW",
    "GW": "GW",
    "hp": "hp bhp PS horsepower",
    "°C": "°C ℃ celsius",
    "°F": "°F ℉ fahrenheit",
    "°": "° degrees",
    "percent": "% percent pct prozent procent porcento percento pourcent ％",
    "permille": "‰",
}

UNITS: dict[str, str] = {
    word: unit for unit, words in _UNIT_WORDS.items() for word in words.split()
}

SQUARES: dict[str, str] = {
    "m": "m²", "km": "km²", "cm": "cm²", "ft": "ft²", "mi": "mi²",
}  # fmt: skip
CUBES: dict[str, str] = {"m": "m³"}
HOURLY: dict[str, str] = {"km": "km/h", "mi": "mph"}

CURRENCY_SYMBOLS: dict[str, str] = {
    "$": "USD", "US$": "USD", "A$": "AUD", "AU$": "AUD", "C$": "CAD", "CA$": "CAD", "HK$": "HKD",
    "S$": "SGD", "NZ$": "NZD", "R$": "BRL", "MX$": "MXN", "NT$": "TWD", "€": "EUR", "£": "GBP",
    "¥": "JPY", "￥": "JPY", "₹": "INR", "₩": "KRW", "₽": "RUB", "₺": "TRY", "₫": "VND",
    "₪": "ILS", "₦": "NGN", "₱": "PHP", "฿": "THB", "₴": "UAH", "₸": "KZT", "₡": "CRC",
    "₲": "PYG", "Kč": "CZK", "zł": "PLN", "RM": "MYR", "Rs": "INR", "Rs.": "INR", "Rp": "IDR",
    "Rp.": "IDR", "Fr.": "CHF", "SFr.": "CHF", "Kr": "kr", "kr": "kr", "kr.": "kr",
}  # fmt: skip

_CODES = (
    "USD EUR GBP JPY CHF CAD AUD NZD CNY HKD SGD INR MYR IDR THB PHP VND KRW TWD BRL MXN ARS CLP"
    " COP PEN ZAR NGN KES EGP MAD TND AED SAR QAR KWD ILS TRY RUB UAH PLN CZK HUF RON BGN SEK NOK"
    " DKK ISK HRK RSD PKR BDT LKR NPR KZT GEL"
)
CURRENCY_CODES: frozenset[str] = frozenset(_CODES.split())

CURRENCY_WORDS: dict[str, str] = {
    "euro": "EUR", "euros": "EUR", "dollar": "USD", "dollars": "USD", "rupee": "INR",
    "rupees": "INR", "yen": "JPY", "yuan": "CNY", "rmb": "CNY", "ringgit": "MYR", "baht": "THB",
    "zloty": "PLN", "rand": "ZAR", "lira": "TRY", "rubles": "RUB", "roubles": "RUB",
    "円": "JPY", "日元": "JPY", "元": "CNY", "원": "KRW",
    "usd": "USD", "eur": "EUR", "gbp": "GBP", "sterling": "GBP",
}  # fmt: skip

_CROWNS = frozenset({"SEK", "NOK", "DKK", "ISK", "kr"})
_RUPEES = frozenset({"INR", "PKR", "LKR", "NPR"})

# Which currencies a sign may stand for: the others of its column decide. The dollar sign also
# stands for local money that is no dollar.
AMBIGUOUS_CURRENCIES: dict[str, frozenset[str]] = {
    **dict.fromkeys(("$", "dollar", "dollars"), CURRENCY_CODES),
    **dict.fromkeys(("kr", "Kr", "kr."), _CROWNS),
    **dict.fromkeys(("Rs", "Rs.", "rupee", "rupees"), _RUPEES),
    **dict.fromkeys(("¥", "￥"), frozenset({"JPY", "CNY"})),
    **dict.fromkeys(("pound", "pounds"), frozenset({"GBP", "EGP", "lb"})),
}

SCALES: dict[str, int] = {
    "hundred": 100,
    "thousand": 10**3, "thousands": 10**3, "tausend": 10**3, "tsd": 10**3, "mille": 10**3,
    "milliers": 10**3, "migliaia": 10**3,
    "mil": 10**3, "mila": 10**3, "duizend": 10**3,
    "lakh": 10**5, "lakhs": 10**5, "lac": 10**5, "lacs": 10**5,
    "million": 10**6, "millions": 10**6, "mio": 10**6, "mn": 10**6, "mln": 10**6,
    "millionen": 10**6, "millones": 10**6, "millón": 10**6, "milioni": 10**6, "milione": 10**6,
    "miljoen": 10**6, "milhões": 10**6, "milhão": 10**6,
    "crore": 10**7, "crores": 10**7, "cr": 10**7,
    "billion": 10**9, "billions": 10**9, "bn": 10**9, "bln": 10**9, "mrd": 10**9, "md": 10**9,
    "milliarde": 10**9, "milliarden": 10**9, "milliard": 10**9, "milliards": 10**9,
    "miliardi": 10**9, "miljard": 10**9,
    "trillion": 10**12, "trillions": 10**12, "tn": 10**12, "trn": 10**12,
    "dozen": 12, "dozens": 12,
    "千": 10**3, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8,
}  # fmt: skip

# One letter, written against the digits; "m" and "mm" only beside a currency (else metres).
LETTER_SCALES: dict[str, int] = {"k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}
MONEY_SCALES: dict[str, int] = {"m": 10**6, "mm": 10**6, "b": 10**9, "MM": 10**6, "t": 10**12}
