"""Child processes that start in milliseconds: forks of one that has imported what they need.

That one, a nursery, has no threads and no open files but the pipes it hands on.
Each child is confined after the fork, by its own `main`. Where a system has no `pidfd_open`
(Linux has), each child is a new interpreter.

A command is the start of a command line whose program imports a `main` and calls `begin(main)`.
"""

import atexit
import gc
import os
import select
import selectors
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO, ClassVar, NoReturn, TypeAlias

_START_S = 60.0
_END_S = 5.0
_MOST_REQUEST_BYTES = 65_536
_MOST_DESCRIPTORS = 1024  # of a process that has only begun
_CAN_FORK = hasattr(os, "pidfd_open") and hasattr(signal, "pidfd_send_signal")


class Fork:
    """A running child of a nursery, with what of `subprocess.Popen` this package uses.

    Attributes:
        pid: Process id.
        stdin: What the child reads.
        stdout: What it writes.
    """

    def __init__(
        self, pid: int, pidfd: int, status: int, stdin: IO[bytes], stdout: IO[bytes]
    ) -> None:
        """Take over the descriptors: of the process, and of the pipe that tells its status."""
        self.pid, self.stdin, self.stdout = pid, stdin, stdout
        self._pidfd, self._status = pidfd, status
        self._returncode: int | None = None
        self._lock = threading.Lock()

    def poll(self) -> int | None:
        """Return the exit status, negative for a signal; None while it runs."""
        with self._lock:
            if self._returncode is None and _is_ready(self._pidfd, 0):
                # The nursery says how it ended; where it is gone itself, somebody killed all.
                said = os.read(self._status, 16) if _is_ready(self._status, _END_S) else b""
                self._returncode = int(said or -signal.SIGKILL)
                os.close(self._pidfd)
                os.close(self._status)
            return self._returncode

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit status as soon as there is one.

        Raises:
            subprocess.TimeoutExpired: If it still runs after *timeout* seconds.
        """
        with self._lock:
            watched = None if self._returncode is not None else os.dup(self._pidfd)
        if watched is not None:
            _is_ready(watched, timeout)
            os.close(watched)
        if (status := self.poll()) is None:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
        return status

    def kill(self) -> None:
        """End it now. May be called from any thread, and twice."""
        with self._lock:
            if self._returncode is None:
                with suppress(ProcessLookupError):
                    signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)


Child: TypeAlias = "Fork | subprocess.Popen[bytes]"


def start(
    command: Sequence[str],
    argument: str,
    stderr: int,
    environ: Mapping[str, str] | None = None,
) -> Child:
    """Start the `main` of *command* with *argument*, out of reach of Ctrl-C.

    It ends with this process at the latest.

    Args:
        command: Which program, see above.
        argument: What its `main` is given.
        stderr: The descriptor that it writes errors to.
        environ: Its environment; None for that of this process when the first child started.

    Raises:
        OSError: If it cannot be started.
    """
    if _CAN_FORK:
        with suppress(EOFError):
            return _Nursery.of(command, environ).fork(argument, stderr)
    return subprocess.Popen(
        [*command, argument],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env=environ,
        start_new_session=True,
    )


def prepare(command: Sequence[str], main: Callable[[str], None]) -> None:
    """Fork what later forks children of *command* from this process, which has imported *main*.

    A process that calls this as its first step, while it has one thread, imports nothing twice.
    """
    is_new = _CAN_FORK and tuple(command) not in _Nursery.running
    if is_new and len([*Path("/proc/self/task").iterdir()]) == 1:
        door, inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        pid = os.fork()
        if pid:
            inner.close()
            _Nursery.running[tuple(command)] = _Nursery(door, lambda: os.waitpid(pid, 0))
            return
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):
            os.dup2(nowhere, descriptor)
        os.dup2(inner.fileno(), 0)
        os.closerange(3, _MOST_DESCRIPTORS)
        _serve(main)


class _Nursery:
    """The process that forks the children of a command, seen from outside."""

    running: ClassVar[dict[tuple[str, ...], "_Nursery"]] = {}
    _lock: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, door: socket.socket, await_end: Callable[[], object]) -> None:
        """Take over the socket where it is asked, and what waits for its end."""
        self._door, self._await_end = door, await_end
        self._door.settimeout(_START_S)

    @classmethod
    def of(cls, command: Sequence[str], environ: Mapping[str, str] | None) -> "_Nursery":
        """Return that of *command*, which is started if there is none."""
        with cls._lock:
            if tuple(command) not in cls.running:
                door, inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                nowhere = subprocess.DEVNULL
                try:
                    process = subprocess.Popen(
                        [*command],
                        stdin=inner.fileno(),
                        stdout=nowhere,
                        stderr=nowhere,
                        env=environ,
                        start_new_session=True,
                    )
                except OSError:
                    door.close()
                    raise
                finally:
                    inner.close()
                cls.running[tuple(command)] = cls(door, partial(_end, process))
            return cls.running[tuple(command)]

    def fork(self, argument: str, stderr: int) -> Fork:
        """Start a child.

        Raises:
            EOFError: If the nursery has ended, or could not import what it needs.
        """
        asked, stdin = os.pipe()
        stdout, told = os.pipe()
        status, says_status = os.pipe()
        here = os.open(".", os.O_PATH)
        try:
            with self._lock:
                handed = [asked, told, stderr, here, says_status]
                # An empty message would be the end.
                socket.send_fds(self._door, [f"={argument}".encode()], handed)
                said, [pidfd], _, _ = socket.recv_fds(self._door, _MOST_REQUEST_BYTES, 1)
        except (OSError, ValueError) as error:
            self._leave()
            for descriptor in (stdin, stdout, status):
                os.close(descriptor)
            raise EOFError from error
        finally:
            for descriptor in (asked, told, here, says_status):
                os.close(descriptor)
        return Fork(int(said), pidfd, status, os.fdopen(stdin, "wb"), os.fdopen(stdout, "rb"))

    def _leave(self) -> None:
        with self._lock:
            for command in [key for key, found in self.running.items() if found is self]:
                del self.running[command]
                self.close()

    def close(self) -> None:
        """End it, and with it its children."""
        self._door.close()
        self._await_end()

    @classmethod
    def forget(cls) -> None:
        """Have none: they are another process's, which may have been asking one just now."""
        cls.running.clear()
        cls._lock = threading.Lock()

    @classmethod
    def close_all(cls) -> None:
        """End all of them."""
        while cls.running:
            cls.running.popitem()[1].close()


