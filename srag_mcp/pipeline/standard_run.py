"""Standardisation of all columns: what does not fit is asked again, once."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from srag_mcp.cells.cell import Cell, Mark, PredictedCell
from srag_mcp.claims.second_look import (
    MAX_SUSPECTS,
    Suspect,
    keep_old,
    look_again,
    without_unsettled,
)
from srag_mcp.claims.stated_values import (
    Suspicion,
    Tags,
    read_stated,
    read_tags,
)
from srag_mcp.claims.suspects import find_suspicions
from srag_mcp.engines.model import ModelEngine
from srag_mcp.engines.protocol import Progress
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.store.predictions import Predictions
from srag_mcp.store.work import WorkDatabase

_OTHERS_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Standardised:
    """What became of values that do not fit their column.

    Attributes:
        n_changed: So many are other values now.
        n_unsettled: Of so many the model gave no verdict that is of use.
    """

    n_changed: int = 0
    n_unsettled: int = 0


def standardise_columns(
    work: WorkDatabase,
    schema: Schema,
    engine: ModelEngine,
    on_progress: Callable[[Progress], None],
) -> Standardised:
    """Ask about the predicted values that do not fit their column.

    A value that was asked about is not asked about again, kept or changed. A column whose questions
    were stopped in between asks the same prompts, whose replies are there already.

    Raises:
        ModelStoppedError: If no further prompt can be answered.
        CancelledError: If somebody wants it to stop.

    Source: DESIGN 7.4.
    """
    predictions = Predictions(work)
    texts = [attribute for attribute in schema.attributes if attribute.type.is_text]
    tags = read_tags(predictions.cells(attribute) for attribute in texts)
    n_changed = n_unsettled = 0
    for place, attribute in enumerate(schema.attributes):
        on_progress(Progress("standardising", place, len(schema.attributes), attribute.name))
        cells = predictions.cells(attribute)
        suspects = list(_suspects(predictions, attribute, cells, tags))
        fitting = _settled(cells, suspects)
        if fitting:
            predictions.change(attribute, fitting)
        if not suspects:
            continue
        judged = _judge(engine, attribute, suspects, _others(cells, suspects))
        judged = _fitting(attribute, cells, judged, tags)
        if judged:  # kept all at once: what a stop leaves over must be asked as before
            predictions.change(attribute, judged)
        n_changed += sum(_is_other(cell, cells[key]) for key, cell in judged.items())
        now = [judged.get(suspect.document_id, suspect.predicted).cell for suspect in suspects]
        n_unsettled += sum(Mark.UNSETTLED in cell.marks for cell in now)
    return Standardised(n_changed, n_unsettled)


def _settled(
    cells: Mapping[str, PredictedCell], suspects: Sequence[Suspect]
) -> dict[str, PredictedCell]:
    """Return the cells that were not settled and fit their column by now, without the mark."""
    suspected = {suspect.document_id for suspect in suspects}
    return {
        key: without_unsettled(item)
        for key, item in cells.items()
        if Mark.UNSETTLED in item.cell.marks and key not in suspected
    }


def _judge(
    engine: ModelEngine, attribute: Attribute, suspects: Sequence[Suspect], others: Sequence[str]
) -> dict[str, PredictedCell]:
    """Return the judged cells that differ from what they were, by document id."""
    found: dict[str, PredictedCell] = {}
    for start in range(0, len(suspects), MAX_SUSPECTS):
        part = suspects[start : start + MAX_SUSPECTS]
        judged = engine.run(_asking(engine, attribute, part, others))
        for suspect, cell in zip(part, judged, strict=True):
            if cell != suspect.predicted:
                found[suspect.document_id] = cell
    return found


def _fitting(
    attribute: Attribute,
    cells: Mapping[str, PredictedCell],
    judged: Mapping[str, PredictedCell],
    tags: Tags,
) -> dict[str, PredictedCell]:
    """Return *judged*, in which a changed value that does not fit its column has the old one."""
    values = read_stated(attribute, {**cells, **judged})
    found = {item.document_id: item for item in find_suspicions(attribute, values, tags)}
    quoted = {item.document_id for item in values if item.figures.is_only(item.value)}
    kept = dict(judged)
    for document_id, cell in judged.items():
        suspicion, before = found.get(document_id), cells[document_id]
        if suspicion is None or not _is_other(cell, before):
            continue
        if suspicion.is_wrong_again(is_quoted=document_id in quoted):
            kept[document_id] = keep_old(before, cell, suspicion.reason)
    return kept


def _is_other(one: PredictedCell, other: PredictedCell) -> bool:
    """Whether two cells differ by more than a note."""
    return (one.value_text, one.cell.state) != (other.value_text, other.cell.state)


def _asking(
    engine: ModelEngine, attribute: Attribute, suspects: Sequence[Suspect], others: Sequence[str]
) -> Callable[[], Awaitable[list[PredictedCell]]]:
    return lambda: look_again(engine.model, attribute, suspects, others)


def _suspects(
    predictions: Predictions,
    attribute: Attribute,
    cells: Mapping[str, PredictedCell],
    tags: Tags,
) -> Iterator[Suspect]:
    values = read_stated(attribute, cells)
    reasons = {
        found.document_id: found.reason
        for found in find_suspicions(attribute, values, tags)
        if not _is_settled(found, cells[found.document_id].cell)
    }
    for document in predictions.texts(list(reasons)):
        document_id = document.document_id
        yield Suspect(document_id, cells[document_id], reasons[document_id], document.text)


def _is_settled(found: Suspicion, cell: Cell) -> bool:
    """Whether the model has said already that a suspected cell is right."""
    was_looked_at = not cell.marks.isdisjoint((Mark.KEPT, Mark.STANDARDISED))
    return was_looked_at or (found.is_of_quote and Mark.DOUBTED in cell.marks)


def _others(cells: Mapping[str, PredictedCell], suspects: Sequence[Suspect]) -> list[str]:
    """Return the most frequent values of the documents that are not suspected."""
    suspected = {suspect.document_id for suspect in suspects}
    counts = Counter(
        item.value_text
        for document_id, item in cells.items()
        if item.value_text is not None and document_id not in suspected
    )
    return [value for value, _ in counts.most_common(_OTHERS_SHOWN)]
