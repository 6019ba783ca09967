"""The pointer to the published build, and which builds are kept."""

import json
import os
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from srag_mcp.errors import NotIngestedError, StoreError
from srag_mcp.store.layout import builds_folder

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
        msg = f"{state.parent} is not ingested yet: run `srag-mcp ingest` on it, or ingest_corpus"
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
