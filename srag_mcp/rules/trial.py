"""The trial of a column's rules: what they leave open, and how much an audit lets them decide."""

import logging
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any, Literal

from pydantic import ValidationError

from srag_mcp.cells.cell import Cell, DocumentText, Mark
from srag_mcp.claims.captions import line_at
from srag_mcp.claims.figures import is_same_value
from srag_mcp.errors import ModelError, SchemaError
from srag_mcp.model.language_model import LanguageModel, Prompt, fence, render_prompt
from srag_mcp.model.reply_content import (
    ReplyContent,
    ReplyElement,
    ask_all,
    ask_for,
    describe_misfits,
)
from srag_mcp.records.record_prompt import Excerpt, choose_around, describe_attribute, show_document
from srag_mcp.rules.extraction import find_matches
from srag_mcp.rules.voting import (
    FEWEST_RIGHT,
    Look,
    Plan,
    Read,
    Ruling,
    Verdict,
    agrees,
    has_failed,
    known_value,
    plan_audit,
    recount,
    rule_on,
    score_rules,
    upper_bound,
)
from srag_mcp.schema.attribute import Attribute, Audit, Scope, WrittenRule
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

    async def write(part: Lesson) -> None:
        rules.update(await _ask(model, part))

    def warn(part: Lesson, error: ModelError) -> None:
        logger.warning("no rules for %d columns: %s", len(part.attributes), error)

    await ask_all(_split(lesson, prompt_tokens), write, warn)
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
        text = choose_around(document.text, [head, *places], _AROUND)
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
    line = line_at(text, span)
    return Span(max(line.start, span.start - reach), min(line.end, span.end + reach))


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


_SINGLE = frozenset({Verdict.AGREED, Verdict.PROVEN, Verdict.UNPROVEN})
_DECIDED = {Verdict.UNPROVEN: Verdict.PROVEN}
_OPENED = dict.fromkeys(_SINGLE, Verdict.UNPROVEN)
_AT_EITHER_END = 3  # documents: questions for the highest ask for one, or for the top three


class Trust(IntEnum):
    """What of a column is not read whole; each step decides all that those before it do, and more.

    `NOTHING`: the model reads it, where words tell it if any are known, but for what rules decide
    that only leave too much open; no bound is told, as of what it reads of long documents.
    `PROVEN`: rules decide that agree at different places, and proven ones. `RULED`: and those that
    only the audit proves. `PASSAGES`, in its place: a document that rules do not decide is read
    where a word tells the column, if there is any. `SPOKEN`: both of these. `SILENCE`: a document
    in which no rule speaks is not read.

    So one audit serves all steps: to take one that is wrong too often is no likelier than to take
    the first of these. A step that is likelier to be wrong comes later; which of the two is second
    is known before the audit, by what each of them spares, see `TriedColumn.steps`.
    """

    NOTHING = 0
    PROVEN = 1
    RULED = 2
    PASSAGES = 3
    SPOKEN = 4
    SILENCE = 5


@dataclass(frozen=True, slots=True)
class Trial:
    """How far the rules of a column have come; what is kept of it between ingestions.

    Attributes:
        learned: The documents by which the rules were written and scored: none of them is audited.
        shown: Those that a writer of them saw: no rule is proven by these.
        look: Which audit is its next one, or was its last.
        is_over: Whether the rules are as they stay.
    """

    learned: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    look: Look = Look.ONLY
    is_over: bool = False

    def draw(self, order: Iterable[str]) -> tuple[list[str], Plan]:
        """Return the cells that an audit speaks for, in *order*, and how many of them it reads."""
        learned = {*self.learned}
        units = [key for key in order if key not in learned]
        return units, plan_audit(len(units), self.look)


