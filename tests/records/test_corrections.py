"""What cannot be used in a reply is asked for again, alone, with what stands around it."""

import pytest

from srag_mcp.cells.cell import Cell, Mark, PredictedCell
from srag_mcp.model.language_model import Prompt
from srag_mcp.records.conversation import MAX_REPAIRS
from srag_mcp.records.record_prompt import MAX_DOCUMENTS
from srag_mcp.values.states import State
from tests.model.scripted import ScriptedModel, replying
from tests.records.inns import CROWN, crown_cells, document, inns, predict
from tests.records.reading_model import CellAnswer, answer, repaired, reply, shown_documents, stated

DOUBTED = stated("rooms", 21, "Rooms: 12")


def said(*cells: CellAnswer) -> str:
    """Say of the Crown what an honest model would, but for *cells*."""
    names = [cell[0] for cell in cells]
    honest = [cell for cell in crown_cells() if cell[0] not in names]
    return reply(answer("d1", [*cells, *honest]))


def test_a_quote_that_is_not_there_is_asked_for_once_more() -> None:
    wrong = stated("name", "The Crown", "The Crown Hotel & Spa")
    model = replying([said(wrong), repaired(["c1", "The Crown"])])

    [record] = predict(model, [document("crown.txt", CROWN)]).values()

    assert [item.cell.state for item in record.cells] == [State.STATED] * 4
    repair = model.prompts[1]
    assert (repair.step, repair.subject, repair.corrections) == ("repairs", "crown.txt", ())
    mark = repair.content.partition("begin ")[2][:8]
    assert repair.content == (
        "name (string): Of the inn.\n"
        f"[c1, begin {mark}]\n"
        'value: "The Crown"\n'
        "quote: The Crown Hotel & Spa\n"
        "problem: the document does not have the quote 'The Crown Hotel & Spa'\n"
        "around: The Crown\n[…]\n"
        f"[c1, end {mark}]"
    )


def test_a_quote_that_is_not_there_twice_makes_the_cell_fail() -> None:
    wrong = stated("name", "The Crown", "The Crown Hotel & Spa")
    model = replying([said(wrong), repaired(["c1", *wrong[1:]])])

    [record] = predict(model, [document("crown.txt", CROWN)]).values()

    problem = "the document does not have the quote 'The Crown Hotel & Spa'"
    assert record.cells[0] == PredictedCell(
        Cell("name", State.FAILED, engine="model", note=f"not grounded: {problem}")
    )
    assert (record.error, record.cells[1].cell.state) == ("", State.STATED)


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        (
            [stated("name", "The Crown"), stated("name", "Opened on")],
            "the reply has it more than once: 'The Crown', 'Opened on'",
        ),
        (
            [stated("rooms", "a dozen", "12")],
            "value must be a whole number, such as 1200, not 'a dozen'",
        ),
        ([stated("rooms", [12], "12")], "value must be one text, number, true, false or null, not"),
        ([stated("rooms", 12, ["12"])], "quote must be a text, not"),
        ([stated("rooms", 12, "12", "", "")], "it must be [key, value, quote, remark], not"),
        ([["rooms"]], "it must be [key, value, quote, remark], not"),
        ([DOUBTED], "the quote says 12, the value 21"),
        ([stated("rooms", 21)], "it needs a quote: '21' stands nowhere, or at several places"),
        ([stated("has_pool", True)], "it needs a quote"),
        (
            [stated("opened", "1899-04-05", "4 May 1899")],
            "the quote gives another date than 1899-04-05",
        ),
    ],
)
def test_what_does_not_fit_is_told_with_the_reason(cells: list[CellAnswer], problem: str) -> None:
    [right] = [cell for cell in crown_cells() if cell[0] == cells[0][0]]
    model = replying([said(*cells), repaired(["c1", *right[1:]])])

    [record] = predict(model, [document("crown.txt", CROWN)]).values()

    assert f"\nproblem: {problem}" in model.prompts[1].content
    assert [item.value_text for item in record.cells] == ["The Crown", "12", "false", "1899-05-04"]
    assert all(item.cell.note == "" for item in record.cells)


def test_the_same_value_twice_is_no_problem() -> None:
    model = replying([said(stated("rooms", 12), stated("rooms", "12", "Rooms: 12"))])

    [record] = predict(model, [document("crown.txt", CROWN)]).values()

    assert (record.cells[1].value_text, len(model.prompts)) == ("12", 1)


