"""When an answer is right: the column that could hold it, with the tolerance of the question."""

from dataclasses import replace

import pytest

from srag_mcp.evaluation.matching import is_right, is_right_reading
from srag_mcp.evaluation.pack import Expected, PackQuestion, Scale, with_names
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


def published(answer: Expected, scale: Scale | None = "", asked: str = "?") -> PackQuestion:
    return PackQuestion("q", asked, answer, "", "other", documents=("a.html",), scale=scale)


@pytest.mark.parametrize(
    ("answer", "scale", "found", "found_scale", "is_same"),
    [
        (-27603, "", -27603, "", True),
        (-27603, "", 27603, "", False),
        (14.16, "percent", 14.1553, "percent", True),
        (14.16, "percent", 14.2, "percent", False),
        (14.16, "percent", 0.141553, "", True),
        (14.16, "percent", 14.16, "", False),
        (720.2, "million", 720.204, "million", True),
        (720.2, "million", 720.21, "million", False),
        (720.2, "million", 720_200_000, "", True),
        (720.2, "million", 720.2, "thousand", False),
        (("$48,881",), "", 48881, "", True),
        (("$48,881",), "", "$48,881", "", True),
        (("$48,881",), "", 48881, "thousand", False),
        (("$0.3 million",), "", 0.3, "million", True),
        (("$0.3 million",), "", "$0.3 million", "", True),
        (("41.5%",), "", 41.5, "percent", True),
        (("41.5%",), "", 41.54, "percent", True),
        (("41.5%",), "", 41.56, "percent", False),
        (("$(31.5)",), "", -31.5, "", True),
        (("$(31.5)",), "", 31.5, "", False),
        (("268",), "million", "268", "million", True),
        (("2019",), "", 2019, "", True),
        (("2019",), "", 2018, "", False),
        ("3", "", 3, "", True),
        (("using the straight-line method",), "", "using a straight-line method", "", True),
        (("using the straight-line method",), "", "straight-line", "", False),
        (("Level 3 assets",), "", 3, "", False),
    ],
)
def test_published_answers_match_with_their_scale(
    answer: Expected, scale: Scale, found: Value, found_scale: Scale, *, is_same: bool
) -> None:
    assert is_right_reading(published(answer, scale), [(found,)], found_scale) is is_same


def test_published_lists_match_whole() -> None:
    question = published(("$2.41", "$2.70", "$12.30"))
    assert is_right_reading(question, [(2.41,), (2.7,), (12.3,)])
    assert is_right_reading(question, [(12.3,), (2.41,), (2.7,)])
    assert not is_right_reading(question, [(2.41,), (2.7,)])
    assert not is_right_reading(question, [(2.41,), (2.7,), (12.3,), (5,)])
    assert not is_right_reading(question, [])
    assert not is_right_reading(question, [(None,)])


@pytest.mark.parametrize(
    ("answer", "found", "scale", "text", "is_same"),
    [
        ("$11588.00", 11588, "million", "", True),
        ("$11588.00", 11588, "", "", True),
        ("$11588.00", 11.588, "billion", "", True),
        ("$11588.00", 11.588, "million", "", False),
        ("$5466.00", 5466.312, "million", "", True),
        ("$5466.00", 5467, "million", "", False),
        ("$5466.50", 5466.312, "million", "", False),
        ("10.3%", 10.3, "percent", "", True),
        ("10.3%", 10.34, "", "", True),
        ("1.73", 1.731, "", "", True),
        ("1.73", 1.74, "", "", False),
        ("Adj. EBITDA was $2,018mn in FY 2023", 2018, "million", "", True),
        ("Adj. EBITDA was $2,018mn in FY 2023", 2081, "million", "", False),
        ("No. The debt fell by $2.5bn.", False, "", "It fell by 2.5 billion.", True),
        ("No. The debt fell by $2.5bn.", True, "", "It fell by 2.5 billion.", False),
        ("No. The debt fell by $2.5bn.", "no", "", "It fell.", True),
        ("No. The debt fell by $2.5bn.", "It fell.", "", "", False),
        ("corporate bonds (almost 82%)", "Corporate bonds", "", "", True),
        ("It rose from 143% in 2021 to 156%", 156, "percent", "From 143 % to 156 %.", True),
        ("It rose from 143% in 2021 to 156%", 156, "percent", "", False),
        ("Operating activities", "operating activities", "", "", True),
        ("Operating activities", "investing activities", "", "", False),
        ("The Consumer Health segment", "Consumer Health", "", "It is the segment.", True),
    ],
)
def test_published_sentences_match_by_what_can_be_told(
    answer: str, found: Value, scale: Scale, text: str, *, is_same: bool
) -> None:
    question = published(answer, None, "What is it, in USD millions?")
    assert is_right_reading(question, [(found,)], scale, text) is is_same


