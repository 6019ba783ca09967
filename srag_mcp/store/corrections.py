"""Corrections: values that a person or an agent set instead of what was read.

They lie in a file of the state folder, a row each. One belongs to the bytes of a document, a column
and what it replaced. At publication it is applied where all three are still there; else it waits
for a second look, for nobody knows whether it would still be said.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from pydantic import TypeAdapter, ValidationError

from srag_mcp.cells.cell import Cell, Mark, PredictedCell, add_note, read_column
from srag_mcp.errors import StoreError
from srag_mcp.names.uniting import UNDECIDED, Decided, Same, Verdict, unite
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import POSITION, Schema, Table, child_name
from srag_mcp.store.database import quote_name, quote_text, with_names
from srag_mcp.store.feedback import PERSON
from srag_mcp.store.layout import CORRECTIONS_FILE, NAMES_FILE, write_atomically
from srag_mcp.store.renamings import Renamings, attached_former
from srag_mcp.text.shown import quoted
from srag_mcp.values.states import State
from srag_mcp.values.types import Value

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb

    from srag_mcp.store.evidence import Read
    from srag_mcp.store.work import WorkDatabase


Set: TypeAlias = Literal["value", "absent", "unknown", "added", "removed"]
"""What a correction says: a value, that the document says there is none, that nobody can tell.

Of `position` in a row of a child table: that the list has this row as well, or not this one.
"""


@dataclass(frozen=True, slots=True)
class Correction:
    """What was set instead of one cell; a row of the file.

    Attributes:
        document_id, sha256: Of the document whose cell it is, and of its bytes.
        table, column: Where it is.
        says: See `Set`.
        value: Canonical text; empty unless *says* is `value`.
        was_state, was_value, quote: What it replaced, and the words that this was read from.
        author: `person` or `agent`.
        at: When it was set, UTC.
        position, start: Of a cell of a child table: which row of its document, 0 for the list as a
            whole, and where that began, as another may have come before it since; of a row that is
            added, a digest of the rows that were read. Empty for a record.
        row_words: The words that this row was read from.
        problem: Why it waits for a second look, as a build says; empty where it is applied.
    """

    document_id: str
    sha256: str
    table: str
    column: str
    says: str
    value: str
    was_state: str
    was_value: str
    quote: str
    author: str
    at: str
    position: str = ""
    start: str = ""
    row_words: str = ""
    problem: str = ""

    @property
    def named(self) -> str:
        """The column, as people call it: `length`, `boat_owners.name` of a child table."""
        return f"{self.table}.{self.column}" if self.position else self.column

    @property
    def by_person(self) -> bool:
        """Whether a person set it, or accepted what an agent set."""
        return self.author == PERSON

    @property
    def place(self) -> tuple[str, str, str, str]:
        """Document, table, column and row: no two corrections have one."""
        return self.document_id, self.table, self.column, self.position

    @property
    def whose(self) -> str:
        """Who set it, and when: `a person on 2024-05-01`."""
        return f"{'a person' if self.by_person else 'an agent'} on {self.at[:10]}"

    @property
    def of_row(self) -> bool:
        """Whether it is of a row as a whole."""
        return self.says in {"added", "removed"}

    @property
    def of_read_row(self) -> bool:
        """Whether it is of a row that was read, or of a cell of one."""
        return bool(self.position.strip("0")) and self.was_state != State.CORRECTED

    @property
    def row(self) -> tuple[str, str, str]:
        """Document, table and row."""
        return self.document_id, self.table, self.position

    @property
    def was(self) -> str:
        """What it replaced: a value, the state of a cell without one, nothing in an added row."""
        is_new = self.was_state == State.CORRECTED
        return self.was_value or ("nothing" if is_new else self.was_state)

    def render(self) -> str:
        """Say what is set: `12.5`, `none`, `unknown`, `added`, `removed`."""
        said = {"value": self.value, "absent": "none", "unknown": "unknown"}
        return said.get(self.says, self.says)


_FIELDS = tuple(field.name for field in fields(Correction))[:-1]  # a problem is of a build
_LATER = {"position": "", "start": "", "row_words": ""}  # files of earlier versions have none
CORRECTIONS_TABLE = ", ".join(f'"{field.name}" VARCHAR' for field in fields(Correction))
"""Columns of what a build keeps of them."""


def read_corrections(state: Path) -> list[Correction]:
    """Read all corrections; StoreError if the file was edited into something else."""
    path = state / CORRECTIONS_FILE
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{path} cannot be read: {error}"
        raise StoreError(msg) from error
    found = []
    for row in csv.DictReader(io.StringIO(text, newline="")):
        said = _LATER | {key: text for key, text in row.items() if text is not None}
        if said.keys() != {*_FIELDS}:
            msg = f"{path} cannot be read; mend it: each row has {', '.join(_FIELDS)}"
            raise StoreError(msg)
        found.append(Correction(**said))
    return found


def write_corrections(state: Path, corrections: Iterable[Correction]) -> None:
    """Keep all corrections, the old ones until the new ones are whole."""
    written = io.StringIO(newline="")
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(_FIELDS)
    writer.writerows(astuple(item)[:-1] for item in corrections)
    write_atomically(state / CORRECTIONS_FILE, written.getvalue())


def cell_value(attribute: Attribute, correction: Correction) -> Value | None:
    """Return the value of a corrected cell; None where it has none, or none that fits."""
    if correction.says == "value":
        text = attribute.type.write(correction.value)
        return None if text is None else attribute.type.read(text)
    if correction.says == "absent":
        said_none = PredictedCell(Cell(attribute.name, State.STATED_ABSENT, "none"))
        return read_column(attribute, [said_none])[0].value
    return None


_FOUND = """
SELECT document_id, sha256 FROM listing
WHERE failure IS NULL AND (sha256 IN (SELECT unnest(?)) OR document_id IN (SELECT unnest(?)))
"""
_FORMER = "SELECT document_id, sha256 FROM former.main.documents WHERE sha256 IN (SELECT unnest(?))"
_READ = """
SELECT document_id, coalesce(position::VARCHAR, ''), coalesce(row_start::VARCHAR, ''), state,
  coalesce(value, '')
