"""Write `names.json` and `number_names.json` in `srag_mcp/values/`: months, countries, numbers ….

Run by hand where a language or a currency is added; Babel has the names of Unicode's CLDR, and
num2words those of numbers. Neither is a dependency of the product:

    pip install babel num2words && python -m tests.values.write_names
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from babel import Locale
from num2words import num2words

from srag_mcp.text.words import fold_word, fold_words
from srag_mcp.values.units import CURRENCY_CODES

TARGET = Path(__file__).parents[2] / "srag_mcp" / "values" / "names.json"
LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt")
# Weekdays and bare months are looked for in questions, which are read in these two.
ASKED_IN = ("en", "de")
# Written in documents, and not in CLDR.
MORE_MONTHS = {1: "jänner", 2: "fév", 3: "maerz mrz", 9: "sept"}
NO_MONTHS = {"out", "set", "ago"}  # abbreviations that are English words
# As they are spoken in Belgium, too; without what only parts them; of another gender or stressed.
COUNTED_IN = ("de", "fr", "fr_BE", "es", "it", "nl", "pt", "pt_BR")
SPOKEN = (
    ("einhundert", "hundert"), (r"eins$", "eine"), (r"^eins$", "ein"), (r"^eins$", "einen"),
    (r"^eins$", "einem"), (r"^eins$", "einer"), (r"\bun$", "une"), (r"uno$", "una"),
    (r"\buno$", "un"), (r"tiuno$", "tiún"), ("cientos", "cientas"), ("é", "e"),
    (r"\bum$", "uma"), (r"\bdois$", "duas"), ("entos", "entas"),
)  # fmt: skip
NO_NUMBERS = {"cent", "quince", "seize"}  # and English words
LAST_NUMBER = 999
MORE_COUNTRIES = (
    "england|scotland|wales|northern ireland|great britain|uk|usa|us|uae|the netherlands|holland"
    "|korea|czech republic|ivory coast|turkey|turkiye|united states of america|burma"
    "|north macedonia|bosnia and herzegovina"
)


def months() -> dict[str, int]:
    """Return the number of each name and abbreviation of a month."""
    found: dict[str, int] = {}
    for language in LANGUAGES:
        for context in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                names = Locale(language).months[context][width]
                found |= {name.lower().rstrip("."): number for number, name in names.items()}
    found |= {name: number for number, names in MORE_MONTHS.items() for name in names.split()}
    found |= {fold_word(name): number for name, number in found.items()}
    return {name: found[name] for name in sorted(found) if name not in NO_MONTHS}


def weekdays() -> dict[str, int]:
    """Return the ISO number of each weekday, and of its plural."""
    found: dict[str, int] = {}
    for language in ASKED_IN:
        names = Locale(language).days["format"]["wide"]
        for number, name in names.items():
            found |= {name.lower(): number + 1, f"{name.lower()}s": number + 1}
    return found


def countries() -> list[str]:
    """Return the names of countries, folded."""
    found = set(MORE_COUNTRIES.split("|"))
    for language in LANGUAGES:
        for code, name in Locale(language).territories.items():
            if re.fullmatch(r"[A-Z]{2}", code) and code not in {"EU", "EZ", "UN", "XA", "XB", "ZZ"}:
                found.add(fold_words(re.sub(r"\(.*?\)|,.*", "", name)))
    return sorted(name for name in found if len(name) > 3 or name in MORE_COUNTRIES.split("|"))


def currencies() -> dict[str, str]:
    """Return what each name of a currency means, where it means one only."""
    found: dict[str, str] = {}
    twice = set()
    for code in sorted(CURRENCY_CODES):
        for name in _names(code):
            if found.setdefault(name, code) != code:
                twice.add(name)
    return {name: code for name, code in found.items() if name not in twice and " " in name}


def _names(code: str) -> Iterator[str]:
    for language in LANGUAGES:
        locale = Locale(language)
        plurals = locale._data["currency_names_plural"].get(code, {})
        names = [locale.currencies.get(code, ""), *plurals.values()]
        yield from (fold_words(name) for name in names if name)


def numbers() -> list[str]:
    """Return the words for each number from 1 on, those of one number joined by bars."""
    found: list[set[str]] = []
    for number in range(1, LAST_NUMBER + 1):
        names = {num2words(number, lang=language) for language in COUNTED_IN}
        for written, spoken in SPOKEN:
            names |= {re.sub(written, spoken, name) for name in names}
        plain = {name.replace("-", " ") for name in names}
        found.append({*plain, *map(fold_words, plain)} - NO_NUMBERS)
    times = Counter(name for names in found for name in names)
    return ["|".join(sorted(name for name in names if times[name] == 1)) for names in found]


if __name__ == "__main__":
    known = {
        "months": months(),
        "weekdays": weekdays(),
        "countries": countries(),
        "currencies": currencies(),
    }
    for path, said in ((TARGET, known), (TARGET.with_name("number_names.json"), numbers())):
        path.write_text(json.dumps(said, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
