"""Where an ingestion stands, and what to do next: for agents, and for people."""

from pathlib import Path

from srag_mcp.pipeline.jobs import agent_prompts
from srag_mcp.settings import Settings, named_engine
from srag_mcp.store.job import Job
from srag_mcp.text.shown import one_line, shorten
from srag_mcp.views.results import JobStatus

MAX_REPORT_LINES = 30
MAX_LINE_CHARACTERS = 400
ASKED_TO_STOP = "it was asked to stop; it ends after the document it is at"


def job_page(folder: Path, settings: Settings, name: str, job: Job, note: str = "") -> JobStatus:
    """Show a job that ingests *folder*, the corpus called *name*."""
    report = [note] * bool(note)
    report += [shorten(line, MAX_LINE_CHARACTERS) for line in job.report[:MAX_REPORT_LINES]]
    if len(job.report) > MAX_REPORT_LINES:
        report.append(f"{len(job.report) - MAX_REPORT_LINES} more lines")
    if job.error:
        report.append(shorten(job.error, 10 * MAX_LINE_CHARACTERS))
    waiting = 0
    if job.is_running and note != ASKED_TO_STOP:
        with agent_prompts(folder, settings) as spool:
            waiting = spool.count().n_open
    return JobStatus(
        job_id=job.id,
        corpus=name,
        state=job.status,
        stage=job.stage,
        done=job.done,
        total=job.total,
        waiting=waiting,
        report=report,
        next=_next_call(job, name, waiting),
    )


def choose_call(name: str) -> str:
    """Say what to call for a corpus of prose, of which nobody has chosen who reads it."""
    return (
        f"call ingest_corpus with corpus={name!r} and engine='agent' to read it yourself, or"
        " engine='offline' for the columns that code finds"
    )


def _next_call(job: Job, name: str, waiting: int) -> str:
    if waiting:
        return f"{waiting} prompts wait for you: call next_prompts with corpus={name!r}"
    again = f"ingest_status with corpus={name!r}, job_id={job.id!r}"
    engine = named_engine(job.engine)
    start = "call ingest_corpus" + ("" if engine is None else f" with engine={engine!r}")
    if job.quoted:
        return f"nothing was published: {choose_call(name)}"
    if job.attribute:
        start = f"call extend_schema with attribute={job.attribute!r}"
    return {
        "running": f"call {again} while the state is running",
        "done": f"call get_schema or ask with corpus={name!r}",
        "failed": f"mend what the report names, then {start} again",
        "cancelled": f"{start} to go on where it stopped",
        "interrupted": f"{start} to go on where it stopped",
    }[job.status]


def job_data(job: Job) -> dict[str, object]:
    """Return a job as JSON values, for scripts."""
    names = ("stage", "done", "total", "waiting", "report", "error")
    return {"job_id": job.id, "state": job.status} | {name: getattr(job, name) for name in names}


def job_lines(job: Job) -> list[str]:
    """Write where a job is for people: `"job 1 is running: predicting, 26 of 40"`, its report."""
    where = ""
    if job.is_running:
        parts = [job.stage or "starting"]
        if job.total:
            parts.append(f"{job.done} of {job.total}")
        if job.waiting:
            parts.append(f"{job.waiting} prompts wait for answers")
        where = f": {', '.join(parts)}"
    said = [one_line(line) for line in (*job.report, job.error) if line]
    return [f"job {job.id} is {job.status}{where}", *said]


def next_command(job: Job, corpus: str) -> str:
    """Say what to do about a job on the command line, where the corpus is called *corpus*."""
    if job.is_running:
        answer = f"srag-mcp prompts next {corpus}, or " if job.waiting else ""
        return f"next: {answer}srag-mcp status {corpus} (--cancel stops it)"
    if job.status == "done":
        return f'next: srag-mcp ask {corpus} "…"'
    if job.attribute:
        return f'to go on: srag-mcp extend {corpus} --attribute "{job.attribute}"'
    engine = named_engine(job.engine)
    named = "" if engine is None else f" --engine {engine}"
    return f"to go on: srag-mcp ingest {corpus}{named}"