@dataclass(frozen=True, slots=True)
class TriedColumn:
    """A column with its rules, and what they say of all documents.

    Attributes:
        attribute: Its rules scored by the documents that were learnt from, and by no others: so an
            audit finds them as they were before it.
        read: What each rule reads.
        rulings: By document; of those that a later audit contradicts nothing is taken any more.
        trust: What its audit allows.
        spoken: The rulings for it without a bound; empty for the same.
    """

    attribute: Attribute
    trial: Trial
    read: Sequence[Read]
    rulings: Mapping[str, Ruling]
    trust: Trust = Trust.PROVEN
    spoken: Mapping[str, Ruling] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Of the attribute."""
        return self.attribute.name

    @property
    def speaking(self) -> set[str]:
        """The patterns of the rules that were never wrong."""
        return {rule.pattern for rule in self.attribute.rules if not rule.wrong}

    def common_values(self, most: int) -> list[str]:
        """Return what rules read in several documents, as it is stated, the commonest first."""
        cells = (cell for read in self.read for cell in read.values() if cell.as_stated)
        counts = Counter(cell.as_stated or "" for cell in cells)
        return [value for value, n in counts.most_common(most) if n > 1]

    def is_open(self, key: str) -> bool:
        """Whether its rules do not decide a document, as far as is known before an audit."""
        return not self.rulings[key].is_taken

    def is_sought(self, key: str) -> bool:
        """Whether a document is read for it; where no rule speaks, that may be known to be idle."""
        is_known = self.trust >= Trust.SILENCE and self.rulings[key].verdict is Verdict.SILENT
        return self.is_open(key) and not is_known

    @property
    def is_bounded(self) -> bool:
        """Whether its bound covers no silence of passages: a silent document is read whole."""
        return Trust.NOTHING < self.trust < Trust.PASSAGES

    def misses(self, batch: Sequence[str], labels: Mapping[str, Cell]) -> Iterator[Miss]:
        """Yield what the rules that fell took wrong, and what none of them found in *batch*."""
        for key in self.trial.learned:
            label = labels.get(key)
            if label is None or label.state is State.FAILED:
                continue
            for rule, read in zip(self.attribute.rules, self.read, strict=True):
                taken = read.get(key)
                value = known_value(self.attribute, label)
                if rule.wrong and taken is not None and not is_same_value(taken.value, value):
                    yield Miss(key, label, rule, taken)
            ruling = self.rulings[key]
            is_silent = key in batch and ruling.verdict is Verdict.SILENT
            if is_silent and not agrees(self.attribute, ruling, label):
                yield Miss(key, label)

    def audited(
        self,
        order: Sequence[str],
        labels: Mapping[str, Cell],
        told: Collection[str],
        corrected: Mapping[str, Cell],
    ) -> "TriedColumn":
        """Return it with its audit: of the cells that were not learnt from, the first of *order*.

        *labels* are known cells, among them those that persons *corrected*: what is wrong of these
        counts beside what was drawn. *told*: the documents that state it where it is looked for.
        """
        units, plan = self.trial.draw(order)
        audited = [key for key in units[: plan.n_audited] if key in labels]
        steps = self.steps
        faults = [self._fault(key, labels[key], steps, is_told=key in told) for key in audited]
        trust, n_wrong = Trust.NOTHING, 0
        for step in steps if len(audited) == plan.n_audited > 0 else ():
            n_found = sum(fault <= step for fault in faults)
            if n_found > plan.n_allowed:
                n_wrong = n_wrong if trust else n_found
                break
            trust, n_wrong = step, n_found
        before = self.attribute.audit
        if before is not None and has_failed(before):  # it was tried, and is not again
            trust = Trust.NOTHING
        holds, look = trust > Trust.NOTHING, self.trial.look
        audit = Audit(
            cells=len(units),
            audited=len(audited),
            wrong=n_wrong,
            bound=round(upper_bound(len(units), len(audited), n_wrong, look), 4) if holds else 1.0,
            holds=holds,
            reads_silence=trust >= Trust.SILENCE,
            look=look,
        )
        besides = corrected.keys() & {*units} - {*audited}
        n_besides = sum(
            self._fault(key, corrected[key], steps, is_told=False) <= trust for key in besides
        )
        audit = recount(audit, n_besides)
        trust = trust if audit.holds else Trust.NOTHING
        known = {key: labels[key] for key in {*self.trial.learned, *audited} & labels.keys()}
        scored = score_rules(self.attribute, self.read, known, self.trial.shown)
        attribute = self.attribute.model_copy(update={"rules": scored, "audit": audit})
        after = rule_on(attribute, self.read, self.rulings)
        rulings, looked_at = dict(self._narrowed(after, trust)), (*audited, *besides)
        faults = [self._fault(key, labels[key], (*Trust,), is_told=False) for key in looked_at]
        is_spoken = (
            trust is Trust.PROVEN and sum(x <= Trust.RULED for x in faults) <= plan.n_allowed
        )
        spoken = dict(self._narrowed(after, Trust.RULED)) if is_spoken else {}
        return replace(self, attribute=attribute, rulings=rulings, trust=trust, spoken=spoken)

    @property
    def steps(self) -> tuple[Trust, ...]:
        """What the audit allows, one after the other: what spares more documents comes first."""
        counts = Counter(ruling.verdict for ruling in self.rulings.values())
        is_spoken = counts[Verdict.UNPROVEN] > counts[Verdict.SILENT]
        left_out = Trust.PASSAGES if is_spoken else Trust.RULED
        return tuple(step for step in Trust if step is not left_out)

    def _fault(self, key: str, label: Cell, steps: Collection[Trust], *, is_told: bool) -> int:
        """Return the first of *steps* that gets a document wrong, or one that none takes."""
        has_ruled = Trust.RULED in steps
        ruling, none = self.rulings[key], max(Trust) + 1
        if label.state is State.FAILED:
            return Trust.PROVEN
        if ruling.is_taken:
            return none if agrees(self.attribute, ruling, label) else Trust.PROVEN
        is_split = ruling.verdict is Verdict.CONFLICT
        if not is_split and agrees(self.attribute, ruling, label):
            return none
        speaks = ruling.verdict in _SINGLE
        if speaks and has_ruled:
            return Trust.RULED
        if not is_told and label.state is not State.NOT_MENTIONED:
            return Trust.SPOKEN if has_ruled else Trust.PASSAGES
        if is_split:
            return none
        return Trust.SPOKEN if speaks else Trust.SILENCE

    def with_open_ends(self) -> "TriedColumn":
        """Return it so that its few lowest and highest values are read, whatever rules say.

        An audit lets one cell of twenty be wrong, and that one is likeliest where it is far from
        the others; an answer with the lowest or the highest rests on it alone.
        """
        if not self.attribute.type.is_ordered:
            return self
        at: defaultdict[object, list[str]] = defaultdict(list)
        for key, ruling in self.rulings.items():
            if ruling.is_taken:
                at[ruling.cells[0].value].append(key)
        ends = {key for order in (False, True) for key in _first(at, is_falling=order)}
        rulings = {
            key: replace(ruling, verdict=_OPENED[ruling.verdict]) if key in ends else ruling
            for key, ruling in self.rulings.items()
        }
        return replace(self, rulings=rulings)

    def left_to_reading(self) -> "TriedColumn":
        """Return it without its bound where rules leave more to be read than they spare.

        As long as there is one, these are read whole: the audit covers no silence of passages. What
        rules decide stays, and what only the audit proves: of that it found little enough wrong.
        """
        n_taken = sum(ruling.is_taken for ruling in self.rulings.values())
        audit = self.attribute.audit
        if audit is None or self.trust >= Trust.PASSAGES or 2 * n_taken >= len(self.rulings):
            return self
        audit = audit.model_copy(update={"holds": False, "bound": 1.0})
        attribute = self.attribute.model_copy(update={"audit": audit})
        rulings = self.spoken or self.rulings
        return replace(self, attribute=attribute, rulings=rulings, trust=Trust.NOTHING)

    def _narrowed(
        self, rulings: Mapping[str, Ruling], trust: Trust
    ) -> Iterator[tuple[str, Ruling]]:
        """Yield what is decided now, as far as it was to be decided before the audit."""
        takes_spoken = trust is Trust.RULED or trust >= Trust.SPOKEN
        for key, ruling in rulings.items():
            before = self.rulings[key]
            # an audit counts what is unproven as if it were taken
            speaks = ruling.is_taken or (takes_spoken and ruling.verdict in _SINGLE)
            is_let = takes_spoken or (before.is_taken and trust >= Trust.PROVEN)
            if before.verdict in _SINGLE and speaks and is_let:
                yield key, replace(ruling, verdict=_DECIDED.get(ruling.verdict, ruling.verdict))
            else:
                yield key, replace(before, verdict=_OPENED.get(before.verdict, before.verdict))


def _first(at: Mapping[Any, Sequence[str]], *, is_falling: bool) -> Iterator[str]:
    """Yield the documents of the first values of *at*, as many as have room at an end."""
    room = _AT_EITHER_END
    for value in sorted(at, reverse=is_falling):
        room -= len(at[value])
        if room < 0:
            return
        yield from at[value]


def try_column(
    attribute: Attribute,
    trial: Trial,
    read: Sequence[Read],
    labels: Mapping[str, Cell],
    order: Iterable[str],
) -> TriedColumn:
    """Score the rules of *attribute* by what was learnt, and let them decide all documents."""
    known = {key: labels[key] for key in trial.learned if key in labels}
    scored = score_rules(attribute, read, known, trial.shown)
    attribute = attribute.model_copy(update={"rules": scored})
    return TriedColumn(attribute, trial, read, rule_on(attribute, read, order))
