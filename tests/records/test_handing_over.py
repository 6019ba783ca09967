"""Records are handed over while others are still being predicted."""

from collections.abc import Mapping, Sequence

import anyio
import pytest
from anyio.lowlevel import checkpoint

from srag_mcp.cells.cell import DocumentText, PredictedRecord
from srag_mcp.errors import BudgetError, StoreError
from srag_mcp.model.language_model import LanguageModel, Prompt, Reply
from srag_mcp.records.conversation import RecordTask
from srag_mcp.records.prediction import predict_records
from srag_mcp.schema.attribute import Attribute
from tests.model.scripted import ScriptedModel
from tests.records.inns import INN, FaultyModel, document, inns, read_inn
from tests.records.reading_model import answer, reading, stated

ATTRIBUTES = (Attribute(name="number", type="integer"),)
LONG = "The inn is old. " * 1000


class Uneven(LanguageModel):
    """Lets some replies wait while others are handed over."""

    def __init__(self, model: ScriptedModel) -> None:
        self._model = model

    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        for _ in range(len(prompt.content) % 7):
            await checkpoint()
        return await self._model.complete(prompt, reply_schema)


def read_number(key: str, text: str, prompt: Prompt) -> dict[str, object]:
    number = text.split()[1]
    return answer(key, [stated("number", int(number), f"Inn {number}")])


def test_each_record_comes_once_however_the_replies_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("srag_mcp.records.prediction.HAND_OVER_S", 0)
    long_inns = [
        DocumentText(f"{n:02d}", "Inn", f"{n:02d}", f"Inn {n}\n{LONG[: 9000 + n]}", "sha")
        for n in range(60)
    ]
    handed: list[str] = []

    async def run() -> None:
        await predict_records(
            RecordTask(Uneven(reading(read_number)), ATTRIBUTES, "model"),
            long_inns,
            prompt_tokens=8000,
            max_in_flight=8,
            on_done=lambda records: handed.extend(item.document_id for item in records),
        )

    anyio.run(run)
    assert sorted(handed) == [inn.document_id for inn in long_inns]


def test_a_stop_ends_it_and_keeps_what_is_finished() -> None:
    texts = inns(80)
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
    assert found == [f"{number}.txt" for number in (*range(32), *range(48, 64))]


def test_what_is_finished_is_kept_when_it_is_cancelled() -> None:
    texts = inns(80)
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
    assert found == [f"{number}.txt" for number in range(32)]


def test_records_are_handed_over_many_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("srag_mcp.records.prediction.HAND_OVER_S", 3600)
    texts = inns(500)
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
    assert n_records == [500]


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
