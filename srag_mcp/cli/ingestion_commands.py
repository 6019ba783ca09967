"""The commands that build the table of a corpus."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from srag_mcp.cli.options import (
    CorpusArgument,
    EngineOption,
    HomeOption,
    JsonOption,
    ModelOption,
    QuietOption,
    command_settings,
)
from srag_mcp.settings import Settings

if TYPE_CHECKING:
    from srag_mcp.cli.ingestion import IngestChoice

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
    """Quote, start for an agent, or do what *choice* says."""
    from srag_mcp.cli.agent_jobs import is_for_agents, print_job
    from srag_mcp.cli.ingestion import ingest_corpus, print_quote, print_report, start_ingestion
    from srag_mcp.cli.shipped import find_corpus

    location = find_corpus(corpus, settings)
    if printing.is_quote:
        print_quote(location, choice, settings, as_json=printing.as_json)
    elif is_for_agents(location, settings):
        job = start_ingestion(location, choice, settings)
        print_job(job, corpus, as_json=printing.as_json)
    else:
        report = ingest_corpus(location, choice, settings, quiet=printing.is_quiet)
        print_report(report, as_json=printing.as_json)
