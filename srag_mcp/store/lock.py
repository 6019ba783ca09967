"""The lock of an ingestion: one writer a corpus, and a file that says who it is."""

import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from srag_mcp.errors import LockedError

_PATIENCE_S = 1.0  # longer than anybody takes to look whether the lock is held


@contextmanager
def ingestion_lock(state: Path) -> Iterator[None]:
    """Hold the lock of the corpus whose state folder is *state*.

    The operating system lets go of it when the process ends, however it ends, so that no lock
    outlives its holder.

    Raises:
        LockedError: If another process holds it; the text says which one and what to do.
    """
    lock = FileLock(_lock_path(state), timeout=_PATIENCE_S, thread_local=False)
    try:
        lock.acquire()
    except Timeout as error:
        holder = read_holder(state)
        msg = (
            f"this corpus is being ingested by {holder}. Wait until list_corpora says that it is"
            " ready, or stop that process and start again: finished documents are kept. Lock:"
            f" {lock.lock_file}"
        )
        raise LockedError(msg, holder) from error
    try:
        _holder_path(state).write_text(_describe_self(), encoding="utf-8")
        yield
    finally:
        with suppress(OSError):
            _holder_path(state).unlink(missing_ok=True)
        lock.release()


def is_ingested_now(state: Path) -> bool:
    """Whether a process holds the lock of the corpus whose state folder is *state*."""
    if not _holder_path(state).is_file():
        return False
    lock = FileLock(_lock_path(state), timeout=0, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        return True
    except OSError:  # the folder of another user
        return False
    lock.release()
    return False


def _lock_path(state: Path) -> Path:
    return state / "ingestion.lock"


def _holder_path(state: Path) -> Path:
    return state / "ingestion.holder.json"


def _describe_self() -> str:
    holder = {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": " ".join(sys.argv)[:300],
    }
    return json.dumps(holder)


def read_holder(state: Path) -> str:
    """Say who holds the lock: `"process 4711 on host since 2026-05-01T09:30: srag-mcp ingest"`."""
    try:
        holder = json.loads(_holder_path(state).read_text(encoding="utf-8"))
        return (
            f"process {holder['pid']} on {holder['host']}"
            f" since {holder['since']}: {holder['command']}"
        )
    except (OSError, ValueError, TypeError, KeyError):
        return "another process that has not yet said who it is"
