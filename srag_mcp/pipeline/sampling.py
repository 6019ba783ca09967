"""Samples: a few documents that show how the others vary."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TypeVar

from srag_mcp.documents.document import Document
from srag_mcp.documents.folder import SourceFile
from srag_mcp.errors import DocumentError
from srag_mcp.pipeline.file_plan import FoundFiles
from srag_mcp.pipeline.reader_pool import ReaderPool
from srag_mcp.pipeline.reading import Sampled, SampleTask, Unreadable

Item = TypeVar("Item")

MAX_SAMPLE = 300
MAX_SAMPLE_CHARACTERS = 20_000_000


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


def spread_evenly(items: Sequence[Item], n: int) -> list[Item]:
    """Take *n* evenly spaced ones; all when there are no more."""
    if len(items) <= n:
        return list(items)
    return [items[number * len(items) // n] for number in range(n)]


def _likeness(source: SourceFile) -> tuple[str, str, int, str]:
    path = PurePosixPath(source.relative)
    return (path.suffix.lower(), str(path.parent), source.size, source.relative)
