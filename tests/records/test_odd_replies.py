"""Odd and hostile replies: a right cell, a marked one or a failed one, never a wrong silent one."""

import json
from datetime import date

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.cells.cell import Cell, DocumentText, Mark, PredictedRecord, read_column
from srag_mcp.claims.claim import says_none
from srag_mcp.model.language_model import Prompt
from srag_mcp.records.conversation import RecordTask
from srag_mcp.records.prediction import predict_records
from srag_mcp.schema.attribute import Attribute
from srag_mcp.values.states import State
from srag_mcp.values.types import Value
from tests.model.scripted import ScriptedModel, replying
from tests.records.reading_model import CellAnswer, answer, repaired, reply, shown_documents, stated

NAME = Attribute(name="name", type="string")
ROOMS = Attribute(name="rooms", type="integer")
PRICE = Attribute(name="price", type="number", unit="EUR")
POOL = Attribute(name="has_pool", type="boolean", absent_means="false")
OPENED = Attribute(name="opened", type="date")
KIND = Attribute(name="kind", type="string", categories=("Inn", "Hotel"))
ATTRIBUTES = (NAME, ROOMS, PRICE, POOL, OPENED, KIND)
CROWN = "The Crown\nAn inn.\nRooms: 1,200\nPrice: 1.250,50 €\nPool: no\nOpened: 31.01.2020"
RITZ = "The Ritz\nA hotel.\nRooms: 999\nPrice: 80 €\nPool: yes\nOpened: 01.02.2021"
NAMES = [attribute.name for attribute in ATTRIBUTES]


def predict(model: ScriptedModel, *texts: str) -> list[PredictedRecord]:
    found: list[PredictedRecord] = []
    documents = [DocumentText(text[:9], "Inn", "inn.txt", text, "") for text in texts]

    async def run() -> None:
        await predict_records(
            RecordTask(model, ATTRIBUTES, "model"),
            documents,
            prompt_tokens=8000,
            max_in_flight=1,
            on_done=found.extend,
        )

    anyio.run(run)
    assert [record.document_id for record in found] == [text[:9] for text in texts]
    assert all([item.cell.attribute for item in record.cells] == NAMES for record in found)
    return found


def insisting(cells: list[CellAnswer]) -> ScriptedModel:
    """Make a model that says *cells*, and the first again when it is asked for repairs."""

    def insist(prompt: Prompt) -> str:
        if prompt.step == "repairs":
            return repaired(["c1", *cells[0][1:]])
        return reply(answer("d1", cells))

    return ScriptedModel(insist)


def cell_of(record: PredictedRecord, attribute: Attribute) -> Cell:
    [cell] = read_column(attribute, [record.cells[NAMES.index(attribute.name)]])
    return cell


def say(attribute: Attribute, value: object, quote: str) -> Cell:
    """Return the cell of a model that insists on *value* for the Crown."""
    [record] = predict(insisting([stated(attribute.name, value, quote)]), CROWN)
    return cell_of(record, attribute)


@pytest.mark.parametrize(
    ("attribute", "value", "quote", "stored"),
    [
        (ROOMS, "1,200", "Rooms: 1,200", 1200),
        (ROOMS, 1200.0, "1,200", 1200),
        (PRICE, 1250.5, "1.250,50 €", 1250.5),
        (PRICE, "1250.5", "1.250,50 €", 1250.5),
        (POOL, "no", "Pool: no", False),
        (POOL, "FALSE", "Pool: no", False),
        (OPENED, " 2020-01-31 ", "31.01.2020", date(2020, 1, 31)),
        (KIND, "INN", "An inn.", "Inn"),
        (KIND, " inn ", "AN INN", "Inn"),
        (NAME, "The\nCrown", "The  Crown", "The Crown"),
        (NAME, "the crown", "", "the crown"),
        (ROOMS, 1200, "", 1200),
        (PRICE, 1250.5, "", 1250.5),
        (OPENED, "2020-01-31", "", date(2020, 1, 31)),
        (KIND, "Inn", "", "Inn"),
    ],
)
def test_another_way_to_write_the_value_is_read(
    attribute: Attribute, value: object, quote: str, stored: Value
) -> None:
    cell = say(attribute, value, quote)
    assert (cell.state, cell.value, cell.note) == (State.STATED, stored, "")


