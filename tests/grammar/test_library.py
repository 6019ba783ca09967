"""Questions about loans of a library: of titles or of copies, of any or of all, up to noise."""

from datetime import date

import pytest

from srag_mcp.errors import QuestionError
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from tests.grammar.conftest import Row, build_world
from tests.grammar.tables import answer

SCHEMA = Schema(
    title="Loan",
    entity="loans",
    nouns=("loan", "loans"),
    attributes=(
        Attribute(name="copy", type="string"),
        Attribute(name="book", type="string"),
        Attribute(name="member", type="string"),
        Attribute(name="branch", type="string"),
        Attribute(name="language", type="string"),
        Attribute(name="due", type="date"),
        Attribute(name="received", type="date"),
        Attribute(name="renewed", type="boolean"),
        Attribute(name="fee", type="number", unit="EUR"),
        Attribute(name="weight", type="number", unit="kg"),
    ),
)


def _day(month: int, day: int) -> date:
    return date(2024, month, day)


ROWS: list[Row] = [
    ("L7", "Emma", "Ann", "Hull", "French", _day(4, 3), _day(3, 4), False, 700.1, 0.5),
    ("L8", "Emma", "Bob", "Hull", "German", _day(4, 9), _day(3, 9), False, 700.2, 0.25),
    ("L9", "Dracula", "Ann", "York", "German", _day(5, 1), _day(4, 2), True, 700.3, 0.25),
    ("L10", "Ulysses", "Cid", "York", "German", _day(4, 21), _day(3, 22), False, 700.1, 0.5),
    ("L11", "Ulysses", "Bob", "York", "German", _day(3, 21), _day(2, 20), True, 700.05, 0.3750006),
]  # fmt: skip
WORLD = build_world(SCHEMA, ROWS)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("How many loans are due in April?", [(3,)]),
        ("How many different books are due in April?", [(2,)]),
        ("How many members have a loan due in April?", [(3,)]),
        ("How many books are there in Hull?", [(1,)]),
        ("How many copies are due in April?", [(3,)]),
        ("How many copies are there in all?", [(5,)]),
        ("How many loans in Hull were not renewed?", [(2,)]),
        ("How many unrenewed loans are there in York?", [(1,)]),
        ("Which languages do loans in Hull have?", [("French",), ("German",)]),
        ("List the languages of all loans in Hull.", [("French",), ("German",)]),
        ("How many loans were received in March?", [(3,)]),
    ],
)
def test_what_has_one_reading_is_answered(question: str, rows: list[tuple[object, ...]]) -> None:
    assert sorted(answer(WORLD, question).rows, key=str) == rows


@pytest.mark.parametrize(
    "question",
    [
        "How many books are due in April?",  # titles, or copies
        "How many books were renewed?",
        "Which language is given the least?",
        "How many loans were not renewed in Hull?",  # perhaps in York
        "Which language do all loans in Hull have?",
        "Which language does every loan in Hull have?",
        "How many languages do all loans have?",
        "How many loans did we receive in York in March?",  # perhaps that are due in March
        "How many loans did you perform in April?",
        "Which branch gave the most?",
    ],
)
def test_what_may_mean_something_else_is_refused(question: str) -> None:
    with pytest.raises(QuestionError):
        raise AssertionError(WORLD.ask(question).sql)


def test_a_verb_names_no_other_date_than_its_own() -> None:
    dates = [Attribute(name=name, type="date") for name in ("ordered_on", "delivered_on")]
    schema = Schema(title="Order", entity="orders", nouns=("order",), attributes=tuple(dates))
    day: Row = (date(2024, 5, 1), date(2024, 6, 1))
    with pytest.raises(QuestionError, match="receive"):
        build_world(schema, [day]).ask("How many orders did we receive in May?")


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What is the difference between the average fee in Hull and in York?", 0.0),
        ("How much higher is the average fee in Hull than in York?", 0.0),
        ("Is the average fee in Hull higher than in York?", False),
        ("What is the difference between the average weight in Hull and in York?", 2e-07),
        ("What is the difference between the highest and the lowest fee?", 0.25),
    ],
)
def test_a_difference_has_no_noise_and_keeps_what_is_small(question: str, value: object) -> None:
    assert WORLD.rows(WORLD.ask(question).sql) == [(value,)]
