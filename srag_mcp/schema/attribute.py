"""An attribute: one column of the record table, its name, and how documents write it."""

import re
import unicodedata
from collections.abc import Collection
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from srag_mcp.schema.extractors import Extractor
from srag_mcp.values.types import ColumnType

AbsentMeans: TypeAlias = Literal["unknown", "false", "zero"]
Scalar: TypeAlias = str | int | float | bool

NAME_PATTERN = r"^[a-z][a-z0-9_]{0,62}$"
RESERVED_NAMES = frozenset({"document_id"})


class Attribute(BaseModel):
    """One attribute of the entity.

    Attributes:
        name: snake_case, unique in the schema; the column name.
        type: Primitive only (S-RAG 3.2.1, footnote 3).
        description: What it is and how it is written: unit, capitalisation, format.
        unit: Such as `USD`, `km`, `percent`; None for a plain number or text.
        examples: Values as they are stored.
        categories: The closed set of values; None where the set is open.
        absent_means: What a document that does not mention it says: `unknown`, `false` (a facility
            that is not listed) or `zero`.
        synonyms: Other words for it, as documents and people say them.
        extractors: Offline rules, tried in order.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=NAME_PATTERN)
    type: ColumnType
    description: str = ""
    unit: str | None = None
    examples: tuple[Scalar, ...] = ()
    categories: tuple[str, ...] | None = None
    absent_means: AbsentMeans = "unknown"
    synonyms: tuple[str, ...] = ()
    extractors: tuple[Extractor, ...] = ()


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
