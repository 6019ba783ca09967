"""The columns of a build: cells of one attribute over all documents, normalised and typed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from srag_mcp.cells.cell import BY_RULES, Cell, Mark, PredictedCell, is_predicted, write_marks
from srag_mcp.cells.normalised import normalise_column, read_column
from srag_mcp.claims.disagreements import Disagreement, find_disagreements, mark
from srag_mcp.schema.attribute import Attribute
from srag_mcp.store.database import storable, with_names
from srag_mcp.store.predictions import PREDICTION_COLUMNS, hash_attribute, read_prediction
from srag_mcp.store.work import read_cell
from srag_mcp.values.states import State

if TYPE_CHECKING:
    import duckdb


_LISTING = """
CREATE OR REPLACE TEMP TABLE listing AS
SELECT (row_number() OVER (ORDER BY document_id) - 1)::INTEGER AS number, * FROM (
  SELECT document_id, path, title, media_type, sha256, length(text) AS characters, ingested_at,
         NULL AS failure FROM documents
  UNION ALL
  SELECT path, path, parse_filename(path), '', '', 0, NULL, error FROM files
  WHERE error IS NOT NULL AND path NOT IN (SELECT document_id FROM documents)
) ORDER BY number
"""
_CELLS_OF = """
SELECT number, attribute, state, as_stated, start, "end", context, unit, engine, note, marks
FROM cells JOIN listing USING (document_id) WHERE attribute = ? ORDER BY number
"""
_WHOLE = """
CREATE OR REPLACE TEMP TABLE whole AS
SELECT number, document_id,
       CASE WHEN failure IS NOT NULL THEN 'failed' ELSE coalesce(state, 'not_mentioned') END
         AS state,
       as_stated, start, "end",
       CASE WHEN failure IS NULL AND coalesce(state, 'not_mentioned') = 'not_mentioned'
                 AND NOT contains(coalesce(marks, ''), '{in_part}')
            THEN ? ELSE value END AS value,
       unit, coalesce(engine, '{by_rules}') AS engine,
       coalesce(marks, '') AS marks, coalesce(failure, note, '') AS note
FROM listing LEFT JOIN stated USING (number) ORDER BY number
""".replace("{in_part}", Mark.READ_IN_PART).replace("{by_rules}", BY_RULES)
_INSERT_CELLS = """
INSERT INTO build.main.cells
SELECT document_id, ?, state, as_stated, start, "end", value::VARCHAR, unit, engine, marks,
       note
FROM whole ORDER BY number
"""


def list_documents(connection: duckdb.DuckDBPyConnection) -> None:
    """Number the documents of the next build, in the temporary table `listing`."""
    connection.execute(_LISTING)


def write_column(
    connection: duckdb.DuckDBPyConnection, attribute: Attribute, position: int
) -> None:
    """Normalise one attribute; write its cells to the build, and its values to `column_<n>`."""
    sql_type = attribute.type.sql
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE stated (number INTEGER, state VARCHAR, as_stated VARCHAR,"
        f' start BIGINT, "end" BIGINT, value {sql_type}, unit VARCHAR, engine VARCHAR,'
        " marks VARCHAR, note VARCHAR)"
    )
    rows = [
        _stated_row(number, cell) for number, cell in _cells_in_force(connection, attribute).items()
    ]
    if rows:
        with connection.appender("stated") as appender:
            appender.append_rows(rows)
    # rules that found nothing anywhere do not say that no document mentions it
    is_read = predicts(connection) or any(row[1] != State.NOT_MENTIONED for row in rows)
    connection.execute(_WHOLE, [implied_value(attribute) if is_read else None])
    connection.execute(_INSERT_CELLS, [attribute.name])
    connection.execute(
        with_names(
            "CREATE OR REPLACE TEMP TABLE {column} AS SELECT value FROM whole ORDER BY number",
            column=f"column_{position}",
        )
    )


def implied_value(attribute: Attribute) -> bool | int | None:
    """Return what it means that a document does not mention *attribute*; None for unknown."""
    return attribute.type.implied.get(attribute.absent_means)


def _cells_in_force(connection: duckdb.DuckDBPyConnection, attribute: Attribute) -> dict[int, Cell]:
    """Return the cells of the engine in force, with values, by the number of their document.

    Where a language model is in force, the learned rules are the second opinion.
    """
    read = _checked(attribute, _rule_cells(connection, attribute))
    if not predicts(connection):
        return read
    predicted = _checked(attribute, predicted_cells(connection, attribute))
    differing = find_disagreements(predicted, read)
    _write_disagreements(connection, attribute.name, differing)
    return predicted | {item.document: mark(item.model, item) for item in differing}


def _checked(attribute: Attribute, cells: Iterable[tuple[int, Cell]]) -> dict[int, Cell]:
    return {number: check_value(attribute, cell) for number, cell in cells}


def _rule_cells(
    connection: duckdb.DuckDBPyConnection, attribute: Attribute
) -> Iterable[tuple[int, Cell]]:
    """Return what the rules of *attribute* read, normalised."""
    rows = connection.execute(_CELLS_OF, [attribute.name]).fetchall()
    cells = normalise_column(attribute, [read_cell(row[1:]) for row in rows])
    return zip((row[0] for row in rows), cells, strict=True)


def _stated_row(number: int, cell: Cell) -> tuple[object, ...]:
    span = cell.span
    return (
        number,
        cell.state.value,
        cell.as_stated,
        None if span is None else span.start,
        None if span is None else span.end,
        cell.value,
        cell.unit,
        cell.engine,
        write_marks(cell.marks),
        cell.note,
    )


def check_value(attribute: Attribute, cell: Cell) -> Cell:
    """Return *cell* with a value that its column can hold; FAILED where there is none."""
    if cell.state is State.NOT_MENTIONED or cell.state is State.FAILED:
        return cell if cell.value is None else replace(cell, value=None)
    if cell.value is None:
        if cell.state is State.STATED_ABSENT:
            return cell
        return replace(cell, state=State.FAILED, note=cell.note or "could not be read")
    value = attribute.type.fit(cell.value)
    if value is None:
        note = f"{cell.value!r} does not fit a column of type {attribute.type}"
        return replace(cell, state=State.FAILED, value=None, note=note)
    if isinstance(value, str) and not value.isascii():
        value = storable(value)
    return cell if value is cell.value else replace(cell, value=value)


_INSERT_REVIEW = """
INSERT INTO build.main.srag_reviews
SELECT document_id, ?, ?, ?, ?, ? FROM listing WHERE number = ?
"""
_ENGINE = "SELECT value FROM meta WHERE key = 'engine'"
_PREDICTIONS_OF = f"""
SELECT number, {PREDICTION_COLUMNS} FROM listing LEFT JOIN (
  FROM predictions WHERE attribute = ? AND attribute_hash = ?) USING (document_id, sha256)
WHERE failure IS NULL ORDER BY number
"""  # noqa: S608 - constants


def predicts(connection: duckdb.DuckDBPyConnection) -> bool:
    """Return whether the engine in force is a language model."""
    return is_predicted(_engine(connection))


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
    return str(rows[0][0]) if rows else BY_RULES


def _write_disagreements(
    connection: duckdb.DuckDBPyConnection, attribute: str, found: Sequence[Disagreement]
) -> None:
    """List what was *found* of one attribute in the build that is being written."""
    for item in found:
        model, rule = item.model, item.rule
        said = [str(model.value), model.as_stated, str(rule.value), rule.as_stated]
        connection.execute(_INSERT_REVIEW, [attribute, *said, item.document])
