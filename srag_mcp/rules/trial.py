"""The trial of a column's rules: learnt from some documents, practised and tested on others."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from srag_mcp.cells.cell import Cell
from srag_mcp.claims.agreement import is_same_value
from srag_mcp.rules.audit import LIMIT, MAX_TESTS, Plan, conclude, plan_audit, recount
from srag_mcp.rules.voting import (
    FEWEST_RIGHT,
    Read,
    Ruling,
    Verdict,
    agrees,
    known_value,
    rule_on,
    score_rules,
)
from srag_mcp.rules.writing import Miss
from srag_mcp.schema.attribute import Attribute, Audit
from srag_mcp.values.states import State

_MAX_LESSONS = 6  # the last ones bring little: what they would cover is read


@dataclass(frozen=True, slots=True)
class Trial:
    """How far the rules of a column have come; what is kept of it between ingestions.

    Attributes:
        learned: The documents by which the rules were written and scored: none of them tests them.
        n_lessons: So often rules were asked for.
        n_tests: So many tests were begun. A test is an audit of documents that are drawn by chance.
        practises: Whether documents that are read next only show if it is time for a test.
        is_over: Whether there will be no other one.
    """

    learned: tuple[str, ...] = ()
    n_lessons: int = 0
    n_tests: int = 0
    practises: bool = True
    is_over: bool = False

    def tested(self) -> "Trial":
        """Return it with a test begun, or over where there may be no other one."""
        is_over = self.n_tests >= MAX_TESTS
        n_tests = self.n_tests + (not is_over)
        return replace(self, practises=False, n_tests=n_tests, is_over=is_over)


class Sort(StrEnum):
    """What the rules make of a document that was read.

    `RIGHT`; `WRONG`: they take another value; `MISSED`: they say nothing where it states one;
    `OPEN`: what they say is not to be taken.
    """

    RIGHT = "right"
    WRONG = "wrong"
    MISSED = "missed"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class TriedColumn:
    """A column with its rules, and what they say of all documents, in the order of the draw.

    Attributes:
        attribute: Its rules scored by the documents that were learnt from, and by no others: so a
            test finds them as they were before it.
        order: All documents, by chance.
        read: What each rule reads.
        rulings: By document.
        reads_silence: Whether a document in which no rule speaks does not mention it.
        units: What is decided but for the documents that were learnt from: a test draws of these.
        plan: Of the test.
    """

    attribute: Attribute
    trial: Trial
    order: Sequence[str]
    read: Sequence[Read]
    rulings: Mapping[str, Ruling]
    reads_silence: bool
    units: tuple[str, ...]
    plan: Plan

    @property
    def n_taken(self) -> int:
        """In how many documents the rules read a value."""
        return sum(ruling.is_taken for ruling in self.rulings.values())

    def wants(self, labels: Mapping[str, Cell], n_batch: int) -> Iterator[str]:
        """Yield the documents to be read next, those that practice needs or all of the test."""
        learned = {*self.trial.learned}
        if self.trial.is_over:
            return
        if not self.trial.practises:
            yield from (key for key in self.units[: self.plan.n_audited] if key not in labels)
            return
        fresh = [key for key in self.order if key not in learned][:n_batch]
        yield from (key for key in fresh if key not in labels)

    def sort(self, key: str, label: Cell) -> Sort:
        """Say what the rules make of a document, of which *label* is known."""
        ruling = self.rulings[key]
        if ruling.is_taken or ruling.verdict is Verdict.SILENT:
            if agrees(self.attribute, ruling, label):
                return Sort.RIGHT
            return Sort.WRONG if ruling.is_taken else Sort.MISSED
        return Sort.OPEN

    def audit(
        self, labels: Mapping[str, Cell], corrected: Mapping[str, Cell] | None = None
    ) -> Audit:
        """Return what its test says by now, and what persons *corrected* beside it."""
        tested = [key for key in self.units[: self.plan.n_audited] if key in labels]
        found = [not agrees(self.attribute, self.rulings[key], labels[key]) for key in tested]
        audit = conclude(self.plan, len(self.units), found, reads_silence=self.reads_silence)
        besides = (corrected or {}).keys() & {*self.units} - {*tested}
        n_wrong = sum(self.sort(key, (corrected or {})[key]) is not Sort.RIGHT for key in besides)
        return recount(audit, n_wrong)

    def is_failed(self, labels: Mapping[str, Cell]) -> bool:
        """Whether its test has found more wrong cells than it may."""
        return not self.trial.practises and self.audit(labels).wrong > self.plan.n_allowed

    def is_same(self, taken: Cell, label: Cell) -> bool:
        """Whether a rule takes what was read."""
        return is_same_value(taken.value, known_value(self.attribute, label))

    def is_ready(self, labels: Mapping[str, Cell]) -> bool:
        """Whether what the rules make of *labels* speaks for a test.

        None is wrong, and hardly any is left undecided.
        """
        sorts = [self.sort(key, label) for key, label in _known(labels).items()]
        n_left = sum(sort in {Sort.MISSED, Sort.OPEN} for sort in sorts)
        is_enough = len(sorts) >= FEWEST_RIGHT and n_left <= LIMIT * len(sorts)
        return is_enough and Sort.WRONG not in sorts

    def misses(self, labels: Mapping[str, Cell]) -> Iterator[Miss]:
        """Yield what the rules took wrong, or missed, of the documents that were learnt from."""
        for key in self.trial.learned:
            label = labels.get(key)
            if label is None or label.state is State.FAILED:
                continue
            for rule, read in zip(self.attribute.rules, self.read, strict=True):
                taken = read.get(key)
                if rule.wrong and taken is not None and not self.is_same(taken, label):
                    yield Miss(key, label, rule, taken)
            if self.sort(key, label) is Sort.MISSED:
                yield Miss(key, label)

    def advanced(self, labels: Mapping[str, Cell]) -> Trial:
        """Return the trial after documents were read: as it is, or with a test or a lesson due.

        A test is due where the documents that the rules had not seen have none that is wrong, and
        hardly any that is left undecided; a lesson where `learned` grows and it practises.
        """
        trial, learned = self.trial, {*self.trial.learned}
        everything = tuple(key for key in self.order if key in labels)
        if trial.is_over or (not trial.practises and not self.is_failed(labels)):
            return trial
        is_last = trial.n_tests >= MAX_TESTS or trial.n_lessons >= _MAX_LESSONS
        if not trial.practises:
            return replace(trial, learned=everything, practises=True, is_over=is_last)
        fresh = {key: labels[key] for key in everything if key not in learned}
        may_hold = not any(self.sort(*item) is Sort.WRONG for item in _known(fresh).items())
        if self.is_ready(fresh) or (is_last and may_hold):
            return replace(trial, learned=everything).tested()
        return replace(trial, learned=everything, is_over=is_last)


def try_column(
    attribute: Attribute,
    trial: Trial,
    read: Sequence[Read],
    labels: Mapping[str, Cell],
    order: Sequence[str],
) -> TriedColumn:
    """Score the rules of *attribute* by what was learnt, and let them decide all documents."""
    known = {key: labels[key] for key in trial.learned if key in labels}
    rules = score_rules(attribute, read, known)
    attribute = attribute.model_copy(update={"rules": rules})
    rulings = rule_on(attribute, read, order)
    silent = [key for key in _known(known) if rulings[key].verdict is Verdict.SILENT]
    n_missed = sum(not agrees(attribute, rulings[key], known[key]) for key in silent)
    # half of what a test lets through: with more of it, most tests would fall by silence
    reads_silence = len(silent) > n_missed and 2 * n_missed <= LIMIT * len(known)
    learned = {*trial.learned}
    units = tuple(
        key
        for key in order
        if key not in learned
        and (rulings[key].is_taken or (reads_silence and rulings[key].verdict is Verdict.SILENT))
    )
    plan = plan_audit(len(units))
    return TriedColumn(attribute, trial, order, read, rulings, reads_silence, units, plan)


def _known(labels: Mapping[str, Cell]) -> dict[str, Cell]:
    return {key: label for key, label in labels.items() if label.state is not State.FAILED}
