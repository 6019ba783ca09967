"""The commands that build the table of a corpus, and say how far that is.

All that reads documents is loaded by the commands that do.
"""

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from srag_mcp import views
from srag_mcp.cli import arguments as given
from srag_mcp.cli.arguments import find_corpus, flag, open_ready, option
from srag_mcp.cli.printing import print_either, say, show_progress
from srag_mcp.documents.folder import why_ask_first
from srag_mcp.errors import (
    AskFirstError,
    JobError,
    NotIngestedError,
    SchemaError,
    SettingsError,
    SeveralKindsError,
)
from srag_mcp.settings import BUILD_SUFFIX, EffortChoice, EngineName, Settings
from srag_mcp.text.shown import one_line

if TYPE_CHECKING:
    from srag_mcp.pipeline.report import IngestReport
    from srag_mcp.pipeline.wishes import IngestOptions

QuestionsOption = Annotated[
    list[str] | None, option("A question that the columns should answer.", "TEXT")
]
SchemaOption = Annotated[Path | None, option("A schema (JSON Schema) to follow.", "FILE")]
RowsOption = Annotated[
    Literal["auto", "file", "row"], option("A document a file, or a document a row of a table.")
]
FreshSchemaOption = Annotated[bool, flag("--fresh-schema", "Find the columns anew.")]
EffortOption = Annotated[
    EffortChoice | None,
    option("How much a model reads: draft, checked, full or auto (SRAG_EFFORT).", "EFFORT"),
]
BudgetUsdOption = Annotated[float | None, option("Most money for the model.", "USD", least=0)]
BudgetCallsOption = Annotated[int | None, option("Most calls of the model.", "N", least=0)]
QuoteOption = Annotated[bool, flag("--quote", "Say what it would take, and stop.")]
GoOption = Annotated[bool, flag("--go", "Ask a language model without asking you first.")]
_CANCEL_S = 30.0  # a document, or a reply on its way, takes less
_INTERRUPTED = "Query interrupted"


def ingest(
    corpus: given.CorpusArgument,
    question: QuestionsOption = None,
    schema: SchemaOption = None,
    rows: RowsOption = "auto",
    fresh_schema: FreshSchemaOption = False,
    engine: given.EngineOption = None,
    model: given.ModelOption = None,
    effort: EffortOption = None,
    budget_usd: BudgetUsdOption = None,
    budget_calls: BudgetCallsOption = None,
    quote: QuoteOption = False,
    go: GoOption = False,
    quiet: given.QuietOption = False,
    home: given.HomeOption = None,
    as_json: given.JsonOption = False,
) -> None:
    """Build or update the table of a corpus from its documents."""
    from srag_mcp.schema.json_schema import read_schema_file

    budget = {"budget_usd": budget_usd, "budget_calls": budget_calls}
    settings = given.command_settings(home, engine=engine, model=model, effort=effort, **budget)
    wanted: IngestOptions = {
        "questions": question or (),
        "schema": None if schema is None else read_schema_file(schema),
        "rows": rows,
        "fresh": fresh_schema,
    }
    if quote or go or _is_agreed(_find_folder(corpus, settings), settings, wanted):
        _build(corpus, settings, wanted, quote=quote, quiet=quiet, as_json=as_json)


