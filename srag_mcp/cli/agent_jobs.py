"""Ingestions of the agent engine: they wait for answers, so they are jobs in the background."""

import sys
from pathlib import Path

from srag_mcp.cli.tables import print_json
from srag_mcp.engines.choice import is_for_caller
from srag_mcp.pipeline.wishes import go_on
from srag_mcp.settings import Settings
from srag_mcp.store.build import published_info
from srag_mcp.store.job import Job
from srag_mcp.store.layout import CorpusFolder


def is_for_agents(location: Path, settings: Settings) -> bool:
    """Whether an ingestion of *location* would be done by an agent, as the last one was.

    The last one may have ended, or not.
    """
    settings = go_on(location, settings, {}).settings
    info = published_info(CorpusFolder(location, settings.home).readable())
    return is_for_caller(settings, None if info is None else info.engine)


def print_job(job: Job, corpus: str, *, as_json: bool) -> None:
    """Say that a job runs, and how to answer its prompts."""
    if as_json:
        print_json({"job_id": job.id, "state": job.status, "folder": job.folder})
    else:
        print(f"job {job.id} ingests {job.folder} in the background and waits for answers")
    print(
        f"next: srag-mcp prompts next {corpus}, then srag-mcp prompts answer {corpus} FILE;"
        " or let an agent do so with next_prompts and answer_prompts",
        file=sys.stderr,
    )
