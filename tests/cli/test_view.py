"""The page by command: its address, what it answers, how it ends, and the file."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from tests.cli.conftest import Cli


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_the_address_that_is_printed_shows_the_corpus(
    program: tuple[list[str], dict[str, str]], ingested: Path
) -> None:
    command, environment = program
    with subprocess.Popen(
        [*command, "view", str(ingested), "--no-open"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline()
        found = re.fullmatch(r"(http://127\.0\.0\.1:\d+/)#token=([\w-]{40,})\n", address)
        assert found is not None, address
        said = httpx2.get(f"{found[1]}api/corpus", headers={"x-srag-token": found[2]})
        assert said.json()["documents"] == 4
        assert httpx2.get(f"{found[1]}api/corpus").status_code == 403
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    assert "Traceback" not in told


def test_a_port_that_is_taken_is_said(cli: Cli, ingested: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = cli("view", ingested, "--no-open", "--port", str(port))
    assert (done.status, f"port {port} of 127.0.0.1 cannot be used" in done.err) == (1, True)


def test_a_file_is_written_and_not_replaced_by_itself(
    cli: Cli, ingested: Path, tmp_path: Path
) -> None:
    out = tmp_path / "ferries.html"
    assert cli("view", ingested, "--write", out).out == f"4 of 4 rows of ferry written to {out}\n"
    assert "Borgund" in out.read_text(encoding="utf-8")
    for wrong in ("ferries.txt", "no/ferries.html"):
        assert cli("view", ingested, "--write", tmp_path / wrong).status == 1
    again = cli("view", ingested, "--write", out)
    assert (again.status, "--force replaces" in again.err) == (1, True)
    assert cli("view", ingested, "--write", out, "--force").status == 0
