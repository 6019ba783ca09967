"""What tests of all packages share: folders in memory, compiled modules, idle processes."""

import gc
import os
import shutil
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Protocol

import hypothesis
import pytest

from srag_mcp import forks
from srag_mcp.pipeline import reader_pool
from srag_mcp.pipeline.reader_pool import OBJECTS_BETWEEN_COLLECTIONS, ReaderPool
from srag_mcp.store import feedback, layout
from srag_mcp.store.guard import QueryLimits, QueryPool, pool
from srag_mcp.store.guard.process import WorkerProcess
from tests.warm_starts import set_warm_starts, use_warm_starts

# Where the environment forbids it, each process that a test starts compiles the package anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A database waits for the disk at each commit: a third of the time that a small ingestion takes.
# No test is about a machine that loses its power.
MEMORY, NEEDED_BYTES = Path("/dev/shm"), 4 * 1024**3
if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > NEEDED_BYTES:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

gc.disable()  # while tests are collected, which makes next to no garbage
gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)  # afterwards, as for who ingests

# A machine that does other things is no fault of the code.
hypothesis.settings.register_profile("patient", deadline=None)
hypothesis.settings.load_profile("patient")

use_warm_starts()
# What a test replaces here must not live on in the readers of others.
forks.prepare = lambda *_: None

MOST_IDLE = 4


class Once(Protocol):
    """Fills a folder as *make* does; folders of one module that have one name are *called*."""

    def __call__(self, folder: Path, make: Callable[[], object], called: str = "") -> Path: ...


Idle = list[tuple[QueryLimits, WorkerProcess]]


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let every second worker begin with the last file: one compiles what the other finds ready."""
    report = yield
    is_odd = os.environ.get("PYTEST_XDIST_WORKER", "gw0")[-1] in "13579"
    if is_odd and isinstance(collector, pytest.Directory | pytest.Session):
        report.result = [*reversed(report.result or [])]
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put them in one order for all workers."""
    items.sort(key=lambda item: item.path)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Leave what thousands of collected tests are made of out of each search for garbage."""
    gc.freeze()
    gc.enable()


@pytest.fixture
def cold_starts() -> Iterator[None]:
    """Start new interpreters, which have imported nothing."""
    set_warm_starts(on=False)
    yield
    set_warm_starts(on=True)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait next to no time for what others hold: where they do not let go of it."""
    monkeypatch.setattr(layout, "_PATIENCE_S", 0.05)
    monkeypatch.setattr(feedback, "_WAIT_S", 0.05)


@pytest.fixture(scope="session")
def kept_folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept")


@pytest.fixture
def once(request: pytest.FixtureRequest, kept_folders: Path) -> Once:
    """Let a function fill a folder for the first test of a module; others get a copy of it.

    For tests that begin with a folder ingested, and do not look at how it was.
    """

    def fill(folder: Path, make: Callable[[], object], called: str = "") -> Path:
        module = request.path.relative_to(request.config.rootpath).with_suffix("")
        kept = kept_folders / f"{'-'.join(module.parts)}-{called or folder.name}"
        if kept.exists():
            return shutil.copytree(kept, folder, dirs_exist_ok=True)
        make()
        shutil.copytree(folder, kept.with_suffix(".part")).rename(kept)
        return folder

    return fill


@pytest.fixture(scope="session")
def idle_processes() -> Iterator[Idle]:
    idle: Idle = []
    yield idle
    for _, process in idle:
        process.close()


@pytest.fixture(autouse=True)
def shared_processes(monkeypatch: pytest.MonkeyPatch, idle_processes: Idle) -> None:
    """Let a pool that is closed hand its idle processes to the next: most tests start one each.

    What a process does from its start to its end is tested in `store/guard`, where all are new.
    """
    close, taking = QueryPool.close, threading.Lock()

    def take(limits: QueryLimits) -> WorkerProcess:
        with taking:  # else two statements could have the same
            for at, (others, process) in enumerate(idle_processes):
                if others == limits and process.is_alive:
                    del idle_processes[at]
                    process.has_answered = False
                    return process
        return WorkerProcess(limits)

    def hand_over(ended: QueryPool) -> None:
        with ended._lock:
            handed, ended._idle = ended._idle, []
        with taking:
            idle_processes.extend((ended.limits, process) for process in handed)
            while len(idle_processes) > MOST_IDLE:
                idle_processes.pop(0)[1].close()
        close(ended)

    monkeypatch.setattr(pool, "WorkerProcess", take)
    monkeypatch.setattr(QueryPool, "close", hand_over)


@pytest.fixture(scope="session")
def idle_readers() -> Iterator[list[reader_pool._Reader]]:
    idle: list[reader_pool._Reader] = []
    yield idle
    for reader in idle:
        reader.close()


@pytest.fixture(autouse=True)
def shared_readers(
    monkeypatch: pytest.MonkeyPatch, idle_readers: list[reader_pool._Reader]
) -> None:
    """Let a pool that is closed hand its reader to the next: each ingestion starts one.

    What a reader does from its start to its end is tested in `test_reader_pool`, where all are new.
    """
    enter, leave, taking = ReaderPool.__enter__, ReaderPool.__exit__, threading.Lock()

    def take(pool: ReaderPool) -> ReaderPool:
        enter(pool)
        memory = str(reader_pool._memory_of_one(pool.n_processes))
        with taking:
            for at, reader in enumerate(idle_readers):
                process = reader._process
                is_alike = reader._command == (*reader_pool._COMMAND, memory)
                if is_alike and process is not None and process.poll() is None:
                    pool._idle = [idle_readers.pop(at)]
                    break
        return pool

    def hand_over(pool: ReaderPool, *_: object) -> None:
        with taking:
            idle_readers.extend(pool._idle or ())
            pool._idle = []
            while len(idle_readers) > MOST_IDLE:
                idle_readers.pop(0).close()
        leave(pool)

    monkeypatch.setattr(ReaderPool, "__enter__", take)
    monkeypatch.setattr(ReaderPool, "__exit__", hand_over)
