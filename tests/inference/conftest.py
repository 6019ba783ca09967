"""Two corpora, a row each record: five towers, and six ships.

Of the towers one has no town, one no height, and two nothing about a crane.
"""

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
from tests.inference.reports import REPORTS, REPORTS_SCHEMA

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


SHIPS = [
    {
        "name": "Anna",
        "flag": "Malta",
        "crew": 12,
        "length": 80.5,
        "has_crane": True,
        "state": "afloat",
    },
    {"name": "Berta", "flag": "Malta", "crew": 30, "length": 120.0, "has_crane": False},
    {"name": "Clara", "flag": "Panama", "crew": 30, "length": 99.0, "has_crane": True},
    {"name": "Dora", "flag": "Panama", "crew": 22},
    {"name": "Emma", "flag": "Great Britain", "length": 61.0, "has_crane": False},
    {"name": "Frida", "crew": 8, "length": 45.0},
]
SHIPS_SCHEMA = Schema(
    title="Ship",
    entity="ships",
    nouns=("ship",),
    attributes=(
        Attribute(name="name", type="string", description="The name of the ship."),
        Attribute(name="flag", type="string", description="The country of registry."),
        Attribute(name="crew", type="integer", description="Sailors on board."),
        Attribute(name="length", type="number", unit="m", description="Length over all."),
        Attribute(name="has_crane", type="boolean", description="Whether it has a crane."),
        Attribute(name="draught", type="number", unit="m", description="Depth below the water."),
        Attribute(
            name="state",
            type="string",
            description="Whether it is afloat.",
            categories=("afloat", "sunk"),
        ),
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


@pytest.fixture(scope="package")
def ships(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    folder = tmp_path_factory.mktemp("ships")
    lines = "".join(f"{json.dumps(ship)}\n" for ship in SHIPS)
    (folder / "ships.jsonl").write_text(lines)
    settings = Settings(workers=1, home=tmp_path_factory.mktemp("home"))
    ingest(folder, settings, schema=SHIPS_SCHEMA)
    with QueryPool() as worker:
        yield Corpus(Path(folder), worker, settings.home)


@pytest.fixture(scope="package")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    folder = Path(tmp_path_factory.mktemp("reports"))
    for name, text in REPORTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    settings = Settings(workers=1, home=tmp_path_factory.mktemp("home"))
    ingest(folder, settings, schema=REPORTS_SCHEMA)
    with QueryPool() as worker:
        yield Corpus(folder, worker, settings.home)
