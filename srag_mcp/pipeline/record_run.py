"""What an engine reads after the rules: records that lack predictions, kept batch by batch."""

from collections.abc import Callable, Sequence
from functools import partial

from srag_mcp.cells.cell import PredictedRecord
from srag_mcp.engines.protocol import Engine, Progress
from srag_mcp.records.reading_on import count_readable
from srag_mcp.schema.extension import Extension
from srag_mcp.schema.schema import Schema
from srag_mcp.store.predictions import PendingDocuments, Predictions, keep_rule_cells
from srag_mcp.store.work import WorkDatabase


def read_missing_records(
    work: WorkDatabase,
    schema: Schema,
    engine: Engine,
    prompt_tokens: int,
    on_progress: Callable[[Progress], None],
) -> set[str]:
    """Let *engine* read the attributes that documents lack a prediction of; return their ids.

    Each batch is kept as it is finished.

    Raises:
        ModelStoppedError: If no further prompt can be answered.
        CancelledError: If somebody wants it to stop.
    """
    predictions = Predictions(work)
    predictions.forget_gone()
    pending = predictions.pending(schema.attributes, count_readable(prompt_tokens))
    asked = [document_id for group in pending for document_id in group.document_ids]
    n_done = 0

    def keep(group: PendingDocuments, records: Sequence[PredictedRecord]) -> None:
        nonlocal n_done
        predictions.store(group.attributes, records)
        n_done += len(records)
        on_progress(Progress("predicting", n_done, len(asked), records[-1].document_id))

    if pending:
        on_progress(Progress("predicting", 0, len(asked)))
    for group in pending:
        texts = predictions.texts(group.document_ids)
        engine.read(texts, group.attributes, partial(keep, group))
    return set(asked)


def add_by_rules(work: WorkDatabase, schema: Schema, extension: Extension) -> tuple[str, ...]:
    """Keep what the rules of the added attribute read; all else stays as a model read it.

    Returns:
        What a person should know: documents that the model has not read since they came.
    """
    if extension.added:
        keep_rule_cells(work, schema.attribute(extension.attribute.name))
    groups = Predictions(work).pending(schema.attributes)
    n_unread = sum(len(group.document_ids) for group in groups)
    if not n_unread:
        return ()
    return (
        f"the language model has not read {n_unread} of {work.n_documents()} documents: their other"
        " cells are failed until the next ingestion with it",
    )
