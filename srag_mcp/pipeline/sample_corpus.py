"""A small corpus of the sample documents, on which a predicted schema is tried out."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from srag_mcp.cells.cell import PredictedRecord, Record
from srag_mcp.documents.document import Document
from srag_mcp.schema.schema import Schema
from srag_mcp.store.build import publish
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.layout import CorpusFolder
from srag_mcp.store.predictions import Predictions
from srag_mcp.store.work import finish_document, open_work

_ORIGIN = "sample"


@contextmanager
def open_sample_corpus(
    schema: Schema, documents: Sequence[Document], records: Sequence[PredictedRecord], engine: str
) -> Iterator[Corpus]:
    """Publish the predicted records of *documents* in a temporary folder, and open them.

    Raises:
        StoreError: If it cannot be written.
    """
    with TemporaryDirectory(prefix="srag-sample-") as scratch, QueryPool() as worker:
        folder = Path(scratch)
        with open_work(CorpusFolder(folder).writable()) as work:
            work.put_in_force(schema, _ORIGIN)
            work.put_engine_in_force(engine)
            empty = [
                finish_document(item, Record(item.id, ()), replaces=False) for item in documents
            ]
            work.store(empty, [])
            Predictions(work).store(schema.attributes, records)
            publish(work, schema)
        yield Corpus(folder, worker)
