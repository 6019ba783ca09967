"""The state of a corpus: shared by processes, whole after any end of one."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from srag_mcp.errors import StoreError
from srag_mcp.store.state import open_state, pause_s, read_state

COUNT = """
import sys
from pathlib import Path
from srag_mcp.store.state import open_state
print("ready", flush=True)
sys.stdin.readline()
with open_state(Path(sys.argv[1])) as state:
    for _ in range(int(sys.argv[2])):
        with state.transaction():
            state.keep_note("n", str(int(state.note("n") or "0") + 1))
        print("counted", flush=True)
"""


def counting(folder: Path, n: int) -> "subprocess.Popen[str]":
    """Start a process that counts to *n* as soon as it is told to."""
    process = subprocess.Popen(
        [sys.executable, "-c", COUNT, str(folder), str(n)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def note(folder: Path, key: str) -> str | None:
    with read_state(folder) as state:
        return state.note(key)


def test_a_note_is_there_for_the_next_who_opens(state: Path) -> None:
    with open_state(state) as opened:
        opened.keep_note("colour", "red")
        opened.keep_note("shape", "round")
        opened.keep_note("shape", None)
    assert (note(state, "colour"), note(state, "shape")) == ("red", None)


def test_to_look_makes_nothing(state: Path) -> None:
    before = sorted(state.iterdir())
    with read_state(state) as opened:
        assert opened.note("colour") is None
        assert opened.run("SELECT * FROM calls") == []
    assert sorted(state.iterdir()) == before
    assert note(state / "missing", "colour") is None


def test_what_fails_inside_of_a_transaction_leaves_nothing(state: Path) -> None:
    with open_state(state) as opened:
        with pytest.raises(ZeroDivisionError), opened.transaction():
            opened.keep_note("colour", "red")
            opened.keep_note("shape", str(1 // 0))
        assert opened.note("colour") is None
        opened.keep_note("colour", "blue")
    assert note(state, "colour") == "blue"


def test_processes_that_open_it_first_at_the_same_time_write_one_after_the_other(
    state: Path,
) -> None:
    processes = [counting(state, 25) for _ in range(4)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        process.communicate(timeout=60)
    assert note(state, "n") == "100"


def test_what_a_killed_process_had_kept_is_there(state: Path) -> None:
    process = counting(state, 1_000_000)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("go\n")
    process.stdin.flush()
    for _ in range(50):
        process.stdout.readline()
    process.kill()
    n_said = 50 + len(list(process.stdout))
    process.communicate()
    assert int(note(state, "n") or "0") in {n_said, n_said + 1}


@pytest.mark.parametrize("content", [b"not a database, but long enough" * 40, b"x" * 4096])
def test_what_is_damaged_says_what_to_do(state: Path, content: bytes) -> None:
    (state / "state.sqlite").write_bytes(content)
    with pytest.raises(StoreError, match="move it away, and begin anew"), open_state(state):
        pass
    assert (state / "state.sqlite").read_bytes() == content


def test_a_state_of_a_later_version_is_left_as_it_is(state: Path) -> None:
    with open_state(state) as opened:
        opened.run("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="format 99, of a later version"), open_state(state):
        pass


def test_what_cannot_be_written_is_an_error_that_names_the_file(state: Path) -> None:
    with (
        open_state(state) as opened,
        pytest.raises(StoreError, match=r"state\.sqlite cannot be used: no such table"),
    ):
        opened.run("SELECT * FROM colours")
    (state / "elsewhere").mkdir()
    (state / "elsewhere" / "state.sqlite").mkdir()
    with pytest.raises(StoreError, match="unable to open"), open_state(state / "elsewhere"):
        pass


def test_it_is_safe_against_the_end_of_a_process_by_writing_ahead(state: Path) -> None:
    with open_state(state) as opened:
        assert opened.run("PRAGMA journal_mode") == [("wal",)]
    with sqlite3.connect(state / "state.sqlite") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


def test_who_waits_long_looks_less_often() -> None:
    assert [pause_s(waited_s) for waited_s in (0.0, 0.02, 0.4, 60.0)] == [0.005, 0.005, 0.1, 0.25]
