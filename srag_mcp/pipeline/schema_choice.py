"""Which schema is followed: the user's, the one in force, or one that is induced from a sample."""

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from srag_mcp.cells.cell import is_predicted
from srag_mcp.documents.document import Document
from srag_mcp.documents.folder import SCHEMA_FILE
from srag_mcp.documents.json_text import VALUES_INSIDE
from srag_mcp.documents.table_files import ColumnSample
from srag_mcp.documents.tables import column_key
from srag_mcp.engines.protocol import Engine, SchemaSample
from srag_mcp.errors import CorpusError, NotIngestedError, SchemaError
from srag_mcp.pipeline.file_plan import NO_TABLES, SettledTables
from srag_mcp.pipeline.wishes import tidy_wish
from srag_mcp.rules.child_tables import build_pending
from srag_mcp.rules.induction import induce_columns, learn_extractors
from srag_mcp.rules.table_columns import are_rows, with_columns, with_lists
from srag_mcp.schema.attribute import Attribute, snake_case
from srag_mcp.schema.edits import find_sources, hide, without_stale
from srag_mcp.schema.json_schema import find_schema_file, read_schema_file, schema_to_json
from srag_mcp.schema.rounds import Extension, find_attribute, find_wished
from srag_mcp.schema.schema import RESERVED_TABLES, ListName, Schema
from srag_mcp.settings import Settings
from srag_mcp.store.build import BuildInfo, published_info
from srag_mcp.store.corrections import read_corrections, write_corrections
from srag_mcp.store.layout import CorpusFolder, says_kinds, write_atomically
from srag_mcp.store.predictions import (
    Predictions,
    keep_loose,
    loose_attributes,
    wish_note,
    with_loose,
)
from srag_mcp.store.state import open_state
from srag_mcp.store.takeover import add_decision, find_left_out, forget_decisions, put_in_force
from srag_mcp.store.work import SchemaInForce, WorkDatabase, hash_schema, open_work

Sample = Callable[[], Sequence[Document]]

INDUCED = "induced"
PREDICTED = "predicted"
_HIDDEN_PREFIX = "srag_"
_GENERIC_ENTITY = "records"
_KEYWORD = "SELECT keyword_category FROM duckdb_keywords() WHERE keyword_name = ?"
_ADDING = "extension"
_SOUGHT = "lists_sought"
_COLUMNS = "columns_of_tables"  # all that the tables have had


@dataclass(frozen=True, slots=True)
class SchemaWish:
    """What the caller asks of the schema.

    Attributes:
        tables: What the table files of the corpus are; their columns need no induction.
        lists: Whether lists that a model proposed are read.
    """

    given: Schema | None = None
    questions: tuple[str, ...] = ()
    fresh: bool = False
    tables: SettledTables = NO_TABLES
    lists: bool = True


def put_schema_in_force(
    work: WorkDatabase, folder: Path, wish: SchemaWish, sample: Sample, engine: Engine
) -> Schema:
    """Decide on the schema, make it the one in force and write it to `.srag/schema.json`.

    A schema given wins, then `schema.json` in the folder, then an edited `.srag/schema.json`, then
    the one in force, then what *engine* finds. What a person wrote counts once: as long as it does
    not change, the schema in force stays. One that rules found gives way to a model's.

    Raises:
        SchemaError: If a schema that a person wrote cannot be used; the text names the file.
    """
    present = work.schema_in_force()
    schema, origin = find_known_schema(work, present, folder, wish, engine.asks)
    if schema is None:
        origin = PREDICTED if engine.asks else INDUCED
        schema = _find(work, folder, wish, sample, engine)
        if not engine.asks:
            forget_decisions(work)
    elif present is None or schema is not present.schema:  # a person wrote it, maybe without rules
        is_learnt = all(
            item.extractors or _is_taken_over(present, item) for item in schema.attributes
        )
        schema = schema if is_learnt else learn_extractors(schema, sample(), wish.questions)
    elif added := _new_columns(work, wish.tables, present):
        schema = with_columns(schema, added)
    elif engine.asks and wish.lists and schema.pending_lists:
        schema = _build_pending(work, schema, sample)
    elif {"objects", "values"}.intersection(item.holds for item in schema.lists):
        # of earlier versions, which had no tables for lists
        schema = with_lists(schema, wish.tables.columns()[1])
    path = work.state / SCHEMA_FILE
    if wish.fresh and path.is_file():  # a person may have edited it
        version = 0 if present is None else present.schema.version
        shutil.copyfile(path, path.with_name(f"{path.stem}-{version}{path.suffix}"))
    known = {column_key(x.name) for x in _filled_columns(wish.tables)}
    with work.transaction():
        if known:
            work.keep_note(_COLUMNS, json.dumps(sorted(known | _columns_before(work))))
        return put_edit_in_force(work, schema, origin)


