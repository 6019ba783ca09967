"""What cannot be used in a reply is told to the model, and asked for again."""

import json

import pytest

from srag_mcp.cells.cell import Cell, PredictedCell
from srag_mcp.model.language_model import Prompt
from srag_mcp.values.states import State
from tests.model.scripted import replying
from tests.records.inns import CROWN, crown_cells, document, inns, predict, read_inn
from tests.records.reading_model import answer, reading, reply, shown_documents, stated


def test_a_quote_that_is_not_there_is_asked_for_once_more() -> None:
    wrong = [stated("name", "The Crown", "The Crown Hotel & Spa"), *crown_cells()[1:]]
    repaired = [stated("name", "The Crown", "The Crown")]
    model = replying([reply(answer("d1", wrong, [])), reply(answer("d1", repaired, []))])

    [record] = predict(model, [document("crown.txt", CROWN)]).values()

    assert [item.cell.state for item in record.cells] == [State.STATED] * 4
    [correction] = model.prompts[1].corrections
    assert json.loads(correction.reply) == {
        "documents": [{"id": "d1", "cells": wrong[:1], "not_mentioned": []}]
    }
    assert correction.message.endswith(
        "- d1, name: the document does not have the quote 'The Crown Hotel & Spa'"
    )
    assert model.prompts[1].content.endswith("\n- d1: name")
    assert model.prompts[1].instructions == model.prompts[0].instructions


def test_a_quote_that_is_not_there_twice_makes_the_cell_fail() -> None:
    wrong = stated("name", "The Crown", "The Crown Hotel & Spa")
    first = reply(answer("d1", [wrong, *crown_cells()[1:]], []))
    model = replying([first, reply(answer("d1", [wrong], []))])

    [record] = predict(model, [document("crown.txt", CROWN)]).values()

    assert record.cells[0] == PredictedCell(
        Cell(
            "name",
            State.FAILED,
            engine="model",
            note="not grounded: the document does not have 'The Crown Hotel & Spa'",
        )
    )
    assert record.cells[1].cell.state is State.STATED


@pytest.mark.parametrize(
    ("cells", "silent", "problem"),
    [
        (crown_cells()[1:], [], "d1, name: it is neither in cells nor in not_mentioned"),
        (crown_cells(), ["name"], "d1, name: it is there more than once"),
        (
            [stated("rooms", "twelve", "12"), *crown_cells()],
            [],
            "d1, rooms: it is there more than once",
        ),
        (
            [crown_cells()[0], stated("rooms", "a dozen", "12"), *crown_cells()[2:]],
            [],
            "d1, rooms: value must be a whole number, such as 1200, not 'a dozen'",
        ),
        (
            [crown_cells()[0], stated("rooms", 21, "Rooms: 12"), *crown_cells()[2:]],
            [],
            "d1, rooms: the quote says 12, the value 21; put right what is wrong, or repeat it",
        ),
        (
            [*crown_cells()[:3], stated("opened", "1899-04-05", "4 May 1899")],
            [],
            "d1, opened: the quote gives another date than 1899-04-05; put right what is wrong,"
            " or repeat it",
        ),
    ],
)
def test_what_does_not_fit_is_told_with_the_reason(
    cells: list[dict[str, object]], silent: list[str], problem: str
) -> None:
    model = replying([reply(answer("d1", cells, silent)), reply(answer("d1", crown_cells(), []))])

    [record] = predict(model, [document("crown.txt", CROWN)]).values()

    assert model.prompts[1].corrections[0].message.splitlines()[1:] == [f"- {problem}"]
    assert [item.value_text for item in record.cells] == ["The Crown", "12", "false", "1899-05-04"]


def test_a_doubted_value_that_is_repeated_stands_with_a_mark() -> None:
    doubted = stated("rooms", 21, "Rooms: 12")
    first = reply(answer("d1", [crown_cells()[0], doubted, *crown_cells()[2:]], []))
    model = replying([first, reply(answer("d1", [doubted], []))])

    [record] = predict(model, [document("crown.txt", CROWN)]).values()

    assert (record.cells[1].value_text, len(model.prompts)) == ("21", 2)
    assert record.cells[1].cell.note == "doubted: the quote says 12, the value 21"


def test_a_correction_that_makes_it_worse_is_not_taken() -> None:
    doubted = stated("rooms", 21, "Rooms: 12")
    first = reply(answer("d1", [crown_cells()[0], doubted, *crown_cells()[2:]], []))
    worse = reply(answer("d1", [stated("rooms", 12, "a dozen rooms in all")], []))

    [record] = predict(replying([first, worse]), [document("crown.txt", CROWN)]).values()

    assert record.cells[1].value_text == "21"


def test_only_the_documents_with_problems_are_sent_again() -> None:
    def forget_rooms(key: str, text: str, prompt: Prompt) -> dict[str, object]:
        said = read_inn(key, text, prompt)
        if key == "d2" and not prompt.corrections:
            return {**said, "cells": [], "not_mentioned": said["not_mentioned"]}
        return said

    model = reading(forget_rooms)
    texts = inns(3)

    found = predict(model, texts)

    assert [list(shown_documents(prompt)) for prompt in model.prompts] == [
        ["d1", "d2", "d3"],
        ["d2"],
    ]
    assert found["1.txt"].cells[1].value_text == "1"


def test_what_stays_wrong_fails_after_two_corrections() -> None:
    bad = reply(answer("d1", [crown_cells()[0], *crown_cells()[2:]], []))
    model = replying([bad] * 3)

    [record] = predict(model, [document("crown.txt", CROWN)]).values()

    assert len(model.prompts) == 3
    assert record.cells[1].cell == Cell(
        "rooms", State.FAILED, engine="model", note="the reply leaves it out"
    )
    assert record.cells[0].value_text == "The Crown"


def test_a_cell_that_nobody_could_be_asked_to_put_right_is_a_reason_to_ask_again() -> None:
    bad = reply(answer("d1", [crown_cells()[0], *crown_cells()[2:]], []))
    model = replying([bad, "Sorry.", "Sorry.", "Sorry."])

    [record] = predict(model, [document("crown.txt", CROWN)]).values()

    assert "no reply had the right form" in record.error
    assert [item.cell.state for item in record.cells] == [
        State.STATED,
        State.FAILED,
        State.STATED,
        State.STATED,
    ]


def test_a_doubt_that_nobody_could_be_asked_about_is_none() -> None:
    doubted = stated("rooms", 21, "Rooms: 12")
    first = reply(answer("d1", [crown_cells()[0], doubted, *crown_cells()[2:]], []))
    model = replying([first, "Sorry.", "Sorry.", "Sorry."])

    [record] = predict(model, [document("crown.txt", CROWN)]).values()

    assert (record.error, record.cells[1].value_text) == ("", "21")
