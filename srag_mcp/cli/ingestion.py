"""What `srag-mcp ingest` does and prints."""

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import typer

from srag_mcp.cli.agent_jobs import is_for_agents
from srag_mcp.cli.answers import shorten_reason
from srag_mcp.cli.interruption import interruption
from srag_mcp.cli.progress import show_progress
from srag_mcp.cli.tables import print_json
from srag_mcp.engines.agent import AgentEngine
from srag_mcp.engines.choice import asks_model
from srag_mcp.errors import NotIngestedError, SettingsError
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.pipeline.jobs import start_job
from srag_mcp.pipeline.quote import quote_ingestion
from srag_mcp.pipeline.report import IngestReport, UncoveredQuestion
from srag_mcp.pipeline.wishes import IngestOptions, RowsMode, choose_questions, go_on, within_budget
from srag_mcp.schema.json_schema import read_schema_file
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import BUILD_SUFFIX, Corpus
from srag_mcp.store.job import Job
from srag_mcp.text.shown import one_line


@dataclass(frozen=True, slots=True)
class IngestChoice:
    """The options of `srag-mcp ingest`, and the attribute of `srag-mcp extend`."""

    questions: tuple[str, ...] = ()
    schema: Path | None = None
    rows: RowsMode = "auto"
    fresh: bool = False
    attribute: str = ""

    def options(self, location: Path, settings: Settings) -> IngestOptions:
        """Read what the options name, and what lies beside the documents of *location*.

        Sample questions are those of an ingestion that did not end, where none are given.

        Raises:
            SettingsError: If *location* is a build.
            SchemaError: If the schema cannot be used.
        """
        if location.suffix == BUILD_SUFFIX:
            msg = f"{location} is a published build; only a folder can be ingested"
            raise SettingsError(msg)
        return IngestOptions(
            questions=choose_questions(location, settings, self.questions),
            schema=None if self.schema is None else read_schema_file(self.schema),
            rows=self.rows,
            fresh=self.fresh,
            attribute=self.attribute,
        )


def ingest_corpus(
    location: Path, choice: IngestChoice, settings: Settings, *, quiet: bool = False
) -> IngestReport:
    """Ingest a folder, with its progress on stderr.

    Raises:
        SettingsError: If *location* is a build.
    """
    options = choice.options(location, settings)
    try:
        with interruption(), show_progress(quiet=quiet) as show:
            return ingest(
                location,
                settings,
                **options,
                on_progress=lambda step: show(step.stage, step.done, step.total),
            )
    except KeyboardInterrupt:
        print(
            "interrupted: what was finished is kept, the same command goes on from there",
            file=sys.stderr,
        )
        raise


def print_quote(location: Path, choice: IngestChoice, settings: Settings, *, as_json: bool) -> None:
    """Print what an ingestion would take.

    Raises:
        SettingsError: If *location* is a build, or a language model is wanted and none is named.
    """
    quote = quote_ingestion(location, settings, **choice.options(location, settings))
    if as_json:
        print_json(quote.to_json())
        return
    for line in quote.lines():
        print(line)


def start_ingestion(location: Path, choice: IngestChoice, settings: Settings) -> Job:
    """Start a job whose prompts an agent answers, or return the one that runs.

    Raises:
        SettingsError: If *location* is a build.
        JobError: If the process could not be started.
    """
    for_agents = settings.with_engine(AgentEngine.name)
    return start_job(location, for_agents, **choice.options(location, settings))


def ensure_ingested(corpus: Corpus, location: Path, settings: Settings) -> None:
    """Ingest *location* if it has no build yet, so that a first question gets its answer.

    Raises:
        NotIngestedError: If that is for an agent to do, or was stopped before its end.
    """
    try:
        corpus.build_path()
    except NotIngestedError:
        if corpus.is_build:
            raise
        _ingest_first(location, settings)


def _ingest_first(location: Path, settings: Settings) -> None:
    if is_for_agents(location, settings):
        msg = (
            f"{location} is not ingested yet, and the engine is `agent`: start with"
            f" srag-mcp ingest {location} --engine agent, or take --engine offline"
        )
        raise NotIngestedError(msg) from None
    thinking = go_on(location, settings, {}).settings
    model = f" with {thinking.model}" if thinking.model and asks_model(thinking) else ""
    print(f"{location} is not ingested yet; ingesting it first{model}", file=sys.stderr)
    report = ingest_corpus(location, IngestChoice(), within_budget(location, settings))
    if report.stopped:
        msg = f"{location} is not ingested yet, as that was stopped: {report.stopped}"
        raise NotIngestedError(msg)
    if report.read_nothing:
        msg = f"nothing of {location} could be read: {report.failed[0].reason}"
        raise NotIngestedError(msg)


def print_report(report: IngestReport, *, as_json: bool) -> None:
    """Print what an ingestion did; exit 1 if it was stopped before its end, or read nothing."""
    if as_json:
        print_json(report.to_json())
    else:
        _print_lines(report)
    if report.stopped or report.read_nothing:
        raise typer.Exit(1)


def _print_lines(report: IngestReport) -> None:
    uncovered = tuple(
        UncoveredQuestion(item.question, shorten_reason(item.reason)) for item in report.uncovered
    )
    for line in replace(report, uncovered=uncovered).lines():
        print(one_line(line))
