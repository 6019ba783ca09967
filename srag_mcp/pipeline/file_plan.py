"""Which files are read: a sample of all, or what is new or changed since last time."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from srag_mcp.documents.document import Document, spread_evenly
from srag_mcp.documents.folder import (
    TABLE_TYPES,
    FileMark,
    SourceFile,
    find_copies,
    find_documents,
    list_files,
    media_type,
)
from srag_mcp.errors import DocumentError
from srag_mcp.pipeline.reader_pool import ReaderPool
from srag_mcp.pipeline.reading_tasks import ExtractTask, RowsWanted, Sampled, SampleTask, Unreadable
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.database import storable
from srag_mcp.store.work import FinishedFile, WorkDatabase

# A table smaller than this is read by one process: reading it twice costs more.
_SHARED_TABLE_BYTES = 1_000_000
MAX_SAMPLE = 300
MAX_SAMPLE_CHARACTERS = 20_000_000


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """The files of a folder.

    Attributes:
        sources: Files to read.
        failed: Documents that cannot be read for what is known without opening them.
        skipped: Files that are no documents.
        rows: Which rows of tables are documents; None where a table is one document.
        rows_reason: Why; empty when there is no table.
        seen: All files that may be documents, as they were before they were read.
    """

    sources: tuple[SourceFile, ...]
    failed: tuple[DocumentError, ...]
    skipped: tuple[DocumentError, ...]
    rows: RowsWanted | None = None
    rows_reason: str = ""
    seen: Mapping[str, FileMark] = field(default_factory=dict)

    def rows_of(self, source: SourceFile) -> RowsWanted | None:
        """Return which rows of *source* are documents; None where it is one."""
        return self.rows if media_type(source.relative) in TABLE_TYPES else None


@dataclass(frozen=True, slots=True)
class FilePlan:
    """What has to be done.

    Attributes:
        tasks: Files to read, largest first of the tables, else in order.
        states: How each file of *tasks* will be recognised when it is done, by path.
        failed: Files that are finished with because they cannot be read, not recorded before.
        gone: Files that were there before.
    """

    tasks: tuple[ExtractTask, ...]
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
    named = {item.relative: storable(item.relative) == item.relative for item in listed}
    problems.extend(
        DocumentError(path, "its name is not Unicode; rename it")
        for path, is_unicode in named.items()
        if not is_unicode
    )
    told = [DocumentError(storable(item.path), item.reason) for item in problems]
    return FoundFiles(
        sources=tuple(item for item in listed if named[item.relative]),
        failed=tuple(item for item in told if media_type(item.path) is not None),
        skipped=tuple(item for item in told if media_type(item.path) is None),
        seen=seen,
    )


def without_copies(found: FoundFiles, work: WorkDatabase) -> FoundFiles:
    """Leave out files with the bytes of another one, and tell them: they count once."""
    finished = work.files()
    same = [
        source.relative
        for source in found.sources
        if source.relative in finished and is_same_file(finished[source.relative], source)
    ]
    known = {
        path: documents[path]
        for path, documents in work.known_documents(same).items()
        if path in documents
    }
    copies = find_copies(found.sources, known)
    if not copies:
        return found
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
    states = {
        item.relative: FinishedFile(
            item.relative, item.size, mtime_of(item), found.rows_of(item) is not None
        )
        for item in found.sources
    }
    failures = {
        item.path: FinishedFile(item.path, 0, 0, rows=False, error=item.reason)
        for item in found.failed
    }
    pending = [item for item in found.sources if not _is_done(finished, states[item.relative])]
    known = work.known_documents([item.relative for item in pending])
    schema_json = schema.model_dump_json()
    tasks = []
    for source in pending:
        rows, before = found.rows_of(source), known.get(source.relative, {})
        is_shared = rows is not None and source.size > _SHARED_TABLE_BYTES
        n_parts = n_processes if is_shared else 1
        tasks += [
            ExtractTask(source, rows, schema_json, before, part, n_parts) for part in range(n_parts)
        ]
    new = [item for path, item in failures.items() if finished.get(path) != item]
    stale = work.known_documents([item.path for item in new])
    present = states.keys() | failures.keys()
    return FilePlan(
        tasks=tuple(tasks),
        states={item.relative: states[item.relative] for item in pending},
        failed=tuple(replace(item, stale=tuple(stale.get(item.path, ()))) for item in new),
        gone=tuple(sorted((finished.keys() | work.paths_of_documents()) - present)),
    )


def mtime_of(source: SourceFile) -> int:
    """Return when a file was changed; 0 where it cannot be asked: reading it will say why."""
    try:
        return source.path.stat().st_mtime_ns
    except OSError:
        return 0


def _is_done(finished: dict[str, FinishedFile], state: FinishedFile) -> bool:
    before = finished.get(state.path)
    if before is None or before.passing:
        return False
    known = (before.size, before.mtime_ns, before.rows)
    return known == (state.size, state.mtime_ns, state.rows)


def is_same_file(state: FinishedFile, source: SourceFile) -> bool:
    """Whether *source* is as it was when it was finished, as far as can be told from outside."""
    return (state.size, state.mtime_ns) == (source.size, mtime_of(source))


@dataclass(frozen=True, slots=True)
class Sample:
    """Some documents of a corpus.

    Attributes:
        documents: In the order of their ids.
        failed: Files that could not be read.
        counts: How many documents each file has that was read, in the sample or not.
    """

    documents: tuple[Document, ...]
    failed: tuple[DocumentError, ...]
    counts: Mapping[str, int]


def read_sample(found: FoundFiles, readers: ReaderPool) -> Sample:
    """Read a sample of the documents."""
    documents: list[Document] = []
    failed: list[DocumentError] = []
    counts: dict[str, int] = {}
    n_characters = 0
    for reply in readers.perform(list(sample_tasks(found))):
        if isinstance(reply, Sampled):
            documents.extend(reply.documents)
            counts[reply.path] = reply.n_documents
            n_characters += sum(len(document.text) for document in reply.documents)
        elif isinstance(reply, Unreadable):
            failed.append(DocumentError(reply.path, reply.reason))
        if n_characters > MAX_SAMPLE_CHARACTERS:
            break
    documents.sort(key=lambda document: document.id)
    return Sample(tuple(documents), tuple(failed), counts)


def sample_tasks(found: FoundFiles) -> Iterator[SampleTask]:
    """Choose files evenly over formats, folders and sizes; of a table of documents, many rows."""
    chosen = spread_evenly(sorted(found.sources, key=_likeness), MAX_SAMPLE)
    for source in chosen:
        rows = found.rows_of(source)
        n_documents = 1 if rows is None else max(1, MAX_SAMPLE // len(chosen))
        yield SampleTask(source, rows, n_documents)


def _likeness(source: SourceFile) -> tuple[str, str, int, str]:
    path = PurePosixPath(source.relative)
    return (path.suffix.lower(), str(path.parent), source.size, source.relative)
