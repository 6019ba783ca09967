"""Which files are read, a sample of all or what is new; and their extraction, kept by batches."""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from srag_mcp.documents.document import Document, spread_evenly
from srag_mcp.documents.encoding import storable
from srag_mcp.documents.folder import (
    TABLE_TYPES,
    FileMark,
    SourceFile,
    find_copies,
    find_documents,
    list_files,
    media_type,
    read_members,
)
from srag_mcp.engines.protocol import Progress
from srag_mcp.errors import DocumentError
from srag_mcp.pipeline import reader_pool
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.work import FinishedDocument, FinishedFile, WorkDatabase

# A table smaller than this is read by one process: reading it twice costs more.
_SHARED_TABLE_BYTES = 1_000_000
MAX_SAMPLE = 300
MAX_SAMPLE_CHARACTERS = 20_000_000
# What a transaction keeps at most: all three bound what a crash loses.
BATCH_DOCUMENTS = 100
BATCH_CHARACTERS = 4_000_000
BATCH_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """The files of a folder.

    Attributes:
        failed: Documents that cannot be read for what is known without opening them.
        skipped: Files that are no documents.
        mode: What was decided on tables; None where there is none.
        kind: Of the corpus of a kind of tables, what the columns of these are called.
        others: The same of the other kinds, which have corpora of their own.
    """

    sources: tuple[SourceFile, ...]
    failed: tuple[DocumentError, ...]
    skipped: tuple[DocumentError, ...]
    mode: reader_pool.TableMode | None = None
    seen: Mapping[str, FileMark] = field(default_factory=dict)
    kind: tuple[str, ...] = ()
    others: tuple[tuple[str, ...], ...] = ()

    @property
    def rows(self) -> reader_pool.TableMode | None:
        """Which rows of tables are documents; None where a table is one document."""
        return self.mode if self.mode is not None and self.mode.rows else None

    def rows_of(self, source: SourceFile) -> reader_pool.TableMode | None:
        """Return which rows of *source* are documents; None where it is one."""
        return self.rows if media_type(source.relative) in TABLE_TYPES else None


@dataclass(frozen=True, slots=True)
class FilePlan:
    """What has to be done.

    Attributes:
        states: How each file of *tasks* will be recognised when it is done, by path.
        failed: Files that are finished with because they cannot be read, not recorded before.
        gone: Files that were there before.
    """

    tasks: tuple[reader_pool.ExtractTask, ...]
    states: dict[str, FinishedFile]
    failed: tuple[FinishedFile, ...]
    gone: tuple[str, ...]


def find_files(folder: Path, settings: Settings) -> FoundFiles:
    """Look for documents; `settle_tables` says what those that are tables are.

    Raises:
        CorpusError: If the folder cannot be used.
    """
    seen = list_files(folder) or {}
    listed, problems = find_documents(folder, settings)
    problems.extend(
        DocumentError(item.relative, "its name is not Unicode; rename it")
        for item in listed
        if storable(item.relative) != item.relative
    )
    members = read_members(folder)
    told = [DocumentError(storable(item.path), item.reason) for item in problems]
    return FoundFiles(
        sources=tuple(item for item in listed if storable(item.relative) == item.relative),
        failed=tuple(item for item in told if media_type(item.path) is not None),
        skipped=tuple(item for item in told if media_type(item.path) is None),
        seen=seen,
        kind=members.columns if members is not None else (),
        others=members.others if members is not None else (),
    )


def without_copies(found: FoundFiles, work: WorkDatabase) -> FoundFiles:
    """Leave out files with the bytes of another one, and tell them: they count once."""
    finished = work.files()
    same = [
        source.relative
        for source in found.sources
        if source.relative in finished and is_same_file(finished[source.relative], source)
    ]
    stored = work.known_documents(same).items()
    known = {path: documents[path] for path, documents in stored if path in documents}
    copies = find_copies(found.sources, known)
    told = (
        DocumentError(path, f"has the same bytes as {original}, and is counted once")
        for path, original in copies.items()
    )
    return replace(
        found,
        sources=tuple(source for source in found.sources if source.relative not in copies),
        skipped=(*found.skipped, *told),
    )


def plan_files(work: WorkDatabase, found: FoundFiles, schema: Schema, n_processes: int) -> FilePlan:
    """Compare the folder with what is finished."""
    finished = work.files()
    states, pending = {}, []
    for source in found.sources:
        rows, path = found.rows_of(source), source.relative
        state = FinishedFile(path, source.size, mtime_of(source), rows is not None)
        before = finished.get(path)
        now = (state.size, state.mtime_ns, state.rows)
        if not before or before.passing or now != (before.size, before.mtime_ns, before.rows):
            pending.append(source)
            states[path] = state
    known = work.known_documents(states, cut=True)
    schema_json = schema.model_dump_json()
    tasks = []
    for source in pending:
        rows, before_ids = found.rows_of(source), known.get(source.relative, {})
        is_shared = rows is not None and source.size > _SHARED_TABLE_BYTES
        n_parts = n_processes if is_shared else 1
        tasks += [
            reader_pool.ExtractTask(source, rows, schema_json, before_ids, part, n_parts)
            for part in range(n_parts)
        ]
    failures = {
        item.path: FinishedFile(item.path, 0, 0, rows=False, error=item.reason)
        for item in found.failed
    }
    new = [item for path, item in failures.items() if finished.get(path) != item]
    stale = work.known_documents(item.path for item in new)
    present = {source.relative for source in found.sources} | failures.keys()
    return FilePlan(
        tasks=tuple(tasks),
        states=states,
        failed=tuple(replace(item, stale=tuple(stale.get(item.path, ()))) for item in new),
        gone=tuple(sorted((finished.keys() | work.paths_of_documents()) - present)),
    )


