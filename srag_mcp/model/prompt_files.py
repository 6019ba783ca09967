"""The files of spooled prompts: named after the hash of all that is sent, and always whole.

<hash>.json                 a prompt that is asked
<hash>.reply.json           its answer, until the job has it
<hash>.lease                an agent has the prompt; runs out by its age
parked/<hash>.json          asked by a job that is gone; an answer is still kept
taken/<hash>.reply.json     an answer that a job has, which may die before it has kept it
"""

import json
import os
import re
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from srag_mcp.errors import ModelError

REPLY = ".reply.json"
_LOCK_S = 30.0
_NAME = re.compile(r"[0-9a-f]{64}")


class PromptFiles:
    """Paths, reading and writing in the folder of a spool, which is made on need."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.parked_folder = folder / "parked"
        self.taken_folder = folder / "taken"

    def asked(self, name: str) -> Path:
        """Return the file of a prompt."""
        return self.folder / f"{name}.json"

    def parked(self, name: str) -> Path:
        """Return the file of a prompt that an earlier job asked."""
        return self.parked_folder / f"{name}.json"

    def replied(self, name: str) -> Path:
        """Return the file of an answer."""
        return self.folder / f"{name}{REPLY}"

    def taken(self, name: str) -> Path:
        """Return the file of an answer that a job has."""
        return self.taken_folder / f"{name}{REPLY}"

    def lease(self, name: str) -> Path:
        """Return the file that says since when an agent has a prompt."""
        return self.folder / f"{name}.lease"

    def read(self, path: Path) -> dict[str, object] | None:
        """Read a file of the spool; None where there is none.

        Raises:
            ModelError: If it is damaged.
        """
        try:
            entry = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            msg = f"{path} cannot be read ({error}); remove it, and the prompt is asked again"
            raise ModelError(msg) from error
        if not isinstance(entry, dict):
            msg = f"{path} is damaged; remove it, and the prompt is asked again"
            raise ModelError(msg)
        return entry

    def write(self, path: Path, entry: Mapping[str, object]) -> None:
        """Write a file that appears whole; it outlives the process, not a loss of power."""
        self.folder.mkdir(parents=True, exist_ok=True)
        temporary = self.folder / f".{path.name}.{secrets.token_hex(4)}"
        temporary.write_text(json.dumps(entry), encoding="utf-8")
        temporary.replace(path)

    def move(self, source: Path, target: Path) -> None:
        """Move a file within the spool, unless it is gone."""
        target.parent.mkdir(exist_ok=True)
        with suppress(FileNotFoundError):
            source.replace(target)

    def waiting(self) -> list[str]:
        """Return the names of the prompts that are asked and have no answer, oldest first."""
        if not self.folder.is_dir():
            return []
        with os.scandir(self.folder) as entries:
            files = {entry.name: entry for entry in entries}
        found = []
        for file, entry in files.items():
            name = file.removesuffix(".json")
            if _NAME.fullmatch(name) and f"{name}{REPLY}" not in files:
                with suppress(FileNotFoundError):
                    found.append((entry.stat().st_mtime_ns, name))
        return [name for _asked_at, name in sorted(found)]

    def known(self) -> list[str]:
        """Return the names of all prompts that an answer may be meant for, in their order."""
        names = set()
        # A job may move a prompt there or back between two looks.
        for folder in (self.folder, self.parked_folder, self.folder):
            names |= {path.name.split(".")[0] for path in folder.glob("*.json")}
        return sorted(name for name in names if _NAME.fullmatch(name))

    def has_answer(self, name: str) -> bool:
        """Whether there is an answer, taken or not."""
        return self.replied(name).exists() or self.taken(name).exists()

    def is_taken(self, beginning: str) -> bool:
        """Whether a job has the answer to a prompt whose hash begins so."""
        return any(self.taken_folder.glob(f"{beginning}*{REPLY}"))

    def remove_leases(self) -> None:
        """Let other agents have the prompts that agents have."""
        for path in self.folder.glob("*.lease"):
            path.unlink(missing_ok=True)

    def remove_older_than(self, seconds: float) -> None:
        """Remove what nobody has touched for so long."""
        for folder in (self.folder, self.parked_folder, self.taken_folder):
            for path in folder.glob("*") if folder.is_dir() else ():
                with suppress(FileNotFoundError):
                    if path.is_file() and time.time() - path.stat().st_mtime >= seconds:
                        path.unlink()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock that agents take among themselves; the side that asks needs none.

        Raises:
            ModelError: If the folder cannot be written, or others hold the lock for long.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with FileLock(self.folder.with_name(f"{self.folder.name}.lock"), timeout=_LOCK_S):
                yield
        except Timeout as error:
            msg = f"other agents hold {self.folder} for longer than {_LOCK_S:g} s; try again"
            raise ModelError(msg) from error
        except OSError as error:
            msg = f"{self.folder} cannot be written: {error}"
            raise ModelError(msg) from error
