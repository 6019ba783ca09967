"""HTTP on loopback: only pages and hosts of this machine are let in."""

import httpx2
import pytest

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


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example"])
def test_a_foreign_host_is_misdirected(http_url: str, host: str) -> None:
    assert post(http_url, Host=host) == 421


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1.evil.example"]
)
def test_a_foreign_origin_is_forbidden(http_url: str, origin: str) -> None:
    assert post(http_url, Origin=origin) == 403


def test_a_body_that_is_too_large_is_refused(http_url: str) -> None:
    body = b"x" * (5 * 1024 * 1024)

    assert httpx2.post(http_url, content=body, headers=HEADERS).status_code == 413
