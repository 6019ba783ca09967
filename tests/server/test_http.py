"""HTTP on loopback: only pages and hosts of this machine are let in."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import anyio
import httpx2
import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from srag_mcp.server import loopback

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
HEADERS = {
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}


def post(url: str, **headers: str) -> int:
    return httpx2.post(url, json=LIST, headers=HEADERS | headers).status_code


def test_requests_of_this_machine_are_answered(http_url: str) -> None:
    assert post(http_url) == 200
    assert post(http_url, Origin=http_url.removesuffix("/mcp")) == 200
    assert post(http_url, Origin="http://localhost:6274") == 200
    assert post(http_url, Host="localhost") == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example"])
def test_a_foreign_host_is_misdirected(http_url: str, host: str) -> None:
    assert post(http_url, Host=host) == 421


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "http://127.0.0.1.evil.example",
        "http://localhost:3000@evil.example",
        "http://localhost:3000/",
        "file://localhost",
        "",
    ],
)
def test_a_foreign_origin_is_forbidden(http_url: str, origin: str) -> None:
    assert post(http_url, Origin=origin) == 403


def test_a_body_that_is_too_large_is_refused(http_url: str) -> None:
    body = b"x" * (5 * 1024 * 1024)

    assert httpx2.post(http_url, content=body, headers=HEADERS).status_code == 413


async def slow(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer after longer than a request may take to come."""
    while (await receive()).get("more_body"):
        pass
    await anyio.sleep(0.4)
    await PlainTextResponse("done")(scope, receive, send)


@contextmanager
def serving() -> Iterator[Callable[[], socket.socket]]:
    """Serve `slow` by the protocol of the server; give a function that connects."""
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(slow, http=loopback.PatientProtocol, ws="none", lifespan="off")
    config.log_config = None
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        yield lambda: socket.create_connection(listening.getsockname(), timeout=30)
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"


@pytest.mark.parametrize("sent", [b"", HEAD, HEAD + b"\r\n{"], ids=["nothing", "head", "body"])
def test_a_request_that_stays_half_sent_is_closed(
    sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loopback, "REQUEST_TIMEOUT_S", 0.1)
    with serving() as connect, connect() as client:
        client.sendall(sent)

        assert client.recv(100) == b""


def test_a_whole_request_may_take_long_and_the_next_one_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(loopback, "REQUEST_TIMEOUT_S", 0.2)
    with serving() as connect, connect() as client:
        for _ in range(2):
            client.sendall(HEAD + b"\r\n{}")
            answer = b""
            while b"\r\n\r\ndone" not in answer:
                answer += client.recv(1000)
            assert answer.startswith(b"HTTP/1.1 200 OK")
        client.sendall(HEAD)

        while client.recv(1000):  # the rest of the answer, then the end
            pass


def test_more_connections_than_there_may_be_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loopback, "max_connections", lambda: 2)
    with serving() as connect, connect() as first, connect() as second, connect() as third:
        assert third.recv(100) == b""
        for client in (first, second):
            client.sendall(HEAD + b"\r\n{}")
        for client in (first, second):
            answer = b""
            while b"\r\n\r\ndone" not in answer:
                answer += client.recv(1000)
            assert answer.startswith(b"HTTP/1.1 200 OK")


def test_no_part_of_an_answer_waits_for_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    received, at_once = loopback.PatientProtocol.data_received, list[int]()

    def look(protocol: loopback.PatientProtocol, data: bytes) -> None:
        talking = protocol.transport.get_extra_info("socket")
        at_once.append(talking.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        received(protocol, data)

    monkeypatch.setattr(loopback.PatientProtocol, "data_received", look)
    with serving() as connect, connect() as client:
        client.sendall(HEAD + b"\r\n{}")
        assert client.recv(1000)

    assert at_once
    assert all(at_once)


def test_there_are_fewer_connections_than_files() -> None:
    assert 16 <= loopback.max_connections() <= loopback.MAX_CONNECTIONS
