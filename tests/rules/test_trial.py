"""The trial of rules: what is learnt tests nothing, and a test is decided before it is begun."""

import random

import pytest

from srag_mcp.cells.cell import Cell
from srag_mcp.rules.audit import LIMIT, MAX_TESTS
from srag_mcp.rules.trial import Sort, Trial, TriedColumn, try_column
from srag_mcp.rules.voting import Read
from srag_mcp.schema.attribute import Attribute, WrittenRule
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State

N = 400
ORDER = [f"{n:03}.txt" for n in range(N)]
MASS = Attribute(name="mass", type="integer", rules=(WrittenRule(pattern="x"),))


def cell(value: int | None) -> Cell:
    if value is None:
        return Cell("mass", State.NOT_MENTIONED)
    return Cell("mass", State.STATED, str(value), Span(0, 3), value=value)


TRUTH = {key: cell(None if n % 5 == 4 else n) for n, key in enumerate(ORDER)}


def tried(read: Read, trial: Trial) -> TriedColumn:
    return try_column(MASS, trial, [read], TRUTH, ORDER)


def reading(wrong: set[int] = frozenset(), missed: set[int] = frozenset()) -> Read:  # type: ignore[assignment]
    found = {}
    for n, key in enumerate(ORDER):
        if n in wrong:
            found[key] = cell(n + 1)
        elif n % 5 < 4 and n not in missed:
            found[key] = cell(n)
    return found


def labels(n: int) -> dict[str, Cell]:
    return {key: TRUTH[key] for key in ORDER[:n]}


LEARNED = tuple(ORDER[:12])
PRACTICE = Trial(LEARNED, n_lessons=1)
TEST = PRACTICE.tested()


def test_practice_that_finds_nothing_wrong_begins_a_test_on_other_documents() -> None:
    column = tried(reading(), PRACTICE)
    assert [*column.wants(labels(12), 32)] == ORDER[12:44]
    trial = column.advanced(labels(44))
    assert trial == Trial(tuple(ORDER[:44]), 1, 1, practises=False)
    column = tried(reading(), trial)
    assert column.reads_silence
    assert column.units == tuple(ORDER[44:])
    assert [*column.wants(labels(44), 32)] == ORDER[44 : 44 + column.plan.n_audited]
    assert column.advanced(labels(60)) == trial  # half of it says nothing yet
    assert column.audit(labels(44 + column.plan.n_audited)).holds


def test_what_is_missed_or_wrong_in_practice_is_learnt_from() -> None:
    for read in (reading(missed={20, 21, 22}), reading(wrong={20})):
        trial = tried(read, PRACTICE).advanced(labels(44))
        assert (trial.practises, len(trial.learned), trial.n_tests) == (True, 44, 0)


def test_silence_that_was_missed_too_often_decides_nothing() -> None:
    column = tried(reading(missed={20, 21, 22}), Trial(tuple(ORDER[:44])))
    assert not column.reads_silence
    assert column.sort(ORDER[20], TRUTH[ORDER[20]]) is Sort.MISSED
    assert all(column.rulings[key].is_taken for key in column.units)


def test_rules_that_fall_in_the_last_test_are_over() -> None:
    wrong = {*range(20, 60)}
    trial = tried(reading(wrong), TEST).advanced(labels(44))
    assert (trial.practises, trial.is_over, trial.n_tests) == (True, False, 1)
    last = Trial(LEARNED, 1, MAX_TESTS, practises=False)
    assert tried(reading(wrong), last).advanced(labels(44)).is_over


def test_a_test_does_not_depend_on_what_it_reads() -> None:
    """Rules are scored by what was learnt: one that a test finds wrong stays in it."""
    column = tried(reading(wrong={100}), TEST)
    again = tried(reading(wrong={100}), TEST)
    assert ORDER[100] in column.units
    assert column == again
    assert column.attribute.rules[0].wrong == 0


@pytest.mark.parametrize("share", [0.055, 0.08])
def test_trials_of_bad_rules_rarely_end_well(share: float) -> None:
    """Lessons help nothing, as often as there may be: a column holds once in 20 at most."""
    chance, n_held, n_trials = random.Random(3), 0, 60
    for _ in range(n_trials):
        trial = PRACTICE
        n_read = 12
        while not trial.is_over and n_read < N:
            wrong = {*chance.sample(range(n_read, N), int(share * (N - n_read)) + 1)}
            column = tried(reading(wrong), trial)  # as wrong as before, elsewhere
            wanted = [*column.wants(labels(n_read), 32)]
            if not wanted:
                n_held += column.audit(labels(n_read)).holds
                break
            n_read = min(N, 1 + max(map(ORDER.index, wanted)))
            moved = column.advanced(labels(n_read))
            if moved == trial:
                n_held += column.audit(labels(n_read)).holds
                break
            trial = moved
    assert share > LIMIT
    assert n_held <= 0.05 * n_trials + 3 * (0.05 * 0.95 * n_trials) ** 0.5
