"""Processes that read documents side by side; one that dies costs the document it was at.

A parser that crashes, hangs or fills the memory takes its process with it, and nothing else. They
are plain processes and no pool of `multiprocessing` (or pebble, which builds on it): that would
import the script of whoever calls `ingest` in each of them, and return a table's documents at once.
"""

import gc
import hashlib
import os
import pickle
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import IO, Self, TypeAlias, cast

from srag_mcp import forks
from srag_mcp.cells.cell import Record, add_style, add_surroundings, verify_cell, verify_rows
from srag_mcp.documents.document import Document
from srag_mcp.documents.folder import SourceFile
from srag_mcp.documents.reading import read_file, read_tables, row_documents
from srag_mcp.documents.table_files import TableSketch, sketch, take_kind
from srag_mcp.engines.offline import read_documents
from srag_mcp.errors import DocumentError
from srag_mcp.schema.schema import Schema
from srag_mcp.store.work import FinishedDocument, finish_document

_BATCH_DOCUMENTS = 200


@dataclass(frozen=True, slots=True)
class TableMode:
    """What was decided on the table files of a corpus, for who reads them and for later ingestions.

    Attributes:
        rows: Whether their rows are documents.
        kind: What the columns of their tables are called; empty for the table with the most rows.
        alone: Whether the others are left out: files beside rows, or rows beside files.
        others: What the columns of other kinds are called, which have corpora of their own.
    """

    rows: bool
    reason: str = ""
    kind: tuple[str, ...] = ()
    alone: bool = False
    others: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class SampleTask:
    """Read a file and return at most *n_documents* of its documents, evenly spaced.

    *rows* is None where the file is one document.
    """

    source: SourceFile
    rows: TableMode | None
    n_documents: int


@dataclass(frozen=True, slots=True)
class ExtractTask:
    """Read a file and extract its documents, but for those in *known* (id to sha256) unchanged.

    *schema_json* is the schema as pydantic writes it. A large table is shared out: this task does
    every *n_parts*-th row from *part* on.
    """

    source: SourceFile
    rows: TableMode | None
    schema_json: str
    known: Mapping[str, str] = field(default_factory=dict)
    part: int = 0
    n_parts: int = 1


@dataclass(frozen=True, slots=True)
class Sampled:
    """Some of the *n_documents* of a file, and its tables; the last reply to a `SampleTask`."""

    path: str
    documents: tuple[Document, ...]
    n_documents: int
    tables: tuple[TableSketch, ...] = ()


@dataclass(frozen=True, slots=True)
class Extracted:
    """Documents that were extracted; more may follow for the same file."""

    path: str
    documents: tuple[FinishedDocument, ...]


