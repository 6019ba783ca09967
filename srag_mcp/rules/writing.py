"""Rules that a language model writes for columns which look alike in the documents it was shown.

What it writes is data; code refuses what costs or takes too much, and tries the rest on the
documents that the model has seen.
"""

import logging
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import anyio
from pydantic import ValidationError

from srag_mcp.cells.cell import Cell, DocumentText, Mark
from srag_mcp.errors import ModelError, ModelStoppedError, SchemaError
from srag_mcp.model.language_model import LanguageModel, Prompt
from srag_mcp.model.reply_content import ReplyContent, ReplyElement, ask_for, describe_misfits
from srag_mcp.prompting import fence, render_prompt
from srag_mcp.records.record_prompt import Excerpt, describe_attribute, show_document
from srag_mcp.records.selection import choose_around
from srag_mcp.rules.extraction import find_matches
from srag_mcp.rules.voting import FEWEST_RIGHT
from srag_mcp.schema.attribute import Attribute, Scope, WrittenRule
from srag_mcp.text.shown import shorten
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State

logger = logging.getLogger(__name__)

# One of so many documents of a sample is kept from who writes rules. Cells by rules (wrong ones) in
# simulated drafts, of 1/2, 1/3, 1/4: 200 receipts 679 (15), 654 (15), 654 (15); 100 reports 920
# (15), 879 (13), 879 (13); 200 hotels 515, 515, 476 (0). No audit was tried with a half.
_HELD_BACK = 3
_MAX_RULES = 40  # of a column: a page has a wording for each layout and each author
MAX_MISSES = 12  # of a column in one lesson; the rest is of later ones
_LABELLED = 3  # words of a line that says what its value is
_BESIDE = 30  # characters on both sides that tell one way of saying a thing from others
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

    column: str
    pattern: str
    scope: Scope | None
    characters: int | None
    label: str | None
    pick: Literal["first", "last", "max", "unique"] | None
    need: tuple[str, ...]
    veto: tuple[str, ...]
    means: str | None
    map: tuple[Mapped, ...]


class RulesReply(ReplyContent):
    """The rules for the columns of one prompt."""

    rules: tuple[RuleReply, ...]


