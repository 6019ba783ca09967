"""Questions about loans of a library: what is noise."""

from datetime import date

import pytest

from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from tests.grammar.conftest import Row, build_world

SCHEMA = Schema(
    title="Loan",
    entity="loans",
    nouns=("loan", "loans"),
    attributes=(
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
_DAY = date(2024, 2, 20)
ROWS: list[Row] = [
    ("Emma", "Ann", "Hull", "French", date(2024, 4, 3), date(2024, 3, 4), False, 700.1, 0.5),
    ("Emma", "Bob", "Hull", "German", date(2024, 4, 9), date(2024, 3, 9), False, 700.2, 0.25),
    ("Dracula", "Ann", "York", "German", date(2024, 5, 1), date(2024, 4, 2), True, 700.3, 0.25),
    ("Ulysses", "Cid", "York", "German", date(2024, 4, 21), date(2024, 3, 22), False, 700.1, 0.5),
    ("Ulysses", "Bob", "York", "German", date(2024, 3, 21), _DAY, True, 700.05, 0.3750006),
]  # fmt: skip
WORLD = build_world(SCHEMA, ROWS)


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
