"""Names of months and weekdays, and ordinal numbers, in several languages, as data."""

_NAMES = (
    "january jan january januar jänner janvier janv enero ene gennaio gen januari janeiro",
    "february feb februar février févr fév fevrier febrero febbraio februari fevereiro fev",
    "march mar märz mrz maerz mars marzo maart mrt março marco",
    "april apr avril avr abril abr aprile",
    "may mai mayo maggio mag mei maio",
    "june jun juni juin junio giugno giu junho",
    "july jul juli juillet juil julio luglio lug julho",
    "august aug août aout agosto augustus",
    "september sep sept septembre septiembre settembre setembro",
    "october oct oktober okt octobre octubre ottobre ott outubro",
    "november nov novembre noviembre novembro",
    "december dec dezember dez décembre déc decembre diciembre dic dicembre dezembro",
)

MONTHS: dict[str, int] = {
    name: number for number, names in enumerate(_NAMES, start=1) for name in names.split()
}

_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
    " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first"
    " twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh"
    " twenty-eighth twenty-ninth thirtieth thirty-first"
)

DAYS: dict[str, int] = {name: number for number, name in enumerate(_ORDINALS.split(), start=1)}

# Words for the number of a part: `the third quarter`; the last one is 0.
TIMES: dict[str, int] = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "last": 0, "final": 0,
    **{f"{word}{end}": number for number, word in enumerate(
        ("letzte", "erste", "zweite", "dritte", "vierte")) for end in ("", "n", "s", "r", "m")},
}  # fmt: skip

_WEEKDAYS = (
    "monday mondays montag montags montage",
    "tuesday tuesdays dienstag dienstags dienstage",
    "wednesday wednesdays mittwoch mittwochs mittwoche",
    "thursday thursdays donnerstag donnerstags donnerstage",
    "friday fridays freitag freitags freitage",
    "saturday saturdays samstag samstags samstage sonnabend",
    "sunday sundays sonntag sonntags sonntage",
)
WEEKDAYS: dict[str, tuple[int, ...]] = {
    **{name: (day,) for day, names in enumerate(_WEEKDAYS, start=1) for name in names.split()},
    **dict.fromkeys(("weekend", "weekends", "wochenende", "wochenenden"), (6, 7)),
    **dict.fromkeys(("workday", "workdays", "werktag", "werktags", "werktage"), (1, 2, 3, 4, 5)),
}

# Names of months that are no other words and are long enough to stand alone.
_OTHER_WORDS = frozenset({"march", "mars", "mayo", "avril"})
PLAIN_MONTHS: frozenset[str] = frozenset(
    name for name in MONTHS if len(name) > 3 and name not in _OTHER_WORDS
)