@pytest.mark.parametrize(
    ("attribute", "value", "quote", "reason"),
    [
        (ROOMS, "many", "1,200", "'many' is not a whole number, such as 1200"),
        (ROOMS, 12.5, "1,200", "'12.5' is not a whole number, such as 1200"),
        (ROOMS, True, "1,200", "'True' is not a whole number, such as 1200"),
        (ROOMS, "1.200", "1,200", "'1.200' is not a whole number, such as 1200"),
        (ROOMS, "1'200", "1,200", '"1\'200" is not'),
        (ROOMS, float("nan"), "1,200", "'nan' is not a whole number"),
        (PRICE, float("inf"), "1.250,50 €", "'inf' is not a plain number"),
        (PRICE, "1.250,50", "1.250,50 €", "'1.250,50' is not a plain number"),
        (PRICE, "7" * 10**6, "1.250,50 €", "'7777777777"),
        (POOL, "ja", "Pool: no", "'ja' is not true or false"),
        (POOL, 0, "Pool: no", "'0' is not true or false"),
        (OPENED, "31.02.2020", "31.01.2020", "'31.02.2020' is not a date as YYYY-MM-DD"),
        (OPENED, "2020-02-31", "31.01.2020", "'2020-02-31' is not a date as YYYY-MM-DD"),
        (OPENED, "2020-01-31T00:00:00", "31.01.2020", "'2020-01-31T00:00:00' is not a date"),
        (OPENED, "2020-01", "31.01.2020", "a partial date"),
        (NAME, float("nan"), "The Crown", "'nan' is not a text"),
        (NAME, "x" * 10**6, "The Crown", "'xxxxxxxx"),
        (NAME, True, "The Crown", "'True' is not a text"),
        (NAME, "The Crown", "T", "not grounded: the document does not have the quote 'T'"),
        (NAME, "The Crown", ".", "not grounded: the document does not have the quote '.'"),
        (NAME, "The Ritz", "", "not grounded: it needs a quote: 'The Ritz' stands nowhere"),
        (ROOMS, 12, "", "not grounded: it needs a quote: '12' stands nowhere"),
        (POOL, True, "", "not grounded: it needs a quote"),
        (
            NAME,
            "The Crown",
            "The Ritz",
            "not grounded: the document does not have the quote 'The Ritz'",
        ),
        (NAME, "The Crown", CROWN * 100, "not grounded: the quote has"),
        (NAME, "The Crown", "x" * 10**6, "not grounded: the quote has 1,000,000 characters"),
        (ROOMS, 200, "200", "not grounded: the document does not have the quote '200'"),
    ],
)
def test_what_cannot_be_read_or_found_fails_with_the_reason(
    attribute: Attribute, value: object, quote: str, reason: str
) -> None:
    cell = say(attribute, value, quote)
    assert (cell.state, cell.value) == (State.FAILED, None)
    assert cell.note.startswith(reason)


@pytest.mark.parametrize(
    ("attribute", "value", "quote", "note"),
    [
        (ROOMS, 1201, "Rooms: 1,200", "doubted: the quote says 1200, the value 1201"),
        (ROOMS, 7, "The Crown", "nothing in the quote shows how it follows"),
        (PRICE, "1.250", "1.250,50 €", "doubted: '1.250' is one thousand times more or less"),
        (PRICE, 9.5, "The Crown", "nothing in the quote shows how it follows"),
        (POOL, True, "Pool: no", "doubted: the quote says 'Pool: no'"),
        (OPENED, "2020-01-30", "31.01.2020", "doubted: the quote gives another date"),
        (OPENED, "2020-01-31", "An inn.", "derived: the quote does not have it as it is"),
        (NAME, "The Ritz", "The Crown", "derived: the quote does not have it as it is"),
        (NAME, "Ritz", "The Crown", "doubted: the document has no word of 'Ritz'"),
        (NAME, 12.0, "The Crown", "derived: the quote does not have it as it is"),
        (KIND, "Hotel", "inn", "doubted: the quote says 'Inn', the value 'Hotel'"),
        (KIND, "Castle", "An inn.", "not one of the categories"),
    ],
)
def test_what_can_be_right_all_the_same_is_marked(
    attribute: Attribute, value: object, quote: str, note: str
) -> None:
    cell = say(attribute, value, quote)
    assert cell.state is State.STATED
    assert cell.note.startswith(note)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        '{"documents": null}',
        '{"records": []}',
        '{"documents": 12}',
        "[" * 100_000,
    ],
)
def test_a_reply_of_another_form_fails_the_record_with_the_reason(text: str) -> None:
    model = ScriptedModel(lambda prompt: text)
    [record] = predict(model, CROWN)
    assert record.error.startswith("records (The Crown): no reply had the right form: ")
    assert {(item.cell.state, item.cell.note) for item in record.cells} == {
        (State.FAILED, record.error)
    }
    assert len(model.prompts) == 3


