"""The columns of a build whose cells a language model predicted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from srag_mcp.cells.cell import Cell, PredictedCell
from srag_mcp.cells.normalised import read_column
from srag_mcp.schema.attribute import Attribute
from srag_mcp.store.work_predictions import PREDICTION_COLUMNS, hash_attribute, read_prediction
from srag_mcp.values.states import State

if TYPE_CHECKING:
    import duckdb

_ENGINE = "SELECT value FROM meta WHERE key = 'engine'"
_PREDICTIONS_OF = f"""
SELECT number, {PREDICTION_COLUMNS} FROM listing LEFT JOIN (
  FROM predictions WHERE attribute = ? AND attribute_hash = ?) USING (document_id, sha256)
WHERE failure IS NULL ORDER BY number
"""  # noqa: S608 - constants


def predicts(connection: duckdb.DuckDBPyConnection) -> bool:
    """Return whether the engine in force is a language model."""
    return _engine(connection) != "offline"


def predicted_cells(
    connection: duckdb.DuckDBPyConnection, attribute: Attribute
) -> Iterable[tuple[int, Cell]]:
    """Return a cell for every document of `listing` that could be read, by its number.

    One that was not asked about is FAILED: that it says nothing is not known.
    """
    rows = connection.execute(
        _PREDICTIONS_OF, [attribute.name, hash_attribute(attribute)]
    ).fetchall()
    not_asked = Cell(
        attribute.name, State.FAILED, engine=_engine(connection), note="not asked about yet"
    )
    predicted = [
        read_prediction(row[1:]) if row[1] is not None else PredictedCell(not_asked) for row in rows
    ]
    cells = read_column(attribute, predicted)
    return zip((row[0] for row in rows), cells, strict=True)


def _engine(connection: duckdb.DuckDBPyConnection) -> str:
    rows = connection.execute(_ENGINE).fetchall()
    return str(rows[0][0]) if rows else "offline"
