"""The pool: runs statements in a few processes, each of which is replaced when it fails."""

import itertools
import logging
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from srag_mcp.errors import (
    QueryCancelledError,
    QueryError,
    QueryMemoryError,
    QueryTimeoutError,
    StoreError,
)
from srag_mcp.store.guard.check import check_text
from srag_mcp.store.guard.process import (
    ProcessEndedError,
    QueryLimits,
    Reply,
    Request,
    ResultPage,
    Value,
    Views,
    WorkerProcess,
    timed_out,
)

logger = logging.getLogger(__name__)

N_WORKERS = 4
GRACE_S = 0.5
LONGEST_WAIT_S = 45.0  # hosts give up a call after 60 s
N_IDLE = 2  # processes that are kept for the next statements: to start one takes 5 to 20 ms


# own: a statement of this package, which never takes long; short: a query that has not run long.
Kind: TypeAlias = Literal["own", "short", "long"]

_URGENCY = ("own", "overdue", "short", "long")
PATIENCE = 16  # short queries that may go before a long one: a second of a pool that is kept busy
MAX_YIELDS = 3  # after 1/8, 1/4 and 1/2 of the time after which a query counts as long
MAX_CALLERS = 1000  # whose last turn is remembered


@dataclass(eq=False, slots=True)
class Call:
    """A call whose statements take the turns of *caller*; `QueryPool.give_up` stops them."""

    caller: Hashable
    given_up: bool = False


@dataclass(eq=False, slots=True)
class Statement:
    """A statement in the line, or with a process.

    Attributes:
        passed: Short ones that went before this long one.
        n_yields: How often it gave its place to one that had run less; it begins anew after each.
        has_run: Whether a process that had it has ended.
    """

    request: Request
    call: Call
    kind: Kind = "short"
    passed: int = 0
    n_yields: int = 0
    is_called: threading.Event = field(default_factory=threading.Event)
    process: WorkerProcess | None = None
    has_run: bool = False

    @property
    def caller(self) -> Hashable:
        """Whose turn it takes."""
        return self.call.caller