def _filled_columns(tables: SettledTables) -> list[ColumnSample]:
    """Return the columns of tables that changed; those of others were there before."""
    return [x for x in tables.columns()[0] if x.n_filled] if tables.are_changed else []


def _columns_before(work: WorkDatabase) -> set[str]:
    return {*json.loads(work.note(_COLUMNS) or "[]")}


def _new_columns(
    work: WorkDatabase, tables: SettledTables, present: SchemaInForce
) -> list[ColumnSample]:
    """Return the columns that no table had before: others that the schema lacks were dropped."""
    before = _columns_before(work)
    if not before or not _states_columns(present):
        return []
    return [x for x in _filled_columns(tables) if column_key(x.name) not in before]


def _build_pending(work: WorkDatabase, schema: Schema, sample: Sample) -> Schema:
    """Let code read what it can of lists that stayed pending; that is tried once."""
    pending = "; ".join(map(str, schema.pending_lists))
    if work.note(_SOUGHT) == pending:
        return schema
    work.keep_note(_SOUGHT, pending)
    documents = sample()
    return schema if are_rows(documents) else build_pending(schema, documents)


def _is_taken_over(present: SchemaInForce | None, attribute: Attribute) -> bool:
    """Whether *attribute* is a column of before, for which no rules were found then."""
    known = find_sources(present.schema, attribute) if present else ()
    return any(item.synonyms == attribute.synonyms or item.name != attribute.name for item in known)


def find_known_schema(
    work: WorkDatabase,
    present: SchemaInForce | None,
    folder: Path,
    wish: SchemaWish,
    predicts: bool,
) -> tuple[Schema | None, str]:
    """Return the schema that an ingestion would follow, and where it is from.

    It is what a person wrote, else that of *present* if it stays; None if one is to be found.
    *predicts*: whether a language model would, so that an induced one does not stay.

    Raises:
        SchemaError: If a schema that a person wrote cannot be used.
    """
    schema, origin = _wanted(folder, wish)
    if schema is None or (present is not None and present.origin == origin):
        schema = None if wish.fresh else _edited(work, present)
        origin = present.origin if present else INDUCED
    if schema is not None or present is None or wish.fresh:
        return schema, origin
    if not present.schema.attributes and wish.given is None:  # given again, it is to be empty
        return None, origin
    is_other = wish.tables.is_other and (origin == INDUCED or _states_columns(present))
    return (None if is_other or (predicts and origin == INDUCED) else present.schema), origin


def _states_columns(present: SchemaInForce) -> bool:
    """Whether the schema was made of the columns of table files."""
    is_found = present.origin in {INDUCED, PREDICTED}
    return is_found and any(item.is_column for item in present.schema.attributes)


@contextmanager
def open_decided(
    folder: Path, settings: Settings
) -> Iterator[tuple[WorkDatabase, SchemaInForce, BuildInfo]]:
    """Open what a person decides on: the work database, its schema, and the build that shows it.

    Raises:
        CorpusError: If *folder* is a build alone.
        NotIngestedError: If it has no table yet.
    """
    if not folder.is_dir():
        msg = f"{folder} is a build alone: it is decided on in the folder of its documents"
        raise CorpusError(msg)
    with open_work(CorpusFolder(folder, settings.home).writable()) as work:
        present, info = work.schema_in_force(), published_info(work.state, work.connection)
        if present is None or info is None:
            msg = f"{folder} has no table yet: ingest it first"
            raise NotIngestedError(msg)
        yield work, present, info


