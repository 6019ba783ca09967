"""Layer 4, the worker process: reads requests from stdin, answers on stdout, ends with stdin."""

import functools
import json
import os
import queue
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from srag_mcp.errors import QueryError, StoreError
from srag_mcp.store.guard.check import check_query
from srag_mcp.store.guard.locked_engine import (
    OpenBuilds,
    check_bound_tables,
    explain_error,
    is_exhausting,
)
from srag_mcp.store.guard.process import (
    STOP,
    Failure,
    QueryLimits,
    Reply,
    Request,
    ResultPage,
    Row,
    deadline_in,
    read_page,
    to_value,
)
from srag_mcp.store.guard.tree import TreeReading

if TYPE_CHECKING:
    import duckdb


DRAWN_ANEW = (
    "The sample is drawn anew by each call, so that it has no further pages: raise limit, or give"
    " it a seed in all calls, as in TABLESAMPLE bernoulli(5%) REPEATABLE (42)."
)
_CHUNK_ROWS = 1024


def load() -> None:
    """Import what queries need, and open both parsers: what is forked then has them."""
    import sqlglot.optimizer.scope  # noqa: F401 - heavy, and only needed here

    check_query("SELECT 1", {})


def main(limits_json: str) -> None:
    """Confine this process to the limits, say so, and answer requests until stdin ends."""
    limits = QueryLimits(**json.loads(limits_json))
    missing_limits = confine(limits)
    answers = take_answers()
    builds = OpenBuilds(limits)
    running = _Running()
    requests = _listen(running)
    answers.write(json.dumps(missing_limits) + "\n")
    answers.flush()
    _send_nowhere(2)  # nobody reads it while queries run, and a full pipe would stop us
    while True:
        answers.write(answer(requests.get(), builds, running).to_line())
        answers.flush()


def _listen(running: "_Running") -> "queue.SimpleQueue[Request]":
    """Read requests on a thread of its own, so that a query does not outlive the server."""
    requests: queue.SimpleQueue[Request] = queue.SimpleQueue()

    def listen() -> None:
        for line in sys.stdin.buffer:
            if line == STOP:
                running.stop()
            else:
                running.expect()
                requests.put(Request.from_line(line))
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    return requests


class _Running:
    """What runs now, to be stopped from another thread; `was_stopped` until the next request."""

    def __init__(self) -> None:
        self.was_stopped = False
        self._lock = threading.Lock()  # a cursor is not interrupted while it is closed
        self._cursor: duckdb.DuckDBPyConnection | None = None

    def expect(self) -> None:
        """Forget the request before: it has been answered."""
        with self._lock:
            self.was_stopped = False

    def stop(self) -> None:
        """Interrupt the statement, also one that has not begun."""
        with self._lock:
            self.was_stopped = True
            if self._cursor is not None:
                self._cursor.interrupt()

    @contextmanager
    def on(self, cursor: "duckdb.DuckDBPyConnection", timeout_s: float | None) -> Iterator[None]:
        """Let *cursor* be stopped, and interrupt it when the time of the statement is over.

        The engine's own limit is locked, and the same for all.

        Raises:
            duckdb.InterruptException: If it was stopped before it began.
        """
        import duckdb  # heavy, and only needed once there is something to run

        with self._lock:
            self._cursor = cursor
        timer = threading.Timer(timeout_s or 0, cursor.interrupt)
        if timeout_s is not None:
            timer.start()
        try:
            if self.was_stopped:
                raise duckdb.InterruptException
            yield
        finally:
            with self._lock:
                self._cursor = None
            timer.cancel()
            if timeout_s is not None:
                timer.join()  # it must not meet a cursor that is closed
            cursor.close()


@functools.lru_cache(maxsize=200)
def judge(sql: str, tables: tuple[tuple[str, tuple[str, ...]], ...]) -> TreeReading:
    """Judge a statement as `check_query` does, once: the next pages are asked for by its text."""
    return check_query(sql, dict(tables))


def answer(request: Request, builds: OpenBuilds, running: _Running) -> Reply:
    """Run one request; errors become a failure."""
    import duckdb  # heavy, and only needed once there is something to run

    limits = builds.limits
    if request.timeout_s is not None:
        limits = replace(limits, timeout_s=request.timeout_s)
    try:
        if request.kind == "select":
            exposed = ((name, tuple(columns)) for name, columns in request.tables.items())
            checked = judge(request.sql, tuple(exposed))
            if request.offset and checked.draws_anew:
                raise QueryError(DRAWN_ANEW, request.sql)
        cursor = builds.cursor(request.build)
        with running.on(cursor, request.timeout_s):
            return Reply(_run(request, cursor, limits))
    except StoreError as error:
        return Reply(failure=Failure.of(error))
    except (duckdb.Error, MemoryError) as error:
        if running.was_stopped and isinstance(error, duckdb.InterruptException):
            return Reply()
        explained = explain_error(error, request.sql, limits, request.tables)
        return Reply(failure=Failure.of(explained, spent=is_exhausting(error)))
    except (ValueError, OverflowError, RecursionError) as error:
        msg = f"A value of the result cannot be handed out ({error}): cast it to VARCHAR."
        return Reply(failure=Failure.of(QueryError(msg, request.sql)))


def _run(request: Request, cursor: "duckdb.DuckDBPyConnection", limits: QueryLimits) -> ResultPage:
    views = {} if isinstance(request.build, Path) else request.build
    if request.kind == "select":
        behind = {table: list[str]() for of in views.values() for _, table in of}
        check_bound_tables(cursor, request.sql, behind | request.tables)
    if views:  # they lie in memory, which nothing else makes read-only
        cursor.execute("BEGIN TRANSACTION READ ONLY")
    if request.kind == "read":
        check_time = deadline_in(limits.timeout_s, request.sql)
        cursor.execute(request.sql, request.parameters)
        rows: list[Row] = []
        while chunk := cursor.fetchmany(_CHUNK_ROWS):
            rows.extend(tuple(map(to_value, row)) for row in chunk)
            check_time()
        return ResultPage(rows=tuple(rows))
    cursor.execute("SELECT setseed(0.5)")  # so that the next page is of the same rows
    return read_page(cursor, request.sql, limits, limit=request.limit, offset=request.offset)


_MAX_OPEN_FILES = 64


def confine(limits: QueryLimits) -> list[str]:
    """Limit memory, file size, core dumps and open files; empty the environment.

    Returns:
        The limits that this system does not have (Windows has none of them).
    """
    os.environ.clear()
    wanted = {
        "RLIMIT_AS": limits.address_space_mb << 20,
        "RLIMIT_FSIZE": 0,
        "RLIMIT_CORE": 0,
        "RLIMIT_NOFILE": _MAX_OPEN_FILES,
    }
    try:
        import resource
    except ImportError:
        return list(wanted)
    missing = []
    for name, value in wanted.items():
        try:
            resource.setrlimit(getattr(resource, name), (value, value))
        except (AttributeError, OSError, ValueError):  # macOS refuses to set RLIMIT_AS
            missing.append(name)
    return missing


def take_answers() -> TextIO:
    """Keep stdout for the answers: whatever a library prints goes nowhere."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    _send_nowhere(1)
    sys.stdout = sys.stderr
    return answers


def _send_nowhere(descriptor: int) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
