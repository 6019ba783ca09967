"""A loose reading: one attribute, from the documents that somebody chose, and nothing else.

Schema, columns and the engine in force stay as they are.
"""

import time
from collections.abc import Callable, Collection
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from srag_mcp.cells.cell import Cell
from srag_mcp.documents.document import Document, spread_evenly
from srag_mcp.engines.choice import choose_engine
from srag_mcp.engines.model import ModelEngine
from srag_mcp.engines.protocol import CancelledError, Engine, Progress, Work
from srag_mcp.errors import CorpusError, NotIngestedError, SchemaError, UselessRepliesError
from srag_mcp.pipeline.file_plan import (
    MAX_SAMPLE,
    MAX_SAMPLE_CHARACTERS,
    FoundFiles,
    find_files,
    read_sample,
    without_copies,
)
from srag_mcp.pipeline.reader_pool import Extracted, ExtractTask, ReaderPool
from srag_mcp.pipeline.record_run import Standardised, read_missing_records, standardise_columns
from srag_mcp.pipeline.report import IngestReport, finish_report, report_stored, show_values
from srag_mcp.pipeline.schema_choice import check_rules, define_attribute
from srag_mcp.pipeline.table_mode import settle_tables
from srag_mcp.pipeline.wishes import IngestOptions, read_unfinished
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.build import publish_changes
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.layout import CorpusFolder
from srag_mcp.store.loose import (
    keep_loose,
    loose_attributes,
    narrow,
    read_chosen,
    with_loose,
)
from srag_mcp.store.predictions import Predictions, store_rule_cells
from srag_mcp.store.work import WorkDatabase, hash_schema, open_work, read_cell
from srag_mcp.values.states import State


@dataclass(frozen=True, slots=True)
class _Reading:
    """What the steps of one loose reading share; *ids* are those of the documents chosen."""

    folder: Path
    work: WorkDatabase
    schema: Schema
    readers: ReaderPool
    found: FoundFiles
    ids: frozenset[str]
    wish: str
    on_progress: Callable[[Progress], None]
    cancelled: Callable[[], bool]

    def report(self) -> IngestReport:
        """Report what is stored by now."""
        by_model = self.work.is_predicted()
        return report_stored(self.folder, self.found, self.work, by_model=by_model)


def read_loosely(
    folder: Path,
    settings: Settings,
    on_progress: Callable[[Progress], None],
    cancelled: Callable[[], bool],
    options: IngestOptions,
) -> IngestReport:
    """Read the attribute of *options* from the documents that these choose, and publish it.

    Start it again after anything to go on: what was read for it is not read again.

    Raises:
        NotIngestedError: If there is no whole table that it could stand beside.
        SchemaError: If nothing could be made of the attribute, or no document is chosen.
        QueryError: If the documents cannot be chosen so.
        LockedError, SettingsError, ModelStoppedError, StoreError: As `ingest`.
    """
    started = time.monotonic()
    on_progress(Progress("finding"))
    place = folder.expanduser().resolve()
    readers = ReaderPool(settings.workers, settings.document_timeout_s)
    with QueryPool() as pool:
        corpus = Corpus(place, pool, settings.home)
        ids = read_chosen(corpus, narrow(corpus, options.get("documents", "")))
        if not ids:
            msg = f"no document that has a text is chosen by: {options.get('documents')}"
            raise SchemaError(msg)
        with open_work(CorpusFolder(folder, settings.home).writable()) as work:
            schema = _find_schema(work, corpus)
            found = without_copies(find_files(folder, settings), work)
            reading = _Reading(
                folder=place,
                work=work,
                schema=schema,
                readers=readers,
                found=settle_tables(work, found, "auto", readers, fresh=False).found,
                ids=frozenset(ids),
                wish=options.get("attribute", ""),
                on_progress=on_progress,
                cancelled=cancelled,
            )
            chosen = choose_engine(work, settings)
            with chosen.open(Work(work, settings, on_progress, cancelled)) as engine:
                think = partial(_read, reading, corpus, engine)
                report = finish_report(engine, think, reading.report)
    if not report.cancelled:
        on_progress(Progress("done", len(ids), len(ids)))
    return replace(report, engine=chosen.name, seconds=time.monotonic() - started)


def _find_schema(work: WorkDatabase, corpus: Corpus) -> Schema:
    """Return the schema in force, by which what is stored is published again.

    Raises:
        NotIngestedError: If an ingestion did not end: half of a table would be published.
    """
    present, published = work.schema_in_force(), corpus.kept_schema()
    is_same = work.revision == corpus.info().revision
    is_ended = present is not None and hash_schema(present.schema.shown()) == hash_schema(published)
    is_ended = is_ended and read_unfinished(work.state) is None
    if present is None or not (is_same or is_ended):
        msg = (
            f"the last ingestion of {corpus.name} did not end: call ingest_corpus with"
            f" corpus={corpus.name!r}, which goes on with it, and then ask for this again"
        )
        raise NotIngestedError(msg)
    return present.schema


