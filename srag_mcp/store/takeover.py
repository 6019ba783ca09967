"""What an edited schema takes over: cells of columns that have another name, type or twin."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from srag_mcp.cells.cell import UNQUOTED, Cell, Mark, add_note, normalise_column, read_column
from srag_mcp.claims.captions import read_scales
from srag_mcp.claims.figures import is_same_value
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.edits import find_moved, find_sources
from srag_mcp.schema.rounds import Decision, Extension
from srag_mcp.schema.schema import POSITION, Schema, Table
from srag_mcp.store.corrections import (
    Correction,
    cell_value,
    keep_verdicts,
    kept_verdicts,
    read_corrections,
)
from srag_mcp.store.database import quote_text, store_errors
from srag_mcp.store.layout import (
    BUILDS_FOLDER,
    DECISIONS_FILE,
    KINDS_FILE,
    POINTER_FILE,
    STATE_FILE,
    WORK_FILE,
    write_atomically,
)
from srag_mcp.store.predictions import LESSON, Predictions, as_predicted, hash_attribute
from srag_mcp.store.state import UNFINISHED, open_state
from srag_mcp.store.work import WorkDatabase, cell_row
from srag_mcp.values.numbers import find_number, find_stated_unit
from srag_mcp.values.states import State, Words
from srag_mcp.values.types import Value
from srag_mcp.values.units import convert, parse_unit

# the old ones stay: for a column that gets its old type back
_COPY = """
INSERT INTO predictions SELECT * REPLACE ($1 AS attribute, $2 AS attribute_hash) FROM predictions
WHERE attribute = $3 AND attribute_hash = $4 AND document_id NOT IN (
  SELECT document_id FROM predictions WHERE attribute = $1 AND attribute_hash = $2)