@dataclass(slots=True)
class Turns:
    """A line before *n_places* places, of which long queries hold at most half.

    Nobody knows beforehand how long a query runs, so one that runs gives way to those that have run
    less: where ten heavy ones come at once, a light one waits for an eighth of a second, not for
    each of them to become long. Statements of this package go first, and have one place more: they
    wait for no query.
    """

    n_places: int
    waiting: list[Statement] = field(default_factory=list)
    running: list[Statement] = field(default_factory=list)
    _last_turns: "OrderedDict[Hashable, int]" = field(default_factory=OrderedDict)
    _count: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def next(self) -> Statement | None:
        """Give a free place to whoever is next; None if nobody may have one now."""
        n = Counter(turn.kind for turn in self.running)
        n_queries = n["short"] + n["long"]
        may_run = {
            "own": len(self.running) <= self.n_places,
            "short": len(self.running) <= self.n_places and n_queries < self.n_places,
        }
        may_run["long"] = may_run["short"] and n["long"] < self._n_long
        able = (turn for turn in self.waiting if may_run[turn.kind])
        turn = min(able, key=self._rank, default=None)
        if turn is None:
            return None
        self.waiting.remove(turn)
        self.running.append(turn)
        self._last_turns[turn.caller] = next(self._count)
        self._last_turns.move_to_end(turn.caller)
        if len(self._last_turns) > MAX_CALLERS:
            self._last_turns.popitem(last=False)
        if turn.kind == "short":
            for other in self.waiting:
                other.passed += other.kind == "long"
        return turn

    def lengthen(self, turn: Statement) -> bool:
        """Count *turn*, which runs, as long; False if it must give up its place, and wait again."""
        has_room = sum(other.kind == "long" for other in self.running) < self._n_long
        turn.kind = "long"
        return has_room

    def gives_way(self, turn: Statement) -> bool:
        """Count a yield of *turn*, a short query, if another waits that has had fewer of them."""
        gives_way = turn.n_yields < MAX_YIELDS and any(
            other.kind == "short" and other.n_yields <= turn.n_yields for other in self.waiting
        )
        turn.n_yields += gives_way
        return gives_way

    def leave(self, turn: Statement) -> None:
        """Take *turn* out: it has ended, gives up its place, or waits no more."""
        for place in (self.waiting, self.running):
            if turn in place:
                place.remove(turn)

    @property
    def _n_long(self) -> int:
        return max(1, self.n_places // 2)

    def _rank(self, turn: Statement) -> tuple[int, int, int, int]:
        """Rank by kind, by yields, by what its caller runs now, by when that had a turn."""
        urgency = _URGENCY.index("overdue" if turn.passed >= PATIENCE else turn.kind)
        n_running = sum(other.caller == turn.caller for other in self.running)
        return urgency, turn.n_yields, n_running, self._last_turns.get(turn.caller, 0)


class QueryPool:
    """Worker processes: who has a place and finds none idle starts one; dead ones are replaced.

    A query that has run for `limits.long_after_s` is long. Long ones hold at most half of the
    processes: one that finds this half taken is stopped, and begins again when there is room. Any
    thread may send statements; see `Turns` for who goes first.

    Example:
        with QueryPool() as pool:
            page = pool.select(build, "SELECT count(*) FROM boats", tables={"boats": ["name"]})
    """

    def __init__(
        self,
        limits: QueryLimits = QueryLimits(),  # noqa: B008 - it is frozen
        n_workers: int = N_WORKERS,
    ) -> None:
        self.limits = limits
        self._lock = threading.Lock()  # guards what follows; never held while waiting
        self._turns = Turns(n_workers)
        self._idle: list[WorkerProcess] = []
        self._calls: dict[int, Call] = {}
        self._is_closed = False
        self._warned = False

    def __enter__(self) -> "QueryPool":
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    @property
    def process_ids(self) -> tuple[int, ...]:
        """Process ids of the worker processes; none before the first statement."""
        with self._lock:
            busy = [item.process for item in self._turns.running if item.process is not None]
            return tuple(process.id for process in (*busy, *self._idle))

    def select(  # noqa: PLR0913 - which statement, which rows of it, and how long
        self,
        build: Path | Views,
        sql: str,
        *,
        tables: Mapping[str, Sequence[str]],
        limit: int = 100,
        offset: int = 0,
        timeout_s: float | None = None,
    ) -> ResultPage:
        """Check *sql*, which comes from outside, and return one page of its rows.

        Args:
            build: The published build; or what is made of several.
            sql: One SELECT; the text that is checked is the text that runs.
            tables: The exposed tables with their columns.
            limit: Most rows of the page; no more than `limits.max_rows` are given.
            offset: Rows to leave out first.
            timeout_s: Seconds that it may take; None for the limit of the pool.

        Raises:
            RefusedQueryError: If the guard does not allow it.
            UnknownNameError: If it names what is not there.
            QueryTimeoutError: If it was stopped at the time limit, or waited too long for its turn.
            QueryMemoryError: If it was stopped at the memory limit.
            QueryCancelledError: If its caller gave up.
            QueryError: If it is wrong otherwise.
            StoreError: If the build cannot be read.
        """
        check_text(sql)  # here, too: the process need not be sent what is too long
        if limit < 1 or offset < 0:
            msg = f"limit must be at least 1 and offset at least 0; got {limit} and {offset}."
            raise QueryError(msg, sql)
        request = Request(
            "select",
            build,
            sql,
            tables={name: list(columns) for name, columns in tables.items()},
            limit=min(limit, self.limits.max_rows),
            offset=offset,
            timeout_s=timeout_s,
        )
        return self._ask(request)

    def read(
        self,
        build: Path | Views,
        sql: str,
        parameters: Sequence[Value] = (),
        timeout_s: float | None = None,
        *,
        kind: Kind = "own",
    ) -> list[tuple[Value, ...]]:
        """Run a statement of this package and return all its rows; it waits for no query.

        One of another *kind*, as it may take longer, waits its turn among them. It is not checked
        against the lists, so *sql* is never text from outside: that goes into *parameters*. Time,
        memory and the lock of the engine hold; *timeout_s* as for `select`.

        Raises:
            StoreError: As for `select`, but for what the check refuses.
        """
        request = Request("read", build, sql, parameters=list(parameters), timeout_s=timeout_s)
        return list(self._ask(request, kind).rows)

    @contextmanager
    def serving(self, call: Call) -> Iterator[None]:
        """Count the statements of this thread as those of *call*; else each thread is a caller."""
        thread = threading.get_ident()
        with self._lock:
            self._calls[thread] = call
        try:
            yield
        finally:
            with self._lock:
                del self._calls[thread]

    def give_up(self, call: Call) -> None:
        """Stop the statements of *call*, now and later; they raise QueryCancelledError."""
        with self._lock:
            call.given_up = True
            self._stop(item for item in self._statements() if item.call is call)

    def close(self) -> None:
        """End the processes; whoever waits gets QueryCancelledError. The pool is of no more use."""
        with self._lock:
            self._is_closed = True
            for statement in self._statements():
                statement.call.given_up = True
            self._stop(self._statements())
            ended, self._idle = self._idle, []
        for process in ended:
            process.close()

    def _statements(self) -> list[Statement]:
        return [*self._turns.waiting, *self._turns.running]

    @staticmethod
    def _stop(statements: Iterable[Statement]) -> None:
        for statement in statements:
            statement.is_called.set()
            if statement.process is not None:
                statement.process.kill()

    def _ask(self, request: Request, kind: Kind = "short") -> ResultPage:
        with self._lock:
            call = self._calls.get(threading.get_ident()) or Call(threading.get_ident())
        statement = Statement(request, call, kind)
        while True:
            self._await_place(statement)
            try:
                reply = self._run(self._take_process(statement), statement)
            finally:
                self._give_back(statement)
            if reply.failure is not None:
                raise reply.failure.to_error(request.sql)
            if reply.page is not None:
                return reply.page

    def _await_place(self, statement: Statement) -> None:
        with self._lock:
            self._check(statement)
            statement.is_called.clear()
            self._turns.waiting.append(statement)
            self._call_next()
        statement.is_called.wait(LONGEST_WAIT_S)
        with self._lock:
            if statement in self._turns.running:
                return
            n_others = len(self._statements()) - 1
            self._turns.leave(statement)
            self._check(statement)
        msg = (
            f"The query waited {LONGEST_WAIT_S:g} s for its turn among {n_others} others and was"
            " not begun: send it again later."
        )
        raise QueryTimeoutError(msg, statement.request.sql)

    def _call_next(self) -> None:
        while (statement := self._turns.next()) is not None:
            statement.is_called.set()

    def _take_process(self, statement: Statement) -> WorkerProcess:
        """Give *statement* the process that worked last, or start one."""
        process = None
        with self._lock:
            while self._idle and process is None:
                process = self._idle.pop()
                if not process.is_alive:
                    process.close()
                    process = None
        if process is None:
            process = WorkerProcess(self.limits)
            if process.missing_limits and not self._warned:
                self._warned = True
                logger.warning(
                    "this system has no %s: memory of queries is limited by the engine alone",
                    ", ".join(process.missing_limits),
                )
        with self._lock:
            statement.process = process
        return process

    def _give_back(self, statement: Statement) -> None:
        with self._lock:
            process, statement.process = statement.process, None
            self._turns.leave(statement)
            # One that was killed for a call that was given up may live for a moment yet.
            is_kept = not self._is_closed and not statement.call.given_up
            is_kept = is_kept and len(self._idle) < N_IDLE
            if process is not None and is_kept and process.is_alive:
                self._idle.append(process)
                process = None
            self._call_next()
        if process is not None:
            process.close()

    def _run(self, process: WorkerProcess, statement: Statement) -> Reply:
        """Send a statement and await its reply, which is empty if it is to be sent again.

        That is so if it must wait as a long one, and, once, if a process that had answered before
        ended meanwhile: what ended it need not be this statement. A new process that ends was ended
        by it.
        """
        try:
            self._check(statement)
            return self._exchange(process, statement)
        except ProcessEndedError as error:
            self._check(statement)
            if process.has_answered and not statement.has_run:
                statement.has_run = True
                return Reply()
            logger.info("a query ended its worker process: %s", error)
            msg = (
                f"The query ended its worker process ({error}), most likely for want of memory"
                f" ({self.limits.address_space_mb} MiB): make it smaller."
            )
            raise QueryMemoryError(msg, statement.request.sql) from error

    def _exchange(self, process: WorkerProcess, statement: Statement) -> Reply:
        longest_s, looks_s = self.limits.timeout_s + GRACE_S, list[float]()
        if statement.kind == "short":
            # Where others wait it is asked for its place after a part of the time, too.
            parts = (2.0**-n for n in range(MAX_YIELDS - statement.n_yields, -1, -1))
            looks_s = [min(self.limits.long_after_s * part, longest_s) for part in parts]
        started = time.monotonic()
        process.send(statement.request)
        for n_left, look_s in zip(range(len(looks_s), -1, -1), (*looks_s, longest_s), strict=True):
            reply = process.await_reply(max(0.0, started + look_s - time.monotonic()))
            if reply is None and n_left:
                with self._lock:
                    turns, is_long = self._turns, n_left == 1
                    stays = turns.lengthen(statement) if is_long else not turns.gives_way(statement)
                if stays:
                    continue
                process.stop()
                reply = process.await_reply(GRACE_S)
                if reply is None:
                    process.close()
                    return Reply()
            if reply is not None:
                if reply.failure is not None and reply.failure.spent:
                    process.close()
                return reply
        process.close()
        logger.info("a query did not stop by itself; its worker process was killed")
        raise timed_out(self.limits.timeout_s, statement.request.sql)

    def _check(self, statement: Statement) -> None:
        if statement.call.given_up:
            msg = "The query was stopped because its caller gave up."
            raise QueryCancelledError(msg, statement.request.sql)
        if self._is_closed:
            msg = "The pool of worker processes is closed."
            raise StoreError(msg)
