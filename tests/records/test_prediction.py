import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import anyio
import pytest

from srag_mcp.documents.document import Span
from srag_mcp.errors import (
    BudgetError,
    ModelError,
    PromptRefusedError,
    PromptTooLongError,
    StoreError,
)
from srag_mcp.model.language_model import LanguageModel, Prompt, Reply
from srag_mcp.records.cell import Cell, State
from srag_mcp.records.document_text import DocumentText
from srag_mcp.records.predicted_record import PredictedCell, PredictedRecord
from srag_mcp.records.prediction import predict_records
from srag_mcp.records.record_task import RecordTask
from srag_mcp.schema.attribute import Attribute
from tests.model.scripted import ScriptedModel, replying
from tests.records.reading_model import answer, reading, reply, shown_documents, stated

NAME = Attribute(name="name", type="string", description="Of the inn.")
ROOMS = Attribute(name="rooms", type="integer", unit="rooms")
POOL = Attribute(name="has_pool", type="boolean", absent_means="false")
OPENED = Attribute(name="opened", type="date")
INN = (NAME, ROOMS, POOL, OPENED)
CROWN = "The Crown\nRooms: 12\nOpened on 4 May 1899. No pool."


def document(key: str, text: str) -> DocumentText:
    return DocumentText(key, key, key, text, f"sha of {key}")


def predict(
    model: LanguageModel,
    documents: Iterable[DocumentText],
    attributes: Sequence[Attribute] = INN,
    max_in_flight: int = 1,
) -> dict[str, PredictedRecord]:
    found: dict[str, PredictedRecord] = {}

    async def run() -> None:
        await predict_records(
            RecordTask(model, tuple(attributes), "model"),
            documents,
            prompt_tokens=8000,
            max_in_flight=max_in_flight,
            on_done=lambda records: found.update({item.document_id: item for item in records}),
        )

    anyio.run(run)
    return found


def crown_cells() -> list[dict[str, object]]:
    return [
        stated("name", "The Crown", "The Crown"),
        stated("rooms", 12, "Rooms: 12"),
        stated("has_pool", False, "No pool"),
        stated("opened", "1899-05-04", "4 May 1899"),
    ]


def read_inn(key: str, text: str, prompt: Prompt) -> dict[str, object]:
    """Read `Name\\nRooms: n` as an honest model would."""
    rooms = re.search(r"Rooms: (\d+)", text)
    cells = [stated("name", text.partition("\n")[0], text.partition("\n")[0])]
    if rooms:
        cells.append(stated("rooms", int(rooms[1]), rooms[0]))
    said = {cell["attribute"] for cell in cells}
    return answer(key, cells, [item.name for item in INN if item.name not in said])


def test_cells_have_the_words_of_the_document_and_canonical_values() -> None:
    model = replying([reply(answer("d1", crown_cells(), []))])

    [record] = predict(model, [document("crown.txt", CROWN)]).values()

    assert record == PredictedRecord(
        "crown.txt",
        "sha of crown.txt",
        (
            PredictedCell(
                Cell("name", State.STATED, "The Crown", Span(0, 9), engine="model"), "The Crown"
            ),
            PredictedCell(
                Cell("rooms", State.STATED, "Rooms: 12", Span(10, 19), "", None, "rooms", "model"),
                "12",
            ),
            PredictedCell(
                Cell("has_pool", State.STATED, "No pool", Span(42, 49), engine="model"), "false"
            ),
            PredictedCell(
                Cell("opened", State.STATED, "4 May 1899", Span(30, 40), engine="model"),
                "1899-05-04",
            ),
        ),
    )


def test_documents_share_a_prompt_whose_instructions_never_change() -> None:
    texts = [document(f"{number}.txt", f"Inn {number}\nRooms: {number}") for number in range(20)]
    model = reading(read_inn)

    found = predict(model, texts)

    assert [len(shown_documents(prompt)) for prompt in model.prompts] == [8, 8, 4]
    assert len({prompt.instructions for prompt in model.prompts}) == 1
    assert [found[item.document_id].cells[1].value_text for item in texts] == [
        str(number) for number in range(20)
    ]


def test_what_is_not_mentioned_has_no_words() -> None:
    model = replying([reply(answer("d1", [], ["name", "rooms", "has_pool", "opened"]))])

    [record] = predict(model, [document("empty.txt", "Nothing of the kind.")]).values()

    assert record.cells[2] == PredictedCell(Cell("has_pool", State.NOT_MENTIONED, engine="model"))
    assert record.error == ""


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
    texts = [document(f"{number}.txt", f"Inn {number}\nRooms: {number}") for number in range(3)]

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