def put_edit_in_force(work: WorkDatabase, schema: Schema, origin: str = "") -> Schema:
    """Number *schema*, write it to `.srag/schema.json`, and follow it as if a person had edited it.

    No document is read for it, so no rules are learnt. The file comes first: a crash between looks
    like an edit. Without an *origin* that of the schema in force stays.
    """
    present, schema = work.schema_in_force(), without_stale(schema)
    if present is not None:
        changed = hash_schema(schema) != hash_schema(present.schema)
        schema = schema.model_copy(update={"version": present.schema.version + changed})
    path = work.state / SCHEMA_FILE
    if schema.attributes:
        text = json.dumps(schema_to_json(schema), indent=2, ensure_ascii=False)
        if not path.is_file() or path.read_text(encoding="utf-8", errors="replace") != text:
            write_atomically(path, text)
        work.keep_note("schema_file", _hash(path.read_bytes()))
    else:
        path.unlink(missing_ok=True)
    kept = put_in_force(work, schema, origin or (present.origin if present else INDUCED))
    if kept != read_corrections(work.state):
        write_corrections(work.state, kept)
    return schema


def _find(
    work: WorkDatabase, folder: Path, wish: SchemaWish, sample: Sample, engine: Engine
) -> Schema:
    words = folder.resolve().name.replace("_", " ").replace("-", " ").split()
    title = " ".join(words) or _GENERIC_ENTITY
    title = title[:1].upper() + title[1:]
    entity = _name_entity(work, title)
    present, tables = work.schema_in_force(), wish.tables
    columns, lists = tables.columns()
    rows = tables.found.rows
    if columns and not (engine.asks and rows is not None and not rows.alone):
        schema = induce_columns(columns, lists, title=title, entity=entity, file=tables.file)
        stays = not wish.fresh and not tables.is_other
        if stays and present is not None and _states_columns(present):
            schema = present.schema  # a person may have edited it
        return engine.complete(schema, wish.questions)
    found = engine.predict_schema(SchemaSample(sample, wish.questions, title, entity))
    found = found.model_copy(update={"entity": _name_entity(work, found.entity)})
    found = with_lists(found, lists)
    inside = {f"{x.name}.{name}" for item in sample() for x in item.listings for name in x.inside}
    left = sorted(inside - {item.name for item in found.lists})
    told = (ListName(name=name, holds=VALUES_INSIDE) for name in left)
    return found.model_copy(update={"lists": (*found.lists, *told)})


def _name_entity(work: WorkDatabase, title: str) -> str:
    """Make the name of the record table: no other table, and no word that SQL keeps for itself."""
    name = snake_case(title) or _GENERIC_ENTITY
    if name in RESERVED_TABLES or name.startswith(_HIDDEN_PREFIX):
        return _GENERIC_ENTITY
    is_kept = ("reserved",) in work.run(_KEYWORD, name)
    return f"{name}_{_GENERIC_ENTITY}" if is_kept else name


def _wanted(folder: Path, wish: SchemaWish) -> tuple[Schema | None, str]:
    """Return the schema that a person gave, and words that tell it from another one."""
    if wish.given is not None:
        return _checked(wish.given, "the schema given"), f"given:{hash_schema(wish.given)}"
    path = find_schema_file(folder)
    if wish.fresh or path is None:
        return None, ""
    schema = _checked(read_schema_file(path), str(path))
    return schema, f"folder:{hash_schema(schema)}"


def _edited(work: WorkDatabase, present: SchemaInForce | None) -> Schema | None:
    """Return the schema of `.srag/schema.json` if a person changed it."""
    path = work.state / SCHEMA_FILE
    if not path.is_file() or says_kinds(work.state):
        return None
    if _hash(path.read_bytes()) == work.note("schema_file"):
        return None
    schema = _checked(read_schema_file(path), str(path))
    is_same = present is not None and schema.tables == present.schema.tables
    return None if is_same else schema


