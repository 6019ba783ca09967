import pytest

from srag_mcp.inference.brief import link_values
from srag_mcp.schema.schema import Schema
from srag_mcp.store.values import ValueIndex

SCHEMA = Schema(title="Inn", entity="inns", nouns=("inn",))
VALUES = ValueIndex(
    [
        ("name", "The Lamplighter", 1),
        ("keeper", "Giulia Conti", 1),
        ("room_type", "Double Room", 9),
        ("state", "Nevada", 4),
        ("law", "Nevada", 3),
        ("owner", "Cisco Systems, Inc.", 2),
        ("road", "West", 1),
    ]
)


@pytest.mark.parametrize(
    ("question", "linked"),
    [
        ("How many of the inns have rooms?", []),
        ("Which inns in Nevada are open?", [("state", "Nevada"), ("law", "Nevada")]),
        ("Which inns does Conti keep?", [("keeper", "Giulia Conti")]),
        ("Which inns belong to Cisco Systems?", [("owner", "Cisco Systems, Inc.")]),
        ("How many double rooms are there?", [("room_type", "Double Room")]),
        ("What does the lamplighter cost?", [("name", "The Lamplighter")]),
    ],
)
def test_values_are_linked_by_their_words_and_not_by_one_that_is_in_them(
    question: str, linked: list[tuple[str, str]]
) -> None:
    found = link_values(question, SCHEMA, VALUES)
    assert [(match.column, match.value) for match in found] == linked
