"""Which files have to be read: what is new or changed since last time, and what is gone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from srag_mcp.documents.folder import SourceFile, find_documents
from srag_mcp.documents.formats import TABLE_TYPES, media_type
from srag_mcp.documents.reading import rows_are_documents
from srag_mcp.errors import DocumentError
from srag_mcp.pipeline.options import RowsMode
from srag_mcp.pipeline.reading import ExtractTask
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.work import WorkDatabase
from srag_mcp.store.work_rows import FinishedFile, storable

# A table smaller than this is read by one process: reading it twice costs more.
_SHARED_TABLE_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """The files of a folder.

    Attributes:
        sources: Files to read.
        failed: Documents that cannot be read for what is known without opening them.
        skipped: Files that are no documents.
        rows: Whether each row of a table is a document.
        rows_reason: Why; empty when there is no table.
    """

    sources: tuple[SourceFile, ...]
    failed: tuple[DocumentError, ...]
    skipped: tuple[DocumentError, ...]
    rows: bool
    rows_reason: str

    def is_row_file(self, source: SourceFile) -> bool:
        """Whether the rows of *source* are documents."""
        return self.rows and media_type(source.relative) in TABLE_TYPES


@dataclass(frozen=True, slots=True)
class FilePlan:
    """What has to be done.

    Attributes:
        tasks: Files to read, largest first of the tables, else in order.
        states: How each file of *tasks* will be recognised when it is done, by path.
        failed: Files that are finished with because they cannot be read, not recorded before.
        gone: Files that were there before.
        n_unchanged: Files that need no work.
    """

    tasks: tuple[ExtractTask, ...]
    states: dict[str, FinishedFile]
    failed: tuple[FinishedFile, ...]
    gone: tuple[str, ...]
    n_unchanged: int


def find_files(folder: Path, settings: Settings, rows: RowsMode) -> FoundFiles:
    """Look for documents and decide whether rows are documents.

    Raises:
        CorpusError: If the folder cannot be used.
    """
    listed, problems = find_documents(folder, settings)
    sources = [item for item in listed if _is_unicode(item.relative)]
    problems.extend(
        DocumentError(item.relative, "its name is not Unicode; rename it")
        for item in listed
        if not _is_unicode(item.relative)
    )
    named = [DocumentError(storable(item.path), item.reason) for item in problems]
    by_row, reason = _decide_rows(sources, rows)
    return FoundFiles(
        sources=tuple(sources),
        failed=tuple(item for item in named if media_type(item.path) is not None),
        skipped=tuple(item for item in named if media_type(item.path) is None),
        rows=by_row,
        rows_reason=reason,
    )


def plan_files(work: WorkDatabase, found: FoundFiles, schema: Schema, n_processes: int) -> FilePlan:
    """Compare the folder with what is finished."""
    finished = work.files()
    states = {item.relative: _state_of(item, found) for item in found.sources}
    failures = {item.path: _failed_state(item) for item in found.failed}
    pending = [item for item in found.sources if not _is_done(finished, states[item.relative])]
    known = work.known_documents([item.relative for item in pending])
    schema_json = schema.model_dump_json()
    tasks = [
        task
        for source in pending
        for task in _tasks(
            ExtractTask(
                source,
                found.is_row_file(source),
                schema_json,
                known.get(source.relative, {}),
            ),
            n_processes,
        )
    ]
    present = states.keys() | failures.keys()
    return FilePlan(
        tasks=tuple(tasks),
        states={item.relative: states[item.relative] for item in pending},
        failed=_new_failures(work, failures, finished),
        gone=tuple(sorted((finished.keys() | work.paths_of_documents()) - present)),
        n_unchanged=len(found.sources) - len(pending),
    )


def _is_unicode(name: str) -> bool:
    return storable(name) == name


def _decide_rows(sources: Sequence[SourceFile], rows: RowsMode) -> tuple[bool, str]:
    tables = [item for item in sources if media_type(item.relative) in TABLE_TYPES]
    if not tables:
        return False, ""
    if rows != "auto":
        what = "each row of a table is" if rows == "row" else "each table is"
        return rows == "row", f"{what} a document, as asked"
    if rows_are_documents(sources):
        return True, f"each row of {tables[0].relative} is a document: it is the only file"
    return False, "each table is one document: there are several files"


def _state_of(source: SourceFile, found: FoundFiles) -> FinishedFile:
    try:
        mtime_ns = source.path.stat().st_mtime_ns
    except OSError:  # reading it will say what is wrong
        mtime_ns = 0
    return FinishedFile(source.relative, source.size, mtime_ns, found.is_row_file(source))


def _failed_state(problem: DocumentError) -> FinishedFile:
    return FinishedFile(problem.path, 0, 0, rows=False, error=problem.reason)


def _is_done(finished: dict[str, FinishedFile], state: FinishedFile) -> bool:
    before = finished.get(state.path)
    return before is not None and (before.size, before.mtime_ns, before.rows) == (
        state.size,
        state.mtime_ns,
        state.rows,
    )


def _new_failures(
    work: WorkDatabase, failures: dict[str, FinishedFile], finished: dict[str, FinishedFile]
) -> tuple[FinishedFile, ...]:
    new = [item for path, item in failures.items() if finished.get(path) != item]
    known = work.known_documents([item.path for item in new])
    return tuple(
        FinishedFile(item.path, 0, 0, rows=False, error=item.error, stale=tuple(known[item.path]))
        if item.path in known
        else item
        for item in new
    )


def _tasks(task: ExtractTask, n_processes: int) -> Iterator[ExtractTask]:
    n_parts = n_processes if task.rows and task.source.size > _SHARED_TABLE_BYTES else 1
    for part in range(n_parts):
        yield ExtractTask(task.source, task.rows, task.schema_json, task.known, part, n_parts)
