"""Predictions: the cells that a language model gave, kept for as long as they hold."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from srag_mcp.cells.cell import (
    BY_RULES,
    Cell,
    DocumentText,
    Mark,
    PredictedCell,
    PredictedRecord,
    normalise_column,
    write_canonical,
)
from srag_mcp.documents.folder import storable
from srag_mcp.errors import QueryError
from srag_mcp.model.language_model import count_tokens
from srag_mcp.records.listed import list_attribute
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Table
from srag_mcp.store.database import quote_name
from srag_mcp.store.work import CellRow, cell_row, read_cell
from srag_mcp.values.states import State

if TYPE_CHECKING:
    from srag_mcp.schema.schema import Schema
    from srag_mcp.store.corpus import Corpus
    from srag_mcp.store.work import WorkDatabase

PREDICTION_COLUMNS = 'attribute, state, as_stated, start, "end", value, unit, engine, note, marks'
"""As in `CellRow`, with the value in the place of the context."""
LESSON = "lesson"  # the note of what is known of rules that a model wrote, by `hash_attribute`
_ASKED = "asked AS (SELECT unnest(?) AS attribute, unnest(?) AS attribute_hash)"
_PENDING = """
WITH asked AS (
  SELECT unnest(?) AS attribute, unnest(?) AS attribute_hash, unnest(?) AS place,
         unnest(?) AS is_column),
missing AS (
  SELECT document_id, path, place FROM (
    FROM documents CROSS JOIN asked
    WHERE NOT (is_column AND path IN (SELECT path FROM files WHERE rows)))
  ANTI JOIN (FROM predictions WHERE NOT unanswered)
    USING (document_id, sha256, attribute, attribute_hash))
SELECT places, list(document_id ORDER BY path, document_id) FROM (
  SELECT document_id, path, list(place ORDER BY place) AS places FROM missing
  GROUP BY document_id, path)