def _checked(schema: Schema, who: str) -> Schema:
    if schema.entity.startswith(_HIDDEN_PREFIX):
        msg = (
            f"{who} calls the record table {schema.entity!r}; names that begin with"
            f" {_HIDDEN_PREFIX!r} are taken, choose another x-entity"
        )
        raise SchemaError(msg)
    return schema


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def define_attribute(
    work: WorkDatabase, schema: Schema, wish: str, sample: Sample, engine: Engine
) -> Extension:
    """Define the attribute that *wish* describes, or find it in *schema*, which has loose ones too.

    One that was left out when the columns were chosen is defined already. What became of the same
    wish before holds as long as its attribute is there: one that was stopped goes on when it is
    asked for again, and must not add another one.

    Raises:
        SchemaError: If the wish is empty or too long, or nothing could be made of it.
        ModelError: If no reply could be had.
        CancelledError: If somebody wants it to stop.
    """
    tidy = tidy_wish(wish)
    note = wish_note(tidy)
    with open_state(work.state) as state:
        before = state.note(note) or work.note(note)  # there, of earlier versions
    known = find_wished(schema.attributes, before, tidy)
    left_out = find_wished(find_left_out(work.state, schema), before, tidy)
    if known is not None:
        extension = Extension(known, added=False)
    elif left_out is not None:
        extension = Extension(left_out, added=True, rationale="it was proposed and left out")
    else:
        extension = engine.define(tidy, schema, sample())
    with open_state(work.state) as state:
        state.keep_note(note, extension.attribute.name)
    return extension


def extend_schema_in_force(
    work: WorkDatabase, schema: Schema, wish: str, sample: Sample, engine: Engine
) -> tuple[Schema, Extension]:
    """Add the attribute that *wish* describes to *schema*, unless it is there.

    One that is loose becomes a column, and keeps what was read for it. The attribute counts as
    added until it is published. Raises as `define_attribute`, and SchemaError where rules cannot go
    on with a loose attribute.
    """
    sample = cache(sample)
    extension = define_attribute(work, with_loose(work, schema), wish, sample, engine)
    name = extension.attribute.name
    if find_attribute(schema, name) is not None:
        if extension.attribute.hidden:
            schema = put_edit_in_force(work, hide(schema, name, hidden=False))
            return schema, replace(extension, attribute=schema.attribute(name))
        return schema, replace(extension, added=work.note(_ADDING) == name)
    attributes = (*schema.attributes, extension.attribute)
    extended = schema.model_copy(update={"attributes": attributes})
    extended = learn_extractors(extended, sample(), (tidy_wish(wish),))
    if not engine.asks:
        _check_rules(work, extended.attribute(name))
    work.keep_note(_ADDING, name)
    schema = put_edit_in_force(work, extended)
    add_decision(work.state, wish, extension)
    return schema, replace(extension, attribute=schema.attribute(name), added=True)


def _check_rules(work: WorkDatabase, attribute: Attribute) -> None:
    """Make sure that rules can go on with a column that a language model may have defined."""
    read = Predictions(work).cells(attribute).values()
    is_lost = not work.is_predicted() and any(is_predicted(item.cell.engine) for item in read)
    if is_lost or not attribute.extractors:
        msg = (
            f"{attribute.name} was defined by a language model, and rules cannot go on with it: use"
            " one (--engine model or agent)"
        )
        raise SchemaError(msg)


def finish_extension(work: WorkDatabase, schema: Schema) -> None:
    """Take note that the attribute that was being added to *schema* is published."""
    keep_loose(work, schema, loose_attributes(work, schema))
    work.keep_note(_ADDING, "")


def withdraw_extension(work: WorkDatabase, schema: Schema, extension: Extension) -> None:
    """Take an added attribute out again: later ingestions must not end by it."""
    name = extension.attribute.name
    left = tuple(item for item in schema.attributes if item.name != name)
    put_edit_in_force(work, schema.model_copy(update={"attributes": left}))
    work.keep_note(_ADDING, "")