@pytest.mark.parametrize(
    "text",
    [
        '{"documents": [null]}',
        '{"documents": ["d1"]}',
        '{"documents": [{"id": 1, "cells": []}]}',
        '{"documents": [{"id": "d1", "cells": {}}]}',
    ],
)
def test_a_reply_without_cells_fails_them_with_the_reason(text: str) -> None:
    model = ScriptedModel(lambda prompt: text)
    [record] = predict(model, CROWN)
    assert {(item.cell.state, item.cell.note) for item in record.cells} == {
        (State.FAILED, "the reply leaves the document out")
    }
    assert len(model.prompts) == 3


def crown_cells() -> list[CellAnswer]:
    return [
        stated("rooms", 1200, "1,200"),
        stated("name", "The Crown", "The Crown"),
        stated("price", 1250.5, "1.250,50 €"),
        stated("has_pool", False, "Pool: no"),
        stated("opened", "2020-01-31", "31.01.2020"),
        stated("kind", "Inn", "An inn"),
    ]


@pytest.mark.parametrize(
    "odd",
    [["rooms", [1200]], ["rooms", {"n": 1200}], ["rooms", 1200, ["1,200"]], ["rooms"], [2] * 5],
)
def test_a_cell_that_does_not_fit_is_asked_for_alone(odd: CellAnswer) -> None:
    [record] = predict(model := insisting([odd, *crown_cells()[1:]]), CROWN)
    failed = [item.cell for item in record.cells if item.cell.state is State.FAILED]
    assert [cell.attribute for cell in failed] == ["rooms"]
    assert [prompt.step for prompt in model.prompts] == ["records", "repairs", "repairs"]
    reason, _, _ = failed[0].note.partition(", not ")
    assert f"problem: {reason}, not " in model.prompts[1].content

    first = reply(answer("d1", [odd, *crown_cells()[1:]]))
    [record] = predict(replying([first, repaired(["c1", 1200])]), CROWN)
    assert {item.cell.state for item in record.cells} == {State.STATED}
    assert cell_of(record, ROOMS).value == 1200


@pytest.mark.parametrize("key", [2, 2.0, "2", " 2 ", "rooms"])
def test_a_column_is_named_by_its_number_or_name(key: object) -> None:
    [record] = predict(replying([reply(answer("d1", [[key, 1200]]))]), CROWN)
    assert cell_of(record, ROOMS).value == 1200


@pytest.mark.parametrize(
    ("cell", "marks", "note"),
    [
        (stated("rooms", 1200, None, "derived: 1,000 + 200"), {Mark.DERIVED}, "derived: 1,000"),
        (stated("rooms", 1200, "derived: 1,000 + 200"), {Mark.DERIVED}, "derived: 1,000 + 200"),
        (stated("rooms", 2400, "1,200", "derived: 1200+1200"), {Mark.DERIVED}, "derived: 1200+"),
        (stated("rooms", 1201, "1,200", "derived: 1,200 + 1"), {Mark.DERIVED, Mark.DOUBTED}, ""),
        (stated("rooms", 1201, "1,200", "derived: as it says"), {Mark.DERIVED, Mark.DOUBTED}, ""),
        (stated("rooms", 1201, "1,200", "doubtful: which?"), {Mark.DOUBTED}, "doubtful: which?"),
        (stated("rooms", 1200, "1,200", "Of 2019."), set(), ""),
    ],
)
def test_a_remark_says_how_a_value_is_to_be_taken(
    cell: CellAnswer, marks: set[Mark], note: str
) -> None:
    [record] = predict(insisting([cell]), CROWN)
    found = cell_of(record, ROOMS)
    assert (found.state, set(found.marks)) == (State.STATED, marks)
    assert found.note.startswith(note)


def test_what_a_cell_or_document_has_beside_it_costs_no_further_call() -> None:
    text = json.dumps({"documents": [{"id": "d1", "cells": crown_cells(), "n": 1}], "k": 2})
    broken = text.replace('"]', '",]').removesuffix("}") + ",}"
    for said in (text, f"<think>{{}}? It has\n{text[:90]}</think>Here:\n```json\n{broken}\n```"):
        model = replying([said])
        [record] = predict(model, CROWN)
        assert {item.cell.state for item in record.cells} == {State.STATED}
        assert len(model.prompts) == 1