GROUP BY places ORDER BY places
"""
_READ_IN_PART = f"""
WITH {_ASKED}
SELECT count(DISTINCT document_id) FROM predictions
SEMI JOIN asked USING (attribute, attribute_hash)
SEMI JOIN documents USING (document_id, sha256)
WHERE contains(marks, '{Mark.READ_IN_PART}')
"""  # noqa: S608 - constants
_TEXTS_AT_ONCE = 100
_KEY_PLACES = (0, 2, 3)  # document, attribute and definition, in a row to be stored


@dataclass(frozen=True, slots=True)
class PendingDocuments:
    """Documents, by path, that lack the same predictions: of *attributes*, in their order."""

    attributes: tuple[Attribute, ...]
    document_ids: tuple[str, ...]


class RowKey(NamedTuple):
    """Names a cell of a child table."""

    document_id: str
    position: int
    attribute: str


def hash_attribute(attribute: Attribute) -> str:
    """Name what a model is asked by *attribute*; its rules and other names do not count."""
    left_out = {"extractors", "synonyms", "rules", "audit", "formerly", "hidden"}
    text = attribute.model_dump_json(exclude=left_out)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _keys(attributes: Sequence[Attribute]) -> list[list[str]]:
    return [[item.name for item in attributes], [hash_attribute(item) for item in attributes]]


class Predictions:
    """The predictions of a work database.

    They outlive a change of the schema: an edited schema asks only for what changed, and one that
    is put back for nothing. One of an older version of a document, or of another definition of an
    attribute, is never used.
    """

    def __init__(self, work: WorkDatabase) -> None:
        self._work = work

    def pending(self, attributes: Sequence[Attribute]) -> list[PendingDocuments]:
        """Return what is to be asked: the stored documents by the attributes that they lack.

        No row of a table file lacks what a column states: code has read that. What could not be
        answered is asked again.
        """
        if not attributes:
            return []
        places, are_columns = range(len(attributes)), [item.is_column for item in attributes]
        rows = self._work.run(_PENDING, *_keys(attributes), list(places), are_columns)
        return [
            PendingDocuments(tuple(attributes[place] for place in lacking), tuple(ids))
            for lacking, ids in rows
        ]

    def ids_by_chance(self, salt: str = "") -> list[str]:
        """Return all documents in an order by chance that lasts; each *salt* has its own."""
        rows = self._work.run(
            "SELECT document_id FROM documents ORDER BY md5(? || document_id), document_id", salt
        )
        return [row[0] for row in rows]

    def texts(self, document_ids: Sequence[str], *, whole: bool = True) -> Iterator[DocumentText]:
        """Yield texts in the order given, few in memory; with passages, unless not *whole*."""
        for start in range(0, len(document_ids), _TEXTS_AT_ONCE):
            part = document_ids[start : start + _TEXTS_AT_ONCE]
            rows = self._work.run(
                "SELECT document_id, title, path, text, sha256 FROM documents"
                " WHERE document_id IN (SELECT unnest(?))",
                list(part),
            )
            passages = self._work.passages(part) if whole else {}
            found = {
                row[0]: replace(DocumentText(*row), passages=passages.get(row[0], ()))
                for row in rows
            }
            yield from (found[key] for key in part if key in found)

    def count_tokens(self, document_ids: Sequence[str] | None = None) -> list[int]:
        """Return the tokens of documents, in the order given; of all where none are."""
        if document_ids is None:
            document_ids = self._work.document_ids()
        return [count_tokens(document.text) for document in self.texts(document_ids, whole=False)]

    def store(self, attributes: Sequence[Attribute], records: Iterable[PredictedRecord]) -> None:
        """Keep the cells of *records*, in one transaction; they replace those of the definitions.

        *attributes* are the definitions that the cells answer. The revision changes unless all
        were there.
        """
        records = list(records)
        hashes = {attribute.name: hash_attribute(attribute) for attribute in attributes}
        rows = [
            (x.document_id, x.sha256, name, hashes[str(name)], *kept, bool(x.error), marks)
            for x in records
            for name, *kept, marks in map(_as_row, x.cells)
        ]
        said = {x.document_id: (x.document_id, x.sha256, x.summary) for x in records if x.summary}
        keys = [[str(row[place]) for row in rows] for place in _KEY_PLACES]
        of_keys = "attribute_hash) IN (SELECT (unnest(?), unnest(?), unnest(?)))"
        with self._work.transaction():
            before = self._work.run(
                f"DELETE FROM predictions WHERE (document_id, attribute, {of_keys} RETURNING *",  # noqa: S608 - constants
                *keys,
            )
            self._work.run(
                f"DELETE FROM predicted_rows WHERE (document_id, table_name, {of_keys}",  # noqa: S608 - constants
                *keys,
            )
            self._work.append("predictions", rows)
            self._work.append(
                "predicted_rows",
                [
                    (x.document_id, x.sha256, of.table, hashes[of.table], at, *_as_row(item))
                    for x in records
                    for of in x.lists
                    for at, cells in enumerate(of.rows, start=1)
                    for item in cells
                ],
            )
            if said:
                forget = "DELETE FROM summaries WHERE document_id IN (SELECT unnest(?))"
                self._work.run(forget, list(said))
                self._work.append("summaries", list(said.values()))
            if set(before) != set(rows):
                self._work.count_revision()

    def cells(self, attribute: Attribute) -> dict[str, PredictedCell]:
        """Return the predictions of *attribute* that hold, by document id."""
        rows = self._work.run(
            f"SELECT document_id, {PREDICTION_COLUMNS} FROM predictions"  # noqa: S608 - constants
            " SEMI JOIN documents USING (document_id, sha256)"
            " WHERE attribute = ? AND attribute_hash = ? ORDER BY document_id",
            attribute.name,
            hash_attribute(attribute),
        )
        return {row[0]: read_prediction(row[1:]) for row in rows}

    def rows(self, child: Table) -> dict[RowKey, PredictedCell]:
        """Return the cells of the rows of *child* that hold, in their order."""
        rows = self._work.run(
            f"SELECT document_id, position, {PREDICTION_COLUMNS} FROM predicted_rows"  # noqa: S608 - constants
            " SEMI JOIN documents USING (document_id, sha256)"
            " WHERE table_name = ? AND attribute_hash = ? ORDER BY document_id, position",
            child.entity,
            hash_attribute(list_attribute(child)),
        )
        return {RowKey(*row[:3]): read_prediction(row[2:]) for row in rows}

    def replace_rows(
        self, before: Table, now: Table, cells: Mapping[RowKey, PredictedCell]
    ) -> None:
        """Keep what was read for the list *before* as read for *now*, whose rows have *cells*."""
        name, new = now.entity, hash_attribute(list_attribute(now))
        old = hash_attribute(list_attribute(before))
        sha256s = self._sha256s({key.document_id for key in cells})
        rows = [
            (key.document_id, sha256s[key.document_id], name, new, key.position, *_as_row(item))
            for key, item in cells.items()
        ]
        with self._work.transaction():
            self._work.run(
                "DELETE FROM predicted_rows WHERE table_name = ? AND attribute_hash IN (?, ?)",
                name,
                new,
                old,
            )
            if old != new:
                self.move(list_attribute(before), list_attribute(now))
            self._work.append("predicted_rows", rows)
            self._work.count_revision()

    def move(self, before: Attribute, now: Attribute) -> None:
        """Keep the predictions of *before* as those of *now*, which loses its own."""
        to = now.name, hash_attribute(now)
        self._work.run("DELETE FROM predictions WHERE (attribute, attribute_hash) = (?, ?)", *to)
        self._work.run(
            "UPDATE predictions SET attribute = ?, attribute_hash = ?"
            " WHERE (attribute, attribute_hash) = (?, ?)",
            *to,
            before.name,
            hash_attribute(before),
        )

    def change(self, attribute: Attribute, cells: Mapping[str, PredictedCell]) -> None:
        """Replace the predictions of *attribute* for some documents, by id."""
        sha256s = self._sha256s(cells).items()
        records = [PredictedRecord(key, sha256, (cells[key],)) for key, sha256 in sha256s]
        self.store([attribute], records)

    def _sha256s(self, document_ids: Iterable[str]) -> dict[str, str]:
        rows = self._work.run(
            "SELECT document_id, sha256 FROM documents WHERE document_id IN (SELECT unnest(?))",
            list(document_ids),
        )
        return dict(rows)

    def forget_ruled(self, attributes: Sequence[Attribute], besides: Sequence[str] = ()) -> None:
        """Drop the cells that rules decided, so that the documents are read."""
        with self._work.transaction():
            gone = self._work.run(
                "DELETE FROM predictions WHERE list_contains(string_split(marks, ' '), ?) AND"
                " (attribute, attribute_hash) IN (SELECT (unnest(?), unnest(?)))"
                " AND document_id NOT IN (SELECT unnest(?)) RETURNING 1",
                Mark.RULED,
                *_keys(attributes),
                list(besides),
            )
            if gone:
                self._work.count_revision()

    def count_read_in_part(self, attributes: Sequence[Attribute]) -> int:
        """Count the documents that do not mention one of *attributes* in the part that was read."""
        [(n_documents,)] = self._work.run(_READ_IN_PART, *_keys(attributes))
        return int(n_documents)

    def forget_gone(self) -> None:
        """Drop those of documents that are gone or have changed; call it when all are read."""
        with self._work.transaction():
            for table in ("summaries", "predicted_rows", "predictions"):
                gone = self._work.run(
                    f"DELETE FROM {table} WHERE (document_id, sha256) NOT IN"  # noqa: S608 - of these
                    " (SELECT (document_id, sha256) FROM documents) RETURNING 1"
                )
            if gone:  # the last of them
                self._work.count_revision()


_LISTED = f"""
INSERT INTO predictions
SELECT document_id, sha256, $name, $hash, coalesce(listed.state, 'not_mentioned'),
  listed.as_stated, listed.start, listed."end", NULL, NULL, '{BY_RULES}',
  coalesce(listed.note, ''), false, coalesce(listed.marks, '')
