"""The trial of rules: one audit, on documents that taught nothing, decides how far they are let."""

import random
from collections.abc import Collection
from dataclasses import replace

import pytest

from srag_mcp.cells.cell import Cell
from srag_mcp.rules.trial import Trial, TriedColumn, Trust, try_column
from srag_mcp.rules.voting import (
    LIMIT,
    RISK,
    Look,
    Read,
    Verdict,
    has_failed,
    plan_audit,
    recount,
    upper_bound,
)
from srag_mcp.schema.attribute import Attribute, WrittenRule
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State

N = 400
ORDER = [f"{n:03}.txt" for n in range(N)]
COMMON, RARE = WrittenRule(pattern="x"), WrittenRule(pattern="y")
MASS = Attribute(name="mass", type="integer", rules=(COMMON, RARE))
LEARNED = tuple(ORDER[:12])
PLAN = plan_audit(N - len(LEARNED))
AUDITED = range(12, 12 + PLAN.n_audited)


def cell(value: int | None) -> Cell:
    if value is None:
        return Cell("mass", State.NOT_MENTIONED)
    return Cell("mass", State.STATED, str(value), Span(0, 3), value=value)


def states(n: int) -> bool:
    return n % 5 < 4


TRUTH = {key: cell(n if states(n) else None) for n, key in enumerate(ORDER)}


def tried(
    wrong: Collection[int] = (), missed: Collection[int] = (), rare: Collection[int] = ()
) -> TriedColumn:
    """Let the common rule read all but *missed* and *rare*, which the other reads."""
    common = {
        key: cell(n + (n in wrong))
        for n, key in enumerate(ORDER)
        if states(n) and n not in missed and n not in rare
    }
    other: Read = {ORDER[n]: cell(n + (n in wrong)) for n in rare}
    return try_column(MASS, Trial(LEARNED), [common, other], TRUTH, ORDER)


def audited(column: TriedColumn, untold: Collection[int] = ()) -> TriedColumn:
    labels = {key: TRUTH[key] for key in ORDER[: AUDITED.stop]}
    return column.audited(ORDER, labels, {*ORDER} - {ORDER[n] for n in untold}, {})


SPOKEN = [20, 21, 22, 23, 100]


@pytest.mark.parametrize(
    ("column", "untold", "trust"),
    [
        (tried(), (), Trust.SILENCE),
        (tried(missed=[30], rare=SPOKEN), (), Trust.SPOKEN),
        (tried(wrong=[21], rare=SPOKEN), (), Trust.PASSAGES),
        (tried(missed=[30], rare=SPOKEN), [30], Trust.PROVEN),
        (tried(wrong=[30], rare=SPOKEN), (), Trust.NOTHING),
    ],
)
def test_what_an_audit_finds_wrong_decides_how_far_rules_are_let(
    column: TriedColumn, untold: Collection[int], trust: Trust
) -> None:
    assert PLAN.n_allowed == 0
    after = audited(column, untold)
    audit = after.attribute.audit
    assert after.trust is trust
    assert audit is not None
    assert (audit.cells, audit.audited) == (N - len(LEARNED), PLAN.n_audited)
    assert audit.holds == (trust > Trust.NOTHING)
    assert audit.bound == pytest.approx(LIMIT, abs=0.004) if audit.holds else audit.bound == 1
    assert any(ruling.is_taken for ruling in after.rulings.values()) == audit.holds


def test_the_step_that_spares_more_documents_is_tried_before_the_other() -> None:
    rare = [n for n in range(12, N) if states(n) and n not in {30, 40}]
    column = tried(missed=[30], rare=rare)
    assert Trust.PASSAGES not in column.steps
    after = audited(column, untold=[30])  # which ends the other order at once
    assert after.trust is Trust.RULED
    assert after.rulings[ORDER[100]].is_taken
    assert after.is_open(ORDER[30])
    assert audited(column).trust is Trust.SPOKEN
    assert audited(tried(wrong=[21], rare=rare)).trust is Trust.PROVEN
    assert not audited(tried(wrong=[21], rare=rare)).rulings[ORDER[100]].is_taken