"""
# a row that says nothing has to be there as well
_MOVE_ROWS = f"""
UPDATE child_cells SET attribute = coalesce(map($1, $2)[attribute], '{POSITION}')
WHERE table_name = $3 AND position > 0
"""  # noqa: S608 - a constant
Said = TypeVar("Said")
_RANKS = (State.STATED, State.STATED_ABSENT, State.FAILED, State.NOT_MENTIONED)
_HOLDS = frozenset({State.STATED, State.FAILED})


def put_in_force(work: WorkDatabase, schema: Schema, origin: str) -> list[Correction]:
    """Follow *schema* from now on, with what columns share; return the corrections for it."""
    with work.transaction():
        present, kept = work.schema_in_force(), read_corrections(work.state)
        known = {x.list_name: x for x in present.schema.children} if present else {}
        is_whole = present is not None
        for child in schema.children:
            before = known.get(child.list_name)
            moved = None if before is None else find_moved(before, child)
            # without sources it is a model that has read it
            is_whole = is_whole and (moved is not None or (before is None and not child.sources))
            if before is not None and moved is not None:
                _move_rows(work, before, child, moved)
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


def _move_rows(work: WorkDatabase, before: Table, now: Table, moved: Mapping[str, str]) -> None:
    """Give the rows of a child table the columns of *now*: *moved* are names of then and now."""
    if [*moved.items()] == [(item.name, item.name) for item in before.attributes]:
        return
    predictions = Predictions(work)
    cells = {
        key._replace(attribute=name): replace(item, cell=replace(item.cell, attribute=name))
        for key, item in predictions.rows(before).items()
        if (name := moved.get(key.attribute))
    }
    work.run(_MOVE_ROWS, [*moved], [*moved.values()], now.entity)
    predictions.replace_rows(before, now, cells)


def _take_over(
    work: WorkDatabase,
    sources: Sequence[Attribute],
    attribute: Attribute,
    kept: Sequence[Correction],
) -> list[Correction]:
    """Give *attribute* the cells of *sources*, of rules and of a model; return the corrections."""
    own, predictions = sources[0], Predictions(work)
    keys = attribute.name, hash_attribute(attribute), own.name, hash_attribute(own)
    for source in sources:
        if source.name != attribute.name and (said := kept_verdicts(work, source.name)):
            keep_verdicts(work, attribute.name, said)
    if own.type == attribute.type and keys[:2] != keys[2:]:
        predictions.move(own, attribute)
        work.run("UPDATE cells SET attribute = ? WHERE attribute = ?", attribute.name, own.name)
        work.keep_note(LESSON, (work.note(LESSON) or "").replace(keys[3], keys[1]))
    if len(sources) == 1 and own.type == attribute.type:
        return [*kept]
    asked = [attribute if own.type == attribute.type else own, *sources[1:]]
    names = [item.name for item in asked]
    raw = [work.rule_cells(name) for name in names]
    was, is_now = _take(raw, asked, attribute, normalise_column)
    work.run("DELETE FROM cells WHERE attribute IN (SELECT unnest(?))", names)
    work.append("cells", [(key, *row) for key, row in _stored(raw, is_now, attribute.name)])
    before, now = _take([predictions.cells(x) for x in asked], asked, attribute, read_column)
    known = predictions.cells(attribute) if own.type != attribute.type else {}
    work.run(_COPY, *keys)
    now = _in_tables(predictions, sources, attribute, now)
    changed = {
        key: as_predicted(attribute, cell)
        for key, cell in now.items()
        # of what was not asked nothing is known, but for what another column says
        if key not in known and cell != before.get(key)
        if key in before or cell.value is not None
    }
    predictions.change(attribute, changed)
    if work.is_predicted():
        was = was | before if own.is_column else before
        is_now = is_now | now if own.is_column else now
    return _restate_corrections(kept, own.name, own, attribute, (was, is_now))


def _take(
    raw: Sequence[Mapping[str, Said]],
    sources: Sequence[Attribute],
    attribute: Attribute,
    read: Callable[[Attribute, list[Said]], Sequence[Cell]],
) -> tuple[dict[str, Cell], dict[str, Cell]]:
    """Return what was said of *sources* as the cells of the first of them, and of *attribute*."""
    columns = [
        dict(zip(found, read(item, [*found.values()]), strict=True))
        for item, found in zip(sources, raw, strict=True)
    ]
    if sources[0].type != attribute.type:
        return columns[0], restate(sources[0], attribute, columns[0])
    return columns[0], _join(columns, attribute.name)


def _stored(
    raw: Sequence[Mapping[str, Cell]], now: Mapping[str, Cell], name: str
) -> Iterator[tuple[str, tuple[object, ...]]]:
    """Yield the cells of *now* as rules keep them, under *name*."""
    # a placeholder that is read says less than its words
    whole = {key: cell for found in reversed(raw) for key, cell in found.items()}
    for key, cell in now.items():
        kept = cell if cell.state in _HOLDS else whole[key]
        yield key, cell_row(replace(kept, attribute=name))


def _in_tables(
    predictions: Predictions,
    sources: Sequence[Attribute],
    attribute: Attribute,
    cells: dict[str, Cell],
) -> dict[str, Cell]:
    """Return cells that are numbers by now; unknown where the table of one may have a scale."""
    if sources[0].type.is_numeric or not attribute.type.is_numeric:
        return cells
    done = dict(cells)
    for item in predictions.texts([*cells], whole=False):
        cell = cells[item.document_id]
        figure = find_number(cell.as_stated or "").figure if cell.value is not None else None
        if figure is None or figure.scaled or cell.span is None or cell.marks & UNQUOTED:
            continue
        if scales := read_scales(item.text, cell.span, 0, attribute.unit) - {1.0}:
            note = f"its table may be in {max(scales):,.0f}s"
            done[item.document_id] = _unknown(cell, note)
    return done


def _unknown(cell: Cell, note: str) -> Cell:
    return replace(cell, state=State.FAILED, value=None, unit=None, note=note)


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
    words state no unit, or another one than the column's, is unknown; so is what cannot be read. Of
    numbers, words are read that the type of then could not hold: others were doubted.
    """
    are_numbers = before.type.is_numeric and now.type.is_numeric
    words = {
        key: replace(cell, state=State.STATED, value=None, unit=None, note="")
        for key, cell in cells.items()
        if cell.as_stated and cell.state in _HOLDS and not cell.marks & UNQUOTED
        if not are_numbers or cell.state is State.FAILED
    }
    if are_numbers:
        held = zip(words, normalise_column(before, [*words.values()]), strict=True)
        words = {key: words[key] for key, cell in held if cell.value is None}
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
    return _unknown(cell, note if unit else f"states no unit, and may not be in {wanted}")


def _converted(attribute: Attribute, cell: Cell) -> Cell:
    if cell.value is None or cell.state is State.STATED_ABSENT:
        return replace(cell, value=None)
    text = attribute.type.write(write_value(cell.value))
    value = None if text is None else attribute.type.read(text)
    if value is None:
        return _unknown(cell, f"{cell.value} does not fit a column of type {attribute.type}")
    return replace(cell, value=value)


def write_value(value: Value | None) -> str:
    """Write a value as the cells of a build have it; empty for none."""
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _restate_corrections(
    kept: Sequence[Correction],
    named: str,
    before: Attribute,
    now: Attribute,
    found: tuple[Mapping[str, Cell], Mapping[str, Cell]],
) -> list[Correction]:
    """Return *kept*, those of *named* by its type now; *found* has its cells of then and now."""
    if before.type == now.type:
        return [*kept]
    items = [*kept]
    for at, item in enumerate(items):
        if item.named != named:
            continue
        if item.says == "value":
            said = Cell(before.name, State.STATED, item.value, value=cell_value(before, item))
            text = now.type.write(write_value(restate(before, now, {"": said})[""].value))
            item = replace(item, value=text or item.value)
        held, present = (cells.get(item.document_id) for cells in found)
        if held and present and write_value(held.value) == item.was_value:
            was_value = write_value(present.value)
            item = replace(item, was_state=present.state.value, was_value=was_value)
        items[at] = item
    return items


_OWN = (KINDS_FILE, WORK_FILE, STATE_FILE, "ingestion.", "state.", ".git")


