"""A document of which a reply says nothing is asked about again."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from srag_mcp.model.language_model import Prompt
from srag_mcp.values.states import State
from tests.model.scripted import ScriptedModel
from tests.records.inns import CROWN, INN, document, inns, predict, read_inn
from tests.records.reading_model import answer, reading, reply, shown_documents


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
    texts = inns(4)

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
    texts = inns(4)

    found = predict(model, texts)

    assert [key for key, record in found.items() if record.error] == ["2.txt"]
    assert reason in found["2.txt"].error
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

    assert (len(model.prompts), model.forgotten) == (3, model.prompts)


def listing_nothing(names: str, *, always: bool) -> ScriptedModel:
    """A model that lists the documents whose name matches with nothing at all."""

    def read(key: str, text: str, prompt: Prompt) -> dict[str, object]:
        is_empty = re.match(names, text) and (always or not prompt.corrections)
        return answer(key, [], []) if is_empty else read_inn(key, text, prompt)

    return reading(read)


def test_a_document_that_is_listed_with_nothing_is_told_what_is_missing() -> None:
    model = listing_nothing("Inn 2\n", always=False)

    found = predict(model, inns(4))

    assert [record.error for record in found.values()] == [""] * 4
    assert [record.cells[1].value_text for record in found.values()] == ["0", "1", "2", "3"]
    _, second = model.prompts
    assert list(shown_documents(second).values()) == ["Inn 2\nRooms: 2"]
    [correction] = second.corrections
    assert json.loads(correction.reply) == {"documents": [answer("d3", [], [])]}
    assert correction.message.splitlines()[1:] == [
        f"- d3, {item.name}: it is neither in cells nor in not_mentioned" for item in INN
    ]


@pytest.mark.parametrize(("n_documents", "asked"), [(1, [1, 1, 1]), (3, [3, 1, 1, 1, 1, 1])])
def test_a_document_that_stays_listed_with_nothing_is_one_that_is_left_out(
    n_documents: int, asked: list[int]
) -> None:
    model = ForgetfulModel(listing_nothing("Inn 0\n", always=True).reply)

    found = predict(model, inns(n_documents))

    assert [len(shown_documents(prompt)) for prompt in model.prompts] == asked
    assert model.forgotten == model.prompts[n_documents > 1 :], "what is asked alone next time"
    assert [key for key, record in found.items() if record.error] == ["0.txt"]
    assert found["0.txt"].error == "the reply leaves the document out"
    assert {(item.cell.state, item.cell.note) for item in found["0.txt"].cells} == {
        (State.FAILED, "the reply leaves it out")
    }