def test_a_rule_that_the_audit_proves_decides_as_well() -> None:
    before = tried(rare=SPOKEN)
    after = audited(before)
    assert before.rulings[ORDER[100]].verdict is Verdict.UNPROVEN
    assert after.rulings[ORDER[100]].is_taken
    assert audited(tried(rare=[20, 100])).rulings[ORDER[100]].is_taken, "as the audit counted it"
    assert not audited(tried(missed=[30], rare=[20, 100], wrong=[40])).rulings[ORDER[100]].is_taken


def test_what_a_writer_was_shown_proves_no_rule_and_may_deny_it() -> None:
    every = {key: cell(n) for n, key in enumerate(ORDER) if states(n)}
    wrong = every | {ORDER[0]: cell(7)}
    held = [key for key in LEARNED[8:] if states(ORDER.index(key))]
    for shown, verdict in ((LEARNED[:8], Verdict.PROVEN), (LEARNED, Verdict.UNPROVEN)):
        column = try_column(MASS, Trial(LEARNED, shown), [every, {}], TRUTH, ORDER)
        assert column.attribute.rules[0].right == (len(held) if shown != LEARNED else 0)
        assert column.rulings[ORDER[100]].verdict is verdict
        after = audited(column).attribute.rules[0]
        assert after.right >= column.attribute.rules[0].right + 3, "an audit is held back, too"
        denied = try_column(MASS, Trial(LEARNED, shown), [wrong, {}], TRUTH, ORDER)
        assert denied.rulings[ORDER[100]].verdict is Verdict.SILENT


def test_an_audit_lets_nothing_be_decided_that_was_not_before_it() -> None:
    contradicted = [COMMON, WrittenRule(pattern="z")]
    attribute = MASS.model_copy(update={"rules": tuple(contradicted)})
    common = {key: cell(n) for n, key in enumerate(ORDER) if states(n)}
    other = {ORDER[n]: cell(n + 1) for n in (20, 100)}
    before = try_column(attribute, Trial(LEARNED), [common, other], TRUTH, ORDER)
    after = audited(before)
    assert after.trust is Trust.SILENCE  # what contradicts itself is read, and wrong nowhere
    assert after.attribute.rules[1].wrong == 1
    assert after.rulings[ORDER[100]].verdict is Verdict.CONFLICT


def test_rules_that_leave_more_than_they_spare_lose_their_bound_and_decide_what_they_did() -> None:
    missed, rare = [30, *range(102, N, 5)], range(101, N, 5)
    column = audited(tried(missed=missed, rare=rare), untold=[30])
    assert column.trust is Trust.PROVEN
    n_taken = sum(ruling.is_taken for ruling in column.rulings.values())
    assert 100 < n_taken < N / 2
    left = column.left_to_reading()
    assert left.trust is Trust.NOTHING
    assert left.attribute.certificate is None
    assert not column.rulings[ORDER[101]].is_taken
    assert left.rulings[ORDER[101]].is_taken, "what only the audit proves is read otherwise"
    assert {key for key in ORDER if not left.is_open(key)} > {
        key for key in ORDER if not column.is_open(key)
    }
    again = try_column(left.attribute, left.trial, left.read, TRUTH, ORDER)
    assert audited(again, untold=[30]).left_to_reading().rulings == left.rulings
    column = audited(tried(wrong=[21], missed=missed, rare=[21, *rare]), untold=[30])
    assert column.left_to_reading().rulings == column.rulings, "the audit finds it wrong"
    spared = audited(tried(missed=[30], rare=SPOKEN), untold=[30])
    assert spared.left_to_reading() is spared
    assert spared.attribute.certificate is not None