FROM (
  SELECT *, min(start) OVER (PARTITION BY document_id, position) AS row_start
  FROM build.main.cells WHERE table_name = ? AND document_id IN (SELECT unnest(?)))
WHERE attribute = ?
"""
_ROWS = """
SELECT document_id, position, coalesce(min(start)::VARCHAR, ''), coalesce(string_agg(
  coalesce(as_stated, CASE WHEN state <> 'corrected' THEN value END), ' | ' ORDER BY start), ''),
  map(list(attribute), list(coalesce(as_stated, '')))
FROM {build}.main.cells WHERE table_name = ? AND position > 0
  AND document_id IN (SELECT unnest(?)) GROUP BY ALL ORDER BY ALL
"""
_SET_ROWS = """
CREATE OR REPLACE TEMP TABLE set_rows (
  document_id VARCHAR, row_number INTEGER, says VARCHAR, author VARCHAR, note VARCHAR)
"""
_IN_ROWS = """
DELETE FROM build.main.{entity} AS own USING set_rows
WHERE own.document_id = set_rows.document_id AND position = row_number AND says = 'removed';
DELETE FROM build.main.cells AS own USING set_rows WHERE table_name = {table}
  AND own.document_id = set_rows.document_id AND position = row_number AND says = 'removed';
INSERT INTO build.main.{entity} (document_id, position)
SELECT document_id, row_number FROM set_rows WHERE says = 'added' ORDER BY ALL;
INSERT INTO build.main.cells
  (document_id, table_name, position, attribute, state, engine, marks, note)
SELECT document_id, {table}, row_number, unnest({columns}), 'corrected', author, '', note
FROM set_rows WHERE says = 'added';
UPDATE build.main.cells SET state = 'corrected', engine = author, note = said.note,
  value = n_rows::VARCHAR, marks = CASE WHEN n_rows > 0 THEN marks ELSE '{none}' END
FROM (SELECT document_id, max(author) AS author, string_agg(note, '; ') AS note,
             (SELECT count(*) FROM build.main.{entity} AS own
              WHERE own.document_id = set_rows.document_id) AS n_rows
      FROM set_rows GROUP BY document_id) AS said
WHERE cells.document_id = said.document_id AND table_name = {table} AND position = 0
"""
_CORRECTED = """
CREATE OR REPLACE TEMP TABLE corrected (
  document_id VARCHAR, row_number INTEGER, value {sql_type}, engine VARCHAR, marks VARCHAR,
  note VARCHAR)
