"""Ingestion is a job: it outlives the call and the server that started it."""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from srag_mcp.pipeline.jobs import read_job
from srag_mcp.server.tools import build_server
from srag_mcp.settings import Settings
from srag_mcp.views.results import AnswerPage, CorpusList, JobStatus, ResultTable, SchemaPage

pytestmark = pytest.mark.anyio

Connect = Callable[..., Client]
ConnectStdio = Callable[..., StdioServerParameters]


def write_notes(folder: Path, n_documents: int) -> Path:
    documents = folder / "documents"
    documents.mkdir(parents=True, exist_ok=True)
    for number in range(n_documents):
        text = f"Note {number}\n\nTown: Town {number % 7}\nHeight: {number * 10} m\n"
        (documents / f"note-{number:05d}.txt").write_text(text, encoding="utf-8")
    return folder


async def call(client: Client, tool: str, **arguments: object) -> JobStatus:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return JobStatus.model_validate(result.structured_content)


async def await_end(client: Client) -> JobStatus:
    with anyio.fail_after(120):
        job = await call(client, "ingest_status")
        while job.state == "running":
            assert job.next.startswith("call ingest_status with corpus='notes', job_id=")
            job = await call(client, "ingest_status", job_id=job.job_id)
    return job


async def test_a_folder_becomes_a_table_through_the_tools_alone(
    tmp_path: Path, connect: Connect
) -> None:
    notes = write_notes(tmp_path / "notes", 8)
    (notes / "documents" / "empty.txt").touch()
    seen: list[tuple[float, float | None, str | None]] = []

    async def show(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))

    async with connect(notes) as client:
        started = await client.call_tool(
            "ingest_corpus",
            {"sample_questions": ["Which town has the highest height?"], "wait_seconds": 50},
            progress_callback=show,
        )
        job = await await_end(client)
        table = await client.call_tool("run_sql", {"sql": "SELECT count(*) FROM documents"})
        listed = await client.call_tool("list_corpora", {})

    assert not started.is_error
    assert job.state == "done"
    assert "could not be read: documents/empty.txt: the file is empty" in job.report
    assert job.next == "call ask with corpus='notes', or get_schema"
    assert ResultTable.model_validate(table.structured_content).rows == [[9]]
    (entry,) = CorpusList.model_validate(listed.structured_content).corpora
    assert (entry.state, entry.documents, entry.failed_documents) == ("ready", 8, 1)
    done = [progress for progress, _total, _message in seen]
    assert done == sorted(set(done))
    assert {total for _progress, total, _message in seen} == {done[-1]} == {8}


async def test_as_many_sample_questions_are_taken_as_by_the_command_line(
    tmp_path: Path, connect: Connect
) -> None:
    notes = write_notes(tmp_path / "notes", 4)
    questions = [f"How many notes have a height of more than {n} m?" for n in range(12)]

    async with connect(notes) as client:
        await call(client, "ingest_corpus", sample_questions=questions, wait_seconds=50)
        job = await await_end(client)

    assert job.report[-12:] == [f"answered: {question}" for question in questions]


async def test_a_call_that_does_not_wait_returns_the_job_and_another_can_cancel_it(
    tmp_path: Path, connect: Connect
) -> None:
    notes = write_notes(tmp_path / "notes", 2000)

    async with connect(notes) as client:
        job = await call(client, "ingest_corpus", wait_seconds=0)
        listed = await client.call_tool("list_corpora", {})
        again = await call(
            client, "ingest_corpus", sample_questions=["How many towns?"], wait_seconds=0
        )
        cancelled = await call(client, "ingest_status", cancel=True, wait_seconds=0)
        ended = await await_end(client)

    assert job.state == "running"
    (entry,) = CorpusList.model_validate(listed.structured_content).corpora
    assert entry.state == "ingesting"
    assert again.job_id == cancelled.job_id == ended.job_id == job.job_id
    assert again.report[0].startswith("this job was running before")
    if cancelled.state == "running":
        assert cancelled.report == ["it was asked to stop; it ends after the document it is at"]
        assert cancelled.next.endswith("while the state is running")
    assert (ended.state, ended.stage != "done") == ("cancelled", True)
    assert ended.next == "call ingest_corpus with corpus='notes' to go on where it stopped"


@pytest.mark.thorough
async def test_a_job_outlives_the_server_that_started_it(
    tmp_path: Path, connect_stdio: ConnectStdio
) -> None:
    notes = write_notes(tmp_path / "notes", 500)

    async with Client(connect_stdio(notes)) as client:
        started = await call(client, "ingest_corpus", wait_seconds=0)
    async with Client(connect_stdio(notes)) as client:
        ended = await await_end(client)
        rows = await client.call_tool("run_sql", {"sql": "SELECT count(*) FROM documents"})

    assert started.state == "running"
    assert (ended.job_id, ended.state) == (started.job_id, "done")
    assert ResultTable.model_validate(rows.structured_content).rows == [[500]]


