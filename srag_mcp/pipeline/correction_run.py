"""What a person or an agent decides of values and names: kept for good, and published at once."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from srag_mcp.cells.cell import Cell, Mark, read_column, write_canonical
from srag_mcp.claims.figures import is_same_value
from srag_mcp.errors import CorpusError, SchemaError
from srag_mcp.names.uniting import Decided, Decision, fold_name
from srag_mcp.pipeline.schema_choice import open_decided, put_edit_in_force
from srag_mcp.rules.voting import recount, run_rules
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import POSITION, Schema, Table
from srag_mcp.settings import Settings
from srag_mcp.store.build import publish_changes
from srag_mcp.store.corrections import (
    Correction,
    FoundRow,
    are_united,
    cell_value,
    digest_rows,
    find_own_rows,
    find_rows,
    read_corrections,
    read_decided,
    write_corrections,
    write_decided,
)
from srag_mcp.store.feedback import PERSON, Giver
from srag_mcp.store.layout import utc_now
from srag_mcp.store.predictions import Predictions, with_loose
from srag_mcp.store.renamings import attached_former
from srag_mcp.store.work import WorkDatabase
from srag_mcp.text.shown import one_line, quoted
from srag_mcp.values.states import State

Wanted: TypeAlias = Literal["value", "absent", "unknown", "undo", "accept", "add", "remove"]
"""What is wanted of a cell, or of a row: one is added as a JSON object of its values by column."""
_CELL = """
SELECT sha256, state, coalesce(value, ''), coalesce(as_stated, ''), coalesce(start::VARCHAR, '')
FROM former.main.documents JOIN former.main.cells USING (document_id)
WHERE document_id = ? AND table_name = ? AND attribute = ? AND position IS NOT DISTINCT FROM ?
"""
_BYTES = "SELECT sha256 FROM former.main.documents WHERE document_id = ?"
_ROWS_SET = """
SELECT says, position::INTEGER, start FROM former.main.srag_corrections
WHERE document_id = ? AND "table" = ? AND says IN ('added', 'removed') AND problem = ''
"""


@dataclass(frozen=True, slots=True)
class Corrected:
    """What was set, and what is in force by it.

    Attributes:
        after: The one from now on; None where it was taken back.
        is_published: Whether readers see it; else the next ingestion publishes it.
    """

    before: Correction | None
    after: Correction | None
    is_published: bool

    def render(self) -> str:
        """Say it in a line: `price of a.txt: 12 instead of 10`."""
        item = self.after or self.before
        assert item is not None
        row = f", row {item.position}" if item.position.strip("0") else ""
        is_moved = self.before and self.after and self.before.sha256 != self.after.sha256
        row += f" ({one_line(item.row_words)})" if is_moved and row and not item.of_row else ""
        name = item.table if item.of_row else item.named
        said = f"{name} of {one_line(item.document_id)}{row}: "
        said += "taken back" if self.after is None else one_line(item.render())
        how = "to" if item.says == "added" else "instead of"
        said += f" {how} {one_line(item.was)}" if self.after else ""
        later = "kept; the last ingestion did not end: the next one publishes it"
        return f"{said}; {'published' if self.is_published else later}"


class CellPlace(NamedTuple):
    """Where a cell is; *position* counts the rows of a document from 1, in a child table.

    A row as a whole, and without a position the list, has the name of its table, or its column
    `position`.
    """

    document_id: str
    column: str
    position: int | None = None


def correct(
    folder: Path,
    settings: Settings,
    place: CellPlace | tuple[str, str],
    wanted: tuple[Wanted, str],
    author: Giver = PERSON,
) -> Corrected:
    """Set one cell instead of what was read, take that back, or accept what waits or an agent set.

    Or add a row to a list, whose place it has, or remove one. What is set in a row that was added
    is taken back, or accepted, with it, and all rows are taken back with the list. An agent changes
    nothing that a person set.

    Raises:
        CorpusError: If there is no such table, record or correction.
        SchemaError: If there is no such column, or it cannot hold the value.
        LockedError: If another process ingests the corpus.
    """
    document_id, column, position = CellPlace(*place)
    row = "" if position is None else str(position)
    with open_decided(folder, settings) as (work, present, info):
        schema = present.schema
        is_current = info.revision == work.revision  # else documents of it may be missing
        table, name = schema.entity, column
        if any(column == child.entity for child in schema.children):
            column = f"{column}.{POSITION}"
        is_whole = column.endswith(f".{POSITION}") and (not row or wanted[0] == "add")
        row = "0" if is_whole else row
        if wanted[0] != "undo":  # which works where document or column are gone, too
            table, name = with_loose(work, schema).find_column(column)
            if (table == schema.entity) != (not row):
                rows = "records have no rows" if row else f"say which row of {table}"
                msg = f"{column} is a column of {table}: {rows}"
                raise SchemaError(msg)
            column = f"{table}.{name}" if row else name
            if wanted[0] in {"add", "remove"} and name != POSITION:
                lists = ", ".join(child.entity for child in schema.children)
                msg = f"rows are those of a list, and {column} is none; lists: {lists or 'none'}"
                raise SchemaError(msg)
        kept = read_corrections(work.state)
        found = _find_kept(kept, (document_id, column, row), wanted[0])
        if not found and wanted[0] in {"undo", "accept"}:
            msg = f"there is no correction of {column} of {document_id}"
            raise CorpusError(msg)
        before, made = next(iter(found), None), list[Correction]()
        if wanted[0] in {"add", "remove"} or (wanted[0] == "accept" and found[0].of_row):
            at = document_id, row
            made = _set_row(work, schema.find_table(table), at, wanted, kept)
        elif wanted[0] != "undo":
            attribute = with_loose(work, schema).attribute(name, table)
            record = (table if row else info.entity), document_id, row
            made = [_set(work, record, attribute, wanted, before)]
        if author != PERSON and any(item.by_person for item in found):
            msg = f"a person set {column} of {document_id}: an agent does not change it"
            raise CorpusError(msg)
        if any(x.place == item.place for item in made for x in kept if x not in found):
            msg = f"row {made[0].position} of {table} has another correction: take that back first"
            raise CorpusError(msg)
        made = [replace(item, author=author) for item in made]
        write_corrections(work.state, [*(item for item in kept if item not in found), *made])
        after = next(iter(made), None)
        schema = _judge_rules(work, schema, before, after)
        if is_current:
            publish_changes(work, schema)
    return Corrected(before, after, is_current)


def _find_kept(
    kept: Sequence[Correction], place: tuple[str, str, str], wanted: Wanted
) -> list[Correction]:
    """Return what is kept of a cell; of an added row with its cells, of a list with its rows."""
    document_id, column, row = place
    own = [item for item in kept if item.document_id == document_id]
    mine = [item for item in own if item.position == row]
    found = [x for x in mine if x.named == column] or [x for x in mine if x.column == column]
    of_list = [item for item in own if item.named == column]
    if row == "0" and wanted == "undo":
        found += [item for item in of_list if item.of_row]
    elif wanted == "remove":
        found += [item for item in of_list if item.position == "0"]
    added = {item.row for item in found if item.says == "added"}
    return [*found, *(item for item in own if item.row in added and not item.of_row)]


def _set_row(
    work: WorkDatabase,
    table: Table,
    place: tuple[str, str],
    wanted: tuple[Wanted, str],
    kept: Sequence[Correction],
) -> list[Correction]:
    """Make what adds a row to a list, removes one or accepts that; nothing where it takes back."""
    (document_id, row), (says, value), name = place, wanted, table.entity
    found = _find_kept(kept, (document_id, table.named(POSITION), row), says)
    with attached_former(work.connection, work.state):
        listed = work.run(_CELL, document_id, name, POSITION, 0)
        rows = find_rows(work, "former", name, [document_id])[document_id]
        in_force = {(how, at): start for how, at, start in work.run(_ROWS_SET, document_id, name)}
    how = found[0].says if says == "accept" else {"add": "added"}.get(says, "removed")
    is_added = says != "add" and bool(found) and found[0].says == "added"
    if says == "accept" and (how, int(row)) in in_force:
        return found
    if says == "remove" and is_added and ("added", int(row)) in in_force:
        return []
    if listed and how == "removed" and says == "accept":
        row = _row_by_now(rows, found[0], (document_id, listed[0][0]))
    problem = ""
    if not listed or not listed[0][0]:
        problem = f"there is no record of {document_id}"
    elif how == "removed" and row == "0":
        problem = f"say which row of {name} is removed"
    elif how == "removed" and is_added:
        problem = f"an added row {row} of {name} waits: accept it, or take it back, first"
    elif how == "removed" and int(row) not in rows:
        problem = f"{name} has no row {row} of {document_id}"
    if problem:
        raise CorpusError(problem)
    made = Correction(
        document_id=document_id, sha256=listed[0][0], table=name, column=POSITION, says=how,
        value="", was_state=State.STATED.value, was_value="", quote="", author="", at=utc_now(),
        position=row,
    )  # fmt: skip
    if how == "removed":
        start, words, _ = rows[int(row)]
        return [replace(made, start=start, row_words=words, was_value=words, quote=words)]
    starts = {at: own.start for at, own in rows.items() if ("added", at) not in in_force}
    starts |= {at: start for (said, at), start in in_force.items() if said == "removed"}
    numbers = [int(x.position) for x in kept if x.of_row and x.row[:2] == (document_id, name)]
    new = replace(
        made, was_state=State.CORRECTED.value, position=str(max((0, *rows, *numbers)) + 1)
    )
    cells = [(x.column, x.says, x.value) for x in found[1:]]
    if says == "add":
        cells = [(column, "value", text) for column, text in _read_row(table, value)]
    return [
        replace(new, was_value=f"{len(starts)} rows", start=digest_rows(starts)),
        *(replace(new, column=column, says=said, value=text) for column, said, text in cells),
    ]


def _row_by_now(rows: Mapping[int, FoundRow], item: Correction, document: tuple[str, str]) -> str:
    """Return of which of the *rows* of a *document*, with its bytes, *item* is, if that is sure."""
    at = find_own_rows(rows, item, is_same_text=document[1] == item.sha256)
    if len(at) != 1:
        listed = "; ".join(f"row {at}: {one_line(row.words)}" for at, row in rows.items())
        have = f"rows {' and '.join(map(str, at))} have" if at else "no row has"
        msg = f"{have} {quoted(item.row_words or item.quote)} by now: set it anew in the row that"
        msg += f" is meant, or take it back; {document[0]} has {listed or 'no rows'}"
        raise CorpusError(msg)
    return str(at[0])


def _read_row(table: Table, text: str) -> Iterator[tuple[str, str]]:
    """Yield the columns of a row that is written as a JSON object, each with its canonical text."""
    columns = {attribute.name: attribute for attribute in table.attributes}
    try:
        row = json.loads(text)
    except ValueError:
        row = None
    said = {x: y for x, y in row.items() if y is not None} if isinstance(row, dict) else {}
    if not said or not said.keys() <= columns.keys():
        msg = f"a row of {table.entity} has values of its columns: {', '.join(columns)}"
        raise SchemaError(msg)
    for name, value in said.items():
        text = value if isinstance(value, str) else json.dumps(value)
        yield name, _canonical(columns[name], text)


def _canonical(attribute: Attribute, value: str) -> str:
    text = write_canonical(attribute, value) or ""
    if not text or attribute.type.read(text) is None:
        msg = f"{value!r} does not fit {attribute.name}, which holds {attribute.type.form}"
        raise SchemaError(msg)
    return text


def _judge_rules(
    work: WorkDatabase, schema: Schema, before: Correction | None, after: Correction | None
) -> Schema:
    """Count the rules that a model wrote as wrong where a person says so, or not any more."""
    item = after or before
    attribute = next((x for x in schema.attributes if item and x.name == item.named), None)
    if item is None or attribute is None or not attribute.rules:
        return schema

    def n_more(cell: Cell | None) -> int:
        was, now = (_contradicts(said, attribute, cell) for said in (before, after))
        return now - was

    predictions, update = Predictions(work), dict[str, object]()
    if attribute.audit is None:
        read = run_rules([attribute], predictions.texts([item.document_id]))[attribute.name]
        update["rules"] = tuple(
            rule.model_copy(update={"wrong": max(0, rule.wrong + n_more(x.get(item.document_id)))})
            for rule, x in zip(attribute.rules, read, strict=True)
        )
    else:
        found = predictions.cells(attribute).get(item.document_id)
        ruled = [found] if found is not None and Mark.RULED in found.cell.marks else []
        n_wrong = sum(map(n_more, read_column(attribute, ruled)))
        update["audit"] = recount(attribute.audit, n_wrong)
    judged = attribute.model_copy(update=update)
    columns = tuple(judged if x is attribute else x for x in schema.attributes)
    return put_edit_in_force(work, schema.model_copy(update={"attributes": columns}))


def _contradicts(item: Correction | None, attribute: Attribute, cell: Cell | None) -> bool:
    """Whether a person says otherwise than was read; an agent's word nobody has accepted."""
    if item is None or cell is None or not item.by_person or item.says == "unknown":
        return False
    return not is_same_value(cell_value(attribute, item), cell.value)