"""
_IN_CELLS = """
UPDATE build.main.cells SET state = 'corrected', value = corrected.value::VARCHAR,
  engine = corrected.engine, marks = corrected.marks, note = corrected.note
FROM corrected
WHERE cells.document_id = corrected.document_id AND position IS NOT DISTINCT FROM row_number
  AND table_name = ? AND attribute = ?
"""
_IN_REVIEWS = """
DELETE FROM build.main.srag_reviews
WHERE table_name = ? AND attribute = ? AND document_id IN (SELECT document_id FROM corrected)
"""
_IN_RECORDS = """
UPDATE build.main.{entity} AS records SET {column} = corrected.value
FROM corrected WHERE records.document_id = corrected.document_id
"""


def apply_corrections(
    work: WorkDatabase, schema: Schema, renamings: Renamings | None
) -> tuple[int, int]:
    """Correct the cells of the attached build, and its records.

    What has another name now is kept under that. Return how many are applied, and how many wait.
    """
    kept = read_corrections(work.state)
    if not kept:
        return 0, 0
    found = [*_find_documents(work, [_renamed(item, renamings, schema) for item in kept])]
    found = _follow_rows(work, found)
    present = [replace(item, problem="") for item in found]
    if present != kept:  # kept before the build is published: it cannot be found out afterwards
        write_corrections(work.state, present)
    in_force = work.schema_in_force()
    columns = _places(schema)
    hidden = (_places(in_force.schema) if in_force else set()) - columns
    mine: defaultdict[tuple[str, str], list[Correction]] = defaultdict(list)
    told = list[Correction]()
    for item in found:
        if (item.table, item.column) in hidden:  # it is kept until the column is shown
            continue
        if (item.table, item.column) not in columns:
            item = replace(item, problem=f"there is no column {item.table}.{item.column}")
        elif not item.problem:
            mine[item.table, "" if item.of_row else item.column].append(item)
            continue
        told.append(item)
    removed = set[tuple[str, str, str]]()
    for (name, column), items in sorted(mine.items()):  # those of rows have no column
        # with a row goes what was set in it, until that row is taken back
        left = [item for item in items if item.row not in removed]
        if column:
            done = _apply(work, name, schema.attribute(column, name), left)
        else:
            done = _apply_rows(work, schema.find_table(name), left)
        removed |= {item.row for item in done if item.says == "removed" and not item.problem}
        told += done
    if not told:
        return 0, 0
    marks = ", ".join(["unnest(?)"] * (len(_FIELDS) + 1))
    insert = f"INSERT INTO build.main.srag_corrections SELECT {marks}"
    work.run(insert, *map(list, zip(*map(astuple, told), strict=True)))
    n_waiting = sum(bool(item.problem) for item in told)
    return len(told) - n_waiting, n_waiting


def _places(schema: Schema) -> set[tuple[str, str]]:
    return {(table.entity, item.name) for table in schema.tables for item in table.columns}


def _renamed(item: Correction, renamings: Renamings | None, schema: Schema) -> Correction:
    tables = {"": schema.entity}
    if renamings is not None:
        tables[renamings.former] = renamings.table
    for name in (*tables,):
        tables |= {child_name(name, x.list_name): x.entity for x in schema.children}
    table = tables.get(item.table, item.table)
    columns = renamings.columns.get(table, {}) if renamings else {}
    return replace(item, table=table, column=columns.get(item.column, item.column))


def without_corpus(item: Correction, schema: Schema) -> Correction:
    """Return *item* of *schema* with its table as it is called in any corpus: for another one."""
    tables = {x.entity: child_name("", x.list_name) for x in schema.children} | {schema.entity: ""}
    return replace(item, table=tables.get(item.table, item.table))


def _find_documents(work: WorkDatabase, corrections: Sequence[Correction]) -> Iterator[Correction]:
    """Yield each correction; the problem of one is why its document, by bytes, is not there."""
    hashes, ids = ([getattr(x, key) for x in corrections] for key in ("sha256", "document_id"))
    by_hash: defaultdict[str, set[str]] = defaultdict(set)
    for document_id, sha256 in work.run(_FOUND, hashes, ids):
        by_hash[sha256].add(document_id)
    there = {document_id for documents in by_hash.values() for document_id in documents}
    before: defaultdict[str, set[str]] = defaultdict(set)
    with attached_former(work.connection, work.state) as is_there:
        for document_id, sha256 in work.run(_FORMER, hashes) if is_there else ():
            before[sha256].add(document_id)
    own = {item.place for item in corrections if item.document_id in by_hash[item.sha256]}
    taken: set[tuple[str, str, str, str]] = set()
    for kept in corrections:
        item, alike = kept, by_hash[kept.sha256]
        if item.place not in own and len(alike) == 1 and before[item.sha256] <= {item.document_id}:
            item = replace(item, document_id=next(iter(alike)))
        is_free = item.place not in taken and (item is kept or item.place not in own)
        if item.document_id in alike and is_free:
            taken.add(item.place)
            yield item
        elif alike:
            problem = "other documents have these bytes, or another correction"
            yield replace(kept, problem=problem)
        else:
            changed = kept.document_id in there
            problem = f"the document {'has changed' if changed else 'is not there'}"
            yield replace(kept, problem=problem)


class FoundRow(NamedTuple):
    """A row of a list in a build: where it begins, the words it was read from, and by column."""

    start: str
    words: str
    quotes: Mapping[str, str]


def find_rows(
    work: WorkDatabase, build: str, table: str, document_ids: Sequence[str]
) -> defaultdict[str, dict[int, FoundRow]]:
    """Return the rows of a child table in an attached *build*, by document and position."""
    found: defaultdict[str, dict[int, FoundRow]] = defaultdict(dict)
    rows = work.run(_ROWS.format(build=build), table, list(document_ids))
    for document_id, position, *row in rows:
        found[document_id][position] = FoundRow(*row)
    return found


def find_own_rows(
    rows: Mapping[int, FoundRow], item: Correction, *, is_same_text: bool
) -> list[int]:
    """Return which *rows* of its document *item* may be of: one where that is sure.

    In the bytes that it was set in, the row that begins where its row did; else what has its words.
    """
    if is_same_text and item.start:
        return [at for at, row in rows.items() if row.start == item.start]
    words = item.row_words or (item.quote if item.of_row else "")
    if words:
        return [at for at, row in rows.items() if row.words == words]
    # one of an earlier version has the words of its cell alone
    return [
        at for at, row in rows.items() if item.quote and row.quotes.get(item.column) == item.quote
    ]


def _follow_rows(work: WorkDatabase, items: Sequence[Correction]) -> list[Correction]:
    """Return *items*, with the numbers that their rows have in the attached build, if sure.

    What waits keeps the place that it was set in: its document may be as it was again.
    """
    ids = [item.document_id for item in items]
    tables = {item.table for item in items if item.of_read_row}
    rows = {table: find_rows(work, "build", table, ids) for table in tables}
    moved = list[Correction]()
    for item in items:
        is_sought = item.of_read_row and not item.problem
        own = rows[item.table][item.document_id] if is_sought else {}
        at = find_own_rows(own, item, is_same_text=True)
        if len(at) == 1:
            item = replace(item, position=str(at[0]), start=own[at[0]].start)
        moved.append(item)
    counts = Counter(item.place for item in moved)
    taken = {place[:3] for place, n in counts.items() if n > 1}  # no two have one place
    return [old if new.place[:3] in taken else new for old, new in zip(items, moved, strict=True)]


def digest_rows(starts: Mapping[int, str]) -> str:
    """Name a list by where each of its rows begins: another reading of it has another name."""
    return hashlib.sha256(repr(sorted(starts.items())).encode()).hexdigest()[:16]


def _apply_rows(work: WorkDatabase, table: Table, items: Sequence[Correction]) -> list[Correction]:
    """Add and remove rows of a child table; return *items*, each with why it waits, if it does."""
    found = find_rows(work, "build", table.entity, [item.document_id for item in items])
    done, rows = list[Correction](), list[tuple[object, ...]]()
    for item in items:
        own, position = found[item.document_id], int(item.position)
        problem = ""
        if item.says == "added" and digest_rows({x: y.start for x, y in own.items()}) != item.start:
            problem = f"the list is read otherwise now: {len(own)} rows"
        elif item.says == "removed" and own.get(position, ("",))[:2] != (item.start, item.quote):
            problem = f"row {position} is another now"
        else:
            note = f"row {position} {item.says} by {item.whose}"
            rows.append((item.document_id, position, item.says, item.author, note))
        done.append(replace(item, problem=problem))
    work.run(_SET_ROWS)
    work.append("set_rows", rows)
    columns = f"[{', '.join(quote_text(attribute.name) for attribute in table.attributes)}]"
    named = {"entity": quote_name(table.entity), "table": quote_text(table.entity)}
    work.run(_IN_ROWS.format(**named, columns=columns, none=Mark.SAID_NONE))
    return done


def _apply(
    work: WorkDatabase, table: str, attribute: Attribute, items: Sequence[Correction]
) -> list[Correction]:
    """Apply those that are still of what they replaced; return all, with why some wait."""
    ids = [item.document_id for item in items]
    read = {row[:2]: row[2:] for row in work.run(_READ, table, ids, attribute.name)}
    done, corrected = list[Correction](), []
    for item in items:
        start, state, text = read.get(
            (item.document_id, item.position), ("", State.NOT_MENTIONED.value, "")
        )
        value, kind = cell_value(attribute, item), attribute.type
        is_said = item.says == "value" and kind.write(text) == kind.write(item.value)
        problem = ""
        if item.says == "value" and value is None:
            problem = f"{item.value!r} does not fit a column of type {kind}"
        elif item.position and (item.document_id, item.position) not in read:
            problem = f"there is no row {item.position}"
        elif item.position and start != item.start:
            problem = f"row {item.position} is another now"
        elif not is_said and (state, _plain(text)) != (item.was_state, _plain(item.was_value)):
            problem = f"it is read otherwise now: {text or state}"
        else:
            marks = Mark.SAID_NONE if item.says == "absent" else ""
            note = f"corrected by {item.whose}: was {item.was}"
            row = int(item.position) if item.position else None
            corrected.append((item.document_id, row, value, item.author, marks, note))
        done.append(replace(item, problem=problem))
    work.run(_CORRECTED.format(sql_type=attribute.type.sql))
    work.append("corrected", corrected)
    work.run(_IN_CELLS, table, attribute.name)
    work.run(_IN_REVIEWS, table, attribute.name)
    of_row = f" AND records.{POSITION} = row_number" if any(x.position for x in items) else ""
    work.run(with_names(_IN_RECORDS, entity=table, column=attribute.name) + of_row)
    return done


def _plain(text: str) -> str:
    """Return a value without what another spelling of its column may change."""
    return " ".join(text.split()).casefold()


_KEPT = """
SELECT to_json(kept) FROM srag_corrections AS kept ORDER BY "column", document_id
"""


def read_kept(read: Read) -> list[Correction]:
    """Read the corrections that a build was made with."""
    return [Correction(**json.loads(str(row))) for (row,) in read(_KEPT, [])]


DecidedNames: TypeAlias = dict[str, Decided]
"""What a person said, by column."""

_DECIDED = TypeAdapter(DecidedNames)
_VERDICTS = TypeAdapter(tuple[Verdict, ...])


def read_decided(state: Path) -> DecidedNames:
    """Read what a person decided; StoreError if the file was edited into something else."""
    path = state / NAMES_FILE
    try:
        return _DECIDED.validate_json(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValidationError) as error:
        reason = str(error).replace("\n", " ")
        msg = f"{path} cannot be read; mend it, or remove it to decide anew: {reason:.300}"
        raise StoreError(msg) from error


def write_decided(state: Path, decided: DecidedNames) -> None:
    """Keep what a person decided."""
    kept = {name: item for name, item in decided.items() if item != UNDECIDED}
    write_atomically(state / NAMES_FILE, _DECIDED.dump_json(kept, indent=1).decode() + "\n")


def follow_renamings(work: WorkDatabase, columns: Mapping[str, str]) -> list[str]:
    """Let what a person decided of a column hold under its new name; return such new names.

    `columns` has the names of now by those of then, as people name them.
    """
    decided = read_decided(work.state)
    moved = {was: now for was, now in columns.items() if was in decided and now not in decided}
    if moved:
        write_decided(work.state, {moved.get(name, name): x for name, x in decided.items()})
    return [*moved.values()]


def kept_verdicts(work: WorkDatabase, column: str) -> tuple[Verdict, ...]:
    """Return what a model said of the doubtful names of a column, oldest first."""
    return _VERDICTS.validate_json(work.note(f"names:{column}") or "[]")


def keep_verdicts(work: WorkDatabase, column: str, new: Sequence[Verdict]) -> None:
    """Keep what a model said; of two names that it was asked about twice, the last word holds."""
    kept = [
        Verdict(keys=old.keys, same=tuple(item for item in old.same if not _parts(new, item)))
        for old in kept_verdicts(work, column)
        if not any(set(old.keys).issubset(verdict.keys) for verdict in new)
    ]
    text = _VERDICTS.dump_json((*kept, *new)).decode()
    work.keep_note(f"names:{column}", text, is_content=True)


def _parts(verdicts: Sequence[Verdict], item: Same) -> bool:
    """Whether any of *verdicts* says of two names of *item* that they are not the same."""
    again = [(set(verdict.keys).intersection(item.keys), verdict.same) for verdict in verdicts]
    return any(
        len(both) > 1 and not any(both.issubset(found.keys) for found in same)
        for both, same in again
    )


def are_united(attribute: Attribute) -> bool:
    """Whether the spellings of an attribute are united: of texts without a list of categories."""
    return attribute.type.is_text and not attribute.categories


_INSERT = """
INSERT INTO build.main.srag_spellings SELECT $1, $2, unnest($3), unnest($4), unnest($5)
"""


def unite_cells(
    work: WorkDatabase,
    table: str,
    attribute: Attribute,
    cells: Mapping[int, Cell],
    *,
    is_child: bool = False,
) -> dict[int, Cell]:
    """Return *cells* with one spelling a thing, told in notes; all spellings go to the build."""
    counts = Counter(cell.value for cell in cells.values() if isinstance(cell.value, str))
    key = f"{table}.{attribute.name}" if is_child else attribute.name
    verdicts = kept_verdicts(work, key) if work.is_predicted() else ()
    things = unite(counts, read_decided(work.state).get(key, UNDECIDED), verdicts)
    several = [thing for thing in things if len(thing.spellings) > 1]
    of_spelling = {spelling: thing for thing in several for spelling in thing.spellings}
    done = dict(cells)
    for number, cell in cells.items():
        thing = of_spelling.get(cell.value) if isinstance(cell.value, str) else None
        if thing is not None and cell.value != thing.spellings[0]:
            kept, n_others = thing.spellings[0], len(thing.spellings) - 2
            are = f" and {n_others} other{'s' if n_others > 1 else ''} are" if n_others else " is"
            note = f"united: {quoted(str(cell.value))}{are} {quoted(kept)}"
            done[number] = add_note(replace(cell, value=kept), note)
    rows = [(text, thing.spellings[0], counts[text]) for text, thing in of_spelling.items()]
    if rows:
        work.run(_INSERT, table, attribute.name, *map(list, zip(*rows, strict=True)))
    return done


_UNITED = """
SELECT count(*), count(DISTINCT (column_name, value)),
       string_agg(DISTINCT column_name, ', ' ORDER BY column_name)
