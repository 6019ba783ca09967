"""States: what a document says of an attribute, and the words that say there is no value."""

import re
from enum import StrEnum


class State(StrEnum):
    """What a document says of an attribute.

    `STATED` has a value. `STATED_ABSENT`: the document says that there is none ("no pool").
    `NOT_MENTIONED`: it says nothing (the value is what `absent_means` says, else NULL; NULL, too,
    where the document was read in part).
    `FAILED`: it says something that could not be read; `Cell.note` has the reason.
    """

    STATED = "stated"
    STATED_ABSENT = "stated_absent"
    NOT_MENTIONED = "not_mentioned"
    FAILED = "failed"


_ABSENT = frozenset(("none", "nil", "-", "—", "–", "--", "---", "keine", "aucun", "ninguno"))
_UNKNOWN_WORDS = (
    "n/a|n.a.|n/a.|na|n/d|n.d.|unknown|not stated|not specified|not given|not known|not reported"
    "|not disclosed|undisclosed|tbd|tba|tbc|t.b.d.|to be announced|to be determined"
    "|to be confirmed|?|??|???|...|…|null|nan|unbekannt|k.a.|k. a.|keine angabe|inconnu|nc|n.c."
    "|desconocido|s/d|sconosciuto|onbekend|desconhecido|not available|not applicable|no data"
    "|missing|blank"
)
_UNKNOWN = frozenset(_UNKNOWN_WORDS.split("|"))


_DENIAL = re.compile(
    r"(?:no|none|nil|nothing|without|kein\w*|ohne|sans|aucune?|sin|senza|geen|nenhum)\b",
    re.IGNORECASE,
)


def denies(text: str) -> bool:
    """Return whether words that hold no value begin by denying one: `none, but flexible`."""
    return _DENIAL.match(text.strip()) is not None


def read_missing(text: str) -> State | None:
    """Return what a placeholder says, or None when *text* is no placeholder.

    `none` -> STATED_ABSENT, `n/a` -> NOT_MENTIONED, `3` -> None
    """
    if len(text) > 24:
        return None
    folded = text.strip().strip("()[]").lower()
    if folded in _ABSENT:
        return State.STATED_ABSENT
    if folded in _UNKNOWN or (folded and set(folded) <= set("_ ")):
        return State.NOT_MENTIONED
    return None
