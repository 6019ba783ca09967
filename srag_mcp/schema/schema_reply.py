"""What a language model replies when it predicts or refines a schema."""

from typing import ClassVar, Literal, TypeAlias

from srag_mcp.model.reply_content import ReplyContent, ReplyElement
from srag_mcp.schema.attribute import AbsentMeans, Scalar
from srag_mcp.values.types import ColumnType

Action: TypeAlias = Literal["add", "change", "remove"]


class AttributeReply(ReplyElement):
    """An attribute as a model defines it; `predicted_attribute` reads it."""

    blanks: ClassVar = {
        "name": "",
        "type": "string",
        "description": "",
        "unit": None,
        "categories": None,
        "absent_means": "unknown",
        "synonyms": (),
        "examples": (),
        "rationale": "",
    }

    name: str
    type: ColumnType
    description: str
    unit: str | None
    categories: list[str] | None
    absent_means: AbsentMeans
    synonyms: list[str]
    examples: list[Scalar]
    rationale: str


class SchemaReply(ReplyContent):
    """A first schema."""

    title: str
    entity: str
    nouns: list[str]
    attributes: list[AttributeReply]


class Change(ReplyElement):
    """One change of a schema; *definition* is None where an attribute is removed."""

    blanks: ClassVar = {"action": "change", "attribute": "", "definition": None, "rationale": ""}

    action: Action
    attribute: str
    definition: AttributeReply | None
    rationale: str


class RefinementReply(ReplyContent):
    """The changes of one round."""

    changes: list[Change]
