"""Interpreters that tests start, forked from one that has imported what most of them need.

Each is a process of its own and a child of the one that runs the tests: its arguments, streams,
environment, signals and end are as of any other, only its imports are done. `cold_starts` is for
tests of what is imported, and when.
"""

import atexit
import ctypes
import gc
import importlib
import importlib.util
import inspect
import io
import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

_MODULES = (
    *("duckdb", "sqlglot.dialects.duckdb", "sqlglot.optimizer.scope", "srag_mcp.pipeline.jobs"),
    *("srag_mcp.pipeline.ingest", "srag_mcp.pipeline.quote", "srag_mcp.cli.command_line"),
    *("srag_mcp.server.tools", "srag_mcp.inference.answer"),
)
_PIPES = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
_BECOME_SUBREAPER = 36
_MOST_BYTES = 1 << 17
ROOT = Path(__file__).resolve().parents[1]
_is_off = False
_lock = threading.Lock()
_door: socket.socket | None = None
_cold_start = getattr(subprocess.Popen, "_execute_child")  # noqa: B009 - it is not typed
_parameters = inspect.signature(_cold_start)


class _Start(NamedTuple):
    """What an interpreter is started with."""

    options: tuple[str, ...]
    argv: list[str]
    cwd: str
    environ: dict[str, str]
    new_session: bool


def use_warm_starts() -> None:
    """Let processes that this one starts be forked, where the system can."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_BECOME_SUBREAPER, 1, 0, 0, 0)
        setattr(subprocess.Popen, "_execute_child", _execute_child)  # noqa: B010


def set_warm_starts(*, on: bool) -> None:
    global _is_off
    _is_off = not on


def _execute_child(popen: "subprocess.Popen[bytes]", *values: object, **named: object) -> None:
    given = _parameters.bind(popen, *values, **named).arguments
    start = None if _is_off else _read_start(given)
    if start is None:
        _cold_start(popen, *values, **named)
        return
    streams = [
        own if given[key] == -1 else given[key]
        for own, key in enumerate((_PIPES[0], _PIPES[3], _PIPES[5]))
    ]
    with _lock:
        socket.send_fds(_find_door(), [pickle.dumps(start)], streams)
        popen.pid = int(_find_door().recv(16))
    popen._child_created = True  # type: ignore[attr-defined]
    popen._close_pipe_fds(*(given[key] for key in _PIPES))  # type: ignore[attr-defined]


def _read_start(given: "dict[str, Any]") -> _Start | None:
    """Return what is started, None for what no fork can be: other programs, other options."""
    args = given["args"]
    if not isinstance(args, Sequence) or isinstance(args, str | bytes):
        return None
    words = [os.fspath(word) for word in args]
    at = 2 if words[1:2] == ["-P"] else 1
    if words[0] != sys.executable or len(words) <= at + 1 or words[at] not in {"-c", "-m"}:
        return None
    others = ("executable", "preexec_fn", "shell", "pass_fds", "startupinfo")
    env = given["env"]
    environ = dict(os.environ if env is None else env)
    pythons = {key for key in environ if key.startswith(("PYTHON", "LD_", "MALLOC"))}
    if any(given[name] for name in others) or any(
        environ[key] != os.environ.get(key) for key in pythons
    ):
        return None
    cwd = os.fspath(given["cwd"] or Path.cwd())
    return _Start(
        tuple(words[1 : at + 2]), words[at + 2 :], cwd, environ, bool(given["start_new_session"])
    )


def _find_door() -> socket.socket:
    global _door
    if _door is None:
        _door, inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with inner:
            program = (
                f"import sys; sys.path.insert(0, {str(ROOT)!r}); from tests import warm_starts;"
                f" exec(warm_starts.serve({inner.fileno()}), globals())"
            )
            command = [sys.executable, "-P", "-c", program]
            process = subprocess.Popen(command, pass_fds=(inner.fileno(),))
        atexit.register(process.wait)
        atexit.register(_door.close)
    return _door


def serve(descriptor: int) -> CodeType:
    """Fork what is asked for until nobody can ask; in the fork, return the code that it runs."""
    del sys.path[0]
    for module in _MODULES:
        importlib.import_module(module)
    from srag_mcp.store.guard import child

    child.load()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.collect()
    gc.freeze()
    door = socket.socket(fileno=descriptor)
    while True:
        request, streams, _, _ = socket.recv_fds(door, _MOST_BYTES, 3)
        if not request:
            os._exit(0)
        said, says = os.pipe()
        between = os.fork()
        if between == 0:
            pid = os.fork()
            if pid == 0:
                for target, stream in enumerate(streams):
                    os.dup2(stream, target)
                os.closerange(3, max(*streams, said, says, descriptor) + 1)
                door.detach()
                return _become(pickle.loads(request))
            os.write(says, str(pid).encode())
            os._exit(0)
        os.waitpid(between, 0)  # the next that adopts orphans, who asked, is the parent now
        door.send(os.read(said, 16))
        for used in (*streams, said, says):
            os.close(used)


def _become(start: _Start) -> CodeType:
    from srag_mcp import forks
    from srag_mcp.pipeline import reader_pool
    from srag_mcp.store.guard import child, process

    signal.signal(signal.SIGINT, signal.default_int_handler)
    if start.new_session:
        os.setsid()
    with suppress(FileNotFoundError):
        os.chdir(start.cwd)
    os.environ.clear()
    os.environ.update(start.environ)
    tempfile.tempdir = None
    _open_streams()
    *options, program = start.options
    if "-P" not in options:
        sys.path.insert(0, "" if options[-1] == "-c" else str(Path.cwd()))
    forks.prepare(process.command(), child.main)
    main = sys.modules["__main__"]
    if options[-1] == "-c":
        reader_pool.prepare()  # commands do so themselves
        sys.argv = ["-c", *start.argv]
        code = compile(program, "<string>", "exec")
    else:
        spec = importlib.util.find_spec(program)
        if spec is not None and spec.submodule_search_locations:
            spec = importlib.util.find_spec(f"{program}.__main__")
        assert spec is not None
        assert spec.origin is not None
        sys.argv = [spec.origin, *start.argv]
        main.__spec__, main.__package__ = spec, spec.parent
        main.__file__ = spec.origin
        code = spec.loader.get_code(spec.name)  # type: ignore[union-attr]
    return code


def _open_streams() -> None:
    """Open the standard streams as an interpreter does."""
    buffering = 0 if os.environ.get("PYTHONUNBUFFERED") else -1
    sys.stdin = sys.__stdin__ = os.fdopen(0, encoding="utf-8", closefd=False)  # type: ignore[misc]
    for descriptor, name in enumerate(("stdout", "stderr"), 1):
        stream = io.TextIOWrapper(
            os.fdopen(descriptor, "wb", buffering, closefd=False),
            "utf-8",
            errors="strict" if name == "stdout" else "backslashreplace",
            line_buffering=name == "stderr" or os.isatty(descriptor),
            write_through=buffering == 0,
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
