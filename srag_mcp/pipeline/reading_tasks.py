"""Reading and extraction as tasks for other processes: what is asked, what comes back."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

from srag_mcp.cells.cell import Record
from srag_mcp.cells.normalised import add_surroundings, verify_cell, verify_rows
from srag_mcp.documents.document import Document
from srag_mcp.documents.folder import SourceFile
from srag_mcp.documents.reading import read_file, read_tables, row_documents
from srag_mcp.documents.table_files import Kind, TableSketch, sketch, take_kind
from srag_mcp.engines.offline import read_documents
from srag_mcp.errors import DocumentError
from srag_mcp.schema.schema import Schema
from srag_mcp.store.work import FinishedDocument, finish_document

_BATCH_DOCUMENTS = 200


@dataclass(frozen=True, slots=True)
class RowsWanted:
    """Which rows of a table file are documents.

    Those of the tables of a *kind*, None for the one with the most rows. *alone*: a file that is
    none of these tables is no document either.
    """

    kind: Kind | None = None
    alone: bool = True


@dataclass(frozen=True, slots=True)
class SampleTask:
    """Read a file and return at most *n_documents* of its documents, evenly spaced.

    *rows* is None where the file is one document.
    """

    source: SourceFile
    rows: RowsWanted | None
    n_documents: int


@dataclass(frozen=True, slots=True)
class ExtractTask:
    """Read a file and extract its documents, but for those in *known* (id to sha256) unchanged.

    *schema_json* is the schema as pydantic writes it. A large table is shared out: this task does
    every *n_parts*-th row from *part* on.
    """

    source: SourceFile
    rows: RowsWanted | None
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
    source: SourceFile, rows: RowsWanted | None, lists: Sequence[str] = ()
) -> tuple[list[Document], tuple[str, ...]]:
    """Return the documents of a file, and what people should know of it: *lists* have tables."""
    tables = [] if rows is None else read_tables(source.read(), source.relative)
    if rows is None or (not tables and not rows.alone):
        return [read_file(source)], ()
    if not tables:
        return [], ("it is one thing and no table, and left out",)
    table = take_kind(tables, rows.kind)
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
            replaces = document.id in task.known
            finished.append(finish_document(document, verified, replaces=replaces))
        yield Extracted(path, tuple(finished))
    is_first = task.part == 0
    stale = tuple(key for key in task.known if key not in ids) if is_first else ()
    yield FileDone(path, stale, told if is_first else ())


@lru_cache(maxsize=2)
def _read_schema(schema_json: str) -> Schema:
    """Read a schema once, not once a document."""
    return Schema.model_validate_json(schema_json)
