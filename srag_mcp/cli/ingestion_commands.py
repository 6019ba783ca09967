"""The commands that build the table of a corpus."""

from pathlib import Path
from typing import Annotated, Literal

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
    from srag_mcp.cli.agent_jobs import is_for_agents, print_job
    from srag_mcp.cli.ingestion import (
        IngestChoice,
        ingest_corpus,
        print_quote,
        print_report,
        start_ingestion,
    )
    from srag_mcp.cli.shipped import find_corpus

    budget = {"budget_usd": budget_usd, "budget_calls": budget_calls}
    settings = command_settings(home, engine=engine, model=model, **budget)
    location = find_corpus(corpus, settings)
    choice = IngestChoice(tuple(question or ()), schema, rows, fresh_schema)
    if quote:
        print_quote(location, choice, settings, as_json=as_json)
    elif is_for_agents(location, settings):
        print_job(start_ingestion(location, choice, settings), corpus, as_json=as_json)
    else:
        report = ingest_corpus(location, choice, settings, quiet=quiet)
        print_report(report, as_json=as_json)


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
    from srag_mcp.cli.agent_jobs import is_for_agents, print_job
    from srag_mcp.cli.ingestion import (
        IngestChoice,
        ingest_corpus,
        print_quote,
        print_report,
        start_ingestion,
    )
    from srag_mcp.cli.shipped import find_corpus
    from srag_mcp.pipeline.extension import tidy_wish

    budget = {"budget_usd": budget_usd, "budget_calls": budget_calls}
    settings = command_settings(home, engine=engine, model=model, **budget)
    location = find_corpus(corpus, settings)
    choice = IngestChoice(attribute=tidy_wish(attribute))
    if quote:
        print_quote(location, choice, settings, as_json=as_json)
    elif is_for_agents(location, settings):
        print_job(start_ingestion(location, choice, settings), corpus, as_json=as_json)
    else:
        print_report(ingest_corpus(location, choice, settings, quiet=quiet), as_json=as_json)
