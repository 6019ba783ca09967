"""What the ingestion tools return: the state of a job, and what to call next."""

from dataclasses import dataclass
from pathlib import Path

from srag_mcp.errors import JobError
from srag_mcp.pipeline.job_state import Job
from srag_mcp.pipeline.jobs import cancel_job, read_job, start_job
from srag_mcp.pipeline.sample_questions import read_sample_questions
from srag_mcp.server.corpora import Corpora
from srag_mcp.server.results import JobStatus

MAX_REPORT_LINES = 30


@dataclass(frozen=True, slots=True)
class IngestCall:
    """The arguments of ingest_corpus."""

    corpus: str
    sample_questions: tuple[str, ...]
    rebuild_schema: bool


def start_page(corpora: Corpora, call: IngestCall) -> JobStatus:
    """Start an ingestion, or return the one that runs.

    Raises:
        JobError: If the corpus is a build without documents.
    """
    folder = _folder(corpora, call.corpus)
    job = start_job(
        folder,
        corpora.settings,
        questions=call.sample_questions or read_sample_questions(folder),
        fresh=call.rebuild_schema,
    )
    return _page(corpora, call.corpus, job)


def status_page(corpora: Corpora, corpus: str, job_id: str) -> JobStatus:
    """Return the state of a job, of the latest when *job_id* is empty."""
    return _page(corpora, corpus, read_job(_folder(corpora, corpus), corpora.settings, job_id))


def cancel_page(corpora: Corpora, corpus: str, job_id: str) -> JobStatus:
    """Ask a job to stop; what is finished is kept."""
    return _page(corpora, corpus, cancel_job(_folder(corpora, corpus), corpora.settings, job_id))


def _folder(corpora: Corpora, name: str) -> Path:
    corpus = corpora.get(name)
    if corpus.is_build:
        msg = f"{corpora.name_of(corpus)!r} is a published build; it has no documents to ingest"
        raise JobError(msg)
    return corpus.location


def _page(corpora: Corpora, corpus: str, job: Job) -> JobStatus:
    name = corpora.name_of(corpora.get(corpus))
    report = list(job.report[:MAX_REPORT_LINES])
    if job.error:
        report.append(job.error)
    return JobStatus(
        job_id=job.id,
        corpus=name,
        state=job.status,
        stage=job.stage,
        done=job.done,
        total=job.total,
        report=report,
        next=_advice(job, name),
    )


def _advice(job: Job, name: str) -> str:
    again = f"ingest_status with corpus={name!r}, job_id={job.id!r}"
    return {
        "running": f"call {again} until the state is done",
        "done": f"call get_schema or ask with corpus={name!r}",
        "failed": "mend what the report names, then call ingest_corpus again",
        "cancelled": "call ingest_corpus to go on where it stopped",
        "interrupted": "call ingest_corpus to go on where it stopped",
    }[job.status]
