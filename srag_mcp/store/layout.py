"""The folder of a corpus on disk: its places, the pointer, the lock, the files that were read."""

import hashlib
import json
import os
import re
import secrets
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import TypeAdapter, ValidationError

from srag_mcp.documents.folder import (
    KINDS_FOLDER,
    REST_FOLDER,
    SCHEMA_FILE,
    STATE_FOLDER,
    FileMark,
    holds_rest,
    list_files,
    listed_folder,
    mark_of,
    read_members,
)
from srag_mcp.errors import CorpusError, LockedError, NotIngestedError, StoreError
from srag_mcp.settings import BUILD_SUFFIX

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

    @cached_property  # each query asks for the state, and a home does not move
    def apart(self) -> Path:
        """The state folder of a corpus whose own folder cannot be written."""
        if self._home is None:
            from platformdirs import user_data_path  # only needed for such folders

            home = user_data_path("srag-mcp", appauthor=False)
        else:
            home = self._home.expanduser().resolve()
        digest = hashlib.sha256(str(self.folder).encode("utf-8", "surrogatepass")).hexdigest()
        name = _NOT_IN_NAMES.sub("-", self.folder.name)[:40].strip("-") or "corpus"
        return home / f"{name}-{digest[:16]}"

    def readable(self) -> Path:
        """Return the state folder to read from; it may not exist yet."""
        inside, apart = self.inside, self.apart
        if (apart / POINTER_FILE).exists() and not _can_write(inside):
            return apart
        return inside if inside.is_dir() or _can_write(inside) else apart

    def kinds(self) -> dict[str, Path]:
        """Return the corpora of the kinds of documents in the folder, by name; none of one kind."""
        state = self.readable()
        if not (state / KINDS_FILE).is_file() or (state / POINTER_FILE).exists():
            return {}
        kinds = read_kinds(state)
        places = {name: state / KINDS_FOLDER / name for name in sorted(kinds)}
        return {
            name: place
            for name, place in places.items()
            if kinds[name].documents and read_members(place) is not None
        }

    def is_ingested_now(self) -> bool:
        """Whether a process holds the lock of the corpus, wherever its state lies."""
        return any(map(is_ingested_now, (self.inside, self.apart)))

    def writable(self) -> Path:
        """Return the state folder to write to, made on need; CorpusError where none can be."""
        for state in (self.inside, self.apart):
            with suppress(OSError):
                state.mkdir(parents=True, exist_ok=True)
                ignore = state / ".gitignore"
                if not ignore.exists():
                    ignore.write_text("*\n", encoding="utf-8")
                (state / BUILDS_FOLDER).mkdir(exist_ok=True)
                if _can_write(state):
                    return state
        msg = (
            f"neither {self.inside} nor {self.apart} can be written;"
            " set SRAG_HOME (or --home) to a folder that can"
        )
        raise CorpusError(msg)


def locate(folder: Path, home: Path | None) -> Path:
    """Return where the corpus called *folder* lies: `docs/invoices` may be a kind of `docs`."""
    folder = folder.expanduser()
    parent = CorpusFolder(folder.parent, home)
    kinds = parent.kinds() if folder.name else {}
    rest = parent.readable() / KINDS_FOLDER / REST_FOLDER
    if kinds and folder.name == REST_FOLDER and holds_rest(rest):
        return rest
    return kinds.get(folder.name, folder)


@dataclass(frozen=True, slots=True)
class StoredKind:
    """What is known of a kind: how many documents it has, and which words are usual in it.

    *also*: the same of what else is written otherwise, and of this kind all the same. *besides*: of
    each of these, see `DocumentKind`. *is_given*: whether a person named it so. *assigned*: see
    `read_assigned`.
    """

    documents: int
    shares: Mapping[str, float]
    also: tuple[Mapping[str, float], ...] = ()
    is_given: bool = False
    besides: tuple[float, ...] = ()
    assigned: tuple[str, ...] = ()


_KINDS = TypeAdapter(dict[str, StoredKind])


def read_kinds(state: Path) -> dict[str, StoredKind]:
    """Return the kinds of a folder by its *state*, if several; StoreError if they are damaged."""
    path = state / KINDS_FILE
    try:
        found = _KINDS.validate_json(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValidationError) as error:
        msg = f"{path} is damaged ({error}); delete it, and ingest the folder again"
        raise StoreError(msg) from error
    if not all(name.isidentifier() for name in found):
        msg = f"{path} has names that are none; delete it, and ingest the folder again"
        raise StoreError(msg)
    return found


_ASSIGNED = TypeAdapter(dict[str, tuple[str, ...]])
_KINDS_KEY = "x-kinds"


