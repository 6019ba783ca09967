"""The command that serves; it is loaded before every other, so that a server starts fast."""

import logging
import os
import signal
import socket
import sys
from typing import Annotated

import typer

from srag_mcp.cli.options import CorpusOptions, HomeOption, command_settings
from srag_mcp.errors import SettingsError

logger = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"


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
    from srag_mcp.cli.shipped import find_corpora
    from srag_mcp.server.app import build_server

    settings = command_settings(home)
    locations = find_corpora(corpus, settings)
    if http is not None:
        _require_port(http)
        from srag_mcp.server.loopback import serve_loopback

        serve_loopback(build_server(locations, settings), http)
        return
    server = build_server(locations, settings)
    # A thread waits for stdin and cannot be interrupted: Ctrl-C would wait for the next line.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        server.run("stdio")
    except* BrokenPipeError:
        logger.debug("the client left before its answers")
    # Nobody reads an answer any more: a thread that still waits for a model is not waited for.
    sys.stderr.flush()
    os._exit(0)


def _require_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError as error:
            msg = f"port {port} of {LOOPBACK} cannot be used: {error.strerror}"
            raise SettingsError(msg) from error
