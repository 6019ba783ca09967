"""What a job says of itself, and how it can be stopped."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from srag_mcp.engines.protocol import Progress, Workload
from srag_mcp.model.language_model import Prompt
from srag_mcp.pipeline.jobs import Job, Jobs, JobWriter, with_key
from srag_mcp.pipeline.report import IngestReport
from srag_mcp.settings import Settings
from srag_mcp.store.spool import PromptSpool
from srag_mcp.store.state import State, open_state

JOB = Job(id="job", folder="notes")


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    with open_state(tmp_path) as opened:
        yield opened


def test_the_key_comes_from_the_environment_and_the_rest_from_the_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = Settings(engine="model", model="openai/small", api_key="old", workers=3)
    written = Settings.model_validate_json(settings.model_dump_json())

    monkeypatch.setenv("SRAG_API_KEY", "k-0123456789")
    monkeypatch.setenv("SRAG_WORKERS", "7")

    assert with_key(written) == settings.model_copy(update={"api_key": "k-0123456789"})
    monkeypatch.delenv("SRAG_API_KEY")
    assert with_key(written).api_key is None


def test_the_state_of_a_job_tells_how_many_prompts_wait(state: State) -> None:
    jobs, spool = Jobs(state), PromptSpool(state)
    jobs.add("job", "{}")
    with jobs.held():
        writer = JobWriter(jobs, spool, JOB)
        for number in range(3):
            spool.ask(f"{number:064d}", Prompt("records", "Read.", f"Note {number}"), {})
        spool.hand_out(1, 1000)
        writer.show(Progress("schema"))
        writer.write()
        waiting = jobs.read("job")
        writer.end(IngestReport("notes", None, published=False))
        ended = jobs.read("job")

    assert waiting is not None
    assert ended is not None
    assert (waiting.status, waiting.stage, waiting.waiting) == ("running", "schema", 3)
    assert (ended.status, ended.waiting) == ("done", 0)


def test_a_stage_and_what_is_expected_are_told_as_soon_as_they_are_known(state: State) -> None:
    jobs = Jobs(state)
    jobs.add("job", "{}")
    told = []
    with jobs.held():
        writer = JobWriter(jobs, PromptSpool(state), JOB)
        for progress in (
            Progress("extracting", 1, 4),
            Progress("extracting", 2, 4),
            Progress("schema", expected=Workload(6, 5000)),
        ):
            writer.show(progress)
            job = jobs.read("job")
            told.append(job and (job.stage, job.done, job.expected))

    assert told == [("extracting", 1, ()), ("extracting", 1, ()), ("schema", 0, (6, 5000, 0))]


def test_of_two_jobs_only_the_latest_can_run(state: State) -> None:
    jobs = Jobs(state)
    for number in range(2):
        jobs.add(f"job-{number}", "{}")
        JobWriter(jobs, PromptSpool(state), Job(id=f"job-{number}", folder="notes")).write()
    with jobs.held():
        found = [jobs.read(job_id) for job_id in jobs.ids()]
    assert [job and job.status for job in found] == ["interrupted", "running"]


def test_only_the_latest_jobs_are_remembered(state: State) -> None:
    jobs = Jobs(state)
    for number in range(25):
        jobs.add(f"job-{number}", "{}")
        jobs.write(Job(id=f"job-{number}", folder="notes", status="done"))
    assert jobs.ids() == [f"job-{number}" for number in range(5, 25)]


class _StoppedAtSight(Jobs):
    """The jobs of a corpus, of which one is terminated as soon as it can be read."""

    def write(self, job: Job) -> None:
        super().write(job)
        if job.is_running:
            os.kill(os.getpid(), signal.SIGTERM)


def test_a_job_says_that_it_runs_only_when_it_can_be_stopped(state: State) -> None:
    jobs = _StoppedAtSight(state)
    jobs.add("job", "{}")
    unheard: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: unheard.append(number))
    try:
        with jobs.held():
            writer = JobWriter(jobs, PromptSpool(state), JOB)
            writer.begin()
            stopped = writer.is_cancelled()
            writer.end(IngestReport("notes", None, published=False))
    finally:
        signal.signal(signal.SIGTERM, before)

    assert (stopped, unheard) == (True, [])
