"""The documents that a quote is about: how many there are, and how long those are to be read."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from srag_mcp.documents.document import Document
from srag_mcp.model.tokens import count_tokens
from srag_mcp.pipeline.file_plan import FoundFiles, plan_files
from srag_mcp.pipeline.reader_pool import ReaderPool
from srag_mcp.pipeline.sampling import Sample, read_sample
from srag_mcp.records.reading_on import count_readable
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.predictions import Predictions
from srag_mcp.store.work import WorkDatabase

_UNREAD = Sample((), (), {})


@dataclass(frozen=True, slots=True)
class QuotedDocuments:
    """The documents of a corpus; *lengths* are the tokens of those that will be asked about."""

    n_documents: int
    lengths: Sequence[int]


def find_quoted(
    work: WorkDatabase,
    found: FoundFiles,
    schema: Schema | None,
    readers: ReaderPool,
    settings: Settings,
) -> QuotedDocuments:
    """Find the stored documents that lack predictions, and estimate those of unread files.

    The lengths of the latter are those of a sample. Of a table that was read before, and whose rows
    are documents, the share of new rows is that of the sample.
    """
    kept = schema is not None and work.schema_in_force() is not None
    predictions = Predictions(work)
    n_readable = count_readable(settings.prompt_tokens)
    pending = predictions.pending(schema.attributes, n_readable) if kept and schema else []
    plan = plan_files(work, found, schema or Schema(title="Record"), readers.n_processes)
    paths = {item.relative for item in found.sources}
    new = paths & plan.states.keys() if kept else paths
    sample = read_sample(found, readers) if new else _UNREAD
    tables = {item.relative for item in found.sources if found.rows_of(item)}
    stored = work.known_documents(sorted(tables)) if kept else {}
    changed = new - tables  # counted as new, not also as what was stored of them
    known = [
        length
        for group in pending
        for length in predictions.count_tokens(
            [key for key in group.document_ids if key not in changed]
        )
    ]
    counts = {path: _count(path, new, sample, stored) for path in tables}
    n_new = len(changed) + sum(
        _count_new_rows(counts[path], _rows_of(path, sample), stored.get(path, {}))
        for path in new & tables
    )
    lengths = [count_tokens(document.text) for document in sample.documents]
    return QuotedDocuments(
        n_documents=len(paths - tables) + sum(counts.values()),
        lengths=[*known, *(lengths[number % len(lengths)] for number in range(n_new) if lengths)],
    )


def _count(
    path: str, new: set[str], sample: Sample, stored: Mapping[str, Mapping[str, str]]
) -> int:
    """Count the rows of a table; one that is not in the sample has as many as the others."""
    if path not in new:
        return len(stored.get(path, {}))
    usual = sum(sample.counts.values()) / max(1, len(sample.counts))
    return sample.counts.get(path, round(usual))


def _rows_of(path: str, sample: Sample) -> list[Document]:
    return [document for document in sample.documents if document.path == path]


def _count_new_rows(n_rows: int, sampled: Sequence[Document], known: Mapping[str, str]) -> int:
    """Estimate how many of *n_rows* rows are not among the *known* ones (id to sha256)."""
    if not known:
        return n_rows
    n_changed = sum(known.get(document.id) != document.sha256 for document in sampled)
    share = n_changed / max(1, len(sampled))
    is_unsure = n_rows > len(sampled)
    return max(math.ceil(share * n_rows), n_rows - len(known), int(is_unsure))
