"""Layer 4, outside: one worker process, spoken to over pipes, that can be killed at any moment.

Server and worker say one JSON value a line; the first line of a worker lists the limits that this
system cannot set.
"""

import json
import os
import queue
import sys
import threading
from contextlib import suppress
from dataclasses import asdict, astuple, dataclass, field
from pathlib import Path
from typing import IO, Literal

from srag_mcp import errors, forks
from srag_mcp.errors import QueryError, StoreError, UnknownNameError
from srag_mcp.store.guard.result_page import QueryLimits, ResultPage, Value, Views

STOP = b"stop\n"  # instead of a request: stop the one that was sent last


@dataclass(frozen=True, slots=True)
class Request:
    """One statement to run: `select` is from outside and is checked, `read` is our own.

    It runs on *build*, or on views, by name, each of which has the rows of tables of builds.
    *timeout_s* is a time limit shorter than that of the worker; None for none.
    """

    kind: Literal["select", "read"]
    build: Path | Views
    sql: str
    tables: dict[str, list[str]] = field(default_factory=dict)
    parameters: list[Value] = field(default_factory=list)
    limit: int = 0
    offset: int = 0
    timeout_s: float | None = None

    def to_line(self) -> bytes:
        """Write the request as a line."""
        said = {name: getattr(self, name) for name in self.__slots__}
        return json.dumps(said, default=lambda x: str(x.resolve())).encode() + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> "Request":
        """Read a line that `to_line` wrote."""
        data = json.loads(line)
        build = data.pop("build")
        if isinstance(build, str):
            return cls(build=Path(build), **data)
        views = {name: [(Path(path), table) for path, table in of] for name, of in build.items()}
        return cls(build=views, **data)


@dataclass(frozen=True, slots=True)
class Failure:
    """An error as it travels; `spent` when the process should not be used any more."""

    name: str
    message: str
    nearest: list[str]
    spent: bool = False

    @classmethod
    def of(cls, error: StoreError, *, spent: bool = False) -> "Failure":
        """Pack *error*."""
        nearest = list(error.nearest) if isinstance(error, UnknownNameError) else []
        return cls(type(error).__name__, str(error), nearest, spent)

    def to_error(self, sql: str) -> StoreError:
        """Unpack it as the error it was."""
        kind: type[StoreError] = getattr(errors, self.name)
        if issubclass(kind, UnknownNameError):
            return kind(self.message, sql, self.nearest)
        return kind(self.message, sql) if issubclass(kind, QueryError) else kind(self.message)


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a request: rows, or a failure; neither where it was stopped by `STOP`."""

    page: ResultPage | None = None
    failure: Failure | None = None

    def to_line(self) -> str:
        """Write the reply as a line."""
        page = self.page and [getattr(self.page, name) for name in ResultPage.__slots__]
        return json.dumps([page, self.failure and astuple(self.failure)], ensure_ascii=False) + "\n"

    @classmethod
    def from_line(cls, line: bytes) -> "Reply":
        """Read a line that `to_line` wrote."""
        page, failure = json.loads(line)
        if page is not None:
            columns, types, rows, *others = page
            page = ResultPage(tuple(columns), tuple(types), tuple(map(tuple, rows)), *others)
        return cls(page, failure and Failure(*failure))


START_TIMEOUT_S = 60.0
# The server's own search path is handed over, for `-I` ignores the environment it may come from.
_PROGRAM = (
    "import sys; sys.path[:] = {search_path!r};"
    " from srag_mcp import forks; from srag_mcp.store.guard import child;"
    " child.load(); forks.begin(child.main)"
)


def command() -> tuple[str, ...]:
    """Return the command of worker processes, as `forks` takes it."""
    search_path = [entry or str(Path.cwd()) for entry in sys.path]
    return sys.executable, "-I", "-c", _PROGRAM.format(search_path=search_path)


class ProcessEndedError(Exception):
    """The process is gone; the text says how it ended."""


class WorkerProcess:
    """A running worker process.

    Attributes:
        missing_limits: Limits that this system cannot set.
        has_answered: Whether it has replied to a request.
    """

    def __init__(self, limits: QueryLimits) -> None:
        """Start the process and wait until it is ready.

        Raises:
            StoreError: If it does not start.
        """
        # nothing of ours; Windows cannot start a process without SYSTEMROOT
        environ = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
        errors, told = os.pipe()
        self._errors = os.fdopen(errors, "rb")
        try:
            self._process = forks.start(command(), json.dumps(asdict(limits)), told, environ)
        finally:
            os.close(told)
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._listener = threading.Thread(
            target=_listen, args=(self._process.stdout, self._lines), daemon=True
        )
        self._listener.start()
        self.has_answered = False
        self.missing_limits = self._await_ready()

    @property
    def id(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def send(self, request: Request) -> None:
        """Send *request*; one after the other, each after the reply to the one before.

        Raises:
            ProcessEndedError: If the process ended.
        """
        self._write(request.to_line())

    def stop(self) -> None:
        """Ask the process to stop the request that was sent last; the reply says whether it did.

        Raises:
            ProcessEndedError: If the process ended.
        """
        self._write(STOP)

    def await_reply(self, timeout_s: float) -> Reply | None:
        """Wait for the reply; None if there is none after *timeout_s* seconds.

        Raises:
            ProcessEndedError: If the process ended.
        """
        try:
            reply = Reply.from_line(self._next_line(timeout_s))
        except TimeoutError:
            return None
        self.has_answered = True
        return reply

    def _write(self, line: bytes) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        try:
            stdin.write(line)
            stdin.flush()
        except (OSError, ValueError) as error:
            raise ProcessEndedError(self._status()) from error

    def kill(self) -> None:
        """End the process now, whatever it does. May be called from any thread, and twice."""
        self._process.kill()

    def close(self) -> None:
        """End the process and give its pipes back."""
        self._process.kill()
        self._process.wait()
        self._listener.join()
        for pipe in (self._process.stdin, self._process.stdout, self._errors):
            with suppress(OSError):  # what was still in the buffer cannot be written any more
                if pipe is not None:
                    pipe.close()

    def _await_ready(self) -> list[str]:
        try:
            return [str(name) for name in json.loads(self._next_line(START_TIMEOUT_S))]
        except (TimeoutError, ProcessEndedError) as error:
            self._process.kill()
            said = self._errors.read().decode(errors="replace")
            self.close()
            msg = f"The worker process for queries did not start: {said.strip()[-500:]}"
            raise StoreError(msg) from error

    def _next_line(self, timeout_s: float) -> bytes:
        try:
            line = self._lines.get(timeout=timeout_s)
        except queue.Empty:
            msg = f"no reply after {timeout_s:g} s"
            raise TimeoutError(msg) from None
        if line is None:
            raise ProcessEndedError(self._status())
        return line

    def _status(self) -> str:
        status = self._process.wait()
        return f"signal {-status}" if status < 0 else f"exit status {status}"


def _listen(stdout: "IO[bytes] | None", lines: "queue.SimpleQueue[bytes | None]") -> None:
    assert stdout is not None
    for line in stdout:
        if line.endswith(b"\n"):  # a line without an end was cut off by a kill
            lines.put(line)
    lines.put(None)
