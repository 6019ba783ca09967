"""A small corpus of weather stations, with a schema that needs no induction."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.attribute import Attribute, KeyRule
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool, Value

Rows = list[tuple[Value, ...]]
Ask = Callable[[Path, str], Rows]
WriteStation = Callable[..., Path]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(workers=1, home=tmp_path / "home")


@pytest.fixture(scope="session")
def schema() -> Schema:
    return Schema(
        title="Station",
        entity="stations",
        attributes=(
            Attribute(name="town", type="string", extractors=(KeyRule(keys=("town",)),)),
            Attribute(name="height", type="integer", extractors=(KeyRule(keys=("height",)),)),
        ),
    )


@pytest.fixture(scope="session")
def write_station() -> WriteStation:
    def write(folder: Path, number: int, height: int | str = 0, name: str = "") -> Path:
        path = folder / (name or f"station-{number:03d}.txt")
        path.parent.mkdir(parents=True, exist_ok=True)
        text = f"Station report {number}\n\nTown: Town {number}\nHeight: {height or number * 10}\n"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def corpus(tmp_path: Path, write_station: WriteStation) -> Path:
    folder = tmp_path / "stations"
    for number in range(1, 6):
        write_station(folder, number)
    return folder


@pytest.fixture(scope="session")
def kept_stations(
    tmp_path_factory: pytest.TempPathFactory, schema: Schema, write_station: WriteStation
) -> Path:
    """Five stations, ingested; to be copied."""
    folder = tmp_path_factory.mktemp("kept_stations")
    for number in range(1, 6):
        write_station(folder, number)
    ingest(folder, Settings(workers=1), schema=schema)
    return folder


@pytest.fixture
def ingested(tmp_path: Path, kept_stations: Path) -> Path:
    """Return the folder of `corpus`, ingested by `schema`."""
    return shutil.copytree(kept_stations, tmp_path / "stations")


@pytest.fixture(scope="module")
def quay(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a place for all tests of a module: kinds say in which folder their documents lie."""
    return tmp_path_factory.mktemp("quay")


@pytest.fixture(scope="package")
def worker() -> Iterator[QueryPool]:
    with QueryPool() as running:
        yield running


@pytest.fixture
def ask(worker: QueryPool, settings: Settings) -> Ask:
    def run(folder: Path, sql: str) -> Rows:
        return list(Corpus(folder, worker, settings.home).select(sql, limit=1000).rows)

    return run
