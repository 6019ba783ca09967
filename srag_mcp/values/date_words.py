"""Names of months and ordinal days in several languages, as data."""

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
