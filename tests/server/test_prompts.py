"""The calling agent as the language model of a job, over the tools alone."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import TextContent
from pydantic import BaseModel, JsonValue

from srag_mcp.model.language_model import Prompt
from srag_mcp.model.reply_content import reply_schema
from srag_mcp.pipeline.jobs import list_jobs
from srag_mcp.settings import Settings
from srag_mcp.store.spool import PromptSpool
from srag_mcp.store.state import open_state
from srag_mcp.views.job_pages import SAME_AS_BEFORE
from srag_mcp.views.results import AnswerProblem, AnswersPage, JobStatus, PromptEntry, PromptPage
from tests.server import asking_job

pytestmark = pytest.mark.anyio

Connect = Callable[..., Client]
ConnectStdio = Callable[..., StdioServerParameters]
StartJob = Callable[[str, int], "subprocess.Popen[bytes]"]
Page = TypeVar("Page", bound=BaseModel)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / ".srag").mkdir(parents=True)
    return folder


@pytest.fixture
def start_job(notes: Path) -> Iterator[StartJob]:
    """Return a function that starts a job of that id, which asks about so many notes."""
    state = notes / ".srag"
    with ExitStack() as running:

        def start(job_id: str, n_notes: int) -> "subprocess.Popen[bytes]":
            command = [sys.executable, "-m", asking_job.__name__, str(state), job_id, str(n_notes)]
            root = Path(__file__).parents[2]
            process = running.enter_context(subprocess.Popen(command, cwd=root))
            running.callback(process.kill)
            while job_id not in [job.id for job in list_jobs(notes, Settings())]:
                assert process.poll() is None
                time.sleep(0.01)  # its state can only be looked for
            return process

        yield start


def kept(notes: Path) -> list[list[int]]:
    """Return the answers that the job has kept: number of the note and height."""
    text = (notes / ".srag" / "kept.jsonl").read_text(encoding="utf-8")
    return sorted(json.loads(line) for line in text.splitlines())


def heights(n_notes: int) -> list[list[int]]:
    return [[number, number * 10] for number in range(n_notes)]


def prompts(page: PromptPage) -> list[PromptEntry]:
    return [prompt for step in page.steps for prompt in step.prompts]


def height(prompt: PromptEntry) -> JsonValue:
    found = re.search(r"Height: (\d+) m", prompt.content)
    return {"height": int(found.group(1)) if found else None}


def answers(page: PromptPage) -> list[JsonValue]:
    return [{"id": prompt.id, "reply": height(prompt)} for prompt in prompts(page)]


async def call(client: Client, kind: type[Page], tool: str, **arguments: object) -> Page:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return kind.model_validate(result.structured_content)


async def play(client: Client, size: int, first: PromptPage | None = None) -> list[PromptPage]:
    """Be the agent of a job, with pages of so many prompts, until the job ends."""
    pages = [first or await call(client, PromptPage, "next_prompts", max=size)]
    with anyio.fail_after(60):
        while pages[-1].state == "running":
            given = answers(pages[-1])
            page = await call(client, AnswersPage, "answer_prompts", answers=given, next=size)
            assert (page.accepted, page.problems) == (len(given), [])
            pages.append(page)
    return pages


async def test_an_agent_answers_all_prompts_page_by_page(
    notes: Path, start_job: StartJob, connect: Connect
) -> None:
    start_job("job-1", 60)

    async with connect(notes) as client:
        pages = await play(client, 20)

    assert kept(notes) == heights(60)
    assert sum(len(prompts(page)) for page in pages) == 60
    assert {page.job_id for page in pages} == {"job-1"}
    (first,) = pages[0].steps
    assert (first.step, first.instructions) == ("records", asking_job.INSTRUCTIONS)
    assert first.reply_schema == reply_schema(asking_job.Height)
    later = {(step.instructions, bool(step.reply_schema)) for p in pages[1:] for step in p.steps}
    assert later == {(SAME_AS_BEFORE, False)}
    assert (pages[-1].state, pages[-1].steps) == ("done", [])
    over = "it is over, nothing waits and the job is done"
    assert pages[-1].next == f"{over}: call ask with corpus='notes', or get_schema"


async def test_the_status_of_a_job_that_waits_comes_at_once_and_names_the_next_call(
    notes: Path, start_job: StartJob, connect: Connect
) -> None:
    start_job("job-1", 3)

    async with connect(notes) as client:
        with anyio.fail_after(20):
            status = await call(client, JobStatus, "ingest_status", wait_seconds=50)

    assert status.state == "running"
    assert 1 <= status.waiting <= 3
    assert status.next == (
        f"{status.waiting} prompts wait for you: call next_prompts with corpus='notes'"
    )


async def test_a_page_says_how_many_wait_and_what_to_do_in_text_and_structure(
    notes: Path, start_job: StartJob, connect: Connect
) -> None:
    start_job("job-1", 5)

    async with connect(notes) as client:
        result = await client.call_tool("next_prompts", {"max": 2})
        rest = await call(client, PromptPage, "next_prompts", max=9)
        none = await call(client, AnswersPage, "answer_prompts", answers=[])

    page = PromptPage.model_validate(result.structured_content)
    assert (len(prompts(page)), page.waiting, page.with_others) == (2, 3, 0)
    assert page.next == (
        "answer each by its step's instructions: call answer_prompts with corpus='notes'"
    )
    (text,) = result.content
    assert isinstance(text, TextContent)
    assert json.loads(text.text) == result.structured_content
    assert (len(prompts(rest)), rest.waiting, rest.with_others) == (3, 0, 2)
    assert (none.accepted, none.waiting, none.with_others) == (0, 0, 5)
    assert re.fullmatch(
        r"the 5 prompts that wait were given out, to other agents or to you: answer yours; if"
        r" they are lost, call next_prompts with corpus='notes', again=true; those that nobody"
        r" answers are free in \d+ s",
        none.next,
    )


async def test_pages_fit_into_a_result_but_a_prompt_that_is_too_large_comes_alone(
    notes: Path, start_job: StartJob, connect: Connect
) -> None:
    start_job("job-1", 60)

    async with connect(notes) as client:
        page = await call(client, PromptPage, "next_prompts", max=60)
    async with connect(notes, max_result_characters=1000) as client:
        alone = await call(client, PromptPage, "next_prompts", max=60)

    assert 15 < len(prompts(page)) < 60
    assert len(page.model_dump_json(exclude_defaults=True)) < 20_000
    assert len(prompts(alone)) == 1


async def test_whoever_can_read_more_at_once_gets_more(
    notes: Path, start_job: StartJob, connect: Connect
) -> None:
    start_job("job-1", 60)

    async with connect(notes) as client:
        usual = await call(client, PromptPage, "next_prompts")
        page = await call(client, PromptPage, "next_prompts", max_characters=50_000, again=True)

    assert len(prompts(usual)) < len(prompts(page)) == 60
    assert len(page.steps) == 1


async def test_what_is_wrong_with_an_answer_is_told_and_the_others_count(
    notes: Path, start_job: StartJob, connect: Connect
) -> None:
    start_job("job-1", 4)

    async with connect(notes) as client:
        page = await call(client, PromptPage, "next_prompts", max=4)
        first, second, third, fourth = prompts(page)
        wrong: list[JsonValue] = [
            {"id": first.id, "reply": height(first)},
            {"id": second.id, "reply": json.dumps(height(second))},
            {"id": third.id, "reply": {"size": 3}},
            {"id": "0123abcd", "reply": {"height": 3}},
            {"id": fourth.id},
            "well",
        ]
        said = await call(client, AnswersPage, "answer_prompts", answers=wrong)
        again = await call(client, AnswersPage, "answer_prompts", answers=wrong[:1])
        deep: list[JsonValue] = [{"id": third.id, "reply": {"height": "tall"}}]
        taken = await call(client, AnswersPage, "answer_prompts", answers=deep, next=9)
        (corrected,) = prompts(taken)
        last: list[JsonValue] = [{"id": item.id, "reply": height(item)} for item in prompts(taken)]
        last.append({"id": fourth.id, "reply": height(fourth)})
        ended = await call(client, AnswersPage, "answer_prompts", answers=last, next=9)

    assert said.accepted == 2
    assert said.problems == [
        AnswerProblem(id=third.id, problem="fields are missing: height"),
        AnswerProblem(id="0123abcd", problem="no such prompt is asked, or not any more"),
        AnswerProblem(id=fourth.id, problem="reply must be a JSON object, or its text"),
        AnswerProblem(id="well", problem="not an id of a prompt; copy it as given"),
    ]
    assert said.next == (
        "send the 2 refused ones again, put right: call answer_prompts with corpus='notes'"
    )
    assert again.next.startswith("the 2 prompts that wait were given out, to other agents or to")
    (twice,) = again.problems
    assert twice.problem == "answered before; the first answer is kept"
    assert (taken.accepted, corrected.content) == (1, third.content)
    (correction,) = corrected.corrections
    assert correction.reply == '{"height": "tall"}'
    assert "height: Input should be a valid integer" in correction.problem
    assert (ended.accepted, ended.state) == (2, "done")
    assert kept(notes) == heights(4)


async def test_an_agent_in_a_new_session_goes_on_with_what_it_was_given(
    notes: Path, start_job: StartJob, connect: Connect, connect_stdio: ConnectStdio
) -> None:
    start_job("job-1", 3)
    async with Client(connect_stdio(notes), mode="legacy") as lost:
        given = await call(lost, PromptPage, "next_prompts")
    async with connect(notes) as client:
        told = await call(client, AnswersPage, "answer_prompts", answers=[])
        page = await call(client, PromptPage, "next_prompts", again=True)
        assert prompts(page) == prompts(given)
        await play(client, 5, page)
    assert "if they are lost, call next_prompts with corpus='notes', again=true" in (
        told.next or ""
    )
    assert kept(notes) == heights(3)


async def test_two_agents_share_the_prompts(
    notes: Path, start_job: StartJob, connect: Connect, connect_stdio: ConnectStdio
) -> None:
    start_job("job-1", 40)
    pages: list[list[PromptPage]] = []

    async def be_agent(client: Client, first: PromptPage) -> None:
        pages.append(await play(client, 5, first))

    async with (
        connect(notes) as one,
        Client(connect_stdio(notes), mode="legacy") as other,
        anyio.create_task_group() as agents,
    ):
        firsts = [await call(item, PromptPage, "next_prompts", max=5) for item in (one, other)]
        agents.start_soon(be_agent, one, firsts[0])
        agents.start_soon(be_agent, other, firsts[1])

    ids = [{prompt.id for page in mine for prompt in prompts(page)} for mine in pages]
    assert kept(notes) == heights(40)
    assert all(ids)
    assert ids[0].isdisjoint(ids[1])
    assert len(ids[0] | ids[1]) == 40


async def test_answers_to_a_job_that_was_killed_are_kept_for_the_one_that_goes_on(
    notes: Path, start_job: StartJob, connect: Connect
) -> None:
    process = start_job("job-1", 12)
    async with connect(notes) as client:
        had = await call(client, PromptPage, "next_prompts", max=4)
        lost = await call(client, PromptPage, "next_prompts", max=4)
    process.kill()
    process.wait()

    async with connect(notes) as client:
        status = await call(client, JobStatus, "ingest_status")
        nothing = await call(client, PromptPage, "next_prompts", max=9)
        late = await call(client, AnswersPage, "answer_prompts", answers=answers(had), next=9)
        start_job("job-2", 12)
        later = await call(client, AnswersPage, "answer_prompts", answers=answers(lost))
        rest = await play(client, 20)

    assert status.state == "interrupted"
    assert (nothing.steps, late.steps) == ([], [])
    over = "it is over, nothing waits and the job is interrupted"
    assert nothing.next == late.next == f"{over}: {status.next}"
    assert status.next.startswith("call ingest_corpus")
    assert (late.accepted, later.accepted, late.problems, later.problems) == (4, 4, [], [])
    ids = {prompt.id for page in rest for prompt in prompts(page)}
    assert ids.isdisjoint(prompt.id for prompt in [*prompts(had), *prompts(lost)])
    assert len(ids) == 4
    assert (rest[-1].job_id, rest[-1].state) == ("job-2", "done")
    assert kept(notes) == heights(12)


async def test_prompts_of_an_ingestion_that_is_no_job_are_given_out_too(
    notes: Path, connect: Connect
) -> None:
    with open_state(notes / ".srag") as state:
        spool, asked = PromptSpool(state), Prompt("schema", "Read.", "A note")
        assert spool.ask("0" * 64, asked, {"type": "object"}) is None

        async with connect(notes) as client:
            page = await call(client, PromptPage, "next_prompts")
            given: list[JsonValue] = [{"id": prompts(page)[0].id, "reply": {}}]
            said = await call(client, AnswersPage, "answer_prompts", answers=given)

            over = await call(client, PromptPage, "next_prompts")

        assert (page.job_id, page.state, said.accepted) == ("", "no job", 1)
        assert over.next == (
            "it is over, nothing waits and no ingestion runs: call ask with corpus='notes', or"
            " get_schema"
        )
        assert spool.ask("0" * 64, asked, {"type": "object"}) == "{}"


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("next_prompts", {}, "no ingestion job"),
        ("answer_prompts", {"answers": []}, "call ingest_corpus"),
        ("answer_prompts", {}, "Field required"),
        ("next_prompts", {"max": -1}, "greater than or equal to 0"),
    ],
)
async def test_without_a_job_the_agent_is_told_what_to_call(
    notes: Path, connect: Connect, tool: str, arguments: dict[str, object], said: str
) -> None:
    async with connect(notes) as client:
        result = await client.call_tool(tool, arguments)

    (text,) = result.content
    assert isinstance(text, TextContent)
    assert result.is_error
    assert said in text.text
