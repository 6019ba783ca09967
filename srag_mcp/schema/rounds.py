"""Schema prediction: a language model decides on the columns, in rounds (S-RAG 3.2.1)."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from srag_mcp.documents.document import Document
from srag_mcp.documents.excerpt import excerpt
from srag_mcp.errors import SchemaError
from srag_mcp.model.asking import ask_for, ask_shorter
from srag_mcp.model.language_model import LanguageModel, Prompt
from srag_mcp.model.reply_content import ReplyContent, ReplyElement, describe_misfits
from srag_mcp.prompting import enclose, render_prompt
from srag_mcp.schema.attribute import (
    RESERVED_NAMES,
    AbsentMeans,
    Attribute,
    Scalar,
    snake_case,
    unique_name,
)
from srag_mcp.schema.schema import RESERVED_TABLES, Schema
from srag_mcp.values.types import ColumnType

Action: TypeAlias = Literal["add", "change", "remove"]


# The docstrings of replies travel with each prompt: to change one is to ask everything anew.
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


LONGEST_STRING = 80
MAX_EXAMPLES = 6
MAX_CATEGORIES = 60
MAX_SYNONYMS = 10
_SENTENCE_END = re.compile(r"[.!?。](?:\s|$)")
_GOES_ON = re.compile(r"[.!?。]\s+\S+(?:\s+\S+)*?(?:\s+[a-z]\S*){3}")  # another sentence begins
_NEEDED = frozenset({"name", "type", "description"})


def find_problems(reply: AttributeReply) -> list[str]:
    """Say what is wrong with the definition, for the model that wrote it; empty if nothing is."""
    problems = describe_misfits(reply) or (*_problems(reply), *find_lists(reply))
    return [f"attribute {reply.name!r}: {problem}" for problem in problems]


def is_usable(reply: AttributeReply) -> bool:
    """Whether a column can be made of it, good or not.

    It has a name, a type, a description and no long texts.
    """
    if not snake_case(reply.name) or reply.misfits.keys() & _NEEDED:
        return False
    return not _is_long(reply.examples)


def read_attribute(reply: AttributeReply, name: str) -> Attribute:
    """Make the attribute called *name* of a definition; what does not fit its type is left out.

    So are long units and categories, and examples of several lines or sentences: the definition
    stands in the prompts of all documents, and a document may have dictated it.
    """
    fits = reply.type.means(reply.absent_means)
    examples = [item for item in reply.examples if _fits(reply, item)]
    plain = name.replace("_", " ")
    words = (*reply.synonyms, reply.name.replace("_", " "))
    synonyms = dict.fromkeys(" ".join(word.split()).lower() for word in words)
    return Attribute(
        name=name,
        type=reply.type,
        description=" ".join(reply.description.split()),
        unit=_unit(reply),
        examples=tuple(dict.fromkeys(examples))[:MAX_EXAMPLES],
        categories=_categories(reply),
        absent_means=reply.absent_means if fits else "unknown",
        synonyms=tuple(word for word in synonyms if word not in {"", plain, name})[:MAX_SYNONYMS],
    )


def _problems(reply: AttributeReply) -> Iterator[str]:
    if not snake_case(reply.name) or reply.name in RESERVED_NAMES:
        yield "its name must be snake_case in Latin letters, and not document_id"
    if len(_SENTENCE_END.findall(reply.description.strip() + " ")) < 2:
        yield "its description needs two sentences: what it is, and how it is written"
    if _is_long(reply.examples):
        yield f"its values are longer than {LONGEST_STRING} characters; leave long texts out"
    if not reply.type.means(reply.absent_means):
        yield f"absent_means {reply.absent_means!r} does not fit the type {reply.type}"
    if reply.categories is not None and not reply.type.is_text:
        yield "only a string has categories"
    if reply.categories is not None and len(reply.categories) > MAX_CATEGORIES:
        yield f"more than {MAX_CATEGORIES} categories are not a closed set; use null"
    if any(isinstance(item, str) and "\n" in item for item in reply.examples):
        yield "its values have several lines; a list becomes boolean columns"


def _is_long(examples: Sequence[Scalar]) -> bool:
    return any(isinstance(item, str) and len(item) > LONGEST_STRING for item in examples)


def _fits(reply: AttributeReply, value: Scalar) -> bool:
    if reply.type.is_boolean:
        return isinstance(value, bool)
    if reply.type.is_numeric:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if not isinstance(value, str) or _GOES_ON.search(value):
        return False
    return bool(value.strip()) and len(value.splitlines()) == 1


def _unit(reply: AttributeReply) -> str | None:
    """Return the unit of a number; `%` is written `percent` here."""
    unit = " ".join((reply.unit or "").split())
    if not unit or len(unit) > LONGEST_STRING or not reply.type.is_numeric:
        return None
    return "percent" if unit in {"%", "per cent", "percentage"} else unit


def _categories(reply: AttributeReply) -> tuple[str, ...] | None:
    if not reply.type.is_text or not reply.categories or len(reply.categories) > MAX_CATEGORIES:
        return None
    kept = dict.fromkeys(" ".join(item.split()) for item in reply.categories)
    if any(len(item) > LONGEST_STRING for item in kept):
        return None
    return tuple(item for item in kept if item) or None


_LIST_OF = re.compile(
    r"(?:^|[.!?;:]\s+)(?:an?\s|the\s)?(?:[\w-]+\s){0,2}lists?\sof\b"
    r"|\b(?:comma|semicolon)[- ]separated\s(?:list|values|items|names)\b",
    re.IGNORECASE,
)
_SEPARATED = re.compile(
    r"\b(?:comma|semicolon)s?[- ]separated\b|\bseparated\sby\s(?:an?\s)?(?:comma|semicolon)s?\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[,;]\s")
_PLURAL = re.compile(r"\w{2,}[^su]s")


def find_lists(reply: AttributeReply) -> list[str]:
    """Say that the column would hold lists, for the model that defined it; empty if it would not.

    Commas alone tell nothing, an address and a place have them: the description must say so, or
    the name begin or end in the plural and most examples have several parts.

    `sensors: "wind, rain", "rain, sun" -> "its values are lists: …"`

    Source: S-RAG 3.2.1, footnote 3.
    """
    if not reply.type.is_text:
        return []
    first, _, last = snake_case(reply.name).partition("_")
    is_plural = any(_PLURAL.fullmatch(word) for word in (first, last.rpartition("_")[2]))
    lists = [item for item in reply.examples if isinstance(item, str) and _BETWEEN.search(item)]
    if len(reply.examples) > 1:
        has_several = len(lists) * 2 > len(reply.examples)
    else:
        has_several = _SEPARATED.search(reply.description) is not None
    if not _LIST_OF.search(reply.description) and not (is_plural and has_several):
        return []
    return [
        "its values are lists, and a column holds one value: give a boolean column to each item"
        " that several documents have, and an integer column for how many there are"
    ]


NONE = "(none)"
MAX_ATTRIBUTES = 120
Deed: TypeAlias = Literal["add", "change", "remove", "refuse"]
_GENERIC_ENTITY = "records"


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

    def check(reply: RefinementReply) -> list[str]:
        return check_refinement(schema, reply)

    asked = await ask_shorter(
        lambda n_tokens: ask_for(model, prompt(n_tokens), RefinementReply, check), request.n_tokens
    )
    refined, decisions = refine(schema, asked.content, this.number)
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
    attributes, decisions = read_attributes(asked.content.attributes, 1)
    if not attributes:
        asked.forget(model)
        why = "the model found no attribute that the documents have in common"
        if decisions:
            why = f"no attribute of the model can be a column ({decisions[0].rationale})"
        msg = f"{why}; write a schema.json"
        raise SchemaError(msg)
    content = asked.content
    entity = snake_case(content.entity)
    if not entity or entity in RESERVED_TABLES or entity.startswith("srag_"):
        entity = _GENERIC_ENTITY
    schema = Schema(
        title=" ".join(content.title.split())[:80] or "Record",
        entity=entity,
        nouns=tuple(dict.fromkeys(noun.strip().lower() for noun in content.nouns if noun.strip())),
        attributes=attributes,
    )
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
        if change.action != "remove" and change.definition is None:
            problems.append(f"the definition of {change.attribute!r} is missing")
        elif change.action != "remove" and change.definition is not None:
            problems += find_problems(change.definition)
    return problems


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
    refusal = ""  # why no column is made of it
    if not is_usable(definition):
        refusal = "; ".join(find_problems(definition))
    elif present not in attributes and len(attributes) >= MAX_ATTRIBUTES:
        refusal = f"there are {MAX_ATTRIBUTES} attributes already"
    if refusal:
        return Decision(number, "refuse", definition.name, refusal)
    name = snake_case(definition.name)
    action: Deed = "change" if present in attributes or name in attributes else "add"
    _put(attributes, present, definition)
    return Decision(number, action, name, change.rationale or definition.rationale)


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
