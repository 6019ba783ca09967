"""Which files are read, whether rows of tables are documents; extraction, kept by batches."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePosixPath

from pydantic import TypeAdapter

from srag_mcp.documents.document import Document, spread_evenly
from srag_mcp.documents.folder import (
    TABLE_TYPES,
    FileMark,
    SourceFile,
    find_copies,
    find_documents,
    list_files,
    media_type,
    read_members,
    storable,
)
from srag_mcp.documents.kinds import MIN_DOCUMENTS
from srag_mcp.documents.table_files import (
    Kind,
    TableSketch,
    is_of_kind,
    join_lists,
    join_sketches,
    largest_kind,
)
from srag_mcp.engines.protocol import Progress, TableColumns
from srag_mcp.errors import DocumentError
from srag_mcp.pipeline.reader_pool import (
    Extracted,
    ExtractTask,
    FileDone,
    ReaderPool,
    Sampled,
    SampleTask,
    TableMode,
    Unreadable,
)
from srag_mcp.pipeline.wishes import RowsMode
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.work import OTHER_KIND, FinishedDocument, FinishedFile, WorkDatabase

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
        mode: What was decided on tables; None where there is none.
        kind: Of the corpus of a kind of tables, what the columns of these are called.
        others: The same of the other kinds, which have corpora of their own.
    """

    sources: tuple[SourceFile, ...]
    failed: tuple[DocumentError, ...]
    skipped: tuple[DocumentError, ...]
    mode: TableMode | None = None
    seen: Mapping[str, FileMark] = field(default_factory=dict)
    kind: tuple[str, ...] = ()
    others: tuple[tuple[str, ...], ...] = ()

    @property
    def rows(self) -> TableMode | None:
        """Which rows of tables are documents; None where a table is one document."""
        return self.mode if self.mode is not None and self.mode.rows else None

    def rows_of(self, source: SourceFile) -> TableMode | None:
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

    tasks: tuple[ExtractTask, ...]
    states: dict[str, FinishedFile]
    failed: tuple[FinishedFile, ...]
    gone: tuple[str, ...]


def find_files(folder: Path, settings: Settings) -> FoundFiles:
    """Look for documents, tables among them (`settle_tables`); CorpusError for no such folder."""
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


def _without_copies(found: FoundFiles, work: WorkDatabase) -> FoundFiles:
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
    sources = tuple(source for source in found.sources if source.relative not in copies)
    return replace(found, sources=sources, skipped=(*found.skipped, *told))


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
            ExtractTask(source, rows, schema_json, before_ids, part, n_parts)
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


def read_sample(found: FoundFiles, readers: ReaderPool) -> Sample:
    """Read files evenly over formats, folders and sizes; of a table of documents, many rows."""

    def likeness(source: SourceFile) -> tuple[str, str, int, str]:
        path = PurePosixPath(source.relative)
        return (path.suffix.lower(), str(path.parent), source.size, source.relative)

    chosen = spread_evenly(sorted(found.sources, key=likeness), MAX_SAMPLE)
    n_rows = max(1, MAX_SAMPLE // max(1, len(chosen)))
    tasks = [
        SampleTask(source, rows, 1 if rows is None else n_rows)
        for source in chosen
        for rows in [found.rows_of(source)]
    ]
    documents: list[Document] = []
    failed: list[DocumentError] = []
    counts: dict[str, int] = {}
    n_characters = 0
    for reply in readers.perform(tasks):
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


class ExtractionRun:
    """Does the tasks of a plan and keeps what is finished, in one transaction a batch.

    Attributes:
        n_extracted: Documents extracted so far.
        n_removed: Documents dropped because their file is gone.
        cancelled: Whether it was stopped before its end.
    """

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
        readers: ReaderPool,
        on_progress: Callable[[Progress], None],
        cancelled: Callable[[], bool],
    ) -> None:
        """Do all tasks, or those before *cancelled* says so."""
        self.n_removed = self._work.remove_files(self._plan.gone)
        tasks = self._plan.tasks
        n_done = n_characters = 0
        with closing(readers.perform(tasks)) as replies:
            for reply in replies:
                if isinstance(reply, Extracted):
                    self._documents.extend(reply.documents)
                    n_characters += sum(len(item.text) for item in reply.documents)
                elif not isinstance(reply, Sampled):
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

    def _finish_part(self, reply: FileDone | Unreadable) -> None:
        """Take note of the end of a file, or of a part of one; where a part fails, all does."""
        path, state = reply.path, self._done[reply.path]
        self._parts_left[path] -= 1
        if path in self._failed:
            return
        if isinstance(reply, Unreadable):
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


