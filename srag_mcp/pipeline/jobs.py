"""Ingestion jobs: started by one process, done by another, seen by all."""

import json
import logging
import os
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Unpack

from filelock import FileLock

from srag_mcp.errors import CorpusError, JobError
from srag_mcp.model.prompt_spool import PromptSpool
from srag_mcp.pipeline.job_state import Job, JobFiles, job_ids, remove_old_jobs
from srag_mcp.pipeline.options import IngestOptions
from srag_mcp.settings import PREFIX, Settings
from srag_mcp.store.layout import CorpusFolder, jobs_folder, prompts_folder

logger = logging.getLogger(__name__)

_START_S = 60.0
_POLL_S = 0.05
_N_NAMED = 5


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
    jobs = jobs_folder(CorpusFolder(folder, settings.home).writable())
    with FileLock(jobs / "start.lock", timeout=_START_S):
        running = _running_job(jobs)
        if running is not None:
            _require_same(running, options)
            return running
        remove_old_jobs(jobs)
        job_id = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
        files = JobFiles(jobs, job_id)
        files.request.write_text(_request(folder, settings, options), encoding="utf-8")
        return _spawn(files, settings)


def read_job(folder: Path, settings: Settings, job_id: str = "") -> Job:
    """Return a job of the corpus *folder*; the latest when *job_id* is empty.

    Raises:
        JobError: If there is none; the text names those there are.
    """
    jobs = _jobs(folder, settings)
    ids = job_ids(jobs)
    said = f"no ingestion job {job_id!r}" if job_id else "no ingestion job"
    if not ids:
        msg = f"{said} of {folder} yet: call ingest_corpus"
        raise JobError(msg)
    job = JobFiles(jobs, job_id or ids[-1]).read() if not job_id or job_id in ids else None
    if job is None:
        known = ", ".join(ids[-_N_NAMED:])
        msg = f"{said} of {folder}; leave job_id empty for the latest: {known}"
        raise JobError(msg)
    return job


def list_jobs(folder: Path, settings: Settings) -> list[Job]:
    """Return the jobs of the corpus *folder*, latest first, without those that are damaged."""
    return list(_readable_jobs(_jobs(folder, settings)))


def cancel_job(folder: Path, settings: Settings, job_id: str = "") -> Job:
    """Ask a job to stop after the document it is at; finished documents are kept.

    It returns at once; `wait_for_job` sees the end. A job that has ended stays as it is.

    Raises:
        JobError: If there is no such job.
    """
    job = read_job(folder, settings, job_id)
    if job.is_running:
        JobFiles(_jobs(folder, settings), job.id).cancel.touch()
    return job


def wait_for_job(folder: Path, settings: Settings, job_id: str, seconds: float) -> Job:
    """Wait until a job has ended, at most *seconds*; return it as it then is."""
    end = time.monotonic() + seconds
    job = read_job(folder, settings, job_id)
    while job.is_running and time.monotonic() < end:
        time.sleep(_POLL_S)
        job = read_job(folder, settings, job.id)
    return job


def agent_prompts(folder: Path, settings: Settings) -> PromptSpool:
    """Return the prompts of the corpus *folder* that wait for an agent."""
    return PromptSpool(prompts_folder(_jobs(folder, settings).parent))


def _jobs(folder: Path, settings: Settings) -> Path:
    corpus = CorpusFolder(folder, settings.home)
    places = [jobs_folder(state) for state in (corpus.inside, corpus.apart)]
    return max(places, key=lambda jobs: max(job_ids(jobs), default=""))


def _running_job(jobs: Path) -> Job | None:
    return next((job for job in _readable_jobs(jobs) if job.is_running), None)


def _require_same(running: Job, options: IngestOptions) -> None:
    """Refuse what the running job will not do."""
    if options.get("attribute"):
        msg = (
            f"job {running.id} ingests this corpus; a column can be added when it has ended"
            " (ingest_status, srag-mcp ingest)"
        )
        raise JobError(msg)


def _readable_jobs(jobs: Path) -> Iterator[Job]:
    """Yield jobs, latest first; a damaged state, or one of another version, hinders no new job."""
    for job_id in reversed(job_ids(jobs)):
        try:
            job = JobFiles(jobs, job_id).read()
        except JobError as error:
            logger.warning("%s", error)
            continue
        if job is not None:
            yield job


def _request(folder: Path, settings: Settings, options: IngestOptions) -> str:
    schema = options.get("schema")
    return json.dumps(
        {
            "folder": str(folder.expanduser().resolve()),
            "settings": settings.model_dump(mode="json"),
            "questions": list(options.get("questions", ())),
            "schema": None if schema is None else schema.model_dump(mode="json"),
            "rows": options.get("rows", "auto"),
            "fresh": options.get("fresh", False),
            "attribute": options.get("attribute", ""),
        }
    )


def _spawn(files: JobFiles, settings: Settings) -> Job:
    """Start the process and wait until it says that it runs.

    The key reaches it through its environment: the request is a file.
    """
    key = {} if settings.api_key is None else {f"{PREFIX}API_KEY": settings.api_key}
    with files.log.open("wb") as log:
        process = subprocess.Popen(
            (sys.executable, "-P", "-m", "srag_mcp.pipeline.job_process", str(files.request)),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={**os.environ, **key},
            start_new_session=True,
        )
    # Somebody has to take note of its end, or it stays in the table of processes.
    threading.Thread(target=process.wait, daemon=True).start()
    end = time.monotonic() + _START_S
    while time.monotonic() < end:
        job = files.read()
        if job is not None:
            return job
        if process.poll() is not None and not files.state.exists():
            break
        time.sleep(_POLL_S)
    said = files.log.read_text(encoding="utf-8", errors="replace").strip()[-500:]
    msg = f"the ingestion process did not start: {said or 'it said nothing'}"
    raise JobError(msg)
