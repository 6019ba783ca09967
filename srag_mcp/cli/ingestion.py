"""Ingestions of the command line: what they are asked to do, and how they are waited for."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from srag_mcp.cli.progress import show_progress
from srag_mcp.documents.folder import why_ask_first
from srag_mcp.engines.choice import asks_model, is_for_caller
from srag_mcp.errors import AskFirstError, NotIngestedError, SettingsError
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.pipeline.report import IngestReport
from srag_mcp.pipeline.wishes import IngestOptions, RowsMode, choose_questions, go_on, within_budget
from srag_mcp.schema.json_schema import read_schema_file
from srag_mcp.settings import Settings
from srag_mcp.store.build import published_info
from srag_mcp.store.layout import BUILD_SUFFIX, CorpusFolder

_INTERRUPTED = "Query interrupted"


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


def is_for_agents(location: Path, settings: Settings) -> bool:
    """Whether an ingestion of *location* would be done by an agent, as the last one was.

    The last one may have ended, or not.
    """
    settings = go_on(location, settings, {}).settings
    info = published_info(CorpusFolder(location, settings.home).readable())
    return is_for_caller(settings, None if info is None else info.engine)


def ingest_first(location: Path, settings: Settings) -> None:
    """Ingest a folder of which something is asked.

    Raises:
        NotIngestedError: If that is for an agent to do, or was stopped before its end.
        AskFirstError: If it looks like no corpus, and nobody can be asked, or says no.
    """
    why = why_ask_first(location)
    if why:
        _ask_first(location, why)
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


def _ask_first(location: Path, why: str) -> None:
    said = f"{location} is not ingested yet, and {why}"
    if sys.stdin.isatty() and sys.stderr.isatty():
        print(f"{said}. Ingest it as one corpus? [y/N] ", end="", file=sys.stderr, flush=True)
        if input().strip().lower() in {"y", "yes"}:
            return
    msg = f"{said}: name one of the folders inside, or say srag-mcp ingest {location}"
    raise AskFirstError(msg)
