"""When an answer is right: the column that could hold it, with the tolerance of the question."""

from dataclasses import replace

import pytest

from srag_mcp.evaluation.matching import is_right
from srag_mcp.evaluation.pack import Expected, PackQuestion, with_names
from srag_mcp.store.guard import Value


def question(answer: Expected, tolerance: float = 0.0, *, ordered: bool = False) -> PackQuestion:
    return PackQuestion("q", "?", answer, "", "count", tolerance, ordered)


@pytest.mark.parametrize(
    ("answer", "rows"),
    [
        (30, [(30,)]),
        (30, [(30.0,)]),
        (616.6, [("616.60",)]),
        (30, [(30,), (30,)]),
        (30, [("January", 30)]),
        (2020, [("2020",)]),
        (True, [(True,)]),
        (False, [(False,)]),
        ("1990", [(1990,)]),
        ("C++", [("c++",)]),
        ((), []),
        ((), [(None,)]),
        ((("Rome", 2), ("Oslo", 3)), [("Oslo", 3), ("Rome", 2)]),
        ((("Rome", 2), ("Oslo", 3)), [(3, "Oslo", 7.5), (2, "Rome", 8.5)]),
        ("2021-01-14", [("2021-01-14",)]),
        ("2021-01-14", [("2021-01-14 00:00:00",)]),
        ("2021-01-14", [(12, "2021-01-14")]),
        ("January 2021", [("2021-01-01",)]),
        ("January 2021", [("2021-01",)]),
        ("January 2021", [("January 2021", 7)]),
        ("Monday", [("monday",)]),
        ("ACME CO. (N) LTD", [("Acme Co (N) Ltd.", 9.0)]),
        (("b", "a"), [("a",), ("b",)]),
        ((327, 465.34), [(465.34,), (327.0,), (327.0,)]),
        (("December 2020", "November 2020"), [("2020-11-01", 1), ("2020-12-01", 2)]),
    ],
)
def test_right_answers(answer: Expected, rows: list[tuple[Value, ...]]) -> None:
    assert is_right(question(answer), rows)


@pytest.mark.parametrize(
    ("answer", "rows"),
    [
        (30, []),
        (30, [(None,)]),
        (30, [(31,)]),
        (30, [(30,), (31,)]),
        (30, [(29, 30)]),
        (1, [(True,)]),
        (True, [(1,)]),
        (True, [("yes",)]),
        (False, [(None,)]),
        (0.23, [(23,)]),
        ("2021-01-14", [("2021-01-15",)]),
        ("2021-01-14", [("2021-01-14 08:00:00",)]),
        ("January 2021", [("2021-01-02",)]),
        ("January 2021", [("January",)]),
        ("New York", [("New York City",)]),
        ("New York", [("York",)]),
        (("a", "b"), [("a",)]),
        (("a", "b"), [("a",), ("b",), ("c",)]),
        (("a",), []),
        ((), [("a",)]),
        ("007", [("7",)]),
        ("C++", [("C#",)]),
        ("!!", [("??",)]),
        ((("Rome", 2), ("Oslo", 3)), []),
        ((("Rome", 2), ("Oslo", 3)), [("Rome", 3), ("Oslo", 2)]),
        ((("Rome", 2), ("Oslo", 3)), [("Rome", 2), ("Oslo", 3), ("Bonn", 1)]),
        ((("Rome", 2), ("Oslo", 3)), [("Rome", 2), ("Rome", 2)]),
        ((("Rome", 2), ("Oslo", 3)), [("Rome",), ("Oslo",)]),
        (None, [(0,)]),
    ],
)
def test_wrong_answers(answer: Expected, rows: list[tuple[Value, ...]]) -> None:
    assert not is_right(question(answer), rows)


def test_numbers_may_differ_by_the_tolerance_only() -> None:
    assert is_right(question(100, 0.01), [(100.9,)])
    assert not is_right(question(100, 0.01), [(101.1,)])
    assert is_right(question(0, 0.01), [(0,)])
    assert not is_right(question(100), [(100.001,)])


def test_order_counts_where_the_question_asks_for_one() -> None:
    rows: list[tuple[Value, ...]] = [("b", 2), ("a", 1)]
    assert is_right(question(("b", "a"), ordered=True), rows)
    assert not is_right(question(("a", "b"), ordered=True), rows)
    assert not is_right(question(("b", "a", "a"), ordered=True), rows)