def read_assigned(state: Path) -> dict[str, StoredKind]:
    """Return the kinds with the documents that a person said are of each, in `.srag/schema.json`.

    `{"x-kinds": {"invoices": ["may.md", "june.md"]}}`; where no kinds are kept, all that it names.

    Raises:
        StoreError: If that cannot be read, or names a document twice, or a kind that is none.
    """
    path, kinds = state / SCHEMA_FILE, read_kinds(state)
    try:
        said = json.loads(path.read_bytes()) if path.is_file() else {}
        found = _ASSIGNED.validate_python(said.get(_KINDS_KEY, {}))
    except (OSError, ValueError, AttributeError) as error:
        msg = f"{path} cannot be read; mend it, or remove it: {error}"
        raise StoreError(msg) from error
    named = Counter(document for documents in found.values() for document in documents)
    problems = [f"{x} is there twice, and of one kind" for x, n in named.items() if n > 1]
    others = [name for name in found if kinds and name not in kinds]
    problems += [f"there is no kind {x!r}; there are: {', '.join(kinds)}" for x in others]
    if problems:
        msg = f"{path}: {problems[0]}"
        raise StoreError(msg)
    kinds = kinds or dict.fromkeys(found, StoredKind(0, {}))
    return {
        name: replace(
            kind, assigned=(*found.get(name, ()), *(x for x in kind.assigned if x not in named))
        )
        for name, kind in kinds.items()
    }


def write_kinds(state: Path, kinds: Mapping[str, StoredKind]) -> None:
    """Keep the kinds of a folder, by name; none where a person wants one table of all."""
    said = {name: kind.assigned for name, kind in kinds.items() if kind.assigned}
    path = state / SCHEMA_FILE
    if said or says_kinds(state):  # what else a person wrote there stays
        kept = json.loads(path.read_bytes()) if path.is_file() else {}
        text = json.dumps({**kept, _KINDS_KEY: said}, indent=2, ensure_ascii=False)
        write_atomically(path, text)
    written = {name: asdict(replace(kind, assigned=())) for name, kind in kinds.items()}
    write_atomically(state / KINDS_FILE, json.dumps(written))


def says_kinds(state: Path) -> bool:
    """Whether the `schema.json` of a folder is of its kinds, and of no table."""
    path = state / SCHEMA_FILE
    return path.is_file() and f'"{_KINDS_KEY}"'.encode() in path.read_bytes()


def _can_write(state: Path) -> bool:
    folder = state if state.exists() else state.parent
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


# in the state folder
KINDS_FILE = "kinds.json"  # which kinds of documents the folder holds, where they are several
BUILDS_FOLDER = "builds"
POINTER_FILE = "current.json"  # which build is published
WORK_FILE = "work.duckdb"  # the ingestion's own database
STATE_FILE = "state.sqlite"  # what many processes share: replies, ledger, prompts, jobs
DECISIONS_FILE = "schema_decisions.json"  # reasons for the columns that a language model chose
CORRECTIONS_FILE = "corrections.csv"  # values that a person or an agent set
NAMES_FILE = "names.json"  # which names a person said to be one, and which not

N_KEPT = 2
FORMAT_VERSION = 3
_ID = re.compile(r"\d{6}-[^/\\]+")


def published_build(state: Path) -> Path:
    """Return the file of the published build, which may be gone; NotIngestedError without one."""
    path = state / POINTER_FILE
    try:
        build_id = json.loads(path.read_text(encoding="utf-8"))["build"]
        problem = "" if _ID.fullmatch(build_id) else f"{build_id!r} is not the id of a build"
    except (FileNotFoundError, NotADirectoryError) as error:
        msg = f"{state.parent} is not ingested yet: call ingest_corpus"
        raise NotIngestedError(msg) from error
    except (OSError, ValueError, TypeError, KeyError) as error:
        problem = str(error)
    if problem:
        msg = f"{path} is damaged ({problem}); ingest the corpus again: it publishes a new build"
        raise StoreError(msg)
    return build_path(state, build_id)


def point_to(state: Path, build_id: str) -> None:
    """Publish a build, atomically, and remove builds that nobody needs any more."""
    entry = {"format": FORMAT_VERSION, "build": build_id}
    write_atomically(state / POINTER_FILE, json.dumps(entry))
    others = [path for path in _builds(state) if path.stem != build_id]
    unfinished = (state / BUILDS_FOLDER).glob("*.tmp*")
    for path in (*others[: len(others) - (N_KEPT - 1)], *unfinished):
        # A build that a reader has open cannot be removed on Windows: the next publication tries.
        with suppress(OSError):
            path.unlink()


def build_path(state: Path, build_id: str) -> Path:
    """Return the file of a build."""
    return state / BUILDS_FOLDER / f"{build_id}{BUILD_SUFFIX}"


def new_build_id(state: Path) -> str:
    """Return an id that sorts after all builds; its end tells it from those of a deleted state."""
    latest = max((int(path.stem[:6]) for path in _builds(state)), default=0)
    return f"{latest + 1:06d}-{secrets.token_hex(4)}"


def _builds(state: Path) -> list[Path]:
    builds = (state / BUILDS_FOLDER).glob(f"*{BUILD_SUFFIX}")
    return sorted(path for path in builds if _ID.fullmatch(path.stem))


