"""Layer 4, outside: one worker process, spoken to over pipes, that can be killed at any moment.

Server and worker say one JSON value a line; the first line of a worker lists the limits that this
system cannot set.
"""

import json
import math
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, astuple, dataclass, field
from datetime import date, datetime, timedelta
from datetime import time as time_of_day
from decimal import Decimal
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal, TypeAlias
from uuid import UUID

from srag_mcp import errors, forks
from srag_mcp.errors import QueryError, QueryTimeoutError, StoreError, UnknownNameError

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """What one query may use; the defaults suit an agent that reads pages of rows.

    The engine stops it after *timeout_s*, the worker process is killed half a second later; after
    *long_after_s* it may have to wait again. *address_space_mb* is of the process (Linux). A page
    has *max_bytes* as JSON, or one row. With one of *threads*, a statement gives the same rows in
    the same order each time: pages follow each other, and sums of floating-point numbers agree.
    """

    timeout_s: float = 5.0
    long_after_s: float = 1.0
    memory_mb: int = 512
    address_space_mb: int = 2048
    max_rows: int = 1000
    max_bytes: int = 200_000
    max_cell_characters: int = 2000
    threads: int = 1


Views: TypeAlias = Mapping[str, Sequence[tuple[Path, str]]]
"""By the name of a view, the tables of builds whose rows it has, one after the other."""
Value: TypeAlias = str | int | float | bool | None
Row: TypeAlias = tuple[Value, ...]
Deadline: TypeAlias = Callable[[], None]
"""Raises QueryTimeoutError when the time is over."""

MAX_COLUMNS = 1000
MAX_EXACT_INTEGER = 2**53
MAX_NAME_CHARACTERS = 200
_NOT_FINITE = {math.inf: "Infinity", -math.inf: "-Infinity"}  # what JSON has no number for
_SKIP_ROWS = 2048
_MIN_CELL_CHARACTERS = 40


@dataclass(frozen=True, slots=True)
class ResultPage:
    """A page of rows, as JSON can hold them; *types* are DuckDB's, *seconds* those of the engine.

    Integers beyond 2^53, decimals, dates and times are text (ISO 8601), and so are NaN, Infinity
    and -Infinity; lists, structs and maps are JSON text; a cell or name that was cut ends with
    "…[+312 chars]". *next_offset* is of the next page, None if this is the last: a statement gives
    its rows in the same order each time.
    """

    columns: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    truncated: bool = False
    next_offset: int | None = None
    seconds: float = 0.0


def deadline_in(timeout_s: float, sql: str) -> Deadline:
    """Make the check that raises once *timeout_s* seconds have gone by."""
    end = time.monotonic() + timeout_s

    def check() -> None:
        if time.monotonic() > end:
            raise timed_out(timeout_s, sql)

    return check


def timed_out(timeout_s: float, sql: str) -> QueryTimeoutError:
    """Say that the query was stopped, and what to try."""
    msg = (
        f"The query was stopped after {timeout_s:g} s: filter earlier, join on fewer rows,"
        " or aggregate before sorting."
    )
    return QueryTimeoutError(msg, sql)


def read_page(
    cursor: "duckdb.DuckDBPyConnection", sql: str, limits: QueryLimits, *, limit: int, offset: int
) -> ResultPage:
    """Run *sql* and return *limit* of its rows, from *offset* on.

    Raises:
        QueryError: If the result has too many columns, or their names are too long.
        QueryTimeoutError: If the time is over.
    """
    started, check_time = time.perf_counter(), deadline_in(limits.timeout_s, sql)
    cursor.execute(sql)
    description = cursor.description or []
    if len(description) > MAX_COLUMNS:
        msg = (
            f"The result has {len(description)} columns, at most {MAX_COLUMNS}: name those you"
            " need."
        )
        raise QueryError(msg, sql)
    names = tuple(_cut(str(name), MAX_NAME_CHARACTERS) for name, *_ in description)
    types = tuple(_cut(str(kind), MAX_NAME_CHARACTERS) for _, kind, *_ in description)
    n_bytes = len(json.dumps([names, types], ensure_ascii=False).encode())
    if n_bytes > limits.max_bytes:
        msg = (
            f"The names of the {len(names)} columns have {sum(map(len, names))} characters, more"
            " than a result may have: name fewer columns, or give them short names with AS."
        )
        raise QueryError(msg, sql)
    rows: list[Row] = []
    n_left = offset
    while n_left > 0 and (skipped := cursor.fetchmany(min(n_left, _SKIP_ROWS))):
        n_left -= len(skipped)
        check_time()
    share = max(_MIN_CELL_CHARACTERS, limits.max_bytes // max(1, len(names)))
    max_characters = min(limits.max_cell_characters, share)
    truncated = False
    while (raw := cursor.fetchone()) is not None:
        cells = map(to_value, raw)
        row = tuple(_cut(cell, max_characters) if isinstance(cell, str) else cell for cell in cells)
        n_bytes += len(json.dumps(row, ensure_ascii=False).encode())
        truncated = len(rows) >= limit or (bool(rows) and n_bytes > limits.max_bytes)
        if truncated:
            break
        rows.append(row)
        check_time()
    next_offset = offset + len(rows) if truncated else None
    seconds = round(time.perf_counter() - started, 6)
    return ResultPage(names, types, tuple(rows), truncated, next_offset, seconds)


def _cut(text: str, max_characters: int) -> str:
    """Cut long text and say by how much: `("abcdef", 4) -> "abcd…[+2 chars]"`."""
    if len(text) <= max_characters:
        return text
    return f"{text[:max_characters]}…[+{len(text) - max_characters} chars]"


def to_value(cell: object) -> Value:
    """Turn what DuckDB hands out into what JSON can hold without loss of meaning."""
    if cell is None or isinstance(cell, (str, bool)):
        return cell
    if isinstance(cell, int):
        return cell if -MAX_EXACT_INTEGER <= cell <= MAX_EXACT_INTEGER else str(cell)
    if isinstance(cell, float):
        return cell if math.isfinite(cell) else _NOT_FINITE.get(cell, "NaN")
    if isinstance(cell, (list, tuple, dict)):
        return json.dumps(_to_json(cell), ensure_ascii=False)
    if isinstance(cell, (datetime, date, time_of_day)):
        return cell.isoformat()
    if isinstance(cell, bytes):
        return cell.hex()
    return str(cell) if isinstance(cell, (Decimal, UUID, timedelta)) else repr(cell)


_Json: TypeAlias = "Value | list[_Json] | dict[str, _Json]"


def _to_json(cell: object) -> _Json:
    if isinstance(cell, dict):
        return {str(to_value(key)): _to_json(item) for key, item in cell.items()}
    if isinstance(cell, (list, tuple)):
        return [_to_json(item) for item in cell]
    return to_value(cell)


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
    """A running worker process; to speak to one that has ended raises ProcessEndedError.

    Attributes:
        missing_limits: Limits that this system cannot set.
        has_answered: Whether it has replied to a request.
    """

    def __init__(self, limits: QueryLimits) -> None:
        """Start the process and wait until it is ready; StoreError where it does not start."""
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
        """Send *request*; one after the other, each after the reply to the one before."""
        self._write(request.to_line())

    def stop(self) -> None:
        """Ask the process to stop the request that was sent last; the reply says whether it did."""
        self._write(STOP)

    def await_reply(self, timeout_s: float) -> Reply | None:
        """Wait for the reply; None if there is none after *timeout_s* seconds."""
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
