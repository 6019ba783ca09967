"""What is asked for strictly is taken with patience, as far as it is plain."""

from typing import Literal

import pytest
from pydantic import ValidationError

from srag_mcp.model.reply_content import (
    ReplyContent,
    ReplyElement,
    describe_misfits,
    find_problem,
    reply_schema,
)


class Room(ReplyElement):
    name: str
    kind: Literal["single", "double"]
    price: float | None
    rationale: str


class Inn(ReplyContent):
    name: str
    stars: int | None
    rooms: tuple[Room, ...]
    notes: list[str]


ONE = {"name": "1", "kind": "double", "price": 80, "rationale": "It says so."}


def test_other_fields_are_left_out_and_empty_ones_may_be_missing() -> None:
    room = ONE | {"confidence": 0.9}
    inn = Inn.model_validate({"name": "The Crown", "rooms": [room], "notes": None, "x": 1})
    assert inn == Inn(name="The Crown", stars=None, rooms=(Room.model_validate(ONE),), notes=[])
    assert inn.rooms[0].misfits == {}


def test_a_rationale_may_be_missing() -> None:
    del (without := dict(ONE))["rationale"]
    room = Room.model_validate(without)
    assert (room.rationale, room.misfits) == ("", {})


def test_the_schema_that_is_sent_stays_strict() -> None:
    sent = Inn.model_json_schema()
    assert (sent["additionalProperties"], sent["required"]) == (False, list(Inn.model_fields))
    room = sent["$defs"]["Room"]
    assert (room["additionalProperties"], room["required"]) == (False, list(Room.model_fields))


def test_a_part_that_does_not_fit_is_told_and_the_others_stay() -> None:
    bad = {"name": "2", "kind": "triple", "price": [80, 90]}
    inn = Inn.model_validate({"name": "The Crown", "rooms": [ONE, bad, "three", {"x": 1}, ONE]})
    first, second, third, fourth, last = inn.rooms
    assert (first, last) == (Room.model_validate(ONE), Room.model_validate(ONE))
    assert (second.name, second.kind, second.price) == ("2", "single", None)
    assert describe_misfits(second) == [
        "kind: Input should be 'single' or 'double', not 'triple'",
        "price: Input should be a valid number, not [80, 90]",
    ]
    assert third.misfits["name"] == fourth.misfits["name"] == "it is no such object"


@pytest.mark.parametrize(
    "data", [{}, {"maybe": 1}, {"stars": 3, "rooms": []}, {"name": [], "rooms": []}, []]
)
def test_something_else_is_no_reply(data: object) -> None:
    with pytest.raises(ValidationError):
        Inn.model_validate(data)


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ({"name": "The Crown"}, ""),
        ({"notes": ["dear"], "stars": None}, "fields are missing: name"),
        ({}, "fields are missing: name, stars, rooms, notes"),
    ],
)
def test_lists_and_what_may_be_null_may_be_missing(reply: object, problem: str) -> None:
    assert find_problem(reply, reply_schema(Inn)) == problem
