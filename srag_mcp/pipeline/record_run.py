"""The prediction of all records that lack one, kept batch by batch."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from srag_mcp.cells.cell import PredictedRecord
from srag_mcp.pipeline.engine import Thinker
from srag_mcp.pipeline.report import Progress
from srag_mcp.records.prediction import predict_records
from srag_mcp.records.reading_on import choose_first_tokens, count_readable
from srag_mcp.records.record_task import RecordTask
from srag_mcp.schema.schema import Schema
from srag_mcp.store.predictions import PendingDocuments, Predictions
from srag_mcp.store.work import WorkDatabase


@dataclass
class _Keeper:
    """Keeps records as they come, and tells how many of *n_asked* there are."""

    predictions: Predictions
    n_asked: int
    on_progress: Callable[[Progress], None]
    n_done: int = 0

    def keep(self, group: PendingDocuments, records: Sequence[PredictedRecord]) -> None:
        self.predictions.store(group.attributes, records)
        self.n_done += len(records)
        last = records[-1].document_id
        self.on_progress(Progress("predicting", self.n_done, self.n_asked, last))


def predict_missing_records(
    work: WorkDatabase,
    schema: Schema,
    thinker: Thinker,
    prompt_tokens: int,
    on_progress: Callable[[Progress], None],
) -> set[str]:
    """Ask for the attributes that documents lack a prediction of; return the documents' ids.

    Each batch is kept as it is finished.

    Raises:
        ModelStoppedError: If no further prompt can be answered.
        CancelledError: If somebody wants it to stop.
    """
    predictions = Predictions(work)
    predictions.forget_gone()
    pending = predictions.pending(schema.attributes, count_readable(prompt_tokens))
    keeper = _Keeper(predictions, sum(len(group.document_ids) for group in pending), on_progress)

    async def predict() -> None:
        for group in pending:
            await predict_records(
                RecordTask(
                    thinker.model,
                    group.attributes,
                    thinker.engine,
                    choose_first_tokens(len(group.attributes), len(schema.attributes)),
                ),
                predictions.texts(group.document_ids),
                prompt_tokens=prompt_tokens,
                max_in_flight=thinker.max_in_flight,
                on_done=partial(keeper.keep, group),
            )

    if pending:
        on_progress(Progress("predicting", 0, keeper.n_asked))
        thinker.run(predict)
    return {document_id for group in pending for document_id in group.document_ids}
