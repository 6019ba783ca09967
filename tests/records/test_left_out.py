"""A document of which a reply says nothing is asked about again."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from srag_mcp.model.language_model import Prompt
from srag_mcp.values.states import State
from tests.model.scripted import ScriptedModel
from tests.records.inns import CROWN, document, inns, predict, read_inn
from tests.records.reading_model import answer, reading, reply, shown_documents


def leaving_out(name: str, *, alone: bool, correction: str | None = None) -> ScriptedModel:
    """A model that says nothing of a document among others, nor *alone*; see `read_inn`."""

    def answer_all(prompt: Prompt) -> str:
        shown = shown_documents(prompt)
        if prompt.corrections and correction is not None:
            return correction
        return reply(
            *(
                read_inn(key, text, prompt)
                for key, text in shown.items()
                if name not in text or (len(shown) == 1 and not alone)
            )
        )

    return ScriptedModel(answer_all)


def test_a_document_that_a_batch_leaves_out_is_asked_alone() -> None:
    model = leaving_out("Inn 2\n", alone=False)
    texts = inns(4)

    found = predict(model, texts)

    assert [record.error for record in found.values()] == [""] * 4
    assert [record.cells[1].value_text for record in found.values()] == ["0", "1", "2", "3"]
    assert [len(shown_documents(prompt)) for prompt in model.prompts] == [4, 1]
    assert list(shown_documents(model.prompts[-1]).values()) == ["Inn 2\nRooms: 2"]


@pytest.mark.parametrize("correction", [None, "Sorry, the server is busy."])
def test_a_document_that_is_left_out_alone_fails_with_a_reason_to_ask_again(
    correction: str | None,
) -> None:
    model = leaving_out("Inn 2\n", alone=True, correction=correction)
    texts = inns(4)

    found = predict(model, texts)

    assert [key for key, record in found.items() if record.error] == ["2.txt"]
    assert found["2.txt"].error == "the reply leaves the document out"
    assert {item.cell.state for item in found["2.txt"].cells} == {State.FAILED}


@dataclass
class ForgetfulModel(ScriptedModel):
    """Keeps the prompts whose replies are of no use in `forgotten`."""

    forgotten: list[Prompt] = field(default_factory=list)

    def forget(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> None:
        self.forgotten.append(prompt)


def test_replies_that_leave_the_only_document_out_are_forgotten() -> None:
    model = ForgetfulModel(lambda prompt: reply())

    predict(model, [document("crown.txt", CROWN)])

    assert (len(model.prompts), model.forgotten) == (3, model.prompts[2:])


def test_replies_that_leave_all_documents_out_are_asked_in_halves() -> None:
    model = ForgetfulModel(lambda prompt: reply())

    found = predict(model, inns(2))

    assert [len(shown_documents(prompt)) for prompt in model.prompts] == [2] * 3 + [1] * 6
    assert model.forgotten == [model.prompts[5], model.prompts[8]]
    assert {record.error for record in found.values()} == {"the reply leaves the document out"}


def test_a_document_that_is_listed_without_cells_says_nothing() -> None:
    def read(key: str, text: str, prompt: Prompt) -> dict[str, object]:
        return answer(key, []) if text.startswith("Inn 2") else read_inn(key, text, prompt)

    model = reading(read)

    found = predict(model, inns(4))

    assert len(model.prompts) == 1
    assert found["2.txt"].error == ""
    assert {item.cell.state for item in found["2.txt"].cells} == {State.NOT_MENTIONED}


@pytest.mark.parametrize("odd", [[5, "Inn 2"], ["title", "Inn 2"], "rooms", [], None, [True, 2]])
def test_a_document_with_cells_of_no_column_is_asked_alone_and_told_once(odd: object) -> None:
    def read(key: str, text: str, prompt: Prompt) -> dict[str, object]:
        said = read_inn(key, text, prompt)
        cells = said["cells"]
        assert isinstance(cells, list)
        return {"id": key, "cells": [*cells, odd]} if text.startswith("Inn 2") else said

    model = reading(read)

    found = predict(model, inns(4))

    assert [len(shown_documents(prompt)) for prompt in model.prompts] == [4, 1, 1]
    [told] = model.prompts[-1].corrections
    assert f"- d1: {odd!r} is of none of the columns 1-4\n" in told.message
    assert [record.cells[1].value_text for record in found.values()] == ["0", "1", "2", "3"]


def test_where_all_documents_have_cells_of_no_column_they_are_told_so_together() -> None:
    def read(key: str, text: str, prompt: Prompt) -> dict[str, object]:
        said = read_inn(key, text, prompt)
        cells = said["cells"]
        assert isinstance(cells, list)
        return said if prompt.corrections else {"id": key, "cells": [*cells, [45, "left out"]]}

    model = reading(read)

    found = predict(model, inns(4))

    assert [len(shown_documents(prompt)) for prompt in model.prompts] == [4, 4]
    [told] = model.prompts[-1].corrections
    assert "- d4: [45, 'left out'] is of none of the columns 1-4\n" in told.message
    assert [record.cells[1].value_text for record in found.values()] == ["0", "1", "2", "3"]


@pytest.mark.parametrize("cells", [[["Rooms", 2]], ["rooms"], {"rooms": 2}, [["rooms"]]])
def test_cells_of_another_form_are_no_silence(cells: object) -> None:
    model = ScriptedModel(lambda prompt: json.dumps({"documents": [{"id": "d1", "cells": cells}]}))

    [record] = predict(model, inns(1)).values()

    assert record.error
    assert {item.cell.state for item in record.cells} == {State.FAILED}
