"""Rows in the replies of a model: placed whole, counted once, asked for with what they are."""

import json
from collections.abc import Mapping
from dataclasses import replace

import anyio
import jsonschema  # type: ignore[import-untyped]  # it comes without types
import pytest

from srag_mcp.cells.cell import DocumentText, ListedCells, Mark, PredictedCell
from srag_mcp.model.language_model import LanguageModel, Prompt, Reply
from srag_mcp.records.conversation import RecordTask
from srag_mcp.records.judging import Judge
from srag_mcp.records.listed import ListReading, describe_list, join_rows, list_attribute, read_list
from srag_mcp.records.prediction import predict_batch
from srag_mcp.records.record_prompt import ROWS_ASKED, Excerpt, render_records_prompt
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Table
from srag_mcp.values.states import State
from srag_mcp.values.types import INTEGER, NUMBER, TEXT
from tests.model.scripted import replying

ITEMS = Table(
    title="Items",
    entity="bills_items",
    attributes=(
        Attribute(name="what", type=TEXT, description="What was bought."),
        Attribute(name="quantity", type=INTEGER),
        Attribute(name="price", type=NUMBER, unit="EUR"),
    ),
    parent="bills",
    list_name="items",
    description="What is paid for.",
)
BILL = """Bill 2 of 5 May, 2 pages. We sold mugs and caps.
Mug    2    9.95
Cap    1    2.00
Mug    2    9.95
Total  5   21.90
"""


def read(given: object, text: str = BILL) -> ListReading:
    return read_list(Judge(DocumentText("a", "a", "a", text, "x"), "model"), ITEMS, given)


def said(reading: ListReading) -> list[list[object]]:
    return [[item.value_text for item in row] for row in rows(reading)]


def rows(reading: ListReading) -> tuple[tuple[PredictedCell, ...], ...]:
    return tuple(tuple(item.taken for item in row) for row in reading.rows)


def test_each_row_has_its_own_place() -> None:
    reading = read([3, [["Mug", 2, 9.95], ["Cap", 1, 2.0], ["Mug", 2, 9.95]]])
    assert said(reading) == [["Mug", "2", "9.95"], ["Cap", "1", "2"], ["Mug", "2", "9.95"]]
    lines = [
        {BILL.count("\n", 0, item.cell.span.start) for item in row if item.cell.span}
        for row in rows(reading)
    ]
    assert lines == [{1}, {2}, {3}]
    cell = reading.judgement.taken.cell
    assert (cell.state, reading.judgement.taken.value_text, cell.note) == (State.STATED, "3", "")


def test_an_item_is_placed_by_its_line_and_not_by_words_that_are_quoted_for_several() -> None:
    text = "Cap a is warm.\n\nCap a     4    7.50\nHat a     4    7.50\n\nCaps and hats are free.\n"
    free, line = [0, "Caps and hats are free"], "Cap a 4 7.50"
    reading = read([2, [["Cap a", [4, line], free], ["Hat a", [4, "Hat a 4 7.50"], free]]], text)
    assert said(reading) == [["Cap a", "4", "0"], ["Hat a", "4", "0"]]
    starts = [[x.cell.span.start for x in row if x.cell.span][:2] for row in rows(reading)]
    assert starts == [[text.index(x)] * 2 for x in ("Cap a  ", "Hat a  ")]


def test_a_row_that_the_document_does_not_have_once_more_is_none() -> None:
    reading = read([3, [["Cap", 1, 2.0], ["Cap", 1, 2.0], ["Kettle", 7, 30.5]]])
    assert said(reading) == [["Cap", "1", "2"]]
    assert reading.judgement.taken.cell.note == "2 of 3 items stand nowhere else"
    nothing = read([3, [["Kettle", 7, 30.5]]])
    assert (nothing.rows, nothing.judgement.taken.cell.state) == ((), State.FAILED)


def test_a_member_may_be_silent_quoted_or_wrong() -> None:
    text = "One cap at 2.00\nA mug at 9.95"
    reading = read([3, [["cap", [1, "One cap"], 2], ["mug", None, 99]]], text)
    states = [[item.cell.state for item in row] for row in rows(reading)]
    assert states == [
        [State.STATED, State.STATED, State.STATED],
        [State.STATED, State.NOT_MENTIONED, State.FAILED],
    ]
    assert reading.rows[0][1].taken.cell.as_stated == "One cap"


