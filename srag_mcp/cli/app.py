"""The commands: parse options, one library call, print."""

import io
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

import typer

from srag_mcp import __version__
from srag_mcp.cli.client_config import Client
from srag_mcp.cli.options import (
    CorpusArgument,
    CorpusOptions,
    EngineOption,
    HomeOption,
    JsonOption,
    ModelOption,
    QuietOption,
    command_settings,
)
from srag_mcp.cli.prompt_commands import prompts
from srag_mcp.cli.wording import printable
from srag_mcp.errors import SragError

if TYPE_CHECKING:
    from srag_mcp.store.corpus import Corpus

app = typer.Typer(
    name="srag-mcp",
    help="Ask questions that need every document: a folder becomes one SQL table.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)

app.add_typer(prompts, name="prompts")


def run() -> None:
    """Run the command line; print `error: …` and exit 1 for every error raised on purpose."""
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s: %(message)s"
    )
    for stream in (sys.stdout, sys.stderr):
        # A file name or a terminal may not know a character; that must not end an answer.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        _run_app()
    except SragError as error:
        _fail(str(error))
    except OSError as error:
        # No permission, a full disk: what the system says is what there is to say.
        named = f"{error.filename}: " if error.filename else ""
        _fail(f"{named}{error.strerror or error}")


def _run_app() -> None:
    """Run the command and write all that it printed.

    Raises:
        OSError: If stdout cannot be written, besides what the command raises.
    """
    try:
        app()
    finally:
        try:
            sys.stdout.flush()
        except OSError:
            # Python would try again at its end, and say so at length.
            with Path(os.devnull).open("wb") as nowhere:
                os.dup2(nowhere.fileno(), sys.stdout.fileno())
            raise


def _fail(text: str) -> NoReturn:
    print(f"error: {printable(text)}", file=sys.stderr)
    sys.exit(1)