def extend(
    corpus: given.CorpusArgument,
    attribute: Annotated[str, option("What the new column holds, in words.", "TEXT")] = "",
    where: Annotated[str, option("Read only documents whose record meets it.", "CONDITION")] = "",
    documents: Annotated[str, option("Read only documents with these document_id.", "SELECT")] = "",
    keep: Annotated[
        bool | None, option("Make it a column; without where and documents it is one.")
    ] = None,
    engine: given.EngineOption = None,
    model: given.ModelOption = None,
    budget_usd: BudgetUsdOption = None,
    budget_calls: BudgetCallsOption = None,
    quote: QuoteOption = False,
    yes: given.YesOption = False,
    quiet: given.QuietOption = False,
    home: given.HomeOption = None,
    as_json: given.JsonOption = False,
) -> None:
    """Add one column, and read only it from the documents; or only from those that SQL chooses."""
    from srag_mcp.engines.choice import asks_model
    from srag_mcp.pipeline.column_run import change_columns
    from srag_mcp.pipeline.wishes import extension_options
    from srag_mcp.store.predictions import narrow

    budget = {"budget_usd": budget_usd, "budget_calls": budget_calls}
    settings = given.command_settings(home, engine=engine, model=model, **budget)
    if keep is None:
        keep = not (where or documents)
    wanted = extension_options(attribute, where or documents, keep=keep)
    if where or documents:
        with open_ready(corpus, settings) as opened:
            wanted["documents"] = narrow(opened, documents, where)
    if keep and not (yes or quote or _is_terminal()):
        thinking, _ = _who_thinks(_find_folder(corpus, settings), settings)
        if asks_model(thinking):
            msg = (
                "a language model would be asked for the column, and there is nobody to say whether"
                " to keep it: say --yes, or --quote for the price"
            )
            raise AskFirstError(msg)
    report = _build(corpus, settings, wanted, quote=quote, quiet=quiet, as_json=as_json)
    added = None if report is None or report.n_read is not None else report.extension
    if added is not None and added.added and not yes and not agrees("Keep the column?"):
        change_columns(_find_folder(corpus, settings), settings, "drop", [added.attribute.name])
        print("not kept: --yes does so, and reads nothing again", file=sys.stderr)
        raise typer.Exit(given.REFUSED_STATUS)


def _build(
    corpus: str,
    settings: Settings,
    wanted: "IngestOptions",
    *,
    quote: bool,
    quiet: bool,
    as_json: bool,
) -> "IngestReport | None":
    """Quote, start a job that waits for an agent's answers, or do what is *wanted*.

    Return what came of it; None where nothing did yet. Exits 1 if it was stopped before its end,
    or read nothing.

    Raises:
        SettingsError: If *corpus* is a build.
    """
    from srag_mcp.pipeline.jobs import start_job

    location = _find_folder(corpus, settings)
    if quote:
        _say_quote(corpus, settings, wanted, as_json=as_json)
    elif engine := _who_thinks(location, settings)[1]:
        job = start_job(location, settings.with_engine(engine), **wanted)
        told = f"job {job.id} ingests {job.folder} in the background and waits for answers"
        begun = {"job_id": job.id, "state": job.status, "folder": job.folder}
        print_either(begun, [told], as_json=as_json)
        print(
            f"next: srag-mcp prompts next {corpus}, then srag-mcp prompts answer {corpus} FILE;"
            " or let an agent do so with next_prompts and answer_prompts",
            file=sys.stderr,
        )
    else:
        report = ingest_corpus(location, settings, wanted, quiet=quiet)
        print_either(report.to_json(), map(one_line, report.lines()), as_json=as_json)
        if report.stopped or report.read_nothing:
            raise typer.Exit(1)
        return report
    return None


def _say_quote(corpus: str, settings: Settings, wanted: "IngestOptions", *, as_json: bool) -> None:
    """Print what an ingestion takes; of several kinds of documents, each."""
    from srag_mcp.pipeline.quote import quote_ingestion, quote_kinds

    location = _find_folder(corpus, settings)
    kinds = quote_kinds(location, settings, **wanted)
    if not kinds:
        found = quote_ingestion(location, settings, **wanted)
        print_either(found.to_json(), found.lines(), as_json=as_json)
        return
    named = {f"{corpus.rstrip('/')}/{name}".rstrip("/"): found for name, found in kinds.items()}
    lines = [x for name, of in named.items() for x in (f"{name}:", *(f"  {y}" for y in of.lines()))]
    print_either({name: of.to_json() for name, of in named.items()}, lines, as_json=as_json)


