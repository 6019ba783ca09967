"""Record prediction by a language model: all documents, many prompts at a time (S-RAG 3.2.2)."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import anyio

from srag_mcp.errors import SragError
from srag_mcp.records.batch_prediction import RecordTask, fail_record, predict_batch
from srag_mcp.records.batches import Excerpt, plan_batches, take_excerpt
from srag_mcp.records.document_text import DocumentText
from srag_mcp.records.predicted_record import PredictedRecord

OnDone = Callable[[Sequence[PredictedRecord]], None]


async def predict_records(
    task: RecordTask,
    documents: Iterable[DocumentText],
    *,
    prompt_tokens: int,
    max_in_flight: int,
    on_done: OnDone,
) -> None:
    """Predict the record of each document; hand over those of each batch as it is finished.

    Args:
        task: Who is asked for what.
        documents: Read lazily, so that no more texts are in memory than are asked about.
        prompt_tokens: Most tokens shown of one document.
        max_in_flight: Most batches at a time; the model may let fewer through.
        on_done: Called with all records of a batch at once, in no order of batches. Keeping them
            in one transaction keeps the batches of a later run the same.

    Raises:
        ModelStoppedError: If no further prompt can be answered. What was in flight is finished and
            handed over first.
        SragError: What *on_done* raised, likewise.

    Source: S-RAG 3.2.2.
    """
    run = _Run(task, on_done, anyio.Semaphore(max_in_flight))
    batches = plan_batches(
        _excerpts(task, documents, prompt_tokens, on_done), lambda item: item.n_tokens
    )
    async with anyio.create_task_group() as tasks:
        for batch in batches:
            await run.slots.acquire()
            if run.stopped is not None:
                break
            tasks.start_soon(run.predict, batch)
    if run.stopped is not None:
        raise run.stopped


class _Run:
    """What the tasks of one prediction share."""

    def __init__(self, task: RecordTask, on_done: OnDone, slots: anyio.Semaphore) -> None:
        self.slots = slots
        self.stopped: SragError | None = None
        self._task = task
        self._on_done = on_done

    async def predict(self, batch: Sequence[Excerpt]) -> None:
        try:
            self._on_done(await predict_batch(self._task, batch))
        except SragError as error:
            self.stopped = self.stopped or error
        finally:
            self.slots.release()


def _excerpts(
    task: RecordTask, documents: Iterable[DocumentText], prompt_tokens: int, on_done: OnDone
) -> Iterator[Excerpt]:
    """Yield what is shown of each document; those without text are done with at once."""
    for document in documents:
        if document.text.strip():
            yield take_excerpt(document, task.attributes, prompt_tokens)
        else:
            on_done([fail_record(task, document, "the document has no text")])