def leaving_out(name: str, *, alone: bool, correction: str | None = None) -> ScriptedModel:
    """A model that says nothing of a document among others, nor *alone*; see `read_inn`."""

    def answer_all(prompt: Prompt) -> str:
        shown = shown_documents(prompt)
        if prompt.corrections and correction is not None and any(name in t for t in shown.values()):
            return correction
        is_alone = len(shown) == 1 and not prompt.corrections
        return reply(
            *(
                read_inn(key, text, prompt)
                for key, text in shown.items()
                if name not in text or (is_alone and not alone)
            )
        )

    return ScriptedModel(answer_all)


@pytest.mark.parametrize("correction", [None, "Sorry, the server is busy."])
def test_a_document_that_a_batch_leaves_out_is_asked_alone(correction: str | None) -> None:
    model = leaving_out("Inn 2\n", alone=False, correction=correction)
    texts = [document(f"{number}.txt", f"Inn {number}\nRooms: {number}") for number in range(4)]

    found = predict(model, texts)

    assert [record.error for record in found.values()] == [""] * 4
    assert [record.cells[1].value_text for record in found.values()] == ["0", "1", "2", "3"]
    assert list(shown_documents(model.prompts[-1]).values()) == ["Inn 2\nRooms: 2"]


@pytest.mark.parametrize(
    ("correction", "reason"),
    [
        (None, "the reply leaves the document out"),
        ("Sorry, the server is busy.", "no reply had the right form"),
    ],
)
def test_a_document_that_is_left_out_alone_fails_with_a_reason_to_ask_again(
    correction: str | None, reason: str
) -> None:
    model = leaving_out("Inn 2\n", alone=True, correction=correction)
    texts = [document(f"{number}.txt", f"Inn {number}\nRooms: {number}") for number in range(4)]

    found = predict(model, texts)

    assert [key for key, record in found.items() if record.error] == ["2.txt"]
    assert reason in found["2.txt"].error
    assert {item.cell.state for item in found["2.txt"].cells} == {State.FAILED}


