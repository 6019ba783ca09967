"""Schema prediction: a language model decides on the columns, in rounds (S-RAG 3.2.1)."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from srag_mcp.documents.document import Document
from srag_mcp.errors import SchemaError
from srag_mcp.model.language_model import (
    LanguageModel,
    Prompt,
    count_tokens,
    enclose,
    render_prompt,
)
from srag_mcp.model.reply_content import ReplyContent, ask_for, ask_shorter, describe_misfits
from srag_mcp.schema.attribute import RESERVED_NAMES, Attribute, snake_case, unique_name
from srag_mcp.schema.definition import (
    LONGEST_STRING,
    AttributeReply,
    Change,
    ListReply,
    Need,
    RefinementReply,
    SchemaReply,
    complete_definition,
    find_problems,
    is_usable,
    read_attribute,
)
from srag_mcp.schema.schema import RESERVED_TABLES, PendingList, Schema
from srag_mcp.text.words import content_words, stem, stems

NONE = "(none)"
MAX_ATTRIBUTES = 120
MOST_PROPOSED = 1.5  # of the budget: what documents state is known after the trial only
Deed: TypeAlias = Literal["add", "change", "remove", "refuse", "leave_out"]
WISH_DOCUMENTS = 8  # of which passages are shown to define one attribute
WISH_TOKENS = 500  # of each
DEFINITION_TOKENS_IN, DEFINITION_TOKENS_OUT = 2500, 150  # instructions and columns; the reply
_GENERIC_ENTITY = "records"
_IN_ALL = RESERVED_NAMES | {""}
_MOST_WORDS = 40  # two sentences of 20, as guides to plain language have them


@dataclass(frozen=True, slots=True)
class Decision:
    """What was done to an attribute in a round (from 1); *definition*: of what is left out."""

    round: int
    action: Deed
    attribute: str
    rationale: str
    definition: Attribute | None = None


@dataclass(frozen=True, slots=True)
class SchemaRequest:
    """What a schema is predicted from: a varied sample of *documents*, spread over the rounds.

    Attributes:
        show: Chooses what is shown of a document, in so many tokens.
        n_rounds: Most rounds: one prediction, the others refinements.
        n_tokens: Most tokens of document text in one prompt.
        n_columns: Columns that are wanted; half as many more may be proposed.
    """

    documents: Sequence[Document]
    show: Callable[[Document, int], str]
    questions: Sequence[str] = ()
    folder: str = ""
    n_rounds: int = 4
    n_tokens: int = 8000
    n_columns: int = 30

    def render(self, documents: Sequence[Document], n_tokens: int) -> str:
        """Write documents between marks that they do not hold, *n_tokens* at most in all."""
        share = n_tokens // max(1, len(documents))
        return render_texts([self.show(document, share) for document in documents])

    @property
    def n_proposed(self) -> int:
        """How many columns may be proposed."""
        return min(MAX_ATTRIBUTES, int(MOST_PROPOSED * self.n_columns))

    def shares(self) -> list[Sequence[Document]]:
        """Return the documents of each round."""
        lengths = [count_tokens(document.text) for document in self.documents]
        n_rounds = count_rounds(lengths, self.n_rounds, self.n_tokens)
        return [self.documents[number::n_rounds] for number in range(n_rounds)]


def count_rounds(lengths: Sequence[int], n_rounds: int, n_tokens: int) -> int:
    """Count the rounds that show each document once; two at least, to try what was proposed."""
    n_filled = math.ceil(sum(lengths) / n_tokens)
    return max(1, min(n_rounds, len(lengths), max(2, n_filled)))


@dataclass(frozen=True, slots=True)
class Round:
    """One refinement: its number (the prediction is 1), its documents, what is to be repaired."""

    number: int
    documents: Sequence[Document] = ()
    problems: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class PredictedSchema:
    """A schema, with all that was proposed or what was chosen of it, and why it is as it is.

    *needs*: the columns that each question needs, as far as it was said. *other_kinds*: kinds of
    documents for which the columns are not made.
    """

    schema: Schema
    decisions: tuple[Decision, ...]
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    other_kinds: tuple[str, ...] = ()


async def predict_schema(
    model: LanguageModel,
    request: SchemaRequest,
    on_round: Callable[[int, int], None] = lambda done, total: None,
) -> PredictedSchema:
    """Let *model* design the columns from the first documents and refine them with the others.

    Raises:
        SchemaError: If no usable attribute came back.
        ModelError: If no reply could be had, or none of the right form.

    Source: S-RAG 3.2.1, Appendix B; the questions are shown from the first round on.
    """
    first, *others = request.shares()
    n_rounds = 1 + len(others)
    predicted = await _predict_first(model, request, first)
    on_round(1, n_rounds)
    for number, share in enumerate(others, start=2):
        problems = (*find_unmet(predicted, request.questions), *find_long(predicted.schema))
        this = Round(number, share, problems)
        predicted = await refine_schema(model, request, predicted, this)
        on_round(number, n_rounds)
    return predicted


def find_unmet(predicted: PredictedSchema, questions: Sequence[str]) -> list[str]:
    """Say which questions need columns that are not there, where any needs were told at all."""
    names = {attribute.name for attribute in predicted.schema.attributes}
    problems = []
    for question in questions if predicted.needs else ():
        needed = predicted.needs.get(question)
        if needed is None:
            problems.append(f"the question “{question}”: it is not told which columns it needs")
        elif missing := [name for name in needed if name not in names]:
            problems.append(f"the question “{question}” needs {', '.join(missing)}: no such column")
    return problems


def find_long(schema: Schema) -> list[str]:
    """Say which definitions are longer than a reader keeps in mind, for the model."""
    lengths = {item.name: len(item.description.split()) for item in schema.attributes}
    return [
        f"attribute {name}: its description has {length} words; one or two short sentences will do"
        for name, length in lengths.items()
        if length > _MOST_WORDS
    ]


def find_needed(predicted: PredictedSchema) -> frozenset[str]:
    """Return the names of the columns that the questions need, however the need spells them."""
    attributes, found = predicted.schema.attributes, set[str]()
    named = {item.name: {*map(stem, content_words(item.name))} for item in attributes}
    for need in {name for names in predicted.needs.values() for name in names}:
        known, sought = find_wished(attributes, need), {*map(stem, content_words(need))}
        # no column of that name: all that share its words, and none of them is left out
        kin = (
            x for x, said in named.items() if said and sought and (said <= sought or sought <= said)
        )
        found.update([known.name] if known is not None else kin)
    return frozenset(found)


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
    schema, told = present.schema, [f"- {' '.join(item.split())}" for item in this.problems]

    def prompt(n_tokens: int) -> Prompt:
        return render_prompt(
            "refine_schema",
            "schema",
            f"round {this.number}",
            entity=schema.entity,
            title=schema.title,
            n_columns=str(request.n_proposed),
            columns=describe_columns(schema),
            questions=_render_questions(request.questions, present.needs),
            problems=enclose("\n".join(told)) if told else NONE,
            documents=request.render(this.documents, n_tokens),
        )

    asked = await ask_shorter(
        lambda n_tokens: ask_for(
            model, prompt(n_tokens), RefinementReply, lambda reply: check_refinement(schema, reply)
        ),
        request.n_tokens,
    )
    reply = asked.content
    refined = refine(present, reply.changes, this.number)
    return replace(refined, needs={**refined.needs, **read_needs(reply.needs, request.questions)})


def describe_columns(schema: Schema) -> str:
    """Write the attributes as a model reads them: a line each, others for values and synonyms."""
    lines = []
    for item in schema.attributes:
        unit = f", {item.unit}" if item.unit else ""
        absent = "" if item.absent_means == "unknown" else f", absent means {item.absent_means}"
        lines.append(f"- {item.name} ({item.type}{unit}{absent}): {item.description}")
        if item.categories:
            lines.append(f"  one of: {', '.join(item.categories)}")
        if item.examples and not item.type.is_boolean:
            lines.append(f"  such as: {', '.join(map(str, item.examples))}")
        if item.synonyms:
            lines.append(f"  also called: {', '.join(item.synonyms)}")
    return "\n".join(lines) or NONE


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
            n_columns=str(request.n_proposed),
            questions=_render_questions(request.questions),
            documents=request.render(documents, n_tokens),
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
    draft = _Draft(1)
    for item in content.attributes:
        draft.put(item, "", item.rationale)
    if not draft.attributes:
        asked.forget(model)
        why = "the model found no attribute that the documents have in common"
        if draft.decisions:
            why = f"no attribute of the model can be a column ({draft.decisions[0].rationale})"
        msg = f"{why}; write a schema.json"
        raise SchemaError(msg)
    schema = Schema(
        title=" ".join(content.title.split())[:80] or "Record",
        entity=entity,
        attributes=tuple(draft.attributes.values()),
        nouns=tuple(dict.fromkeys(noun.strip().lower() for noun in content.nouns if noun.strip())),
        pending_lists=tuple(_read_lists(content.lists)),
    )
    return PredictedSchema(
        schema,
        tuple(draft.decisions),
        read_needs(content.needs, request.questions),
        tuple(_tidy(content.other_kinds)),
    )


def _read_lists(lists: Iterable[ListReply]) -> Iterator[PendingList]:
    for item in lists:
        if name := _tidy([item.name]):
            description = " ".join(item.description.split())
            yield PendingList(name=name[0], description=description, fields=_tidy(item.fields))


def _tidy(names: Iterable[str]) -> tuple[str, ...]:
    """Return names on one line each, without those that are longer than any name."""
    plain = dict.fromkeys(" ".join(name.split()) for name in names)
    return tuple(name for name in plain if 0 < len(name) <= LONGEST_STRING)


def read_needs(needs: Iterable[Need], questions: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return which columns each question needs, where it was said, without what every table has."""
    return {
        questions[item.question - 1]: tuple(
            name for name in dict.fromkeys(map(snake_case, item.columns)) if name not in _IN_ALL
        )
        for item in needs
        if 0 < item.question <= len(questions)
    }


