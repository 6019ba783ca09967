"""Schema prediction: a language model decides on the columns, in rounds (S-RAG 3.2.1)."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from srag_mcp.documents.document import Document
from srag_mcp.errors import SchemaError
from srag_mcp.model.asking import ask_for, ask_shorter
from srag_mcp.model.language_model import LanguageModel, Prompt, most_characters
from srag_mcp.model.reply_content import ReplyContent, describe_misfits
from srag_mcp.prompting import enclose, render_prompt
from srag_mcp.schema.attribute import Attribute, snake_case, unique_name
from srag_mcp.schema.definition import (
    AttributeReply,
    Change,
    RefinementReply,
    SchemaReply,
    find_problems,
    is_usable,
    read_attribute,
)
from srag_mcp.schema.schema import RESERVED_TABLES, Schema

NONE = "(none)"
MAX_ATTRIBUTES = 120
Deed: TypeAlias = Literal["add", "change", "remove", "refuse"]
WISH_DOCUMENTS = 8  # of which passages are shown to define one attribute
WISH_TOKENS = 500  # of each
DEFINITION_TOKENS_IN, DEFINITION_TOKENS_OUT = 3500, 150  # instructions and columns; the reply
_GENERIC_ENTITY = "records"
_GAP = "\n[…]\n"
_HEAD_SHARE = 0.5
_PASSAGE = 600
_BREAK = re.compile(r"\n\s*\n|\n")


@dataclass(frozen=True, slots=True)
class Decision:
    """Why an attribute is as it is: what was done to it, in which round (from 1), and why.

    What a model wanted and code refused, such as long texts, is a decision too.
    """

    round: int
    action: Deed
    attribute: str
    rationale: str


@dataclass(frozen=True, slots=True)
class SchemaRequest:
    """What a schema is predicted from.

    Attributes:
        documents: A varied sample; it is spread over the rounds.
        questions: Sample questions.
        folder: The name of the corpus, for the model.
        n_rounds: Rounds: one prediction, the others refinements.
        n_tokens: Most tokens of document text in one prompt.
    """

    documents: Sequence[Document]
    questions: Sequence[str] = ()
    folder: str = ""
    n_rounds: int = 4
    n_tokens: int = 8000


@dataclass(frozen=True, slots=True)
class Round:
    """One refinement: its number (the prediction is 1), its documents, what is to be repaired."""

    number: int
    documents: Sequence[Document] = ()
    problems: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class PredictedSchema:
    """A schema, and why it is as it is."""

    schema: Schema
    decisions: tuple[Decision, ...]


async def predict_schema(
    model: LanguageModel,
    request: SchemaRequest,
    on_round: Callable[[int, int], None] = lambda done, total: None,
) -> PredictedSchema:
    """Let *model* design the columns from the first documents and refine them with the others.

    The first round sees documents only; the others see the questions too.

    Raises:
        SchemaError: If no usable attribute came back.
        ModelError: If no reply could be had, or none of the right form.

    Source: S-RAG 3.2.1, Appendix B.
    """
    shares = [request.documents[number :: request.n_rounds] for number in range(request.n_rounds)]
    shares = [share for share in shares if share]
    predicted = await _predict_first(model, request, shares[0] if shares else ())
    on_round(1, request.n_rounds)
    for number in range(2, request.n_rounds + 1):
        share = shares[(number - 1) % len(shares)] if shares else ()
        predicted = await refine_schema(model, request, predicted, Round(number, share))
        on_round(number, request.n_rounds)
    return predicted


async def refine_schema(
    model: LanguageModel,
    request: SchemaRequest,
    present: PredictedSchema,
    this: Round,
) -> PredictedSchema:
    """Let *model* change the present columns after the documents and problems of *this* round.

    Raises:
        ModelError: If no reply could be had, or none of the right form.
    """
    schema = present.schema

    def prompt(n_tokens: int) -> Prompt:
        return render_prompt(
            "refine_schema",
            "schema",
            f"round {this.number}",
            entity=schema.entity,
            title=schema.title,
            columns=describe_columns(schema),
            questions=_render_list(request.questions),
            problems=_render_list(this.problems),
            documents=render_documents(this.documents, n_tokens),
        )

    asked = await ask_shorter(
        lambda n_tokens: ask_for(
            model, prompt(n_tokens), RefinementReply, lambda reply: check_refinement(schema, reply)
        ),
        request.n_tokens,
    )
    refined, decisions = refine(schema, asked.content.changes, this.number)
    return PredictedSchema(refined, (*present.decisions, *decisions))


def describe_columns(schema: Schema) -> str:
    """Write the attributes as a model reads them: one line each, two where there are categories."""
    lines = []
    for item in schema.attributes:
        unit = f", {item.unit}" if item.unit else ""
        absent = "" if item.absent_means == "unknown" else f", absent means {item.absent_means}"
        lines.append(f"- {item.name} ({item.type}{unit}{absent}): {item.description}")
        if item.categories:
            lines.append(f"  one of: {', '.join(item.categories)}")
        if item.examples:
            lines.append(f"  such as: {', '.join(map(str, item.examples))}")
    return "\n".join(lines) or NONE


def render_documents(documents: Sequence[Document], n_tokens: int) -> str:
    """Write documents between marks that they do not hold, *n_tokens* at most in all."""
    share = n_tokens // max(1, len(documents))
    return render_texts([excerpt(document.text, share) for document in documents])


def excerpt(text: str, n_tokens: int) -> str:
    """Return *text*, or of a longer one the beginning and evenly spaced passages.

    At most *n_tokens* tokens, as `most_characters` estimates them, `[…]` between the parts. What to
    look for is not known yet, so that half is the beginning and the rest is spread evenly:
    `records.selection`, which ranks by the attributes sought, would show the beginning only.
    """
    limit = most_characters(text, n_tokens)
    if len(text) <= limit:
        return text
    head_end = _break_before(text, int(limit * _HEAD_SHARE))
    n_passages = max(1, (limit - head_end) // (_PASSAGE + len(_GAP)))
    parts = [text[:head_end]]
    end = head_end
    for number in range(n_passages):
        wanted = head_end + (number + 1) * (len(text) - head_end - _PASSAGE) // n_passages
        start = max(end, _break_before(text, wanted))
        end = min(start + _PASSAGE, len(text))
        parts.append(text[start:end])
    return _GAP.join(part.strip() for part in parts if part.strip())[:limit]


def _break_before(text: str, wanted: int) -> int:
    """Return the last end of a line in the passage before *wanted*; *wanted* if there is none."""
    breaks = [found.end() for found in _BREAK.finditer(text, max(0, wanted - _PASSAGE), wanted)]
    return breaks[-1] if breaks else wanted


def render_texts(texts: Sequence[str]) -> str:
    """Write texts of documents between marks that they do not hold."""
    rendered = [enclose(text, f"document {number}") for number, text in enumerate(texts, start=1)]
    return "\n\n".join(rendered) or NONE


async def _predict_first(
    model: LanguageModel, request: SchemaRequest, documents: Sequence[Document]
) -> PredictedSchema:
    def prompt(n_tokens: int) -> Prompt:
        return render_prompt(
            "predict_schema",
            "schema",
            "round 1",
            documents=render_documents(documents, n_tokens),
            folder=request.folder,
        )

    asked = await ask_shorter(
        lambda n_tokens: ask_for(model, prompt(n_tokens), SchemaReply, _check_first),
        request.n_tokens,
    )
    content = asked.content
    entity = snake_case(content.entity)
    if not entity or entity in RESERVED_TABLES or entity.startswith("srag_"):
        entity = _GENERIC_ENTITY
    empty = Schema(
        title=" ".join(content.title.split())[:80] or "Record",
        entity=entity,
        nouns=tuple(dict.fromkeys(noun.strip().lower() for noun in content.nouns if noun.strip())),
    )
    added = [
        Change(action="add", attribute=item.name, definition=item, rationale=item.rationale)
        for item in content.attributes
    ]
    schema, decisions = refine(empty, added, 1)
    if not schema.attributes:
        asked.forget(model)
        why = "the model found no attribute that the documents have in common"
        if decisions:
            why = f"no attribute of the model can be a column ({decisions[0].rationale})"
        msg = f"{why}; write a schema.json"
        raise SchemaError(msg)
    return PredictedSchema(schema, decisions)


def _check_first(reply: SchemaReply) -> list[str]:
    names = [snake_case(item.name) for item in reply.attributes]
    twice = sorted({name for name in names if names.count(name) > 1})
    problems = [f"attribute {name!r} is there twice" for name in twice]
    if not reply.attributes:
        problems.append("there must be at least one attribute")
    return problems + [found for item in reply.attributes for found in find_problems(item)]


def _render_list(items: Sequence[str]) -> str:
    if not items:
        return NONE
    return enclose("\n".join(f"- {' '.join(item.split())}" for item in items))


def check_refinement(schema: Schema, reply: RefinementReply) -> list[str]:
    """Say what is wrong with the changes, for the model that wrote them."""
    names = {attribute.name for attribute in schema.attributes}
    problems: list[str] = []
    for change in reply.changes:
        problems += [f"{change.attribute!r}: {why}" for why in describe_misfits(change)]
        if change.action != "add" and snake_case(change.attribute) not in names:
            problems.append(f"there is no attribute {change.attribute!r} to {change.action}")
        if change.action != "remove":
            missing = [f"the definition of {change.attribute!r} is missing"]
            problems += find_problems(change.definition) if change.definition else missing
    return problems


def refine(
    schema: Schema, changes: Sequence[Change], number: int
) -> tuple[Schema, tuple[Decision, ...]]:
    """Apply the *changes* of round *number* that can be applied; return the decisions made.

    An attribute that is added under a name in use replaces the present one. A change of an unknown
    attribute adds it.
    """
    attributes = {attribute.name: attribute for attribute in schema.attributes}
    decisions: list[Decision] = []
    for change in changes:
        present, definition = snake_case(change.attribute), change.definition
        if change.action == "remove":
            if attributes.pop(present, None) is not None:
                decisions.append(Decision(number, "remove", present, change.rationale))
            continue
        if definition is None:
            continue
        refusal = ""  # why no column is made of it
        if not is_usable(definition):
            refusal = "; ".join(find_problems(definition))
        elif present not in attributes and len(attributes) >= MAX_ATTRIBUTES:
            refusal = f"there are {MAX_ATTRIBUTES} attributes already"
        if refusal:
            decisions.append(Decision(number, "refuse", definition.name, refusal))
            continue
        name = unique_name(definition.name, (), "attribute")
        place = present if present in attributes else name
        action: Deed = "change" if place in attributes else "add"
        reason = change.rationale or definition.rationale
        decisions.append(Decision(number, action, snake_case(definition.name), reason))
        kept = {key: item for key, item in attributes.items() if key != name or key == place}
        kept[place] = read_attribute(definition, name)
        attributes = {item.name: item for item in kept.values()}
    refined = schema.model_copy(update={"attributes": tuple(attributes.values())})
    return refined, tuple(decisions)


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
    asked = await ask_for(
        model, prompt, ExtensionReply, lambda reply: _extension_problems(schema, reply)
    )
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


def _extension_problems(schema: Schema, reply: ExtensionReply) -> list[str]:
    names = {attribute.name for attribute in schema.attributes}
    if reply.existing is not None:
        return [] if reply.existing in names else [f"there is no column {reply.existing!r}"]
    if reply.definition is None:
        return []
    if find_attribute(schema, reply.definition.name) is not None:
        name = reply.definition.name
        return [f"there is a column {name!r}: name it in `existing`, or give another name"]
    return find_problems(reply.definition)
