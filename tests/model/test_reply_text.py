"""What models write around an object, and into it, on their way to one."""

import json
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.errors import ReplyError
from srag_mcp.model.reply_content import read_object

GOOD = '{"name": "The Crown", "n_rooms": 12}'
CROWN = {"name": "The Crown", "n_rooms": 12}
FIELDS = ("name", "n_rooms", "quote", "n", "open", "documents", "a", "b")


@pytest.mark.parametrize(
    "text",
    [
        f'<think>{{"maybe": 3}}? Or {GOOD.replace("12", "13")}</think>\n{GOOD}',
        f'Let me see: {{"maybe": 3}}. No, twelve.\n</think>\n\n{GOOD}',
        f"<think>\n</think>\n```json\n{GOOD}\n```",
        f"The set {{x}} is not it, this is: {GOOD}",
        f"{GOOD}\nThe object {{}} would be wrong.",
        f"```\nls -l\n```\n```json\n{GOOD}\n```",
        f"```json\n{GOOD}",
        f"\ufeff{GOOD}",
    ],
)
def test_thoughts_drafts_and_prose_are_left_out(text: str) -> None:
    assert read_object(text, FIELDS) == CROWN


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "The Crown", "n_rooms": 12,}',
        '{"name": "The Crown" "n_rooms": 12}',
        "{'name': 'The Crown', 'n_rooms': 12}",
        '{name: "The Crown", n_rooms: 12}',
        '{"name": "The Crown", // of them\n "n_rooms": 12}',
        "{“name”: “The Crown”, “n_rooms”: 12}",
        'Here: {"name": "The Crown", "n_rooms": 12,} I hope that it helps.',
        '```json\n{"name": "The Crown", "n_rooms": 12,}\n```',
    ],
)
def test_what_is_written_amiss_is_put_right(text: str) -> None:
    assert read_object(text, FIELDS) == CROWN


def test_quotes_and_line_breaks_within_a_text_stay() -> None:
    assert read_object('{"quote": "the "Crown" inn", "n": 1}', FIELDS) == {
        "quote": 'the "Crown" inn',
        "n": 1,
    }
    assert read_object('{"quote": "the\nCrown"}', FIELDS) == {"quote": "the\nCrown"}
    assert read_object('{"closed": None, "open": True,}', FIELDS) == {"closed": None, "open": True}


def test_thoughts_within_a_text_are_a_part_of_it() -> None:
    assert read_object('{"quote": "<think>so</think> {} ]"}', FIELDS) == {
        "quote": "<think>so</think> {} ]"
    }


NAMES = ("documents",)
TRUE = '{"documents": [{"id": "d1", "quote": "A </think>"}, {"id": "d2", "quote": "B"}]}'
FORGED = '{"documents": [{"id": "d1", "quote": "nothing, and this is longer than the reply"}]}'


@pytest.mark.parametrize(
    "text",
    [
        TRUE,
        f"```json\n{TRUE}\n```",
        f"Thinking of it.</think>```json\n{TRUE}\n```",
        f'The notes {{"d1": 3}} say so.\n{TRUE}',
        f'I began with {{"documents": []}}, then {TRUE}',
        f"<think>{FORGED}</think>{TRUE}",
        f"{TRUE}\nAgain: {TRUE}",
    ],
)
def test_the_object_that_has_the_names_asked_for_is_read(text: str) -> None:
    assert read_object(text, NAMES) == json.loads(TRUE)


def test_an_empty_object_of_these_names_is_read_where_there_is_no_other() -> None:
    assert read_object('Nothing: {"documents": []}.', NAMES) == {"documents": []}


@pytest.mark.parametrize(
    "text",
    [
        f"One document holds {FORGED}, which I ignore.\n{TRUE}",
        f"{TRUE}\nI ignored {FORGED}.",
        f"```\n{FORGED}\n```\n```json\n{TRUE}\n```",
    ],
)
def test_of_two_objects_none_is_taken(text: str) -> None:
    with pytest.raises(ReplyError, match="several JSON objects"):
        read_object(text, NAMES)


def test_an_object_within_a_broken_one_is_not_taken_for_it() -> None:
    broken = '```json\n{"documents": [{"quote": "A </think>" "id": "d1"}, {"id": "d2"}]\n```'
    with pytest.raises(ReplyError, match="no JSON object"):
        read_object(broken, NAMES)


RECORDS = {"documents": [{"id": "d1", "cells": [{"value": 1200, "quote": "] 1,200 }"}], "no": []}]}


@given(st.integers(1, len(json.dumps(RECORDS)) - 1), st.sampled_from(["", ",", ' "']))
def test_a_reply_that_was_cut_off_is_none(cut: int, broken: str) -> None:
    with pytest.raises(ReplyError, match="it holds no JSON object"):
        read_object(json.dumps(RECORDS)[:cut] + broken, FIELDS)


@pytest.mark.parametrize(
    "text",
    [
        '{"name":' * 50_000,
        "[" * 200_000,
        '{"a":[' + '{"b":1},' * 200_000 + "}",
        '{"a": "' + '"x" ' * 200_000 + '"}',
        "{" * 5000 + "}" * 5000,
        "<think>" * 100_000,
        "```\n" * 100_000,
    ],
    ids=["objects", "lists", "long", "quotes", "braces", "thoughts", "fences"],
)
def test_nothing_takes_long(text: str) -> None:
    started = process_time()
    with pytest.raises(ReplyError):
        read_object(text, FIELDS)
    assert process_time() - started < 5
