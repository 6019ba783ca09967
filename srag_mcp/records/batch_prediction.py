"""The records of one batch; one that cannot be answered is asked in parts."""

from collections.abc import Sequence
from dataclasses import dataclass

from srag_mcp.cells.cell import PredictedRecord
from srag_mcp.errors import (
    ModelError,
    ModelStoppedError,
    PromptRefusedError,
    PromptTooLongError,
    ReplyError,
)
from srag_mcp.records.batches import Excerpt, take_excerpt
from srag_mcp.records.conversation import Conversation, CutOffError
from srag_mcp.records.record_task import RecordTask, fail_record
from srag_mcp.values.states import State


@dataclass(frozen=True, slots=True)
class Reading:
    """A record, and the excerpt that it is from."""

    record: PredictedRecord
    excerpt: Excerpt


async def predict_batch(task: RecordTask, batch: Sequence[Excerpt]) -> list[Reading]:
    """Return a record for each document of *batch*, in its order.

    A batch that cannot be answered is asked in parts; a single document that is too long with
    fewer passages, once. One that fails then too gets FAILED cells with the reason.

    Raises:
        UselessRepliesError: If nothing can be made of many replies in a row.
        ModelStoppedError: If no further prompt can be answered.
    """
    try:
        records = await Conversation(task, batch).finish()
        _count_useless(task, records)
        return [Reading(*pair) for pair in zip(records, batch, strict=True)]
    except ModelStoppedError:
        raise
    except (ReplyError, PromptTooLongError, PromptRefusedError) as error:
        if len(batch) > 1:
            n_first = _size_of_first_part(task, len(batch), error)
            first = await predict_batch(task, batch[:n_first])
            return [*first, *await predict_batch(task, batch[n_first:])]
        if isinstance(error, PromptTooLongError):
            return [await _predict_shorter(task, batch[0])]
        if isinstance(error, ReplyError):
            task.useless.count(str(error))
        return [_fail(task, batch[0], str(error))]
    except ModelError as error:
        return [_fail(task, excerpt, str(error)) for excerpt in batch]


def _size_of_first_part(task: RecordTask, n_documents: int, error: ModelError) -> int:
    """Return how many documents to ask about next.

    Half of them, unless no reply had the right form yet: a single one shows whether any will have.
    """
    is_form = isinstance(error, ReplyError) and not isinstance(error, CutOffError)
    return 1 if is_form and not task.useless.is_proven else n_documents // 2


def _count_useless(task: RecordTask, records: Sequence[PredictedRecord]) -> None:
    for record in records:
        is_lost = all(item.cell.state is State.FAILED for item in record.cells)
        if record.error and is_lost:
            task.useless.count(record.error)
        else:
            task.useless.reset()


def _fail(task: RecordTask, excerpt: Excerpt, reason: str) -> Reading:
    return Reading(fail_record(task, excerpt.document, reason), excerpt)


async def _predict_shorter(task: RecordTask, excerpt: Excerpt) -> Reading:
    n_tokens = excerpt.n_tokens // 2
    shorter = take_excerpt(excerpt.document, task.attributes, n_tokens, excerpt.before)
    try:
        [record] = await Conversation(task, (shorter,)).finish()
    except ModelStoppedError:
        raise
    except ModelError as error:
        if isinstance(error, PromptTooLongError | ReplyError):
            task.useless.count(str(error))
        return _fail(task, excerpt, str(error))
    _count_useless(task, [record])
    return Reading(record, shorter)
