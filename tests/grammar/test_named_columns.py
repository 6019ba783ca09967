"""What a question names is what is ranked, had and compared: of violins, some with a levy."""

from datetime import date

import pytest

from srag_mcp.errors import QuestionError
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from tests.grammar.conftest import World, build_world

COLUMNS = (
    Attribute(name="violin", type="string"),
    Attribute(name="workshop", type="string"),
    Attribute(name="made", type="integer"),
    Attribute(name="restored", type="date"),
    Attribute(name="tuned", type="date"),
    Attribute(name="levy", type="number", unit="EUR"),
    Attribute(name="humidity", type="number", unit="percent"),
    Attribute(name="scratches", type="string"),
)
ROWS = [
    ("Ash", "Cremona", 1890, date(2024, 5, 1), date(2024, 6, 1), 40.0, 44.0, "front"),
    ("Elm", "Mirecourt", 1850, date(2024, 9, 3), date(2024, 2, 7), None, 52.0, None),
    ("Fir", "Cremona", 1920, date(2024, 2, 4), date(2023, 3, 9), 65.0, 61.0, "back"),
    ("Oak", "Mirecourt", 1905, date(2023, 7, 8), date(2024, 8, 2), None, 58.0, "front"),
    ("Yew", "Cremona", 1931, date(2023, 1, 6), date(2023, 5, 5), 90.0, 47.0, None),
]


def _violins(*nouns: str) -> World:
    schema = Schema(title="Violins", entity="violins", nouns=nouns, attributes=COLUMNS)
    return build_world(schema, [*ROWS])


def _first(question: str, *nouns: str) -> object:
    world = _violins(*(nouns or ("violin", "violins")))
    return world.rows(world.ask(question).sql)[0][0]


@pytest.mark.parametrize(
    ("question", "violin"),
    [
        ("Which violin was restored first in 2024?", "Fir"),
        ("Which violin was restored last in 2024?", "Elm"),
        ("Which violin was restored earliest in 2024?", "Fir"),
        ("Which was the first violin restored in 2024?", "Fir"),
        ("Which violin made before 1900 was restored first in 2024?", "Ash"),
        ("Which violin restored in 2024 was tuned first?", "Fir"),  # another date that is named
        ("Which violin was restored first?", "Yew"),
    ],
)
def test_a_superlative_of_time_ranks_the_date_that_its_words_name(
    question: str, violin: str
) -> None:
    assert _first(question) == violin


@pytest.mark.parametrize(
    "question",
    [
        "What is the first restored date in 2024?",  # asks for a day, and no violin
        "Which violin restored in 2024 was made first?",  # made in 2024 are none
    ],
)
def test_what_has_no_place_beside_a_named_column_is_refused(question: str) -> None:
    with pytest.raises(QuestionError):
        _violins("violin", "violins").ask(question)


@pytest.mark.parametrize(
    "question",
    ["How many have a levy?", "How many violins have a levy?", "How many levies have a levy?"],
)
def test_what_records_are_called_is_a_column_where_they_have_it(question: str) -> None:
    assert _first(question, "levy", "levies", "violin", "violins") == 3


def test_what_records_are_called_counts_them_where_they_do_not_have_it() -> None:
    assert _first("How many levies are there?", "levy", "levies") == 5


def test_what_records_have_is_no_number_of_different_ones() -> None:
    assert _first("How many have scratches?") == 3
    assert _first("How many different scratches are there?") == 2
    assert _first("How many have a workshop other than Cremona?") == 2


def test_a_bare_number_is_said_in_the_unit_of_its_column() -> None:
    world = _violins("violin", "violins")
    said = world.ask("How many violins have a humidity above 50?").restated
    assert said == "number of records where humidity is above 50 percent"
    said = world.ask("How many violins have a levy below 70?").restated
    assert said == "number of records where levy is below 70 EUR"


def test_a_share_is_not_compared_with_percents_that_may_be_its_hundredfold() -> None:
    world = _violins("violin", "violins")
    with pytest.raises(QuestionError):
        world.ask("How many violins have a humidity above 0.5?")
    assert world.ask("How many violins have a humidity above 30?").sql.endswith("humidity > 30")