def _check_first(reply: SchemaReply) -> list[str]:
    names = [snake_case(item.name) for item in reply.attributes]
    twice = sorted({name for name in names if names.count(name) > 1})
    problems = [f"attribute {name!r} is there twice" for name in twice]
    if not reply.attributes:
        problems.append("there must be at least one attribute")
    return problems + [found for item in reply.attributes for found in find_problems(item)]


def _render_questions(
    questions: Sequence[str], needs: Mapping[str, Sequence[str]] | None = None
) -> str:
    """Write questions with their numbers, and the columns that they need: `2. How many? (crew)`."""
    lines = []
    for number, question in enumerate(questions, start=1):
        needed = ", ".join((needs or {}).get(question, ()))
        said = f" ({needed})" if needed else ""
        lines.append(f"{number}. {' '.join(question.split())}{said}")
    return enclose("\n".join(lines)) if lines else NONE


def check_refinement(schema: Schema, reply: RefinementReply) -> list[str]:
    """Say what is wrong with the changes, for the model that wrote them."""
    attributes = {attribute.name: attribute for attribute in schema.attributes}
    problems: list[str] = []
    for change in reply.changes:
        problems += [f"{change.attribute!r}: {why}" for why in describe_misfits(change)]
        present = attributes.get(snake_case(change.attribute))
        if change.action != "add" and present is None:
            problems.append(f"there is no attribute {change.attribute!r} to {change.action}")
        if change.action != "remove" and change.definition is None:
            problems.append(f"the definition of {change.attribute!r} is missing")
        elif change.action != "remove":
            problems += _read_change(change, present)[1]
    return problems


