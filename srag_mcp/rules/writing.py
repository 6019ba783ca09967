"""Rules that a language model writes for columns which look alike in the documents it was shown.

What it writes is data; code refuses what costs or takes too much, and tries the rest on the
documents that the model has seen.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import anyio
from pydantic import ValidationError

from srag_mcp.cells.cell import UNQUOTED, Cell, DocumentText
from srag_mcp.claims.agreement import is_same_value
from srag_mcp.errors import ModelError, ModelStoppedError, SchemaError
from srag_mcp.model.asking import ask_for
from srag_mcp.model.language_model import LanguageModel, Prompt
from srag_mcp.model.reply_content import ReplyContent, ReplyElement, describe_misfits
from srag_mcp.prompting import fence, render_prompt
from srag_mcp.records.record_prompt import Excerpt, describe_attribute, show_document
from srag_mcp.records.selection import choose_around
from srag_mcp.rules.extraction import find_matches
from srag_mcp.rules.voting import FEWEST_RIGHT, known_value, run_rules
from srag_mcp.schema.attribute import Attribute, Scope, WrittenRule
from srag_mcp.text.shown import shorten
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State

logger = logging.getLogger(__name__)

_MAX_RULES = 6  # of a column; more of them only share their mistakes
_HEAD = 300
_AROUND = 200
_LONGEST_SHOWN = 120
# A value is a part of its document: a pattern that takes half of it reads nothing.
_MOST_TAKEN = 0.5

Labels = Mapping[str, Mapping[str, Cell]]
"""What a model read, with values: by attribute and document id."""


class Mapped(ReplyContent):
    """What stands for words that are matched."""

    words: str
    value: str


class RuleReply(ReplyElement):
    """One rule for one column, see `PatternRule`."""

    blanks: ClassVar = {
        "scope": None, "characters": None, "label": None, "pick": None, "need": (), "veto": (),
        "map": (),
    }  # fmt: skip

    column: str
    pattern: str
    scope: Scope | None
    characters: int | None
    label: str | None
    pick: Literal["first", "last", "max", "unique"] | None
    need: tuple[str, ...]
    veto: tuple[str, ...]
    map: tuple[Mapped, ...]


class RulesReply(ReplyContent):
    """The rules for the columns of one prompt."""

    rules: tuple[RuleReply, ...]


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a model is shown: documents, and what was read in them of columns."""

    attributes: tuple[Attribute, ...]
    documents: tuple[DocumentText, ...]
    labels: Labels

    def narrowed(self, attributes: Sequence[Attribute]) -> "Lesson":
        """Return the same for some of the columns."""
        return Lesson(tuple(attributes), self.documents, self.labels)


def may_be_ruled(cells: Mapping[str, Cell]) -> bool:
    """Whether enough of what was read of a column stands in the documents as it is."""
    quoted = [cell for cell in cells.values() if cell.span and not cell.marks & UNQUOTED]
    return len(quoted) >= FEWEST_RIGHT


async def write_rules(
    model: LanguageModel, lesson: Lesson, prompt_tokens: int
) -> dict[str, tuple[WrittenRule, ...]]:
    """Let *model* write rules for the columns of *lesson*; several share a prompt.

    Columns of which it says nothing of use are left out.

    Raises:
        ModelStoppedError: If no further prompt can be answered.
    """
    rules: dict[str, tuple[WrittenRule, ...]] = {}
    stopped: list[ModelStoppedError] = []

    async def write(part: Lesson) -> None:
        try:
            rules.update(await _ask(model, part))
        except ModelStoppedError as error:
            stopped.append(error)
        except ModelError as error:
            logger.warning("no rules for %d columns: %s", len(part.attributes), error)

    async with anyio.create_task_group() as tasks:
        for part in _split(lesson, prompt_tokens):
            tasks.start_soon(write, part)
    if stopped:
        raise stopped[0]
    return rules


def _split(lesson: Lesson, prompt_tokens: int) -> Iterator[Lesson]:
    """Yield lessons of a size with a prompt; the fewer the columns, the less is shown."""
    n, half = len(lesson.attributes), len(lesson.attributes) // 2
    if n > 1 and render_rules_prompt(lesson).count_tokens() > prompt_tokens:
        yield from _split(lesson.narrowed(lesson.attributes[:half]), prompt_tokens)
        yield from _split(lesson.narrowed(lesson.attributes[half:]), prompt_tokens)
    elif n:
        yield lesson


