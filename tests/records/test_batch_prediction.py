"""A batch that cannot be answered is asked in parts."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from srag_mcp.errors import ModelError, PromptRefusedError, PromptTooLongError
from srag_mcp.model.language_model import Prompt, Reply
from srag_mcp.records.record_prompt import Sought
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State
from tests.records.inns import FaultyModel, document, inns, predict
from tests.records.reading_model import shown_documents


@pytest.mark.parametrize("error", [PromptRefusedError("it is refused"), ModelError("no answer")])
def test_a_document_that_cannot_be_answered_fails_with_the_reason(error: ModelError) -> None:
    texts = inns(17)
    texts.append(document("bad.txt", "Bad\nRooms: 1"))

    found = predict(FaultyModel({"Bad": error}), texts)

    assert found["bad.txt"].error == str(error)
    assert {(item.cell.state, item.cell.note) for item in found["bad.txt"].cells} == {
        (State.FAILED, str(error))
    }
    assert found["0.txt"].error == ""


def test_a_batch_is_halved_until_the_bad_document_is_alone() -> None:
    texts = inns(8)
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
    texts = inns(4)

    found = predict(model, texts)

    assert [len(shown_documents(prompt)) for prompt in model.prompts] == [4, 2, 2]
    assert [record.cells[1].value_text for record in found.values()] == ["0", "1", "2", "3"]


class SmallModel(FaultyModel):
    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        if len(prompt.content) > 20_000:
            msg = "the prompt is too long"
            raise PromptTooLongError(msg)
        return await super().complete(prompt, reply_schema)


def test_a_document_that_is_too_long_is_asked_with_fewer_passages() -> None:
    text = "The Crown\n" + "It is an old inn.\n" * 2000 + "Rooms: 12\n" + "And so on.\n" * 2000

    [record] = predict(SmallModel({}), [document("long.txt", text)]).values()

    assert record.cells[1].value_text == "12"
    assert record.cells[1].cell.span == Span(36_010, 36_019)


def test_fewer_passages_are_asked_for_what_is_sought_in_their_document_only() -> None:
    text = "The Crown\n" + "It is an old inn.\n" * 2000 + "Rooms: 12\n" + "And so on.\n" * 2000
    model = SmallModel({})

    predict(model, [document("long.txt", text)], sought={"long.txt": Sought(frozenset({"rooms"}))})

    assert model.prompts
    assert all("Give only the cells of these columns: d1: 2." in x.content for x in model.prompts)