def write_atomically(path: Path, text: str) -> None:
    """Replace the file at *path*; a reader sees the old or the new text, whatever happens."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    temporary.write_text(text, encoding="utf-8")
    put_in_place(temporary, path)


def put_in_place(temporary: Path, path: Path) -> None:
    """Rename a finished file to *path*, forced to the disk."""
    _sync(temporary)
    temporary.replace(path)
    _sync(path.parent)


def _sync(path: Path) -> None:
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except PermissionError:  # of a folder on Windows
        return
    try:
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


_PATIENCE_S = 1.0  # longer than anybody takes to look whether the lock is held


def utc_now() -> str:
    """Return the time as it is kept: `2026-05-01T09:30:00+00:00`."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@contextmanager
def ingestion_lock(state: Path) -> Iterator[None]:
    """Hold the lock of the corpus whose state folder is *state*, until the process ends at last.

    Raises:
        LockedError: If another process holds it; the text says which one and what to do.
    """
    lock = FileLock(state / "ingestion.lock", timeout=_PATIENCE_S, thread_local=False)
    try:
        lock.acquire()
    except Timeout as error:
        holder = read_holder(state)
        msg = (
            f"this corpus is being ingested by {holder}. Wait until list_corpora says that it is"
            " ready, or stop that process and start again: finished documents are kept. Lock:"
            f" {lock.lock_file}"
        )
        raise LockedError(msg) from error
    told = {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "since": utc_now(),
        "command": " ".join(sys.argv)[:300],
    }
    try:
        _holder_path(state).write_text(json.dumps(told), encoding="utf-8")
        yield
    finally:
        with suppress(OSError):
            _holder_path(state).unlink(missing_ok=True)
        lock.release()


def is_ingested_now(state: Path) -> bool:
    """Whether a process holds the lock of the corpus whose state folder is *state*."""
    if not _holder_path(state).is_file():
        return False
    with suppress(OSError):  # the folder of another user
        return is_held(state / "ingestion.lock")
    return False


def is_held(lock: Path) -> bool:
    """Whether a process holds the file *lock*."""
    try:
        with FileLock(lock, timeout=0, thread_local=False):
            return False
    except Timeout:
        return True


def _holder_path(state: Path) -> Path:
    return state / "ingestion.holder.json"


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


_SEEN = "files.json"
_REST = 20
_MOST_S = 0.25  # of an answer; some 50,000 files are looked at in that time


def remember_files(state: Path, folder: Path, seen: Mapping[str, FileMark]) -> None:
    """Keep which files of *folder* an ingestion saw, also those that are no documents.

    With a digest of each: of a file that is as it was at the last ingestion, the one of then.
    """
    top, known = listed_folder(folder), _recall_files(state)
    digests = {
        path: known[path][1] if known.get(path, ())[:1] == (mark,) else _digest(top / path, mark)
        for path, mark in seen.items()
    }
    write_atomically(state / _SEEN, json.dumps({x: (*seen[x], digests[x]) for x in seen}))


def _recall_files(state: Path) -> dict[str, tuple[FileMark, str]]:
    """Return what was kept, of earlier versions without digests; nothing if it is no such file."""
    with suppress(OSError, ValueError, TypeError, AttributeError):
        kept = json.loads((state / _SEEN).read_bytes())
        return {path: ((size, at), "".join(said)) for path, (size, at, *said) in kept.items()}
    return {}


def _digest(path: Path, mark: FileMark) -> str:
    """Return a digest of the bytes of a file, empty if it is not as *mark* says any more."""
    with suppress(OSError), path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()[:16]
        return digest if mark_of(path) == mark else ""
    return ""


def _is_changed(path: Path, mark: FileMark, before: FileMark, digest: str) -> bool:
    """Whether a file has other bytes than before: where its size is the same they are read."""
    if mark == before or mark[0] != before[0]:
        return mark != before
    return not digest or _digest(path, mark) != digest


class FileWatch:
    """Says how the files of a corpus have changed, for as long as it is asked."""

    def __init__(self, folder: Path, state: Callable[[], Path]) -> None:
        self._folder = folder
        self._state = state
        self._said = ""
        self._holds_until = 0.0
        self._lock = threading.Lock()

    def text(self) -> str:
        """Say what has changed, looked at in a twentieth of the time; empty for nothing."""
        with self._lock:
            started = time.monotonic()
            if started >= self._holds_until:
                self._said = self._compare()
                now = time.monotonic()
                self._holds_until = now + _REST * (now - started)
            return self._said

    def _compare(self) -> str:
        """Compare the files with those of the last ingestion: by name and size, then by bytes."""
        try:
            known = _recall_files(self._state())
            present = list_files(self._folder, time.monotonic() + _MOST_S)
        except CorpusError:
            return ""
        if present is None or not known:  # too many files to look at
            return ""
        top = listed_folder(self._folder)
        counts = {
            "new": len(present.keys() - known),
            "changed": sum(
                path in known and _is_changed(top / path, mark, *known[path])
                for path, mark in present.items()
            ),
            "gone": len(known.keys() - present),
        }
        said = ", ".join(f"{n:,} {what}" for what, n in counts.items() if n)
        return f"files are not as they were read: {said}; ingest the corpus again" if said else ""
