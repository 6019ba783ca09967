"""Lists that a model proposed: once documents have rows of them, their columns get types.

Who reads the rows gives the words of each member, since a proposal names no types. As in table
files, all values of a column tell what they are, and what one of them leaves open.
"""

from collections.abc import Mapping
from dataclasses import replace

from srag_mcp.cells.cell import UNQUOTED, Cell, Mark, PredictedCell, add_note
from srag_mcp.cells.normalised import normalise_column
from srag_mcp.claims.claim import Bearing, check
from srag_mcp.pipeline.schema_choice import put_edit_in_force
from srag_mcp.records.judging import NOT_SHOWN, PUT_OTHERWISE
from srag_mcp.rules.naming import examples_of, nouns_of_names
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import PendingList, Schema
from srag_mcp.store.predictions import Predictions, RowKey, as_predicted
from srag_mcp.store.work import WorkDatabase
from srag_mcp.values.columns import classify_values
from srag_mcp.values.states import State


def settle_lists(work: WorkDatabase, schema: Schema) -> Schema:
    """Put in force what *schema* becomes when its pending lists that have rows are child tables."""
    with work.transaction():  # else a stop in between has the lists read, and paid, again
        return _settle(work, schema)


def _settle(work: WorkDatabase, schema: Schema) -> Schema:
    predictions, known = Predictions(work), {child.list_name for child in schema.children}
    pending = {item.name: item for item in schema.pending_lists}
    children, left = list(schema.children), list[PendingList]()
    for child in schema.with_pending().children:
        item = pending.get(child.list_name)
        if item is None or child.list_name in known:
            continue
        rows = predictions.rows(child)
        if not rows:
            left.append(item)
            continue
        ids = {key.document_id for key in rows}
        texts = {item.document_id: item.text for item in predictions.texts([*ids])}
        read = [_read_column(attribute, rows, texts) for attribute in child.attributes]
        typed = child.model_copy(
            update={
                "attributes": tuple(attribute for attribute, _ in read),
                "description": item.description,
                "nouns": nouns_of_names(item.name),
            }
        )
        cells = {key: cell for _, own in read for key, cell in own.items()}
        predictions.replace_rows(child, typed, cells)
        children.append(typed)
    if len(left) == len(schema.pending_lists):
        return schema
    changes = {"children": tuple(children), "pending_lists": tuple(left)}
    return put_edit_in_force(work, schema.model_copy(update=changes))


def _read_column(
    attribute: Attribute, rows: Mapping[RowKey, PredictedCell], texts: Mapping[str, str]
) -> tuple[Attribute, dict[RowKey, PredictedCell]]:
    """Return a column with the type that its values have, and its cells read by it."""
    own = {key: item for key, item in rows.items() if key.attribute == attribute.name}
    said = {key: item for key, item in own.items() if item.value_text is not None}
    values = [item.value_text or "" for item in said.values()]
    guess = classify_values(values, attribute.name.replace("_", " "))
    typed = attribute.model_copy(
        update={"type": guess.type, "unit": guess.unit, "examples": examples_of(values)}
    )
    if typed.type.is_text:
        return typed, own
    # a value has the unit and scale of its heading beside it, maybe in brackets
    words = [
        Cell(attribute.name, State.STATED, item.value_text, context=item.value_text or "")
        for item in said.values()
    ]
    cells = dict(zip(said, normalise_column(typed, words), strict=True))
    return typed, own | {
        key: as_predicted(typed, _checked(typed, cell, said[key].cell, texts[key.document_id]))
        for key, cell in cells.items()
    }


def _checked(attribute: Attribute, cell: Cell, before: Cell, text: str) -> Cell:
    """Return *cell*, whose value is read, at its words *before*, and in doubt as these say."""
    if cell.state is State.NOT_MENTIONED:
        return replace(cell, engine=before.engine)
    is_remark = before.note.startswith(("derived: ", "doubtful")) and before.note != PUT_OTHERWISE
    kept = before if is_remark else replace(before, note="", marks=before.marks - UNQUOTED)
    found = replace(
        kept, state=cell.state, value=cell.value, unit=cell.unit, marks=kept.marks | cell.marks
    )
    is_other = None not in (cell.unit, attribute.unit) and cell.unit != attribute.unit
    odd = (Mark.DOUBTED,) if is_other else ()  # 7 USD in a column of EUR: no conversion is known
    found = add_note(found, cell.note, *odd) if cell.note else found
    if cell.state is not State.STATED or cell.value is None or is_remark:
        return found
    claim = check(attribute, before.as_stated or "", cell.value, text, before.span)
    noted = {
        Bearing.CONTRADICTED: (f"doubted: {claim.why}", Mark.DOUBTED),
        Bearing.UNSHOWN: (NOT_SHOWN, Mark.UNSHOWN),
        Bearing.DERIVED: (PUT_OTHERWISE, Mark.DERIVED),
    }
    return add_note(found, *noted[claim.bearing]) if claim.bearing in noted else found