def hand_over(work: WorkDatabase, place: Path) -> None:
    """Move all that was read, answered and set of the corpus of *work* to *place*; begin anew here.

    *place* is a state folder that is not there yet. A crash leaves the corpus here as it was.

    Raises:
        StoreError: If it cannot be written.
    """
    state, made = work.state, place.with_name(f"{place.name}.tmp")
    shutil.rmtree(made, ignore_errors=True)
    shutil.copytree(state / BUILDS_FOLDER, made / BUILDS_FOLDER)
    with store_errors(f"writing {made}"):
        [(name,)] = work.run("SELECT current_database()")
        work.run(f"ATTACH {quote_text(str(made / WORK_FILE))} AS heir")
        try:
            work.run(f"COPY FROM DATABASE {name} TO heir")
        finally:
            work.run("DETACH heir")
    with open_state(state) as shared:
        shared.run("VACUUM INTO ?", str(made / STATE_FILE))
    with open_state(made) as shared:  # jobs and prompts that wait are of this folder
        shared.run("PRAGMA journal_mode = WAL")
        shared.run("DELETE FROM jobs")
        shared.run("DELETE FROM prompts WHERE answer IS NULL")
        shared.keep_note(UNFINISHED, None)
    moved = [x for x in state.iterdir() if x.is_file() and not x.name.startswith(_OWN)]
    for path in moved:
        shutil.copy2(path, made / path.name)
    made.rename(place)
    (state / POINTER_FILE).unlink(missing_ok=True)  # from here on the kinds are read
    work.forget_all()
    for path in (*moved, *(state / BUILDS_FOLDER).iterdir()):
        with suppress(OSError):  # a reader has it open
            path.unlink(missing_ok=True)


logger = logging.getLogger(__name__)

_OTHER_KINDS = "other_kinds"
_DECISIONS = TypeAdapter(list[Decision])


def read_decisions(state: Path) -> list[Decision]:
    """Read what was decided; nothing where a person or rules found the schema."""
    path = state / DECISIONS_FILE
    try:
        return _DECISIONS.validate_json(path.read_bytes())
    except FileNotFoundError:
        return []
    except (OSError, ValidationError) as error:
        logger.warning("%s is damaged, and left out: %s", path, error)
        return []


def write_decisions(state: Path, decisions: Sequence[Decision]) -> None:
    """Write why each column is there, for people, and what was left out."""
    text = _DECISIONS.dump_json(list(decisions), indent=2, exclude_none=True)
    write_atomically(state / DECISIONS_FILE, text.decode())


def add_decision(state: Path, wish: str, extension: Extension) -> None:
    """Add why an attribute was added later."""
    decisions = read_decisions(state)
    why = f"somebody asked for “{wish}”"
    rationale = f"{why}: {extension.rationale}" if extension.rationale else why
    number = 1 + max((decision.round for decision in decisions), default=0)
    decisions.append(Decision(number, "add", extension.attribute.name, rationale))
    write_decisions(state, decisions)


def forget_decisions(work: WorkDatabase) -> None:
    """Forget what was decided: the columns are others now."""
    (work.state / DECISIONS_FILE).unlink(missing_ok=True)
    keep_other_kinds(work, ())


def keep_other_kinds(work: WorkDatabase, kinds: Sequence[str]) -> None:
    """Keep which kinds of documents there seem to be beside those that the columns fit."""
    work.keep_note(_OTHER_KINDS, json.dumps(list(kinds), ensure_ascii=False))


def describe_design(work: WorkDatabase, schema: Schema, corpus: str) -> list[str]:
    """Say what the columns of *schema* leave out, as far as a language model told it.

    `["2 more columns were proposed and left out, as the table has 30 (SRAG_COLUMNS): …"]`
    """
    said = []
    left = [item.name for item in find_left_out(work.state, schema)]
    if left:
        columns = "1 more column was" if len(left) == 1 else f"{len(left)} more columns were"
        said.append(
            f"{columns} proposed and left out, as the table has {len(schema.attributes)}"
            f" (SRAG_COLUMNS): {', '.join(left)}; to add one, call"
            f" extend_schema with corpus={corpus!r} and attribute={left[0]!r}"
        )
    if schema.pending_lists:
        lists = ", ".join(map(str, schema.pending_lists))
        said.append(
            f"the documents list {lists}: kept as pending, no table holds it; a model reads that"
            " with effort full and SRAG_LISTS"
        )
    kinds = json.loads(work.note(_OTHER_KINDS) or "[]")
    if kinds:
        said.append(f"some documents seem to be of another kind: {', '.join(kinds)}")
    return said


def find_left_out(state: Path | None, schema: Schema) -> tuple[Attribute, ...]:
    """Return what was proposed beside the columns of *schema* and left out, in that order."""
    names = {attribute.name for attribute in schema.attributes}
    decisions = read_decisions(state) if state is not None else []
    left = [item.definition for item in decisions if item.definition is not None]
    return tuple(item for item in left if item.name not in names)