_NOTE = "tables"
_BESIDE = "tables of rows are left out beside documents: their rows are another kind"
_AS_FILES = "each table is a document, as asked"
_MODE = TypeAdapter(TableMode)
# A corpus is what repeats: ten rows outweigh a file beside them, such as a README or another table.
_ROWS_TO_A_FILE = 10


def is_kind(tables: Sequence[tuple[str, TableSketch]], *, plain: bool = False) -> bool:
    """Whether there are as many rows as make a kind; *plain*: and none is of a form."""
    are_plain = not plain or all(table.is_plain for _, table in tables)
    return are_plain and sum(table.n_rows for _, table in tables) >= MIN_DOCUMENTS


class TableSurvey:
    """The tables of some table files, *most* of them at most, read when they are asked for."""

    def __init__(self, sources: Sequence[SourceFile], readers: ReaderPool, most: int = 100) -> None:
        self.n_files, self._all = len(sources), sources
        self._sources = spread_evenly(sources, most)
        self._readers = readers

    @property
    def scale(self) -> float:
        """How many files stand for each that is read."""
        return self.n_files / max(1, len(self._sources))

    @cached_property
    def files(self) -> dict[str, tuple[TableSketch, ...]]:
        """The tables of each file that can be read; none of one that is no table."""
        tasks = [
            SampleTask(source, TableMode(rows=True, alone=True), n_documents=0)
            for source in self._sources
        ]
        replies = self._readers.perform(tasks)
        found = {reply.path: reply.tables for reply in replies if isinstance(reply, Sampled)}
        return dict(sorted(found.items()))

    @cached_property
    def kind(self) -> Kind:
        """The kind of table with the most rows."""
        tables = [table for tables in self.files.values() for table in tables]
        return largest_kind([(table.kind, table.n_rows) for table in tables])

    def kinds(self, known: Iterable[Kind]) -> Iterator[tuple[Kind, list[tuple[str, TableSketch]]]]:
        """Yield each kind with its tables and their files: those *known*, then the largest."""
        left = [(path, x) for path, tables in self.files.items() for x in tables if x.n_rows]
        following = [*known]
        while left:
            sizes = [(table.kind, table.n_rows) for _, table in left]
            kind = following.pop(0) if following else largest_kind(sizes)
            yield kind, [item for item in left if is_of_kind(item[1].kind, kind)]
            left = [item for item in left if not is_of_kind(item[1].kind, kind)]

    def plain(self) -> list[tuple[str, TableSketch]]:
        """Return the plain tables that are of a kind, and their files."""
        return [item for _, of in self.kinds(()) if is_kind(of, plain=True) for item in of]

    def paths_of(self, kind: Kind, others: Collection[Kind]) -> tuple[set[str], int]:
        """Return the files that may have tables of *kind*, and about how many rows these have."""
        mine = self.of_kind(kind, others)
        n_rows = sum(table.n_rows for tables in mine.values() for table in tables)
        unread = {source.relative for source in self._all} - self.files.keys()
        return unread | mine.keys(), round(self.scale * n_rows)

    def of_kind(self, kind: Kind, others: Collection[Kind] = ()) -> dict[str, list[TableSketch]]:
        """Return the tables of a kind, and of none of *others*, of the files that have any."""
        found = {
            path: [x for x in tables if x.n_rows and is_of_kind(x.kind, kind, others)]
            for path, tables in self.files.items()
        }
        return {path: mine for path, mine in found.items() if mine}


