"""Edits of columns by command: shown before they are made, as those of `schema.json` are."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from srag_mcp.cells.cell import Cell
from srag_mcp.claims.figures import is_same_value
from srag_mcp.errors import NotIngestedError, SchemaError
from srag_mcp.inference.turns import retire_pairs
from srag_mcp.pipeline.schema_choice import (
    SchemaWish,
    find_known_schema,
    open_decided,
    put_edit_in_force,
)
from srag_mcp.rules.naming import nouns_of_names
from srag_mcp.schema import edits
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema, Table
from srag_mcp.settings import COLUMN_EDITS, Settings
from srag_mcp.store.build import publish_changes, read_cells
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.corrections import Correction, cell_value, read_corrections
from srag_mcp.store.feedback import open_feedback
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.renamings import attached_former
from srag_mcp.store.takeover import put_in_force, write_value
from srag_mcp.store.work import SchemaInForce, WorkDatabase
from srag_mcp.text.shown import one_line, quoted, shorten
from srag_mcp.values.numbers import find_stated_unit
from srag_mcp.values.states import State, Words

_WAITING = """
SELECT document_id, "table", "column", position FROM former.main.srag_corrections
WHERE problem <> ''
"""
_Place: TypeAlias = tuple[str, str, str, str]
_MAX_EXAMPLES = 5
_MAX_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Example:
    """A cell before and after: values as text, empty where there is none, and why it is lost."""

    document_id: str
    column: str
    before: str
    after: str
    note: str = ""

    def render(self) -> str:
        """Say it in a line: `a.txt: weight “450 g” -> 0.45`."""
        why = f"unknown ({self.note})" if self.note else "unknown"
        before, after = quoted(self.before, _MAX_SHOWN), shorten(self.after, _MAX_SHOWN) or why
        return one_line(f"{self.document_id}: {self.column} {before} -> {after}")


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """What an edit changes, or has changed.

    Attributes:
        n_kept, n_lost, n_changed: Of the values in the columns that it is about, as they stand.
        n_new: Cells without a value, whose words are one by then.
        n_differing: Documents in which two columns that are one by then say different things.
        examples: A few of these values, those that are not kept first.
        n_corrections, n_waiting: Corrections of these columns, and how many will wait.
        n_rewritten, n_retired: Saved queries by another name, and those that hold no more.
        is_published: Whether it is done.
    """

    said: tuple[str, ...]
    n_kept: int = 0
    n_lost: int = 0
    n_changed: int = 0
    n_new: int = 0
    n_differing: int = 0
    examples: tuple[Example, ...] = ()
    n_corrections: int = 0
    n_waiting: int = 0
    n_rewritten: int = 0
    n_retired: int = 0
    is_published: bool = False

    def lines(self) -> list[str]:
        """Say it in a few lines."""
        n_kept, n_lost = f"{self.n_kept:,} values are kept", f"{self.n_lost:,} are lost"
        n_new = f", {self.n_new:,} are read that were not" if self.n_new else ""
        differing = f"in {self.n_differing:,} documents the columns differ: the first wins, marked"
        waits = f", {self.n_waiting:,} will wait for a second look" if self.n_waiting else ""
        queries = f"saved queries: {self.n_rewritten} rewritten, {self.n_retired} retired"
        return [
            *(*self.said, f"{n_kept}, {self.n_changed:,} change, {n_lost}{n_new}"),
            *([differing] if self.n_differing else ()),
            *(item.render() for item in self.examples),
            *([f"corrections: {self.n_corrections:,}{waits}"] if self.n_corrections else ()),
            *([queries] if self.n_rewritten or self.n_retired else ()),
        ]


def change_columns(
    folder: Path, settings: Settings, action: str, names: Sequence[str], *, is_preview: bool = False
) -> ColumnChange:
    """Edit the columns of a corpus, and publish it anew; no document and no model is read for it.

    *action* is `rename`, `drop`, `hide`, `show`, `merge`, `split-unit`, `type` or `noun`, *names*
    are columns, and what they become; or `call`: records are called after one name, too. A preview
    only says what would change.

    Raises:
        SchemaError: If there is no such column, it cannot become that, or the schema was edited
            since the last ingestion.
        CorpusError, NotIngestedError: If there is no whole table.
        LockedError: If another process ingests the corpus.
    """
    with open_decided(folder, settings) as (work, present, info):
        state = work.state
        if info.revision != work.revision:
            msg = f"{folder} has no whole table: ingest it first"
            raise NotIngestedError(msg)
        if find_known_schema(work, present, folder, SchemaWish(), False)[0] != present.schema:
            msg = f"the schema of {folder} was edited since it was ingested: ingest it first"
            raise SchemaError(msg)
        edited = _edit(work, present.schema, action, names)
        if is_preview:
            with work.undone():
                return _compare(work, present, edited, is_preview=True)
        change = _compare(work, present, edited, is_preview=False)
        publish_changes(work, edited)
    with QueryPool() as pool, open_feedback(state) as kept:
        before = kept.verdicts()
        retire_pairs(Corpus(folder, pool, settings.home), kept)
        pairs = [*zip(before, kept.verdicts(), strict=True)]
    return replace(
        change,
        n_rewritten=sum(old.sql != new.sql for old, new in pairs),
        n_retired=sum(old.retired != new.retired for old, new in pairs),
        is_published=True,
    )


def _edit(work: WorkDatabase, schema: Schema, action: str, names: Sequence[str]) -> Schema:
    match action, *names:
        case "rename", old, new:
            return edits.rename(schema, old, new)
        case "drop", name:
            return edits.drop(schema, name)
        case (("hide" | "show"), name):
            return edits.hide(schema, name, hidden=action == "hide")
        case "merge", kept, other:
            return edits.merge(schema, kept, other)
        case "type", name, kind:
            return edits.retype(schema, name, kind, _most_stated_unit(work, schema, name))
        case "split-unit", name, *units:
            unit = units[0] if units else _most_stated_unit(work, schema, name)
            if unit is None:
                msg = f"no value of {name} states a unit"
                raise SchemaError(msg)
            return edits.split_unit(schema, name, unit)
        case "noun", _, *_:
            return edits.set_noun(schema, names)
        case "call", name:
            return edits.set_noun(schema, [*nouns_of_names(name), *schema.nouns])
    msg = f"{' '.join((action, *names))!r} is none of {COLUMN_EDITS}"
    raise SchemaError(msg)


def _most_stated_unit(work: WorkDatabase, schema: Schema, name: str) -> str | None:
    table, [column] = edits.find_columns(schema, name)
    cells = read_cells(work, column, table if table.parent else None).values()
    said = [Words(cell.as_stated or "", cell.context) for cell in cells]
    units = Counter(unit for words in said if (unit := find_stated_unit(words)) is not None)
    return units.most_common(1)[0][0] if units else None


def _compare(
    work: WorkDatabase, present: SchemaInForce, edited: Schema, *, is_preview: bool
) -> ColumnChange:
    """Make the edit, and say what becomes of the values; a preview leaves the files alone."""
    tables = {table.entity: table for table in present.schema.tables}
    places: dict[str, Attribute] = {}
    for table in edited.tables:
        was = tables[table.entity]
        for item in table.attributes:
            names = (was.named(source.name) for source in edits.find_sources(was, item))
            places |= dict.fromkeys(names, item)
    columns = {
        table.named(item.name): (item, table if table.parent else None)
        for table in present.schema.tables
        for item in table.attributes
        if places.get(table.named(item.name)) != item
    }
    said = {item.place: item for item in read_corrections(work.state)}
    with attached_former(work.connection, work.state) as is_there:
        for place in work.run(_WAITING) if said and is_there else ():
            said.pop(place, None)
    before = {x: _as_set(read_cells(work, *y), y[0], x, said) for x, y in columns.items()}
    if is_preview:
        kept = put_in_force(work, edited, present.origin)
    else:
        put_edit_in_force(work, edited)
        kept = read_corrections(work.state)
    said = {item.place: item for item in kept if item.place in said}
    counts: Counter[str] = Counter()
    same, other = list[Example](), list[Example]()
    differing: set[str] = set()
    for name, (column, child) in columns.items():
        now_child = edited.find_table(child.entity) if child and name in places else None
        cells = read_cells(work, places[name], now_child) if name in places else {}
        if name in places:
            cells = _as_set(cells, places[name], name, said)
        for key, cell in before[name].items():
            now = cells.get(key)
            value = None if now is None else now.value
            is_new = cell.value is None
            if is_new and (value is None or column.type == places[name].type):
                continue
            text, after = write_value(cell.value), write_value(value)
            shown = text if text == after or not cell.as_stated else cell.as_stated
            note = now.note if now is not None and now.state is State.FAILED else ""
            example = Example(key, name, shown, after, note)
            is_same = is_same_value(cell.value, value) or example.before == example.after
            what = "kept" if is_same else "changed" if example.after else "lost"
            what = "new" if is_new else what
            counts[what] += 1
            if counts[what] <= _MAX_EXAMPLES:
                (same if is_same else other).append(example)
            if value is not None and not is_same and column.type == places[name].type:
                differing.add(key)
    concerned = [item for item in kept if item.named in before]
    held = [item for item in concerned if item.named in places]
    held = [x for x in held if x.says != "value" or cell_value(places[x.named], x) is not None]
    return ColumnChange(
        said=_say(present.schema, edited, columns, places),
        n_kept=counts["kept"],
        n_lost=counts["lost"],
        n_changed=counts["changed"],
        n_new=counts["new"],
        n_differing=len(differing),
        examples=(*other, *same)[:_MAX_EXAMPLES],
        n_corrections=len(concerned),
        n_waiting=len(concerned) - len(held),
    )


def _as_set(
    cells: Mapping[str, Cell], attribute: Attribute, name: str, said: Mapping[_Place, Correction]
) -> dict[str, Cell]:
    """Return *cells* of a column, *name* before the edit, with what is *said* instead of them."""
    found, removed = dict(cells), set[str]()
    table = name.rpartition(".")[0]
    for item in said.values():
        key = f"{item.document_id}, row {item.position}" if item.position else item.document_id
        if item.says == "removed" and item.table == table:
            removed.add(key)
        elif item.named == name:
            value = cell_value(attribute, item)
            found[key] = Cell(attribute.name, State.CORRECTED, value=value)
    return {key: cell for key, cell in found.items() if key not in removed}


def _say(
    before: Schema,
    edited: Schema,
    columns: Mapping[str, tuple[Attribute, Table | None]],
    places: Mapping[str, Attribute],
) -> tuple[str, ...]:
    said = []
    for name, (item, _) in columns.items():
        now = places.get(name)
        if now is None:
            said.append(f"{name} is dropped")
        elif now.name != item.name:
            said.append(f"{name} is now {now.name}")
        elif now.type != item.type:
            unit = f" in {now.unit}" if now.unit else ""
            said.append(f"{name} ({item.type}) becomes {now.type}{unit}")
        elif now.hidden != item.hidden:
            said.append(f"{name} is {'hidden' if now.hidden else 'shown'}")
    if not columns.keys() <= places.keys():
        said.append("show takes back a hide, not this: ingest --fresh-schema finds columns anew")
    if edited.nouns != before.nouns:
        said.append(f"a record is called {', '.join(edited.nouns)}")
    return tuple(said)
