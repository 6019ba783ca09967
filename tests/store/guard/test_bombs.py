"""Statements made to use up time or memory: each ends within its limits, and the next one works."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from srag_mcp.errors import QueryError
from srag_mcp.store.guard import QueryLimits, QueryPool
from srag_mcp.store.guard.pool import GRACE_S

BOMBS = {
    attack["id"]: attack["sql"]
    for line in (Path(__file__).parent / "hostile.jsonl").read_text("utf-8").splitlines()
    if (attack := json.loads(line))["kind"] == "resource"
}
# One of each way to end: stopped by the engine in time, killed, out of memory, cut, too wide.
QUICK = [
    "cross_join",
    "similarity_cross",
    "list_agg_bomb",
    "reduce_doubling",
    "string_double",
    "big_result",
    "skip_forever",
    "many_columns",
    "deep_parens_9k",
    "repeat_1g",
]
LIMITS = QueryLimits(timeout_s=1.0)
RESTART_S = 2.0  # a killed process is replaced by the next statement, on a busy machine


@pytest.fixture(scope="module")
def worker() -> Iterator[QueryPool]:
    with QueryPool(LIMITS) as worker:
        yield worker


def resident_mb(folder: Path = Path("/proc/self")) -> int:
    """Return the memory of this process: what a bomb in the worker must not touch."""
    line = next(
        line for line in (folder / "status").read_text("ascii").splitlines() if "VmRSS" in line
    )
    return int(line.split()[1]) // 1024


def meet(worker: QueryPool, build: Path, tables: dict[str, list[str]], sql: str) -> float:
    """Let the worker meet *sql*, checked if there are *tables*; return the seconds it took."""
    started = time.monotonic()
    try:
        if tables:
            worker.select(build, sql, tables=tables)
        else:
            worker.read(build, sql)
    except QueryError:
        pass
    return time.monotonic() - started


@pytest.mark.parametrize("bomb", QUICK)
def test_a_bomb_ends_within_its_limits_and_the_next_query_works(
    bomb: str, worker: QueryPool, records: Path, records_tables: dict[str, list[str]]
) -> None:
    before_mb = resident_mb()

    seconds = meet(worker, records, records_tables, BOMBS[bomb])

    assert seconds < LIMITS.timeout_s + GRACE_S + RESTART_S
    assert worker.read(records, "SELECT count(*) FROM records") == [(100_000,)]
    assert resident_mb() - before_mb < 50


@pytest.mark.slow
@pytest.mark.parametrize("bomb", BOMBS)
@pytest.mark.parametrize("checked", [True, False], ids=["checked", "unchecked"])
def test_every_bomb_ends_within_its_limits_even_unchecked(
    bomb: str,
    checked: bool,
    worker: QueryPool,
    records: Path,
    records_tables: dict[str, list[str]],
) -> None:
    before_mb = resident_mb()

    seconds = meet(worker, records, records_tables if checked else {}, BOMBS[bomb])

    assert seconds < LIMITS.timeout_s + GRACE_S + RESTART_S
    assert worker.read(records, "SELECT count(*) FROM records") == [(100_000,)]
    assert resident_mb() - before_mb < 50


@pytest.mark.slow
def test_no_worker_ever_held_two_gibibytes() -> None:
    import resource

    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 2 * 1024 * 1024