def render_rules_prompt(lesson: Lesson) -> Prompt:
    """Show the documents of *lesson*, and by column what was read in each."""
    keys = {item.document_id: f"d{n}" for n, item in enumerate(lesson.documents, start=1)}
    shown = {}
    for document in lesson.documents:
        cells = (lesson.labels[item.name].get(document.document_id) for item in lesson.attributes)
        places = [cell.span for cell in cells if cell is not None and cell.span is not None]
        head = Span(0, min(_HEAD, len(document.text)))
        text = choose_around(document.text, [head, *places], _AROUND).shown
        shown[keys[document.document_id]] = Excerpt(document, text)
    mark = fence("".join(item.shown for item in shown.values()))
    return render_prompt(
        "write_rules",
        "rules",
        subject=", ".join(item.name for item in lesson.attributes),
        documents="\n\n".join(show_document(key, item, mark) for key, item in shown.items()),
        columns="\n\n".join(_describe(item, lesson, keys) for item in lesson.attributes),
    )


def _describe(attribute: Attribute, lesson: Lesson, keys: Mapping[str, str]) -> str:
    lines = [f"- {describe_attribute(attribute)}"]
    for document_id, key in keys.items():
        cell = lesson.labels[attribute.name].get(document_id)
        if cell is None or cell.state is State.FAILED:
            continue
        if cell.state is State.NOT_MENTIONED:
            lines.append(f"  {key}: not mentioned")
            continue
        quote = shorten(" ".join((cell.as_stated or "").split()), _LONGEST_SHOWN)
        value = "none" if cell.value is None else str(cell.value)
        lines.append(f"  {key}: {shorten(value, _LONGEST_SHOWN)} “{quote}”")
    return "\n".join(lines)


async def _ask(model: LanguageModel, lesson: Lesson) -> dict[str, tuple[WrittenRule, ...]]:
    prompt, told = render_rules_prompt(lesson), list[str]()

    def check(reply: RulesReply) -> Sequence[str]:
        """Say once what does not work; what is wrong then is left out."""
        if told:
            return ()
        told.extend(_find_problems(reply, lesson))
        return told

    asked = await ask_for(model, prompt, RulesReply, check)
    rules: dict[str, list[WrittenRule]] = {item.name: [] for item in lesson.attributes}
    for reply in asked.content.rules:
        rule = _read_rule(reply)
        own = rules.get(reply.column)
        if isinstance(rule, str) or own is None or rule in own or len(own) >= _MAX_RULES:
            continue
        if not refuse_rule(rule, lesson.documents):
            own.append(rule)
    return {name: tuple(own) for name, own in rules.items()}


def _read_rule(reply: RuleReply) -> WrittenRule | str:
    """Return the rule, or why it is none."""
    if reply.misfits:
        return "; ".join(describe_misfits(reply))
    given = reply.model_dump(exclude={"column", "map"}, exclude_none=True)
    try:
        return WrittenRule(**given, map={item.words: item.value for item in reply.map})
    except ValidationError as error:
        return "; ".join(f"{item['loc'][0]}: {item['msg']}" for item in error.errors())


def refuse_rule(rule: WrittenRule, documents: Sequence[DocumentText]) -> str:
    """Say why a rule is not let at documents: it cannot be read, is slow, or takes too much."""
    for document in documents:
        try:
            found = find_matches(rule, document.text)
        except SchemaError as error:
            return str(error)
        if any(not span.of(document.text).strip() for span in found):
            return "it matches where there are no words"
        n_taken = sum(span.end - span.start for span in found)
        if rule.scope == "text" and n_taken > _MOST_TAKEN * len(document.text):
            return "it matches nearly everything"
    return ""


def _find_problems(reply: RulesReply, lesson: Lesson) -> Iterator[str]:
    """Say which rules cannot be used, and which read something else than the reader did."""
    keys = {item.document_id: f"d{n}" for n, item in enumerate(lesson.documents, start=1)}
    known = {item.name: item for item in lesson.attributes}
    for number, item in enumerate(reply.rules, start=1):
        named = f"rule {number} ({item.column})"
        attribute, rule = known.get(item.column), _read_rule(item)
        if attribute is None:
            yield f"{named}: there is no such column"
            continue
        why = rule if isinstance(rule, str) else refuse_rule(rule, lesson.documents)
        if why or isinstance(rule, str):
            yield f"{named}: {why}"
            continue
        alone = attribute.model_copy(update={"rules": (rule,)})
        [read] = run_rules([alone], lesson.documents)[attribute.name]
        labels = lesson.labels[attribute.name]
        wrong = [
            f"{keys[key]} {shorten(str(cell.value), _LONGEST_SHOWN)!r}"
            for key, cell in read.items()
            if key in labels and not is_same_value(cell.value, known_value(attribute, labels[key]))
        ]
        if wrong or not read:
            yield f"{named}: it reads {', '.join(wrong) or 'nothing in these documents'}"
