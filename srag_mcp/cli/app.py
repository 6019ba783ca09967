"""The commands: parse options, one library call, print."""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from srag_mcp import __version__
from srag_mcp.errors import SragError
from srag_mcp.settings import Settings

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

CORPUS_HELP = "A folder of documents, a published .duckdb build, or a shipped corpus (hotels, cvs)."
CorpusArgument = Annotated[str, typer.Argument(help=CORPUS_HELP, metavar="CORPUS")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
HomeOption = Annotated[
    Path | None, typer.Option(help="Folder for databases instead of DIR/.srag (SRAG_HOME).")
]


def main() -> None:
    """Run the command line; print `error: …` and exit 1 for every error raised on purpose."""
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s: %(message)s"
    )
    try:
        app()
    except SragError as error:
        print(f"error: {error}", file=sys.stderr)
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
    corpus: Annotated[list[str], typer.Option("--corpus", help=CORPUS_HELP)],
    http: Annotated[
        int | None, typer.Option(help="Serve streamable HTTP on this port of 127.0.0.1.")
    ] = None,
    home: HomeOption = None,
) -> None:
    """Serve corpora to MCP clients, on stdio or over HTTP."""
    from srag_mcp.cli.shipped import find_corpus
    from srag_mcp.server.app import build_server

    settings = _settings(home)
    server = build_server([find_corpus(name, settings) for name in corpus], settings)
    if http is None:
        server.run("stdio")
    else:
        server.run("streamable-http", host="127.0.0.1", port=http, stateless_http=True)


@app.command()
def ingest(
    corpus: CorpusArgument,
    question: Annotated[
        list[str] | None, typer.Option(help="A question that the columns should answer.")
    ] = None,
    schema: Annotated[Path | None, typer.Option(help="A schema file (JSON Schema) to use.")] = None,
    rows: Annotated[
        str, typer.Option(help="auto, file (a document a file) or row (a document a table row).")
    ] = "auto",
    fresh_schema: Annotated[bool, typer.Option(help="Find the columns anew.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Build or update the table of a corpus from its documents."""
    from srag_mcp.cli import commands
    from srag_mcp.cli.shipped import find_corpus

    settings = _settings(home)
    choice = commands.IngestChoice(tuple(question or ()), schema, rows, fresh_schema)
    report = commands.ingest_corpus(find_corpus(corpus, settings), choice, settings)
    commands.print_report(report, as_json=as_json)


@app.command()
def ask(
    corpus: CorpusArgument,
    question: Annotated[str, typer.Argument(help="In plain words.")],
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer a question over all documents, with SQL, denominator and quotes."""
    from srag_mcp.cli import commands
    from srag_mcp.pipeline.ask import ask as answer

    with _opened(corpus, home) as opened:
        commands.print_answer(answer(opened, question), as_json=as_json)


@app.command()
def sql(
    corpus: CorpusArgument,
    statement: Annotated[str, typer.Argument(help="One SELECT, DuckDB dialect.", metavar="SQL")],
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Most rows.")] = 100,
    offset: Annotated[int, typer.Option(min=0, help="Rows to leave out first.")] = 0,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run one SELECT over the records of a corpus."""
    from srag_mcp.cli import commands

    with _opened(corpus, home) as opened:
        page = opened.select(statement, limit=limit, offset=offset)
        commands.print_page(page, as_json=as_json)


@app.command()
def schema(corpus: CorpusArgument, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Show the columns of a corpus and what they hold."""
    from srag_mcp.cli import commands

    with _opened(corpus, home) as opened:
        commands.print_schema(opened, as_json=as_json)


@app.command()
def stats(
    corpus: CorpusArgument,
    column: Annotated[list[str] | None, typer.Argument(help="Columns; all when none.")] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show statistics of columns: ranges, values, how many documents do not say."""
    from srag_mcp.cli import commands

    with _opened(corpus, home) as opened:
        commands.print_statistics(opened, column or [], as_json=as_json)


@app.command()
def trace(
    corpus: CorpusArgument,
    column: Annotated[str, typer.Argument(help="The column.")],
    value: Annotated[str, typer.Option(help="Only cells with this value.")] = "",
    document: Annotated[str, typer.Option(help="Only this document id.")] = "",
    state: Annotated[
        str, typer.Option(help="Only stated, stated_absent, not_mentioned or failed.")
    ] = "",
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Most cells.")] = 20,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the documents and quotes behind the values of a column."""
    from srag_mcp.cli import commands

    with _opened(corpus, home) as opened:
        found = opened.trace(
            column, value=value, document_id=document, state=state, limit=limit, offset=0
        )
        commands.print_evidence(found, as_json=as_json)


@app.command()
def demo(home: HomeOption = None) -> None:
    """Ingest the shipped hotel pages and answer three questions over all of them."""
    from srag_mcp.cli.demo import run_demo

    run_demo(_settings(home))


@app.command(name="eval")
def evaluate(
    pack: Annotated[Path, typer.Argument(help="A folder with documents/ and gold.csv.")],
    gold_schema: Annotated[
        bool, typer.Option(help="Use the pack's schema.json instead of finding the columns.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Measure cells and questions on a document pack with gold."""
    from srag_mcp.cli.evaluation import evaluate_pack

    evaluate_pack(pack, _settings(None), gold_schema=gold_schema, as_json=as_json)


@app.command()
def config(
    client: Annotated[
        str, typer.Argument(help="claude-desktop, claude-code, cursor, vscode or codex.")
    ],
    corpus: Annotated[list[str], typer.Option("--corpus", help=CORPUS_HELP)],
) -> None:
    """Print the configuration to paste into an MCP client."""
    from srag_mcp.cli.client_config import config_place, read_client, render_config, server_command
    from srag_mcp.cli.shipped import find_corpus

    chosen = read_client(client)
    locations = [find_corpus(name, _settings(None)) for name in corpus]
    print(f"Paste into {config_place(chosen)}:", file=sys.stderr)
    print(render_config(chosen, locations, server_command()))


def _settings(home: Path | None) -> Settings:
    return Settings.from_environ(os.environ, home=home)


@contextmanager
def _opened(name: str, home: Path | None) -> Iterator["Corpus"]:
    """Open a corpus for reading; ingest it first when that was never done."""
    from srag_mcp.cli.commands import ensure_ingested
    from srag_mcp.cli.shipped import find_corpus, open_corpus

    settings = _settings(home)
    location = find_corpus(name, settings)
    with open_corpus(location, settings) as corpus:
        ensure_ingested(corpus, location, settings)
        yield corpus
