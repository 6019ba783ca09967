"""Yes and no, in several languages and signs."""

import re

from srag_mcp.text.words import fold

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
