"""What an edited schema takes over: cells of columns that have another name, type or twin."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

from srag_mcp.cells.cell import UNQUOTED, Cell, Mark, add_note
from srag_mcp.cells.normalised import normalise_column, read_column
from srag_mcp.claims.agreement import is_same_value
from srag_mcp.claims.captions import read_scales
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.edits import find_sources
from srag_mcp.schema.schema import Schema
from srag_mcp.store.corrections import Correction, cell_value, read_corrections
from srag_mcp.store.predictions import LESSON, Predictions, as_predicted, hash_attribute
from srag_mcp.store.united_names import keep_verdicts, kept_verdicts
from srag_mcp.store.work import WorkDatabase, cell_row, read_cell
from srag_mcp.values.numbers import find_number, find_stated_unit
from srag_mcp.values.states import State, Words
from srag_mcp.values.types import Value
from srag_mcp.values.units import convert, parse_unit

_RULE_CELLS = """
SELECT document_id, attribute, state, as_stated, start, "end", context, unit, engine, note, marks
FROM cells WHERE attribute = ?
"""
_MOVE = """
UPDATE predictions SET attribute = $1, attribute_hash = $2
WHERE attribute = $3 AND attribute_hash = $4
"""
# the old ones stay: for a column that gets its old type back
_COPY = """
INSERT INTO predictions SELECT * REPLACE ($1 AS attribute, $2 AS attribute_hash) FROM predictions
WHERE attribute = $3 AND attribute_hash = $4 AND document_id NOT IN (
  SELECT document_id FROM predictions WHERE attribute = $1 AND attribute_hash = $2)
