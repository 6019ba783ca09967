"""The trial of a column's rules: what they leave open, and how much an audit lets them decide."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any

from srag_mcp.cells.cell import Cell
from srag_mcp.claims.figures import is_same_value
from srag_mcp.rules.voting import (
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
from srag_mcp.rules.writing import Miss
from srag_mcp.schema.attribute import Attribute, Audit
from srag_mcp.values.states import State

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
        n_vain: So many lessons brought no rule.
        is_over: Whether the rules are as they stay.
    """

    learned: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    n_vain: int = 0
    is_over: bool = False


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
            if key in batch and self.is_missed(key, label):
                yield Miss(key, label)

    def is_missed(self, key: str, label: Cell) -> bool:
        """Whether no rule speaks in a document that states a value."""
        is_silent = self.rulings[key].verdict is Verdict.SILENT
        return is_silent and not agrees(self.attribute, self.rulings[key], label)

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
        learned = {*self.trial.learned}
        units = [key for key in order if key not in learned]
        plan = plan_audit(len(units))
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
        holds = trust > Trust.NOTHING
        audit = Audit(
            cells=len(units),
            audited=len(audited),
            wrong=n_wrong,
            bound=round(upper_bound(len(units), len(audited), n_wrong), 4) if holds else 1.0,
            holds=holds,
            reads_silence=trust >= Trust.SILENCE,
        )
        besides = corrected.keys() & {*units} - {*audited}
        n_besides = sum(
            self._fault(key, corrected[key], steps, is_told=False) <= trust for key in besides
        )
        audit = recount(audit, n_besides)
        trust = trust if audit.holds else Trust.NOTHING
        known = {key: labels[key] for key in {*learned, *audited} & labels.keys()}
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