def test_replies_that_leave_the_only_document_out_are_forgotten() -> None:
    @dataclass
    class ForgetfulModel(ScriptedModel):
        forgotten: list[Prompt] = field(default_factory=list)

        def forget(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> None:
            self.forgotten.append(prompt)

    model = ForgetfulModel(lambda prompt: reply())

    predict(model, [document("crown.txt", CROWN)])

    assert (len(model.prompts), model.forgotten) == (3, model.prompts)


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


@dataclass
class FaultyModel:
    """Raises the error of a word that the prompt has, else answers as `read_inn`."""

    faults: Mapping[str, ModelError]
    prompts: list[Prompt] = field(default_factory=list)

    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        self.prompts.append(prompt)
        await anyio.lowlevel.checkpoint()
        for word, error in self.faults.items():
            if word in prompt.content:
                raise error
        return await reading(read_inn).complete(prompt, reply_schema)


@pytest.mark.parametrize("error", [PromptRefusedError("it is refused"), ModelError("no answer")])
def test_a_document_that_cannot_be_answered_fails_with_the_reason(error: ModelError) -> None:
    texts = [document(f"{number}.txt", f"Inn {number}\nRooms: {number}") for number in range(9)]
    texts.append(document("bad.txt", "Bad\nRooms: 1"))

    found = predict(FaultyModel({"Bad": error}), texts)

    assert found["bad.txt"].error == str(error)
    assert {(item.cell.state, item.cell.note) for item in found["bad.txt"].cells} == {
        (State.FAILED, str(error))
    }
    assert found["0.txt"].error == ""


def test_a_batch_is_halved_until_the_bad_document_is_alone() -> None:
    texts = [document(f"{number}.txt", f"Inn {number}\nRooms: {number}") for number in range(8)]
    texts[5] = document("bad.txt", "Bad\nRooms: 1")
    model = FaultyModel({"Bad": PromptRefusedError("it is refused")})

    found = predict(model, texts)

    assert [key for key, record in found.items() if record.error] == ["bad.txt"]
    assert [len(shown_documents(prompt)) for prompt in model.prompts] == [8, 4, 4, 2, 1, 1, 2]


def test_a_batch_whose_reply_is_cut_off_is_halved_at_once() -> None:
    class TerseModel(FaultyModel):
        async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
            answered = await super().complete(prompt, reply_schema)
            cut = len(shown_documents(prompt)) > 2
            return replace(answered, text=answered.text[:100], truncated=True) if cut else answered

    model = TerseModel({})
    texts = [document(f"{number}.txt", f"Inn {number}\nRooms: {number}") for number in range(4)]

    found = predict(model, texts)

    assert [len(shown_documents(prompt)) for prompt in model.prompts] == [4, 2, 2]
    assert [record.cells[1].value_text for record in found.values()] == ["0", "1", "2", "3"]


def test_a_document_that_is_too_long_is_asked_with_fewer_passages() -> None:
    class SmallModel(FaultyModel):
        async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
            if len(prompt.content) > 20_000:
                msg = "the prompt is too long"
                raise PromptTooLongError(msg)
            return await super().complete(prompt, reply_schema)

    text = "The Crown\n" + "It is an old inn.\n" * 2000 + "Rooms: 12\n" + "And so on.\n" * 2000

    [record] = predict(SmallModel({}), [document("long.txt", text)]).values()

    assert record.cells[1].value_text == "12"
    assert record.cells[1].cell.span == Span(36_010, 36_019)


def test_a_stop_ends_it_and_keeps_what_is_finished() -> None:
    texts = [document(f"{number}.txt", f"Inn {number}\nRooms: {number}") for number in range(80)]
    model = FaultyModel({"Inn 40\n": BudgetError("the budget is used up")})
    found: list[str] = []

    async def run() -> None:
        await predict_records(
            RecordTask(model, INN, "model"),
            texts,
            prompt_tokens=8000,
            max_in_flight=2,
            on_done=lambda records: found.extend(item.document_id for item in records),
        )

    with pytest.raises(BudgetError, match="the budget is used up"):
        anyio.run(run)
    assert found == [f"{number}.txt" for number in (*range(40), *range(48, 56))]


def test_what_is_finished_is_kept_when_it_is_cancelled() -> None:
    texts = [document(f"{number}.txt", f"Inn {number}\nRooms: {number}") for number in range(80)]
    found: list[str] = []
    waiting = anyio.Event()

    class HangingModel(FaultyModel):
        async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
            if "Inn 40\n" in prompt.content:
                waiting.set()
                await anyio.sleep_forever()
            return await super().complete(prompt, reply_schema)

    async def predicting() -> None:
        await predict_records(
            RecordTask(HangingModel({}), INN, "model"),
            texts,
            prompt_tokens=8000,
            max_in_flight=1,
            on_done=lambda records: found.extend(item.document_id for item in records),
        )

    async def run() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(predicting)
            await waiting.wait()
            tasks.cancel_scope.cancel()

    anyio.run(run)
    assert found == [f"{number}.txt" for number in range(40)]


def test_records_are_handed_over_many_at_a_time() -> None:
    texts = [document(f"{number}.txt", f"Inn {number}\nRooms: {number}") for number in range(500)]
    n_records: list[int] = []

    async def run() -> None:
        await predict_records(
            RecordTask(reading(read_inn), INN, "model"),
            texts,
            prompt_tokens=8000,
            max_in_flight=4,
            on_done=lambda records: n_records.append(len(records)),
        )

    anyio.run(run)
    assert (sum(n_records), max(n_records) >= 100) == (500, True)


def test_an_error_of_the_caller_comes_out_as_it_is() -> None:
    def full(records: Sequence[PredictedRecord]) -> None:
        msg = "the disk is full"
        raise StoreError(msg)

    async def run() -> None:
        await predict_records(
            RecordTask(reading(read_inn), INN, "model"),
            [document("a.txt", "Inn\nRooms: 1")],
            prompt_tokens=8000,
            max_in_flight=2,
            on_done=full,
        )

    with pytest.raises(StoreError, match="the disk is full"):
        anyio.run(run)


def test_texts_are_read_only_as_they_are_asked_about() -> None:
    n_read = 0
    n_ahead: list[int] = []

    def texts() -> Iterable[DocumentText]:
        nonlocal n_read
        for number in range(200):
            n_read += 1
            yield document(f"{number}.txt", f"Inn {number}\nRooms: {number}")

    n_answered = 0

    def answered(prompt: Prompt) -> str:
        nonlocal n_answered
        n_ahead.append(n_read - n_answered)
        shown = shown_documents(prompt)
        n_answered += len(shown)
        return reply(*(read_inn(key, text, prompt) for key, text in shown.items()))

    assert len(predict(ScriptedModel(answered), texts(), max_in_flight=2)) == 200
    assert max(n_ahead) <= 24


def test_a_document_without_text_is_not_sent() -> None:
    model = reading(read_inn)

    found = predict(model, [document("blank.txt", " \n")])

    assert found["blank.txt"].cells[0].cell == replace(
        Cell("name", State.FAILED, engine="model"), note="it has no text"
    )
    assert model.prompts == []
