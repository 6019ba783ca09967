"""Ingestion: a folder of documents becomes a published build (S-RAG 3.2)."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack

from srag_mcp.documents.document import Document
from srag_mcp.errors import BudgetError, CorpusError, ReplyError, SchemaError
from srag_mcp.pipeline.engine import CancelledError, Thinker, choose_engine, open_thinker
from srag_mcp.pipeline.extension import extend, recall_extension, remember_extension
from srag_mcp.pipeline.extraction_run import ExtractionRun
from srag_mcp.pipeline.file_plan import FoundFiles, find_files, plan_files
from srag_mcp.pipeline.options import IngestOptions
from srag_mcp.pipeline.question_coverage import find_uncovered
from srag_mcp.pipeline.reader_pool import default_processes
from srag_mcp.pipeline.report import IngestReport, Progress
from srag_mcp.pipeline.sample_questions import tidy_questions
from srag_mcp.pipeline.sampling import read_sample
from srag_mcp.pipeline.schema_choice import (
    SchemaWish,
    put_schema_in_force,
    replace_schema_in_force,
)
from srag_mcp.pipeline.stored_report import report_stored
from srag_mcp.pipeline.thought import Thought, Thoughts
from srag_mcp.schema.extension import Extension
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.build import publish, published_info
from srag_mcp.store.layout import CorpusFolder
from srag_mcp.store.work import WorkDatabase
from srag_mcp.store.work_opening import open_work

_MAX_NAMED = 5


@dataclass(frozen=True, slots=True)
class _Run:
    """What the steps of one ingestion share."""

    folder: Path
    settings: Settings
    n_processes: int
    found: FoundFiles
    wish: SchemaWish
    on_progress: Callable[[Progress], None]
    cancelled: Callable[[], bool]
    attribute: str


def ingest(
    folder: Path,
    settings: Settings,
    *,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    cancelled: Callable[[], bool] = lambda: False,
    **options: Unpack[IngestOptions],
) -> IngestReport:
    """Build or update the table of a corpus; start it again after anything to go on.

    The settings say who does the thinking. Documents that are finished and have not changed are not
    read again. Readers see the old build
    until the new one is whole.

    Args:
        folder: The documents, or a folder with a `documents/` folder inside.
        settings: Limits, number of processes, place of the state.
        on_progress: Called after each step.
        cancelled: Asked between documents; when true, what is finished is kept and the report says
            so.
        options: See `IngestOptions`.

    Raises:
        CorpusError: If the folder cannot be used, or none of its files can be read.
        SchemaError: If a schema that a person wrote cannot be used.
        LockedError: If another process ingests this corpus.
        SettingsError: If a language model is wanted and none is named.
        ModelStoppedError: If the language model cannot be asked any more; what it said is kept.
        StoreError: If the databases cannot be written; the old build stays.
    """
    started = time.monotonic()
    on_progress(Progress("finding"))
    found = find_files(folder, settings, options.get("rows", "auto"))
    run = _Run(
        folder=folder.expanduser().resolve(),
        settings=settings,
        n_processes=settings.workers or default_processes(),
        found=found,
        wish=SchemaWish(
            options.get("schema"),
            tuple(tidy_questions(options.get("questions", ()))),
            options.get("fresh", False),
        ),
        on_progress=on_progress,
        cancelled=cancelled,
        attribute=options.get("attribute", ""),
    )
    state = CorpusFolder(folder, settings.home).writable()
    with open_work(state) as work:
        if run.wish.fresh:
            work.forget_failures()
        engine = choose_engine(work, settings)
        with open_thinker(work, settings, engine, cancelled) as thinker:
            report = _ingest(run, work) if thinker is None else _think(run, work, thinker)
    if not report.cancelled:
        if engine == "offline":
            uncovered = find_uncovered(folder, settings, run.wish.questions)
            report = replace(report, uncovered=uncovered)
        asked = run.wish.questions
        n_tried = len(asked) if engine == "offline" else settings.schema_questions
        report = report.with_questions(asked[:n_tried], asked[n_tried:])
        on_progress(Progress("done", report.n_documents, report.n_documents))
    return replace(report, engine=engine, seconds=time.monotonic() - started)


def _think(run: _Run, work: WorkDatabase, thinker: Thinker) -> IngestReport:
    """Ingest with a language model; what stops it before the end is told in the report."""
    thought = Thought(work, thinker, run.settings, run.on_progress)
    try:
        report = _ingest(run, work, thought)
        if not report.cancelled:
            uncovered = thought.find_uncovered(run.folder, run.wish.questions)
            report = replace(report, uncovered=uncovered)
    except CancelledError:
        report = replace(_report_stored(run, work, by_model=True), cancelled=True)
    except BudgetError as error:
        stored = _report_stored(run, work, by_model=True)
        report = replace(stored, cancelled=True, stopped=str(error))
    except (ReplyError, SchemaError):  # the same replies would end the next run, too
        thinker.model.drop_useless()
        raise
    taken = thinker.replies.unsettled()
    if not report.cancelled:
        thinker.model.drop_useless()
        thinker.replies.settle()
    return replace(report, taken=taken)


def _ingest(run: _Run, work: WorkDatabase, thought: Thought | None = None) -> IngestReport:
    predict = None if thought is None else thought.predict_schema
    schema = put_schema_in_force(work, run.folder, run.wish, lambda: _sample(run), predict)
    extension = None
    if run.attribute:
        schema, extension = _extend(run, work, schema, None if thought is None else thought.thinker)
    plan = plan_files(work, run.found, schema, run.n_processes)
    extraction = ExtractionRun(work, plan)
    extraction.finish(run.n_processes, run.on_progress, run.cancelled)
    thoughts = Thoughts()
    if thought is None:
        work.put_engine_in_force("offline")
    elif not extraction.cancelled:
        thoughts = thought.predict_records(schema)
    published = not extraction.cancelled and _publish(run, work, schema)
    return replace(
        _report_stored(run, work, by_model=thought is not None),
        published=published,
        cancelled=extraction.cancelled,
        n_extracted=extraction.n_extracted,
        n_unchanged=work.n_documents() - extraction.n_extracted,
        n_removed=extraction.n_removed,
        n_predicted=thoughts.n_predicted,
        n_standardised=thoughts.n_standardised,
        extension=extension,
    )


def _extend(
    run: _Run, work: WorkDatabase, schema: Schema, thinker: Thinker | None
) -> tuple[Schema, Extension]:
    """Add the attribute that is wished for, unless it is there."""
    known = recall_extension(work, schema, run.attribute)
    if known is not None:
        return schema, known
    extended, extension = extend(schema, run.attribute, _sample(run), thinker)
    remember_extension(work, run.attribute, extension)
    return replace_schema_in_force(work, extended) if extension.added else schema, extension


def _report_stored(run: _Run, work: WorkDatabase, *, by_model: bool) -> IngestReport:
    return report_stored(run.folder, run.found, work, by_model=by_model)


def _sample(run: _Run) -> Sequence[Document]:
    """Read the sample for a schema.

    Raises:
        CorpusError: If no file can be read, so that there is nothing to learn from.
    """
    run.on_progress(Progress("schema"))
    sample = read_sample(run.found, run.n_processes)
    if sample.documents:
        return sample.documents
    problems = [str(item) for item in (*sample.failed, *run.found.failed, *run.found.skipped)]
    named = "; ".join(problems[:_MAX_NAMED])
    more = f" and {len(problems) - _MAX_NAMED} more" if len(problems) > _MAX_NAMED else ""
    msg = f"none of the files of {run.folder} could be read: {named}{more}"
    raise CorpusError(msg)


def _publish(run: _Run, work: WorkDatabase, schema: Schema) -> bool:
    """Publish, unless the present build has the same content; say whether it was done."""
    info = published_info(work.state)
    if info is not None and info.revision == work.revision:
        return False

    def on_column(done: int, total: int, name: str) -> None:
        run.on_progress(Progress("normalising", done, total, name))

    publish(work, schema, on_column=on_column)
    run.on_progress(Progress("publishing", 1, 1))
    return True
