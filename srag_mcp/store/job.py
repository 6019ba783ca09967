"""Ingestion jobs as every process of a corpus sees them."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from filelock import FileLock
from pydantic import BaseModel, ConfigDict, ValidationError

from srag_mcp.errors import JobError
from srag_mcp.settings import EngineChoice
from srag_mcp.store.layout import is_held
from srag_mcp.store.state import State

JobStatus: TypeAlias = Literal["running", "done", "failed", "cancelled", "interrupted"]

_SILENT_S = 60.0
_LOCK_S = 30.0  # whoever looks whether a job lives holds its lock for a moment
_N_KEPT = 20


class Job(BaseModel):
    """An ingestion that runs in a process of its own.

    Attributes:
        id: Begins with the time of its start.
        folder: What it ingests.
        engine: Who does the thinking, as it was asked for.
        attribute: The column that it adds, in the words of who asked; empty for all others.
        documents: A SELECT of those that it reads for an attribute that is not kept; None where it
            is kept.
        status: `interrupted`: its process died; starting again goes on where it stopped.
        stage, done, total, current: As in `Progress`.
        expected: Prompts that it will have asked at its end, and their tokens with the replies, as
            reckoned before; 0 where nobody knows.
        waiting: Prompts that wait for an agent's answers.
        pid, host: Of its process.
        started_at, heartbeat: UTC, ISO 8601; the heartbeat comes every second.
        report: The report in lines, at its end.
        n_documents: Documents of the corpus, at its end.
        quoted: What the folder is and what reading it takes, where it published nothing for that.
        error: Why it failed, was interrupted or cancelled; empty otherwise.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")  # another version may write more

    id: str
    folder: str
    status: JobStatus = "running"
    engine: EngineChoice = "auto"
    attribute: str = ""
    documents: str | None = None
    stage: str = ""
    done: int = 0
    total: int = 0
    current: str = ""
    expected: tuple[int, int] = (0, 0)
    waiting: int = 0
    pid: int = 0
    host: str = ""
    started_at: str = ""
    heartbeat: str = ""
    report: tuple[str, ...] = ()
    n_documents: int = 0
    quoted: str = ""
    error: str = ""

    @property
    def is_running(self) -> bool:
        """Whether it still works."""
        return self.status == "running"


class Jobs:
    """The jobs of one corpus, of which at most the latest runs; its process holds a lock."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._lock_path = state.folder / "job.lock"
        self.log = state.folder / "job.log"

    def ids(self) -> list[str]:
        """Return the ids of the jobs that have begun, oldest first."""
        rows = self._state.run("SELECT id FROM jobs WHERE told IS NOT NULL ORDER BY rowid")
        return [str(row[0]) for row in rows]

    def add(self, job_id: str, request: str) -> None:
        """Take a job in that is about to begin; all but the latest are forgotten."""
        with self._state.transaction():
            self._state.run("INSERT INTO jobs (id, request) VALUES (?, ?)", job_id, request)
            self._state.run(
                "DELETE FROM jobs WHERE rowid NOT IN"
                " (SELECT rowid FROM jobs ORDER BY rowid DESC LIMIT ?)",
                _N_KEPT,
            )

    def request(self, job_id: str) -> str:
        """Return what a job was asked to do."""
        [(request,)] = self._state.run("SELECT request FROM jobs WHERE id = ?", job_id)
        return str(request)

    def write(self, job: Job) -> None:
        """Write the job as it is now."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        told = job.model_copy(update={"heartbeat": now})
        self._state.run("UPDATE jobs SET told = ? WHERE id = ?", told.model_dump_json(), job.id)

    def read(self, job_id: str) -> Job | None:
        """Return the job as it is; None if there is none of that id.

        Raises:
            JobError: If what was written of it cannot be read.
        """
        job = self._read(job_id)
        if job is None or not job.is_running or self._is_alive(job):
            return job
        job = self._read(job_id)  # it may have ended between the two looks
        if job is None or not job.is_running:
            return job
        last_words = ""
        if self._is_latest(job):  # else the log is of another one
            with suppress(OSError):
                lines = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
                last_words = f" ({lines[-1][:300]})" if lines else ""
        error = f"its process ended without a word{last_words}; start it again to go on"
        return job.model_copy(update={"status": "interrupted", "error": error})

    def cancel(self, job_id: str) -> None:
        """Ask a job to stop."""
        self._state.run("UPDATE jobs SET is_cancelled = 1 WHERE id = ?", job_id)

    def is_cancelled(self, job_id: str) -> bool:
        """Whether it was asked to stop."""
        return bool(self._state.run("SELECT 1 FROM jobs WHERE id = ? AND is_cancelled", job_id))

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock that shows that the latest job lives; the end of a process lets it go."""
        with FileLock(self._lock_path, timeout=_LOCK_S):
            yield

    def _read(self, job_id: str) -> Job | None:
        rows = self._state.run("SELECT told FROM jobs WHERE id = ? AND told IS NOT NULL", job_id)
        try:
            return Job.model_validate_json(rows[0][0]) if rows else None
        except ValidationError as error:
            problem = error.errors()[0]["msg"]
            msg = f"what was written of job {job_id} is damaged ({problem}); start another one"
            raise JobError(msg) from error

    def _is_alive(self, job: Job) -> bool:
        """Whether its process holds the lock; where that cannot be seen, it spoke lately."""
        if not self._is_latest(job):
            return False
        is_here = job.host == socket.gethostname()
        if not is_here or not os.access(self._state.folder, os.W_OK):
            age = datetime.now(UTC) - datetime.fromisoformat(job.heartbeat)
            return age.total_seconds() < _SILENT_S
        return is_held(self._lock_path)

    def _is_latest(self, job: Job) -> bool:
        return self._state.run("SELECT id FROM jobs ORDER BY rowid DESC LIMIT 1") == [(job.id,)]
