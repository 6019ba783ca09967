"""The commands for MCP clients: the server, and how each is told to start it."""

from typing import Annotated

import typer

from srag_mcp.cli.client_config import Client
from srag_mcp.cli.options import (
    ApiBaseOption,
    CorpusOptions,
    HomeOption,
    ModelOption,
    command_settings,
)


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
    from srag_mcp.cli.shipped import find_corpora

    settings = command_settings(home)
    serve_corpora(find_corpora(corpus, settings), settings, port=http)


def config(
    client: Annotated[Client, typer.Argument(help="The MCP client.", metavar="CLIENT")],
    corpus: CorpusOptions,
    model: ModelOption = None,
    api_base: ApiBaseOption = None,
    home: HomeOption = None,
) -> None:
    """Print the configuration to paste into an MCP client."""
    from srag_mcp.cli.client_config import print_config
    from srag_mcp.cli.shipped import find_corpus

    settings = command_settings(home, model=model, api_base=api_base)
    print_config(client, [find_corpus(name, settings) for name in corpus], settings)
