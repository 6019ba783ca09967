"""An attribute: one column of the record table, and how documents write it."""

from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from srag_mcp.schema.extractors import Extractor
from srag_mcp.values.types import ColumnType

AbsentMeans: TypeAlias = Literal["unknown", "false", "zero"]
Scalar: TypeAlias = str | int | float | bool

NAME_PATTERN = r"^[a-z][a-z0-9_]{0,62}$"


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
