"""Children that are forked from a process of their kind: as others, but for the time they take."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from srag_mcp import forks
from srag_mcp.store.guard import QueryLimits
from srag_mcp.store.guard.process import Request, WorkerProcess

PROGRAM = """
import os, sys
from srag_mcp import forks
imported_by = os.getpid()

def main(argument):
    for line in sys.stdin.buffer:
        if line == b"raise\\n":
            raise ZeroDivisionError("of " + argument)
        if line == b"exit\\n":
            return
        print(argument, imported_by, os.getpid(), line.decode().strip(), flush=True)

"""
COMMAND = (sys.executable, "-P", "-c", f"{PROGRAM}forks.begin(main)")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="/proc, and forks")

Start = Callable[[str], forks.Child]


@pytest.fixture(params=["forked", "new"])
def start(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Start]:
    """Start children either way; their errors are in `errors.txt`."""
    monkeypatch.setattr(forks, "_CAN_FORK", request.param == "forked" and forks._CAN_FORK)
    started: list[forks.Child] = []
    with (tmp_path / "errors.txt").open("wb") as errors:

        def run(argument: str) -> forks.Child:
            started.append(forks.start(COMMAND, argument, errors.fileno()))
            return started[-1]

        yield run
        for child in started:
            child.kill()
            child.wait()
            close(child)


def close(child: forks.Child) -> None:
    for pipe in (child.stdin, child.stdout):
        assert pipe is not None
        pipe.close()


def ask(child: forks.Child, line: str) -> list[str]:
    """Say a line and return what is said, word by word; nothing if it ended."""
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(f"{line}\n".encode())
    child.stdin.flush()
    return child.stdout.readline().decode().split()


def test_children_have_pipes_of_their_own_and_tell_how_they_end(
    start: Start, tmp_path: Path
) -> None:
    one, two, three = start("one"), start("two"), start("three")

    said = [ask(child, "hello") for child in (two, one, three)]

    assert [(words[0], int(words[2]), words[3]) for words in said] == [
        ("two", two.pid, "hello"),
        ("one", one.pid, "hello"),
        ("three", three.pid, "hello"),
    ]
    with pytest.raises(subprocess.TimeoutExpired):
        one.wait(0)
    assert one.poll() is None
    assert ask(one, "raise") == ask(two, "exit") == []
    three.kill()
    assert (one.wait(60), two.wait(60), three.wait(60)) == (1, 0, -9)
    three.kill()
    assert three.poll() == -9
    assert (tmp_path / "errors.txt").read_text().endswith("ZeroDivisionError: of one\n")


@on_linux
def test_children_are_forks_of_one_that_imported_for_all(tmp_path: Path) -> None:
    with (tmp_path / "errors.txt").open("wb") as errors:
        children = [forks.start(COMMAND, "", errors.fileno()) for _ in range(2)]
    (one, first, *_), (two, second, *_) = (ask(child, "who") for child in children)
    open_files = {entry.name for entry in Path(f"/proc/{children[0].pid}/fd").iterdir()}
    for child in children:
        child.kill()
        child.wait()
        close(child)

    assert one == two
    assert first != second
    assert open_files == {"0", "1", "2"}


@on_linux
def test_where_it_was_killed_another_takes_its_place(tmp_path: Path) -> None:
    with (tmp_path / "errors.txt").open("wb") as errors:
        for _ in range(3):
            child = forks.start(COMMAND, "x", errors.fileno())
            [_, imported_by, *_] = ask(child, "who")
            os.kill(int(imported_by), 9)
            child.kill()
            assert child.wait() == -9
            close(child)


@on_linux
def test_children_end_with_who_started_them_even_if_they_are_busy() -> None:
    busy = "import os, sys, time\nfrom srag_mcp import forks\ndef main(_):\n time.sleep(600)\n"
    command = (sys.executable, "-P", "-c", f"{busy}forks.begin(main)")
    program = (
        f"import os, sys; from srag_mcp import forks; child = forks.start({command!r}, '', 2)\n"
        "print(child.pid, flush=True); os._exit(1)"
    )

    ended = subprocess.run(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=False
    )

    with suppress(ProcessLookupError):  # it has ended already
        child = os.pidfd_open(int(ended.stdout))
        assert forks._is_ready(child, 60)
        os.close(child)


@on_linux
@pytest.mark.usefixtures("cold_starts")
def test_a_process_forks_itself_while_it_has_one_thread() -> None:
    program = PROGRAM + (
        "import threading\n"
        "def who():\n"
        "    child = forks.start(('x',), 'x', 2)\n"
        "    child.stdin.write(b'who\\n'); child.stdin.flush()\n"
        "    return child.stdout.readline().split()[1] == str(os.getpid()).encode()\n"
        "forks.prepare(('x',), main)\n"
        "print(who())\n"
        "threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
        "forks.prepare(('y',), main)\n"
        "print(('y',) in forks._Nursery.running)\n"
    )

    said = subprocess.run(
        [sys.executable, "-c", program], input="", capture_output=True, text=True, check=False
    )

    assert said.stdout.split() == ["True", "False"]


@on_linux
def test_what_workers_are_forked_from_has_one_thread_and_no_environment(tmp_path: Path) -> None:
    worker = WorkerProcess(QueryLimits())
    worker.send(Request("read", tmp_path / "none", "SELECT 1"))
    worker.await_reply(60)
    status = Path(f"/proc/{worker.id}/stat").read_text("ascii")
    parent = Path("/proc") / status.rpartition(")")[2].split()[1]

    n_threads = len([*(parent / "task").iterdir()])
    environ = [
        (place / "environ").read_bytes() for place in (parent, parent.parent / str(worker.id))
    ]
    worker.close()

    assert (n_threads, environ) == (1, [b"", b""])


@on_linux
def test_children_work_where_who_starts_them_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = (*COMMAND[:3], COMMAND[3].replace("argument, imported", "os.getcwd(), imported"))
    said = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        child = forks.start(command, "", 2)
        said.append(ask(child, "where")[0])
        child.kill()
        child.wait()
        close(child)
        (tmp_path / name).rmdir()

    assert said == [str(tmp_path / "one"), str(tmp_path / "two")]