def test_a_document_may_say_that_there_are_none_or_nothing() -> None:
    text = "This bill has no items."
    assert read([3, None, "no items"], text).judgement.taken.cell.state is State.STATED_ABSENT
    assert read([3, []], text).judgement.taken.cell.state is State.NOT_MENTIONED
    assert read([3, 4], text).judgement.taken.cell.state is State.FAILED


def test_parts_of_a_document_that_overlap_give_a_row_once() -> None:
    first = read([3, [["Mug", 2, 9.95], ["Cap", 1, 2.0]]])
    second = read([3, [["Mug", 2, 9.95], ["Cap", 1, 2.0], ["Mug", 2, 9.95]]])
    joined = join_rows(ListedCells("t", rows(first)), ListedCells("t", rows(second)))
    assert len(joined.rows) == 3


def test_a_prompt_has_the_members_of_a_list_and_none_of_it_without_lists() -> None:
    columns = {1: Attribute(name="number", type=INTEGER), 2: list_attribute(ITEMS)}
    asked = render_records_prompt(columns, {}, lists={"bills_items": describe_list(ITEMS)})
    line = (
        "2 items (list): What is paid for. Members: what (string): What was bought.;"
        " quantity (integer); price (number, EUR)"
    )
    assert line in asked.instructions
    assert ROWS_ASKED in asked.instructions
    plain = {1: columns[1]}
    assert render_records_prompt(plain, {}, lists={"bills_items": "x"}) == render_records_prompt(
        plain, {}
    )


class Enforcing(LanguageModel):
    """A provider that lets no reply through but one of the form that was asked for."""

    def __init__(self, text: str) -> None:
        self._text = text

    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        jsonschema.validate(json.loads(self._text), reply_schema)
        return Reply(self._text, tokens_in=1, tokens_out=1, model="enforcing")


@pytest.mark.parametrize("is_summarised", [False, True])
def test_the_form_that_a_provider_enforces_has_room_for_rows(is_summarised: bool) -> None:
    rows = [["Mug", 2, 9.95], ["Cap", [1, "Cap    1"], None]]
    record = {"id": "d1", "cells": [[1, rows]]} | ({"summary": "A bill."} if is_summarised else {})
    task = RecordTask(
        Enforcing(json.dumps({"documents": [record]})),
        (list_attribute(ITEMS),),
        "model",
        summarised=is_summarised,
        lists={"bills_items": ITEMS},
    )
    bill = DocumentText("a", "a", "a", BILL, "x")
    [found] = anyio.run(predict_batch, task, [Excerpt(bill, BILL)])
    [listed] = found[0].lists
    assert [[item.value_text for item in row] for row in listed.rows] == [
        ["Mug", "2", "9.95"],
        ["Cap", "1", None],
    ]
    plain = replace(task, lists={})
    with pytest.raises(jsonschema.ValidationError):
        anyio.run(predict_batch, plain, [Excerpt(bill, BILL)])


@pytest.mark.parametrize(
    ("given", "value", "state", "is_doubted"),
    [([7], None, State.FAILED, False), ([1000, "1"], "1000", State.STATED, True)],
)
def test_a_member_that_is_odd_is_in_doubt_and_one_that_failed_is_asked_again(
    given: list[object], value: str | None, state: State, is_doubted: bool
) -> None:
    listed = [["Mug", 2, 9.95], ["Cap", given, 2.0], ["Mug", 2, 9.95]]
    said = {"documents": [{"id": "d1", "cells": [[1, listed]]}]}, {"cells": [["c1", 7]]}
    model = replying(map(json.dumps, said))
    task = RecordTask(model, (list_attribute(ITEMS),), "model", lists={"bills_items": ITEMS})
    [found] = anyio.run(
        predict_batch, task, [Excerpt(DocumentText("a", "a", "a", BILL, "x"), BILL)]
    )
    [items] = found[0].lists
    cell = items.rows[1][1]
    assert (cell.value_text, cell.cell.state) == (value, state)
    assert (Mark.DOUBTED in cell.cell.marks) == is_doubted
    assert len(model.prompts) == 1 + (state is State.FAILED)


def test_items_without_doubts_are_not_asked_again() -> None:
    rows = [["Mug", 2, 9.95], ["Cap", 1, None]]
    model = replying([json.dumps({"documents": [{"id": "d1", "cells": [[1, rows]]}]})])
    task = RecordTask(model, (list_attribute(ITEMS),), "model", lists={"bills_items": ITEMS})
    anyio.run(predict_batch, task, [Excerpt(DocumentText("a", "a", "a", BILL, "x"), BILL)])
    assert len(model.prompts) == 1


