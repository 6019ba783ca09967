"""Questions about the bulletins of a beach, one of each day."""

from datetime import date

import pytest

from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from tests.grammar.conftest import World, build_world
from tests.grammar.tables import Answer, Refusal, answer, refusal

STUNG = 'Stings of a day. Stated as in "12 stings per 1,000 visitors".'
CROSSED = "that a value lies there, whatever it was before"
CALLED = "that all records are what some have as a value, or are called"


def _bulletins(*nouns: str) -> World:
    attributes = (
        Attribute(name="date", type="date"),
        Attribute(name="new_rescues", type="integer", description="Rescues of the day."),
        Attribute(name="swimmers", type="integer"),
        Attribute(name="sting_rate", type="number", description=STUNG),
    )
    days = [(1, 4, 800, 9.5), (2, 6, 1200, 14.0), (3, None, 500, 20.5), (4, 1, 200, 7.0)]
    schema = Schema(
        title="Bulletins", entity="bulletins", nouns=("bulletin", *nouns), attributes=attributes
    )
    return build_world(schema, [(date(2023, 7, day), *cells) for day, *cells in days])


BULLETINS = _bulletins()


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("How many new rescues were there per 100 swimmers?", 0.5),  # 11 of 2,200: not of the 3rd
        (
            "Over bulletins of 1 July 2023, how many new rescues were there per 1,000 swimmers?",
            5,
        ),
        ("Summing over all bulletins, how many new rescues were there?", 11),
        ("What was the average of new rescues, ignoring missing values?", 3.6667),
        ("What was the average of new rescues (excluding bulletins that give no number)?", 3.6667),
        ("On how many days was the sting rate above 10 stings per 1,000 visitors?", 2),
        ("On how many days was the sting rate above 10 per 1,000 visitors?", 2),
        ("On how many days did the sting rate drop below 10?", 2),
        ("What was the highest sting rate of the whole period?", 20.5),
    ],
)
def test_a_question_about_days_is_answered(question: str, found: float) -> None:
    assert answer(BULLETINS, question).rows == [(found,)]


@pytest.mark.parametrize(
    ("question", "unplaced"),
    [
        # of other things, per so many others, or of another column
        ("On how many days was the sting rate above 10 bites per 1,000 visitors?", True),
        ("On how many days was the sting rate above 10 stings per 1,000 children?", True),
        ("On how many days was the sting rate above 10 stings per 100 visitors?", True),
        ("On how many days were there more than 10 swimmers per 1,000 visitors?", True),
        # a change is no value, and what is left out is no gap of what is counted
        ("On how many days did the sting rate drop by more than 5?", True),
        ("On how many days did the sting rate fall by more than 5?", True),
        ("On how many days did the sting rate drop?", True),
        ("How many bulletins are there in total, ignoring missing values?", True),
        ("What was the average of new rescues, ignoring days without swimmers?", True),
        ("What is the sting rate per 100 swimmers?", False),
    ],
)
def test_what_is_not_said_of_a_day_is_refused(question: str, unplaced: bool) -> None:
    assert bool(refusal(BULLETINS, question).unplaced) is unplaced


def test_that_a_value_was_on_the_other_side_before_is_not_looked_at_and_said() -> None:
    found = BULLETINS.ask("When did the sting rate first drop under 10?")
    assert found.restated == "lowest date where sting_rate is below 10"
    assert found.assumed == (CROSSED,)


def test_what_some_documents_call_themselves_narrows_nothing_and_is_said() -> None:
    world = _bulletins("safety bulletin")
    found = world.ask("How many safety bulletins are there?")
    assert (world.rows(found.sql), found.assumed) == ([(4,)], (CALLED,))
    assert world.ask("How many bulletins are there?").assumed == ()
    assert refusal(world, "How many safeties are there?") == Refusal(("safeties",))
    assert refusal(BULLETINS, "How many safety bulletins are there?") == Refusal(("safety",))
    assert answer(world, "How many bulletins are there?") == Answer("number of records", [(4,)])


@pytest.mark.parametrize(
    ("period", "unplaced"),
    [
        ("from July 1 to 3, 2023", ("3",)),
        ("between July 2 and 3, 2023", ("3",)),
        ("in the second half of July 2023", ("second", "half")),
    ],
)
def test_a_period_that_is_read_in_part_is_refused(period: str, unplaced: tuple[str, ...]) -> None:
    assert refusal(BULLETINS, f"How many bulletins are there {period}?") == Refusal(unplaced)
    found = BULLETINS.ask("How many bulletins are there from 1 to 3 July 2023?")
    assert BULLETINS.rows(found.sql) == [(3,)]
