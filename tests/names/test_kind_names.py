"""What a language model is asked about kinds of documents, and what is taken of its replies."""

import json
from collections.abc import Iterable

import anyio
import pytest

from srag_mcp.errors import ReplyError
from srag_mcp.schema.definition import KindReply, render_kinds, settle_kinds
from tests.model.scripted import ScriptedModel, replying

TEXTS = {
    "g1": "boats (8), words: berth\n- b1.md: Boat 1",
    "g2": "lessons (7), words: pupil\n- c1.md: Lesson 1",
    "s1": "letter.md: Dear all",
}
GOOD = [{"name": "vessels", "of": ["g1", "s1"]}, {"name": None, "of": ["g2"]}]


def write(*kinds: tuple[str | None, list[str]]) -> str:
    return json.dumps({"kinds": [{"name": name, "of": keys} for name, keys in kinds]})


def settle(replies: Iterable[str]) -> tuple[list[tuple[str | None, list[int], list[str]]], str]:
    """Return what is taken of *replies*, and what the model was told of the first of them."""
    model: ScriptedModel = replying(replies)
    kinds = anyio.run(settle_kinds, model, TEXTS)
    told = [item.message for prompt in model.prompts for item in prompt.corrections]
    return [(x.name, x.places(), [key for key in x.of if key[0] == "s"]) for x in kinds], "".join(
        told[:1]
    )


def test_groups_and_strays_stand_between_marks_by_their_keys() -> None:
    prompt = render_kinds(TEXTS)
    assert prompt.step == "schema"
    begin, *lines, end = prompt.content.splitlines()
    assert (begin[:7], end[:5]) == ("[begin ", "[end ")
    assert lines == [
        "g1 boats (8), words: berth",
        "- b1.md: Boat 1",
        "g2 lessons (7), words: pupil",
        "- c1.md: Lesson 1",
        "s1 letter.md: Dear all",
    ]


def test_a_kind_has_its_name_its_groups_and_its_strays() -> None:
    assert settle([json.dumps({"kinds": GOOD})]) == (
        [("vessels", [0], ["s1"]), (None, [1], [])],
        "",
    )


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (write(("boats", ["g1"])), "g2 is in no kind"),
        (write(("boats", ["g1", "g2"]), ("lessons", ["g2"])), "g2 is in 2 kinds"),
        (write(("boats", ["g1", "g2", "s7"])), "there is no 's7'"),
        (write(("boats", ["g1", "g2"]), ("letters", ["s1"])), "a kind has a group, or 5 documents"),
        (write(("Boats", ["g1"]), ("boats", ["g2"])), "two kinds are called 'boats'"),
    ],
)
def test_a_reply_that_does_not_hold_is_told_why_and_else_nothing_of_it_is_taken(
    wrong: str, why: str
) -> None:
    taken, told = settle([wrong, json.dumps({"kinds": GOOD})])
    assert why in told
    assert taken[0][0] == "vessels"
    assert settle([wrong] * 3)[0] == []


def test_names_without_latin_letters_are_no_two_of_one_name() -> None:
    assert settle([write(("船", ["g1"]), ("授業", ["g2"]))])[1] == ""


def test_words_instead_of_a_reply_are_an_error() -> None:
    with pytest.raises(ReplyError, match="kinds of documents"):
        settle(["I think so."] * 3)


def test_a_kind_is_named_by_what_it_is() -> None:
    assert KindReply(name="boats", of=("g2", "s3", "g1")).places() == [1, 0]
