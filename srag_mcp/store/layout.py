"""Where a corpus keeps its databases: one folder of ours beside, or apart from, its documents."""

import hashlib
import os
import re
from pathlib import Path

from srag_mcp.errors import CorpusError

STATE_FOLDER = ".srag"
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