def _is_agreed(location: Path, settings: Settings, wanted: "IngestOptions") -> bool:
    """Say what a language model would be asked, and ask on a terminal whether to go on.

    A script that starts an ingestion has decided.
    """
    from srag_mcp.engines.choice import asks_model
    from srag_mcp.pipeline.quote import quote_ingestion

    if not _is_terminal():
        return True
    thinking, agents = _who_thinks(location, settings)
    if not (asks_model(thinking) or agents):
        return True
    found = quote_ingestion(location, settings, **wanted)
    return not found.workload.prompts or agrees("\n".join(found.lines()) + "\nGo on?")


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def agrees(question: str) -> bool:
    """Ask on the terminal; nothing but yes is a yes, nor is it where there is none."""
    if not _is_terminal():
        return False
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return input().strip().lower() in {"y", "yes"}


def _find_folder(corpus: str, settings: Settings) -> Path:
    location = find_corpus(corpus, settings)
    if location.suffix == BUILD_SUFFIX:
        msg = f"{location} is a published build; only a folder can be ingested"
        raise SettingsError(msg)
    return location


def ingest_corpus(
    location: Path, settings: Settings, wanted: "IngestOptions", *, quiet: bool = False
) -> "IngestReport":
    """Ingest a folder, with its progress on stderr."""
    from srag_mcp.pipeline import reader_pool
    from srag_mcp.pipeline.ingest import ingest as ingest_folder

    reader_pool.prepare()
    try:
        with interruption(), show_progress(quiet=quiet) as show:
            return ingest_folder(
                location,
                settings,
                **wanted,
                on_progress=lambda step: show(step.stage, step.done, step.total),
            )
    except KeyboardInterrupt:
        print(
            "interrupted: what was finished is kept, the same command goes on from there",
            file=sys.stderr,
        )
        raise


@contextmanager
def interruption() -> Iterator[None]:
    """Raise KeyboardInterrupt for the RuntimeError that DuckDB makes of Ctrl-C in a statement.

    Raises:
        KeyboardInterrupt: If Ctrl-C came, wherever the block was.
    """
    try:
        yield
    except RuntimeError as error:
        if str(error) != _INTERRUPTED:
            raise
        raise KeyboardInterrupt from error


def _who_thinks(location: Path, settings: Settings) -> tuple[Settings, EngineName | None]:
    """Return the settings of an ingestion, and its engine if an agent would do it, as the last."""
    from srag_mcp.engines.choice import callers_engine
    from srag_mcp.pipeline.wishes import go_on
    from srag_mcp.store.build import published_info
    from srag_mcp.store.layout import CorpusFolder

    settings = go_on(location, settings, {}).settings
    info = published_info(CorpusFolder(location, settings.home).readable())
    return settings, callers_engine(settings, None if info is None else info.engine)


def ingest_first(location: Path, settings: Settings) -> None:
    """Ingest a folder of which something is asked.

    Raises:
        NotIngestedError: If that is for an agent to do, or was stopped before its end.
        AskFirstError: If it looks like no corpus, and nobody can be asked, or says no.
    """
    from srag_mcp.engines.choice import asks_model
    from srag_mcp.pipeline.wishes import within_budget

    why = why_ask_first(location)
    if why:
        said = f"{location} is not ingested yet, and {why}"
        if not agrees(f"{said}. Ingest it as one corpus?"):
            command = f"srag-mcp ingest {shlex.quote(str(location))}"
            msg = f"{said}: name one of the folders inside, or say {command}"
            raise AskFirstError(msg)
    thinking, engine = _who_thinks(location, settings)
    if engine:
        msg = (
            f"{location} is not ingested yet, and the engine is `{engine}`: start with"
            f" srag-mcp ingest {shlex.quote(str(location))} --engine {engine}, or take"
            " --engine offline"
        )
        raise NotIngestedError(msg) from None
    model = f" with {thinking.model}" if thinking.model and asks_model(thinking) else ""
    print(f"{location} is not ingested yet; ingesting it first{model}", file=sys.stderr)
    report = ingest_corpus(location, within_budget(location, settings), {})
    if report.stopped:
        msg = f"{location} is not ingested yet, as that was stopped: {report.stopped}"
        raise NotIngestedError(msg)
    if report.read_nothing:
        msg = f"nothing of {location} could be read: {report.failed[0].reason}"
        raise NotIngestedError(msg)


