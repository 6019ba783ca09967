"""Records are handed over while others are still being predicted."""

from collections.abc import Mapping

import anyio
import pytest
from anyio.lowlevel import checkpoint

from srag_mcp.model.language_model import Prompt, Reply
from srag_mcp.records.document_text import DocumentText
from srag_mcp.records.prediction import predict_records
from srag_mcp.records.record_task import RecordTask
from srag_mcp.schema.attribute import Attribute
from tests.model.scripted import ScriptedModel
from tests.records.reading_model import answer, reading, stated

ATTRIBUTES = (Attribute(name="number", type="integer"),)
LONG = "The inn is old. " * 1000


class Uneven:
    """Lets some replies wait while others are handed over."""

    def __init__(self, model: ScriptedModel) -> None:
        self._model = model

    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        for _ in range(len(prompt.content) % 7):
            await checkpoint()
        return await self._model.complete(prompt, reply_schema)


def read_number(key: str, text: str, prompt: Prompt) -> dict[str, object]:
    number = text.split()[1]
    return answer(key, [stated("number", int(number), f"Inn {number}")], [])


def test_each_record_comes_once_however_the_replies_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("srag_mcp.records.prediction.HAND_OVER_S", 0)
    inns = [
        DocumentText(f"{n:02d}", "Inn", f"{n:02d}", f"Inn {n}\n{LONG[: 9000 + n]}", "sha")
        for n in range(60)
    ]
    handed: list[str] = []

    async def run() -> None:
        await predict_records(
            RecordTask(Uneven(reading(read_number)), ATTRIBUTES, "model"),
            inns,
            prompt_tokens=8000,
            max_in_flight=8,
            on_done=lambda records: handed.extend(item.document_id for item in records),
        )

    anyio.run(run)
    assert sorted(handed) == [inn.document_id for inn in inns]