def _set(
    work: WorkDatabase,
    record: tuple[str, str, str],
    attribute: Attribute,
    wanted: tuple[Wanted, str],
    before: Correction | None,
) -> Correction:
    """Make the correction of what the published cell was read as."""
    (table, document_id, row), value, says = record, wanted[1], str(wanted[0])
    if says == "accept" and before is not None:
        says, value = before.says, before.value
    with attached_former(work.connection, work.state):
        listed = find_rows(work, "former", table, [document_id])[document_id] if row else {}
        if wanted[0] == "accept" and before is not None and before.of_read_row:
            [(by_now,)] = work.run(_BYTES, document_id) or [("",)]
            row = _row_by_now(listed, before, (document_id, by_now))
        position = int(row) if row else None
        rows = work.run(_CELL, document_id, table, attribute.name, position)
    if not rows or not rows[0][0]:
        msg = f"there is no record of {document_id}, or it was not read for {attribute.name}"
        msg = f"{table} has no row {row} of {document_id}" if row else msg
        raise CorpusError(msg)
    sha256, state, read, quote, start = rows[0]
    if state == State.CORRECTED and before is not None:
        state, read, quote = before.was_state, before.was_value, before.quote
    text = _canonical(attribute, value) if says == "value" else ""
    if row == "0" and (text or "0") != (read or "0"):
        msg = f"{read or 0} rows of {table} are read in {document_id}: correct these"
        raise SchemaError(msg)
    own = listed.get(int(row or "0"), FoundRow(start if row else "", "", {}))
    return Correction(
        document_id=document_id,
        sha256=sha256,
        table=table,
        column=attribute.name,
        says=says,
        value=text,
        was_state=state,
        was_value=read,
        quote=quote,
        author="",
        at=utc_now(),
        position=row,
        start=own.start,
        row_words=own.words,
    )


def decide_names(
    folder: Path, settings: Settings, column: str, names: Sequence[str], decision: Decision
) -> bool:
    """Keep for good what a person says of names of a column, and publish it at once.

    The first of those that are the same is the spelling to keep. A name stands for all that differ
    from it in case and marks only. Returns whether anything else was decided before.

    Raises:
        CorpusError: If the folder has no table yet, or is a build alone.
        SchemaError: If there is no such column, it is not one of names, or names that differ in
            case or marks only are to be apart.
        LockedError: If another process ingests the corpus.
    """
    with open_decided(folder, settings) as (work, present, _):
        schema = present.schema
        table, name = schema.find_column(column)
        column = schema.find_table(table).named(name)
        if not are_united(schema.attribute(name, table)):
            msg = f"{column} is no column of texts without a list of categories"
            raise SchemaError(msg)
        if decision == "apart" and len({*map(fold_name, names)}) < len({*names}):
            msg = f"two of {', '.join(names)} differ in case or marks only: these are always one"
            raise SchemaError(msg)
        decided = read_decided(work.state)
        before = decided.get(column, Decided())
        decided[column] = before.decide(decision, list(dict.fromkeys(names)))
        write_decided(work.state, decided)
        publish_changes(work, schema)
    return decided[column] != before
