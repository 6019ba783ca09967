"""What many processes share of a corpus: replies, the ledger, prompts for agents, jobs, feedback.

One SQLite file in WAL mode. A commit is handed to the operating system before it returns, so that
a killed process loses none; a power cut may lose the last ones, for nothing is forced to the disk.
"""

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock

from srag_mcp.errors import StoreError
from srag_mcp.store.layout import STATE_FILE, WORK_FILE

_FORMAT = 1
TAKEN_OVER = "work taken over"  # the note that nothing of 16a3ebc is left, see `store.earlier`
UNFINISHED = "unfinished"  # the note of what an ingestion that did not end was to do
UNFINISHED_FILE = "unfinished.json"  # which held it at 16a3ebc
_BUSY_S = 30.0  # others hold the database for milliseconds
_LEAST_PAUSE_S, _MOST_PAUSE_S = 0.005, 0.25  # a look takes a millisecond
_TABLES = """
CREATE TABLE notes (key TEXT PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE replies (
  prompt_hash TEXT, asked_model TEXT, step TEXT, text TEXT, model TEXT, truncated INTEGER,
  delta TEXT, is_useless INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (prompt_hash, asked_model));
CREATE TABLE calls (
  step TEXT, subject TEXT, prompt_hash TEXT, model TEXT, outcome TEXT, at TEXT, tokens_in INTEGER,
  tokens_out INTEGER, tokens_cached INTEGER, seconds REAL, cost_usd REAL, is_estimated INTEGER,
  ingestion INTEGER NOT NULL, earlier_id TEXT UNIQUE);
CREATE TABLE prompts (
  name TEXT PRIMARY KEY, entry TEXT, is_parked INTEGER NOT NULL DEFAULT 0, asked_at REAL NOT NULL,
  leased_at REAL, answer TEXT, answered_at REAL);
CREATE VIEW waiting AS SELECT * FROM prompts WHERE answer IS NULL AND NOT is_parked;
CREATE TABLE earlier_answers (
  step TEXT, subject TEXT, asked_model TEXT, text TEXT, basis TEXT,
  PRIMARY KEY (step, subject, asked_model));
CREATE TABLE jobs (
  id TEXT PRIMARY KEY, request TEXT, told TEXT, is_cancelled INTEGER NOT NULL DEFAULT 0);
"""


class State:
    """The state of one corpus, in *folder*, for any number of threads; see `open_state`."""

    def __init__(self, connection: sqlite3.Connection, folder: Path) -> None:
        self.folder = folder
        self._connection = connection
        self._lock = threading.RLock()

    def run(self, sql: str, *values: object) -> list[Any]:
        """Run one statement, and return its rows; StoreError where that cannot be done."""
        with self._lock, _store_errors(self.folder):
            return self._connection.execute(sql, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Keep all that is done inside, or nothing, while nobody else writes; may be nested."""
        with self._lock:
            if self._connection.in_transaction:
                yield
                return
            self.run("BEGIN IMMEDIATE")
            try:
                yield
                self.run("COMMIT")
            except BaseException:
                self._connection.rollback()
                raise

    def note(self, key: str) -> str | None:
        """Return what `keep_note` kept; None if nothing."""
        rows = self.run("SELECT text FROM notes WHERE key = ?", key)
        return str(rows[0][0]) if rows else None

    def keep_note(self, key: str, text: str | None) -> None:
        """Keep a short text; None forgets it."""
        if text is None:
            self.run("DELETE FROM notes WHERE key = ?", key)
        else:
            self.run("INSERT OR REPLACE INTO notes VALUES (?, ?)", key, text)


def pause_s(waited_s: float) -> float:
    """Return how long not to look again after such a wait, a quarter: `pause_s(0.4) -> 0.1`."""
    return min(max(_LEAST_PAUSE_S, waited_s / 4), _MOST_PAUSE_S)


@contextmanager
def open_state(folder: Path, wait_s: float = _BUSY_S) -> Iterator[State]:
    """Open the state that lies in *folder*, made on need; wait so long for others who write.

    Raises:
        StoreError: If it cannot be read or written, is damaged, or a later version wrote it.
    """
    with closing(_connect(folder, wait_s)) as connection:
        yield State(connection, folder)


@contextmanager
def read_state(folder: Path) -> Iterator[State]:
    """Open the state in *folder* as `open_state` does, to look at it; empty where there is none."""
    if (folder / STATE_FILE).exists():
        with open_state(folder) as state:
            yield state
        return
    with closing(sqlite3.connect(":memory:", check_same_thread=False)) as connection:
        _make_tables(connection, folder)
        yield State(connection, folder)


def _connect(folder: Path, wait_s: float) -> sqlite3.Connection:
    path, mode = folder / STATE_FILE, ""
    if not os.access(folder, os.W_OK):  # it can be read nevertheless
        in_use = path.with_name(f"{path.name}-wal").exists()
        mode = "?mode=ro" if in_use else "?mode=ro&immutable=1"
    with _store_errors(folder):
        connection = sqlite3.connect(
            path.resolve().as_uri() + mode,
            uri=True,
            timeout=wait_s,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            _set_up(connection, folder)
        except BaseException:
            connection.close()
            raise
        return connection


def _set_up(connection: sqlite3.Connection, folder: Path) -> None:
    connection.execute("PRAGMA synchronous = NORMAL")
    if _is_set_up(connection):
        return
    with FileLock(folder / "state.lock"):
        if _is_set_up(connection):
            return
        connection.execute("PRAGMA journal_mode = WAL")
        _make_tables(connection, folder)


def _make_tables(connection: sqlite3.Connection, folder: Path) -> None:
    connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {_FORMAT};")
    if not (folder / WORK_FILE).exists():  # a new corpus
        connection.execute("INSERT INTO notes VALUES (?, 'yes')", [TAKEN_OVER])
    if (folder / UNFINISHED_FILE).exists():
        wish = (folder / UNFINISHED_FILE).read_text(encoding="utf-8", errors="replace")
        connection.execute("INSERT INTO notes VALUES (?, ?)", [UNFINISHED, wish])
    connection.execute("COMMIT")


def _is_set_up(connection: sqlite3.Connection) -> bool:
    [(found,)] = connection.execute("PRAGMA user_version").fetchall()
    if found > _FORMAT:
        msg = f"the state of this corpus has format {found}, of a later version: update srag-mcp"
        raise StoreError(msg)
    return bool(found == _FORMAT)


@contextmanager
def _store_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        is_damaged = not isinstance(error, sqlite3.OperationalError)  # nor locked, nor a full disk
        advice = "; move it away, and begin anew" if is_damaged else ""
        msg = f"{folder / STATE_FILE} cannot be used: {error}{advice}"
        raise StoreError(msg) from error
