"""Extension: one attribute, described in words, is added to a schema."""

from collections.abc import Sequence
from dataclasses import dataclass

from srag_mcp.errors import SchemaError
from srag_mcp.model.asking import ask_for
from srag_mcp.model.language_model import LanguageModel
from srag_mcp.model.reply_content import ReplyContent
from srag_mcp.prompting import enclose, render_prompt
from srag_mcp.schema.attribute import Attribute, snake_case, unique_name
from srag_mcp.schema.definition import AttributeReply, find_problems, is_usable, read_attribute
from srag_mcp.schema.rounds import describe_columns, render_texts
from srag_mcp.schema.schema import Schema


class ExtensionReply(ReplyContent):
    """The definition of the attribute, or the name of the one that holds it already.

    Neither, where nothing that was shown states it.
    """

    existing: str | None
    definition: AttributeReply | None


@dataclass(frozen=True, slots=True)
class Extension:
    """What became of a wish: *attribute* holds it; *added* is false where it was there before.

    *rationale* is why it is as it is, where a model said so.
    """

    attribute: Attribute
    added: bool
    rationale: str = ""


async def predict_extension(
    model: LanguageModel, schema: Schema, wish: str, texts: Sequence[str]
) -> Extension:
    """Let *model* define the attribute that *wish* describes, from passages of some documents.

    Raises:
        SchemaError: If no usable definition came back, or no document that was shown states it.
        ModelError: If no reply could be had.
    """
    prompt = render_prompt(
        "extend_schema",
        "extend",
        wish,
        entity=schema.entity,
        title=schema.title,
        columns=describe_columns(schema),
        asked=enclose(wish),
        documents=render_texts(texts),
    )
    asked = await ask_for(model, prompt, ExtensionReply, lambda reply: _problems(schema, reply))
    reply = asked.content
    present = find_attribute(schema, reply.existing or "")
    if present is not None:
        return Extension(present, added=False)
    if reply.existing is None and reply.definition is None:
        msg = (
            f"no document that was shown states “{wish}” (the passages of {len(texts)} that are"
            " most like these words): no column was added. Describe it in words of the documents"
        )
        raise SchemaError(msg)
    if reply.definition is None or not is_usable(reply.definition):
        asked.forget(model)
        msg = f"the model gave no usable definition of “{wish}”: {'; '.join(asked.problems)}"
        raise SchemaError(msg)
    taken = {attribute.name for attribute in schema.attributes}
    name = unique_name(reply.definition.name, taken, "attribute")
    attribute = read_attribute(reply.definition, name)
    return Extension(attribute, added=True, rationale=reply.definition.rationale)


def find_attribute(schema: Schema, words: str) -> Attribute | None:
    """Return the attribute whose name is *words*; None where there is none.

    `"Length overall" -> length_overall`
    """
    names = {words, snake_case(words)}
    return next((item for item in schema.attributes if item.name in names), None)


def _problems(schema: Schema, reply: ExtensionReply) -> list[str]:
    names = {attribute.name for attribute in schema.attributes}
    if reply.existing is not None:
        return [] if reply.existing in names else [f"there is no column {reply.existing!r}"]
    if reply.definition is None:
        return []
    if find_attribute(schema, reply.definition.name) is not None:
        name = reply.definition.name
        return [f"there is a column {name!r}: name it in `existing`, or give another name"]
    return find_problems(reply.definition)
