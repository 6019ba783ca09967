import os
import signal
from pathlib import Path

import pytest

from srag_mcp.model.language_model import Prompt
from srag_mcp.model.prompt_spool import PromptSpool
from srag_mcp.pipeline.job_process import JobWriter, read_settings
from srag_mcp.pipeline.job_state import Job, JobFiles
from srag_mcp.pipeline.report import IngestReport, Progress
from srag_mcp.settings import Settings


def test_the_key_comes_from_the_environment_and_the_rest_from_the_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = Settings(engine="model", model="openai/small", api_key="old", workers=3)
    written = settings.model_dump(mode="json")

    monkeypatch.setenv("SRAG_API_KEY", "k-0123456789")
    monkeypatch.setenv("SRAG_WORKERS", "7")

    assert read_settings(written) == settings.model_copy(update={"api_key": "k-0123456789"})
    monkeypatch.delenv("SRAG_API_KEY")
    assert read_settings(written).api_key is None


def test_the_state_of_a_job_tells_how_many_prompts_wait(tmp_path: Path) -> None:
    spool = PromptSpool(tmp_path / "prompts")
    files = JobFiles(tmp_path, "job")
    with files.held():
        writer = JobWriter(files, "notes", spool)
        for number in range(3):
            spool.put(Prompt("records", "Read.", f"Note {number}"), {})
        spool.hand_out(1, 1000)
        writer.show(Progress("schema"))
        writer.write()
        waiting = files.read()
        writer.end(IngestReport("notes", None, published=False))
        ended = files.read()

    assert waiting is not None
    assert ended is not None
    assert (waiting.status, waiting.stage, waiting.waiting) == ("running", "schema", 3)
    assert (ended.status, ended.waiting) == ("done", 0)


class _StoppedAtSight(JobFiles):
    """The files of a job that is terminated as soon as its state can be read."""

    def write(self, job: Job) -> None:
        super().write(job)
        if job.is_running:
            os.kill(os.getpid(), signal.SIGTERM)


def test_a_job_says_that_it_runs_only_when_it_can_be_stopped(tmp_path: Path) -> None:
    files = _StoppedAtSight(tmp_path, "job")
    unheard: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: unheard.append(number))
    try:
        with files.held():
            writer = JobWriter(files, "notes", PromptSpool(tmp_path / "prompts"))
            writer.begin()
            stopped = writer.is_cancelled()
            writer.end(IngestReport("notes", None, published=False))
    finally:
        signal.signal(signal.SIGTERM, before)

    assert (stopped, unheard) == (True, [])