def mtime_of(source: SourceFile) -> int:
    """Return when a file was changed; 0 where it cannot be asked: reading it will say why."""
    try:
        return source.path.stat().st_mtime_ns
    except OSError:
        return 0


def is_same_file(state: FinishedFile, source: SourceFile) -> bool:
    """Whether *source* is as it was when it was finished, as far as can be told from outside."""
    return (state.size, state.mtime_ns) == (source.size, mtime_of(source))


@dataclass(frozen=True, slots=True)
class Sample:
    """Some documents of a corpus.

    Attributes:
        counts: How many documents each file has that was read, in the sample or not.
    """

    documents: tuple[Document, ...]
    failed: tuple[DocumentError, ...]
    counts: Mapping[str, int]


def read_sample(found: FoundFiles, readers: reader_pool.ReaderPool) -> Sample:
    """Read files evenly over formats, folders and sizes; of a table of documents, many rows."""

    def likeness(source: SourceFile) -> tuple[str, str, int, str]:
        path = PurePosixPath(source.relative)
        return (path.suffix.lower(), str(path.parent), source.size, source.relative)

    chosen = spread_evenly(sorted(found.sources, key=likeness), MAX_SAMPLE)
    n_rows = max(1, MAX_SAMPLE // max(1, len(chosen)))
    tasks = [
        reader_pool.SampleTask(source, rows, 1 if rows is None else n_rows)
        for source in chosen
        for rows in [found.rows_of(source)]
    ]
    documents: list[Document] = []
    failed: list[DocumentError] = []
    counts: dict[str, int] = {}
    n_characters = 0
    for reply in readers.perform(tasks):
        if isinstance(reply, reader_pool.Sampled):
            documents.extend(reply.documents)
            counts[reply.path] = reply.n_documents
            n_characters += sum(len(document.text) for document in reply.documents)
        elif isinstance(reply, reader_pool.Unreadable):
            failed.append(DocumentError(reply.path, reply.reason))
        if n_characters > MAX_SAMPLE_CHARACTERS:
            break
    documents.sort(key=lambda document: document.id)
    return Sample(tuple(documents), tuple(failed), counts)


class ExtractionRun:
    """Does the tasks of a plan and keeps what is finished, in one transaction a batch."""

    def __init__(self, work: WorkDatabase, plan: FilePlan) -> None:
        self.n_extracted = 0
        self.n_removed = 0
        self.cancelled = False
        self._work = work
        self._plan = plan
        self._parts_left = Counter(task.source.relative for task in plan.tasks)
        self._failed: set[str] = set()
        self._done: dict[str, FinishedFile] = dict(plan.states)
        self._documents: list[FinishedDocument] = []
        self._files: list[FinishedFile] = list(plan.failed)
        self._kept_at = time.monotonic()

    def finish(
        self,
        readers: reader_pool.ReaderPool,
        on_progress: Callable[[Progress], None],
        cancelled: Callable[[], bool],
    ) -> None:
        """Do all tasks, or those before *cancelled* says so."""
        self.n_removed = self._work.remove_files(self._plan.gone)
        tasks = self._plan.tasks
        n_done = n_characters = 0
        with closing(readers.perform(tasks)) as replies:
            for reply in replies:
                if isinstance(reply, reader_pool.Extracted):
                    self._documents.extend(reply.documents)
                    n_characters += sum(len(item.text) for item in reply.documents)
                elif not isinstance(reply, reader_pool.Sampled):
                    n_done += 1
                    self._finish_part(reply)
                on_progress(Progress("extracting", n_done, len(tasks), reply.path))
                is_much = len(self._documents) >= BATCH_DOCUMENTS
                is_late = time.monotonic() - self._kept_at > BATCH_SECONDS
                if is_much or is_late or n_characters >= BATCH_CHARACTERS:
                    self._keep()
                    n_characters = 0
                if cancelled():
                    self.cancelled = True
                    break
        self._keep()

    def _finish_part(self, reply: reader_pool.FileDone | reader_pool.Unreadable) -> None:
        """Take note of the end of a file, or of a part of one; where a part fails, all does."""
        path, state = reply.path, self._done[reply.path]
        self._parts_left[path] -= 1
        if path in self._failed:
            return
        if isinstance(reply, reader_pool.Unreadable):
            self._failed.add(path)
            self._documents = [item for item in self._documents if item.path != path]
            stored = self._work.known_documents([path]).get(path, {})
            again = "; the next ingestion tries again" if reply.passing else ""
            failed = replace(self._plan.states[path], error=f"{reply.reason}{again}")
            self._files.append(replace(failed, passing=reply.passing, stale=tuple(stored)))
            return
        stale, told = (*state.stale, *reply.stale), (*state.told, *reply.told)
        self._done[path] = replace(state, stale=stale, told=told)
        if self._parts_left[path] == 0:
            self._files.append(self._done[path])

    def _keep(self) -> None:
        documents = [item for item in self._documents if item.path not in self._failed]
        if documents or self._files:
            self._work.store(documents, self._files)
        self.n_extracted += len(documents)
        self._documents, self._files = [], []
        self._kept_at = time.monotonic()