def _read(reading: _Reading, corpus: Corpus, engine: Engine) -> IngestReport:
    """Define the attribute, read it where it was not read before, and publish."""
    work, schema = reading.work, reading.schema
    sample = partial(_sample_stored if engine.asks else _sample_files, reading)
    reading.on_progress(Progress("schema"))
    extension = define_attribute(work, with_loose(work, schema), reading.wish, sample, engine)
    attribute = extension.attribute
    if any(item.name == attribute.name for item in schema.attributes):
        return show_values(replace(reading.report(), extension=extension), corpus, attribute.name)
    before = loose_attributes(work, schema)
    # its own place: another one would be another table
    place = next((n for n, x in enumerate(before) if x.name == attribute.name), len(before))
    keep_loose(work, schema, [*before[:place], attribute, *before[place + 1 :]])
    asked: Collection[str] = ()
    standardised, told = Standardised(), ""
    if isinstance(engine, ModelEngine):
        alone = schema.model_copy(update={"attributes": (attribute,)})
        on_progress = reading.on_progress
        try:
            asked = read_missing_records(work, alone, engine, among=reading.ids)
            standardised = standardise_columns(work, alone, engine, on_progress)
        except UselessRepliesError:
            if extension.added:
                keep_loose(work, schema, [x for x in before if x.name != attribute.name])
            raise
    else:
        told = _read_by_rules(reading, attribute)
    n_read = len(Predictions(work).cells(attribute))
    build = publish_changes(work, schema)
    stored = reading.report()
    report = replace(
        stored,
        published=build is not None,
        n_predicted=len(asked),
        n_standardised=standardised.n_changed,
        n_unsettled=standardised.n_unsettled,
        extension=extension,
        n_read=n_read,
        warnings=(*stored.warnings, *filter(None, (told,))),
    )
    return show_values(report, corpus, attribute.name)


def _sample_stored(reading: _Reading) -> list[Document]:
    """Take documents as they were read, of those that are chosen: their texts are enough."""
    documents: list[Document] = []
    n_left = MAX_SAMPLE_CHARACTERS
    for item in Predictions(reading.work).texts(spread_evenly(sorted(reading.ids), MAX_SAMPLE)):
        documents.append(
            Document(item.document_id, item.path, item.title, "", item.sha256, item.text)
        )
        n_left -= len(item.text)
        if n_left < 0:
            break
    return documents


def _chosen_files(reading: _Reading) -> tuple[FoundFiles, dict[str, str]]:
    """Return the files of the documents that are chosen, and the sha256 of these by their ids."""
    known = reading.work.known_documents(reading.work.paths_of_documents())
    chosen = {
        path: {key: sha256 for key, sha256 in documents.items() if key in reading.ids}
        for path, documents in known.items()
    }
    sources = tuple(item for item in reading.found.sources if chosen.get(item.relative))
    sha256s = {key: value for documents in chosen.values() for key, value in documents.items()}
    return replace(reading.found, sources=sources), sha256s


def _sample_files(reading: _Reading) -> list[Document]:
    """Read a sample of the documents that are chosen, with the blocks that rules are learnt from.

    Raises:
        CorpusError: If they are gone, or have changed since they were read.
    """
    found, sha256s = _chosen_files(reading)
    documents = [
        item
        for item in read_sample(found, reading.readers).documents
        if sha256s.get(item.id) == item.sha256
    ]
    if not documents:
        msg = "the documents that are chosen are gone, or not as they were read: ingest them again"
        raise CorpusError(msg)
    return documents


def _read_by_rules(reading: _Reading, attribute: Attribute) -> str:
    """Keep what the rules of *attribute* read; return what a person should know of it.

    Raises:
        SchemaError: If a language model has defined it, so that there are no rules.
    """
    if not reading.ids <= Predictions(reading.work).cells(attribute).keys():
        check_rules(reading.work, attribute, is_column=False)
    found, sha256s = _chosen_files(reading)
    schema_json = Schema(title="Record", attributes=(attribute,)).model_dump_json()
    tasks = [ExtractTask(item, found.rows_of(item), schema_json) for item in found.sources]
    read: list[tuple[str, str, Cell]] = []
    with closing(reading.readers.perform(tasks)) as replies:
        for reply in replies:
            for item in reply.documents if isinstance(reply, Extracted) else ():
                if sha256s.get(item.document_id) == item.sha256:
                    cells = [*map(read_cell, item.cells), Cell(attribute.name, State.NOT_MENTIONED)]
                    read.append((item.document_id, item.sha256, cells[0]))
            reading.on_progress(Progress("extracting", len(read), len(sha256s), reply.path))
            if reading.cancelled():
                raise CancelledError
    store_rule_cells(reading.work, attribute, read)
    n_lost = len(sha256s) - len(read)
    return f"{n_lost} documents have changed since they were read: ingest again" if n_lost else ""


def drop_loose(folder: Path, settings: Settings, name: str) -> None:
    """Publish the table without the loose attribute *name*.

    Raises:
        NotIngestedError: If there is no whole table.
        SchemaError: If there is no such attribute; the text names those there are.
    """
    with QueryPool() as pool, open_work(CorpusFolder(folder, settings.home).writable()) as work:
        schema = _find_schema(work, Corpus(folder, pool, settings.home))
        loose = loose_attributes(work, schema)
        left = [item for item in loose if item.name != name]
        if len(left) == len(loose):
            names = ", ".join(item.name for item in loose) or "none"
            msg = f"no attribute {name!r} was read without being kept; there are: {names}"
            raise SchemaError(msg)
        keep_loose(work, schema, left)
        publish_changes(work, schema)
