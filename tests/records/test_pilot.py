"""The first long documents are read on for all; what they never say late is not sought late."""

import re
from collections.abc import Sequence
from functools import cache

import anyio
import pytest

from srag_mcp.cells.cell import DocumentText, Mark, PredictedRecord
from srag_mcp.errors import ModelStoppedError
from srag_mcp.model.language_model import Prompt
from srag_mcp.records.conversation import N_DOCUMENTS, Pilot, RecordTask
from srag_mcp.records.prediction import MAX_PROMPTFULS, predict_records
from srag_mcp.values.states import State
from tests.model.scripted import ScriptedModel
from tests.records.reading_model import reading
from tests.records.test_reading_on import FILLER, LEASE, asked, read

N_LEASES = 9
PROMPT_TOKENS = 2500  # of which each long document takes all


def leases(*with_dogs: int) -> list[DocumentText]:
    """Long leases, some of which allow dogs near their ends."""
    return [
        DocumentText(
            f"{n}.txt",
            f"Lease {n}",
            f"{n}.txt",
            f"Lease {n}\nRent: 90{n} EUR\n{FILLER * 280}"
            + ("Dogs may stay.\n" if n in with_dogs else "")
            + FILLER * 5,
            "",
        )
        for n in range(N_LEASES)
    ]


def predict(
    model: ScriptedModel,
    documents: Sequence[DocumentText],
    pilot: Pilot | None = None,
    max_in_flight: int = 1,
) -> dict[str, PredictedRecord]:
    found: list[PredictedRecord] = []

    async def run() -> None:
        task = RecordTask(model, LEASE, "model", pilot=pilot or Pilot())
        await predict_records(
            task,
            documents,
            prompt_tokens=PROMPT_TOKENS,
            max_in_flight=max_in_flight,
            on_done=found.extend,
        )

    try:
        anyio.run(run)
    except ModelStoppedError:
        found.append(PredictedRecord("stopped", "", ()))
    return {record.document_id: record for record in found}


def numbers(prompts: Sequence[Prompt]) -> list[int]:
    """Return the documents of prompts that read on."""
    further = [prompt for prompt in prompts if asked(prompt) != ["rent", "pets_allowed"]]
    return sorted(int(prompt.subject.removesuffix(".txt")) for prompt in further)


def test_what_the_first_long_documents_never_say_late_is_not_sought_late() -> None:
    model = reading(read)

    found = predict(model, leases())

    assert numbers(model.prompts) == [n for n in range(N_DOCUMENTS) for _ in range(2)]
    last = found[f"{N_LEASES - 1}.txt"]
    assert [item.cell.state for item in last.cells] == [State.STATED, State.NOT_MENTIONED]
    assert last.cells[1].cell.marks == {Mark.READ_IN_PART}
    assert re.fullmatch(
        r"read in part: \d{1,2},\d{3} of 2\d,\d{3} characters", last.cells[1].cell.note
    )


def test_what_a_question_needs_is_sought_late_whatever_they_say() -> None:
    model = reading(read)

    predict(model, leases(), Pilot(needed=frozenset({"pets_allowed"})))

    assert set(numbers(model.prompts)) == set(range(N_LEASES))


def test_what_one_of_them_says_late_is_sought_in_all() -> None:
    model = reading(read)

    found = predict(model, leases(3, 7))

    assert set(numbers(model.prompts)) == set(range(N_LEASES))
    said = {key for key, record in found.items() if record.cells[1].value_text == "true"}
    assert said == {"3.txt", "7.txt"}


def test_what_most_of_them_say_early_is_sought_in_all() -> None:
    documents = leases()
    for n in range(3):
        text = documents[n].text.replace("EUR\n", "EUR\nDogs may stay.\n", 1)
        documents[n] = DocumentText(f"{n}.txt", "", "", text, "")
    model = reading(read)

    predict(model, documents)

    assert set(numbers(model.prompts)) == set(range(3, N_LEASES))


@pytest.mark.parametrize("max_in_flight", [2, 50])
def test_how_many_prompts_are_in_flight_changes_none_of_them(max_in_flight: int) -> None:
    one, many = reading(read), reading(read)

    assert predict(one, leases()) == predict(many, leases(), max_in_flight=max_in_flight)

    assert sorted(p.texts for p in one.prompts) == sorted(p.texts for p in many.prompts)


@pytest.mark.parametrize("n_answered", [1, 4, 13, 17, 18])
@pytest.mark.parametrize("max_in_flight", [1, 6])
def test_a_run_that_goes_on_asks_what_was_asked(n_answered: int, max_in_flight: int) -> None:
    """Whenever it was stopped, both runs ask together what one run asks, and no more."""
    honest, kept = reading(read), list[str]()
    replies: dict[tuple[str, ...], str] = {}

    def reply(prompt: Prompt) -> str:
        if prompt.texts not in replies:
            if len(replies) >= limit:
                msg = "no budget"
                raise ModelStoppedError(msg)
            replies[prompt.texts] = honest.reply(prompt)
        return replies[prompt.texts]

    documents, model = leases(), ScriptedModel(reply)
    limit = n_answered
    found = predict(model, documents, Pilot(keep=kept.append), max_in_flight)
    assert "stopped" in found
    limit = 1000
    left = [item for item in documents if item.document_id not in found]
    found |= predict(model, left, Pilot(kept[0] if kept else None, kept.append), max_in_flight)

    whole, texts = read_whole()
    assert whole == {key: found[key] for key in found if key != "stopped"}
    assert set(replies) == texts
    assert len(kept) == 1


@cache
def read_whole() -> tuple[dict[str, PredictedRecord], set[tuple[str, ...]]]:
    """Read the leases in one run; return what is found, and what is asked."""
    model = reading(read)
    return predict(model, leases()), {prompt.texts for prompt in model.prompts}


def test_few_long_documents_are_read_on_as_far_as_ever() -> None:
    model = reading(read)

    found = predict(model, leases()[: N_DOCUMENTS - 1])

    assert len(model.prompts) == (N_DOCUMENTS - 1) * MAX_PROMPTFULS
    assert len(found) == N_DOCUMENTS - 1
