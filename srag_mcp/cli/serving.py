"""What `srag-mcp serve` does."""

import logging
import os
import signal
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

from srag_mcp.errors import SettingsError
from srag_mcp.server.app import build_server
from srag_mcp.settings import Settings

logger = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"


def serve_corpora(locations: Sequence[Path], settings: Settings, *, port: int | None) -> None:
    """Serve on stdio, or over streamable HTTP on *port* of this computer, until it is ended.

    Raises:
        SettingsError: If the port cannot be used.
    """
    if port is not None:
        _require_port(port)
    server = build_server(locations, settings)
    if port is None:
        # A thread waits for stdin and cannot be interrupted: Ctrl-C would wait for the next line.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        try:
            server.run("stdio")
        except* BrokenPipeError:
            logger.debug("the client left before its answers")
        # Nobody reads an answer any more: a thread that still waits for a model is not waited for.
        sys.stderr.flush()
        os._exit(0)
    from srag_mcp.server.loopback import serve_loopback

    serve_loopback(server, port)


def _require_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError as error:
            msg = f"port {port} of {LOOPBACK} cannot be used: {error.strerror}"
            raise SettingsError(msg) from error
