"""The folder of a corpus on disk: its places, the pointer to the published build, the lock."""

import hashlib
import json
import os
import re
import secrets
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from srag_mcp.documents.folder import STATE_FOLDER
from srag_mcp.errors import CorpusError, LockedError, NotIngestedError, StoreError

_NOT_IN_NAMES = re.compile(r"[^\w-]+")


class CorpusFolder:
    """The paths of one corpus (DESIGN 4).

    Its state lies in `<folder>/.srag`, or, where that cannot be written, in a folder of its own
    under *home* (default: the user's data folder), named after the folder and a hash of its path.
    """

    def __init__(self, folder: Path, home: Path | None = None) -> None:
        self.folder = folder.expanduser().resolve()
        self._home = home

    @property
    def inside(self) -> Path:
        """The state folder beside the documents."""
        return self.folder / STATE_FOLDER

    @property
    def apart(self) -> Path:
        """The state folder of a corpus whose own folder cannot be written."""
        home = _user_data_folder() if self._home is None else self._home.expanduser().resolve()
        digest = hashlib.sha256(str(self.folder).encode("utf-8", "surrogatepass")).hexdigest()
        name = _NOT_IN_NAMES.sub("-", self.folder.name)[:40].strip("-") or "corpus"
        return home / f"{name}-{digest[:16]}"

    def readable(self) -> Path:
        """Return the state folder to read from; it may not exist yet."""
        inside, apart = self.inside, self.apart
        if (apart / "current.json").exists() and not _can_write(inside):
            return apart
        return inside if inside.is_dir() or _can_write(inside) else apart

    def writable(self) -> Path:
        """Return the state folder to write to, made on need.

        Raises:
            CorpusError: If neither place can be written.
        """
        for state in (self.inside, self.apart):
            if _make_state_folder(state):
                return state
        msg = (
            f"neither {self.inside} nor {self.apart} can be written;"
            " set SRAG_HOME (or --home) to a folder that can"
        )
        raise CorpusError(msg)


def builds_folder(state: Path) -> Path:
    """Return the folder of the published builds."""
    return state / "builds"


def work_path(state: Path) -> Path:
    """Return the path of the ingestion's own database."""
    return state / "work.duckdb"


def state_path(state: Path) -> Path:
    """Return the path of what many processes share: replies, ledger, prompts, jobs."""
    return state / "state.sqlite"


def schema_path(state: Path) -> Path:
    """Return the path of the schema in force, which people may edit."""
    return state / "schema.json"


def decisions_path(state: Path) -> Path:
    """Return the path of the reasons for the columns that a language model chose."""
    return state / "schema_decisions.json"


def _user_data_folder() -> Path:
    # Only needed for folders that cannot be written.
    from platformdirs import user_data_path

    return user_data_path("srag-mcp", appauthor=False)


def _make_state_folder(state: Path) -> bool:
    try:
        state.mkdir(parents=True, exist_ok=True)
        ignore = state / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
        builds_folder(state).mkdir(exist_ok=True)
    except OSError:
        return False
    return _can_write(state)


def _can_write(state: Path) -> bool:
    if state.exists():
        return state.is_dir() and os.access(state, os.W_OK | os.X_OK)
    parent = state.parent
    return parent.is_dir() and os.access(parent, os.W_OK | os.X_OK)


N_KEPT = 2
FORMAT_VERSION = 3


@dataclass(frozen=True, slots=True)
class Pointer:
    """What `current.json` says: the id of the published build."""

    build_id: str


def pointer_path(state: Path) -> Path:
    """Return the path of the pointer."""
    return state / "current.json"


def read_pointer(state: Path) -> Pointer:
    """Read which build is published.

    Raises:
        NotIngestedError: If none is.
        StoreError: If the pointer is damaged.
    """
    path = pointer_path(state)
    try:
        entry = json.loads(path.read_text(encoding="utf-8"))
        return Pointer(_checked_id(entry["build"]))
    except (FileNotFoundError, NotADirectoryError) as error:
        msg = f"{state.parent} is not ingested yet: call ingest_corpus"
        raise NotIngestedError(msg) from error
    except (OSError, ValueError, TypeError, KeyError) as error:
        msg = f"{path} is damaged ({error}); ingest the corpus again: it publishes a new build"
        raise StoreError(msg) from error


def write_pointer(state: Path, pointer: Pointer) -> None:
    """Point to another build, atomically, and remove builds that nobody needs any more."""
    write_atomically(
        pointer_path(state), json.dumps({"format": FORMAT_VERSION, "build": pointer.build_id})
    )
    _remove_old_builds(state, pointer)


def build_path(state: Path, build_id: str) -> Path:
    """Return the file of a build."""
    return builds_folder(state) / f"{build_id}.duckdb"


def new_build_id(state: Path) -> str:
    """Return an id that sorts after all builds and was never used.

    Its random end keeps a reader that has an old file of that number open from taking one for the
    other after the state folder was deleted.
    """
    numbers = [
        int(path.stem[:6]) for path in builds_folder(state).glob("*-*.duckdb") if _is_id(path.stem)
    ]
    return f"{max(numbers, default=0) + 1:06d}-{secrets.token_hex(4)}"


def write_atomically(path: Path, text: str) -> None:
    """Replace the file at *path*; a reader sees the old or the new text, whatever happens."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    temporary.write_text(text, encoding="utf-8")
    sync(temporary)
    temporary.replace(path)
    sync(path.parent)


def sync(path: Path) -> None:
    """Force a file or folder to the disk; where folders cannot be opened (Windows), do nothing."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except PermissionError:
        return
    try:
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove_old_builds(state: Path, pointer: Pointer) -> None:
    builds = sorted(path for path in builds_folder(state).glob("*.duckdb") if _is_id(path.stem))
    others = [path for path in builds if path.stem != pointer.build_id]
    unfinished = builds_folder(state).glob("*.tmp*")
    for path in (*others[: len(others) - (N_KEPT - 1)], *unfinished):
        # A build that a reader has open cannot be removed on Windows: the next publication tries.
        with suppress(OSError):
            path.unlink()


def _is_id(stem: str) -> bool:
    number, _, token = stem.partition("-")
    return len(number) == 6 and number.isdecimal() and bool(token)


def _checked_id(value: object) -> str:
    if not isinstance(value, str) or not _is_id(value) or "/" in value or "\\" in value:
        msg = f"{value!r} is not the id of a build"
        raise ValueError(msg)
    return value


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
