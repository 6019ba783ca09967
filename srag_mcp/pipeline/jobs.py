"""Ingestion jobs: started by one process, done by another, seen by all.

The other one is `python -P -m srag_mcp.pipeline.jobs <state folder> <job id>`.
"""

import logging
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, Unpack

from filelock import FileLock
from pydantic import BaseModel, ConfigDict, ValidationError

from srag_mcp.errors import CorpusError, JobError, SragError
from srag_mcp.pipeline.wishes import IngestOptions, go_on
from srag_mcp.settings import PREFIX, EngineChoice, Settings
from srag_mcp.store.layout import CorpusFolder, is_held, utc_now
from srag_mcp.store.spool import PromptSpool
from srag_mcp.store.state import State, open_state, pause_s, read_state

if TYPE_CHECKING:
    from srag_mcp.engines.protocol import Progress
    from srag_mcp.pipeline.report import IngestReport


JobStatus: TypeAlias = Literal["running", "done", "failed", "cancelled", "interrupted"]

_SILENT_S = 60.0
_LOCK_S = 30.0  # whoever looks whether a job lives holds its lock for a moment
_N_KEPT = 20


class Job(BaseModel):
    """An ingestion that runs in a process of its own.

    Attributes:
        engine: Who does the thinking, as it was asked for.
        attribute: The column that it adds, in the words of who asked; empty for all others.
        documents: A SELECT of those that it reads for an attribute that is not kept; None where it
            is kept.
        status: `interrupted`: its process died; starting again goes on where it stopped.
        stage, done, total, current: As in `Progress`.
        expected: Prompts that it will have asked at its end, and the tokens, as in `Workload`;
            empty where nobody knows.
        pid, host: Of its process.
        started_at, heartbeat: UTC, ISO 8601; the heartbeat comes every second.
        report: The report in lines, at its end.
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
    expected: tuple[int, ...] = ()
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

    @property
    def state(self) -> str:
        """Its status; `priced` where it only said what reading takes, and nothing is published."""
        return "priced" if self.quoted else self.status


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
        """Return the job as it is, None where there is none; JobError if it cannot be read."""
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

    def held(self) -> FileLock:
        """Return the lock that shows that the latest job lives; the end of a process lets it go."""
        return FileLock(self._lock_path, timeout=_LOCK_S)

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


logger = logging.getLogger(__name__)

HEARTBEAT_S = 1.0
CANCEL_S = 2.0  # what waits for a reply, or for an agent, ends within; some clients wait for 5 s
_START_S = 60.0
_N_NAMED = 5


class _Request(BaseModel):
    """What a job is asked to do; the settings have no key."""

    folder: Path
    settings: Settings
    options: IngestOptions


def start_job(folder: Path, settings: Settings, **options: Unpack[IngestOptions]) -> Job:
    """Start to ingest *folder* in a process of its own, which outlives this one.

    While a job of the corpus runs, that one is returned. After an interruption a new job goes on
    where the old one stopped.

    Raises:
        CorpusError: If the folder is missing or its state cannot be written.
        JobError: If the process could not be started, or a column is to be added while a job of
            the corpus runs.
    """
    if not folder.expanduser().is_dir():
        msg = f"{folder} is not a folder; give the folder that holds the documents"
        raise CorpusError(msg)
    place = CorpusFolder(folder, settings.home).writable()
    with FileLock(place / "job.start.lock", timeout=_START_S), open_state(place) as state:
        jobs = Jobs(state)
        running = next((job for job in _readable(jobs) if job.is_running), None)
        if running is not None:
            if options.get("attribute"):  # which the running job will not add
                msg = (
                    f"job {running.id} ingests this corpus; a column can be added when it has"
                    " ended (ingest_status)"
                )
                raise JobError(msg)
            return running
        job_id = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
        request = _Request(folder=folder.expanduser().resolve(), settings=settings, options=options)
        jobs.add(job_id, request.model_dump_json())
        return _spawn(jobs, place, job_id, settings)


def read_job(folder: Path, settings: Settings, job_id: str = "", wait_s: float = 0.0) -> Job:
    """Return a job of the corpus *folder* as it is when it has ended, or after *wait_s*.

    The latest one when *job_id* is empty.

    Raises:
        JobError: If there is none; the text names those there are.
    """
    with _state(folder, settings) as state:
        return _wait(Jobs(state), folder, _read(Jobs(state), folder, job_id), wait_s)


def list_jobs(folder: Path, settings: Settings) -> list[Job]:
    """Return the jobs of the corpus *folder*, latest first, without those that are damaged."""
    with _state(folder, settings) as state:
        return list(_readable(Jobs(state)))


def cancel_job(folder: Path, settings: Settings, job_id: str = "", wait_s: float = CANCEL_S) -> Job:
    """Ask a job to stop; return it as it is when it has ended, or after *wait_s*: 0 awaits nothing.

    It stops after the document that it is at, and at once where it waits for replies. Finished
    documents are kept. A job that has ended stays as it is.

    Raises:
        JobError: If there is no such job.
    """
    with _state(folder, settings) as state:
        jobs = Jobs(state)
        job = _read(jobs, folder, job_id)
        if job.is_running:
            jobs.cancel(job.id)
        return _wait(jobs, folder, job, wait_s)


@contextmanager
def agent_prompts(folder: Path, settings: Settings) -> Iterator[PromptSpool]:
    """Open the prompts of the corpus *folder* that wait for an agent."""
    with _state(folder, settings) as state:
        yield PromptSpool(state)


@contextmanager
def _state(folder: Path, settings: Settings) -> Iterator[State]:
    """Open the state with the latest job: one of two, where others own the first."""

    def latest(place: Path) -> str:
        with read_state(place) as state:
            return max(Jobs(state).ids(), default="")

    corpus = CorpusFolder(folder, settings.home)
    place = corpus.inside
    if corpus.apart.is_dir():
        place = max((corpus.inside, corpus.apart), key=latest)
    with read_state(place) as state:
        yield state


def _read(jobs: Jobs, folder: Path, job_id: str) -> Job:
    ids = jobs.ids()
    said = f"no ingestion job {job_id!r}" if job_id else "no ingestion job"
    if not ids:
        msg = f"{said} of {folder} yet: call ingest_corpus"
        raise JobError(msg)
    job = jobs.read(job_id or ids[-1])
    if job is None:
        known = ", ".join(ids[-_N_NAMED:])
        msg = f"{said} of {folder}; leave job_id empty for the latest: {known}"
        raise JobError(msg)
    return job


def _wait(jobs: Jobs, folder: Path, job: Job, seconds: float) -> Job:
    started = time.monotonic()
    while job.is_running and (waited_s := time.monotonic() - started) < seconds:
        time.sleep(pause_s(waited_s))
        job = _read(jobs, folder, job.id)
    return job


def _readable(jobs: Jobs) -> Iterator[Job]:
    """Yield jobs, latest first; a damaged one, or one of another version, hinders no new job."""
    for job_id in reversed(jobs.ids()):
        try:
            job = jobs.read(job_id)
        except JobError as error:
            logger.warning("%s", error)
            continue
        if job is not None:
            yield job


def _spawn(jobs: Jobs, place: Path, job_id: str, settings: Settings) -> Job:
    """Start the process and wait until it says that it runs."""
    key = {} if settings.api_key is None else {f"{PREFIX}API_KEY": settings.api_key}
    with jobs.log.open("wb") as log:
        process = subprocess.Popen(
            (sys.executable, "-P", "-m", "srag_mcp.pipeline.jobs", str(place), job_id),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={**os.environ, **key},
            start_new_session=True,
        )
    # Somebody has to take note of its end, or it stays in the table of processes.
    threading.Thread(target=process.wait, daemon=True).start()
    started = time.monotonic()
    while (waited_s := time.monotonic() - started) < _START_S:
        has_ended = process.poll() is not None
        if (job := jobs.read(job_id)) is not None:
            return job
        if has_ended:
            break
        time.sleep(pause_s(waited_s))
    said = jobs.log.read_text(encoding="utf-8", errors="replace").strip()[-500:]
    msg = f"the ingestion process did not start: {said or 'it said nothing'}"
    raise JobError(msg)


class JobWriter:
    """Says how far the running job is."""

    def __init__(self, jobs: Jobs, spool: PromptSpool, job: Job) -> None:
        self._jobs = jobs
        self._spool = spool
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._stopped = threading.Event()
        self._beating = threading.Thread(target=self._beat, daemon=True)
        told = {"pid": os.getpid(), "host": socket.gethostname(), "started_at": utc_now()}
        self._job = job.model_copy(update=told)

    def begin(self) -> None:
        """Say that the job runs, and go on saying so every second.

        SIGTERM stops it in order from here on: whoever reads of it may stop it at once.
        """
        signal.signal(signal.SIGTERM, lambda number, frame: self._stopped.set())
        self.write()
        self._beating.start()

    def show(self, progress: "Progress") -> None:
        """Take note of progress: of a new stage at once, else the next heartbeat tells."""
        is_new = progress.stage != self._job.stage or progress.expected is not None
        told = asdict(progress)
        self._tell(**{name: value for name, value in told.items() if value is not None})
        if is_new:
            self.write()

    def write(self) -> None:
        """Write the job as it is."""
        self._tell(waiting=self._spool.n_waiting())
        self._jobs.write(self._job)

    def is_cancelled(self) -> bool:
        """Whether somebody wants it to stop."""
        return self._stopped.is_set() or self._jobs.is_cancelled(self._job.id)

    def end(self, report: "IngestReport") -> None:
        """Write how it ended; one that could read nothing has failed."""
        self._tell(report=tuple(report.lines()), n_documents=report.n_documents)
        if report.proposed is not None:
            self._tell(quoted=report.account, engine=report.proposed, stage="", done=0, total=0)
        if report.read_nothing and not report.cancelled:
            self.fail("none of the documents could be read")
        else:
            self._end(status="cancelled" if report.cancelled else "done")

    def fail(self, error: str) -> None:
        """Write why it failed."""
        self._end(status="failed", error=error)

    def _beat(self) -> None:
        while not self._ended.wait(HEARTBEAT_S):
            self.write()

    def _tell(self, **changes: object) -> None:
        with self._lock:
            self._job = self._job.model_copy(update=changes)

    def _end(self, **changes: object) -> None:
        self._ended.set()
        if self._beating.is_alive():
            self._beating.join()
        self._tell(waiting=0, **changes)
        self._jobs.write(self._job)


def main(place: Path, job_id: str) -> None:
    """Do the ingestion that the job in the state folder *place* asks for."""
    from srag_mcp.pipeline import reader_pool
    from srag_mcp.pipeline.ingest import ingest  # half a second: only for who ingests

    reader_pool.prepare()
    with open_state(place) as state:
        jobs, spool = Jobs(state), PromptSpool(state)
        request = _Request.model_validate_json(jobs.request(job_id))
        folder, settings, options = request.folder, with_key(request.settings), request.options
        with jobs.held():
            spool.park()  # what an earlier job asked does not wait any more
            engine = go_on(folder, settings, options).settings.engine
            job = Job(
                id=job_id,
                folder=str(folder),
                engine=engine,
                attribute=options.get("attribute", ""),
                documents=None if options.get("keep", True) else options.get("documents", ""),
            )
            writer = JobWriter(jobs, spool, job)
            writer.begin()
            try:
                report = ingest(
                    folder,
                    settings,
                    on_progress=writer.show,
                    cancelled=writer.is_cancelled,
                    **options,
                )
            except SragError as error:
                writer.fail(str(error))
            else:
                if not report.cancelled:
                    spool.forget_taken()  # they are among the replies by now
                writer.end(report)


def with_key(settings: Settings) -> Settings:
    """Return the settings of a request with the key, which is not written down."""
    name = PREFIX + "API_KEY"
    found = Settings.from_environ({name: os.environ.get(name, "")})
    return settings.model_copy(update={"api_key": found.api_key})


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
