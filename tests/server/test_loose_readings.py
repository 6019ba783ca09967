"""What no column holds, read by the calling agent from the documents that it chooses."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from mcp import Client
from pydantic import JsonValue

from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from srag_mcp.views.results import (
    AnswerPage,
    AnswersPage,
    JobStatus,
    PromptPage,
    ResultTable,
    SchemaPage,
    TracePage,
)
from tests.conftest import Once
from tests.records.reading_model import answer, stated
from tests.server.test_agent_engine import DOCUMENT, attribute
from tests.server.test_jobs import job_process
from tests.server.test_prompts import call

pytestmark = pytest.mark.anyio

Connect = Callable[..., Client]
HIGH = "SELECT document_id FROM huts WHERE height > 600"  # 7 and 8
WISH: dict[str, object] = {"attribute": "who keeps it", "documents": HIGH, "keep": False}


@pytest.fixture
def huts(tmp_path: Path, settings: Settings, once: Once) -> Path:
    """Eight huts, of which rules have read the height."""
    folder = tmp_path / "huts"
    folder.mkdir()
    for number in range(1, 9):
        text = f"Name: Hut {number}\nHeight: {number}00 m\n\nAnna keeps it since {1900 + number}.\n"
        (folder / f"{number}.txt").write_text(text)
    schema = '{"title": "Huts", "properties": {"height": {"type": "integer", "x-unit": "m"}}}'
    (folder / "schema.json").write_text(schema)
    return once(folder, lambda: ingest(folder, settings))


async def reply_once(client: Client) -> tuple[str, int]:
    """Answer the prompts that wait; return their step, and how many documents they show."""
    page = await call(client, PromptPage, "next_prompts")
    given: list[JsonValue] = []
    n_shown = 0
    for step in page.steps:
        for prompt in step.prompts:
            shown = DOCUMENT.findall(prompt.content)
            n_shown += len(shown)
            records = [answer(key, [stated("keeper", "Anna", "Anna")]) for key, *_ in shown]
            said: object = {"documents": records}
            if step.step == "extend":
                said = {"existing": None, "definition": attribute("keeper", "string", None)}
            given.append({"id": prompt.id, "reply": said})  # type: ignore[dict-item]  # as JSON has it
    kept = await call(client, AnswersPage, "answer_prompts", answers=given)
    assert (kept.accepted, kept.problems) == (len(given), [])
    return page.steps[0].step, n_shown


async def await_state(client: Client, state: str) -> JobStatus:
    with anyio.fail_after(60):
        while (status := await call(client, JobStatus, "ingest_status")).state == "running":
            pass
    assert status.state == state, status.report
    return status


async def test_an_agent_reads_what_it_chose_and_asks_again(huts: Path, connect: Connect) -> None:
    async with connect(huts, engine="agent") as client:
        job = await call(client, JobStatus, "extend_schema", **WISH, wait_seconds=50)
        price = "to be read with a language model: 2 documents, about 2 prompts and "
        assert [line.partition(price)[1] for line in job.report] == [price]
        assert await reply_once(client) == ("extend", 0)
        assert await reply_once(client) == ("records", 2)
        done = await await_state(client, "done")
        counted = await call(
            client, ResultTable, "run_sql", sql="SELECT count(*) FROM huts WHERE keeper = 'Anna'"
        )
        schema = await call(client, SchemaPage, "get_schema")
        traced = await call(client, TracePage, "trace_value", column="keeper")
        asked = await call(client, AnswerPage, "ask", question="How many huts have keeper Anna?")

    assert "read for 2 of 8 documents, and not kept: keeper (string)" in "\n".join(done.report)
    assert counted.rows == [[2]]
    assert counted.coverage == [
        "Over all 8 documents; keeper: 2 used, 6 were not read for it.",
        "Whatever they would say: 2 to 8.",
    ]
    assert "keeper: read for 2 of 8 documents only" in counted.notes
    assert "read for 2 of 8 documents, not kept: keeper" in schema.notes
    assert [line.split()[0] for line in schema.columns] == ["document_id", "height"]
    assert [(item.document_id, item.quote) for item in traced.sources] == [
        ("7.txt", "Anna"),
        ("8.txt", "Anna"),
    ]
    assert (asked.answered, asked.rows, asked.bounds) == (True, [[2]], [2, 8])
    assert asked.denominator.startswith("Over all 8 documents")


async def test_a_reading_that_died_goes_on_by_the_call_that_it_names(
    huts: Path, connect: Connect
) -> None:
    async with connect(huts, engine="agent") as client:
        job = await call(client, JobStatus, "extend_schema", **WISH, wait_seconds=50)
        assert await reply_once(client) == ("extend", 0)
        with anyio.fail_after(60):
            while (await call(client, JobStatus, "ingest_status")).stage != "predicting":
                pass
        os.kill(job_process(huts, job.job_id), signal.SIGKILL)
        died = await await_state(client, "interrupted")
        await call(client, JobStatus, "extend_schema", **WISH, wait_seconds=50)
        assert await reply_once(client) == ("records", 2), "the definition was there already"
        await await_state(client, "done")

    assert died.next == (
        f"call extend_schema with corpus='huts', attribute='who keeps it', documents={HIGH!r} and"
        " keep=false to go on where it stopped"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            {"documents": "SELECT document_id FROM srag_texts", "keep": False},
            "the SQL in documents cannot be used",
        ),
        ({"documents": "SELECT document_id FROM huts; DROP TABLE huts", "keep": False}, "cannot"),
        ({"documents": HIGH}, "pass keep=false to read these documents only"),
    ],
)
async def test_what_cannot_be_read_starts_no_job(
    huts: Path, connect: Connect, arguments: dict[str, object], said: str
) -> None:
    async with connect(huts) as client:
        refused = await client.call_tool("extend_schema", {"attribute": "keeper", **arguments})
        status = await client.call_tool("ingest_status", {})

    assert refused.is_error
    assert said in str(refused.content)
    assert "no ingestion job of" in str(status.content)
