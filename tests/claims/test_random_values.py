"""Random values are not accepted for real quotes, and true ones are.

The quotes are those that a model gave for the shipped corpora (`tests/replies/gold_schema`). A
random value is that of another record of the column, or one of about the same size.
"""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import anyio
import pytest

from srag_mcp.cells.cell import DocumentText, PredictedRecord
from srag_mcp.claims.claim import check
from srag_mcp.documents.folder import SourceFile
from srag_mcp.documents.reading import read_file
from srag_mcp.errors import ModelStoppedError, ReplyError
from srag_mcp.model.language_model import Prompt, Reply
from srag_mcp.model.ledger import ReplayModel
from srag_mcp.records.conversation import RecordTask
from srag_mcp.records.prediction import predict_records
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.json_schema import read_schema_file
from srag_mcp.values.types import Value

ROOT = Path(__file__).parents[2]
# What is accepted of true values and of random ones. 16a3ebc accepted 96 % of the random booleans,
# and each text and category. A category that its words do not have is put otherwise: `€`, EUR.
SHARES = {
    "boolean": [0.949, 0.056],
    "category": [0.229, 0.0],
    "date": [1.0, 0.0],
    "integer": [1.0, 0.001],
    "number": [1.0, 0.0],
    "string": [1.0, 0.011],
}


@dataclass(frozen=True)
class Stated:
    attribute: Attribute
    quote: str
    value: Value
    text: str

    def shows(self, value: Value) -> bool:
        return check(self.attribute, self.quote, value, self.text).follows


class FirstReplies(ReplayModel):
    """A recording whose repairs may be those of other checks: what was said first counts then."""

    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        try:
            return await super().complete(prompt, reply_schema)
        except ModelStoppedError as error:
            if prompt.step != "repairs":
                raise
            raise ReplyError(str(error)) from error


def read_pack(name: str) -> list[Stated]:
    """Return what the recorded model stated of the documents of a pack, by the gold schema."""
    paths = sorted((ROOT / "corpora" / name / "documents").iterdir())
    documents = [read_file(SourceFile(path, path.name, 1)) for path in paths]
    texts = [DocumentText(d.id, d.title, d.path, d.text, d.sha256) for d in documents]
    attributes = read_schema_file(ROOT / "corpora" / name / "schema.json").attributes
    model = FirstReplies(ROOT / "tests" / "replies" / "gold_schema" / f"{name}.jsonl")
    task = RecordTask(model, attributes, "model")
    records: list[PredictedRecord] = []

    async def predict() -> None:
        await predict_records(
            task, texts, prompt_tokens=8000, max_in_flight=1, on_done=records.extend
        )

    anyio.run(predict)
    by_id = {text.document_id: text.text for text in texts}
    return [
        Stated(attribute, item.cell.as_stated or "", value, by_id[record.document_id])
        for record in records
        for attribute, item in zip(attributes, record.cells, strict=True)
        if item.value_text is not None
        if (value := attribute.type.read(item.value_text)) is not None
    ]


@pytest.fixture(scope="module")
def stated() -> list[Stated]:
    return [item for name in ("hotels", "cvs") for item in read_pack(name)]


def guess(item: Stated, column: Sequence[Value], chance: random.Random) -> list[Value]:
    """Return wrong values: another one of the column, and one of about the same size."""
    others = sorted({str(value): value for value in column if value != item.value}.items())
    guessed = [chance.choice(others)[1]] if others else []
    match item.value:
        case bool(value):
            guessed.append(not value)
        case int(value):
            guessed.append(chance.randint(0, 2 * max(10, abs(value))))
        case float(value):
            n_decimals = len(str(value).partition(".")[2])
            guessed.append(round(chance.uniform(0, 2 * max(1.0, abs(value))), n_decimals))
        case date() as value:
            guessed.append(value + timedelta(days=chance.randint(1, 800)))
    return [value for value in guessed if value != item.value]


def test_random_values_do_not_follow_from_quotes_and_true_ones_do(stated: list[Stated]) -> None:
    chance = random.Random(16)
    n: Counter[tuple[str, str]] = Counter()
    columns: dict[str, list[Value]] = {}
    for item in stated:
        columns.setdefault(item.attribute.name, []).append(item.value)
    for item in stated:
        kind = "category" if item.attribute.categories else str(item.attribute.type)
        n[kind, "true"] += 1
        n[kind, "true, accepted"] += item.shows(item.value)
        for value in guess(item, columns[item.attribute.name], chance):
            n[kind, "random"] += 1
            n[kind, "random, accepted"] += item.shows(value)
    shares = {
        kind: [
            round(n[kind, f"{which}, accepted"] / n[kind, which], 3) for which in ("true", "random")
        ]
        for kind in sorted({kind for kind, _ in n})
    }
    assert shares == SHARES


@pytest.mark.parametrize("n_figures", [1, 2, 3, 5, 8])
def test_a_quote_of_many_figures_does_not_show_nearly_any_number(n_figures: int) -> None:
    """16a3ebc accepted 12 % for eight figures: each sum, product and the like of any two."""
    chance = random.Random(n_figures)
    attribute = Attribute(name="cost", type="number", unit="EUR")
    n_shown = 0
    for _ in range(200):
        sizes = [chance.choice((99, 9999)) for _ in range(n_figures)]
        figures = [str(chance.randint(1, size)) for size in sizes]
        value = round(chance.uniform(1, 20000), chance.choice((0, 0, 1, 2)))
        quote = "; ".join(figures)
        is_there = f"{value:g}" in figures
        n_shown += not is_there and Stated(attribute, quote, value, quote).shows(value)
    assert n_shown <= 1