def _end(process: "subprocess.Popen[bytes]") -> None:
    with suppress(subprocess.TimeoutExpired):
        process.wait(_END_S)
    process.kill()
    process.wait()


atexit.register(_Nursery.close_all)
if hasattr(os, "register_at_fork"):  # a copy of this process has no children
    os.register_at_fork(after_in_child=_Nursery.forget)


def _is_ready(descriptor: int, timeout_s: float | None) -> bool:
    watched = select.poll()
    watched.register(descriptor, select.POLLIN)
    return bool(watched.poll(None if timeout_s is None else timeout_s * 1000))


def begin(main: Callable[[str], None]) -> None:
    """Be what `start` started: the child itself, if it has an argument, or its nursery."""
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        _serve(main)


def _serve(main: Callable[[str], None]) -> NoReturn:
    gc.collect()
    gc.freeze()  # children share what they do not touch
    running: dict[int, tuple[int, int]] = {}  # by descriptor: process id, where its end is told
    with selectors.DefaultSelector() as ready, socket.socket(fileno=os.dup(0)) as door:
        ready.register(door, selectors.EVENT_READ)
        while True:
            for key, _ in ready.select():
                if key.fd in running:
                    ready.unregister(key.fd)
                    _tell_end(key.fd, *running.pop(key.fd))
                    continue
                request, handed, _, _ = socket.recv_fds(door, _MOST_REQUEST_BYTES, 5)
                if not request:  # who started us is gone
                    for pidfd in running:
                        with suppress(ProcessLookupError):
                            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
                    os._exit(0)
                *places, says_status = handed
                pid = os.fork()
                if pid == 0:
                    last = max(*handed, *running, *(told for _, told in running.values()))
                    _become(main, request.decode()[1:], places, last)
                pidfd = os.pidfd_open(pid)
                running[pidfd] = pid, says_status
                ready.register(pidfd, selectors.EVENT_READ)
                socket.send_fds(door, [str(pid).encode()], [pidfd])
                for descriptor in places:
                    os.close(descriptor)


def _tell_end(pidfd: int, pid: int, says_status: int) -> None:
    _, status = os.waitpid(pid, 0)
    with suppress(OSError):  # nobody may wait for it any more
        os.write(says_status, str(os.waitstatus_to_exitcode(status)).encode())
    os.close(says_status)
    os.close(pidfd)


def _become(
    main: Callable[[str], None], argument: str, places: Sequence[int], last: int
) -> NoReturn:
    status = 1
    try:
        *streams, folder = places
        os.fchdir(folder)
        for target, stream in enumerate(streams):
            os.dup2(stream, target)
        os.closerange(3, last + 1)  # of the nursery and of its other children
        sys.stdin = os.fdopen(0, closefd=False)
        sys.stdout = os.fdopen(1, "w", closefd=False)
        sys.stderr = os.fdopen(2, "w", errors="backslashreplace", closefd=False)
        main(argument)
        status = 0
    finally:
        if status:
            traceback.print_exc()
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)