@dataclass(frozen=True, slots=True)
class Miss:
    """What a reader found, and *rule* took for something else, or all missed where it is None."""

    document_id: str
    label: Cell
    rule: WrittenRule | None = None
    taken: Cell | None = None


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a model is shown of columns: what was read in documents (*labels*), or rules *miss*."""

    attributes: tuple[Attribute, ...]
    documents: tuple[DocumentText, ...]
    labels: Labels
    misses: Mapping[str, Sequence[Miss]] = field(default_factory=dict)

    def narrowed(self, attributes: Sequence[Attribute]) -> "Lesson":
        """Return the same for some of the columns."""
        return replace(self, attributes=tuple(attributes))


def may_be_ruled(cells: Mapping[str, Cell]) -> bool:
    """Whether documents have words for enough of what was read of a column."""
    stated = [cell for cell in cells.values() if cell.span and Mark.DERIVED not in cell.marks]
    return len(stated) >= FEWEST_RIGHT


def hold_back(known: Mapping[str, Mapping[str, Cell]], sample: Sequence[str]) -> tuple[str, ...]:
    """Return the last documents of *sample*, a third at most, which who writes rules never sees."""
    held: list[str] = []
    said = {
        name: {key for key in sample if key in cells and cells[key].span}
        for name, cells in known.items()
    }
    for key in reversed(sample):
        is_spare = all(key not in keys or len(keys) > FEWEST_RIGHT for keys in said.values())
        if len(held) < len(sample) // _HELD_BACK and is_spare:
            held.append(key)
            said = {name: keys - {key} for name, keys in said.items()}
    return tuple(held)


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
    """Show what was read of the columns of *lesson*, and the documents that have no rules yet."""
    new = [item for item in lesson.attributes if item.name not in lesson.misses]
    documents = lesson.documents if new else ()
    keys = {item.document_id: f"d{n}" for n, item in enumerate(documents, start=1)}
    shown = {}
    for document in documents:
        cells = (lesson.labels[item.name].get(document.document_id) for item in new)
        places = [cell.span for cell in cells if cell is not None and cell.span is not None]
        head = Span(0, min(_HEAD, len(document.text)))
        text = choose_around(document.text, [head, *places], _AROUND).shown
        shown[keys[document.document_id]] = Excerpt(document, text)
    mark = fence("".join(item.shown for item in shown.values()))
    texts = {item.document_id: item.text for item in lesson.documents}
    return render_prompt(
        "write_rules",
        "rules",
        subject=", ".join(item.name for item in lesson.attributes),
        documents="\n\n".join(show_document(key, item, mark) for key, item in shown.items())
        or "(No documents: each of these columns has rules.)",
        columns="\n\n".join(
            _describe_misses(item, lesson.misses[item.name], texts)
            if item.name in lesson.misses
            else _describe(item, lesson, keys)
            for item in lesson.attributes
        ),
    )


def _describe(attribute: Attribute, lesson: Lesson, keys: Mapping[str, str]) -> str:
    """Show what was read, a line for all documents that say the same, and those that do not."""
    said: defaultdict[str, list[str]] = defaultdict(list)
    silent = list[str]()
    for document_id, key in keys.items():
        cell = lesson.labels[attribute.name].get(document_id)
        if cell is None or cell.state is State.FAILED:
            continue
        if cell.state is State.NOT_MENTIONED:
            silent.append(key)
            continue
        value, words = _say(cell), _tidy(cell.as_stated or "")
        said[value if value == words else f"{value} “{words}”"].append(key)
    lines = [f"  {', '.join(found)}: {text}" for text, found in said.items()]
    lines += [f"  not mentioned: {', '.join(silent)}"] if silent else []
    return "\n".join([f"- {describe_attribute(attribute)}", *lines])


def choose_shown(misses: Sequence[Miss], texts: Mapping[str, str]) -> list[tuple[Miss, int]]:
    """Choose one of each way of saying a column, and how many are alike, those said most first."""
    alike: defaultdict[str, list[Miss]] = defaultdict(list)
    for miss in misses:
        is_fall = miss.rule is not None
        kind = miss.rule.pattern if miss.rule else _kind(texts[miss.document_id], miss.label)
        alike[f"{is_fall} {kind}"].append(miss)
    found = sorted(alike.values(), key=len, reverse=True)[:MAX_MISSES]
    return [(alike[0], len(alike)) for alike in found]


def _describe_misses(attribute: Attribute, misses: Sequence[Miss], texts: Mapping[str, str]) -> str:
    lines = [f"- {describe_attribute(attribute)}"]
    for miss, n in choose_shown(misses, texts):
        text = texts[miss.document_id]
        found = f"{_say(miss.label)}{_line_of(text, miss.label)}"
        said = f"missed: {found}"
        if miss.rule is not None and miss.taken is not None:
            took = f"{_say(miss.taken)}{_line_of(text, miss.taken)}"
            said = f"fell: {miss.rule.pattern} took {took}; the reader found {found}"
        lines.append(f"  {said}" + (f" ({n} times alike)" if n > 1 else ""))
    return "\n".join(lines)


_DIGITS = re.compile(r"\d+")
_CAPITALISED = re.compile(r"\b[^\W\d_a-z][\w'’-]*(?:\s+[^\W\d_a-z][\w'’-]*)*")


def _line_part(text: str, span: Span, reach: int) -> Span:
    """Return *span* with up to *reach* characters on both sides, within its lines."""
    start, end = text.rfind("\n", 0, span.start) + 1, text.find("\n", span.end)
    end = len(text) if end < 0 else end
    return Span(max(start, span.start - reach), min(end, span.end + reach))


def _kind(text: str, cell: Cell) -> str:
    """Return how a cell is said, without numbers and, where small letters tell them, names."""
    if cell.span is None:
        return cell.state.value
    around = _line_part(text, cell.span, max(0, _BESIDE - (cell.span.end - cell.span.start)))
    said = _DIGITS.sub("0", around.of(text))
    return _CAPITALISED.sub("A", said) if any(map(str.islower, said)) else said


def _line_of(text: str, cell: Cell) -> str:
    """Return what says a cell, in its line, in quotation marks; empty where nothing does."""
    if cell.span is None:
        return ""
    reach = max(0, _LONGEST_SHOWN - (cell.span.end - cell.span.start)) // 2
    part = _line_part(text, cell.span, reach)
    is_first, is_last = not part.start or text[part.start - 1] == "\n", text[part.end :][:1] in "\n"
    words = " ".join(part.of(text).split())
    if is_first and is_last and len(words.split()) < _LABELLED:
        above = _tidy(text[: part.start].rstrip().rpartition("\n")[2])  # it may be the label
        words = f"{above} ⏎ {words}" if above else words
    return f" “{'⏎ ' if is_first else '…'}{words}{' ⏎' if is_last else '…'}”"


def _say(cell: Cell) -> str:
    if cell.state is State.NOT_MENTIONED:
        return "not mentioned"
    return "none" if cell.value is None else _tidy(str(cell.value))


def _tidy(words: str) -> str:
    return shorten(" ".join(words.split()), _LONGEST_SHOWN)


async def _ask(model: LanguageModel, lesson: Lesson) -> dict[str, tuple[WrittenRule, ...]]:
    """Ask for rules; one that cannot be used is left out, and costs none of the others."""
    asked = await ask_for(model, render_rules_prompt(lesson), RulesReply)
    rules: dict[str, list[WrittenRule]] = {item.name: [] for item in lesson.attributes}
    for reply in asked.content.rules:
        rule, own = _read_rule(reply), rules.get(reply.column)
        if own is None or len(own) >= _MAX_RULES or isinstance(rule, str) or rule in own:
            why = rule if isinstance(rule, str) else "no such column, twice, or too many"
        else:
            why = refuse_rule(rule, lesson.documents)
            own += [] if why else [rule]
        if why:
            logger.info("rule of %s left out: %s", reply.column, why)
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