FROM documents LEFT JOIN (FROM child_cells WHERE table_name = $name AND position = 0) AS listed
  USING (document_id)
WHERE (listed.document_id IS NOT NULL OR path IN (SELECT path FROM files WHERE rows))
  AND (document_id, sha256) NOT IN (
    SELECT (document_id, sha256) FROM predictions
    WHERE attribute = $name AND attribute_hash = $hash)
"""  # noqa: S608 - constants


def keep_listed(work: WorkDatabase, child: Table) -> None:
    """Keep which documents code has read for a child table: a model is not asked about them."""
    attribute = list_attribute(child)
    names = {"name": attribute.name, "hash": hash_attribute(attribute)}
    with work.transaction():
        work.connection.execute(_LISTED, names)


def _as_row(item: PredictedCell) -> tuple[object, ...]:
    """Return a cell as a row of `PREDICTION_COLUMNS`."""
    *kept, _, unit, engine, note, marks = cell_row(item.cell)
    value = None if item.value_text is None else storable(item.value_text)
    return (*kept, value, unit, engine, note, marks)


def read_prediction(row: CellRow) -> PredictedCell:
    """Make the cell of a row of `PREDICTION_COLUMNS`."""
    return PredictedCell(read_cell((*row[:5], "", *row[6:])), row[5])


def keep_rule_cells(work: WorkDatabase, attribute: Attribute) -> None:
    """Keep what rules read, as predictions, for the documents that have none of *attribute*."""
    predictions, said = Predictions(work), work.rule_cells(attribute.name)
    known = predictions.cells(attribute).keys()
    silent = Cell(attribute.name, State.NOT_MENTIONED)
    ids = work.document_ids()
    cells = normalise_column(attribute, [said.get(key, silent) for key in ids])
    pairs = zip(ids, cells, strict=True)
    new = {key: as_predicted(attribute, cell) for key, cell in pairs if key not in known}
    predictions.change(attribute, new)


def as_predicted(attribute: Attribute, cell: Cell) -> PredictedCell:
    """Return a cell that rules read, with its value, as predictions are kept."""
    bare = replace(cell, value=None)
    if cell.state is not State.STATED:
        return PredictedCell(bare)
    text = write_canonical(attribute, cell.value)
    if text is None:
        note = cell.note or "could not be read"
        return PredictedCell(replace(bare, state=State.FAILED, note=note))
    return PredictedCell(bare, text)


_FAILED = f"""
WITH {_ASKED}
SELECT document_id, mode(note), bool_and(state = 'failed'), bool_and(unanswered),
  list(attribute) FILTER (state = 'failed')
