"""Standardisation of all columns: what does not fit is asked again, once."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence

from srag_mcp.pipeline.engine import Thinker
from srag_mcp.pipeline.report import Progress
from srag_mcp.records.predicted_record import PredictedCell
from srag_mcp.records.standardise.finding import find_suspicions
from srag_mcp.records.standardise.second_look import MAX_SUSPECTS, Suspect, look_again
from srag_mcp.records.standardise.suspicion import read_stated
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.store.work import WorkDatabase
from srag_mcp.store.work_predictions import Predictions

_OTHERS_SHOWN = 12


def standardise_columns(
    work: WorkDatabase,
    schema: Schema,
    thinker: Thinker,
    on_progress: Callable[[Progress], None],
) -> int:
    """Ask about the predicted values that do not fit their column; return how many were changed.

    A value that was asked about before and kept has an equal prompt, whose reply is there already.

    Raises:
        ModelStoppedError: If no further prompt can be answered.
        CancelledError: If somebody wants it to stop.

    Source: DESIGN 7.4.
    """
    predictions = Predictions(work)
    n_changed = 0
    for place, attribute in enumerate(schema.attributes):
        on_progress(Progress("standardising", place, len(schema.attributes), attribute.name))
        cells = predictions.cells(attribute)
        suspects = list(_suspects(predictions, attribute, cells))
        if not suspects:
            continue
        others = _others(cells, {suspect.document_id for suspect in suspects})
        for start in range(0, len(suspects), MAX_SUSPECTS):
            part = suspects[start : start + MAX_SUSPECTS]
            judged = thinker.run(_asking(thinker, attribute, part, others))
            changed = {
                suspect.document_id: cell
                for suspect, cell in zip(part, judged, strict=True)
                if cell != suspect.predicted
            }
            if changed:
                predictions.change(attribute, changed)
                n_changed += len(changed)
    return n_changed


def _asking(
    thinker: Thinker, attribute: Attribute, suspects: Sequence[Suspect], others: Sequence[str]
) -> Callable[[], Awaitable[list[PredictedCell]]]:
    return lambda: look_again(thinker.model, attribute, suspects, others)


def _suspects(
    predictions: Predictions, attribute: Attribute, cells: Mapping[str, PredictedCell]
) -> Iterator[Suspect]:
    values = read_stated(attribute, cells)
    reasons = {
        found.document_id: found.reason
        for found in find_suspicions(attribute, values)
        if not cells[found.document_id].cell.note
    }
    for document in predictions.texts(list(reasons)):
        document_id = document.document_id
        yield Suspect(document_id, cells[document_id], reasons[document_id], document.text)


def _others(cells: Mapping[str, PredictedCell], suspected: set[str]) -> list[str]:
    """Return the most frequent values of the documents that are not suspected."""
    counts = Counter(
        item.value_text
        for document_id, item in cells.items()
        if item.value_text is not None and document_id not in suspected
    )
    return [value for value, _ in counts.most_common(_OTHERS_SHOWN)]