@dataclass(frozen=True, slots=True)
class FileDone:
    """The last reply to an `ExtractTask`: all is sent.

    *stale* documents are no longer in the file; *told* is what people should know of it.
    """

    path: str
    stale: tuple[str, ...]
    told: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The last reply to a task whose file cannot be read, and why.

    *passing*: another time it may be read, as its process was ended or had too little memory.
    """

    path: str
    reason: str
    passing: bool = False


Task: TypeAlias = SampleTask | ExtractTask
Reply: TypeAlias = Sampled | Extracted | FileDone | Unreadable


def perform(task: Task) -> Iterator[Reply]:
    """Do a task; the last reply is never an `Extracted`."""
    path = task.source.relative
    try:
        if isinstance(task, SampleTask):
            tables = [] if task.rows is None else read_tables(task.source.read(), path)
            documents, _ = _read(task.source, task.rows) if task.n_documents else ([], ())
            step = max(1, -(-len(documents) // max(1, task.n_documents)))
            sketches = tuple(map(sketch, tables))
            yield Sampled(path, tuple(documents[::step]), len(documents), sketches)
        else:
            yield from _extract(task)
    except DocumentError as error:
        yield Unreadable(path, error.reason)
    except MemoryError:
        yield Unreadable(path, "reading it needs more memory than allowed", passing=True)


def _read(
    source: SourceFile, rows: TableMode | None, lists: Sequence[str] = ()
) -> tuple[list[Document], tuple[str, ...]]:
    """Return the documents of a file, and what people should know of it: *lists* have tables."""
    tables = [] if rows is None else read_tables(source.read(), source.relative)
    if rows is None or (not tables and not rows.alone):
        return [read_file(source)], ()
    if not tables:
        return [], ("it is one thing and no table, and left out",)
    others = tuple(map(frozenset, rows.others))
    table = take_kind(tables, frozenset(rows.kind) or None, others)
    left = [f"{item.text}, not a column" for item in table.lists if item.name not in lists]
    return row_documents(source.relative, table), (*table.told, *left)


def _extract(task: ExtractTask) -> Iterator[Reply]:
    path = task.source.relative
    was_one = task.rows is None and list(task.known) == [path]  # perhaps it was only touched
    if was_one and hashlib.sha256(task.source.read()).hexdigest() == task.known[path]:
        yield FileDone(path, ())
        return
    schema = _read_schema(task.schema_json)
    documents, told = _read(task.source, task.rows, [x.list_name for x in schema.children])
    ids = {document.id for document in documents}
    mine = documents[task.part :: task.n_parts]
    changed = [item for item in mine if task.known.get(item.id) != item.sha256]
    for start in range(0, len(changed), _BATCH_DOCUMENTS):
        finished = []
        batch = changed[start : start + _BATCH_DOCUMENTS]
        for document, record in read_documents(batch, schema):
            found = [verify_cell(cell, document.text) for cell in record.cells]
            cells = add_surroundings(found, document.blocks)
            lists = tuple(verify_rows(item, document.text) for item in record.lists)
            verified = Record(record.document_id, tuple(cells), lists)
            if task.rows is None:
                verified = add_style(verified, schema)
            replaces = document.id in task.known
            finished.append(finish_document(document, verified, replaces=replaces))
        yield Extracted(path, tuple(finished))
    is_first = task.part == 0
    stale = tuple(key for key in task.known if key not in ids) if is_first else ()
    yield FileDone(path, stale, told if is_first else ())


_read_schema = lru_cache(maxsize=2)(Schema.model_validate_json)  # once, not once a document


DOCUMENT_TIMEOUT_S = 60.0
_SECONDS_A_BYTE = 15 / 1024**2  # the slowest real documents take a third of that
_BYTES_A_PROCESS = 16 * 1024  # of text; reading them takes as long as one more process costs
_MAX_WAITING_REPLIES = 32
_LOOKED_AFTER_S = 0.5
_LAST_WORDS_S = 2.0
_PROGRAM = "from srag_mcp.pipeline import reader_pool as pool; pool.forks.begin(pool.main)"
_COMMAND = (sys.executable, "-P", "-c", _PROGRAM)  # run as a module, it would pickle by `__main__`
# Half of the machine's memory is for all readers together.
_MOST_MEMORY_BYTES, _LEAST_MEMORY_BYTES = 4 * 1024**3, 512 * 1024**2
# Documents are trees of small objects without cycles: looking for cycles as often as Python does by
# itself takes a tenth of the time.
OBJECTS_BETWEEN_COLLECTIONS = 10_000


class ReaderPool:
    """Reads documents for one ingestion, or one quote.

    A file at which a process died is not given to another one: each would take as long. As a
    context manager it keeps a process that is enough for all of a call until the next one.
    """

    def __init__(self, n_processes: int = 0, timeout_s: float = DOCUMENT_TIMEOUT_S) -> None:
        """Set how many processes read, 0 for one a processor, and how long a reply may take."""
        has_affinity = hasattr(os, "sched_getaffinity")
        n_processors = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count()
        self.n_processes = n_processes or n_processors or 1
        self._timeout_s = timeout_s
        self._given_up: dict[str, Unreadable] = {}
        self._idle: list[_Reader] | None = None

    def __enter__(self) -> Self:
        self._idle = []
        return self

    def __exit__(self, *_: object) -> None:
        idle, self._idle = self._idle, None
        for reader in idle or ():
            reader.close()

    def perform(self, tasks: Sequence[Task]) -> Generator[Reply, None, None]:
        """Do all tasks; yield replies as they come, those to one task in order.

        Close the iterator to stop early: the processes are ended.

        Raises:
            OSError: If no process could be started.
        """
        paths = [task.source.relative for task in tasks]
        yield from (self._given_up[path] for path in paths if path in self._given_up)
        todo = [task for task in tasks if task.source.relative not in self._given_up]
        n_worth = 1 + sum(task.source.size for task in todo) // _BYTES_A_PROCESS
        n_running = min(self.n_processes, len(todo), n_worth)
        command = (*_COMMAND, str(_memory_of_one(self.n_processes)))
        readers = [self._idle.pop() if self._idle else _Reader(command) for _ in range(n_running)]
        desk = _Desk(iter(todo), self._timeout_s)
        threads = [
            threading.Thread(target=desk.serve, args=(reader,), daemon=True) for reader in readers
        ]
        for thread in threads:
            thread.start()
        try:
            while n_running:
                for reader in readers:
                    reader.kill_if_overdue()
                try:
                    reply = desk.replies.get(timeout=_LOOKED_AFTER_S)
                except queue.Empty:
                    continue
                if reply is None:
                    n_running -= 1
                    continue
                if isinstance(reply, OSError):
                    n_running -= 1
                    raise reply
                if isinstance(reply, Unreadable) and reply.passing:
                    self._given_up[reply.path] = reply
                yield reply
        finally:
            desk.stopping.set()
            for thread, reader in zip(threads, readers, strict=True):
                if n_running:
                    reader.kill()
                thread.join()
                # several are of many files, and have grown with them
                if not n_running and len(readers) == 1 and self._idle is not None:
                    self._idle.append(reader)
                else:
                    reader.close()


class _Desk:
    """Hands tasks to readers, each in a thread, and takes their replies."""

    def __init__(self, tasks: Iterator[Task], timeout_s: float) -> None:
        self.stopping = threading.Event()
        self.replies: queue.Queue[Reply | OSError | None] = queue.Queue(_MAX_WAITING_REPLIES)
        self._tasks = tasks
        self._lock = threading.Lock()
        self._timeout_s = timeout_s

    def serve(self, reader: "_Reader") -> None:
        """Let *reader* do tasks until there is none left."""
        end: OSError | None = None
        try:
            while not self.stopping.is_set():
                with self._lock:
                    task = next(self._tasks, None)
                if task is None:
                    break
                timeout_s = self._timeout_s + _SECONDS_A_BYTE * task.source.size
                for reply in reader.ask(task, timeout_s):
                    self._put(reply)
        except OSError as error:
            end = error
        finally:
            self._put(end)

    def _put(self, reply: Reply | OSError | None) -> None:
        while not self.stopping.is_set():
            with suppress(queue.Full):
                self.replies.put(reply, timeout=_LOOKED_AFTER_S)
                return


class _Reader:
    """One process, replaced when it dies."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = tuple(command)
        self._process: forks.Child | None = None
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._is_killed = False
        self._timeout_s = 0.0
        self._deadline: float | None = None

    def ask(self, task: Task, timeout_s: float) -> Iterator[Reply]:
        """Yield the replies to *task*; `Unreadable` if the process dies or takes too long."""
        self._errors.seek(0)  # for the process, too: it writes where this file is
        self._errors.truncate()
        self._timeout_s = timeout_s
        process = self._process
        if process is None:
            process = self._process = forks.start(
                self._command[:-1], self._command[-1], self._errors.fileno()
            )
            if self._is_killed:  # while it started
                process.kill()
        asked, told = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
        try:
            pickle.dump(task, asked, protocol=pickle.HIGHEST_PROTOCOL)
            asked.flush()
            is_last = False
            while not is_last:
                self._deadline = time.monotonic() + timeout_s
                reply: Reply = pickle.load(told)
                self._deadline = None
                is_last = not isinstance(reply, Extracted)
                yield reply
        except (EOFError, OSError, pickle.UnpicklingError):
            yield Unreadable(task.source.relative, self._why_it_died(), passing=True)

    def kill(self) -> None:
        """End the process, from any thread; who waits for a reply gets `Unreadable`."""
        self._is_killed = True
        if self._process is not None:
            self._process.kill()

    def kill_if_overdue(self) -> None:
        """End the process if a reply should have come by now."""
        if self._deadline is not None and self._deadline < time.monotonic():
            self.kill()

    def _why_it_died(self) -> str:
        is_overdue = self._deadline is not None and self._deadline < time.monotonic()
        self._deadline = None
        status = self._end(_LAST_WORDS_S)
        if is_overdue:
            return f"reading it took longer than {self._timeout_s:.0f} s"
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        said = f": {lines[-1][:300]}" if lines else ""
        return f"the process that read it ended (exit status {status}{said})"

    def close(self) -> None:
        """End the process."""
        self._end(0.0)
        self._errors.close()

    def _end(self, patience_s: float) -> int | None:
        """End the process; one that is about to end by itself may do so within *patience_s*."""
        process, self._process, self._is_killed = self._process, None, False
        if process is None:
            return None
        with suppress(subprocess.TimeoutExpired):
            process.wait(patience_s)
        process.kill()
        status = process.wait()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                cast("IO[bytes]", pipe).close()
        return status


