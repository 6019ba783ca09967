import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from srag_mcp.errors import CorpusError, JobError
from srag_mcp.pipeline.jobs import cancel_job, list_jobs, read_job, start_job
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.layout import ingestion_lock
from srag_mcp.store.state import open_state

Ask = Callable[[Path, str], list[tuple[object, ...]]]
WriteStation = Callable[..., Path]
LONG_S = 60.0


def test_a_job_ingests_in_a_process_of_its_own(
    corpus: Path, settings: Settings, schema: Schema, ask: Ask
) -> None:
    started = start_job(corpus, settings, schema=schema)

    job = read_job(corpus, settings, started.id, LONG_S)

    assert started.pid not in {0, os.getpid()}
    assert (job.id, job.status, job.n_documents, job.error) == (started.id, "done", 5, "")
    assert job.report[1].startswith("5 documents (5 read now")
    assert ask(corpus, "SELECT count(*) FROM stations") == [(5,)]
    assert [item.id for item in list_jobs(corpus, settings)] == [job.id]


def test_a_second_start_returns_the_job_that_runs(
    tmp_path: Path, settings: Settings, schema: Schema, write_station: WriteStation
) -> None:
    corpus = tmp_path / "many"
    for number in range(1, 1500):
        write_station(corpus, number)

    first = start_job(corpus, settings, schema=schema)
    second = start_job(corpus, settings, schema=schema)
    asked = cancel_job(corpus, settings, first.id)
    ended = read_job(corpus, settings, first.id, LONG_S)

    assert (first.is_running, second.id, asked.id) == (True, first.id, first.id)
    assert (ended.status, ended.report[0].split(",")[0].split(";")[0]) == (
        "cancelled",
        "many: cancelled",
    )


def test_a_job_whose_process_died_is_interrupted_and_the_next_goes_on(
    tmp_path: Path, settings: Settings, schema: Schema, write_station: WriteStation
) -> None:
    corpus = tmp_path / "many"
    for number in range(1, 1200):
        write_station(corpus, number)
    started = start_job(corpus, settings, schema=schema)
    os.kill(started.pid, signal.SIGKILL)

    dead = read_job(corpus, settings, started.id, LONG_S)
    again = start_job(corpus, settings, schema=schema)
    ended = read_job(corpus, settings, again.id, LONG_S)

    assert (dead.status, again.id != dead.id) == ("interrupted", True)
    assert "start it again to go on" in dead.error
    assert (ended.status, ended.n_documents) == ("done", 1199)


def test_a_job_that_is_terminated_stops_as_if_it_was_cancelled(
    tmp_path: Path, settings: Settings, schema: Schema, write_station: WriteStation
) -> None:
    corpus = tmp_path / "many"
    for number in range(1, 1500):
        write_station(corpus, number)
    started = start_job(corpus, settings, schema=schema)
    os.kill(started.pid, signal.SIGTERM)

    assert read_job(corpus, settings, started.id, LONG_S).status == "cancelled"


def test_a_job_says_why_it_failed(corpus: Path, settings: Settings, schema: Schema) -> None:
    (corpus / "schema.json").write_text("{", encoding="utf-8")

    started = start_job(corpus, settings)
    job = read_job(corpus, settings, started.id, LONG_S)

    assert job.status == "failed"
    assert "schema.json is not JSON that can be read" in job.error


def test_a_job_fails_while_an_ingestion_runs_that_is_no_job(
    corpus: Path, settings: Settings, schema: Schema
) -> None:
    state = corpus / ".srag"
    state.mkdir()
    with ingestion_lock(state):
        started = start_job(corpus, settings, schema=schema)
        job = read_job(corpus, settings, started.id, LONG_S)

    assert job.status == "failed"
    assert f"process {os.getpid()}" in job.error


def test_unknown_jobs_and_folders_are_errors_that_say_what_there_is(
    corpus: Path, settings: Settings, tmp_path: Path
) -> None:
    with pytest.raises(JobError, match="yet: call ingest_corpus"):
        read_job(corpus, settings)
    with pytest.raises(JobError, match="no ingestion job"):
        read_job(corpus, settings, "../../etc/passwd")
    with pytest.raises(CorpusError, match="is not a folder"):
        start_job(tmp_path / "missing", settings)


def test_a_job_of_a_later_version_is_read(corpus: Path, settings: Settings, schema: Schema) -> None:
    started = start_job(corpus, settings, schema=schema)
    ended = read_job(corpus, settings, started.id, LONG_S)
    with open_state(corpus / ".srag") as state:
        state.run("UPDATE jobs SET told = json_set(told, '$.colour', 'red')")

    assert read_job(corpus, settings) == ended


def test_a_damaged_job_state_does_not_hinder_the_next_job(
    corpus: Path, settings: Settings, schema: Schema
) -> None:
    first = start_job(corpus, settings, schema=schema)
    read_job(corpus, settings, first.id, LONG_S)
    with open_state(corpus / ".srag") as state:
        state.run("UPDATE jobs SET told = ?", '{"later": 1}')

    assert list_jobs(corpus, settings) == []
    second = start_job(corpus, settings, schema=schema)
    ended = read_job(corpus, settings, second.id, LONG_S)
    assert ended.status == "done"
    assert list_jobs(corpus, settings) == [ended]


def test_a_damaged_job_state_is_an_error_that_names_the_job(
    corpus: Path, settings: Settings, schema: Schema
) -> None:
    started = start_job(corpus, settings, schema=schema)
    read_job(corpus, settings, started.id, LONG_S)
    with open_state(corpus / ".srag") as state:
        state.run("UPDATE jobs SET told = ?", '{"id": 3')

    with pytest.raises(JobError, match=f"of job {started.id} is damaged"):
        read_job(corpus, settings, started.id)


@pytest.mark.usefixtures("cold_starts")  # the environment is as it was at the start
def test_a_job_has_the_key_without_writing_it_down(
    corpus: Path, settings: Settings, schema: Schema, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SRAG_API_KEY", raising=False)
    with_key = settings.model_copy(update={"api_key": "k-0123456789"})

    started = start_job(corpus, with_key, schema=schema)
    environ = Path(f"/proc/{started.pid}/environ")
    has_key = b"SRAG_API_KEY=k-0123456789" in environ.read_bytes() if environ.exists() else True
    read_job(corpus, settings, started.id, LONG_S)

    written = [path.read_bytes() for path in (corpus / ".srag").iterdir() if path.is_file()]
    assert has_key
    assert all(b"0123456789" not in text for text in written)
