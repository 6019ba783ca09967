"""Ingestion: a folder of documents becomes a published build (S-RAG 3.2)."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from srag_mcp.errors import BudgetError, ReplyError, SchemaError, UselessRepliesError
from srag_mcp.model.agent_model import AGENT
from srag_mcp.pipeline.engine import (
    CancelledError,
    Engine,
    Thinker,
    choose_engine,
    open_thinker,
)
from srag_mcp.pipeline.extension import (
    extend,
    finish_extension,
    recall_extension,
    remember_extension,
)
from srag_mcp.pipeline.extraction_run import ExtractionRun
from srag_mcp.pipeline.file_plan import plan_files
from srag_mcp.pipeline.question_coverage import find_uncovered
from srag_mcp.pipeline.report import IngestReport, Progress
from srag_mcp.pipeline.rule_addition import add_by_rules
from srag_mcp.pipeline.run import Run, plan_run, sample_documents
from srag_mcp.pipeline.schema_choice import (
    put_schema_in_force,
    replace_schema_in_force,
)
from srag_mcp.pipeline.schema_prediction import add_decision
from srag_mcp.pipeline.stored_report import report_stored
from srag_mcp.pipeline.table_mode import remember_tables, settle_tables
from srag_mcp.pipeline.thought import Thought, Thoughts
from srag_mcp.pipeline.wishes import (
    IngestOptions,
    forget_fresh,
    go_on,
    remember_unfinished,
    remembered,
)
from srag_mcp.schema.extension import Extension
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.build import publish, published_info
from srag_mcp.store.layout import CorpusFolder
from srag_mcp.store.work import WorkDatabase, open_work


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
    read again. What is not given is as it was for an ingestion that did not end. Readers see the
    old build until the new one is whole.

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
    continued = go_on(folder, settings, options)
    run = plan_run(folder, continued, on_progress, cancelled)
    state = CorpusFolder(folder, settings.home).writable()
    with open_work(state) as work:
        if run.wish.fresh:
            work.forget_failures()
        settled = settle_tables(work, run.found, run.rows, run.readers, fresh=run.wish.fresh)
        run = replace(run, found=settled.found, wish=replace(run.wish, tables=settled))
        engine = choose_engine(work, run.settings)
        wish = run.unfinished(engine)
        with (
            open_thinker(work, run.settings, engine, cancelled) as thinker,
            remembered(state, wish, lambda: engine == AGENT or _has_replies(thinker)),
        ):
            report = _ingest(run, work) if thinker is None else _think(run, work, thinker)
        adds_by_rules = engine == "offline" and work.engine_in_force() != "offline"
    if not report.cancelled:
        if wish is not None:
            remember_unfinished(state, None)
        if not adds_by_rules:  # the questions are for the engine that read the documents
            report = _with_questions(run, report, engine)
        on_progress(Progress("done", report.n_documents, report.n_documents))
    seconds = time.monotonic() - started
    return replace(report, engine=engine, resumed=continued.taken_over, seconds=seconds)


def _has_replies(thinker: Thinker | None) -> bool:
    total = None if thinker is None else thinker.model.ledger.total
    return total is not None and total.n_calls + total.n_cached > 0


def _with_questions(run: Run, report: IngestReport, engine: Engine) -> IngestReport:
    asked = run.wish.questions
    if engine == "offline":
        uncovered = find_uncovered(run.folder, run.settings, asked)
        return replace(report, uncovered=uncovered).with_questions(asked, ())
    n_tried = run.settings.schema_questions
    return report.with_questions(asked[:n_tried], asked[n_tried:])


def _think(run: Run, work: WorkDatabase, thinker: Thinker) -> IngestReport:
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
    # Calls are paid for once, whatever runs they took; replies are found anew in every run.
    n_cached = thinker.model.ledger.total.n_cached
    taken = replace(thinker.replies.unsettled(), n_cached=n_cached)
    if not report.cancelled:
        thinker.model.drop_useless()
        thinker.replies.settle()
    return replace(report, taken=taken)


def _ingest(run: Run, work: WorkDatabase, thought: Thought | None = None) -> IngestReport:
    schema, extension = _choose_schema(run, work, thought)
    plan = plan_files(work, run.found, schema, run.readers.n_processes)
    if thought is not None and plan.tasks:
        # while others read: it will be asked about them
        load = thought.thinker.model.load
        threading.Thread(target=load, name="loading", daemon=True).start()
    extraction = ExtractionRun(work, plan)
    extraction.finish(run.readers, run.on_progress, run.cancelled)
    thoughts, published = Thoughts(), False
    told: tuple[str, ...] = ()
    if not extraction.cancelled:
        if thought is not None:
            with _withdrawn_if_useless(work, schema, extension):
                thoughts = thought.predict_records(schema)
        elif extension is not None and work.engine_in_force() != "offline":
            told = add_by_rules(work, schema, extension)
        else:
            work.put_engine_in_force("offline")
        published = _publish(run, work, schema)
        finish_extension(work)
    by_model = thought is not None or work.engine_in_force() != "offline"
    stored = _report_stored(run, work, by_model=by_model)
    return replace(
        stored,
        published=published,
        cancelled=extraction.cancelled,
        n_extracted=extraction.n_extracted,
        n_unchanged=work.n_documents() - extraction.n_extracted,
        n_removed=extraction.n_removed,
        n_predicted=thoughts.n_predicted,
        n_standardised=thoughts.standardised.n_changed,
        n_unsettled=thoughts.standardised.n_unsettled,
        extension=extension,
        warnings=stored.warnings + told,
    )


@contextmanager
def _withdrawn_if_useless(
    work: WorkDatabase, schema: Schema, extension: Extension | None
) -> Iterator[None]:
    """Take an added attribute out again where no reply to it is of use.

    Raises:
        UselessRepliesError: As before; later ingestions do not end by this attribute.
    """
    try:
        yield
    except UselessRepliesError:
        if extension is not None and extension.added:
            name = extension.attribute.name
            left = tuple(item for item in schema.attributes if item.name != name)
            replace_schema_in_force(work, schema.model_copy(update={"attributes": left}))
            finish_extension(work)
        raise


def _choose_schema(
    run: Run, work: WorkDatabase, thought: Thought | None
) -> tuple[Schema, Extension | None]:
    predict = None if thought is None else thought.predict_schema
    schema = put_schema_in_force(work, run.folder, run.wish, lambda: sample_documents(run), predict)
    if run.wish.tables is not None:
        remember_tables(work, run.wish.tables)
    if run.wish.fresh:
        forget_fresh(work.state)
    if not run.attribute:
        return schema, None
    return _extend(run, work, schema, None if thought is None else thought.thinker)


def _extend(
    run: Run, work: WorkDatabase, schema: Schema, thinker: Thinker | None
) -> tuple[Schema, Extension]:
    """Add the attribute that is wished for, unless it is there."""
    known = recall_extension(work, schema, run.attribute)
    if known is not None:
        return schema, known
    extended, extension = extend(schema, run.attribute, sample_documents(run), thinker)
    remember_extension(work, run.attribute, extension)
    if not extension.added:
        return schema, extension
    schema = replace_schema_in_force(work, extended)
    add_decision(work.state, run.attribute, extension)
    return schema, extension


def _report_stored(run: Run, work: WorkDatabase, *, by_model: bool) -> IngestReport:
    return report_stored(run.folder, run.found, work, by_model=by_model)


def _publish(run: Run, work: WorkDatabase, schema: Schema) -> bool:
    """Publish, unless the present build has the same content; say whether it was done."""
    info = published_info(work.state)
    if info is not None and info.revision == work.revision:
        return False

    def on_column(done: int, total: int, name: str) -> None:
        run.on_progress(Progress("normalising", done, total, name))

    publish(work, schema, on_column=on_column)
    run.on_progress(Progress("publishing", 1, 1))
    return True
