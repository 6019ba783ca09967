"""A column that rules read in a corpus that a language model read: kept among the predictions."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from srag_mcp.cells.cell import Cell, PredictedCell, PredictedRecord
from srag_mcp.cells.normalised import normalise_column, write_canonical
from srag_mcp.schema.attribute import Attribute
from srag_mcp.store.work_predictions import Predictions
from srag_mcp.store.work_rows import read_cell
from srag_mcp.values.states import State
from srag_mcp.values.types import Value

if TYPE_CHECKING:
    from srag_mcp.store.work import WorkDatabase

_RULES = "offline"
_CELLS_OF = """
SELECT document_id, sha256, ?, coalesce(state, 'not_mentioned'), as_stated, start, "end",
  coalesce(context, ''), unit, ?, coalesce(note, ''), coalesce(marks, '')
FROM documents LEFT JOIN (FROM cells WHERE attribute = ?) USING (document_id) ORDER BY document_id
"""


def keep_rule_cells(work: WorkDatabase, attribute: Attribute) -> None:
    """Keep what the rules of *attribute* read, for the documents that have no prediction of it.

    They count like predictions: a language model is not asked about the column in those documents.
    """
    predictions = Predictions(work)
    known = predictions.cells(attribute).keys()
    rows = work.connection.execute(_CELLS_OF, [attribute.name, _RULES, attribute.name]).fetchall()
    cells = normalise_column(attribute, [read_cell(row[2:]) for row in rows])
    predictions.store(
        [attribute],
        [
            PredictedRecord(row[0], row[1], (_predicted(attribute, cell),))
            for row, cell in zip(rows, cells, strict=True)
            if row[0] not in known
        ],
    )


def _predicted(attribute: Attribute, cell: Cell) -> PredictedCell:
    bare = replace(cell, value=None)
    if cell.state is not State.STATED:
        return PredictedCell(bare)
    text = None if cell.value is None else write_canonical(attribute, _plain(cell.value))
    if text is None:
        note = cell.note or "could not be read"
        return PredictedCell(replace(bare, state=State.FAILED, note=note))
    return PredictedCell(bare, text)


def _plain(value: Value) -> str | int | float | bool:
    return value.isoformat() if isinstance(value, date) else value