@dataclass(frozen=True, slots=True)
class SettledTables:
    """The files of a folder, and what its table files are.

    Attributes:
        found: The files of which one table would be, without those that are left out of it.
        everything: All files, each as a document.
        survey: The tables, where their rows are documents, or a kind beside documents.
        is_other: Whether it was otherwise before, so that induced columns are of no use.
        are_changed: Whether any table is not as it was when its rows were read.
        documents: The files beside tables that are kinds, where they may be kinds as well.
    """

    found: FoundFiles
    everything: FoundFiles
    survey: TableSurvey | None = None
    is_other: bool = False
    are_changed: bool = True
    documents: FoundFiles | None = None

    @property
    def file(self) -> str:
        """The name of the only file whose rows are documents, without its ending; else empty."""
        paths = list(self.survey.files) if self.survey is not None else []
        return PurePosixPath(paths[0]).stem if len(paths) == 1 else ""

    def columns(self) -> TableColumns:
        """Return what the columns of the tables hold, and the lists beside them, each once."""
        mode = self.found.mode
        if self.survey is None or mode is None or not mode.rows:
            return (), ()
        kind = frozenset(mode.kind) or self.survey.kind
        mine = list(self.survey.of_kind(kind, [*map(frozenset, mode.others)]).values())
        return join_sketches(mine), join_lists(mine)


NO_TABLES = SettledTables(FoundFiles((), (), ()), FoundFiles((), (), ()))


def settle_tables(
    work: WorkDatabase, found: FoundFiles, asked: RowsMode, readers: ReaderPool, *, fresh: bool
) -> SettledTables:
    """Leave out copies of files, and decide whether rows of tables are documents.

    In the corpus of a kind of tables they are. Else what is *asked* for wins, then what was decided
    before unless all is to be found out *fresh*, then what the tables are.
    """
    found = _without_copies(found, work)
    tables = [item for item in found.sources if media_type(item.relative) in TABLE_TYPES]
    if not tables:
        return SettledTables(found, found)
    finished = work.files()
    known = [state for item in tables if (state := finished.get(item.relative))]
    before = None if fresh else _remembered(work, known)
    survey = TableSurvey(tables, readers)
    if found.kind:
        reason = "each row of the tables with these columns is a document"
        mode = TableMode(rows=True, reason=reason, kind=found.kind, alone=True, others=found.others)
    elif asked == "file":
        mode = TableMode(rows=False, reason=_AS_FILES)
    elif before is not None and _still_holds(before, known, tables, survey, asked):
        mode = before
    else:
        mode = _decide(found, survey, asked)
    is_one = mode.reason == _AS_FILES or (mode is before and mode.rows and not mode.alone)
    documents = None if is_one or found.kind else _find_beside(found, mode, survey)
    if documents is not None and survey.scale > 1:  # what was not read may be a document
        survey = TableSurvey(tables, readers, len(tables))
        documents = _find_beside(found, mode, survey)
    if documents is not None and before is None and not fresh:
        are_documents = any(not x.rows and x.error is None for x in finished.values())
        mode = (documents.mode if are_documents else None) or mode  # that of the table there
    kind_before = mode.kind if before is None else before.kind
    had_rows = any(state.rows for state in known)
    is_other = bool(known) and (mode.rows, mode.kind) != (had_rows, kind_before)
    states = [(finished.get(item.relative), item) for item in tables]
    are_changed = not all(state and is_same_file(state, item) for state, item in states)
    found = everything = replace(found, mode=mode)
    if documents is not None and mode.alone and not mode.rows:
        own = {item.relative for item in documents.sources}
        rows = (item.relative for item in found.sources if item.relative not in own)
        told = tuple(DocumentError(path, OTHER_KIND) for path in rows)
        found = replace(found, sources=documents.sources, failed=(*found.failed, *told))
    if mode.rows and mode.alone:  # the files that are no tables are left out, and told
        named = [*(item.relative for item in found.sources), *(item.path for item in found.failed)]
        left = {path: None for path in named if media_type(path) not in TABLE_TYPES}
        reason = "left out beside the rows of a table; --rows file makes each file a document"
        found = replace(
            found,
            sources=tuple(tables),
            failed=tuple(item for item in found.failed if item.path not in left),
            skipped=(*found.skipped, *(DocumentError(path, reason) for path in left)),
        )
    of_rows = survey if mode.rows or documents is not None else None
    return SettledTables(found, everything, of_rows, is_other, are_changed, documents)