def test_an_endless_number_fails_alone() -> None:
    first = reply(answer("d1", crown_cells())).replace("1200", "9" * 5000)
    [record] = predict(replying([first, repaired(), repaired()]), CROWN)
    failed = [item.cell.attribute for item in record.cells if item.cell.state is State.FAILED]
    assert failed == ["rooms"]


def ritz_cells() -> list[CellAnswer]:
    return [
        stated("name", "The Ritz", "The Ritz"),
        stated("rooms", 999, "Rooms: 999"),
        stated("price", 80, "80 €"),
        stated("has_pool", True, "Pool: yes"),
        stated("opened", "2021-02-01", "01.02.2021"),
        stated("kind", "Hotel", "A hotel"),
    ]


def test_the_cells_of_another_document_of_the_batch_are_not_taken() -> None:
    def swap(prompt: Prompt) -> str:
        if prompt.step == "repairs":
            return repaired()
        return reply(*(answer(key, ritz_cells()) for key in shown_documents(prompt)))

    crown, ritz = predict(ScriptedModel(swap), CROWN, RITZ)
    assert {item.cell.state for item in crown.cells} == {State.FAILED}
    assert all(item.cell.note.startswith("not grounded") for item in crown.cells)
    assert {item.cell.state for item in ritz.cells} == {State.STATED}


@pytest.mark.parametrize("key", ["d2", "D1", "The Crown", "../d1", "d1\n", ""])
def test_a_record_of_a_document_that_was_not_asked_about_is_not_taken(key: str) -> None:
    text = reply(answer(key, ritz_cells()))
    [record] = predict(ScriptedModel(lambda prompt: text), RITZ)
    assert {(item.cell.state, item.cell.note) for item in record.cells} == {
        (State.FAILED, "the reply leaves the document out")
    }


def test_what_a_reply_adds_does_not_reach_a_cell() -> None:
    cells = [*ritz_cells(), stated("owner", "Mallory", "The Ritz")]
    text = reply(answer("d1", cells), answer("d7", ritz_cells()))
    model = ScriptedModel(lambda prompt: text)
    [record] = predict(model, RITZ)
    assert {item.cell.state for item in record.cells} == {State.STATED}
    assert "Mallory" not in json.dumps([str(item) for item in record.cells])
    assert len(model.prompts) == 2, "a column that is none is told once"


def test_half_characters_and_control_characters_are_not_stored() -> None:
    name = stated("name", "The \u202eCrown\ud83d\x00", "The Crown")
    text = json.dumps({"documents": [answer("d1", [name])]})
    [record] = predict(ScriptedModel(lambda prompt: text), CROWN)
    assert cell_of(record, NAME).value == "The Crown?"


def test_endless_texts_of_a_reply_are_not_sent_back_in_repairs() -> None:
    endless = "x" * 10**6
    model = insisting([stated("name", endless, endless), stated("rooms", endless)])

    predict(model, CROWN)

    assert [prompt.step for prompt in model.prompts] == ["records", "repairs", "repairs"]
    assert all(len(prompt.content) < 3000 for prompt in model.prompts[1:])


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30)
PARTS = st.tuples(st.integers(0, len(CROWN)), st.integers(1, 20)).map(
    lambda part: CROWN[part[0] : part[0] + part[1]]
)


@given(st.sampled_from(ATTRIBUTES), VALUES | PARTS, PARTS | st.text(max_size=30))
def test_whatever_is_said_every_cell_has_its_words_or_a_reason(
    attribute: Attribute, value: object, quote: str
) -> None:
    cell = say(attribute, value, quote)
    if cell.state is State.FAILED:
        assert cell.value is None
        assert cell.note
    elif cell.state is State.STATED:
        assert cell.value is not None
        assert cell.span is not None
        assert cell.as_stated == cell.span.of(CROWN)
        assert any(letter.isalnum() or letter in "€" for letter in cell.as_stated)
    elif cell.state is State.STATED_ABSENT:
        assert cell.as_stated is not None
        assert says_none(cell.as_stated) or cell.marks == {Mark.UNSHOWN}
    else:
        assert (cell.state, cell.value) == (State.NOT_MENTIONED, None)
