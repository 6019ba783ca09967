from collections.abc import Iterable
from dataclasses import replace

from srag_mcp.cells.cell import Cell, DocumentText, PredictedCell, PredictedRecord
from srag_mcp.model.language_model import Prompt
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State
from tests.model.scripted import ScriptedModel, replying
from tests.records.inns import CROWN, crown_cells, document, inns, predict, read_inn
from tests.records.reading_model import answer, reading, reply, shown_documents


def test_cells_have_the_words_of_the_document_and_canonical_values() -> None:
    model = replying([reply(answer("d1", crown_cells()))])

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
    texts = inns(20)
    model = reading(read_inn)

    found = predict(model, texts)

    assert [len(shown_documents(prompt)) for prompt in model.prompts] == [16, 4]
    assert len({prompt.instructions for prompt in model.prompts}) == 1
    assert [found[item.document_id].cells[1].value_text for item in texts] == [
        str(number) for number in range(20)
    ]


def test_what_is_not_mentioned_has_no_words() -> None:
    model = replying([reply(answer("d1", []))])

    [record] = predict(model, [document("empty.txt", "Nothing of the kind.")]).values()

    assert record.cells[2] == PredictedCell(Cell("has_pool", State.NOT_MENTIONED, engine="model"))
    assert record.error == ""


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
    assert max(n_ahead) <= 48


def test_a_document_without_text_is_not_sent() -> None:
    model = reading(read_inn)

    found = predict(model, [document("blank.txt", " \n")])

    assert found["blank.txt"].cells[0].cell == replace(
        Cell("name", State.FAILED, engine="model"), note="it has no text"
    )
    assert model.prompts == []