"""
_RANKS = (State.STATED, State.STATED_ABSENT, State.FAILED, State.NOT_MENTIONED)
_HOLDS = frozenset({State.STATED, State.FAILED})


def put_in_force(work: WorkDatabase, schema: Schema, origin: str) -> list[Correction]:
    """Follow *schema* from now on; its columns take over what they share with those before.

    Return the corrections as they are to be kept for it.
    """
    with work.transaction():
        present, kept = work.schema_in_force(), read_corrections(work.state)
        is_whole = present is not None
        for attribute in schema.attributes:
            sources = find_sources(present.schema, attribute) if present else ()
            rules = tuple(rule for item in sources for rule in item.extractors)
            is_whole = is_whole and bool(sources) and rules == attribute.extractors
            own = sources[0] if sources else attribute
            if len(sources) > 1 or (own.name, own.type) != (attribute.name, attribute.type):
                kept = _take_over(work, sources, attribute, kept)
        if is_whole:
            names = [item.name for item in schema.attributes]
            work.run("DELETE FROM cells WHERE attribute NOT IN (SELECT unnest(?))", names)
        work.put_in_force(schema, origin, is_taken_over=is_whole)
    return kept


def _take_over(
    work: WorkDatabase,
    sources: Sequence[Attribute],
    attribute: Attribute,
    kept: Sequence[Correction],
) -> list[Correction]:
    """Give *attribute* the cells of *sources*, of rules and of a model; return the corrections."""
    own, *others = sources
    for source in sources:
        if source.name != attribute.name and (said := kept_verdicts(work, source.name)):
            keep_verdicts(work, attribute.name, said)
    if own.type == attribute.type:
        keys = attribute.name, hash_attribute(attribute), own.name, hash_attribute(own)
        if keys[:2] != keys[2:]:
            work.run(
                "DELETE FROM predictions WHERE (attribute, attribute_hash) = (?, ?)", *keys[:2]
            )
            work.run(_MOVE, *keys)
            work.keep_note(LESSON, (work.note(LESSON) or "").replace(keys[3], keys[1]))
        work.run("UPDATE cells SET attribute = ? WHERE attribute = ?", attribute.name, own.name)
        if others:
            columns = [attribute.model_copy(update={"extractors": own.extractors}), *others]
            _join_rule_cells(work, columns)
            _join_predictions(work, columns)
        return [*kept]
    by_rules, by_model = (
        _restate_rule_cells(work, own, attribute),
        _restate_predictions(work, own, attribute),
    )
    was, now = by_model if work.is_predicted() else by_rules
    return [
        _restate_correction(item, own, attribute, was.get(item.document_id), now)
        if item.column == own.name
        else item
        for item in kept
    ]


def _read_rule_cells(
    work: WorkDatabase, attribute: Attribute
) -> tuple[dict[str, Cell], dict[str, Cell]]:
    """Return the cells that rules read, as they are kept, and with values."""
    kept = {row[0]: read_cell(row[1:]) for row in work.run(_RULE_CELLS, attribute.name)}
    return kept, dict(zip(kept, normalise_column(attribute, [*kept.values()]), strict=True))


def _read_predictions(work: WorkDatabase, attribute: Attribute) -> dict[str, Cell]:
    found = Predictions(work).cells(attribute)
    return dict(zip(found, read_column(attribute, [*found.values()]), strict=True))


def _write_rule_cells(work: WorkDatabase, names: Sequence[str], cells: Mapping[str, Cell]) -> None:
    work.run("DELETE FROM cells WHERE attribute IN (SELECT unnest(?))", [*names])
    work.append("cells", [(key, *cell_row(cell)) for key, cell in cells.items()])


def _join_rule_cells(work: WorkDatabase, columns: Sequence[Attribute]) -> None:
    read = [_read_rule_cells(work, item) for item in columns]
    # a placeholder that is read says less than its words
    whole = {key: cell for kept, _ in reversed(read) for key, cell in kept.items()}
    joined = _join([found for _, found in read], columns[0].name).items()
    now = {
        key: cell if cell.state in _HOLDS else replace(whole[key], attribute=columns[0].name)
        for key, cell in joined
    }
    _write_rule_cells(work, [item.name for item in columns], now)


def _join_predictions(work: WorkDatabase, columns: Sequence[Attribute]) -> None:
    first, *others = (_read_predictions(work, item) for item in columns)
    joined = _join([first, *others], columns[0].name)
    changed = {
        key: as_predicted(columns[0], cell)
        for key, cell in joined.items()
        # of what was not asked nothing is known, but for what another column says
        if cell != first.get(key) and (key in first or cell.value is not None)
    }
    Predictions(work).change(columns[0], changed)


def _restate_rule_cells(
    work: WorkDatabase, before: Attribute, now: Attribute
) -> tuple[dict[str, Cell], dict[str, Cell]]:
    kept, was = _read_rule_cells(work, before)
    restated = restate(before, now, was)
    cells = {key: x if x.state in _HOLDS else kept[key] for key, x in restated.items()}
    _write_rule_cells(work, [before.name, now.name], cells)
    return was, restated


def _restate_predictions(
    work: WorkDatabase, before: Attribute, now: Attribute
) -> tuple[dict[str, Cell], dict[str, Cell]]:
    predictions, was = Predictions(work), _read_predictions(work, before)
    known = predictions.cells(now).keys()
    work.run(_COPY, now.name, hash_attribute(now), before.name, hash_attribute(before))
    restated = restate(before, now, was)
    if now.type.is_numeric and not before.type.is_numeric:
        for document in predictions.texts([*restated]):  # what stands above is not in the words
            key, cell = document.document_id, restated[document.document_id]
            figure = find_number(cell.as_stated or "").figure if cell.value is not None else None
            if figure is None or figure.scaled or cell.span is None or cell.marks & UNQUOTED:
                continue
            scales = read_scales(document.text, cell.span, 0, now.unit) - {1.0}
            if scales:
                failed = replace(cell, state=State.FAILED, value=None, unit=None)
                note = f"its table may be in {max(scales):,.0f}s"
                restated[key] = replace(failed, note=note)
    changed = {key: x for key, x in restated.items() if key not in known and x != was[key]}
    predictions.change(now, {key: as_predicted(now, cell) for key, cell in changed.items()})
    return was, restated


def _join(columns: Sequence[Mapping[str, Cell]], name: str) -> dict[str, Cell]:
    """Return the cells of several columns as one: the first that states a value wins, marked."""
    joined: dict[str, Cell] = {}
    for key in dict.fromkeys(key for found in columns for key in found):
        cells = [found[key] for found in columns if key in found]
        first = min(cells, key=lambda cell: _RANKS.index(cell.state))
        said = (x for x in cells if x.value is not None and not is_same_value(x.value, first.value))
        other = next(said, None)
        if other is not None and first.value is not None:
            note = f"told otherwise elsewhere: {(other.as_stated or '')[:80]!r}"
            first = add_note(first, note, Mark.CONTRADICTED)
        joined[key] = replace(first, attribute=name)
    return joined


def restate(before: Attribute, now: Attribute, cells: Mapping[str, Cell]) -> dict[str, Cell]:
    """Return the cells of *before* with values of the type of *now*, read anew from their words.

    What has no words that show it, and numbers, keep their value where it fits. A number whose
    words state no unit, or another one than the column's, is unknown; so is what cannot be read.
    """
    are_numbers = before.type.is_numeric and now.type.is_numeric
    words = {
        key: replace(cell, state=State.STATED, value=None, unit=None, note="")
        for key, cell in cells.items()
        if cell.as_stated and cell.state in _HOLDS and not cell.marks & UNQUOTED
        if not are_numbers
    }
    read = dict(zip(words, normalise_column(now, [*words.values()]), strict=True))
    return {
        key: replace(
            _in_unit(now, read[key]) if key in read else _converted(now, cell), attribute=now.name
        )
        for key, cell in cells.items()
    }


def _in_unit(attribute: Attribute, cell: Cell) -> Cell:
    if cell.state is not State.STATED or not attribute.type.is_numeric:
        return cell
    wanted = parse_unit(attribute.unit or "").unit
    unit = find_stated_unit(Words(cell.as_stated or "", cell.context), wanted)
    if unit == wanted or (unit and wanted and convert(1.0, unit, wanted) is not None):
        return cell
    note = f"stated in {unit}, not in {wanted}" if wanted else f"stated in {unit}, not plain"
    note = note if unit else f"states no unit, and may not be in {wanted}"
    return replace(cell, state=State.FAILED, value=None, unit=None, note=note)


def _converted(attribute: Attribute, cell: Cell) -> Cell:
    if cell.value is None or cell.state is State.STATED_ABSENT:
        return replace(cell, value=None)
    text = attribute.type.write(write_value(cell.value))
    value = None if text is None else attribute.type.read(text)
    if value is None:
        note = f"{cell.value} does not fit a column of type {attribute.type}"
        return replace(cell, state=State.FAILED, value=None, unit=None, note=note)
    return replace(cell, value=value)


def write_value(value: Value | None) -> str:
    """Write a value as the cells of a build have it; empty for none."""
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, date) else "" if value is None else str(value)


def _restate_correction(
    item: Correction, before: Attribute, now: Attribute, was: Cell | None, cells: Mapping[str, Cell]
) -> Correction:
    """Return a correction of a column that has another type; what cannot be read waits."""
    if item.says == "value":
        said = Cell(before.name, State.STATED, item.value, value=cell_value(before, item))
        text = now.type.write(write_value(restate(before, now, {"": said})[""].value))
        item = replace(item, value=text or item.value)
    if was is not None and write_value(was.value) == item.was_value:
        present = cells[item.document_id]
        item = replace(item, was_state=present.state.value, was_value=write_value(present.value))
    return item
