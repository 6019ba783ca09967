"""How far `not`, a superlative, a plural and `but` reach, asked of the boats."""

import pytest

from srag_mcp.errors import QuestionError
from tests.grammar.tables import Answer, Refusal, answer, boats, refusal

WORLD = boats()


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "How many boats not in Norham have both heating and insurance?",
            Answer(
                "number of records where harbour is not 'Norham' and heating holds and insured"
                " holds",
                [(2,)],
            ),
        ),
        (
            "How many boats are not in Norham, both heated and insured?",
            Answer(
                "number of records where harbour is not 'Norham' and heating holds and insured"
                " holds",
                [(2,)],
            ),
        ),
        (
            "How many boats have neither heating nor insurance?",
            Answer(
                "number of records where heating does not hold (unknown counts as not) and insured"
                " does not hold",
                [(2,)],
            ),
        ),
        (
            "How many boats have no heating and are insured?",
            Answer(
                "number of records where heating does not hold (unknown counts as not) and insured"
                " holds",
                [(2,)],
            ),
        ),
    ],
)
def test_a_denial_reaches_as_far_as_the_words_say(question: str, expected: Answer) -> None:
    assert answer(WORLD, question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "How many boats do not have both heating and insurance?",
        "How many boats are not both sloops and in Norham?",
        "How many boats are not both in Norham and with heating, and are insured?",
        "How many boats are not in Norham and built after 1990?",
        "How many boats do not have heating and insurance?",
        "How many boats lack heating and insurance?",
        "How many boats lack both heating and insurance?",
        "What are the highest mooring fee and length?",
    ],
)
def test_what_may_reach_one_thing_or_both_is_refused(question: str) -> None:
    with pytest.raises(QuestionError, match="this form of question is not known"):
        WORLD.ask(question)


@pytest.mark.parametrize(
    "question",
    ["Are the boats in Norham insured?", "Do boats in Norham have heating?", "Is Norham wooden?"],
)
def test_one_boat_that_is_so_does_not_tell_that_those_of_a_plural_are(question: str) -> None:
    assert refusal(WORLD, question) == Refusal(reason="this form of question is not known")


@pytest.mark.parametrize(
    "question", ["Are there insured boats in Norham?", "Is any of the boats in Norham insured?"]
)
def test_one_boat_that_is_so_is_enough_where_one_is_asked_for(question: str) -> None:
    restated = answer(WORLD, question).restated

    assert restated.startswith("whether there is a record where ")


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("How many boats have just heating?", "just"),
        ("How many boats are in all harbours but Norham?", "but"),
        ("What is the average length of all boats but Aurora?", "but"),
        ("How many single boats are there?", "single"),
        ("How many boats should be in Norham?", "should"),
    ],
)
def test_a_word_that_may_change_the_answer_is_not_dropped(question: str, word: str) -> None:
    assert refusal(WORLD, question) == Refusal((word,))
