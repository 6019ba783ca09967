"""Names of months, weekdays, countries, currencies and legal forms, as data.

`names.json` is written by `tests/values/write_names.py`.
"""

import json
from collections.abc import Mapping
from pathlib import Path

_NAMES = json.loads(Path(__file__).with_name("names.json").read_text(encoding="utf-8"))

MONTHS: Mapping[str, int] = _NAMES["months"]
# Folded: `swiss francs` -> CHF; names of one word are in `units.toml`.
CURRENCY_NAMES: Mapping[str, str] = _NAMES["currencies"]
COUNTRIES: frozenset[str] = frozenset(_NAMES["countries"])

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

_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
    " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first"
    " twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh"
    " twenty-eighth twenty-ninth thirtieth thirty-first"
)
ORDINAL_DAYS: Mapping[str, int] = {
    name: number for number, name in enumerate(_ORDINALS.split(), start=1)
}

# Words for the number of a part: `the third quarter`; the last one is 0.
ORDINAL_PARTS: Mapping[str, int] = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "last": 0, "final": 0,
    **{f"{word}{end}": number for number, word in enumerate(
        ("letzte", "erste", "zweite", "dritte", "vierte")) for end in ("", "n", "s", "r", "m")},
}  # fmt: skip

# How names of companies end the world over, folded.
_LEGAL_FORMS = """
    ab ag aktiengesellschaft aps as asa ay bhd berhad bhp bt bv bvba ca co company coop corp
    corporation cpt cv cvba da dac doo dd ead ec ee eood eg eirl epe ev eu eurl gbr gie gk gmbh
    gp hb hf ehf inc incorporated jsc kb kd kf kft kg kgaa kk ky lda limitada limited llc llp lp
    ltd ltda mbh nl nv nyrt oao od ohg ood ooo oue ou oy oyj pao partg pc plc pllc proprietary
    pt pte pty pvt qk qsc rt sa sab sac saci sae sal saog sapa sapi sarl sas sasu sca scs se sia
    sicav sl slu snc soc societa sp spa spol spk spzoo srl sro tbk tov ug uab ulc unlimited vof
    wll yk zao zrt
"""

LEGAL_FORMS = frozenset(_LEGAL_FORMS.split())
