"""Questions about rallies: what somebody does, choices of two names, ends of a column."""

import pytest

from srag_mcp.errors import QuestionError
from tests.grammar.conftest import World
from tests.grammar.tables import Answer, answer, rallies

WORLD = rallies()

ANSWERED = [
    ("What machine did Tam Wick ride?", "different machine where rider is 'Tam Wick'", "Osprey"),
    ("How many rallies did Pim Stahl win?", "number of records where winner is 'Pim Stahl'", 3),
    ("Which machines did Rod Uhl ride?", "different machine where rider is 'Rod Uhl'", "Merlin"),
    ("Who has more points, Tam Wick or Xenia Abt?", "", "Tam Wick"),
    ("Does Tam Wick or Xenia Abt have the fewest points?", "", "Xenia Abt"),
    ("Which machine has the most points, Osprey or Buzzard?", "", "Osprey"),
    (
        "What is the difference between the rally with the top fee and the one with the lowest?",
        "",
        35.0,
    ),
    ("What is the last machine listed?", "", "Merlin"),
    ("Which rally is listed first in the table?", "", "Alder Loop"),
    ("Which judge is listed after Tam Wick?", "", "Ida Quill"),
    ("Which rally is listed right before Dogwood Run on this list?", "", "Cedar Hill"),
]


@pytest.mark.parametrize(("question", "restated", "value"), ANSWERED)
def test_a_question_is_answered(question: str, restated: str, value: object) -> None:
    found = answer(WORLD, question)
    assert found == Answer(restated or found.restated, [(value,)])


@pytest.mark.parametrize(
    "question",
    [
        "What is the total number of points received by rider Tam Wick?",  # perhaps of those given
        "Which judge named the most?",
        "Which judge was named the most?",
        "Which judge is listed the most?",
        "Who did Tam Wick judge?",  # no judge of Tam Wick
        "What did Tam Wick judge?",
        "Who did Ott Vane ride?",
        "Which machine did Ott Vane ride?",  # he is no rider
        "How many rallies did Ott Vane win?",
        "Who has more points, Nan Oakes or Tam Wick?",  # Nan Oakes has points of two rallies
        "Which machine has more points, Kestrel or Osprey?",
        "How many machines did Rod Uhl not ride?",
        "What is the difference between the rider with the most points and that with the least?",
        "What is the difference between the rally with the top points and the one with least fee?",
    ],
)
def test_what_several_records_may_say_is_refused(question: str) -> None:
    with pytest.raises(QuestionError):
        raise AssertionError(WORLD.ask(question).sql)


@pytest.mark.parametrize(
    "question",
    [
        "Which judge is listed after Rod Uhl?",  # he is in two rows
        "Which rally is listed after Hazel Bend?",  # it is the last one
        "What are the last points listed?",
        "What is the last rally listed in Kestrel?",
        "Which rally is listed first and last?",
        "Which rallies are listed before Fir Ridge?",  # several are
        "What are the last machines listed?",
        "List the judges listed after Tam Wick.",
        "Who is listed last?",  # one of several columns of people
        "Which rally comes after Dogwood Run?",  # by what order is not said
        "Who is the last rally listed before Fir Ridge won by?",
    ],
)
def test_the_order_of_rows_needs_one_row_and_words_for_it(question: str) -> None:
    assert not _rows(WORLD, question)


def test_a_choice_needs_what_both_state() -> None:
    assert not _rows(WORLD, "Which rally had fewer points, Alder Loop or Elm Chase?")


def test_a_place_in_the_list_is_said() -> None:
    found = WORLD.ask("Which judge is listed after Tam Wick?")
    assert found.restated == (
        "judge where document is the first among records where document is after the last document"
        " where rider is 'Tam Wick' and number of different file is 1"
    )


def test_rows_of_several_files_have_no_order() -> None:
    for named in ("rally-{}.txt", "rally#{}.txt", "year-{0}.csv#{0}"):
        world = rallies(named)
        assert not _rows(world, "What is the last machine listed?")
        assert not _rows(world, "Which judge is listed after Tam Wick?")


def _rows(world: World, question: str) -> list[tuple[object, ...]]:
    """Ask; what finds nothing is refused as well."""
    try:
        return world.rows(world.ask(question).sql)
    except QuestionError:
        return []
