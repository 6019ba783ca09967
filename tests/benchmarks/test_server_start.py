"""What the server adds to the start of an empty server of the same SDK.

Run: pytest -m benchmark tests/benchmarks/test_server_start.py -s
"""

import resource
import statistics
import sys
import time
from pathlib import Path
from typing import NamedTuple

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

pytestmark = pytest.mark.benchmark

N_RUNS = 11
MAX_RATIO = 1.15
EMPTY = 'from mcp.server import MCPServer; MCPServer("empty").run("stdio")'


class Start(NamedTuple):
    """Seconds from spawn to tools/list: by the clock, and of the processor (spawn to exit)."""

    clock: float
    processor: float


async def start(server: StdioServerParameters) -> Start:
    used, begin = processor_seconds(), time.perf_counter()
    async with Client(server) as client:
        await client.list_tools()
        elapsed = time.perf_counter() - begin
    return Start(elapsed, processor_seconds() - used)


def processor_seconds() -> float:
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime


@pytest.mark.usefixtures("cold_starts")  # each imports what it needs
def test_start_is_within_15_percent_of_an_empty_server(tmp_path: Path) -> None:
    empty = StdioServerParameters(command=sys.executable, args=["-c", EMPTY])
    serve = ["-m", "srag_mcp", "serve", "--corpus", str(tmp_path)]
    ours = StdioServerParameters(command=sys.executable, args=serve)
    anyio.run(start, empty)  # warm the file cache
    anyio.run(start, ours)

    pairs = [(anyio.run(start, empty), anyio.run(start, ours)) for _ in range(N_RUNS)]

    ratios = {}
    for number, kind in enumerate(Start._fields):
        theirs, mine = (statistics.median(pair[side][number] for pair in pairs) for side in (0, 1))
        ratios[kind] = mine / theirs
        print(
            f"\n{kind}: empty {theirs * 1000:.0f} ms, srag-mcp {mine * 1000:.0f} ms,"
            f" ratio {ratios[kind]:.3f} (median of {N_RUNS})"
        )
    # Other work on the machine disturbs the clock more than the processor's account.
    assert min(ratios.values()) <= MAX_RATIO