FROM predictions SEMI JOIN documents USING (document_id, sha256)
SEMI JOIN asked USING (attribute, attribute_hash)
GROUP BY document_id HAVING bool_or(state = 'failed') ORDER BY document_id
"""  # noqa: S608 - constants


_FAILED_MEMBERS = f"""
WITH {_ASKED}
SELECT table_name || '.' || predicted_rows.attribute, count(*) FROM predicted_rows
SEMI JOIN documents USING (document_id, sha256)
SEMI JOIN asked ON (asked.attribute, asked.attribute_hash)
  = (predicted_rows.table_name, predicted_rows.attribute_hash)
WHERE state = 'failed' GROUP BY ALL
"""  # noqa: S608 - constants


class Unread(NamedTuple):
    """A document with failed cells, of *attributes*; *reason*: why most of them are.

    *is_whole*: whether all of its cells are; *is_asked_again*: whether the next ingestion asks.
    """

    document_id: str
    reason: str
    is_whole: bool
    is_asked_again: bool
    attributes: Sequence[str]


def find_unread(work: WorkDatabase, attributes: Sequence[Attribute]) -> list[Unread]:
    """Return what a language model could not read of *attributes*, as far as it was asked."""
    return [Unread(*row) for row in work.run(_FAILED, *_keys(attributes))] if attributes else []


def count_failed_members(work: WorkDatabase, lists: Sequence[Table]) -> dict[str, int]:
    """Count the cells of the rows of *lists* that a language model could not read, by column."""
    return dict(work.run(_FAILED_MEMBERS, *_keys([*map(list_attribute, lists)]))) if lists else {}


WHERE = re.compile(r"^\s*where\b", re.IGNORECASE)  # agents pass the clause with its first word
_PAGE_ROWS = 1000


def narrow(corpus: Corpus, documents: str = "", where: str = "") -> str:
    """Write the SELECT of the documents that are chosen, empty for all.

    *documents* is a SELECT of ids, *where* SQL that holds for the record of a document. Each is
    checked as SQL from outside is, as a whole statement, and raises QueryError: what runs in a
    larger one is what was checked.
    """
    records, parts = quote_name(corpus.schema().entity), []
    for name, text, sql in (
        ("documents", documents.rstrip(" ;\n"), "SELECT document_id FROM ({}\n)"),
        ("where", WHERE.sub("", where), f"SELECT document_id FROM {records} WHERE ({{}}\n)"),  # noqa: S608 - guarded
    ):
        if text.strip():
            parts.append(sql.format(text))
            try:
                corpus.select(parts[-1], limit=1)
            except QueryError as error:
                msg = f"the SQL in {name} cannot be used: {error}"
                raise QueryError(msg, text) from error
    return "\nINTERSECT ".join(parts)


def read_chosen(corpus: Corpus, narrowed: str) -> list[str]:
    """Return the ids of documents with a text by `narrow`; QueryError where that takes too long."""
    among = f" AND document_id IN ({narrowed}\n)" if narrowed else ""
    sql = f"SELECT document_id FROM documents WHERE characters > 0{among} ORDER BY document_id"  # noqa: S608 - guarded
    ids: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = corpus.select(sql, _PAGE_ROWS, offset)
        ids += [str(document_id) for (document_id,) in page.rows]
        offset = page.next_offset
    return ids


_NOTE = "loose"


def wish_note(wish: str) -> str:
    """Return by which key the state keeps what became of a wish, whatever its case and blanks."""
    folded = " ".join(wish.split()).casefold().encode("utf-8", "replace")
    return f"extension:{hashlib.sha256(folded).hexdigest()[:16]}"


def loose_attributes(work: WorkDatabase, schema: Schema) -> tuple[Attribute, ...]:
    """Return the loose attributes, without those that *schema* has as columns by now."""
    names = {item.name for item in schema.attributes}
    kept = json.loads(work.note(_NOTE) or "[]")
    found = (Attribute.model_validate(item["attribute"]) for item in kept)
    return tuple(item for item in found if item.name not in names)


def keep_loose(work: WorkDatabase, schema: Schema, attributes: Iterable[Attribute]) -> None:
    """Let *attributes* be the loose ones beside *schema* from now on."""
    kept = tuple(attributes)
    text = json.dumps([{"attribute": item.model_dump(mode="json")} for item in kept])
    if text != (work.note(_NOTE) or "[]"):
        work.keep_note(_NOTE, text, is_content=kept != loose_attributes(work, schema))


def with_loose(work: WorkDatabase, schema: Schema) -> Schema:
    """Return *schema* with the loose attributes behind its columns."""
    return schema.model_copy(
        update={"attributes": (*schema.attributes, *loose_attributes(work, schema))}
    )
