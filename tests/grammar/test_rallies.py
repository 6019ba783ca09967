"""Questions about rallies: what somebody does, choices of two names, ends of a column."""

import pytest

from srag_mcp.errors import QuestionError
from tests.grammar.tables import Answer, answer, rallies

WORLD = rallies()

ANSWERED = [
    ("What machine did Tam Wick ride?", "different machine where rider is 'Tam Wick'", "Osprey"),
    ("How many rallies did Pim Stahl win?", "number of records where winner is 'Pim Stahl'", 3),
    ("Which machines did Rod Uhl ride?", "different machine where rider is 'Rod Uhl'", "Merlin"),
    (
        "What is the total number of points received by rider Tam Wick?",
        "sum of points where rider is 'Tam Wick'",
        16,
    ),
    ("Which judge is listed the most?", "judge with the highest number of records", "Ida Quill"),
    ("Who has more points, Tam Wick or Xenia Abt?", "", "Tam Wick"),
    ("Does Tam Wick or Xenia Abt have the fewest points?", "", "Xenia Abt"),
    ("Which machine has the most points, Osprey or Buzzard?", "", "Osprey"),
    (
        "What is the difference between the rally with the top fee and the one with the lowest?",
        "",
        35.0,
    ),
]


@pytest.mark.parametrize(("question", "restated", "value"), ANSWERED)
def test_a_question_is_answered(question: str, restated: str, value: object) -> None:
    found = answer(WORLD, question)
    assert found == Answer(restated or found.restated, [(value,)])


@pytest.mark.parametrize(
    "question",
    [
        "Who did Tam Wick judge?",  # no judge of Tam Wick
        "What did Tam Wick judge?",
        "Who did Ott Vane ride?",
        "Which machine did Ott Vane ride?",  # he is no rider
        "How many rallies did Ott Vane win?",
        "Who has more points, Nan Oakes or Tam Wick?",  # Nan Oakes has points of two rallies
        "Which machine has more points, Kestrel or Osprey?",
        "What is the difference between the rider with the most points and that with the least?",
        "What is the difference between the rally with the top points and the one with least fee?",
    ],
)
def test_what_several_records_may_say_is_refused(question: str) -> None:
    with pytest.raises(QuestionError):
        raise AssertionError(WORLD.ask(question).sql)