def _read_change(
    change: Change, present: Attribute | None
) -> tuple[AttributeReply | None, list[str]]:
    """Return the whole definition of a *change*, and what is wrong with it."""
    if change.definition is None:
        return None, []
    kept = present if change.action == "change" else None
    definition = complete_definition(change.attribute, change.definition, kept)
    misfits = describe_misfits(change.definition)
    told = [f"attribute {definition.name!r}: {why}" for why in misfits]
    return definition, told or find_problems(definition)


def refine(predicted: PredictedSchema, changes: Sequence[Change], number: int) -> PredictedSchema:
    """Apply the *changes* of round *number* that can be applied.

    An attribute that is added under a name in use replaces the present one. A change of an unknown
    attribute adds it. A question needs a renamed column by its new name.
    """
    schema = predicted.schema
    draft = _Draft(number, {attribute.name: attribute for attribute in schema.attributes})
    for change in changes:
        name = snake_case(change.attribute)
        if change.action == "remove":
            draft.remove(name, change.rationale)
            continue
        definition, problems = _read_change(change, draft.attributes.get(name))
        if definition is not None:
            draft.put(definition, name, change.rationale, problems)
    new = draft.renamed
    return replace(
        predicted,
        schema=schema.model_copy(update={"attributes": tuple(draft.attributes.values())}),
        decisions=(*predicted.decisions, *draft.decisions),
        needs={
            question: tuple(new.get(name, name) for name in names)
            for question, names in predicted.needs.items()
        },
    )


