"""States: what words say of an attribute: a value, that there is none, yes, no, or nothing."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from srag_mcp.text.words import fold
from srag_mcp.values.types import ColumnType, Value


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


@dataclass(frozen=True, slots=True)
class Column:
    """What is known of a column before its cells are read.

    Attributes:
        type: Of its values.
        name: What it denies itself (`no_smoking`) is true where it is said.
        unit: Its numbers are wanted in this one, perhaps with a scale: `million USD`.
        categories: The closed set of its values.
        absent_means: What silence means: `unknown`, `false` or `zero`.
    """

    type: ColumnType
    name: str = ""
    unit: str | None = None
    categories: tuple[str, ...] | None = None
    absent_means: str = "unknown"


@dataclass(frozen=True, slots=True)
class Words:
    """What one document says: *text*, and the *context* that changes its reading: a header."""

    text: str
    context: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read: *value* is None unless the state is STATED, or absence is a value here.

    *note* says why it failed, or what was changed or assumed.
    """

    state: State
    value: Value | None = None
    unit: str | None = None
    note: str = ""


Reader: TypeAlias = Callable[[Words], Reading]


def failed(reason: str) -> Reading:
    """Return the reading of words that could not be read."""
    return Reading(State.FAILED, note=reason)


_TRUE_WORDS = (
    "yes|y|true|t|ja|oui|si|sí|sì|sim|included|available|present|provided|offered|allowed"
    "|permitted|accepted|free|complimentary|inklusive|inklusiv|vorhanden|verfügbar|enthalten"
    "|yep|yeah|enabled|inclus|compris|disponible|incluido|incluso|disponibile|inclusief|disponível|on|1|x"
)
_FALSE_WORDS = (
    "no|n|nope|never|disabled|false|f|nein|non|nee|não|nao|none|nil|not included|not available"
    "|unavailable"
    "|excluded|absent|not provided|not offered|not allowed|not permitted|not accepted"
    "|nicht inklusive|nicht enthalten|nicht vorhanden|nicht verfügbar|keine|kein|keiner"
    "|non inclus|non compris|indisponible|no incluido|no disponible|non incluso|nessuno"
    "|non disponibile|ninguno|aucun|aucune|nenhum|geen|não incluído|niet inbegrepen|off|0"
)
_TRUE = frozenset(fold(word) for word in _TRUE_WORDS.split("|"))
_FALSE = frozenset(fold(word) for word in _FALSE_WORDS.split("|"))
_TRUE_SIGNS = frozenset("✓✔☑✅🗹●")
_FALSE_SIGNS = frozenset("✗✘✕✖☒❌×☐○")
_DENIED = re.compile(
    r"^(?:(?:sorry|there|is|are|has|have|we|the|it|il|y|es|gibt|hay|no longer) ){0,3}"
    r"(?:no|not|without|never|neither|lacks|kein\w*|nicht|ohne|sans|pas|sin|senza|geen|zonder|sem)\b"
    r"|\b(?:not|nicht|non|no|niet|não) (?:\w+ )?(?:available|included|provided|offered|allowed"
    r"|permitted|accepted|possible|inklusive|enthalten|vorhanden|verfügbar|erlaubt|möglich"
    r"|disponible|disponibile|inclus|incluso|incluido|autorisé|inbegrepen|incluído)\b"
    r"|\bunavailable\b| (?:no|none|nein|non)$"
)
_OPEN = re.compile(
    r"(?:maybe|perhaps|possibly|unclear|unsure|not sure|uncertain|to be \w+ed|not yet \w+ed)\b.*"
    r"|pending|(?:yes|y) ?(?:and|or)? ?(?:no|n)|no (?:info(?:rmation)?|details|data|answer)"
)
_UNTICKED = frozenset({"[ ]", "[]", "( )"})
_DENYING_NAME = re.compile(r"(?:no|non|not|without)_")


def read_boolean(text: str) -> bool | None:
    """Read a cell that says yes or no and nothing else; None for any other text.

    `Yes` -> True, `not included` -> False, `✗` -> False, `Pool` -> None
    """
    stripped = text.strip()
    if stripped[:1] in _TRUE_SIGNS | _FALSE_SIGNS and stripped:
        return stripped[0] in _TRUE_SIGNS
    if stripped in _UNTICKED:
        return False
    folded = fold(stripped)
    if folded in _TRUE:
        return True
    return False if folded in _FALSE else None


def read_statement(text: str, name: str = "") -> bool | None:
    """Read words that name a thing as true, unless they deny it; None if they leave it open.

    *name* is the attribute's: what it denies itself is true ("No smoking" for `no_smoking`).
    `Outdoor pool` -> True, `No pool` -> False, `Parking: not available` -> False, `yes/no` -> None
    """
    plain = read_boolean(text)
    if plain is not None:
        return plain
    folded = fold(text)
    if _OPEN.fullmatch(folded) or not any(map(str.isalpha, folded)):
        return None
    return _DENIED.search(folded) is None or _DENYING_NAME.match(name) is not None