def test_the_order_of_rows_counts_where_the_question_asks_for_one() -> None:
    expected = (("Oslo", 3), ("Rome", 2))
    assert is_right(question(expected, ordered=True), [("Oslo", 3), ("Rome", 2)])
    assert not is_right(question(expected, ordered=True), [("Rome", 2), ("Oslo", 3)])


def named(answer: Expected, asked: str = "Which?", **fields: list[str]) -> PackQuestion:
    """Ask for what stands in a gold of *fields*."""
    rows = zip(*fields.values(), strict=True)
    gold = {str(at): dict(zip(fields, row, strict=True)) for at, row in enumerate(rows)}
    return with_names(PackQuestion("q", asked, answer, "", "count"), gold)


TEAMS = ["Chicago Bulls", "New York Knicks", "Los Angeles Lakers", "Los Angeles Clippers"]
PARTS = ["Part 7", "Part 17", "Part 21", "Part 21"]


@pytest.mark.parametrize(
    ("answer", "rows"),
    [
        ("Chicago Bulls", [("Bulls",)]),
        ("Chicago Bulls", [("the Chicago Bulls",), ("the Chicago Bulls",)]),
        ("New York Knicks", [("NYK",)]),
        (("Chicago Bulls", "Los Angeles Lakers"), [("Lakers",), ("Bulls",)]),
        ((("Chicago Bulls", 2), ("Los Angeles Lakers", 3)), [("Bulls", 2), ("Lakers", 3)]),
        ("Part 7", [("7",)]),
        ("Part 7", [(7,)]),
        ("Part 7", [("part 7",)]),
        (("Part 7", "Part 21"), [("7",), ("21",)]),
    ],
)
def test_a_name_counts_in_short_and_in_full(
    answer: Expected, rows: list[tuple[Value, ...]]
) -> None:
    assert is_right(named(answer, team=TEAMS, part=PARTS), rows)
    assert not is_right(question(answer), rows) or rows == [("part 7",)]


@pytest.mark.parametrize(
    ("answer", "rows"),
    [
        ("Los Angeles Lakers", [("Los Angeles",)]),  # or the Clippers
        ("Los Angeles Lakers", [("Los Angeles Clippers",)]),
        ("Chicago Bulls", [("Chicago",)]),  # a value of another field
        ("Chicago Bulls", [("the",)]),
        ("Chicago Bulls", [("Bulls",), ("Chicago Bulls",)]),  # one was asked for, two are given
        ("Chicago Bulls", [("not the Chicago Bulls",)]),
        (("Chicago Bulls", "Los Angeles Lakers"), [("Bulls",)]),
        (("Chicago Bulls", "Los Angeles Lakers"), [("Bulls",), ("Los Angeles",)]),
        ("Part 7", [("17",)]),
        ("Part 7", [(7, "Part 21")]),
        ("Part 7", [("Annex 7",)]),
        ("Part 7", [("Part",)]),
    ],
)
def test_a_form_that_may_be_another_name_does_not_count(
    answer: Expected, rows: list[tuple[Value, ...]]
) -> None:
    assert not is_right(named(answer, team=TEAMS, part=PARTS, city=["Chicago"] * 4), rows)


def test_a_code_lacks_only_the_word_that_the_question_says() -> None:
    parts, ages = ["7", "8"], ["10", "under 10"]
    assert is_right(named("7", "Which part is cited?", rule=parts), [("Part 7",)])
    assert is_right(named(7, "Which part?", rule=parts), [("Part 7",)])
    assert not is_right(named("7", rule=parts), [("Part 7",)])
    assert not is_right(named("10", "Who is under 10?", age=["10", "20"]), [("under 10",)])
    assert not is_right(named("under 10", age=["under 10", "20"]), [("10",)])
    assert not is_right(named("10", age=ages), [("under 10",)])


def test_a_date_has_no_short_form() -> None:
    assert not is_right(named("2021-01-14", day=["2021-01-14", "2021-02-01"]), [("14",)])


def test_a_tie_counts_where_all_are_given_and_it_is_said() -> None:
    tie = replace(question(("a", "b")), is_tie=True)
    both: list[tuple[Value, ...]] = [("b",), ("a",)]
    assert is_right(tie, both, says_tie=True)
    assert not is_right(tie, both)
    assert not is_right(tie, both[:1], says_tie=True)
