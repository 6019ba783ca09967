"""The command that tells MCP clients how to start the server."""

from typing import Annotated

import typer

from srag_mcp.cli.client_config import Client, print_config
from srag_mcp.cli.options import (
    ApiBaseOption,
    CorpusOptions,
    HomeOption,
    ModelOption,
    command_settings,
)


def config(
    client: Annotated[Client, typer.Argument(help="The MCP client.", metavar="CLIENT")],
    corpus: CorpusOptions,
    model: ModelOption = None,
    api_base: ApiBaseOption = None,
    home: HomeOption = None,
) -> None:
    """Print the configuration to paste into an MCP client."""
    from srag_mcp.cli.shipped import find_corpus

    settings = command_settings(home, model=model, api_base=api_base)
    print_config(client, [find_corpus(name, settings) for name in corpus], settings)
