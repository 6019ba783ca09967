"""Five towers, of which one has no town, one no height, and two nothing about a crane."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool

TOWERS: list[dict[str, object]] = [
    {"town": "Olm", "height": 10, "lift": True, "crane": True, "built": "1901-05-01"},
    {"town": "Olm", "height": 30},
    {"town": "Rann", "crane": False},
    {"town": "Rann", "height": 50, "lift": False},
    {"height": 20, "crane": True},
]
SCHEMA = Schema(
    title="Tower",
    entity="towers",
    attributes=(
        Attribute(name="town", type="string"),
        Attribute(name="height", type="integer", unit="m"),
        Attribute(name="lift", type="boolean", absent_means="false"),
        Attribute(name="crane", type="boolean"),
        Attribute(name="built", type="date"),
    ),
)


@pytest.fixture(scope="package")
def towers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    folder = Path(tmp_path_factory.mktemp("towers"))
    lines = "".join(f"{json.dumps(tower)}\n" for tower in TOWERS)
    (folder / "towers.jsonl").write_text(lines)
    settings = Settings(workers=1, home=tmp_path_factory.mktemp("home"))
    ingest(folder, settings, schema=SCHEMA)
    with QueryPool() as worker:
        yield Corpus(folder, worker, settings.home)