def _memory_of_one(n_processes: int) -> int:
    """Return how much memory one of several readers may use."""
    try:
        everything = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not known, as on Windows
        return _MOST_MEMORY_BYTES // n_processes
    share = everything // 2 // n_processes
    return max(_LEAST_MEMORY_BYTES, min(_MOST_MEMORY_BYTES, share))


def prepare() -> None:
    """Make readers forks of this process; for one that only ingests, before it has threads."""
    forks.prepare(_COMMAND, main)
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)


def main(memory_bytes: str) -> None:
    """Answer pickled tasks from stdin with pickled replies on stdout, until stdin ends."""
    replies = os.fdopen(os.dup(1), "wb")
    # What parsers print must not mix with the replies.
    os.dup2(2, 1)
    with suppress(ImportError, ValueError, OSError):
        import resource  # not on Windows

        n_bytes = int(memory_bytes)
        resource.setrlimit(resource.RLIMIT_AS, (n_bytes, n_bytes))
    gc.freeze()
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    with suppress(BrokenPipeError, KeyboardInterrupt):
        while True:
            try:
                # The tasks come from the parent process, over a pipe of its own.
                task = pickle.load(sys.stdin.buffer)
            except EOFError:
                return
            for reply in perform(task):
                pickle.dump(reply, replies, protocol=pickle.HIGHEST_PROTOCOL)
            replies.flush()
