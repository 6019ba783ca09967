"""Opening the work database: one writer, and a new beginning where it is damaged."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from srag_mcp.store.earlier_work import take_over_work
from srag_mcp.store.engine import open_for_writing, store_errors
from srag_mcp.store.layout import work_path
from srag_mcp.store.lock import ingestion_lock
from srag_mcp.store.state import open_state
from srag_mcp.store.work import WORK_FORMAT, WorkDatabase


@contextmanager
def open_work(state: Path) -> Iterator[WorkDatabase]:
    """Open the work database for writing, under the lock of the corpus.

    One that is damaged, or of another format, is moved aside and a new one begun.

    Raises:
        LockedError: If another process ingests the corpus.
        StoreError: If it cannot be written, for example because the disk is full.
    """
    path = work_path(state)
    with open_state(state) as shared, ingestion_lock(state), store_errors(f"writing {path}"):
        _tidy(state)
        work = _open_or_replace(path, state)
        try:
            take_over_work(shared, work)
            yield work
        finally:
            work.connection.close()


def _tidy(state: Path) -> None:
    """Remove what a process that was killed left half written."""
    shutil.rmtree(state / "spill", ignore_errors=True)
    for path in state.glob("*.tmp"):
        path.unlink(missing_ok=True)


def _open_or_replace(path: Path, state: Path) -> WorkDatabase:
    import duckdb

    try:
        connection = open_for_writing(path, state / "spill")
    except duckdb.Error as error:
        return _begin_anew(path, state, str(error))
    try:
        work = WorkDatabase(connection, state)
        work.files()
        problem = _format_problem(work)
    except duckdb.Error as error:
        problem = str(error)
    if not problem:
        return work
    connection.close()
    return _begin_anew(path, state, problem)


def _begin_anew(path: Path, state: Path, problem: str) -> WorkDatabase:
    aside = path.with_name(f"work.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S}.duckdb")
    path.replace(aside)
    path.with_name(f"{path.name}.wal").unlink(missing_ok=True)
    warning = f"{path} could not be used and was moved to {aside.name}; beginning anew. {problem}"
    return WorkDatabase(open_for_writing(path, state / "spill"), state, warning)


def _format_problem(work: WorkDatabase) -> str:
    rows = work.connection.execute("SELECT value FROM meta WHERE key = 'format'").fetchall()
    found = rows[0][0] if rows else None
    return "" if found == WORK_FORMAT else f"its format is {found!r}, not {WORK_FORMAT!r}"
