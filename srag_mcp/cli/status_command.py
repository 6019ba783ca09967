"""The command that says how far an ingestion is, and stops it."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from srag_mcp.cli.options import CorpusArgument, HomeOption, JsonOption, command_settings
from srag_mcp.settings import named_engine

if TYPE_CHECKING:
    from pathlib import Path

    from srag_mcp.settings import Settings
    from srag_mcp.store.job import Job

_CANCEL_S = 30.0  # a document, or a reply on its way, takes less


def status(
    corpus: CorpusArgument,
    cancel: Annotated[
        bool, typer.Option("--cancel", help="Stop the job; what is finished is kept.")
    ] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say how far the ingestion in the background is, or how the latest ended."""
    from srag_mcp.cli.shipped import find_corpus
    from srag_mcp.pipeline.jobs import cancel_job, wait_for_job

    settings = command_settings(home)
    location = find_corpus(corpus, settings)
    job = _latest_job(location, settings)
    if cancel and job.is_running:
        cancel_job(location, settings, job.id)
        job = wait_for_job(location, settings, job.id, _CANCEL_S)
        if job.is_running:
            print("it was asked to stop; it ends after the document it is at", file=sys.stderr)
    _print_job(job, corpus, as_json=as_json)


def _latest_job(location: "Path", settings: "Settings") -> "Job":
    """Return the job that runs, else the latest.

    Raises:
        JobError: If there is none, or a process that is no job ingests the corpus.
    """
    from srag_mcp.errors import JobError
    from srag_mcp.pipeline.jobs import list_jobs
    from srag_mcp.store.layout import CorpusFolder, is_ingested_now, read_holder

    latest = next(iter(list_jobs(location, settings)), None)
    if latest is not None and latest.is_running:
        return latest
    state = CorpusFolder(location, settings.home).readable()
    if is_ingested_now(state):
        msg = (
            f"{location} is being ingested, not in the background but by {read_holder(state)}."
            " Ctrl-C stops it there; what is finished is kept"
        )
        raise JobError(msg)
    if latest is None:
        msg = f"no ingestion of {location} ran in the background: srag-mcp ingest starts one"
        raise JobError(msg)
    return latest


def _print_job(job: "Job", corpus: str, *, as_json: bool) -> None:
    from srag_mcp.cli.tables import print_json
    from srag_mcp.text.shown import one_line

    if as_json:
        print_json(
            {
                "job_id": job.id,
                "state": job.status,
                "stage": job.stage,
                "done": job.done,
                "total": job.total,
                "waiting": job.waiting,
                "report": job.report,
                "error": job.error,
            }
        )
        return
    print(f"job {job.id} is {job.status}{_describe_progress(job)}")
    for line in (*job.report, job.error):
        if line:
            print(one_line(line))
    print(_advise(job, corpus), file=sys.stderr)


def _describe_progress(job: "Job") -> str:
    """Say where a job that runs is: `": predicting, 26 of 40, 3 prompts wait for answers"`."""
    if not job.is_running:
        return ""
    parts = [job.stage or "starting"]
    if job.total:
        parts.append(f"{job.done} of {job.total}")
    if job.waiting:
        parts.append(f"{job.waiting} prompts wait for answers")
    return f": {', '.join(parts)}"


def _advise(job: "Job", corpus: str) -> str:
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