def _find_beside(found: FoundFiles, mode: TableMode, survey: TableSurvey) -> FoundFiles | None:
    """Return the files beside tables of rows; None where they are too few to be a kind."""
    n_beside, is_kept = len(found.sources), mode.alone and not mode.rows
    if n_beside > MIN_DOCUMENTS or is_kept:  # else they need not be read for that
        tables = {path for path, _ in survey.plain()}
        n_beside -= round(survey.scale * len(tables))
        if tables and (n_beside >= MIN_DOCUMENTS or is_kept):
            left = tuple(item for item in found.sources if item.relative not in tables)
            beside = TableMode(rows=False, reason=_BESIDE, alone=True)
            return replace(found, sources=left, mode=beside)
    return None


def remember_tables(work: WorkDatabase, settled: SettledTables) -> None:
    """Keep what was decided; tables that were read before that was known are read again."""
    found, mode = settled.found, settled.found.mode
    if mode is None:
        return
    if work.note(_NOTE) is None:
        work.forget_files([item.relative for item in found.sources if mode.rows])
    work.keep_note(_NOTE, _MODE.dump_json(mode).decode())


def _remembered(work: WorkDatabase, known: Sequence[FinishedFile]) -> TableMode | None:
    """Return what was decided; of a corpus of older versions, what its files say."""
    note = work.note(_NOTE)
    if note is not None:
        return _MODE.validate_json(note)
    if not known or not work.is_predicted():
        return None
    return TableMode(rows=any(state.rows for state in known), reason="tables are read as before")


def _still_holds(
    before: TableMode,
    known: Sequence[FinishedFile],
    tables: Sequence[SourceFile],
    survey: TableSurvey,
    asked: RowsMode,
) -> bool:
    """Whether the tables that were read are there, or the present ones are of their kind."""
    if not before.rows:
        return asked == "auto"
    sources = {item.relative: item for item in tables}
    if any(state.rows and is_same_file(state, sources[state.path]) for state in known):
        return True
    return not before.kind or is_of_kind(survey.kind, frozenset(before.kind))


def _decide(found: FoundFiles, survey: TableSurvey, asked: RowsMode) -> TableMode:
    """Decide by what there is more of: rows of tables, or files beside them."""
    mine = survey.of_kind(survey.kind)
    n_rows = round(survey.scale * sum(table.n_rows for tables in mine.values() for table in tables))
    plain = survey.plain()
    n_more = sum(table.n_rows for path, table in plain if path not in mine)
    of_rows = {path for path, _ in plain}
    n_beside = len(found.sources) - round(survey.scale * len(mine.keys() | of_rows))
    is_plain = len(mine) == 1 or all(table.is_plain for tables in mine.values() for table in tables)
    outweighs = _ROWS_TO_A_FILE * n_beside <= n_rows + round(survey.scale * n_more)
    outweighs |= n_beside < MIN_DOCUMENTS and bool(mine) and mine.keys() <= of_rows
    kind = tuple(sorted(survey.kind))
    if asked == "row":
        reason = "each row of a table is a document, as asked"
        return TableMode(rows=True, reason=reason, kind=kind, alone=outweighs)
    if not survey.files and survey.n_files == len(found.sources):
        return TableMode(rows=True, reason="each row of a table is a document")  # once it is mended
    if plain and n_beside >= MIN_DOCUMENTS and not outweighs:
        return TableMode(rows=False, reason=_BESIDE, alone=True)
    if not mine or not outweighs or not is_plain:
        return TableMode(rows=False, reason="each table is one document: there are several files")
    name = next(iter(mine)) if len(mine) == 1 else f"{round(survey.scale * len(mine))} tables"
    why = "it is the only file" if len(found.sources) == 1 else f"there are {n_rows:,} of them"
    reason = f"each row of {name} is a document: {why}"
    return TableMode(rows=True, reason=reason, kind=kind, alone=True)