def kinds(
    corpus: given.CorpusArgument,
    rename: Annotated[tuple[str, str] | None, option("Call a kind otherwise.", "OLD NEW")] = None,
    join: Annotated[bool, flag("--join", "One table for all, from the next ingestion on.")] = False,
    home: given.HomeOption = None,
    as_json: given.JsonOption = False,
) -> None:
    """List the kinds of documents that a folder holds: each is a corpus with its own table."""
    from srag_mcp.pipeline.column_run import change_columns
    from srag_mcp.pipeline.kind_run import join_kinds, rename_kind
    from srag_mcp.store.layout import CorpusFolder, read_kinds

    settings = given.command_settings(home)
    folder = CorpusFolder(find_corpus(corpus, settings), settings.home)
    if rename is not None:
        place = rename_kind(folder.readable(), *rename)
        try:  # who calls a kind receipts calls its records so, too
            change_columns(place, settings, "call", rename[1:])
        except (NotIngestedError, SchemaError) as error:
            print(f"its records keep their name: {error}", file=sys.stderr)
    if join:
        join_kinds(folder.readable())
        print(
            "the next ingestion makes one table of all documents; what was read of each is laid"
            " aside, and what was corrected goes along",
            file=sys.stderr,
        )
        return
    kept = read_kinds(folder.readable())
    counts = {f"{corpus.rstrip('/')}/{name}": kept[name].documents for name in folder.kinds()}
    said = [f"{name}: {n} documents" for name, n in counts.items()]
    none = f"{corpus} holds one kind of documents, or was never ingested"
    print_either(counts, said or [none], as_json=as_json)


def status(
    corpus: given.CorpusArgument,
    cancel: Annotated[bool, flag("--cancel", "Stop the job; what is finished is kept.")] = False,
    home: given.HomeOption = None,
    as_json: given.JsonOption = False,
) -> None:
    """Say how far the ingestion in the background is, or how the latest ended."""
    from srag_mcp.pipeline.jobs import cancel_job, list_jobs
    from srag_mcp.store.build import published_info
    from srag_mcp.store.layout import CorpusFolder, is_ingested_now, read_holder

    settings = given.command_settings(home)
    location = find_corpus(corpus, settings)
    job = next(iter(list_jobs(location, settings)), None)
    if job is None and (kinds := CorpusFolder(location, settings.home).kinds()):
        raise SeveralKindsError(corpus, (f"{corpus.rstrip('/')}/{kind}" for kind in kinds))
    state = CorpusFolder(location, settings.home).readable()
    if (job is None or not job.is_running) and is_ingested_now(state):
        msg = (
            f"{location} is being ingested, not in the background but by {read_holder(state)}."
            " Ctrl-C stops it there; what is finished is kept"
        )
        raise JobError(msg)
    if job is None:
        info = published_info(state)
        if info is None:
            msg = f"{location} was never ingested: srag-mcp ingest does it"
            raise JobError(msg)
        counts = f"{info.n_documents:,} documents, {info.n_failed:,} could not be read"
        line = f"none runs; the latest, not in the background, ended {info.created_at}: {counts}"
        told = {"job_id": None, "state": "done", "report": [line]}
        print_either(told, [line], as_json=as_json)
        return
    if cancel and job.is_running:
        job = cancel_job(location, settings, job.id, _CANCEL_S)
        if job.is_running:
            print(views.job_pages.ASKED_TO_STOP, file=sys.stderr)
    page = views.job_pages.job_page(location, settings, corpus, job)
    print_either(page.exact(), views.job_pages.job_lines(page), as_json=as_json)
    if not as_json:
        say(f"next: {page.next}", file=sys.stderr)
