"""The statistics of audits, against simulated ones and against what is known of small folders."""

import random

import pytest

from srag_mcp.rules.voting import (
    LIMIT,
    RISK,
    Look,
    choose_look,
    plan_allowing,
    plan_audit,
    upper_bound,
)


@pytest.mark.parametrize(("n_cells", "n_audited"), [(100, 39), (200, 47), (1_000_000, 59)])
def test_so_many_right_cells_show_that_at_most_5_in_100_are_wrong(
    n_cells: int, n_audited: int
) -> None:
    assert plan_allowing(n_cells, 0).n_audited == n_audited
    bounds = [upper_bound(n_cells, n, 0) for n in (n_audited, n_audited - 1)]
    assert bounds[0] <= LIMIT < bounds[1]


def test_what_is_read_whole_leaves_no_doubt() -> None:
    assert upper_bound(20, 20, 3) == 3 / 20
    assert upper_bound(20, 20, 0) == 0
    assert plan_audit(1).n_audited == 1


def test_an_error_more_widens_the_bound() -> None:
    bounds = [upper_bound(1000, 100, n_wrong) for n_wrong in range(6)]
    assert bounds == sorted(set(bounds))
    assert all(bound > n_wrong / 100 for n_wrong, bound in enumerate(bounds))


@pytest.mark.parametrize("n_cells", [1, 2, 19, 20, 21, 60, 100, 137, 500, 2_000, 10_000])
def test_a_plan_certifies_what_its_allowed_errors_show(n_cells: int) -> None:
    plan = plan_audit(n_cells)
    assert plan.n_allowed <= plan.n_audited <= n_cells
    assert upper_bound(n_cells, plan.n_audited, plan.n_allowed) <= LIMIT


def test_the_larger_the_folder_the_smaller_the_share_that_is_read() -> None:
    shares = [plan_audit(n_cells).n_audited / n_cells for n_cells in (50, 200, 1_000, 10_000)]
    assert shares == sorted(shares, reverse=True)
    assert shares[-1] < 0.04


@pytest.mark.parametrize("n_cells", [100, 188, 488, 9_988])
def test_columns_just_above_the_limit_are_rarely_certified(n_cells: int) -> None:
    chance, plan = random.Random(n_cells), plan_audit(n_cells)
    n_wrong = int(LIMIT * n_cells) + 1
    n_certified = sum(
        sum(cell < n_wrong for cell in chance.sample(range(n_cells), plan.n_audited))
        <= plan.n_allowed
        for _ in range(10_000)
    )
    # one simulation differs from the next: three standard deviations of so many audits
    assert n_certified <= 10_000 * RISK + 3 * (10_000 * RISK * (1 - RISK)) ** 0.5


@pytest.mark.parametrize("n_cells", [1_600, 4_975, 9_988])
def test_columns_just_above_the_limit_before_and_after_they_are_mended_are_rarely_certified(
    n_cells: int,
) -> None:
    """A column that fails is looked at again, in cells of which the first look read none."""
    assert choose_look(n_cells) is Look.FIRST
    chance, n_certified = random.Random(n_cells), 0
    for _ in range(10_000):
        n_left = n_cells
        for look in (Look.FIRST, Look.SECOND):
            plan = plan_audit(n_left, look)
            n_wrong = int(LIMIT * n_left) + 1
            found = sum(cell < n_wrong for cell in chance.sample(range(n_left), plan.n_audited))
            n_left -= plan.n_audited
            if found <= plan.n_allowed:
                n_certified += 1
                break
    # one simulation differs from the next: three standard deviations of so many audits
    assert n_certified <= 10_000 * RISK + 3 * (10_000 * RISK * (1 - RISK)) ** 0.5


@pytest.mark.parametrize(("n_cells", "look"), [(20, 0), (188, 0), (488, 0), (700, 0), (1_000, 1)])
def test_a_folder_in_which_two_looks_would_read_much_has_one(n_cells: int, look: int) -> None:
    assert choose_look(n_cells) == look


def test_two_looks_share_the_risk_of_one() -> None:
    assert Look.FIRST.risk + Look.SECOND.risk == Look.ONLY.risk == RISK
    for look in (Look.FIRST, Look.SECOND):
        plan = plan_audit(5_000, look)
        bounds = [upper_bound(5_000, plan.n_audited, plan.n_allowed, x) for x in (Look.ONLY, look)]
        assert bounds[0] < bounds[1] <= LIMIT


def test_the_bound_holds_as_often_as_it_says_whatever_the_error() -> None:
    chance = random.Random(7)
    for n_wrong in (1, 10, 40, 150):
        n_exceeded = 0
        for _ in range(1000):
            found = sum(cell < n_wrong for cell in chance.sample(range(500), 60))
            n_exceeded += n_wrong / 500 > upper_bound(500, 60, found)
        # what chance makes of them: three and a half standard deviations
        assert n_exceeded <= 1000 * RISK + 3.5 * (1000 * RISK * (1 - RISK)) ** 0.5
