"""A loose reading: one attribute, from the documents that somebody chose, and nothing else.

Schema, columns and the engine in force stay as they are.
"""

import time
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from pathlib import Path

from srag_mcp.documents.document import Document, spread_evenly
from srag_mcp.engines.choice import choose_engine
from srag_mcp.engines.model import ModelEngine
from srag_mcp.engines.protocol import Progress, Work
from srag_mcp.errors import NotIngestedError, SchemaError, UselessRepliesError
from srag_mcp.pipeline.file_plan import (
    MAX_SAMPLE,
    MAX_SAMPLE_CHARACTERS,
    find_files,
    settle_tables,
)
from srag_mcp.pipeline.reader_pool import ReaderPool
from srag_mcp.pipeline.record_run import read_missing_records, standardise_columns
from srag_mcp.pipeline.report import IngestReport, finish_report, report_stored, show_values
from srag_mcp.pipeline.schema_choice import define_attribute
from srag_mcp.pipeline.wishes import IngestOptions, read_unfinished
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
from srag_mcp.store.predictions import Predictions
from srag_mcp.store.work import WorkDatabase, hash_schema, open_work

_NOT_BY_RULES = (
    "rules read all documents: keep it as a column, or let a language model read these documents"
    " (--engine model or agent)"
)


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
        SchemaError: If nothing could be made of the attribute, no document is chosen, or no
            language model would read them.
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
            files = find_files(folder, settings)
            found = settle_tables(work, files, "auto", readers, fresh=False).found
            stored = partial(report_stored, place, found, work, by_model=work.is_predicted())
            wanted = options.get("attribute", ""), frozenset(ids)
            chosen = choose_engine(work, settings)
            if not issubclass(chosen, ModelEngine):
                raise SchemaError(_NOT_BY_RULES)
            with chosen.open(Work(work, settings, on_progress, cancelled)) as engine:
                read = partial(_read, engine, corpus, schema, wanted, stored)
                report = finish_report(engine, read, stored)
    if not report.cancelled:
        on_progress(Progress("done", len(ids), len(ids)))
    return replace(report, engine=chosen.name, seconds=time.monotonic() - started)


def _find_schema(work: WorkDatabase, corpus: Corpus) -> Schema:
    """Return the schema in force, by which what is stored is published again."""
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


def _read(
    engine: ModelEngine,
    corpus: Corpus,
    schema: Schema,
    wanted: tuple[str, frozenset[str]],
    stored: Callable[[], IngestReport],
) -> IngestReport:
    """Define the attribute, read it where it was not read before, and publish."""
    work, (wish, ids) = engine.work.database, wanted
    sample = partial(_sample_stored, work, ids)
    engine.work.on_progress(Progress("schema"))
    extension = define_attribute(work, with_loose(work, schema), wish, sample, engine)
    attribute = extension.attribute
    if any(item.name == attribute.name for item in schema.attributes):
        return show_values(replace(stored(), extension=extension), corpus, attribute.name)
    before = loose_attributes(work, schema)
    # its own place: another one would be another table
    place = next((n for n, x in enumerate(before) if x.name == attribute.name), len(before))
    keep_loose(work, schema, [*before[:place], attribute, *before[place + 1 :]])
    alone = schema.model_copy(update={"attributes": (attribute,)})
    try:
        asked = read_missing_records(work, alone, engine, among=ids)
        n_standardised, n_unsettled = standardise_columns(work, alone, engine)
    except UselessRepliesError:
        if extension.added:
            keep_loose(work, schema, [x for x in before if x.name != attribute.name])
        raise
    n_read = len(Predictions(work).cells(attribute))
    build = publish_changes(work, schema)
    report = replace(
        stored(),
        published=build is not None,
        n_predicted=len(asked),
        n_standardised=n_standardised,
        n_unsettled=n_unsettled,
        extension=extension,
        n_read=n_read,
    )
    return show_values(report, corpus, attribute.name)


def _sample_stored(work: WorkDatabase, ids: Collection[str]) -> list[Document]:
    """Take documents as they were read, of those that are chosen: their texts are enough."""
    documents: list[Document] = []
    n_left = MAX_SAMPLE_CHARACTERS
    for item in Predictions(work).texts(spread_evenly(sorted(ids), MAX_SAMPLE)):
        documents.append(
            Document(item.document_id, item.path, item.title, "", item.sha256, item.text)
        )
        n_left -= len(item.text)
        if n_left < 0:
            break
    return documents


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
