"""What the prompts of one prediction of records have in common."""

from dataclasses import dataclass, field

from srag_mcp.cells.cell import Cell, DocumentText, PredictedCell, PredictedRecord
from srag_mcp.model.language_model import LanguageModel
from srag_mcp.records.useless_replies import UselessReplies
from srag_mcp.schema.attribute import Attribute
from srag_mcp.values.states import State


@dataclass(frozen=True, slots=True)
class RecordTask:
    """What all batches of one prediction have in common.

    Attributes:
        model: Who is asked.
        attributes: What is asked for, in this order.
        engine: `model` or `agent`, for the cells.
        first_tokens: Most tokens shown of a document at first, where few attributes are sought;
            None for as many as one prompt may show.
        useless: Documents in a row that nothing came of.
    """

    model: LanguageModel
    attributes: tuple[Attribute, ...]
    engine: str
    first_tokens: int | None = None
    useless: UselessReplies = field(default_factory=UselessReplies, compare=False)


def fail_record(task: RecordTask, document: DocumentText, reason: str) -> PredictedRecord:
    """Return a record whose cells are all FAILED."""
    cells = tuple(
        PredictedCell(Cell(attribute.name, State.FAILED, engine=task.engine, note=reason))
        for attribute in task.attributes
    )
    return PredictedRecord(document.document_id, document.sha256, cells, reason)