async def test_a_job_whose_process_died_is_interrupted_and_goes_on(
    tmp_path: Path, connect: Connect
) -> None:
    notes = write_notes(tmp_path / "notes", 2000)

    async with connect(notes) as client:
        job = await call(client, "ingest_corpus", wait_seconds=0)
        os.kill(job_process(notes, job.job_id), signal.SIGKILL)
        with anyio.fail_after(30):
            status = await call(client, "ingest_status", wait_seconds=10)
        again = await call(client, "ingest_corpus", wait_seconds=0)
        await call(client, "ingest_status", cancel=True, wait_seconds=0)
        await await_end(client)

    assert status.state == "interrupted"
    assert status.next == "call ingest_corpus with corpus='notes' to go on where it stopped"
    assert again.job_id != job.job_id


def job_process(folder: Path, job_id: str) -> int:
    return read_job(folder, Settings(), job_id).pid


async def test_columns_that_a_person_wrote_are_not_found_anew(
    tmp_path: Path, connect: Connect
) -> None:
    notes = write_notes(tmp_path / "notes", 8)
    properties = {"town": {"type": "string", "description": "Where the note was written."}}
    written = json.dumps({"title": "Note", "type": "object", "properties": properties})
    (notes / "schema.json").write_text(written, encoding="utf-8")

    async with connect(notes) as client:
        await call(client, "ingest_corpus", engine="offline", wait_seconds=0)
        await await_end(client)
        asked = await client.call_tool("ask", {"question": "How high does the zeppelin fly?"})
        refused = await client.call_tool("ingest_corpus", {"rebuild_schema": True})

    brief = AnswerPage.model_validate(asked.structured_content).brief
    assert brief is not None
    assert "rebuild_schema" not in brief.next
    assert refused.is_error
    assert "a person wrote the columns" in str(refused.content)
    assert (notes / "schema.json").read_text(encoding="utf-8") == written


async def test_a_folder_without_documents_fails_with_a_reason(
    tmp_path: Path, connect: Connect
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()

    async with connect(notes) as client:
        await call(client, "ingest_corpus", wait_seconds=0)
        job = await await_end(client)

    assert job.state == "failed"
    assert str(notes) in " ".join(job.report)
    assert (
        job.next == "mend what the report names, then call ingest_corpus with corpus='notes' again"
    )


async def test_a_column_is_added_by_a_job(tmp_path: Path) -> None:
    folder = tmp_path / "huts"
    folder.mkdir()
    for number in range(1, 9):
        (folder / f"{number}.txt").write_text(f"Height: {number}00 m\nBeds: {number + 10}\n")
    schema = {"type": "object", "properties": {"height": {"type": "integer"}}}
    (folder / "schema.json").write_text(json.dumps(schema))
    server = build_server([folder], Settings(workers=1, home=tmp_path / "home"))
    async with Client(server) as client:
        await call(client, "ingest_corpus", wait_seconds=50)
        done = await call(client, "extend_schema", attribute="beds", wait_seconds=50)
        assert done.state == "done"
        added = done.report.index("added the column beds (number): beds")
        assert done.report[added + 1 : added + 3] == [
            "stated in 8 of 8 documents",
            "1.txt: 11.0, “11”",
        ]
        summed = await client.call_tool("run_sql", {"sql": "SELECT sum(beds) FROM record"})
        assert ResultTable.model_validate(summed.structured_content).rows == [[116.0]]


async def test_prose_is_quoted_and_the_caller_decides_who_reads_it(
    tmp_path: Path, connect: Connect
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for number, who in enumerate(["Ada", "Bo", "Cy"]):
        told = f"In 19{number}1 we met {who}, who told of a winter and of the fox below the hut."
        (notes / f"{number}.txt").write_text(told, encoding="utf-8")
    choose = "call ingest_corpus with corpus='notes', engine='agent' and go=true, and the same"
    async with connect(notes) as client:
        await call(client, "ingest_corpus", wait_seconds=0)
        quoted = await await_end(client)
        assert quoted.state == "priced"
        assert quoted.next.startswith(f"nothing was published: {choose}")
        [prose] = [line for line in quoted.report if line.startswith("this folder is prose: of ")]
        assert "the columns account for" in prose
        assert "; with engine agent it takes about " in prose

        for tool, argument in {"get_schema": {}, "run_sql": {"sql": "SELECT 1"}, "ask": {}}.items():
            asked = argument or ({"question": "How many notes are there?"} if tool == "ask" else {})
            refused = await client.call_tool(tool, asked)
            assert refused.is_error
            assert f"corpus 'notes' has no table yet, {prose}: {choose}" in str(refused.content)
        listed = await client.call_tool("list_corpora", {})
        page = CorpusList.model_validate(listed.structured_content)
        [entry] = page.corpora
        assert (entry.state, entry.problem) == ("not ingested", prose)
        assert page.next == quoted.next.removeprefix("nothing was published: ")

        await call(client, "ingest_corpus", engine="offline", wait_seconds=0)
        built = await await_end(client)
        assert built.next == "call ask with corpus='notes', or get_schema"
        schema = await client.call_tool("get_schema", {})
        assert prose in SchemaPage.model_validate(schema.structured_content).notes
