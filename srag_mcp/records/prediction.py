"""Record prediction by a language model: all documents, many prompts at a time (S-RAG 3.2.2)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import anyio

from srag_mcp.cells.cell import DocumentText, PredictedRecord
from srag_mcp.errors import SragError
from srag_mcp.model.language_model import count_tokens
from srag_mcp.records.conversation import RecordTask, fail_record
from srag_mcp.records.reading_on import MAX_PROMPTFULS, predict_documents
from srag_mcp.records.record_prompt import (
    Excerpt,
    plan_batches,
    render_records_prompt,
    take_excerpt,
)
from srag_mcp.schema.attribute import Attribute

_TOKENS_A_DOCUMENT = 40  # its id, path, title and marks
_TOKENS_A_CELL = 25
HAND_OVER_RECORDS = 500  # more at once are handed over before the second is over
HAND_OVER_S = 1.0
_SMALL = 2  # times what is read first
OnDone = Callable[[Sequence[PredictedRecord]], None]


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate in tokens, see `model.tokens`; corrections are not in it.

    *tokens_out* supposes that each document states every attribute: mostly it is less.
    """

    n_prompts: int
    tokens_in: int
    tokens_out: int


def estimate_records(
    attributes: Sequence[Attribute], n_tokens: Iterable[int], prompt_tokens: int
) -> Estimate:
    """Estimate the prompts and tokens for documents of *n_tokens* each.

    Long documents are taken to be read on as far as they ever are: an upper end.
    """
    lengths = [length for length in n_tokens if length]
    shown = (min(length, prompt_tokens) for length in lengths)
    further = [  # the parts after the first in which a document is read
        (min(prompt_tokens, end - start),)
        for end in (min(length, MAX_PROMPTFULS * prompt_tokens) for length in lengths)
        for start in range(prompt_tokens, end, prompt_tokens)
    ]
    instructions = count_tokens(render_records_prompt(attributes, {}).instructions)
    n_prompts = tokens_in = 0
    for batch in chain(plan_batches(shown, lambda n: n, len(attributes)), further):
        n_prompts += 1
        tokens_in += instructions + sum(batch) + _TOKENS_A_DOCUMENT * len(batch)
    return Estimate(n_prompts, tokens_in, len(lengths) * len(attributes) * _TOKENS_A_CELL)


async def predict_records(
    task: RecordTask,
    documents: Iterable[DocumentText],
    *,
    prompt_tokens: int,
    max_in_flight: int,
    on_done: OnDone,
) -> None:
    """Predict the record of each document; hand over finished ones every second or so.

    Args:
        task: Who is asked for what.
        documents: Read lazily, so that no more texts are in memory than are asked about.
        prompt_tokens: Most tokens of one document in one prompt; of longer ones, further prompts
            show more where something is not mentioned.
        max_in_flight: Most batches at a time; the model may let fewer through.
        on_done: Called with the records of whole batches, in no order of batches. Keeping them in
            one transaction keeps the batches of a later run the same.

    Raises:
        ModelStoppedError: If no further prompt can be answered. What was in flight is finished and
            handed over first.
        SragError: What *on_done* raised, likewise.

    Source: S-RAG 3.2.2.
    """
    run = _Run(task, on_done, anyio.Semaphore(max_in_flight), prompt_tokens)
    try:
        async with anyio.create_task_group() as clock:
            clock.start_soon(run.hand_over_now_and_then)
            excerpts = run.excerpts(documents)
            await run.predict_all(
                plan_batches(excerpts, lambda x: x.n_tokens, len(task.attributes))
            )
            clock.cancel_scope.cancel()
    finally:
        run.hand_over()
    if run.stopped is not None:
        raise run.stopped


class _Run:
    """One prediction: what its tasks share.

    Finished records are gathered for a moment, because keeping a few costs as much as keeping many.
    """

    def __init__(
        self, task: RecordTask, on_done: OnDone, slots: anyio.Semaphore, prompt_tokens: int
    ) -> None:
        self.stopped: SragError | None = None
        self._task = task
        self._on_done = on_done
        self._slots = slots
        self._prompt_tokens = prompt_tokens
        self._finished: list[PredictedRecord] = []

    async def predict_all(self, batches: Iterable[Sequence[Excerpt]]) -> None:
        async with anyio.create_task_group() as tasks:
            for batch in batches:
                await self._slots.acquire()
                if self.stopped is not None:
                    break
                tasks.start_soon(self._predict, batch)

    async def hand_over_now_and_then(self) -> None:
        while True:
            await anyio.sleep(HAND_OVER_S)
            self.hand_over()

    def hand_over(self) -> None:
        records, self._finished = self._finished, []
        try:
            if records:
                self._on_done(records)
        except SragError as error:
            self.stopped = self.stopped or error

    def excerpts(self, documents: Iterable[DocumentText]) -> Iterator[Excerpt]:
        """Yield what is shown of each document first; those without text are finished at once."""
        most = self._prompt_tokens
        first = min(self._task.first_tokens or most, most)
        for document in documents:
            if document.text.strip():
                # Parts of a small one save nothing.
                n_tokens = most if count_tokens(document.text) <= _SMALL * first else first
                yield take_excerpt(document, self._task.attributes, n_tokens)
            else:
                self._finished.append(fail_record(self._task, document, "it has no text"))

    async def _predict(self, batch: Sequence[Excerpt]) -> None:
        try:
            records = await predict_documents(self._task, batch, self._prompt_tokens)
            self._finished.extend(records)  # `+= await` would bring back the list of before
        except SragError as error:
            self.stopped = self.stopped or error
        finally:
            self._slots.release()
        if len(self._finished) >= HAND_OVER_RECORDS:
            self.hand_over()
