"""A fleet of eight boats, ingested once, and clients that reach it in six ways."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.attribute import Attribute, KeyRule
from srag_mcp.schema.schema import Schema
from srag_mcp.server.tools import build_server
from srag_mcp.settings import Settings

BOATS = (
    ("documents/sea wolf.txt", "Sea Wolf", "Bergen", "12.5", "1987", "4"),
    ("documents/tern.txt", "Tern", "Bergen", "8.25", "1999", "2"),
    ("documents/a b/ü.txt", "Übermut", "Kiel", "15", "2004", "6"),
    ("documents/a b/juno.md", "Juno", "Kiel", "22.75", "1975", "9"),
    ("documents/petrel.md", "Petrel", "Brest", "9", "2011", ""),
    ("documents/gale.txt", "Gale", "Brest", "31.5", "", "12"),
    ("documents/moth.txt", "Moth", "Bergen", "6.5", "2019", "1"),
)
BROKEN = "documents/broken.pdf"
ENDLESS = "SELECT count(*) FROM range(1000000000000) a(i), range(1000) b(j) WHERE i % 7 = j"
SPECIAL = "documents/a b/ü.txt"
COMBINATIONS = [(way, era) for way in ("memory", "stdio", "http") for era in ("auto", "legacy")]

Connect = Callable[..., AbstractAsyncContextManager[Client]]


@dataclass(frozen=True)
class Served:
    """The locations of the shared server: a folder, a build alone, and a folder never ingested."""

    fleet: Path
    build: Path
    fresh: Path

    @property
    def locations(self) -> list[Path]:
        return [self.fleet, self.build, self.fresh]


def write_boat(folder: Path, path: str, facts: tuple[str, ...]) -> None:
    name, harbour, length, built, crew = facts
    lines = [f"Report on {name}", "", f"Name: {name}", f"Harbour: {harbour}", f"Length: {length} m"]
    lines += [f"{key}: {value}" for key, value in (("Built", built), ("Crew", crew)) if value]
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_fleet(folder: Path) -> Path:
    for path, *facts in BOATS:
        write_boat(folder, path, tuple(facts))
    (folder / BROKEN).write_bytes(b"%PDF-1.7 this is no PDF")
    return folder


def fleet_schema() -> Schema:
    def attribute(name: str, kind: str, unit: str | None = None) -> Attribute:
        rules = (KeyRule(keys=(name,)),)
        return Attribute.model_validate(
            {"name": name, "type": kind, "unit": unit, "extractors": rules}
            | {"description": f"The {name} of the boat. As its report gives it."}
        )

    attributes = (
        attribute("name", "string"),
        attribute("harbour", "string"),
        attribute("length", "number", "m"),
        attribute("built", "integer"),
        attribute("crew", "integer"),
    )
    return Schema(title="Boat", entity="boats", attributes=attributes, nouns=("boat",))


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    home = tmp_path_factory.mktemp("home")
    return Settings(workers=1, home=home, query_timeout_s=120)  # cancellation, not time, ends them


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory, settings: Settings) -> Served:
    root = tmp_path_factory.mktemp("served")
    fleet = write_fleet(root / "fleet")
    report = ingest(fleet, settings, schema=fleet_schema())
    assert (report.n_documents, len(report.failed)) == (8, 1)
    build = root / "handed.duckdb"
    shutil.copy(fleet / ".srag" / "builds" / f"{report.build_id}.duckdb", build)
    fresh = root / "fresh"
    write_boat(fresh, "documents/one.txt", ("One", "Oslo", "3", "2001", "1"))
    return Served(fleet, build, fresh)


@pytest.fixture(scope="session")
def fleet(served: Served) -> Path:
    return served.fleet


def serve_command(locations: list[Path]) -> list[str]:
    return [
        "-m",
        "srag_mcp",
        "serve",
        *(part for path in locations for part in ("--corpus", str(path))),
    ]


def server_environ(settings: Settings) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "SRAG_HOME": str(settings.home),
        "SRAG_WORKERS": str(settings.workers),
        "SRAG_QUERY_TIMEOUT_S": str(settings.query_timeout_s),
    }


@pytest.fixture(scope="session")
def http_url(served: Served, settings: Settings) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, *serve_command(served.locations), "--http", str(port)]
    with subprocess.Popen(
        command, env=server_environ(settings), stderr=subprocess.DEVNULL
    ) as process:
        await_port(port, process)
        yield f"http://127.0.0.1:{port}/mcp"
        process.terminate()


def await_port(port: int, process: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.05)  # a port can only be asked
    pytest.fail("the HTTP server did not start")


# While an async fixture lives its event loop counts as running, and tests without one could not
# call `anyio.run`: none lives longer than its module.
@pytest.fixture(scope="module", params=COMBINATIONS, ids=lambda item: "-".join(item))
async def client(
    request: pytest.FixtureRequest, served: Served, settings: Settings
) -> AsyncIterator[Client]:
    way, era = request.param
    if way == "memory":
        client = Client(build_server(served.locations, settings), mode=era)
    elif way == "stdio":
        client = Client(stdio_server(served.locations, settings), mode=era)
    else:
        client = Client(request.getfixturevalue("http_url"), mode=era)
    async with client:
        yield client


def stdio_server(locations: list[Path], settings: Settings) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable, args=serve_command(locations), env=server_environ(settings)
    )


@pytest.fixture(scope="module")
async def memory(served: Served, settings: Settings) -> AsyncIterator[Client]:
    """Connect in memory to the shared corpora."""
    async with Client(build_server(served.locations, settings)) as client:
        yield client


@pytest.fixture
def connect(settings: Settings) -> Connect:
    """Connect in memory to a server over other locations, with other settings."""

    def connect_to(*locations: Path, **changes: object) -> Client:
        return Client(build_server(locations, settings.model_copy(update=changes)))

    return connect_to


@pytest.fixture
def connect_stdio(settings: Settings) -> Callable[..., StdioServerParameters]:
    """Say how to start a server over other locations on stdio."""
    return lambda *locations: stdio_server(list(locations), settings)


@pytest.fixture
def way(request: pytest.FixtureRequest) -> str:
    """Name the combination under test, such as `http-legacy`."""
    return str(request.node.callspec.id)
