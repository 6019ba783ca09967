"""Questions about rallies: what somebody does."""

import pytest

from srag_mcp.errors import QuestionError
from tests.grammar.tables import Answer, answer, rallies

WORLD = rallies()

ANSWERED = [
    ("What machine did Tam Wick ride?", "different machine where rider is 'Tam Wick'", "Osprey"),
    ("How many rallies did Pim Stahl win?", "number of records where winner is 'Pim Stahl'", 3),
    ("Which machines did Rod Uhl ride?", "different machine where rider is 'Rod Uhl'", "Merlin"),
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
    ],
)
def test_what_several_records_may_say_is_refused(question: str) -> None:
    with pytest.raises(QuestionError):
        raise AssertionError(WORLD.ask(question).sql)