@app.callback(invoke_without_command=True)
def _options(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        print(__version__)
        raise typer.Exit


@app.command()
def serve(
    corpus: CorpusOptions,
    http: Annotated[
        int | None,
        typer.Option(
            help="Serve streamable HTTP on this port of 127.0.0.1.",
            min=1,
            max=65535,
            metavar="PORT",
        ),
    ] = None,
    home: HomeOption = None,
) -> None:
    """Serve corpora to MCP clients, on stdio or over HTTP."""
    from srag_mcp.cli.serving import serve_corpora
    from srag_mcp.cli.shipped import find_corpus

    settings = command_settings(home)
    serve_corpora([find_corpus(name, settings) for name in corpus], settings, port=http)


@app.command()
def ingest(
    corpus: CorpusArgument,
    question: Annotated[
        list[str] | None,
        typer.Option(help="A question that the columns should answer.", metavar="TEXT"),
    ] = None,
    schema: Annotated[
        Path | None, typer.Option(help="A schema (JSON Schema) to follow.", metavar="FILE")
    ] = None,
    rows: Annotated[
        Literal["auto", "file", "row"],
        typer.Option(help="A document a file, or a document a row of a table."),
    ] = "auto",
    fresh_schema: Annotated[
        bool, typer.Option("--fresh-schema", help="Find the columns anew.")
    ] = False,
    engine: EngineOption = None,
    model: ModelOption = None,
    budget_usd: Annotated[
        float | None, typer.Option(min=0, help="Most money for the model.", metavar="USD")
    ] = None,
    budget_calls: Annotated[
        int | None, typer.Option(min=0, help="Most calls of the model.", metavar="N")
    ] = None,
    quote: Annotated[
        bool, typer.Option("--quote", help="Say what it would take, and stop.")
    ] = False,
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


@app.command()
def extend(
    corpus: CorpusArgument,
    attribute: Annotated[
        str, typer.Option(help="What the new column holds, in words.", metavar="TEXT")
    ],
    engine: EngineOption = None,
    model: ModelOption = None,
    quiet: QuietOption = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add one column, and read only it from the documents."""
    from srag_mcp.cli.agent_jobs import is_for_agents, print_job
    from srag_mcp.cli.ingestion import (
        IngestChoice,
        ingest_corpus,
        print_report,
        start_ingestion,
    )
    from srag_mcp.cli.shipped import find_corpus

    settings = command_settings(home, engine=engine, model=model)
    location = find_corpus(corpus, settings)
    choice = IngestChoice(attribute=attribute)
    if is_for_agents(location, settings):
        print_job(start_ingestion(location, choice, settings), corpus, as_json=as_json)
    else:
        print_report(ingest_corpus(location, choice, settings, quiet=quiet), as_json=as_json)


@app.command()
def ask(
    corpus: CorpusArgument,
    question: Annotated[str, typer.Argument(help="In plain words.", metavar="QUESTION")],
    engine: EngineOption = None,
    model: ModelOption = None,
    votes: Annotated[
        int | None, typer.Option(help="Translations whose results are compared.", metavar="N")
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer a question, with SQL, denominator and quotes."""
    from srag_mcp.cli.answers import print_answer
    from srag_mcp.pipeline.ask import ask as answer
    from srag_mcp.pipeline.asking import choose_asking

    asking = choose_asking(command_settings(home, engine=engine, model=model, votes=votes))
    with _opened(corpus, home) as opened:
        print_answer(answer(opened, question, asking), corpus, as_json=as_json)


@app.command()
def sql(
    corpus: CorpusArgument,
    statement: Annotated[str, typer.Argument(help="One SELECT, DuckDB dialect.", metavar="SQL")],
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Most rows.", metavar="N")] = 100,
    offset: Annotated[int, typer.Option(min=0, help="Rows to leave out first.", metavar="N")] = 0,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run one SELECT over the records of a corpus."""
    from srag_mcp.cli.tables import print_page

    with _opened(corpus, home) as opened:
        print_page(opened.select(statement, limit=limit, offset=offset), as_json=as_json)


@app.command()
def schema(corpus: CorpusArgument, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Show the columns of a corpus and what they hold."""
    from srag_mcp.cli.columns import print_schema

    with _opened(corpus, home) as opened:
        print_schema(opened, as_json=as_json)


@app.command()
def stats(
    corpus: CorpusArgument,
    column: Annotated[
        list[str] | None, typer.Argument(help="Columns; all when none.", metavar="[COLUMN]...")
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show how many documents know a column, and its values."""
    from srag_mcp.cli.columns import print_statistics

    with _opened(corpus, home) as opened:
        print_statistics(opened, column or [], as_json=as_json)


@app.command()
def trace(
    corpus: CorpusArgument,
    column: Annotated[str, typer.Argument(help="The column.", metavar="COLUMN")],
    value: Annotated[str, typer.Option(help="Only cells with this value.", metavar="TEXT")] = "",
    document: Annotated[str, typer.Option(help="Only this document.", metavar="ID")] = "",
    state: Annotated[
        Literal["stated", "stated_absent", "not_mentioned", "failed"] | None,
        typer.Option(help="Only cells in this state."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Most cells.", metavar="N")] = 20,
    offset: Annotated[int, typer.Option(min=0, help="Cells to leave out first.", metavar="N")] = 0,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the documents and quotes behind the values of a column."""
    from srag_mcp.cli.evidence import print_evidence

    with _opened(corpus, home) as opened:
        if document:
            opened.document(document)
        found = opened.trace(
            column,
            value=value,
            document_id=document,
            state=state or "",
            limit=limit,
            offset=offset,
        )
        print_evidence(found, offset, as_json=as_json)


@app.command()
def review(
    corpus: CorpusArgument,
    column: Annotated[str, typer.Option(help="Only this column.", metavar="COLUMN")] = "",
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Most cells.", metavar="N")] = 20,
    offset: Annotated[int, typer.Option(min=0, help="Cells to leave out first.", metavar="N")] = 0,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the cells that the model and a learned rule read differently."""
    from srag_mcp.cli.reviews import print_reviews
    from srag_mcp.store.reviews import read_reviews

    with _opened(corpus, home) as opened:
        if column:
            opened.schema().attribute(column)  # or says which there are
        print_reviews(read_reviews(opened.read, column, limit, offset), offset, as_json=as_json)


@app.command()
def demo(home: HomeOption = None) -> None:
    """Ingest 60 shipped hotel pages and answer three questions."""
    from srag_mcp.cli.demo import run_demo

    run_demo(command_settings(home))


@app.command(name="eval")
def evaluate(
    pack: Annotated[
        Path, typer.Argument(help="A folder with documents/ and gold.csv.", metavar="PACK")
    ],
    schema: Annotated[
        Literal["inferred", "gold", "gold-records"],
        typer.Option(help="Find columns, follow the pack's schema.json, or ask the gold itself."),
    ] = "inferred",
    documents: Annotated[
        int | None, typer.Option(min=1, help="Evenly spaced documents only.", metavar="N")
    ] = None,
    engine: EngineOption = None,
    model: ModelOption = None,
    work: Annotated[
        Path | None, typer.Option(help="Folder to work in and keep.", metavar="DIR")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(help="Write the model's replies there.", metavar="FILE")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure cells and questions on a document pack with gold."""
    from srag_mcp.cli.evaluation import evaluate_pack
    from srag_mcp.evaluation.evaluate import EvaluationPlan

    plan = EvaluationPlan(schema, documents, work, record)
    evaluate_pack(pack, command_settings(None, engine=engine, model=model), plan, as_json=as_json)


@app.command()
def config(
    client: Annotated[Client, typer.Argument(help="The MCP client.", metavar="CLIENT")],
    corpus: CorpusOptions,
    home: HomeOption = None,
) -> None:
    """Print the configuration to paste into an MCP client."""
    from srag_mcp.cli.client_config import config_place, render_config, server_command
    from srag_mcp.cli.shipped import find_corpus

    settings = command_settings(home)
    locations = [find_corpus(name, settings) for name in corpus]
    print(f"Paste into {config_place(client)}:", file=sys.stderr)
    print(render_config(client, locations, server_command(), settings.home))


@contextmanager
def _opened(name: str, home: Path | None) -> Iterator["Corpus"]:
    """Open a corpus for reading; ingest it first when that was never done."""
    from srag_mcp.cli.ingestion import ensure_ingested
    from srag_mcp.cli.shipped import find_corpus, open_corpus

    settings = command_settings(home)
    location = find_corpus(name, settings)
    with open_corpus(location, settings) as corpus:
        ensure_ingested(corpus, location, settings)
        yield corpus
