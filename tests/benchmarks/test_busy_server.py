"""Light calls of fifty clients over HTTP while ten sessions run heavy queries.

Run: pytest -m benchmark tests/benchmarks/test_busy_server.py -s
"""

import os
import random
import socket
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import anyio
import httpx2
import pytest

from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.attribute import Attribute, KeyRule
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings

pytestmark = pytest.mark.benchmark

N_DOCUMENTS, N_CLIENTS, N_HEAVY = 300, 50, 10
SECONDS = float(os.environ.get("SECONDS", "40"))
PAUSE_S = float(os.environ.get("PAUSE_S", "1"))  # between two calls of one client, on average
LIMIT_S = 2.0
HARBOURS = ("Bergen", "Kiel", "Brest", "Cork")
HEADERS = {
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}
HEAVY = "SELECT count(*) FROM range(1000000000000) a(i), range(1000) b(j) WHERE i % 7 = j + {n}"
LIGHT: list[tuple[str, dict[str, object]]] = [
    ("list_corpora", {}),
    ("get_schema", {}),
    ("get_column_stats", {"columns": ["length"]}),
    ("run_sql", {"sql": "SELECT harbour, count(*) FROM boats GROUP BY ALL ORDER BY 2 DESC"}),
    ("run_sql", {"sql": "SELECT avg(length) FROM boats WHERE crew > 4"}),
    ("get_document", {"document_id": "documents/7.txt"}),
    ("trace_value", {"column": "length", "limit": 3}),
    ("ingest_status", {"wait_seconds": 0}),
]


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("busy") / "fleet"
    (folder / "documents").mkdir(parents=True)
    for number in range(N_DOCUMENTS):
        facts = (
            f"Name: Boat {number}\nHarbour: {HARBOURS[number % 4]}\n"
            f"Length: {5 + number % 40} m\nCrew: {number % 13}\n"
        )
        (folder / "documents" / f"{number}.txt").write_text(facts, encoding="utf-8")
    kinds = {"name": "string", "harbour": "string", "length": "number", "crew": "integer"}
    attributes = tuple(
        Attribute.model_validate(
            {"name": name, "type": kind, "description": f"The {name}."}
            | {"extractors": (KeyRule(keys=(name,)),)}
        )
        for name, kind in kinds.items()
    )
    ingest(folder, Settings(), schema=Schema(title="Boat", entity="boats", attributes=attributes))
    return folder


@pytest.fixture(scope="module")
def server(fleet: Path) -> Iterator[tuple[str, int]]:
    """Serve over HTTP; the address, and the id of the process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "srag_mcp", "serve", "--corpus", str(fleet)]
    with subprocess.Popen([*command, "--http", str(port)], stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp", process.pid
        process.terminate()


async def call(client: httpx2.AsyncClient, url: str, tool: str, arguments: object) -> str:
    params = {"name": tool, "arguments": arguments}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    reply = await client.post(url, json=request, headers=HEADERS, timeout=120)
    assert reply.status_code == 200, reply.text
    return reply.text


async def warm_up(url: str) -> None:
    async with httpx2.AsyncClient() as client:
        await call(client, url, *LIGHT[3])


def resident_mb(process_id: int) -> dict[int, float]:
    """Give the resident memory of a process and of those that it has started, in MiB."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if process_id in {parent, int(folder.name)}:
                pages = int((folder / "statm").read_text().split()[1])
                found[int(folder.name)] = pages * os.sysconf("SC_PAGE_SIZE") / 2**20
        except OSError:
            continue
    return found


async def load(url: str, taken: dict[str, list[float]], n_heavy: list[int]) -> None:
    async def ask_heavily(number: int) -> None:
        async with httpx2.AsyncClient() as client:
            for turn in range(10_000):
                sql = HEAVY.format(n=number * 10_000 + turn)
                await call(client, url, "run_sql", {"sql": sql})
                n_heavy[0] += 1

    async def ask_lightly(number: int) -> None:
        chance = random.Random(number)
        async with httpx2.AsyncClient() as client:
            while True:
                await anyio.sleep(chance.uniform(0, 2 * PAUSE_S))
                tool, arguments = chance.choice(LIGHT)
                started = time.perf_counter()
                reply = await call(client, url, tool, arguments)
                assert '"isError":true' not in reply or tool == "ingest_status", reply
                taken[tool].append(time.perf_counter() - started)

    with anyio.move_on_after(SECONDS):
        async with anyio.create_task_group() as tasks:
            for number in range(N_HEAVY):
                tasks.start_soon(ask_heavily, number)
            for number in range(N_CLIENTS - N_HEAVY):
                tasks.start_soon(ask_lightly, number)


def test_light_calls_take_at_most_two_seconds(server: tuple[str, int]) -> None:
    url, process_id = server
    taken: dict[str, list[float]] = defaultdict(list)
    n_heavy = [0]
    anyio.run(warm_up, url)  # what the first call loads is no part of the load
    anyio.run(load, url, taken, n_heavy)

    for tool, times in sorted(taken.items()):
        cuts = statistics.quantiles(times, n=100)
        print(f"{tool:16} {len(times):5} calls, p50 {cuts[49]:.2f} s, p99 {cuts[98]:.2f} s")
    everything = [seconds for times in taken.values() for seconds in times]
    p99 = statistics.quantiles(everything, n=100)[98]
    memory = resident_mb(process_id)
    print(f"all {len(everything)} calls: p99 {p99:.2f} s, longest {max(everything):.2f} s")
    print(f"{n_heavy[0]} heavy ended; MiB: {[round(value) for value in memory.values()]}")
    assert p99 <= LIMIT_S
