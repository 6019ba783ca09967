"""Whether the files of a corpus are still those that were read."""

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from srag_mcp.documents.folder import FileMark, list_files
from srag_mcp.errors import CorpusError
from srag_mcp.store.layout import write_atomically

_NAME = "files.json"
_REST = 20
_MOST_S = 0.25  # of an answer; some 50,000 files are looked at in that time


@dataclass(frozen=True, slots=True)
class FileChanges:
    """How many files are new, have changed and are gone since the last ingestion."""

    n_new: int = 0
    n_changed: int = 0
    n_gone: int = 0

    @property
    def text(self) -> str:
        """What happened, for people; empty where nothing did."""
        counts = {"new": self.n_new, "changed": self.n_changed, "gone": self.n_gone}
        said = ", ".join(f"{n:,} {what}" for what, n in counts.items() if n)
        return f"files are not as they were read: {said}; ingest the corpus again" if said else ""


def remember_files(state: Path, seen: Mapping[str, FileMark]) -> None:
    """Keep which files an ingestion saw, those included that are no documents."""
    write_atomically(state / _NAME, json.dumps(seen))


class FileWatch:
    """Says how the files of a corpus have changed, for as long as it is asked."""

    def __init__(self, folder: Path, state: Callable[[], Path]) -> None:
        self._folder = folder
        self._state = state
        self._said = ""
        self._holds_until = 0.0
        self._lock = threading.Lock()

    def text(self) -> str:
        """Say what has changed; empty where nothing has, or it is not known.

        Files are looked at again when that took less than a twentieth of the time since.
        """
        with self._lock:
            started = time.monotonic()
            if started >= self._holds_until:
                found = find_changes(self._folder, self._state())
                self._said = "" if found is None else found.text
                now = time.monotonic()
                self._holds_until = now + _REST * (now - started)
            return self._said


def find_changes(folder: Path, state: Path) -> FileChanges | None:
    """Compare the files of *folder* with those of the last ingestion, by name, size and time.

    None where it is not known: no ingestion told, or there are too many to look at.
    """
    try:
        kept = json.loads((state / _NAME).read_bytes())
        present = list_files(folder, time.monotonic() + _MOST_S)
    except (OSError, ValueError, CorpusError):
        return None
    if present is None or not isinstance(kept, dict):
        return None
    known = {path: tuple(mark) for path, mark in kept.items()}
    n_changed = sum(known.get(path, mark) != mark for path, mark in present.items())
    return FileChanges(len(present.keys() - known), n_changed, len(known.keys() - present))