def test_what_stands_around_a_quote_is_shown_and_not_the_document() -> None:
    text = "The Crown\n" + "It is old. " * 100 + "Rooms: 12 in two wings. " + "It is old. " * 100
    model = replying([said(DOUBTED), repaired(["c1", 12, "Rooms: 12"])])

    predict(model, [document("crown.txt", f"{text}4 May 1899. No pool.")])

    around = model.prompts[1].content.partition("around: ")[2]
    assert "It is old. Rooms: 12 in two wings. It" in around
    assert len(around) < 500


def test_a_doubted_value_that_is_repeated_stands_with_a_mark() -> None:
    model = replying([said(DOUBTED), repaired(["c1", *DOUBTED[1:]])])

    [record] = predict(model, [document("crown.txt", CROWN)]).values()

    assert (record.cells[1].value_text, len(model.prompts)) == ("21", 2)
    assert record.cells[1].cell.note == "doubted: the quote says 12, the value 21"
    assert record.cells[1].cell.marks == {Mark.DOUBTED}


def test_a_value_that_is_taken_back_is_not_mentioned() -> None:
    model = replying([said(DOUBTED), repaired(["c1", None])])

    [record] = predict(model, [document("crown.txt", CROWN)]).values()

    assert record.cells[1] == PredictedCell(Cell("rooms", State.NOT_MENTIONED, engine="model"))


@pytest.mark.parametrize(
    "worse", [["c1", 12, "a dozen rooms in all"], ["c1", 13], ["c9", 12], ["c1"], None]
)
def test_a_repair_that_makes_it_worse_is_not_taken(worse: CellAnswer) -> None:
    model = replying([said(DOUBTED), repaired(worse), repaired(worse)])

    [record] = predict(model, [document("crown.txt", CROWN)]).values()

    assert record.cells[1].value_text == "21"


def test_cells_of_several_documents_share_a_prompt() -> None:
    def answered(prompt: Prompt) -> str:
        if prompt.step == "repairs":
            n_asked = prompt.content.count(", begin ")
            return repaired(*([f"c{n + 1}", None] for n in range(n_asked)))
        return reply(*(answer(key, [stated("rooms", 99)]) for key in shown_documents(prompt)))

    model = ScriptedModel(answered)
    found = predict(model, inns(2 * MAX_DOCUMENTS))

    assert [prompt.step for prompt in model.prompts] == ["records", "repairs"] * 2
    assert model.prompts[1].content.count(", begin ") == MAX_DOCUMENTS
    assert {item.cell.state for record in found.values() for item in record.cells} == {
        State.NOT_MENTIONED
    }


def test_many_cells_are_asked_for_in_several_prompts() -> None:
    def answered(prompt: Prompt) -> str:
        if prompt.step == "repairs":
            return repaired(["c1", None])
        cells = [stated("rooms", "99", "99"), stated("has_pool", True), stated("name", "Ritz")]
        return reply(*(answer(key, cells) for key in shown_documents(prompt)))

    model = ScriptedModel(answered)
    predict(model, inns(MAX_DOCUMENTS))

    n_asked = [prompt.content.count(", begin ") for prompt in model.prompts[1:]]
    assert n_asked == [MAX_REPAIRS, 3 * MAX_DOCUMENTS - MAX_REPAIRS]


def test_what_stays_wrong_fails_after_two_rounds() -> None:
    wrong = stated("rooms", "a dozen", "12")
    model = replying([said(wrong)] + [repaired(["c1", *wrong[1:]])] * 2)

    [record] = predict(model, [document("crown.txt", CROWN)]).values()

    assert [prompt.step for prompt in model.prompts] == ["records", "repairs", "repairs"]
    assert record.cells[1].cell.state is State.FAILED
    assert record.cells[1].cell.note == "'a dozen' is not a whole number, such as 1200"
    assert (record.error, record.cells[0].value_text) == ("", "The Crown")


def test_a_cell_that_nobody_could_be_asked_to_put_right_is_a_reason_to_ask_again() -> None:
    model = replying([said(stated("rooms", "a dozen", "12")), *["Sorry."] * 3])

    [record] = predict(model, [document("crown.txt", CROWN)]).values()

    assert "no reply had the right form" in record.error
    assert [item.cell.state for item in record.cells] == [
        State.STATED,
        State.FAILED,
        State.STATED,
        State.STATED,
    ]


def test_a_doubt_that_nobody_could_be_asked_about_is_none() -> None:
    model = replying([said(DOUBTED), "Sorry.", "Sorry.", "Sorry."])

    [record] = predict(model, [document("crown.txt", CROWN)]).values()

    assert (record.error, record.cells[1].value_text) == ("", "21")
