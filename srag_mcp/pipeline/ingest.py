"""Ingestion: a folder of documents becomes a published build (S-RAG 3.2)."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Unpack

from srag_mcp.documents.document import Document
from srag_mcp.documents.folder import holds_rest, read_members
from srag_mcp.engines.choice import callers_engine, choose_engine
from srag_mcp.engines.model import AgentEngine, ModelEngine
from srag_mcp.engines.offline import FORM_SAMPLE, account_for
from srag_mcp.engines.protocol import Engine, Progress, Work, Workload
from srag_mcp.errors import (
    CorpusError,
    LockedError,
    QuestionError,
    SeveralKindsError,
    StoreError,
    UselessRepliesError,
)
from srag_mcp.inference.answer import is_empty
from srag_mcp.inference.by_model import Translated
from srag_mcp.inference.turns import keep_translated
from srag_mcp.model.litellm_library import run_to_end
from srag_mcp.model.remote_model import load_library
from srag_mcp.pipeline import kind_run, record_run, rule_run, schema_choice, wishes
from srag_mcp.pipeline.file_plan import (
    ExtractionRun,
    FoundFiles,
    find_files,
    plan_files,
    read_sample,
    remember_tables,
    settle_tables,
)
from srag_mcp.pipeline.quote import (
    count_untried,
    estimate_questions,
    find_covered,
    keep_covered,
    quote_ingestion,
    quote_settling,
    quote_stored,
    quote_work,
)
from srag_mcp.pipeline.reader_pool import ReaderPool
from srag_mcp.pipeline.record_run import read_loosely, settle_lists
from srag_mcp.pipeline.report import (
    Failure,
    IngestReport,
    UncoveredQuestion,
    finish_report,
    join_reports,
    report_stored,
    show_values,
)
from srag_mcp.schema.definition import settle_kinds
from srag_mcp.schema.rounds import Extension
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings, named_engine
from srag_mcp.sqlfacts.query import QueryFacts
from srag_mcp.store.build import BuildInfo, publish_changes, published_info
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.corrections import read_corrections, read_decided
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.layout import CorpusFolder, remember_files
from srag_mcp.store.predictions import LESSON, Predictions
from srag_mcp.store.work import ACCOUNT, WorkDatabase, open_work
from srag_mcp.text.shown import first_of

logger = logging.getLogger(__name__)

_MAX_NAMED = 5
_PROSE = "prose"
_NO_COLUMNS = Schema(title="Of no kind", entity="documents_of_no_kind", attributes=())


@dataclass(frozen=True)
class Run:
    """What the steps of one ingestion share; the options are those of `IngestOptions`."""

    folder: Path
    settings: Settings
    work: WorkDatabase
    readers: ReaderPool
    found: FoundFiles
    wish: schema_choice.SchemaWish
    attribute: str
    asks_first: bool
    on_progress: Callable[[Progress], None]
    cancelled: Callable[[], bool]

    @cached_property
    def sample(self) -> Sequence[Document]:
        """Documents to learn from, read when they are asked for.

        Raises:
            CorpusError: If no file can be read, so that there is nothing to learn from.
        """
        self.on_progress(Progress("schema"))
        sample = read_sample(self.found, self.readers)
        if sample.documents:
            return sample.documents
        problems = [str(item) for item in (*sample.failed, *self.found.failed, *self.found.skipped)]
        named = "; ".join(first_of(problems, _MAX_NAMED))
        msg = f"none of the files of {self.folder} could be read: {named}"
        raise CorpusError(msg)

    def report(self, engine: Engine | type[Engine]) -> IngestReport:
        """Report what is stored by now."""
        by_model = engine.asks or self.work.is_predicted()
        return report_stored(self.folder, self.found, self.work, by_model=by_model)


def ingest(
    folder: Path,
    settings: Settings,
    *,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    cancelled: Callable[[], bool] = lambda: False,
    **options: Unpack[wishes.IngestOptions],
) -> IngestReport:
    """Build or update the table of a corpus; start it again after anything to go on.

    The settings say who does the thinking. Documents that are finished and have not changed are not
    read again. What is not given is as it was for an ingestion that did not end. Readers see the
    old build until the new one is whole. An attribute that is not to be kept is read as
    `read_loosely` does, and nothing else is.

    *folder* has the documents, or a folder `documents/` inside that does. *cancelled* is asked
    between documents; when true, what is finished is kept and the report says so.

    Raises:
        CorpusError: If the folder cannot be used, or none of its files can be read.
        SchemaError: If a schema that a person wrote cannot be used.
        LockedError: If another process ingests this corpus.
        SettingsError: If a language model is wanted and none is named.
        ModelStoppedError: If the language model cannot be asked any more; what it said is kept.
        StoreError: If the databases cannot be written; the old build stays.
    """
    if holds_rest(folder):
        settings, options = _without_columns(folder, settings, options)
    if not options.get("keep", True):
        return read_loosely(folder, settings, on_progress, cancelled, options)
    started = time.monotonic()
    on_progress(Progress("finding"))
    is_chosen = named_engine(settings.engine) is not None
    settings, options, taken_over = wishes.go_on(folder, settings, options)
    questions = tuple(wishes.tidy_questions(options.get("questions", ())))
    rows, fresh = options.get("rows", "auto"), options.get("fresh", False)
    attribute = options.get("attribute", "")
    seen = find_files(folder, settings)
    state = CorpusFolder(folder, settings.home).writable()
    pool = ReaderPool(settings.workers, settings.document_timeout_s)
    with open_work(state) as work, pool as readers:
        if not kind_run.may_have_kinds(state, folder, options.get("schema")):
            kind_run.take_back(work)
        if fresh:
            work.forget_files([path for path, x in work.files().items() if x.error is not None])
        tables = settle_tables(work, seen, rows, readers, fresh=fresh)
        given, effort = (
            settings.effort,
            rule_run.find_effort(work, settings, len(tables.found.sources)),
        )
        settings = settings.model_copy(update={"effort": effort})
        run = Run(
            folder=folder.expanduser().resolve(),
            settings=settings,
            work=work,
            readers=readers,
            found=tables.found,
            wish=schema_choice.SchemaWish(
                options.get("schema"), questions, fresh, tables, settings.lists
            ),
            attribute=attribute,
            asks_first=options.get("asks_first", False) and not is_chosen,
            on_progress=on_progress,
            cancelled=cancelled,
        )
        chosen = choose_engine(work, settings)
        kinds = _find_kinds(run, state, rows, anew=fresh and chosen.asks)
        own = settings.model_copy(update={"effort": given})
        ingest_kinds = partial(
            _ingest_kinds, replace(run, settings=own, found=tables.everything), options
        )
        if isinstance(kinds, kind_run.Grouping) and (attribute or not chosen.asks):
            kinds = kinds.keep()
        if isinstance(kinds, kind_run.Kinds):
            return replace(ingest_kinds(kinds), seconds=time.monotonic() - started)
        # a column that rules add must not make them read the other columns, too
        is_remembered = chosen.asks or not attribute
        report = _quote(run, chosen, kinds, asks_first=options.get("asks_first", False))
        if report is None:
            unfinished = wishes.Unfinished(
                engine=chosen.name,
                model=settings.model,
                api_base=settings.api_base,
                questions=questions,
                rows=rows,
                fresh=fresh,
                budget_usd=settings.budget_usd,
                budget_calls=settings.budget_calls,
            )
            n_asked = count_untried(work, run.folder, questions, settings)
            asked = estimate_questions(n_asked, settings.columns)
            further = Workload(asked.n_prompts, asked.tokens)
            with (
                chosen.open(Work(work, settings, on_progress, cancelled, further)) as engine,
                wishes.remembered(
                    state, unfinished if is_remembered else None, lambda: engine.is_begun
                ),
            ):
                think = partial(_think, run, engine)
                if kinds is not None and isinstance(engine, ModelEngine):
                    think = partial(_settle_kinds, run, engine, kinds, ingest_kinds)
                report = finish_report(engine, think, partial(run.report, chosen))
    if not report.cancelled:
        if not report.only_quoted:  # what is published is not of these files
            members = read_members(run.folder)  # what was not sorted yet may be of this kind
            known = seen.seen if members is None else dict.fromkeys(members.sorted)
            present = {path: seen.seen[path] for path in known if path in seen.seen}
            remember_files(state, run.folder, present)
        if is_remembered and not report.only_quoted:
            wishes.remember_unfinished(state, None)
        on_progress(Progress("done", report.n_documents, report.n_documents))
    seconds = time.monotonic() - started
    return replace(report, engine=chosen.name, resumed=taken_over, seconds=seconds)


def _without_columns(
    folder: Path, settings: Settings, options: wishes.IngestOptions
) -> tuple[Settings, wishes.IngestOptions]:
    """Read what is of no kind so that it is searched, and is no table to count in."""
    if options.get("attribute"):
        msg = f"{folder.name}: these documents are of no kind, and have no columns"
        raise CorpusError(msg)
    return settings.with_engine("offline"), {"schema": _NO_COLUMNS, "rows": "file"}


def _find_kinds(
    run: Run, state: Path, rows: wishes.RowsMode, *, anew: bool
) -> kind_run.Kinds | kind_run.Grouping | None:
    """Find the kinds of a folder that has several; None where one table holds all."""
    wish, tables = run.wish, run.wish.tables
    is_known = run.work.schema_in_force() is not None
    if run.attribute and is_known:  # for the table that is there
        return None
    if not kind_run.may_be_split(run.work, run.folder, tables, wish.given, fresh=wish.fresh):
        return None
    files, is_mixed = tables.everything, tables.documents is not None
    asked = (wish.questions, tables.survey, is_mixed)
    sorter = kind_run.KindSorter(state, run.folder, files, run.readers, *asked)
    home = run.settings.home
    places = CorpusFolder(run.folder, home).kinds().values() if anew else ()
    is_mended = any(read_corrections(CorpusFolder(x, home).readable()) for x in places)
    anew &= not is_mended  # corrections are of a kind, and lie beside it
    has_table = is_known and not wish.fresh and run.found.rows is None
    kinds = sorter.find(lambda: run.sample, rows, fresh=wish.fresh, anew=anew, has_table=has_table)
    stay = "they stay as they are, since values of theirs were corrected"
    return replace(kinds, told=stay) if isinstance(kinds, kind_run.Kinds) and is_mended else kinds


def _settle_kinds(
    run: Run,
    engine: ModelEngine,
    found: kind_run.Grouping,
    ingest_kinds: Callable[[kind_run.Kinds], IngestReport],
) -> IngestReport:
    """Let a model say which groups are one kind, and what each is called; say what comes then."""
    said = engine.run(lambda: settle_kinds(engine.model, found.describe()))
    kinds = found.keep(said)
    if kinds is not None:
        return ingest_kinds(kinds)
    told = f"{' and '.join(found.kinds)} are one kind, says engine {engine.name}; ingest it again"
    report = _quote(run, type(engine), None, asks_first=True) or run.report(engine)
    return replace(report, told=(told,))


def _ingest_kinds(run: Run, options: wishes.IngestOptions, kinds: kind_run.Kinds) -> IngestReport:
    """Ingest the corpus of each kind."""
    corpora = {place: n for place, n in kinds.corpora.items() if n}
    names = [f"{run.folder.name}/{place.name}" for place in corpora]
    if run.attribute:
        raise SeveralKindsError(run.folder, names)
    if run.work.schema_in_force() is not None:
        kind_run.hand_over_table(run.work, kinds)
    kind_run.share_corrections(run.work.state, kinds)
    reports: list[IngestReport] = []
    engine, waiting, price = choose_engine(run.work, run.settings), list[str](), ""
    read = partial(ingest, on_progress=run.on_progress, cancelled=run.cancelled)
    if kinds.rest is not None:  # code alone reads it, and at once
        read(kinds.rest, run.settings)
    for place, name in zip(corpora, names, strict=True):
        if engine.asks or run.cancelled():
            break
        asked: wishes.IngestOptions = {**options, "questions": ()}  # its own lie beside it
        info = published_info(
            CorpusFolder(place, run.settings.home).readable(), run.work.connection
        )
        if info and callers_engine(run.settings, info.engine):  # who answers asks under its name
            asked["asks_first"] = True
        reports.append(read(place, run.settings, **asked))
        waiting += [name] * (reports[-1].proposed is not None)
    # of many files not all were looked into before they were read
    sizes = [report.n_documents for report in reports] or corpora.values()
    told = ", ".join(f"{name} ({n})" for name, n in zip(names, sizes, strict=False))
    kinds_said = (
        f"{len(names)} kinds of documents, each" if len(names) > 1 else "documents of a kind,"
    )
    said = f"{kinds_said} a corpus with a table of its own: {told}"
    said += kinds.told and f"; {kinds.told}"
    if engine.asks:  # each has its own price and budget
        prices = {x: quote_ingestion(y, run.settings) for x, y in zip(names, corpora, strict=True)}
        asked_of = (f"{x}: {y.sentence()}" for x, y in prices.items() if y.workload.prompts)
        price = "; ".join(asked_of)
        said += "; nothing was ingested now: ingest each by its name"
    elif waiting:
        said += f"; to be ingested by name, as a language model is asked: {', '.join(waiting)}"
    failed = [Failure(item.path, item.reason) for item in kinds.failed]
    skipped = [Failure(item.path, item.reason) for item in run.found.skipped]
    joined = join_reports(run.folder.name, said, kinds.odd, reports)
    if price:
        stored = sum(corpora.values())
        joined = replace(joined, account=price, proposed=engine.name, n_documents=stored)
    return replace(joined, failed=(*failed, *joined.failed), skipped=(*skipped, *joined.skipped))


def _quote(
    run: Run, engine: type[Engine], kinds: kind_run.Grouping | None, *, asks_first: bool
) -> IngestReport | None:
    """Say what a language model will be asked; return a report where that is to be agreed first."""
    if not engine.asks or not (asks_first or engine.by_caller):
        return None
    if kinds is None:
        quote = quote_work(run.work, run.folder, run.wish, run.settings, run.attribute)
        said = quote.sentence()
    else:  # each has its own price
        quote = quote_settling(kinds, engine, run.settings)
        said = f"{len(kinds.sizes)} kinds of documents seem to be here: {', '.join(kinds.sizes)}"
        said += f"; to confirm and name them, {quote.sentence()}"
    n_asked = len(wishes.find_tried(run.folder, run.wish.questions))
    if n_asked > (most := run.settings.schema_questions):
        said += f"; of {n_asked} questions the first {most} are tried, the others by a later one"
    run.on_progress(Progress("schema", expected=quote.workload))
    if not asks_first or run.attribute or not quote.workload.prompts:
        return None
    stored = replace(run.report(engine), n_documents=quote.n_documents)
    return replace(stored, account=said, proposed=engine.name)


def _think(run: Run, engine: Engine) -> IngestReport:
    """Do all steps, and show what came of what was asked for."""
    report = _ingest(run, engine)
    if report.cancelled or report.only_quoted:
        return report
    if report.extension is not None:
        with QueryPool() as pool:
            corpus = Corpus(run.folder, pool, run.settings.home)
            report = show_values(report, corpus, report.extension.attribute.name)
    if engine.asks or not run.work.is_predicted():
        report = _with_questions(run, engine, report)
    return report


def _ingest(run: Run, engine: Engine) -> IngestReport:
    """Find the columns, read what is new, let the engine read the rest, and publish."""
    work, wish = run.work, run.wish
    read_decided(work.state)  # before anything is asked: a person may have edited these files
    read_corrections(work.state)
    kind_run.share_corrections(work.state, None)

    def on_column(done: int, total: int, name: str) -> None:
        run.on_progress(Progress("normalising", done, total, name))

    schema = schema_choice.put_schema_in_force(work, run.folder, wish, lambda: run.sample, engine)
    remember_tables(work, wish.tables)
    if wish.fresh:
        wishes.forget_fresh(work.state)
        work.keep_note(LESSON, "")  # rules are asked for anew
    extension: Extension | None = None
    if run.attribute:
        schema, extension = schema_choice.extend_schema_in_force(
            work, schema, run.attribute, lambda: run.sample, engine
        )
    vars(run).pop("sample", None)  # no later step looks at it, and it is large
    plan = plan_files(work, run.found, schema, run.readers.n_processes)
    if plan.tasks and engine.asks and not engine.by_caller:  # while others read: it is asked then
        threading.Thread(target=load_library, args=(run.settings,), daemon=True).start()
    extraction = ExtractionRun(work, plan)
    extraction.finish(run.readers, run.on_progress, run.cancelled)
    n_predicted, standardised, ruled = 0, (0, 0), rule_run.RuleRun(schema)
    told: tuple[str, ...] = ()
    build: BuildInfo | None = None
    only_quoted, left_out = False, set[str]()
    if not extraction.cancelled:
        if run.found.rows is None and kind_run.may_have_kinds(work.state, run.folder, wish.given):
            sorter = kind_run.KindSorter(work.state, run.folder, run.found, run.readers)
            left_out = {*sorter.leave_out(work)} & plan.states.keys()
        kind_run.note_apart(work, run.found)
        if isinstance(engine, ModelEngine):
            work.keep_note(rule_run.EFFORT, run.settings.effort)  # the next one reads as much
            n_predicted, standardised, ruled = _predict(run, engine, schema, extension)
            schema = ruled.schema
            work.keep_note(ACCOUNT, "")
        elif extension is not None and work.is_predicted():
            told = record_run.add_by_rules(work, schema, extension)
        else:
            only_quoted = _account(run, is_new=bool(plan.tasks or plan.gone))
            if not only_quoted:
                work.put_engine_in_force(engine.name)
        if not only_quoted:
            build = publish_changes(work, schema, on_column)
            schema_choice.finish_extension(work, schema)
            if build is not None:
                run.on_progress(Progress("publishing", 1, 1))
                told += tuple(filter(None, (build.other_kinds, build.odd, build.waiting)))
    stored = run.report(engine)
    n_extracted = extraction.n_extracted - len(left_out)
    return replace(
        stored,
        published=build is not None,
        renamed=build.renamed if build else (),
        united=build.united if build else "",
        cancelled=extraction.cancelled,
        n_extracted=n_extracted,
        n_unchanged=stored.n_unchanged - n_extracted,
        n_removed=extraction.n_removed,
        n_predicted=n_predicted,
        n_standardised=standardised[0],
        n_unsettled=standardised[1],
        extension=extension,
        account=work.note(ACCOUNT) or "",
        proposed=AgentEngine.name if only_quoted else None,
        ruled=ruled.told,
        warnings=stored.warnings + told,
    )


def _predict(
    run: Run, engine: ModelEngine, schema: Schema, extension: Extension | None
) -> tuple[int, tuple[int, int], rule_run.RuleRun]:
    """Let rules, then a model read what is missing, and look again at what fits no column."""
    work, standardised, ruled = run.work, (0, 0), rule_run.RuleRun(schema)
    effort = rule_run.find_effort(work, run.settings, len(run.found.sources))
    try:
        if effort == "full":
            Predictions(work).forget_ruled(schema.attributes)
        else:
            ruled = rule_run.read_by_rules(work, schema, engine, effort)
        asked = engine.asked | ruled.asked
        if effort != "draft":
            asked |= record_run.read_missing_records(work, schema, engine)
            ruled = replace(ruled, schema=settle_lists(work, ruled.schema))
            standardised = record_run.standardise_columns(work, ruled.schema, engine)
            record_run.resolve_names(work, ruled.schema, engine)
    except UselessRepliesError:
        if extension is not None and extension.added:
            schema_choice.withdraw_extension(work, schema, extension)
        raise
    work.put_engine_in_force(engine.name)
    return len(asked), standardised, ruled


def _account(run: Run, *, is_new: bool) -> bool:
    """Say how much of the documents the columns account for, and what a reading of prose takes."""
    work = run.work
    if is_new or not work.note(ACCOUNT):
        rows, words = work.count_row_words()
        sample = list(work.quoted_texts(FORM_SAMPLE))
        is_all = len(sample) < FORM_SAMPLE
        account = account_for(sample, sample if is_all else work.quoted_texts(), rows, words)
        said = str(account)
        if account.is_prose:
            asked = run.wish.questions
            quote = quote_stored(AgentEngine, work, run.folder, run.settings, asked)
            present = work.schema_in_force()
            is_induced = present is None or present.origin == schema_choice.INDUCED
            said = f"{'this folder is prose: ' if is_induced else ''}{said}; {quote.sentence()}"
        with work.transaction():
            work.keep_note(ACCOUNT, said)
            work.keep_note(_PROSE, "yes" if account.is_prose else "")
    # Who adds a column to a table has chosen the engine of that table.
    is_chosen = bool(run.attribute) and published_info(work.state, work.connection) is not None
    return run.asks_first and bool(work.note(_PROSE)) and not is_chosen


def _with_questions(run: Run, engine: Engine, report: IngestReport) -> IngestReport:
    """Tell which sample questions are answered; a model is asked no more than the settings say."""
    asked = run.wish.questions
    own = wishes.find_tried(run.folder, asked) if engine.asks else asked  # each costs something
    if others := "; ".join(question for question in asked if question not in own):
        report = replace(
            report, told=(*report.told, f"to be asked of another kind, or of several: {others}")
        )
    n_tried = run.settings.schema_questions if engine.asks else len(asked)
    tried, untried = own[:n_tried], own[n_tried:]
    reasons: dict[str, str] = {}
    if tried:
        with QueryPool() as pool:
            corpus = Corpus(run.folder, pool, run.settings.home)
            if isinstance(engine, ModelEngine):
                reasons = _ask_model(engine, run.work, corpus, tried)
            else:
                reasons = {question: _ask(engine, corpus, question) for question in tried}
    return replace(
        report,
        answered=tuple(question for question in tried if not reasons[question]),
        uncovered=tuple(UncoveredQuestion(item, reasons[item]) for item in tried if reasons[item]),
        untried=untried,
    )


def _ask(engine: Engine, corpus: Corpus, question: str) -> str:
    """Say why *question* has no answer; empty if it has one."""
    try:
        answer = run_to_end(engine.translate, question, corpus)
    except QuestionError as error:
        return str(error)
    if answer.brief is not None:
        return answer.brief.reason
    return "; ".join(answer.warnings) if is_empty(answer.rows) else ""


def _ask_model(
    engine: ModelEngine, work: WorkDatabase, corpus: Corpus, questions: Sequence[str]
) -> dict[str, str]:
    """Say why the model cannot answer each question: no columns, or columns without a value."""
    covered = find_covered(work)
    asked = [question for question in questions if question not in covered]
    outcomes = engine.run(lambda: engine.translate_each(corpus, asked)) if asked else {}
    reasons: dict[str, str] = {}
    queries: dict[str, QueryFacts] = {}
    for question, outcome in outcomes.items():
        if isinstance(outcome, Translated):
            queries[question] = outcome.translation.facts
            covered[question] = [use.column for use in outcome.translation.facts.columns]
        else:
            reasons[question] = str(outcome)
    keep_covered(work, covered)
    try:
        keep_translated(corpus, queries)
    except (StoreError, LockedError) as error:  # they are asked again, and no more is lost
        logger.info("the queries of sample questions are not kept: %s", error)
    counts = {item.column: item.n_non_null for item in corpus.statistics()}
    for question in set(questions) & covered.keys():
        empty = [name for name in dict.fromkeys(covered[question]) if counts.get(name) == 0]
        reasons[question] = f"no document has a value of {', '.join(empty)}" if empty else ""
    return reasons
