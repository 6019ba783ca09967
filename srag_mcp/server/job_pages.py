"""What the ingestion tools return: the state of a job, and what to call next."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from srag_mcp.errors import JobError, SchemaError
from srag_mcp.server.corpora import Corpora
from srag_mcp.server.results import JobStatus
from srag_mcp.settings import EngineChoice
from srag_mcp.text.shown import shorten

if TYPE_CHECKING:
    from srag_mcp.store.job import Job
    from srag_mcp.store.spool import PromptSpool

# Imports of the pipeline stand in the functions: listing the tools does not need them.

MAX_REPORT_LINES = 30
MAX_LINE_CHARACTERS = 400
STAGES = {
    "finding": 0,
    "schema": 5,
    "extracting": 10,
    "predicting": 40,
    "standardising": 85,
    "normalising": 90,
    "publishing": 95,
}


@dataclass(frozen=True, slots=True)
class IngestCall:
    """The arguments of ingest_corpus."""

    corpus: str
    sample_questions: tuple[str, ...]
    rebuild_schema: bool
    engine: EngineChoice = "auto"


def start_page(corpora: Corpora, call: IngestCall) -> JobStatus:
    """Start an ingestion, or return the one that runs.

    Raises:
        JobError: If the corpus is a build without documents.
        SchemaError: If the columns shall be found anew that a person wrote down.
    """
    from srag_mcp.pipeline.jobs import list_jobs, start_job
    from srag_mcp.pipeline.wishes import choose_questions

    folder = corpus_folder(corpora, call.corpus)
    if call.rebuild_schema:
        _require_no_schema_file(folder)
    before = {job.id for job in list_jobs(folder, corpora.settings)}
    settings = corpora.settings
    if call.engine != "auto":
        settings = settings.model_copy(update={"engine": call.engine})
    job = start_job(
        folder,
        settings,
        questions=choose_questions(folder, settings, call.sample_questions),
        fresh=call.rebuild_schema,
    )
    page = _page(corpora, call.corpus, job)
    waiting = _not_heard(call) if job.id in before else ""
    if waiting:
        note = f"this job was running before: your {waiting} wait for a call after its end"
        page.report.insert(0, note)
    return page


def extend_page(corpora: Corpora, corpus: str, attribute: str) -> JobStatus:
    """Start to add one column.

    Raises:
        JobError: If the corpus is a build without documents, or a job of it runs.
        SchemaError: If *attribute* is empty or too long.
    """
    from srag_mcp.pipeline.extension import tidy_wish
    from srag_mcp.pipeline.jobs import start_job

    folder, wish = corpus_folder(corpora, corpus), tidy_wish(attribute)
    return _page(corpora, corpus, start_job(folder, corpora.settings, attribute=wish))


def _not_heard(call: IngestCall) -> str:
    """Name the arguments that a job that runs already does not follow."""
    given = {
        "sample_questions": call.sample_questions,
        "rebuild_schema": call.rebuild_schema,
        "engine": call.engine != "auto",
    }
    return " and ".join(name for name, value in given.items() if value)


def status_page(corpora: Corpora, corpus: str, job_id: str) -> JobStatus:
    """Return the state of a job, of the latest when *job_id* is empty."""
    from srag_mcp.pipeline.jobs import read_job

    return _page(
        corpora, corpus, read_job(corpus_folder(corpora, corpus), corpora.settings, job_id)
    )


def cancel_page(corpora: Corpora, corpus: str, job_id: str, wait_s: float) -> JobStatus:
    """Ask a job to stop, and wait so long for its end; what is finished is kept."""
    from srag_mcp.pipeline.jobs import cancel_job

    job = cancel_job(corpus_folder(corpora, corpus), corpora.settings, job_id, wait_s)
    page = _page(corpora, corpus, job)
    if job.is_running:
        page.report.insert(0, "it was asked to stop; it ends after the document it is at")
        page.waiting, page.next = 0, _advice(job, page.corpus, waiting=0)
    return page


@contextmanager
def open_spool(corpora: Corpora, name: str) -> Iterator["PromptSpool"]:
    """Open the prompts of a corpus that wait for an agent."""
    from srag_mcp.pipeline.jobs import agent_prompts

    with agent_prompts(corpus_folder(corpora, name), corpora.settings) as spool:
        yield spool


def percent_done(page: JobStatus) -> float:
    """Return how far a job is, over all its stages: half of the documents read -> 50.0."""
    if page.state == "done":
        return 100.0
    if page.stage == "extracting" and page.total:
        return round(10 + 80 * page.done / page.total, 1)
    return STAGES.get(page.stage, 0)


def describe_progress(page: JobStatus) -> str:
    """Say where a job stands: `"extracting: 26 of 40"`, `"publishing"`."""
    stage = page.stage or "starting"
    return f"{stage}: {page.done} of {page.total}" if page.total else stage


def corpus_folder(corpora: Corpora, name: str) -> Path:
    """Return the folder of the documents of a corpus.

    Raises:
        JobError: If the corpus is a build without documents.
        NotIngestedError: If the folder is not there.
    """
    corpus = corpora.present(name)
    if corpus.is_build:
        msg = (
            f"{corpora.name(name)!r} is a published build without documents: it cannot be"
            " ingested, only asked as it is; list_corpora says whether it is ready"
        )
        raise JobError(msg)
    return corpus.location


def _require_no_schema_file(folder: Path) -> None:
    from srag_mcp.schema.schema_file import find_schema_file

    path = find_schema_file(folder)
    if path is not None:
        msg = (
            f"a person wrote the columns of this corpus down in {path}, and rebuild_schema would"
            " leave them out: ask the user to add a column there, then call ingest_corpus without"
            " rebuild_schema"
        )
        raise SchemaError(msg)


def _page(corpora: Corpora, corpus: str, job: "Job") -> JobStatus:
    name = corpora.name(corpus)
    report = [shorten(line, MAX_LINE_CHARACTERS) for line in job.report[:MAX_REPORT_LINES]]
    if len(job.report) > MAX_REPORT_LINES:
        report.append(f"{len(job.report) - MAX_REPORT_LINES} more lines")
    if job.error:
        report.append(shorten(job.error, 10 * MAX_LINE_CHARACTERS))
    waiting = 0
    if job.is_running:
        with open_spool(corpora, corpus) as spool:
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
        next=_advice(job, name, waiting),
    )


def _advice(job: "Job", name: str, waiting: int) -> str:
    if waiting:
        return f"{waiting} prompts wait for you: call next_prompts with corpus={name!r}"
    again = f"ingest_status with corpus={name!r}, job_id={job.id!r}"
    start = "call ingest_corpus" + ("" if job.engine == "auto" else f" with engine={job.engine!r}")
    if job.attribute:
        start = f"call extend_schema with attribute={job.attribute!r}"
    return {
        "running": f"call {again} while the state is running",
        "done": f"call get_schema or ask with corpus={name!r}",
        "failed": f"mend what the report names, then {start} again",
        "cancelled": f"{start} to go on where it stopped",
        "interrupted": f"{start} to go on where it stopped",
    }[job.status]