FROM build.main.srag_spellings
"""


def describe_united(connection: duckdb.DuckDBPyConnection) -> str:
    """Say of the attached build what was united: `14 spellings of 5 names united in city`."""
    [(n_spellings, n_names, columns)] = connection.execute(_UNITED).fetchall()
    names = "1 name" if n_names == 1 else f"{n_names} names"
    return f"{n_spellings} spellings of {names} united in {columns}" if n_names else ""


@dataclass(frozen=True, slots=True)
class UnitedName:
    """A value of a column that stands for several spellings, most frequent first."""

    column: str
    value: str
    spellings: tuple[tuple[str, int], ...]


_SPELLINGS = """
SELECT if(table_name = $1, '', table_name || '.') || column_name AS named, value, to_json(
  list({'spelling': spelling, 'n': n_records} ORDER BY n_records DESC, spelling))
FROM srag_spellings WHERE $2 IN ('', column_name, named)
GROUP BY named, value ORDER BY named, sum(n_records) DESC, value LIMIT $3 OFFSET $4
"""


def read_united(
    read: Read, records: str, column: str = "", limit: int = 20, offset: int = 0
) -> list[UnitedName]:
    """Read which spellings of *column*, as people name it, were united; empty: of all columns."""
    rows = read(_SPELLINGS, [records, column, limit, offset])
    return [
        UnitedName(
            column, value, tuple((item["spelling"], item["n"]) for item in json.loads(spellings))
        )
        for column, value, spellings in rows
    ]
