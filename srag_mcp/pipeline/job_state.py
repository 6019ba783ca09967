"""The state of ingestion jobs, in files that every process can read."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from filelock import FileLock, Timeout

from srag_mcp.errors import JobError
from srag_mcp.settings import EngineChoice
from srag_mcp.store.pointer import write_atomically

JobStatus: TypeAlias = Literal["running", "done", "failed", "cancelled", "interrupted"]

_SILENT_S = 60.0
_N_KEPT = 20
_STATE_SUFFIX = ".job.json"


@dataclass(frozen=True, slots=True)
class Job:
    """An ingestion that runs in a process of its own.

    Attributes:
        id: Sorts by the time of its start.
        folder: What it ingests.
        engine: Who does the thinking, as it was asked for.
        attribute: The column that it adds, in the words of who asked; empty for all others.
        status: `interrupted`: its process died; starting again goes on where it stopped.
        stage, done, total, current: As in `Progress`.
        waiting: Prompts that wait for an agent's answers.
        pid, host: Of its process.
        started_at, heartbeat: UTC, ISO 8601; the heartbeat comes every second.
        report: The report in lines, at its end.
        n_documents: Documents of the corpus, at its end.
        error: Why it failed, was interrupted or cancelled; empty otherwise.
    """

    id: str
    folder: str
    status: JobStatus
    engine: EngineChoice = "auto"
    attribute: str = ""
    stage: str = ""
    done: int = 0
    total: int = 0
    current: str = ""
    waiting: int = 0
    pid: int = 0
    host: str = ""
    started_at: str = ""
    heartbeat: str = ""
    report: tuple[str, ...] = ()
    n_documents: int = 0
    error: str = ""

    @property
    def is_running(self) -> bool:
        """Whether it still works."""
        return self.status == "running"


_FIELDS = tuple(field.name for field in fields(Job))  # another version may write more


class JobFiles:
    """The files of one job."""

    def __init__(self, jobs: Path, job_id: str) -> None:
        self.jobs = jobs
        self.id = job_id
        self.state = jobs / f"{job_id}{_STATE_SUFFIX}"
        self.request = jobs / f"{job_id}.request.json"
        self.cancel = jobs / f"{job_id}.cancel"
        self.log = jobs / f"{job_id}.log"
        self._lock = jobs / f"{job_id}.lock"

    def read(self) -> Job | None:
        """Return the job as it is; None if there is none of that id."""
        job = self._read()
        if job is None or not job.is_running or self._is_alive(job):
            return job
        # It may have ended between the two looks.
        job = self._read()
        if job is None or not job.is_running:
            return job
        error = f"its process ended without a word{self._last_words()}; start it again to go on"
        return replace(job, status="interrupted", error=error)

    def write(self, job: Job) -> None:
        """Replace the state."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        write_atomically(self.state, json.dumps(asdict(replace(job, heartbeat=now))))

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock that shows that the job's process lives."""
        with FileLock(self._lock, timeout=30):
            yield

    def remove(self) -> None:
        """Forget the job."""
        for path in (self.state, self.request, self.cancel, self.log, self._lock):
            with suppress(OSError):
                path.unlink(missing_ok=True)

    def _read(self) -> Job | None:
        try:
            entry = json.loads(self.state.read_text(encoding="utf-8"))
            known = {name: entry[name] for name in _FIELDS if name in entry}
            job = Job(**(known | {"report": tuple(entry["report"])}))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, KeyError) as error:
            msg = f"{self.state} is damaged ({error}); remove it and start the ingestion again"
            raise JobError(msg) from error
        if job.status not in get_args(JobStatus):
            msg = f"{self.state} is damaged: status {job.status!r}"
            raise JobError(msg)
        return job

    def _is_alive(self, job: Job) -> bool:
        """Whether its process holds its lock; on another host, whether it spoke lately."""
        if job.host != socket.gethostname():
            age = datetime.now(UTC) - datetime.fromisoformat(job.heartbeat)
            return age.total_seconds() < _SILENT_S
        lock = FileLock(self._lock, timeout=0)
        try:
            lock.acquire()
        except Timeout:
            return True
        lock.release()
        return False

    def _last_words(self) -> str:
        try:
            lines = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        except OSError:
            return ""
        return f" ({lines[-1][:300]})" if lines else ""


def job_ids(jobs: Path) -> list[str]:
    """Return the ids of all jobs, oldest first."""
    return sorted(path.name.removesuffix(_STATE_SUFFIX) for path in jobs.glob(f"*{_STATE_SUFFIX}"))


def remove_old_jobs(jobs: Path) -> None:
    """Forget all but the latest jobs."""
    for job_id in job_ids(jobs)[:-_N_KEPT]:
        JobFiles(jobs, job_id).remove()
