"""Replies to questions, in a file beside the databases, which questions do not write to."""

import json
import os
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from srag_mcp.errors import StoreError
from srag_mcp.model.language_model import Reply
from srag_mcp.model.ledger import Call
from srag_mcp.model.reply_cache import KeptReply
from srag_mcp.store.call_entries import CallEntry, make_entry, read_entry, write_entry

_QUESTION = 0
_FORGOTTEN = "forgotten"
_FORGOTTEN_LINE = b'{"forgotten"'


class AskedReplies:
    """The `ReplyCache` of questions: lines of calls that many processes add to at the same time.

    Each line is read once by a process, see `open_asked`. Safe to use from many threads.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._n_read = 0
        self._kept: dict[tuple[str, str], Reply] = {}

    def find(self, prompt_hash: str, asked_model: str) -> Reply | None:
        """Return the reply that *asked_model* gave to that prompt; None if it has not yet."""
        with self._lock:
            self._read_on()
        return self._kept.get((prompt_hash, asked_model))

    def keep(self, call: Call, kept: KeptReply | None = None) -> None:
        """Take *call* into the ledger and keep its reply, if it brought one.

        Raises:
            StoreError: If it cannot be written.
        """
        self._append(write_entry(make_entry(call, kept, _QUESTION)))
        if kept is not None:
            self._kept[kept.prompt_hash, kept.asked_model] = kept.reply

    def forget(self, prompt_hash: str, asked_model: str) -> None:
        """Find that reply no more, until there is another one; for others, too.

        Raises:
            StoreError: If it cannot be written down.
        """
        self._kept.pop((prompt_hash, asked_model), None)
        self._append(json.dumps({_FORGOTTEN: [prompt_hash, asked_model]}).encode())

    def _append(self, line: bytes) -> None:
        try:
            file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                # It begins with a line feed, too: a line that was torn before it ends there.
                os.write(file, b"\n" + line + b"\n")
            finally:
                os.close(file)
        except OSError as error:
            msg = f"writing {self._path}: {error}"
            raise StoreError(msg) from error

    def _read_on(self) -> None:
        """Read what was added since, by whomever."""
        try:
            with self._path.open("rb") as file:
                if os.fstat(file.fileno()).st_size < self._n_read:  # it is another file
                    self._n_read, self._kept = 0, {}
                file.seek(self._n_read)
                added = file.read()
        except FileNotFoundError:
            self._n_read, self._kept = 0, {}
            return
        whole = added[: added.rfind(b"\n") + 1]
        self._n_read += len(whole)
        for line in whole.splitlines():
            self._take(line)

    def _take(self, line: bytes) -> None:
        if line.startswith(_FORGOTTEN_LINE):
            prompt_hash, asked_model = json.loads(line)[_FORGOTTEN]
            self._kept.pop((prompt_hash, asked_model), None)
            return
        for entry in read_entry(line) if line else ():
            if entry.kept is not None:
                kept = entry.kept
                self._kept[kept.prompt_hash, kept.asked_model] = kept.reply


@cache
def open_asked(path: Path) -> AskedReplies:
    """Return the replies in the file *path*, the same ones to all who ask in this process."""
    return AskedReplies(path)


def read_asked(path: Path) -> Iterator[CallEntry]:
    """Read the calls that questions have made, oldest first."""
    if not path.exists():
        return
    with path.open("rb") as file:
        for line in file:
            stripped = line.strip()
            if line.endswith(b"\n") and stripped and not stripped.startswith(_FORGOTTEN_LINE):
                yield from read_entry(stripped)
