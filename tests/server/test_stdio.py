"""A server on stdio: leaving ends it at once, and what cannot be read has an answer."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from srag_mcp.settings import Settings
from tests.server.conftest import serve_command, server_environ

FIRST = {
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "leaver", "version": "1"},
    },
}
QUESTION = "Pile the lot up, how far up?"


@pytest.fixture
def silent_model() -> Iterator[socket.socket]:
    """Listen where a model should answer, and say nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(60)
        yield listening


@pytest.fixture
def server(
    fleet: Path, settings: Settings, silent_model: socket.socket
) -> Iterator["subprocess.Popen[bytes]"]:
    address = f"http://127.0.0.1:{silent_model.getsockname()[1]}/v1"
    model = {"SRAG_MODEL": "openai/fake", "SRAG_API_BASE": address, "SRAG_API_KEY": "none"}
    with subprocess.Popen(
        [sys.executable, *serve_command([fleet])],
        env=server_environ(settings) | model,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        send(process, 1, FIRST)
        assert process.stdout is not None
        assert process.stdout.readline()
        yield process
        process.kill()


def send(process: "subprocess.Popen[bytes]", number: int, request: Mapping[str, object]) -> None:
    write(process, json.dumps({"jsonrpc": "2.0", "id": number, **request}))


def write(process: "subprocess.Popen[bytes]", line: str) -> None:
    assert process.stdin is not None
    process.stdin.write(line.encode() + b"\n")
    process.stdin.flush()


def said(process: "subprocess.Popen[bytes]") -> str:
    assert process.stderr is not None
    return process.stderr.read().decode()


def test_closing_stdin_ends_the_server_while_a_model_is_asked(
    server: "subprocess.Popen[bytes]", silent_model: socket.socket
) -> None:
    call = {"name": "ask", "arguments": {"question": QUESTION}}
    send(server, 2, {"method": "tools/call", "params": call})
    connection, _ = silent_model.accept()
    with connection:
        assert server.stdin is not None
        server.stdin.close()

        assert server.wait(timeout=20) == 0  # a question would wait for the model for 50 s
    assert said(server) == ""


def test_a_client_that_does_not_read_its_answer_leaves_no_traceback(
    server: "subprocess.Popen[bytes]",
) -> None:
    assert server.stdout is not None
    server.stdout.close()

    send(server, 2, {"method": "tools/list"})
    assert server.stdin is not None
    server.stdin.close()

    assert server.wait(timeout=20) == 0
    assert said(server) == ""


def test_a_request_with_half_of_a_character_gets_an_error_and_the_next_one_its_answer(
    server: "subprocess.Popen[bytes]",
) -> None:
    call = {"name": "ask", "arguments": {"question": "How many \ud800?"}}
    send(server, 7, {"method": "tools/call", "params": call})
    write(server, '{"jsonrpc": "2.0", "id": 8')  # nobody could say whose it is
    send(server, 9, {"method": "ping"})

    assert server.stdout is not None
    refused, pinged = (json.loads(server.stdout.readline()) for _ in range(2))
    assert (refused["id"], refused["error"]["code"]) == (7, -32700)
    assert refused["error"]["message"].startswith("the request is no JSON that can be read")
    assert (pinged["id"], pinged["result"]) == (9, {})
