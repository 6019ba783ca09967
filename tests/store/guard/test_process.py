"""The worker process: what it is denied, and what happens where a system cannot deny it."""

import logging
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from srag_mcp.errors import StoreError, UnknownNameError
from srag_mcp.store.guard import QueryLimits, QueryPool, ResultPage
from srag_mcp.store.guard.process import (
    Failure,
    ProcessEndedError,
    Reply,
    Request,
    WorkerProcess,
)

ENDLESS = "SELECT count(*) FROM range(1000000000000) a(i), range(1000) b(j) WHERE i % 7 = j"
CONFINED = (
    "import sys\n"
    "{first}\n"
    "from srag_mcp.store.guard.child import confine\n"
    "from srag_mcp.store.guard.process import QueryLimits\n"
    "missing = confine(QueryLimits())\n"
    "{then}\n"
)


def run_confined(then: str, first: str = "") -> subprocess.CompletedProcess[str]:
    program = CONFINED.format(first=first, then=then)
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(sys.platform != "linux", reason="not every system has all limits")
def test_a_confined_process_can_neither_write_nor_grow_nor_read_its_environment(
    tmp_path: Path,
) -> None:
    path = tmp_path / "made.txt"
    ran = run_confined(
        "import os; print(missing, dict(os.environ))\n"
        "try: bytearray(3 << 30)\n"
        "except MemoryError: print('no memory')\n"
        f"try: open({str(path)!r}, 'w').write('x' * 100_000)\n"
        "except OSError: print('no file')"
    )

    assert ran.stdout.splitlines() == ["[] {}", "no memory", "no file"]
    assert path.read_bytes() == b""


def test_a_system_without_limits_is_told_apart() -> None:
    ran = run_confined("print(missing)", first="sys.modules['resource'] = None")

    assert ran.stdout == "['RLIMIT_AS', 'RLIMIT_FSIZE', 'RLIMIT_CORE', 'RLIMIT_NOFILE']\n"


def test_a_worker_without_limits_works_and_warns_once(
    fleet: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    (tmp_path / "resource.py").write_text("def setrlimit(kind, value): ...\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))  # the worker process gets the same path

    with caplog.at_level(logging.WARNING), QueryPool(QueryLimits(timeout_s=1.0)) as worker:
        assert worker.read(fleet, "SELECT 1") == [(1,)]
        with pytest.raises(StoreError):
            worker.read(fleet, "SELECT sleep_ms(60000)")
        assert worker.read(fleet, "SELECT 1") == [(1,)]

    assert [record.getMessage() for record in caplog.records] == [
        "this system has no RLIMIT_AS, RLIMIT_FSIZE, RLIMIT_CORE, RLIMIT_NOFILE:"
        " memory of queries is limited by the engine alone"
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS")
def test_a_process_that_cannot_start_says_why(fleet: Path) -> None:
    with (
        QueryPool(QueryLimits(address_space_mb=1)) as worker,
        pytest.raises(StoreError, match="did not start"),
    ):
        worker.read(fleet, "SELECT 1")


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_the_process_ends_when_the_server_is_gone(fleet: Path) -> None:
    program = (
        "import os, sys; from pathlib import Path; from srag_mcp.store.guard import QueryPool\n"
        "worker = QueryPool(); worker.read(Path(sys.argv[1]), 'SELECT 1')\n"
        "print(*worker.process_ids, flush=True)\n"
        "os._exit(1)"  # as if killed: nothing is cleaned up
    )
    server = subprocess.run(
        [sys.executable, "-c", program, str(fleet)], capture_output=True, text=True, check=False
    )

    end = time.monotonic() + 20
    while is_running(int(server.stdout)):
        assert time.monotonic() < end
        os.sched_yield()


def is_running(process_id: int) -> bool:
    """Whether there is such a process, and not only its entry, which nobody may have collected."""
    try:
        status = Path(f"/proc/{process_id}/stat").read_text("ascii")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] not in {"Z", "X"}


def test_a_reply_from_an_ended_process_is_an_error(fleet: Path) -> None:
    process = WorkerProcess(QueryLimits())
    request = Request("read", fleet, "SELECT 1")
    process.send(request)
    reply = process.await_reply(5.0)
    assert reply is not None
    assert reply == Reply(ResultPage(rows=((1,),)))

    process.close()

    with pytest.raises(ProcessEndedError, match="signal 9"):
        process.send(request)


def test_a_statement_is_stopped_and_the_process_lives_on(fleet: Path) -> None:
    process = WorkerProcess(QueryLimits(timeout_s=120))
    process.send(Request("read", fleet, ENDLESS))
    process.stop()  # before it began, or after

    stopped = process.await_reply(60.0)

    process.send(Request("read", fleet, "SELECT 1"))
    process.stop()
    last = process.await_reply(60.0)
    process.send(Request("read", fleet, "SELECT 2"))
    following = process.await_reply(60.0)
    process.close()
    assert stopped == Reply()
    assert last in (Reply(), Reply(ResultPage(rows=((1,),))))
    assert following == Reply(ResultPage(rows=((2,),)))


def test_messages_travel_whole() -> None:
    request = Request("select", Path("/b"), "SELECT 'ü\ud800'", {"t": ["a"]}, [1, None], 5, 6)
    error = UnknownNameError("no such", "SELECT 1", ["a", "b"])
    page = ResultPage(("a",), ("VARCHAR",), (("ü", 1.5, None),), True, 1, 0.25)
    reply = Reply(page, Failure.of(error))

    assert Request.from_line(request.to_line()) == request
    assert Reply.from_line(reply.to_line().encode()) == reply
    unpacked = Failure.of(error).to_error("SELECT 1")
    assert isinstance(unpacked, UnknownNameError)
    assert (str(unpacked), unpacked.sql, unpacked.nearest) == ("no such", "SELECT 1", ("a", "b"))
