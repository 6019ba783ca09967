"""The commands that build the table of a corpus, and say how far that is."""

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from srag_mcp import views
from srag_mcp.cli.options import (
    CorpusArgument,
    EngineOption,
    HomeOption,
    JsonOption,
    ModelOption,
    QuietOption,
    command_settings,
)
from srag_mcp.cli.shipped import find_corpus
from srag_mcp.cli.tables import print_json, say
from srag_mcp.errors import JobError
from srag_mcp.settings import Settings
from srag_mcp.text.shown import one_line

if TYPE_CHECKING:  # all that reads documents is loaded by the commands that do
    from srag_mcp.cli.ingestion import IngestChoice
    from srag_mcp.pipeline.report import IngestReport
    from srag_mcp.store.job import Job

QuestionsOption = Annotated[
    list[str] | None,
    typer.Option(help="A question that the columns should answer.", metavar="TEXT"),
]
SchemaOption = Annotated[
    Path | None, typer.Option(help="A schema (JSON Schema) to follow.", metavar="FILE")
]
RowsOption = Annotated[
    Literal["auto", "file", "row"],
    typer.Option(help="A document a file, or a document a row of a table."),
]
FreshSchemaOption = Annotated[bool, typer.Option("--fresh-schema", help="Find the columns anew.")]
BudgetUsdOption = Annotated[
    float | None, typer.Option(min=0, help="Most money for the model.", metavar="USD")
]
BudgetCallsOption = Annotated[
    int | None, typer.Option(min=0, help="Most calls of the model.", metavar="N")
]
QuoteOption = Annotated[bool, typer.Option("--quote", help="Say what it would take, and stop.")]
_CANCEL_S = 30.0  # a document, or a reply on its way, takes less


@dataclass(frozen=True, slots=True)
class Printing:
    """What a build prints: its quote only, progress or none, JSON or text."""

    is_quote: bool
    is_quiet: bool
    as_json: bool


def ingest(
    corpus: CorpusArgument,
    question: QuestionsOption = None,
    schema: SchemaOption = None,
    rows: RowsOption = "auto",
    fresh_schema: FreshSchemaOption = False,
    engine: EngineOption = None,
    model: ModelOption = None,
    budget_usd: BudgetUsdOption = None,
    budget_calls: BudgetCallsOption = None,
    quote: QuoteOption = False,
    quiet: QuietOption = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Build or update the table of a corpus from its documents."""
    from srag_mcp.cli.ingestion import IngestChoice

    budget = {"budget_usd": budget_usd, "budget_calls": budget_calls}
    settings = command_settings(home, engine=engine, model=model, **budget)
    choice = IngestChoice(tuple(question or ()), schema, rows, fresh_schema)
    _build(corpus, choice, settings, Printing(quote, quiet, as_json))


def extend(
    corpus: CorpusArgument,
    attribute: Annotated[
        str, typer.Option(help="What the new column holds, in words.", metavar="TEXT")
    ],
    engine: EngineOption = None,
    model: ModelOption = None,
    budget_usd: BudgetUsdOption = None,
    budget_calls: BudgetCallsOption = None,
    quote: QuoteOption = False,
    quiet: QuietOption = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add one column, and read only it from the documents."""
    from srag_mcp.cli.ingestion import IngestChoice
    from srag_mcp.pipeline.wishes import tidy_wish

    budget = {"budget_usd": budget_usd, "budget_calls": budget_calls}
    settings = command_settings(home, engine=engine, model=model, **budget)
    choice = IngestChoice(attribute=tidy_wish(attribute))
    _build(corpus, choice, settings, Printing(quote, quiet, as_json))


def _build(corpus: str, choice: "IngestChoice", settings: Settings, printing: Printing) -> None:
    """Quote, start a job that waits for an agent's answers, or do what *choice* says."""
    from srag_mcp.cli.ingestion import ingest_corpus, is_for_agents
    from srag_mcp.engines.agent import AgentEngine
    from srag_mcp.pipeline.jobs import start_job
    from srag_mcp.pipeline.quote import quote_ingestion

    location = find_corpus(corpus, settings)
    if printing.is_quote:
        found = quote_ingestion(location, settings, **choice.options(location, settings))
        if printing.as_json:
            print_json(found.to_json())
        else:
            say(*found.lines())
    elif is_for_agents(location, settings):
        for_agents = settings.with_engine(AgentEngine.name)
        job = start_job(location, for_agents, **choice.options(location, settings))
        if printing.as_json:
            print_json({"job_id": job.id, "state": job.status, "folder": job.folder})
        else:
            say(f"job {job.id} ingests {job.folder} in the background and waits for answers")
        print(
            f"next: srag-mcp prompts next {corpus}, then srag-mcp prompts answer {corpus} FILE;"
            " or let an agent do so with next_prompts and answer_prompts",
            file=sys.stderr,
        )
    else:
        report = ingest_corpus(location, choice, settings, quiet=printing.is_quiet)
        _print_report(report, as_json=printing.as_json)


def _print_report(report: "IngestReport", *, as_json: bool) -> None:
    """Print what an ingestion did; exit 1 if it was stopped before its end, or read nothing."""
    from srag_mcp.pipeline.report import UncoveredQuestion

    if as_json:
        print_json(report.to_json())
    else:
        uncovered = tuple(
            UncoveredQuestion(item.question, views.answers.shorten_reason(item.reason))
            for item in report.uncovered
        )
        say(*map(one_line, replace(report, uncovered=uncovered).lines()))
    if report.stopped or report.read_nothing:
        raise typer.Exit(1)


def status(
    corpus: CorpusArgument,
    cancel: Annotated[
        bool, typer.Option("--cancel", help="Stop the job; what is finished is kept.")
    ] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say how far the ingestion in the background is, or how the latest ended."""
    from srag_mcp.pipeline.jobs import cancel_job

    settings = command_settings(home)
    location = find_corpus(corpus, settings)
    job = _latest_job(location, settings)
    if cancel and job.is_running:
        job = cancel_job(location, settings, job.id, _CANCEL_S)
        if job.is_running:
            print("it was asked to stop; it ends after the document it is at", file=sys.stderr)
    if as_json:
        print_json(views.job_pages.job_data(job))
        return
    say(*views.job_pages.job_lines(job))
    print(views.job_pages.next_command(job, corpus), file=sys.stderr)


def _latest_job(location: Path, settings: Settings) -> "Job":
    """Return the job that runs, else the latest.

    Raises:
        JobError: If there is none, or a process that is no job ingests the corpus.
    """
    from srag_mcp.pipeline.jobs import list_jobs
    from srag_mcp.store.layout import CorpusFolder, is_ingested_now, read_holder

    latest = next(iter(list_jobs(location, settings)), None)
    if latest is not None and latest.is_running:
        return latest
    state = CorpusFolder(location, settings.home).readable()
    if is_ingested_now(state):
        msg = (
            f"{location} is being ingested, not in the background but by {read_holder(state)}."
            " Ctrl-C stops it there; what is finished is kept"
        )
        raise JobError(msg)
    if latest is None:
        msg = f"no ingestion of {location} ran in the background: srag-mcp ingest starts one"
        raise JobError(msg)
    return latest
