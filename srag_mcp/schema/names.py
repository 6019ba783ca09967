"""Names: words of any spelling as unique names of columns."""

import re
import unicodedata
from collections.abc import Collection

from srag_mcp.schema.schema import RESERVED_NAMES

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_OTHER = re.compile(r"[^a-z0-9]+")
_LONGEST = 60
_LETTERS = str.maketrans(
    {"ß": "ss", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "Ae", "œ": "oe", "ł": "l", "Ł": "L", "ı": "i"}
)
_SIGNS = str.maketrans({"€": " eur ", "%": " percent ", "£": " gbp ", "$": " usd "})


def snake_case(text: str) -> str:
    """Return *text* as a column name; empty where it has no Latin letter.

    `Group By` -> `group_by`; `hotelName` -> `hotel_name`; `Größe (m²)` -> `grosse_m2`; `名前` -> ``
    """
    plain = unicodedata.normalize("NFKD", text.translate(_LETTERS).translate(_SIGNS))
    ascii_only = plain.encode("ascii", "ignore").decode("ascii")
    name = _OTHER.sub("_", _HUMP.sub("_", ascii_only).lower()).strip("_")
    if not any(character.isalpha() for character in name):
        return ""
    return (name if name[0].isalpha() else f"n_{name}")[:_LONGEST].rstrip("_")


def unique_name(text: str, taken: Collection[str], fallback: str) -> str:
    """Return the `snake_case` of *text* or *fallback*, numbered where it is taken or reserved."""
    name = snake_case(text) or fallback
    candidate, number = name, 2
    while candidate in taken or candidate in RESERVED_NAMES:
        candidate, number = f"{name}_{number}", number + 1
    return candidate
