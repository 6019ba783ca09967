"""Ingestion: a folder of documents becomes a published build (S-RAG 3.2)."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack

from srag_mcp.documents.document import Document
from srag_mcp.engines.agent import AgentEngine
from srag_mcp.engines.choice import choose_engine
from srag_mcp.engines.model import ModelEngine
from srag_mcp.engines.offline import FORM_SAMPLE, account_for
from srag_mcp.engines.protocol import CancelledError, Engine, Progress, Work
from srag_mcp.errors import BudgetError, CorpusError, ReplyError, SchemaError, UselessRepliesError
from srag_mcp.pipeline.extraction_run import ExtractionRun
from srag_mcp.pipeline.file_plan import (
    FoundFiles,
    find_files,
    plan_files,
    read_sample,
    without_copies,
)
from srag_mcp.pipeline.questions import find_uncovered
from srag_mcp.pipeline.quote import quote_stored
from srag_mcp.pipeline.reader_pool import ReaderPool
from srag_mcp.pipeline.record_run import (
    Standardised,
    add_by_rules,
    read_missing_records,
    standardise_columns,
)
from srag_mcp.pipeline.report import IngestReport, report_stored
from srag_mcp.pipeline.schema_choice import (
    INDUCED,
    SchemaWish,
    extend_schema_in_force,
    finish_extension,
    put_schema_in_force,
    withdraw_extension,
)
from srag_mcp.pipeline.table_mode import remember_tables, settle_tables
from srag_mcp.pipeline.wishes import (
    Continuation,
    IngestOptions,
    RowsMode,
    Unfinished,
    forget_fresh,
    go_on,
    remember_unfinished,
    remembered,
    tidy_questions,
)
from srag_mcp.schema.rounds import Extension
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings, named_engine
from srag_mcp.store.build import BuildInfo, publish, published_info
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.layout import CorpusFolder, remember_files
from srag_mcp.store.work import ACCOUNT, WorkDatabase, open_work

_MAX_NAMED = 5
_PROSE = "prose"


@dataclass(frozen=True, slots=True)
class Run:
    """What the steps of one ingestion share."""

    folder: Path
    settings: Settings
    readers: ReaderPool
    found: FoundFiles
    wish: SchemaWish
    rows: RowsMode
    attribute: str
    asks_first: bool
    on_progress: Callable[[Progress], None]
    cancelled: Callable[[], bool]


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
    run = _plan(folder, continued, on_progress, cancelled)
    if named_engine(settings.engine) is not None:
        run = replace(run, asks_first=False)
    state = CorpusFolder(folder, settings.home).writable()
    with open_work(state) as work:
        if run.wish.fresh:
            work.forget_failures()
        found = without_copies(run.found, work)
        tables = settle_tables(work, found, run.rows, run.readers, fresh=run.wish.fresh)
        run = replace(run, found=tables.found, wish=replace(run.wish, tables=tables))
        chosen = choose_engine(work, run.settings)
        # a column that rules add must not make them read the other columns, too
        unfinished = None if run.attribute and not chosen.asks else _unfinished(run, chosen)
        with (
            chosen.open(Work(work, run.settings, on_progress, cancelled)) as engine,
            remembered(state, unfinished, lambda: engine.is_begun),
        ):
            report = _think(run, work, engine)
    if not report.cancelled:
        if not report.only_quoted:  # what is published is not of these files
            remember_files(state, run.found.seen)
        if unfinished is not None and not report.only_quoted:
            remember_unfinished(state, None)
        on_progress(Progress("done", report.n_documents, report.n_documents))
    seconds = time.monotonic() - started
    return replace(report, engine=chosen.name, resumed=continued.taken_over, seconds=seconds)


def _plan(
    folder: Path,
    continued: Continuation,
    on_progress: Callable[[Progress], None],
    cancelled: Callable[[], bool],
) -> Run:
    """Find the files and settle what is to be done with them."""
    settings, options = continued.settings, continued.options
    return Run(
        folder=folder.expanduser().resolve(),
        settings=settings,
        readers=ReaderPool(settings.workers, settings.document_timeout_s),
        found=find_files(folder, settings),
        wish=SchemaWish(
            options.get("schema"),
            tuple(tidy_questions(options.get("questions", ()))),
            options.get("fresh", False),
        ),
        rows=options.get("rows", "auto"),
        attribute=options.get("attribute", ""),
        asks_first=options.get("asks_first", False),
        on_progress=on_progress,
        cancelled=cancelled,
    )


def _unfinished(run: Run, engine: type[Engine]) -> Unfinished:
    """Return what another ingestion would go on with."""
    return Unfinished(
        engine=engine.name,
        model=run.settings.model,
        api_base=run.settings.api_base,
        questions=run.wish.questions,
        rows=run.rows,
        fresh=run.wish.fresh,
        budget_usd=run.settings.budget_usd,
        budget_calls=run.settings.budget_calls,
    )


def _think(run: Run, work: WorkDatabase, engine: Engine) -> IngestReport:
    """Do all steps; a wish to stop, or a spent budget, ends them with a report."""
    try:
        report = _ingest(run, work, engine)
        is_there = not (report.cancelled or report.only_quoted)
        if is_there and (engine.asks or not work.is_predicted()):
            report = _with_questions(run, work, engine, report)
    except CancelledError:
        report = replace(_report_stored(run, work, engine), cancelled=True)
    except BudgetError as error:
        stored = _report_stored(run, work, engine)
        report = replace(stored, cancelled=True, stopped=str(error))
    except (ReplyError, SchemaError):  # the same replies would end the next run, too
        engine.forget_useless()
        raise
    taken = engine.taken()
    if not report.cancelled:
        engine.settle()
    return replace(report, taken=taken)


def _ingest(run: Run, work: WorkDatabase, engine: Engine) -> IngestReport:
    """Find the columns, read what is new, let the engine read the rest, and publish."""

    def sample() -> Sequence[Document]:
        return sample_documents(run)

    schema = put_schema_in_force(work, run.folder, run.wish, sample, engine)
    if run.wish.tables is not None:
        remember_tables(work, run.wish.tables)
    if run.wish.fresh:
        forget_fresh(work.state)
    extension: Extension | None = None
    if run.attribute:
        schema, extension = extend_schema_in_force(work, schema, run.attribute, sample, engine)
    plan = plan_files(work, run.found, schema, run.readers.n_processes)
    if plan.tasks and isinstance(engine, ModelEngine):  # while others read: it is asked then
        threading.Thread(target=engine.model.load, name="loading", daemon=True).start()
    extraction = ExtractionRun(work, plan)
    extraction.finish(run.readers, run.on_progress, run.cancelled)
    n_predicted, standardised = 0, Standardised()
    told: tuple[str, ...] = ()
    build: BuildInfo | None = None
    only_quoted = False
    if not extraction.cancelled:
        if isinstance(engine, ModelEngine):
            n_predicted, standardised = _predict(run, work, engine, schema, extension)
            work.keep_note(ACCOUNT, "")
        elif extension is not None and work.is_predicted():
            told = add_by_rules(work, schema, extension)
        else:
            only_quoted = _account(run, work, is_new=bool(plan.tasks or plan.gone))
            if not only_quoted:
                work.put_engine_in_force(engine.name)
        if not only_quoted:
            build = _publish(run, work, schema)
            finish_extension(work)
    stored = _report_stored(run, work, engine)
    return replace(
        stored,
        published=build is not None,
        renamed=build.renamed if build else (),
        cancelled=extraction.cancelled,
        n_extracted=extraction.n_extracted,
        n_unchanged=work.n_documents() - extraction.n_extracted,
        n_removed=extraction.n_removed,
        n_predicted=n_predicted,
        n_standardised=standardised.n_changed,
        n_unsettled=standardised.n_unsettled,
        extension=extension,
        account=work.note(ACCOUNT) or "",
        only_quoted=only_quoted,
        warnings=stored.warnings + told,
    )


def _account(run: Run, work: WorkDatabase, *, is_new: bool) -> bool:
    """Say how much of the documents the columns account for, and what a reading of prose takes.

    Return whether it is prose, of which nobody has decided who reads it. What rules read of
    columns that a person wrote down is a guess as well, but says nothing of what the folder is.
    """
    if is_new or not work.note(ACCOUNT):
        rows, words = work.count_row_words()
        account = account_for(work.quoted_texts(FORM_SAMPLE), work.quoted_texts(), rows, words)
        said = str(account)
        if account.is_prose:
            n_questions = len(run.wish.questions)
            quote = quote_stored(AgentEngine, work, run.folder, run.settings, n_questions)
            present = work.schema_in_force()
            is_all = present is None or present.origin == INDUCED
            prose = "this folder is prose: " if is_all else ""
            said = f"{prose}{said}; {quote.sentence()}"
        work.keep_note(ACCOUNT, said)
        work.keep_note(_PROSE, "yes" if account.is_prose else "")
    # Who adds a column to a table has chosen the engine of that table.
    is_chosen = bool(run.attribute) and published_info(work.state) is not None
    return run.asks_first and bool(work.note(_PROSE)) and not is_chosen


def _predict(
    run: Run,
    work: WorkDatabase,
    engine: ModelEngine,
    schema: Schema,
    extension: Extension | None,
) -> tuple[int, Standardised]:
    """Let a model read what is missing, then look again at what does not fit its column.

    Raises:
        UselessRepliesError: If nothing came of the replies; an attribute that was added is taken
            out again, so that later ingestions do not end by it.
    """
    try:
        asked = read_missing_records(
            work, schema, engine, run.settings.prompt_tokens, run.on_progress
        )
        standardised = standardise_columns(work, schema, engine, run.on_progress)
    except UselessRepliesError:
        if extension is not None and extension.added:
            withdraw_extension(work, schema, extension)
        raise
    work.put_engine_in_force(engine.name)
    return len(engine.asked | asked), standardised


def _with_questions(
    run: Run, work: WorkDatabase, engine: Engine, report: IngestReport
) -> IngestReport:
    """Tell which sample questions are answered; a model is asked no more than the settings say."""
    asked = run.wish.questions
    n_tried = run.settings.schema_questions if engine.asks else len(asked)
    if not asked[:n_tried]:
        return report.with_questions((), asked)
    with QueryPool() as pool:
        corpus = Corpus(run.folder, pool, run.settings.home)
        uncovered = find_uncovered(engine, work, corpus, asked[:n_tried])
    told = replace(report, uncovered=uncovered)
    return told.with_questions(asked[:n_tried], asked[n_tried:])


def sample_documents(run: Run) -> Sequence[Document]:
    """Read the sample for a schema.

    Raises:
        CorpusError: If no file can be read, so that there is nothing to learn from.
    """
    run.on_progress(Progress("schema"))
    sample = read_sample(run.found, run.readers)
    if sample.documents:
        return sample.documents
    problems = [str(item) for item in (*sample.failed, *run.found.failed, *run.found.skipped)]
    named = "; ".join(problems[:_MAX_NAMED])
    more = f" and {len(problems) - _MAX_NAMED} more" if len(problems) > _MAX_NAMED else ""
    msg = f"none of the files of {run.folder} could be read: {named}{more}"
    raise CorpusError(msg)


def _report_stored(run: Run, work: WorkDatabase, engine: Engine) -> IngestReport:
    by_model = engine.asks or work.is_predicted()
    return report_stored(run.folder, run.found, work, by_model=by_model)


def _publish(run: Run, work: WorkDatabase, schema: Schema) -> BuildInfo | None:
    """Publish, unless the present build has the same content; return what is new."""
    info = published_info(work.state)
    if info is not None and info.revision == work.revision:
        return None

    def on_column(done: int, total: int, name: str) -> None:
        run.on_progress(Progress("normalising", done, total, name))

    build = publish(work, schema, on_column=on_column)
    run.on_progress(Progress("publishing", 1, 1))
    return build
