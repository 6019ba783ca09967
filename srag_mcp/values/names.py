"""Names and words of languages, as data: `names.json` by `tests/values/write_names.py`."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path

_NAMES = json.loads(Path(__file__).with_name("names.json").read_text(encoding="utf-8"))
WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))

MONTHS: Mapping[str, int] = _NAMES["months"]
# Folded: `swiss francs` -> CHF; names of one word are in `units.toml`.
CURRENCY_NAMES: Mapping[str, str] = _NAMES["currencies"]
COUNTRIES: frozenset[str] = frozenset(_NAMES["countries"])
LEGAL_FORMS: frozenset[str] = frozenset(WORDS["names"]["legal_forms"].split())
ARTICLES: frozenset[str] = frozenset(WORDS["names"]["articles"].split())
# `limited` -> `ltd`
SHORT_LEGAL_FORMS: Mapping[str, str] = dict(
    pair.split() for pair in WORDS["names"]["short_forms"].split(",")
)

# ISO numbers, 1 for Monday.
WEEKDAYS: Mapping[str, tuple[int, ...]] = {
    **{name: (number,) for name, number in _NAMES["weekdays"].items()},
    **dict.fromkeys(("weekend", "weekends", "wochenende", "wochenenden"), (6, 7)),
    **dict.fromkeys(("workday", "workdays", "werktag", "werktags", "werktage"), (1, 2, 3, 4, 5)),
}

# Names of months that are no other words and are long enough to stand alone.
_OTHER_WORDS = frozenset({"march", "mars", "mayo", "avril", "marco"})
PLAIN_MONTHS: frozenset[str] = frozenset(
    name for name in MONTHS if len(name) > 3 and name not in _OTHER_WORDS
)

ORDINAL_DAYS: Mapping[str, int] = {
    name: number for number, name in enumerate(WORDS["numbers"]["ordinals"].split(), start=1)
}
# Words for the number of a part: `the third quarter`; the last one is 0.
ORDINAL_PARTS: Mapping[str, int] = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "last": 0, "final": 0,
    **{f"{word}{end}": number for number, word in enumerate(
        ("letzte", "erste", "zweite", "dritte", "vierte")) for end in ("", "n", "s", "r", "m")},
}  # fmt: skip

# Words that deny, for regular expressions: a thing; what is said, too; and all there are.
_DENIALS = ["|".join(words.split()) for words in WORDS["denials"].values()]
NONE_OF, NOT_SO, DENIALS = ("|".join(_DENIALS[:n]) for n in (1, 2, 3))
