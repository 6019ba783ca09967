"""Whether the rows of table files are the documents of a folder: asked, remembered or found out."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath

from pydantic import TypeAdapter

from srag_mcp.documents.document import spread_evenly
from srag_mcp.documents.folder import TABLE_TYPES, SourceFile, media_type
from srag_mcp.documents.kinds import MIN_DOCUMENTS
from srag_mcp.documents.table_files import (
    Kind,
    TableSketch,
    is_of_kind,
    join_lists,
    join_sketches,
    largest_kind,
)
from srag_mcp.engines.protocol import TableColumns
from srag_mcp.errors import DocumentError
from srag_mcp.pipeline.file_plan import FoundFiles, is_same_file
from srag_mcp.pipeline.reader_pool import ReaderPool, Sampled, SampleTask, TableMode
from srag_mcp.pipeline.wishes import RowsMode
from srag_mcp.store.work import FinishedFile, WorkDatabase

_NOTE = "tables"
_MODE = TypeAdapter(TableMode)
_MAX_SURVEYED = 100
# A corpus is what repeats: ten rows outweigh a file beside them, such as a README or another table.
_ROWS_TO_A_FILE = 10


def is_kind(tables: Sequence[tuple[str, TableSketch]]) -> bool:
    """Whether there are as many rows as make a kind."""
    return sum(table.n_rows for _, table in tables) >= MIN_DOCUMENTS


class TableSurvey:
    """The tables of some table files, read when they are asked for."""

    def __init__(self, sources: Sequence[SourceFile], readers: ReaderPool) -> None:
        self.n_files, self._all = len(sources), sources
        self._sources = spread_evenly(sources, _MAX_SURVEYED)
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
        found: The files, without those that are left out.
        survey: The tables, where their rows are documents.
        is_other: Whether it was otherwise before, so that induced columns are of no use.
    """

    found: FoundFiles
    survey: TableSurvey | None = None
    is_other: bool = False

    @property
    def file(self) -> str:
        """The name of the only file whose rows are documents, without its ending; else empty."""
        paths = list(self.survey.files) if self.survey is not None else []
        return PurePosixPath(paths[0]).stem if len(paths) == 1 else ""

    def columns(self) -> TableColumns:
        """Return what the columns of the tables hold, and the lists beside them, each once."""
        mode = self.found.mode
        if self.survey is None or mode is None:
            return (), ()
        kind = frozenset(mode.kind) or self.survey.kind
        mine = list(self.survey.of_kind(kind, [*map(frozenset, mode.others)]).values())
        return join_sketches(mine), join_lists(mine)


NO_TABLES = SettledTables(FoundFiles((), (), ()))


def settle_tables(
    work: WorkDatabase, found: FoundFiles, asked: RowsMode, readers: ReaderPool, *, fresh: bool
) -> SettledTables:
    """Decide whether rows are documents.

    In the corpus of a kind of tables they are. Else what is *asked* for wins, then what was decided
    before unless all is to be found out *fresh*, then what the tables are.
    """
    tables = [item for item in found.sources if media_type(item.relative) in TABLE_TYPES]
    if not tables:
        return SettledTables(found)
    finished = work.files()
    known = [state for item in tables if (state := finished.get(item.relative))]
    before = None if fresh else _remembered(work, known)
    survey = TableSurvey(tables, readers)
    if found.kind:
        reason = "each row of the tables with these columns is a document"
        mode = TableMode(rows=True, reason=reason, kind=found.kind, alone=True, others=found.others)
    elif asked == "file":
        mode = TableMode(rows=False, reason="each table is a document, as asked")
    elif before is not None and _still_holds(before, known, tables, survey, asked):
        mode = before
    else:
        mode = _decide(found, survey, asked)
    kind_before = mode.kind if before is None else before.kind
    had_rows = any(state.rows for state in known)
    is_other = bool(known) and (mode.rows, mode.kind) != (had_rows, kind_before)
    found = replace(found, mode=mode)
    if not mode.rows:
        return SettledTables(found, None, is_other)
    if mode.alone:  # the files that are no tables are left out, and told
        named = [*(item.relative for item in found.sources), *(item.path for item in found.failed)]
        left = {path: None for path in named if media_type(path) not in TABLE_TYPES}
        reason = "left out beside the rows of a table; --rows file makes each file a document"
        found = replace(
            found,
            sources=tuple(tables),
            failed=tuple(item for item in found.failed if item.path not in left),
            skipped=(*found.skipped, *(DocumentError(path, reason) for path in left)),
        )
    return SettledTables(found, survey, is_other)


def remember_tables(work: WorkDatabase, settled: SettledTables) -> None:
    """Keep what was decided; tables that were read before that was known are read again."""
    found, mode = settled.found, settled.found.mode
    if mode is None:
        return
    text = _MODE.dump_json(mode).decode()
    if work.note(_NOTE) is None:
        work.forget_files([item.relative for item in found.sources if mode.rows])
    if work.note(_NOTE) != text:
        work.keep_note(_NOTE, text)


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
    plain = [(path, x) for _, of in survey.kinds(()) if is_kind(of) for path, x in of if x.is_plain]
    n_more = sum(table.n_rows for path, table in plain if path not in mine)
    n_beside = len(found.sources) - round(survey.scale * len({*mine, *(path for path, _ in plain)}))
    is_plain = len(mine) == 1 or all(table.is_plain for tables in mine.values() for table in tables)
    outweighs = _ROWS_TO_A_FILE * n_beside <= n_rows + round(survey.scale * n_more)
    kind = tuple(sorted(survey.kind))
    if asked == "row":
        reason = "each row of a table is a document, as asked"
        return TableMode(rows=True, reason=reason, kind=kind, alone=outweighs)
    if not survey.files and survey.n_files == len(found.sources):
        return TableMode(rows=True, reason="each row of a table is a document")  # once it is mended
    if not mine or not outweighs or not is_plain:
        return TableMode(rows=False, reason="each table is one document: there are several files")
    name = next(iter(mine)) if len(mine) == 1 else f"{round(survey.scale * len(mine))} tables"
    why = "it is the only file" if len(found.sources) == 1 else f"there are {n_rows:,} of them"
    reason = f"each row of {name} is a document: {why}"
    return TableMode(rows=True, reason=reason, kind=kind, alone=True)
