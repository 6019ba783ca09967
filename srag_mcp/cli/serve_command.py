"""The command that serves; it is loaded before every other, so that a server starts fast."""

from typing import Annotated

import typer

from srag_mcp.cli.options import CorpusOptions, HomeOption, command_settings


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
