"""A corpus of ferries, and the command line as a function."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from srag_mcp.__main__ import main
from srag_mcp.pipeline.jobs import cancel_job, read_job
from srag_mcp.settings import Settings

PASSENGERS = {"Aldra": 120, "Borgund": 240, "Calypso": 360, "Dovre": 480}
PROPERTIES = {
    "name": {"type": "string", "description": "The name of the ferry."},
    "passengers": {"type": "integer", "description": "How many passengers it carries."},
    "operator": {"type": "string", "description": "The company that runs it."},
    "cafe": {"type": "boolean", "description": "Whether there is a café on board."},
}


@dataclass(frozen=True, slots=True)
class Result:
    """What a command left: its exit status, stdout and stderr."""

    status: int
    out: str
    err: str


Cli = Callable[..., Result]


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Cli:
    """Return a function that runs `srag-mcp` in this process, with a home of its own."""
    monkeypatch.setenv("SRAG_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SRAG_WORKERS", "1")
    monkeypatch.chdir(tmp_path)
    # started by its script, and by no `python -m`, after which the program would be called
    monkeypatch.setattr(sys.modules["__main__"], "__package__", None)

    def run(*arguments: str | Path) -> Result:
        monkeypatch.setattr(sys, "argv", ["srag-mcp", *map(str, arguments)])
        capsys.readouterr()
        status = 0
        try:
            main()
        except SystemExit as end:
            status = int(end.code or 0)
        said = capsys.readouterr()
        return Result(status, said.out, said.err)

    return run


@pytest.fixture
def ferries(tmp_path: Path) -> Path:
    """Return a folder of four documents that was never ingested."""
    folder = tmp_path / "ferries"
    folder.mkdir()
    for number, (name, passengers) in enumerate(PASSENGERS.items()):
        operator = "Fjord Lines" if number % 2 else "Skerry Ferries"
        cafe = "no" if number == 3 else "yes"
        text = f"Name: {name}\nPassengers: {passengers}\nOperator: {operator}\nCafe: {cafe}\n"
        (folder / f"{name.lower()}.txt").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def schema_file(tmp_path: Path) -> Path:
    """Return a hand-written schema of the ferries."""
    path = tmp_path / "ferry.json"
    schema = {"title": "Ferry", "type": "object", "properties": PROPERTIES}
    path.write_text(json.dumps(schema), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def ingested_once(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a place for the folder that the first test to need it ingests."""
    return {"place": tmp_path_factory.mktemp("once") / "ferries"}


@pytest.fixture
def ingested(cli: Cli, ferries: Path, schema_file: Path, ingested_once: dict[str, Path]) -> Path:
    """Return the folder of ferries with a published build."""
    place = ingested_once["place"]
    if not place.exists():
        assert cli("ingest", ferries, "--schema", schema_file).status == 0
        shutil.copytree(ferries, place)
    return place


@pytest.fixture
def folder(ingested: Path, ferries: Path) -> Path:
    """Return the same folder, to be changed."""
    return shutil.copytree(ingested, ferries, dirs_exist_ok=True)


@pytest.fixture
def program(tmp_path: Path) -> tuple[list[str], dict[str, str]]:
    """Return the command and the environment that run `srag-mcp` as a process of its own."""
    environment = {**os.environ, "SRAG_HOME": str(tmp_path / "home"), "SRAG_WORKERS": "1"}
    return [sys.executable, "-m", "srag_mcp"], environment


@pytest.fixture
def stations(tmp_path: Path) -> Path:
    """Return a folder of pages that `say` can read."""
    folder = tmp_path / "place" / "stations"
    folder.mkdir(parents=True)
    for number in range(1, 6):
        text = f"The station stands {number}00 metres high, above the town of Town{number}.\n"
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home")


@pytest.fixture
def job(cli: Cli, ferries: Path, tmp_path: Path, settings: Settings) -> Iterator[str]:
    """Start a job that asks an agent how many passengers each ferry carries."""
    passengers = {"type": "integer", "description": "How many passengers. As in the document."}
    schema = {"title": "Ferry", "type": "object", "properties": {"passengers": passengers}}
    (ferries / "schema.json").write_text(json.dumps(schema), encoding="utf-8")

    started = cli("ingest", ferries, "--engine", "agent", "--json")

    assert started.status == 0, started.err
    job_id = json.loads(started.out)["job_id"]
    assert started.err.startswith(f"next: srag-mcp prompts next {ferries}, then")
    yield job_id
    cancel_job(ferries, settings, job_id)
    read_job(ferries, settings, job_id, 30)
