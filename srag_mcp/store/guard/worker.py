"""The worker: runs statements, one at a time, in a process that is replaced when it fails."""

import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from srag_mcp.errors import (
    QueryCancelledError,
    QueryError,
    QueryMemoryError,
    QueryTimeoutError,
    StoreError,
)
from srag_mcp.store.guard.limits import QueryLimits
from srag_mcp.store.guard.message import Reply, Request
from srag_mcp.store.guard.page import ResultPage, Value, timed_out
from srag_mcp.store.guard.process import ProcessEndedError, WorkerProcess
from srag_mcp.store.guard.text import check_text

logger = logging.getLogger(__name__)

GRACE_S = 0.5


class QueryWorker:
    """One worker process; started by the first statement, restarted when it dies or is killed.

    Statements run one at a time, in the order in which they come; any thread may send them.

    Example:
        with QueryWorker() as worker:
            page = worker.select(build, "SELECT count(*) FROM boats", tables={"boats": ["name"]})
    """

    def __init__(self, limits: QueryLimits = QueryLimits()) -> None:  # noqa: B008 - it is frozen
        self.limits = limits
        self._turn = threading.Lock()
        self._state = threading.Lock()  # guards what follows; never held while waiting
        self._process: WorkerProcess | None = None
        self._running: int | None = None
        self._waiting: set[int] = set()
        self._cancelled: set[int] = set()
        self._is_closed = False
        self._is_new = True
        self._warned = False

    def __enter__(self) -> "QueryWorker":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def process_id(self) -> int | None:
        """Process id of the worker process; None before the first statement."""
        with self._state:
            return None if self._process is None else self._process.id

    def select(
        self,
        build: Path,
        sql: str,
        *,
        tables: Mapping[str, Sequence[str]],
        limit: int = 100,
        offset: int = 0,
    ) -> ResultPage:
        """Check *sql*, which comes from outside, and return one page of its rows.

        Args:
            build: The published build.
            sql: One SELECT; the text that is checked is the text that runs.
            tables: The exposed tables with their columns.
            limit: Most rows of the page; no more than `limits.max_rows` are given.
            offset: Rows to leave out first.

        Raises:
            RefusedQueryError: If the guard does not allow it.
            UnknownNameError: If it names what is not there.
            QueryTimeoutError: If it was stopped at the time limit.
            QueryMemoryError: If it was stopped at the memory limit.
            QueryCancelledError: If `interrupt` stopped it.
            QueryError: If it is wrong otherwise.
            StoreError: If the build cannot be read.
        """
        check_text(sql)  # here, too: the process need not be sent what is too long
        if limit < 1 or offset < 0:
            msg = f"limit must be at least 1 and offset at least 0; got {limit} and {offset}."
            raise QueryError(msg, sql)
        request = Request(
            kind="select",
            build=str(build.resolve()),
            sql=sql,
            tables={name: list(columns) for name, columns in tables.items()},
            limit=min(limit, self.limits.max_rows),
            offset=offset,
        )
        reply = self._ask(request)
        return ResultPage(
            columns=tuple(reply.columns),
            types=tuple(reply.types),
            rows=tuple(map(tuple, reply.rows)),
            truncated=reply.truncated,
            next_offset=offset + len(reply.rows) if reply.truncated else None,
            seconds=reply.seconds,
        )

    def count(
        self,
        build: Path,
        sql: str,
        *,
        tables: Mapping[str, Sequence[str]],
        timeout_s: float | None = None,
    ) -> tuple[Value, ...]:
        """Check *sql*, which holds conditions from outside, and return its first row.

        Raises:
            QueryTimeoutError: If it takes longer than *timeout_s* seconds (None: the limit of the
                worker); the process lives on.
            StoreError: As for `select`.
        """
        check_text(sql)
        request = Request(
            kind="select",
            build=str(build.resolve()),
            sql=sql,
            tables={name: list(columns) for name, columns in tables.items()},
            limit=1,
            timeout_s=timeout_s,
        )
        return tuple(self._ask(request).rows[0])

    def read(
        self, build: Path, sql: str, parameters: Sequence[Value] = ()
    ) -> list[tuple[Value, ...]]:
        """Run a statement of this package and return all its rows.

        It is not checked against the lists, so *sql* is never text from outside: that goes into
        *parameters*. Time, memory and the lock of the engine hold.

        Raises:
            StoreError: As for `select`, but for what the check refuses.
        """
        request = Request("read", str(build.resolve()), sql, parameters=list(parameters))
        return [tuple(row) for row in self._ask(request).rows]

    def interrupt(self, caller: int | None = None) -> None:
        """Stop a statement; its caller gets QueryCancelledError.

        Args:
            caller: The `threading.get_ident()` of the thread that waits for the statement; None
                for whichever runs now.
        """
        with self._state:
            target = self._running if caller is None else caller
            if target is None or target not in self._waiting:
                return
            self._cancelled.add(target)
            if target == self._running and self._process is not None:
                self._process.kill()

    def close(self) -> None:
        """End the process; whoever waits gets QueryCancelledError. The worker is of no more use."""
        with self._state:
            self._is_closed = True
            self._cancelled |= self._waiting
            if self._process is not None:
                self._process.kill()
        with self._turn:
            self._drop_process()

    def _ask(self, request: Request) -> Reply:
        with self._my_turn(request.sql):
            reply = self._ask_process(request)
            if reply.failure is None:
                return reply
            if reply.failure.spent:
                self._drop_process()
            raise reply.failure.to_error(request.sql)

    @contextmanager
    def _my_turn(self, sql: str) -> Iterator[None]:
        me = threading.get_ident()
        with self._state:
            self._waiting.add(me)
        try:
            with self._turn:
                with self._state:
                    self._running = me
                self._check_cancelled(sql)
                yield
        finally:
            with self._state:
                self._waiting.discard(me)
                self._cancelled.discard(me)
                if self._running == me:
                    self._running = None

    def _ask_process(self, request: Request) -> Reply:
        """Ask, and ask once more if a process that had answered before ended meanwhile.

        What ended it need not be this statement; a new process that ends was ended by it.
        """
        try:
            return self._ask_once(request)
        except ProcessEndedError as error:
            if self._is_new:
                raise self._died(str(error), request.sql) from error
        try:
            return self._ask_once(request)
        except ProcessEndedError as error:
            raise self._died(str(error), request.sql) from error

    def _ask_once(self, request: Request) -> Reply:
        process = self._live_process()
        self._check_cancelled(request.sql)
        try:
            reply = process.ask(request, self.limits.timeout_s + GRACE_S)
        except TimeoutError:
            self._drop_process()
            raise self._killed(request.sql) from None
        except ProcessEndedError:
            self._drop_process()
            self._check_cancelled(request.sql)
            raise
        self._is_new = False
        return reply

    def _live_process(self) -> WorkerProcess:
        if self._process is not None and not self._process.is_alive:
            self._drop_process()
        if self._is_closed:
            msg = "The worker for queries is closed."
            raise StoreError(msg)
        if self._process is None:
            process = WorkerProcess(self.limits)
            with self._state:
                self._process = process
            self._is_new = True
            self._warn(process.missing_limits)
        return self._process

    def _drop_process(self) -> None:
        with self._state:
            process, self._process = self._process, None
        if process is not None:
            process.close()

    def _check_cancelled(self, sql: str) -> None:
        with self._state:
            if threading.get_ident() not in self._cancelled:
                return
        msg = "The query was stopped because its caller gave up."
        raise QueryCancelledError(msg, sql)

    def _killed(self, sql: str) -> QueryTimeoutError:
        logger.info("a query did not stop by itself; its worker process was killed")
        return timed_out(self.limits.timeout_s, sql)

    def _died(self, how: str, sql: str) -> QueryMemoryError:
        logger.info("a query ended its worker process: %s", how)
        msg = (
            f"The query ended its worker process ({how}), most likely for want of memory"
            f" ({self.limits.address_space_mb} MiB): make it smaller."
        )
        return QueryMemoryError(msg, sql)

    def _warn(self, missing_limits: list[str]) -> None:
        if missing_limits and not self._warned:
            self._warned = True
            logger.warning(
                "this system has no %s: memory of queries is limited by the engine alone",
                ", ".join(missing_limits),
            )
