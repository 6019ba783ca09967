"""Refinement of a schema: the changes of one round, checked and applied."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from srag_mcp.model.reply_content import describe_misfits
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.names import snake_case, unique_name
from srag_mcp.schema.predicted_attribute import find_problems, is_usable, read_attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.schema.schema_reply import AttributeReply, Change, RefinementReply

MAX_ATTRIBUTES = 120
Deed: TypeAlias = Literal["add", "change", "remove", "refuse"]


@dataclass(frozen=True, slots=True)
class Decision:
    """Why an attribute is as it is: what was done to it, in which round (from 1), and why.

    What a model wanted and code refused, such as long texts, is a decision too.
    """

    round: int
    action: Deed
    attribute: str
    rationale: str


def check_refinement(schema: Schema, reply: RefinementReply) -> list[str]:
    """Say what is wrong with the changes, for the model that wrote them."""
    return [problem for change in reply.changes for problem in _change_problems(schema, change)]


def refine(
    schema: Schema, reply: RefinementReply, number: int
) -> tuple[Schema, tuple[Decision, ...]]:
    """Apply the changes of round *number* that can be applied; return the decisions made.

    An attribute that is added under a name in use replaces the present one. A change of an unknown
    attribute adds it.
    """
    attributes = {attribute.name: attribute for attribute in schema.attributes}
    decisions: list[Decision] = []
    for change in reply.changes:
        decision = _apply(change, attributes, number)
        if decision is not None:
            decisions.append(decision)
    refined = schema.model_copy(update={"attributes": tuple(attributes.values())})
    return refined, tuple(decisions)


def read_attributes(
    replies: Sequence[AttributeReply], number: int
) -> tuple[tuple[Attribute, ...], tuple[Decision, ...]]:
    """Read the attributes of a first schema; those that cannot be columns are left out."""
    attributes: dict[str, Attribute] = {}
    decisions: list[Decision] = []
    for reply in replies:
        change = Change(
            action="add", attribute=reply.name, definition=reply, rationale=reply.rationale
        )
        decision = _apply(change, attributes, number)
        if decision is not None:
            decisions.append(decision)
    return tuple(attributes.values()), tuple(decisions)


def _apply(change: Change, attributes: dict[str, Attribute], number: int) -> Decision | None:
    present = snake_case(change.attribute)
    definition = change.definition
    if change.action == "remove" or definition is None:
        if change.action != "remove" or attributes.pop(present, None) is None:
            return None
        return Decision(number, "remove", present, change.rationale)
    refusal = _refusal(definition, present, attributes)
    if refusal:
        return Decision(number, "refuse", definition.name, refusal)
    name = snake_case(definition.name)
    action: Deed = "change" if present in attributes or name in attributes else "add"
    _put(attributes, present, definition)
    return Decision(number, action, name, change.rationale or definition.rationale)


def _refusal(definition: AttributeReply, present: str, attributes: Mapping[str, Attribute]) -> str:
    """Say why no column is made of *definition*; empty where one is."""
    if not is_usable(definition):
        return "; ".join(find_problems(definition))
    if present not in attributes and len(attributes) >= MAX_ATTRIBUTES:
        return f"there are {MAX_ATTRIBUTES} attributes already"
    return ""


def _put(attributes: dict[str, Attribute], present: str, definition: AttributeReply) -> None:
    """Put the defined attribute in the place of *present* or of its own name, else last."""
    name = unique_name(definition.name, (), "attribute")
    attribute = read_attribute(definition, name)
    place = present if present in attributes else name
    items = [item for key, item in attributes.items() if key != name or key == place]
    placed = [attribute if item.name == place else item for item in items]
    if place not in attributes:
        placed.append(attribute)
    attributes.clear()
    attributes.update((item.name, item) for item in placed)


def _change_problems(schema: Schema, change: Change) -> Iterator[str]:
    yield from (f"{change.attribute!r}: {why}" for why in describe_misfits(change))
    names = {attribute.name for attribute in schema.attributes}
    if change.action != "add" and snake_case(change.attribute) not in names:
        yield f"there is no attribute {change.attribute!r} to {change.action}"
    if change.action != "remove" and change.definition is None:
        yield f"the definition of {change.attribute!r} is missing"
    if change.action != "remove" and change.definition is not None:
        yield from find_problems(change.definition)
