"""A suspicion: a cell that does not fit the others of its column, and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from srag_mcp.records.canonical import read_canonical
from srag_mcp.records.cell import CellValue, State
from srag_mcp.records.predicted_record import PredictedCell
from srag_mcp.schema.attribute import Attribute

SuspicionKind: TypeAlias = Literal[
    "scale", "scale_word", "impossible", "unit", "date_order", "spelling"
]


@dataclass(frozen=True, slots=True)
class StatedValue:
    """The value of one document in a column, and the words that say it."""

    document_id: str
    value: CellValue
    as_stated: str


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A value that is probably written in another way than the rest of its column.

    *reason* is one clause for the model: what the others look like.
    """

    document_id: str
    kind: SuspicionKind
    reason: str

    @property
    def is_of_quote(self) -> bool:
        """Whether the value's own words make it one, without the rest of the column."""
        return self.kind in ("scale_word", "unit")


def read_stated(attribute: Attribute, cells: Mapping[str, PredictedCell]) -> list[StatedValue]:
    """Read the values of the predicted *cells*, by document id, that state one."""
    return [
        StatedValue(document_id, value, item.cell.as_stated or "")
        for document_id, item in cells.items()
        if item.cell.state is State.STATED and item.value_text is not None
        if (value := read_canonical(attribute, item.value_text)) is not None
    ]