@pytest.mark.parametrize(
    ("answer", "rows", "scale", "is_same"),
    [
        (12.5, [(12.5,)], "percent", True),
        (0.125, [(12.5,)], "percent", True),
        (1234, [("1,234",)], "", True),
        (1234, [("USD 1,234.00",)], "", True),
        (1_200_000, [(1.2,)], "million", True),
        (1_200_000, [(1.2,)], "thousand", False),
        (True, [("Yes",)], "", True),
        ("2021-01-14", [("2021-01-14",)], "", True),
        ((("Rome", 2), ("Oslo", 3)), [("Oslo", 3), ("Rome", 2)], "", True),
        (None, [(1,)], "", False),
    ],
)
def test_what_was_read_matches_gold_with_or_without_its_scale(
    answer: Expected, rows: list[tuple[Value, ...]], scale: Scale, *, is_same: bool
) -> None:
    assert is_right_reading(question(answer), rows, scale) is is_same


def test_who_reads_several_that_tie_gives_all_of_them() -> None:
    tied = replace(question(("Rome", "Oslo")), is_tie=True)
    assert is_right_reading(tied, [("Rome",), ("Oslo",)])
    assert not is_right_reading(tied, [("Rome",)])


@pytest.mark.parametrize(
    ("answer", "scale", "text", "is_same"),
    [
        (100107, "million", "It was USD 100,107 million in 2018. Before, it was less.", True),
        (100107, "million", "It was USD 100,107 in 2018.", False),
        (100107, "million", "It was less. Before, it was USD 100,107 million.", False),
        (14.16, "percent", "It grew by 14.16 %.", True),
        (14.16, "percent", "It grew by 14.2 %.", False),
        (-27603, "", "The change was -27,603.", True),
        (("2019",), "", "It was largest in 2019.", True),
        (("$2.41", "$2.70"), "", "They were USD 2.41 and USD 2.70.", True),
        (("$2.41", "$2.70"), "", "They were USD 2.41 and more.", False),
        (("straight-line method",), "", "By the straight-line method.", True),
        (("straight-line method",), "", "By units of production.", False),
    ],
)
def test_an_answer_in_words_has_the_members_in_its_first_sentence(
    answer: Expected, scale: Scale, text: str, *, is_same: bool
) -> None:
    assert is_right_reading(published(answer, scale), [], text=text) is is_same


@pytest.mark.parametrize(
    ("asked", "expected", "found", "scale"),
    [
        ("Which grew more, Consumer Health or Beauty?", "Consumer Health", "Beauty", ""),
        ("Was it so?", "(see note)", "anything", ""),
        ("What were the sales?", "$11588.00", 11588, "billion"),
    ],
)
def test_the_words_of_a_question_and_another_scale_answer_nothing(
    asked: str, expected: str, found: Value, scale: Scale
) -> None:
    question = replace(published(expected, None), question=asked)
    assert not is_right_reading(question, [(found,)], scale, str(found))
    assert is_right_reading(question, [(expected,)], "", expected) is (expected != "(see note)")
