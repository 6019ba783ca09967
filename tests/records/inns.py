"""Documents of inns, and models that read them or fail at it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import anyio
from anyio.lowlevel import checkpoint

from srag_mcp.cells.cell import DocumentText, PredictedRecord
from srag_mcp.errors import ModelError
from srag_mcp.model.language_model import LanguageModel, Prompt, Reply
from srag_mcp.records.conversation import RecordTask
from srag_mcp.records.prediction import predict_records
from srag_mcp.records.record_prompt import Sought
from srag_mcp.schema.attribute import Attribute
from tests.records.reading_model import CellAnswer, answer, reading, stated

NAME = Attribute(name="name", type="string", description="Of the inn.")
ROOMS = Attribute(name="rooms", type="integer", unit="rooms")
POOL = Attribute(name="has_pool", type="boolean", absent_means="false")
OPENED = Attribute(name="opened", type="date")
INN = (NAME, ROOMS, POOL, OPENED)
CROWN = "The Crown\nRooms: 12\nOpened on 4 May 1899. No pool."


def document(key: str, text: str) -> DocumentText:
    return DocumentText(key, key, key, text, f"sha of {key}")


def inns(n_inns: int) -> list[DocumentText]:
    """Return as many inns, named and sized by their number."""
    return [document(f"{n}.txt", f"Inn {n}\nRooms: {n}") for n in range(n_inns)]


def predict(
    model: LanguageModel,
    documents: Iterable[DocumentText],
    attributes: Sequence[Attribute] = INN,
    max_in_flight: int = 1,
    sought: Mapping[str, Sought] | None = None,
) -> dict[str, PredictedRecord]:
    found: dict[str, PredictedRecord] = {}

    async def run() -> None:
        await predict_records(
            RecordTask(model, tuple(attributes), "model", sought=sought or {}),
            documents,
            prompt_tokens=8000,
            max_in_flight=max_in_flight,
            on_done=lambda records: found.update({item.document_id: item for item in records}),
        )

    anyio.run(run)
    return found


def crown_cells() -> list[CellAnswer]:
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
    return answer(key, cells)


@dataclass
class FaultyModel(LanguageModel):
    """Raises the error of a word that the prompt has, else answers as `read_inn`."""

    faults: Mapping[str, ModelError]
    prompts: list[Prompt] = field(default_factory=list)

    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        self.prompts.append(prompt)
        await checkpoint()
        for word, error in self.faults.items():
            if word in prompt.content:
                raise error
        return await reading(read_inn).complete(prompt, reply_schema)