@dataclass(slots=True)
class _Draft:
    """The attributes by name, as they become in the round *number*, and what was decided."""

    number: int
    attributes: dict[str, Attribute] = field(default_factory=dict)
    decisions: list[Decision] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)

    def remove(self, name: str, reason: str) -> None:
        if self.attributes.pop(name, None) is not None:
            self.decisions.append(Decision(self.number, "remove", name, reason))

    def put(
        self, definition: AttributeReply, present: str, reason: str, problems: Sequence[str] = ()
    ) -> None:
        """Put an attribute in the place of *present*, or add it; refuse what can be no column."""
        refusal = ""  # why no column is made of it
        if not is_usable(definition):
            refusal = "; ".join(problems or find_problems(definition))
        elif present not in self.attributes and len(self.attributes) >= MAX_ATTRIBUTES:
            refusal = f"there are {MAX_ATTRIBUTES} attributes already"
        if refusal:
            self.decisions.append(Decision(self.number, "refuse", definition.name, refusal))
            return
        name = unique_name(definition.name, (), "attribute")
        place = present if present in self.attributes else name
        action: Deed = "change" if place in self.attributes else "add"
        self.decisions.append(Decision(self.number, action, snake_case(definition.name), reason))
        if place != name:
            self.renamed[place] = name
        items = self.attributes.items()
        kept = {key: item for key, item in items if key != name or key == place}
        kept[place] = read_attribute(definition, name)
        self.attributes = {item.name: item for item in kept.values()}


class AdditionsReply(ReplyContent):
    """Definitions of what questions need beside the columns of a table file."""

    attributes: list[AttributeReply]


async def predict_additions(
    model: LanguageModel, schema: Schema, questions: Sequence[str]
) -> PredictedSchema:
    """Let *model* add to the columns of a table file what *questions* need and none states.

    Raises:
        ModelError: If no reply could be had, or none of the right form.
    """
    prompt = render_additions(schema, questions)
    asked = await ask_for(
        model, prompt, AdditionsReply, lambda reply: _addition_problems(schema, reply.attributes)
    )
    draft = _Draft(1, {item.name: item for item in schema.attributes})
    for item in asked.content.attributes:
        if find_attribute(schema, item.name) is None:
            draft.put(item, "", item.rationale)
    attributes = tuple(draft.attributes.values())
    return PredictedSchema(
        schema.model_copy(update={"attributes": attributes}), tuple(draft.decisions)
    )


def render_additions(schema: Schema, questions: Sequence[str]) -> Prompt:
    """Write the prompt that asks what *questions* need beside the columns of a table file."""
    lists = [
        f"- {child.entity}: {', '.join(item.name for item in child.attributes)}"
        for child in schema.children
    ]
    return render_prompt(
        "complete_schema",
        "schema",
        "additions",
        entity=schema.entity,
        title=schema.title,
        columns=enclose("\n".join(map(_name_column, schema.attributes))),
        lists=enclose("\n".join(lists)) if lists else NONE,
        questions=_render_questions(questions),
    )


def _name_column(item: Attribute) -> str:
    """Write a column of a table file: `- status (string): paid, shipped, …`."""
    values = item.categories or (*map(str, item.examples), "…")
    said = f"- {item.name} ({item.type}{f', {item.unit}' if item.unit else ''})"
    return said if item.type.is_boolean else f"{said}: {', '.join(values)}"


def _addition_problems(schema: Schema, added: Sequence[AttributeReply]) -> list[str]:
    known = [item.name for item in added if find_attribute(schema, item.name) is not None]
    there = [f"there is a column {name!r}, which stays: leave it out" for name in known]
    return there + [found for item in added for found in find_problems(item)]


class ExtensionReply(ReplyContent):
    """The definition, or the name of who holds it already; neither, where it is not shown."""

    existing: str | None
    definition: AttributeReply | None


@dataclass(frozen=True, slots=True)
class Extension:
    """What became of a wish: *attribute* holds it, *added* or not; *rationale* of a model."""

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
    """Return the attribute of that name, `Length overall` -> `length_overall`, or None."""
    names = {words, snake_case(words)}
    return next((item for item in schema.attributes if item.name in names), None)


def find_wished(attributes: Sequence[Attribute], *wishes: str | None) -> Attribute | None:
    """Return the attribute that one of *wishes* names, or calls by a synonym, the first if several.

    None where that is not certain. Words are compared by their stems, all of them and in order:
    `lengths overall` names `length_overall`, `the overall length` may be another wish.
    """
    for wish in filter(None, wishes):
        names, sought = {wish, snake_case(wish)}, stems(wish)
        for alike in (
            [item for item in attributes if item.name in names],
            [item for item in attributes if sought and stems(item.name) == sought],
            [item for item in attributes if sought and sought in map(stems, item.synonyms)],
        ):
            if len(alike) == 1:
                return alike[0]
            if alike:
                break
    return None


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
