"""HTTP on this computer: whose requests are answered, how many there may be, and for how long."""

import asyncio
import re
import socket
from typing import TYPE_CHECKING

import uvicorn
from starlette.responses import PlainTextResponse
from uvicorn.protocols.http.h11_impl import H11Protocol

from srag_mcp.errors import SettingsError

if TYPE_CHECKING:
    from mcp.server import MCPServer
    from starlette.types import ASGIApp, Receive, Scope, Send

    from srag_mcp.server.corpora import Corpora

LOOPBACK = "127.0.0.1"
REQUEST_TIMEOUT_S = 15.0  # for the head of a request, and its body
MAX_CONNECTIONS = 500
FILES_KEPT_FREE = 100  # of those that this process may open: builds, pipes of workers
_HOST = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?", re.IGNORECASE)
_ORIGIN = re.compile(rf"https?://{_HOST.pattern}", re.IGNORECASE)  # no more than that


def listen(port: int) -> socket.socket:
    """Listen on *port* of this computer, on a free one if 0; SettingsError where that cannot be."""
    try:
        return socket.create_server((LOOPBACK, port))
    except OSError as error:
        msg = f"port {port} of {LOOPBACK} cannot be used: {error.strerror}"
        raise SettingsError(msg) from error


def serve_loopback(server: "MCPServer[Corpora]", port: int) -> None:
    """Serve streamable HTTP on *port*, see `listen`, until the process is ended."""
    from mcp.server.transport_security import TransportSecuritySettings

    app = server.streamable_http_app(
        host=LOOPBACK,
        stateless_http=True,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    serve_app(app, listen(port))


def serve_app(app: "ASGIApp", listening: socket.socket) -> None:
    """Answer the requests on *listening* that are of this computer, until the process is ended."""
    config = uvicorn.Config(
        OnlyFromHere(app),
        http=PatientProtocol,
        ws="none",
        log_config=None,  # the command line has set up logging
    )
    uvicorn.Server(config).run(sockets=[listening])


class OnlyFromHere:
    """Lets in what asks for this computer, from a page of this computer or from no page.

    In place of the check of the SDK, which compares beginnings: to it
    `http://localhost:1@evil.example` is one of ours.
    """

    def __init__(self, app: "ASGIApp") -> None:
        self._app = app

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answer with 421 or 403, or pass the request on."""
        if scope["type"] == "http":
            said = {name: value.decode("latin-1") for name, value in scope["headers"]}
            origin = said.get(b"origin")
            if not _HOST.fullmatch(said.get(b"host", "")):
                await PlainTextResponse("Invalid Host header", 421)(scope, receive, send)
                return
            if origin is not None and not _ORIGIN.fullmatch(origin):
                await PlainTextResponse("Invalid Origin header", 403)(scope, receive, send)
                return
        await self._app(scope, receive, send)


class PatientProtocol(H11Protocol):
    """Waits for a whole request as long as `REQUEST_TIMEOUT_S`, then closes the connection."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvicorn's own
        """Take the connection, unless there are too many."""
        super().connection_made(transport)
        # else the second part of an answer waits 40 ms for the client to have taken note of the
        # first; asyncio sets it only where a socket names its protocol, as none of these does
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if len(self.connections) > max_connections():
            transport.close()
        else:
            self._set_timer()

    def data_received(self, data: bytes) -> None:
        """Read on; the time ends with a request that is whole."""
        super().data_received(data)
        is_answering = self.cycle is not None and not self.cycle.response_complete
        if is_answering and not self.cycle.more_body:
            self._stop_timer()
        elif self._timer is None and not self.transport.is_closing():
            self._set_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_timer()
        super().connection_lost(exc)

    def _set_timer(self) -> None:
        self._timer = self.loop.call_later(REQUEST_TIMEOUT_S, self.transport.close)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def max_connections() -> int:
    """Say how many connections there may be at a time: not more than files may be open."""
    try:
        import resource
    except ImportError:  # Windows
        return MAX_CONNECTIONS
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(16, min(MAX_CONNECTIONS, allowed - FILES_KEPT_FREE))