STAGES = Table(
    title="Stages",
    entity="tours_stages",
    attributes=tuple(Attribute(name=name, type=TEXT) for name in ("name", "length", "cost")),
    parent="tours",
    list_name="stages",
)


@pytest.mark.parametrize(
    "table",
    [
        "name | Feet | cost (thousand EUR)\nPeak | 35 | 12\nVale | 18.5 | 7",
        "| | feet | cost |\n|-|-|-|\n| Peak | 35 | 12 |\n| Vale | 18.5 | 7 |",
        "| | ft | cost |\n|-|-|-|\n| Peak | 35 | 12 |\n| Vale | 18.5 | 7 |",
    ],
)
def test_a_member_may_have_the_unit_and_the_scale_of_its_heading(table: str) -> None:
    judge = Judge(
        DocumentText("a", "a", "a", f"In 35 days we had seen it.\n\n{table}\n", "x"), "model"
    )
    costs = ("12 thousand EUR", "7 thousand EUR") if "thousand" in table else ("12", "7")
    given = [["Peak", "35 feet", costs[0]], ["Vale", "18.5 feet", costs[1]]]
    reading = read_list(judge, STAGES, [1, given])
    assert said(reading) == given
    assert [[item.cell.as_stated for item in row] for row in rows(reading)] == [
        ["Peak", "35", "12"], ["Vale", "18.5", "7"],
    ]  # fmt: skip
    places = [item.cell.span.start for item in rows(reading)[0] if item.cell.span]
    assert places[1] > judge.document.text.index("Peak")


@pytest.mark.parametrize("before", ["", "Widths in feet, never in miles\n\n"])
def test_a_unit_that_no_heading_of_its_column_has_is_not_taken_over(before: str) -> None:
    text = f"{before}name | Feet | width (metres)\nPeak | 35 | 12\n"
    judge = Judge(DocumentText("a", "a", "a", text, "x"), "model")
    [[_, length, cost]] = read_list(judge, STAGES, [1, [["Peak", "35 miles", "12 feet"]]]).rows
    assert {length.taken.cell.state, cost.taken.cell.state} == {State.FAILED}


def test_a_member_that_failed_is_asked_again_with_its_row() -> None:
    text = "name | Feet\nPeak | 35\nVale | 18\n"
    rows_said = [["Peak", "35 miles", None], ["Vale", "18 feet", None]]
    first = json.dumps({"documents": [{"id": "d1", "cells": [[1, rows_said]]}]})
    again = json.dumps({"cells": [["c1", "35 feet", "35"]]})
    model = replying([first, again])
    task = RecordTask(
        model, (list_attribute(STAGES),), "model", lists={"tours_stages": STAGES},
        numbers={"tours_stages": 1},
    )  # fmt: skip
    document = DocumentText("a", "a", "a", text, "x")
    [(record, _)] = anyio.run(predict_batch, task, [Excerpt(document, text)])
    [listed] = record.lists
    assert [row[1].value_text for row in listed.rows] == ["35 feet", "18 feet"]
    assert [row[1].cell.as_stated for row in listed.rows] == ["35", "18"]
    assert "around: " in model.prompts[1].content
    assert "Peak | 35" in model.prompts[1].content


@pytest.mark.parametrize(
    ("again", "state"),
    [(20, State.FAILED), ([20, "20"], State.FAILED), (35, State.STATED)],
)
def test_a_member_that_is_asked_again_stands_in_its_own_row(again: object, state: State) -> None:
    text = "name | minutes | helpers\nFrog | 35 | (empty)\nBog Train | 40 | 20\n"
    walks = Table(
        title="Walks", entity="tours_walks", parent="tours", list_name="walks",
        attributes=(
            Attribute(name="name", type=TEXT), Attribute(name="minutes", type=INTEGER),
            Attribute(name="helpers", type=INTEGER),
        ),
    )  # fmt: skip
    rows_said = [["Frog", None, 20], ["Bog Train", 40, 20]]
    first = {"documents": [{"id": "d1", "cells": [[1, rows_said]]}]}
    cell = ["c1", *again] if isinstance(again, list) else ["c1", again]
    model = replying(map(json.dumps, (first, {"cells": [cell]})))
    task = RecordTask(model, (list_attribute(walks),), "model", lists={"tours_walks": walks})
    document = DocumentText("a", "a", "a", text, "x")
    [(record, _)] = anyio.run(predict_batch, task, [Excerpt(document, text)])
    [listed] = record.lists
    assert len(model.prompts) > 1
    assert listed.rows[0][2].cell.state is state
    assert listed.rows[1][2].cell.state is State.STATED