def test_an_audit_that_is_not_read_to_its_end_shows_nothing() -> None:
    labels = {key: TRUTH[key] for key in ORDER[: AUDITED.stop - 1]}
    assert tried().audited(ORDER, labels, ORDER, {}).trust is Trust.NOTHING


def test_a_column_that_failed_is_not_audited_until_it_holds_by_chance() -> None:
    failed = audited(tried(wrong=[30]))
    again = try_column(failed.attribute, failed.trial, tried().read, TRUTH, ORDER)
    assert audited(again).trust is Trust.NOTHING


@pytest.mark.parametrize("n_steps_wrong", [1, 2, 3, 4])
def test_the_steps_of_one_audit_share_its_risk(n_steps_wrong: int) -> None:
    """Whatever step is the first to be wrong too often: hardly ever is it taken, or a later one."""
    chance, n_false, n_audits = random.Random(n_steps_wrong), 0, 100
    n_bad = int(LIMIT * (N - len(LEARNED))) + 1
    stated = [n for n in range(12, N) if states(n)]
    steps = (Trust.PROVEN, Trust.PASSAGES, Trust.SILENCE, Trust.RULED)
    first = steps[n_steps_wrong - 1]
    for _ in range(n_audits):
        bad = chance.sample(stated, n_bad)
        column = tried(missed=bad)
        if first in {Trust.PROVEN, Trust.RULED}:
            column = tried(wrong=bad, rare=stated if first is Trust.RULED else ())
        n_false += audited(column, bad if first is Trust.PASSAGES else ()).trust >= first
    assert n_false <= RISK * n_audits + 3 * (RISK * (1 - RISK) * n_audits) ** 0.5


def test_a_second_look_counts_no_cell_of_the_first_and_has_half_of_the_risk() -> None:
    units, plan = Trial(LEARNED, look=Look.FIRST).draw(ORDER)
    seen = units[: plan.n_audited]
    trial = Trial((*LEARNED, *seen), look=Look.SECOND)
    units, plan = trial.draw(ORDER)
    assert not {*units} & {*LEARNED, *seen}
    inside, behind = (ORDER.index(units[n]) for n in (plan.n_audited - 1, plan.n_audited))
    assert states(inside)
    for wrong, trust in (([ORDER.index(seen[0])], True), ([behind], True), ([inside], False)):
        column = replace(tried(wrong=wrong), trial=trial)
        audit = column.audited(ORDER, TRUTH, ORDER, {}).attribute.audit
        assert audit is not None
        assert (audit.cells, audit.audited, audit.holds) == (len(units), plan.n_audited, trust)
        bound = round(upper_bound(len(units), plan.n_audited, 0, Look.SECOND), 4)
        assert audit.bound == (bound if trust else 1)
        assert has_failed(audit) is not trust
        assert not trust or recount(recount(audit, 1), -1).bound == bound


def test_what_no_rule_finds_is_learnt_from_the_last_documents() -> None:
    column = tried(missed=[3, 7], wrong=[5])
    found = [(miss.document_id, miss.rule) for miss in column.misses(ORDER[6:12], TRUTH)]
    assert found[0][0] == ORDER[5]
    assert found[0][1] is not None
    assert (ORDER[7], None) in found
    assert (ORDER[3], None) not in found


def test_the_few_lowest_and_highest_values_are_read_whatever_rules_say() -> None:
    open_ends = audited(tried()).with_open_ends()
    stated = [n for n in range(N) if states(n)]
    assert [n for n in stated if open_ends.is_open(ORDER[n])] == [*stated[:3], *stated[-3:]]
    assert audited(tried()).with_open_ends().trust is Trust.SILENCE


def test_a_value_that_many_documents_have_is_no_end() -> None:
    few = {key: cell(1 + n % 5) for n, key in enumerate(ORDER)}
    column = try_column(MASS, Trial(LEARNED), [few, {}], few, ORDER).with_open_ends()
    assert not any(map(column.is_open, ORDER))
