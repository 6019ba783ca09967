"""Processes that read documents side by side; one that dies costs the document it was at.

Starting one takes longer than reading most documents, so a few wait for the next tasks.
"""

import atexit
import os
import pickle
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from typing import IO, Final

from srag_mcp.pipeline.reading import Extracted, Reply, Task, Unreadable

DOCUMENT_TIMEOUT_S = 180.0
_MAX_WAITING_REPLIES = 32
_LAST_WORDS_S = 2.0
_MAX_SPARES = 2
_MAX_SPARE_BYTES = 10_000_000  # what read more may hold much memory
_COMMAND = (sys.executable, "-P", "-m", "srag_mcp.pipeline.reader_process")


class _End:
    """Says that a thread has no more replies; *error* is why it stopped early."""

    def __init__(self, error: OSError | None = None) -> None:
        self.error: Final = error


def perform_tasks(
    tasks: Iterable[Task], n_processes: int, document_timeout_s: float = DOCUMENT_TIMEOUT_S
) -> Generator[Reply, None, None]:
    """Do all tasks on up to *n_processes*; yield replies as they come, those to one task in order.

    Close the iterator to stop early: the processes are ended. Otherwise a few of them may wait for
    the tasks of another call; they end with this process.

    Raises:
        OSError: If no process could be started.
    """
    waiting = _Tasks(tasks)
    stopping = threading.Event()
    replies: queue.Queue[Reply | _End] = queue.Queue(_MAX_WAITING_REPLIES)
    readers = [_SPARES.take() or _Reader() for _ in range(max(1, n_processes))]
    threads = [
        threading.Thread(target=_serve, args=(reader, waiting, replies, stopping), daemon=True)
        for reader in readers
    ]
    for reader in readers:
        reader.timeout_s = document_timeout_s
    for thread in threads:
        thread.start()
    finished = False
    try:
        yield from _collect(replies, len(threads))
        finished = True
    finally:
        stopping.set()
        if not finished:
            _drain(replies, threads, readers)
        for thread, reader in zip(threads, readers, strict=True):
            thread.join()
            _SPARES.keep(reader) if finished else reader.close()


def _collect(replies: "queue.Queue[Reply | _End]", n_running: int) -> Iterator[Reply]:
    while n_running:
        reply = replies.get()
        if not isinstance(reply, _End):
            yield reply
            continue
        n_running -= 1
        if reply.error is not None:
            raise reply.error


def _serve(
    reader: "_Reader",
    waiting: "_Tasks",
    replies: "queue.Queue[Reply | _End]",
    stopping: threading.Event,
) -> None:
    error: OSError | None = None
    try:
        while not stopping.is_set():
            task = waiting.take()
            if task is None:
                break
            for reply in reader.ask(task):
                replies.put(reply)
    except OSError as failure:
        error = failure
    finally:
        replies.put(_End(error))


class _Tasks:
    """Hands tasks out to threads."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._tasks = iter(tasks)
        self._lock = threading.Lock()

    def take(self) -> Task | None:
        with self._lock:
            return next(self._tasks, None)


class _Reader:
    """One process, replaced when it dies.

    Attributes:
        timeout_s: How long a reply may take.
        n_bytes: How much it was given to read.
    """

    def __init__(self) -> None:
        self.timeout_s = DOCUMENT_TIMEOUT_S
        self.n_bytes = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        self._overdue = False

    def ask(self, task: Task) -> Iterator[Reply]:
        """Yield the replies to *task*; `Unreadable` if the process dies or takes too long."""
        self._errors.seek(0)  # for the process, too: it writes where this file is
        self._errors.truncate()
        process = self._running()
        self.n_bytes += task.source.size
        try:
            _send(process, task)
            last = False
            while not last:
                reply = self._receive(process)
                last = not isinstance(reply, Extracted)
                yield reply
        except (EOFError, OSError, pickle.UnpicklingError):
            yield Unreadable(task.source.relative, self._why_it_died())

    def is_waiting(self) -> bool:
        """Whether its process runs, and is the one that would be started now."""
        process = self._process
        return process is not None and process.poll() is None and process.args == _COMMAND

    def kill(self) -> None:
        """End the process, from any thread; who waits for a reply gets `Unreadable`."""
        process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        """Let go of the process and of what it said."""
        self._end()
        self._errors.close()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._process = subprocess.Popen(
                _COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors
            )
        return self._process

    def _receive(self, process: subprocess.Popen[bytes]) -> Reply:
        self._overdue = False
        watchdog = threading.Timer(self.timeout_s, self._stop_overdue, [process])
        watchdog.daemon = True
        watchdog.start()
        try:
            reply: Reply = pickle.load(_open_pipe(process.stdout))
            return reply
        finally:
            watchdog.cancel()

    def _stop_overdue(self, process: subprocess.Popen[bytes]) -> None:
        self._overdue = True
        process.kill()

    def _why_it_died(self) -> str:
        status = self._end(_LAST_WORDS_S)
        if self._overdue:
            return f"reading it took longer than {self.timeout_s:g} s"
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        said = f": {lines[-1][:300]}" if lines else ""
        return f"the process that read it ended (exit status {status}{said})"

    def _end(self, patience_s: float = 0.0) -> int | None:
        process, self._process = self._process, None
        if process is None:
            return None
        return _end_process(process, patience_s)


class _Spares:
    """Readers without tasks, kept for the next ones."""

    def __init__(self) -> None:
        self._readers: list[_Reader] = []
        self._lock = threading.Lock()
        atexit.register(self.close)

    def take(self) -> _Reader | None:
        """Return a reader whose process runs; None where there is none."""
        with self._lock:
            while self._readers:
                reader = self._readers.pop()
                if reader.is_waiting():
                    return reader
                reader.close()
        return None

    def keep(self, reader: _Reader) -> None:
        """Keep *reader* if it may be of use, or end it."""
        with self._lock:
            useful = reader.is_waiting() and reader.n_bytes <= _MAX_SPARE_BYTES
            if useful and len(self._readers) < _MAX_SPARES:
                self._readers.append(reader)
                return
        reader.close()

    def close(self) -> None:
        """End all."""
        with self._lock:
            for reader in self._readers:
                reader.close()
            self._readers.clear()


_SPARES: Final = _Spares()


def _send(process: subprocess.Popen[bytes], task: Task) -> None:
    pipe = _open_pipe(process.stdin)
    pickle.dump(task, pipe, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.flush()


def _open_pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:  # never: both are asked for when the process starts
        msg = "the reader process has no pipe"
        raise OSError(msg)
    return pipe


def _end_process(process: subprocess.Popen[bytes], patience_s: float) -> int:
    """End a process; one that is about to end by itself may do so within *patience_s*."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(patience_s)
    process.kill()
    status = process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    return status


def _drain(
    replies: "queue.Queue[Reply | _End]",
    threads: Iterable[threading.Thread],
    readers: Iterable[_Reader],
) -> None:
    """End the processes and take what threads still put, so that they can end."""
    while any(thread.is_alive() for thread in threads):
        for reader in readers:
            reader.kill()
        with suppress(queue.Empty):
            replies.get(timeout=0.05)


def default_processes() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
