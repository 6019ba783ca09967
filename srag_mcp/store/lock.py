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


@contextmanager
def ingestion_lock(state: Path) -> Iterator[None]:
    """Hold the lock of the corpus whose state folder is *state*.

    The operating system lets go of it when the process ends, however it ends, so that no lock
    outlives its holder.

    Raises:
        LockedError: If another process holds it; the text says which one and what to do.
    """
    lock = FileLock(state / "ingestion.lock", timeout=0, thread_local=False)
    try:
        lock.acquire()
    except Timeout as error:
        holder = _read_holder(state)
        msg = (
            f"this corpus is being ingested by {holder}. Wait for it (ingest_status), or stop that"
            f" process and start again: finished documents are kept. Lock: {lock.lock_file}"
        )
        raise LockedError(msg, holder) from error
    try:
        _holder_path(state).write_text(_describe_self(), encoding="utf-8")
        yield
    finally:
        with suppress(OSError):
            _holder_path(state).unlink(missing_ok=True)
        lock.release()


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


def _read_holder(state: Path) -> str:
    try:
        holder = json.loads(_holder_path(state).read_text(encoding="utf-8"))
        return (
            f"process {holder['pid']} on {holder['host']}"
            f" since {holder['since']}: {holder['command']}"
        )
    except (OSError, ValueError, TypeError, KeyError):
        return "another process that has not yet said who it is"
