"""The program as the shell sees it: pipes, interruption, encodings, terminals."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from srag_mcp.cli.building_commands import interruption
from tests.cli.conftest import Cli

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
_REASON = "at full tide"
Program = tuple[list[str], dict[str, str]]


def _run(
    program: Program, *arguments: str | Path, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    command, inherited = program
    return subprocess.run(
        [*command, *map(str, arguments)],
        env={**inherited, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


def test_a_reader_that_goes_away_ends_the_program_quietly(program: Program, ingested: Path) -> None:
    command, environment = program
    query = "SELECT repeat('x', 90) AS x FROM range(1000)"
    process = subprocess.Popen(
        [*command, "sql", str(ingested), query, "--limit", "1000"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    _, said = process.communicate()

    assert process.returncode == 1
    assert b"Traceback" not in said
    assert b"BrokenPipe" not in said


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_keeps_what_is_finished(
    cli: Cli, program: Program, tmp_path: Path, schema_file: Path
) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(300):
        text = f"Name: Ferry {number}\nPassengers: {number}\n" + "She sails at dawn.\n" * 10
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    command, environment = program
    process = subprocess.Popen(
        [*command, "ingest", str(folder), "--schema", str(schema_file)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stderr is not None
    begun = [process.stderr.readline() for _ in range(2)]
    os.killpg(process.pid, signal.SIGINT)
    out, said = process.communicate()

    assert begun == [b"finding the columns\n", b"reading and extracting: 300\n"]
    assert (process.returncode, out) == (130, b"")
    assert said == b"interrupted: what was finished is kept, the same command goes on from there\n"
    report = json.loads(cli("ingest", folder, "--json").out)
    assert (report["published"], report["n_documents"], report["failed"]) == (True, 300, [])


@pytest.fixture
def heeds_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C be heard, which a process in the background of a shell ignores."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeds_ctrl_c")
def test_ctrl_c_inside_a_statement_is_ctrl_c() -> None:
    import duckdb

    # two threads may leave all of it to the one that hears no signal
    with duckdb.connect(config={"threads": 1}) as connection:
        threading.Timer(0.1, signal.raise_signal, [signal.SIGINT]).start()
        with pytest.raises(KeyboardInterrupt) as interrupted, interruption():
            connection.execute("SELECT count(*) FROM range(40000000000)")

    assert str(interrupted.value.__cause__) == "Query interrupted"


def test_other_errors_of_a_block_stay_what_they_are() -> None:
    with pytest.raises(ZeroDivisionError), interruption():
        _ = 1 / 0
    with pytest.raises(RuntimeError, match="at full tide"), interruption():
        raise RuntimeError(_REASON)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
@pytest.mark.parametrize("arguments", [["--version"], ["schema"], ["schema", "--json"]])
def test_output_that_cannot_be_written_is_an_error_without_a_traceback(
    program: Program, ingested: Path, arguments: list[str]
) -> None:
    command, environment = program
    place = [str(ingested)] if arguments[0] == "schema" else []
    with Path("/dev/full").open("wb") as full:
        result = subprocess.run(
            [*command, *arguments, *place],
            env=environment,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )

    assert (result.returncode, result.stderr) == (1, b"error: No space left on device\n")


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals")
def test_a_terminal_that_cannot_move_its_cursor_gets_lines_of_progress(
    program: Program, ferries: Path, schema_file: Path
) -> None:
    arguments = ["ingest", str(ferries), "--schema", str(schema_file)]
    shown = _on_a_terminal(program, arguments, columns=80, TERM="dumb")

    assert shown.splitlines()[:2] == ["finding the columns", "reading and extracting: 4"]


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_ends_a_server_that_waits_for_its_client(program: Program, ferries: Path) -> None:
    command, environment = program
    with subprocess.Popen(
        [*command, "serve", "--corpus", str(ferries)],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        process.stdin.flush()
        assert b'"serverInfo"' in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        status = process.wait()
        assert process.stderr is not None
        said = process.stderr.read()

    assert (status, said) == (-signal.SIGINT, b"")


def test_a_corpus_that_is_missing_does_not_keep_the_others_from_being_served(
    program: Program, ferries: Path, tmp_path: Path
) -> None:
    command, environment = program
    missing = tmp_path / "barges"
    calls = [
        INITIALIZE,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "list_corpora"}},
    ]
    with subprocess.Popen(
        [*command, "serve", "--corpus", str(missing), "--corpus", str(ferries)],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write("".join(f"{json.dumps(call)}\n" for call in calls))
        process.stdin.flush()
        process.stdout.readline()
        listed = json.loads(process.stdout.readline())["result"]["structuredContent"]
        process.stdin.close()
        warning = process.stderr.read()

    problem = f"the folder of corpus 'barges' is not there: {missing}; tell the user"
    assert [(entry["name"], entry["state"]) for entry in listed["corpora"]] == [
        ("barges", "unreadable"),
        ("ferries", "not ingested"),
    ]
    assert listed["corpora"][0]["problem"] == problem
    assert listed["next"] == "call ingest_corpus with corpus='ferries'"
    assert warning.startswith(f"WARNING: no folder or .duckdb build {str(missing)!r}; ")
    assert not missing.exists()


def test_a_terminal_without_the_characters_gets_others(program: Program, ingested: Path) -> None:
    result = _run(program, "trace", ingested, "passengers", PYTHONIOENCODING="ascii")

    assert result.returncode == 0
    assert b"aldra.txt    120    stated  ?120?" in result.stdout


def test_output_to_a_file_has_no_colours_whatever_the_width(
    program: Program, ingested: Path
) -> None:
    narrow = _run(program, "schema", ingested, COLUMNS="20")
    wide = _run(program, "schema", ingested, COLUMNS="300")

    assert narrow.stdout == wide.stdout
    assert b"\x1b" not in narrow.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals")
def test_a_narrow_terminal_folds_cells_and_loses_none(program: Program, ingested: Path) -> None:
    shown = _on_a_terminal(program, ["stats", str(ingested), "operator"], columns=40)

    assert max(len(line) for line in shown.splitlines()) <= 40
    assert {"Skerry", "Ferries"} <= set(shown.split())


def _on_a_terminal(program: Program, arguments: list[str], columns: int, **more: str) -> str:
    """Return what a terminal is told, on stdout and stderr, without colours."""
    import pty

    command, environment = program
    main_end, program_end = pty.openpty()
    process = subprocess.Popen(
        [*command, *arguments],
        env={**environment, "COLUMNS": str(columns), "NO_COLOR": "1", "TERM": "xterm", **more},
        stdout=program_end,
        stderr=program_end,
    )
    os.close(program_end)
    shown = b""
    while chunk := _read(main_end):
        shown += chunk
    os.close(main_end)
    assert process.wait() == 0
    return re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", shown.decode().replace("\r\n", "\n"))


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # Linux says EIO when the other end is closed
        return b""
