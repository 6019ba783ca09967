"""A model of whose replies nothing can be made is not asked about all documents."""

from collections.abc import Callable

import anyio
import pytest

from srag_mcp.cells.cell import DocumentText, PredictedRecord
from srag_mcp.errors import PromptTooLongError, ReplyError, UselessRepliesError
from srag_mcp.model.language_model import Prompt
from srag_mcp.records.conversation import MOST_AT_FIRST, MOST_LATER, RecordTask, UselessReplies
from srag_mcp.records.prediction import predict_records
from srag_mcp.schema.attribute import Attribute
from srag_mcp.values.states import State
from tests.model.scripted import ScriptedModel
from tests.records.reading_model import answer, reply, shown_documents, stated

ROOMS = Attribute(name="rooms", type="integer")
N_DOCUMENTS = 200


def predict(say: Callable[[Prompt], str]) -> tuple[ScriptedModel, list[PredictedRecord]]:
    """Predict 200 inns, one batch at a time; the error, if any, is raised with the prompts."""
    model, found = ScriptedModel(say), list[PredictedRecord]()
    documents = [
        DocumentText(f"{n}.txt", f"Inn {n}", f"{n}.txt", f"Inn {n}\nRooms: {n}\n" + "x " * 900, "")
        for n in range(N_DOCUMENTS)
    ]

    async def run() -> None:
        await predict_records(
            RecordTask(model, (ROOMS,), "model"),
            documents,
            prompt_tokens=8000,
            max_in_flight=4,
            on_done=found.extend,
        )

    try:
        anyio.run(run)
    except UselessRepliesError as error:
        error.add_note(str(len(model.prompts)))
        raise
    return model, found


def read(prompt: Prompt) -> str:
    """Answer as asked."""
    shown = shown_documents(prompt).items()
    return reply(*(answer(key, [stated("rooms", int(text.split()[1]), text.split("\n")[1])])
                   for key, text in shown))  # fmt: skip


def too_long(prompt: Prompt) -> str:
    msg = "This model's maximum context length is 400 tokens."
    raise PromptTooLongError(msg)


def of_no_form(prompt: Prompt) -> str:
    cells = [stated("rooms", {"state": "found"}, "x")]
    return reply(*(answer(key, cells) for key in shown_documents(prompt)))


@pytest.mark.parametrize(
    ("say", "reason", "most_calls"),
    [
        (lambda prompt: "Sorry, no.", "it holds no JSON object; it begins 'Sorry, no.'", 60),
        (lambda prompt: reply(), "the reply leaves the document out", 60),
        (of_no_form, "d1, rooms: value must be one text, number, true, false or null", 60),
        (too_long, "maximum context length is 400 tokens. Try another model", 60),
    ],
    ids=["prose", "empty", "misfits", "too long"],
)
def test_the_run_ends_after_few_documents(
    say: Callable[[Prompt], str], reason: str, most_calls: int
) -> None:
    with pytest.raises(UselessRepliesError) as stopped:
        predict(say)
    assert str(stopped.value).startswith(f"no reply of use came for {MOST_AT_FIRST} documents in a")
    assert reason in str(stopped.value)
    assert "SRAG_PROMPT_TOKENS" in str(stopped.value)
    assert isinstance(stopped.value, ReplyError)  # so that the useless replies are forgotten
    [n_calls] = stopped.value.__notes__
    assert int(n_calls) < most_calls


def test_odd_documents_among_good_ones_end_nothing() -> None:
    def say(prompt: Prompt) -> str:
        odd = [text for text in shown_documents(prompt).values() if int(text.split()[1]) % 10 > 7]
        return "Sorry, no." if odd else read(prompt)

    _, found = predict(say)
    failed = [int(item.document_id[:-4]) for item in found if item.error]
    assert sorted(failed) == [n for n in range(N_DOCUMENTS) if n % 10 > 7]


def test_a_model_that_reads_documents_only_alone_is_asked_so() -> None:
    def say(prompt: Prompt) -> str:
        return read(prompt) if len(shown_documents(prompt)) == 1 else "Sorry, too many."

    _, found = predict(say)
    assert {item.cells[0].cell.state for item in found} == {State.STATED}
    assert len(found) == N_DOCUMENTS


def test_a_model_that_breaks_down_later_is_given_more_patience() -> None:
    useless = UselessReplies()
    useless.reset()
    for _ in range(MOST_LATER - 1):
        useless.count("no")
    with pytest.raises(UselessRepliesError, match=f"for {MOST_LATER} documents in a row"):
        useless.count("no")
