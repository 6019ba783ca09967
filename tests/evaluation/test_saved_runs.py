"""Saved runs: the table of systems, agreement, and the test in pairs."""

import json
from math import comb
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.evaluation.saved_runs import (
    Comparison,
    SavedRun,
    Verdict,
    agreement,
    compare_systems,
    compare_with_first,
    mcnemar,
    read_saved_run,
    write_table,
)
from tests.evaluation.saved import asked, saved


def by(pattern: str, verdicts: str = "", system: str = "a", pack: str = "ships") -> SavedRun:
    """Make a run: `r`ight, `w`rong, re`f`used, `n`ot answered; verdicts `+` and `-`."""
    names = {"r": "right", "w": "wrong", "f": "refused", "n": "failed"}
    run = saved(
        system, *(asked(f"q{n}", names[one], 1, 1) for n, one in enumerate(pattern)), pack=pack
    )
    for item, verdict in zip(run.questions_asked, verdicts, strict=False):
        item.verdict = Verdict(
            correct=verdict == "+", recall=0.5, faithfulness=4, completeness=3, relevance=5
        )
    return run


@pytest.mark.parametrize(
    ("only_one", "only_other", "p"),
    [(0, 0, 1.0), (1, 0, 1.0), (6, 0, 0.03125), (8, 2, 0.109375), (10, 10, 1.0)],
)
def test_mcnemar_is_the_exact_test(only_one: int, only_other: int, p: float) -> None:
    assert mcnemar(only_one, only_other) == p
    assert mcnemar(only_other, only_one) == p


@given(st.integers(0, 30), st.integers(0, 30))
def test_the_p_value_is_a_probability_and_falls_with_the_difference(one: int, other: int) -> None:
    n = one + other
    p = mcnemar(one, other)
    as_rare = sum(comb(n, k) for k in range(n + 1) if abs(2 * k - n) >= abs(one - other))
    assert p == pytest.approx(min(1, as_rare / 2**n))


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([(True, True), (True, False), (False, False), (False, False)], (0.75, 0.5)),
        ([(True, True)] * 3, (1, None)),
        ([(True, False), (False, True)], (0, -1)),
        ([], (None, None)),
    ],
)
def test_agreement_beyond_chance(
    pairs: list[tuple[bool, bool]], expected: tuple[float | None, float | None]
) -> None:
    assert agreement(pairs) == expected


def test_the_figures_of_a_run() -> None:
    assert by("rrwfn", "++-+-").figures() == {
        "questions": 5,
        "right": 2,
        "wrong": 1,
        "refused": 1,
        "failed": 1,
        "tokens_median": 10,
        "tokens_total": 20,
        "judged_right": 3,
        "recall": 0.5,
        "faithfulness": 4,
        "completeness": 3,
        "relevance": 5,
        "agreement": 0.8,
        "kappa": 0.615,
    }
    assert by("rw", "+").figures()["judged_right"] is None, "not all of it is judged"


def test_runs_are_compared_over_the_questions_that_both_have() -> None:
    assert compare_systems(by("rrrww"), by("wrw", system="b")) == [
        Comparison(
            pack="ships", first="a", other="b", n_shared=3, only_first=2, only_other=0, p=0.5,
            by="match",
        )
    ]  # fmt: skip
    [match, judge] = compare_systems(by("rr", "+-"), by("rw", "-+", system="b"))
    assert (match.only_first, match.only_other, match.by) == (1, 0, "match")
    assert (judge.only_first, judge.only_other, judge.by) == (1, 1, "judge")


def test_each_run_is_compared_with_the_first_of_its_pack() -> None:
    runs = [by("r"), by("w", system="b"), by("r", pack="cars"), by("w", system="c", pack="cars")]
    compared = [[(item.pack, item.other) for item in each] for each in compare_with_first(runs)]
    assert compared == [[], [("ships", "b")], [], [("cars", "c")]]


def test_the_table_has_a_row_for_each_run() -> None:
    head, rule, first, other = write_table(
        [by("rrwf", "++--"), by("wwwn", "----", system="bm25-rag")]
    )
    assert head.count("|") == rule.count("|") == first.count("|") == other.count("|")
    assert first == ("| ships | a | 2 of 4 | 1 | 1 | 0 |  | 2 |  | 0.5 | 4, 3, 5 | 1 (1) | 10 |")
    assert other == (
        "| ships | bm25-rag | 0 of 4 | 3 | 0 | 1 | 0.500 | 0 | 0.500 | 0.5 | 4, 3, 5 | 1 () | 10 |"
    )


def test_a_run_is_written_as_it_was_read(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    run = json.loads(by("rw").model_dump_json(by_alias=True)) | {"seconds": 3.5}
    path.write_text(json.dumps(run), encoding="utf-8")

    path.write_text(read_saved_run(path).model_dump_json(by_alias=True), encoding="utf-8")

    assert json.loads(path.read_text(encoding="utf-8")) == run
