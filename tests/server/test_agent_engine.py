"""A corpus that the calling agent ingests: the real job, over the tools alone."""

import os
import re
import signal
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from mcp import Client
from pydantic import JsonValue

from srag_mcp.views.results import (
    AnswersPage,
    CorpusList,
    JobStatus,
    PromptEntry,
    PromptPage,
    PromptStep,
    ResultTable,
)
from tests.cli.test_kinds import BOAT, LESSON
from tests.records.reading_model import answer, stated
from tests.server.test_jobs import job_process, write_notes
from tests.server.test_prompts import call, prompts

pytestmark = pytest.mark.anyio

Connect = Callable[..., Client]
N_NOTES = 40
FEW_ROUNDS = {"schema_iterations": 2, "schema_documents": 4, "prompt_tokens": 1000}
HOW_FAR = re.compile(
    r"(?P<answered>\d+) of about \d+ prompts are answered, about (?P<tokens>[\d,]+) tokens to go"
)
DOCUMENT = re.compile(r"^(d\d+) \(path [^\n]*\)\n<<<(\w+)\n(.*?)\n\2>>>$", re.DOTALL | re.MULTILINE)


def attribute(name: str, kind: str, unit: str | None) -> dict[str, JsonValue]:
    return {
        "name": name,
        "type": kind,
        "description": f"The {name} that the note gives. It is written as in the note.",
        "unit": unit,
        "categories": None,
        "absent_means": "unknown",
        "synonyms": [],
        "examples": [],
        "rationale": f"Every note gives the {name}.",
    }


def design() -> dict[str, JsonValue]:
    columns: list[JsonValue] = [
        attribute("town", "string", None),
        attribute("height", "integer", "m"),
    ]
    return {"title": "Note", "entity": "notes", "nouns": ["note"], "attributes": columns}


def read(content: str) -> dict[str, object]:
    """Fill in the records that a prompt asks for."""
    records = []
    for key, _mark, text in DOCUMENT.findall(content):
        town = re.search(r"Town: (.*)", text)
        height = re.search(r"Height: (\d+) m", text)
        assert town is not None
        assert height is not None
        cells = [
            stated("town", town.group(1), town.group()),
            stated("height", int(height.group(1)), height.group()),
        ]
        records.append(answer(key, cells))
    return {"documents": records}


def reply(step: PromptStep, prompt: PromptEntry) -> object:
    if step.step in {"records", "audit"}:  # rules are scored by documents that are read, too
        return read(prompt.content)
    if step.step == "rules":
        patterns = {"town": r"Town: (?P<value>.*)", "height": r"Height: (?P<value>\d+) m"}
        return {"rules": [{"column": name, "pattern": item} for name, item in patterns.items()]}
    return {"changes": []} if prompt.content.startswith("Present columns") else design()


async def answer_page(client: Client, page: PromptPage, **arguments: object) -> AnswersPage:
    given = [
        {"id": prompt.id, "reply": reply(step, prompt)}
        for step in page.steps
        for prompt in step.prompts
    ]
    said = await call(client, AnswersPage, "answer_prompts", answers=given, **arguments)
    assert (said.accepted, said.problems) == (len(given), [])
    return said


async def finish(client: Client, **corpus: str) -> tuple[PromptPage, int]:
    """Answer until the job ends; return its last page, and how many prompts it took."""
    page, n_prompts = await call(client, PromptPage, "next_prompts", **corpus), 0
    with anyio.fail_after(120):
        while page.state == "running":
            n_prompts += len(prompts(page))
            page = await answer_page(client, page, next=20, **corpus)
    return page, n_prompts


async def test_the_calling_agent_ingests_a_corpus_without_a_key(
    tmp_path: Path, connect: Connect
) -> None:
    notes = write_notes(tmp_path / "notes", N_NOTES)

    async with connect(notes, **FEW_ROUNDS) as client:
        started = await call(
            client, JobStatus, "ingest_corpus", engine="agent", go=True, wait_seconds=50
        )
        ended, n_prompts = await finish(client)
        again = await call(client, JobStatus, "ingest_corpus", wait_seconds=50)
        table = await call(
            client,
            ResultTable,
            "run_sql",
            sql="SELECT count(*), count(town), sum(height) FROM notes",
        )

    assert (started.state, started.waiting) == ("running", 1)
    assert started.next == "1 prompts wait for you: call next_prompts with corpus='notes'"
    assert ended.state == "done", ended.report
    assert table.rows == [[N_NOTES, N_NOTES, 10 * sum(range(N_NOTES))]]
    assert n_prompts < N_NOTES
    assert again.state == "done"
    assert any("nothing has changed" in line for line in again.report)


async def test_a_draft_takes_a_sample_and_rules_of_the_calling_agent(
    tmp_path: Path, connect: Connect
) -> None:
    notes = write_notes(tmp_path / "notes", N_NOTES)

    async with connect(notes, **FEW_ROUNDS) as client:
        how = {"engine": "agent", "effort": "draft", "go": True}
        await call(client, JobStatus, "ingest_corpus", **how, wait_seconds=50)
        ended, _ = await finish(client)
        sql = "SELECT count(*), count(town), sum(height) FROM notes"
        table = await call(client, ResultTable, "run_sql", sql=sql)

    assert ended.state == "done", ended.report
    assert table.rows == [[N_NOTES, N_NOTES, 10 * sum(range(N_NOTES))]]
    assert any("nothing of it was audited" in line for line in ended.report)


async def test_the_price_is_said_first_and_nothing_is_asked_until_it_is_agreed_to(
    tmp_path: Path, connect: Connect
) -> None:
    notes = write_notes(tmp_path / "notes", N_NOTES)

    async with connect(notes, **FEW_ROUNDS) as client:
        said = await call(client, JobStatus, "ingest_corpus", engine="agent", wait_seconds=50)
        nothing = await call(client, PromptPage, "next_prompts")
        await call(client, JobStatus, "ingest_corpus", engine="agent", go=True, wait_seconds=50)
        first = await call(client, PromptPage, "next_prompts")
        pages = [await answer_page(client, first, next=20)]
        with anyio.fail_after(60):
            while pages[-1].state == "running":
                pages.append(await answer_page(client, pages[-1], next=20))

    [account] = [line for line in said.report if line.startswith("with engine agent it takes")]
    assert (said.state, said.waiting) == ("priced", 0)
    assert re.search(
        r"about \d+ prompts, [\d,]+ tokens, \d+ min; that is effort full; draft takes less, about"
        r" [\d,]+ tokens \(a sample and its rules, unaudited\); reading the folder",
        account,
    )
    assert said.next.startswith("nothing was published: call ingest_corpus with corpus='notes',")
    assert "engine='agent' and go=true" in said.next
    assert not nothing.steps
    told = [found for page in pages if (found := HOW_FAR.fullmatch(page.so_far))]
    n_answered = [int(found["answered"]) for found in told]
    to_go = [int(found["tokens"].replace(",", "")) for found in told]
    assert n_answered == sorted(set(n_answered))
    assert to_go == sorted(to_go, reverse=True)
    assert len(told) == len(pages) - 1 >= 2
    over = "it is over, nothing waits and the job is done"
    assert pages[-1].next == f"{over}: call ask with corpus='notes', or get_schema"


@pytest.mark.thorough
async def test_a_corpus_whose_job_is_killed_asks_no_prompt_twice(
    tmp_path: Path, connect: Connect
) -> None:
    notes = write_notes(tmp_path / "notes", N_NOTES)
    seen: list[str] = []

    async with connect(notes, **FEW_ROUNDS) as client:
        job = await call(
            client, JobStatus, "ingest_corpus", engine="agent", go=True, wait_seconds=50
        )
        for n_kills in range(4):
            page = await call(client, PromptPage, "next_prompts", max=2)
            seen += [item.id for item in prompts(page)]
            is_early = n_kills % 2 == 0
            if is_early:  # it dies with the answers in its hand, or before they are given
                await answer_page(client, page)
            os.kill(job_process(notes, job.job_id), signal.SIGKILL)
            with anyio.fail_after(30):
                while (status := await call(client, JobStatus, "ingest_status")).state == "running":
                    pass
            assert status.state == "interrupted"
            start = "call ingest_corpus with corpus='notes', engine='agent' and go=true"
            assert status.next == f"{start} to go on where it stopped"
            if not is_early:
                await answer_page(client, page)
            job = await call(
                client, JobStatus, "ingest_corpus", engine="agent", go=True, wait_seconds=50
            )
        ended, _ = await finish(client)
        table = await call(client, ResultTable, "run_sql", sql="SELECT sum(height) FROM notes")

    assert ended.state == "done", ended.report
    assert len(seen) == len(set(seen))
    assert table.rows == [[10 * sum(range(N_NOTES))]]


@pytest.mark.thorough
async def test_a_column_whose_job_is_stopped_is_gone_on_with_by_the_same_tool(
    tmp_path: Path, connect: Connect
) -> None:
    notes = write_notes(tmp_path / "notes", 4)
    wish = {"attribute": "how long it rained"}

    async with connect(notes, **FEW_ROUNDS) as client:
        await call(client, JobStatus, "ingest_corpus", engine="agent", go=True, wait_seconds=50)
        await finish(client)
        job = await call(client, JobStatus, "extend_schema", **wish, wait_seconds=50)
        os.kill(job_process(notes, job.job_id), signal.SIGKILL)
        with anyio.fail_after(30):
            while (status := await call(client, JobStatus, "ingest_status")).state == "running":
                pass
        refused = await client.call_tool("extend_schema", {"attribute": "x" * 301})

    assert status.state == "interrupted"
    assert status.next == (
        "call extend_schema with corpus='notes' and attribute='how long it rained' to go on where"
        " it stopped"
    )
    assert refused.is_error


async def test_a_job_that_waits_for_answers_is_cancelled_and_says_so(
    tmp_path: Path, connect: Connect
) -> None:
    notes = write_notes(tmp_path / "notes", 4)

    async with connect(notes, **FEW_ROUNDS) as client:
        job = await call(
            client, JobStatus, "ingest_corpus", engine="agent", go=True, wait_seconds=50
        )
        ended = await call(client, JobStatus, "ingest_status", cancel=True, wait_seconds=50)

    assert (job.state, job.waiting) == ("running", 1)
    assert (ended.state, ended.job_id) == ("cancelled", job.job_id)


async def test_another_agent_goes_on_with_engine_and_questions_of_a_job_that_died(
    tmp_path: Path, connect: Connect
) -> None:
    notes = write_notes(tmp_path / "notes", 4)
    question = "Which town lies highest?"

    async with connect(notes, **FEW_ROUNDS) as client:
        given = {"engine": "agent", "go": True, "sample_questions": [question]}
        job = await call(client, JobStatus, "ingest_corpus", **given, wait_seconds=50)
        await answer_page(client, await call(client, PromptPage, "next_prompts"))
        os.kill(job_process(notes, job.job_id), signal.SIGKILL)
        with anyio.fail_after(30):
            while (await call(client, JobStatus, "ingest_status")).state == "running":
                pass
        again = await call(client, JobStatus, "ingest_corpus", go=True, wait_seconds=50)
        page = await call(client, PromptPage, "next_prompts")
        stopped = await call(client, JobStatus, "ingest_status", cancel=True, wait_seconds=50)

    assert (again.state, again.waiting) == ("running", 1)
    assert (stopped.state, stopped.waiting) == ("cancelled", 0)
    (second_round,) = prompts(page)
    assert question in second_round.content


async def test_the_calling_agent_confirms_and_names_the_kinds_of_a_folder(
    tmp_path: Path, connect: Connect
) -> None:
    mixed = tmp_path / "mixed"
    mixed.mkdir()
    for n in range(6):
        (mixed / f"b{n}.md").write_text(BOAT.format(n=n))
        (mixed / f"c{n}.md").write_text(LESSON.format(n=n))

    async with connect(mixed) as client:
        how = {"engine": "agent", "wait_seconds": 50}
        priced = await call(client, JobStatus, "ingest_corpus", **how)
        await call(client, JobStatus, "ingest_corpus", **how, go=True)
        page = await call(client, PromptPage, "next_prompts")
        [prompt] = prompts(page)
        keys = re.findall(r"^g\d", prompt.content, re.MULTILINE)
        said = {"kinds": [{"name": f"papers {key}", "of": [key]} for key in keys]}
        given = [{"id": prompt.id, "reply": said}]
        taken = await call(client, AnswersPage, "answer_prompts", answers=given)
        ended = await call(client, JobStatus, "ingest_status", wait_seconds=50)
        own = await call(client, JobStatus, "ingest_corpus", corpus="mixed/papers_g1", **how)

    assert priced.state == "priced"
    assert any("to confirm and name them, with engine agent" in line for line in priced.report)
    assert [step.step for step in page.steps] == ["schema"]
    assert taken.accepted == 1
    assert ended.state == "priced", ended.report
    assert any("mixed/papers_g1 (6), mixed/papers_g2 (6)" in line for line in ended.report)
    assert ended.next.startswith(
        "nothing was published: call ingest_corpus with corpus='mixed/papers_g1', then"
        " 'mixed/papers_g2', engine='agent' and go=true"
    )
    assert own.state == "priced"


async def test_a_kind_that_an_agent_reads_keeps_no_other_waiting(
    tmp_path: Path, connect: Connect
) -> None:
    mixed = tmp_path / "mixed"
    mixed.mkdir()
    tower = "# Tower {n}\n\n- Town: Ulm\n- Height: {n} m\n- Walls: brick\n- Warden: Ada\n"
    for n in range(6):
        (mixed / f"t{n}.md").write_text(tower.format(n=n))
        (mixed / f"c{n}.md").write_text(LESSON.format(n=n))

    async with connect(mixed, **FEW_ROUNDS) as client:
        await call(client, JobStatus, "ingest_corpus", engine="offline", wait_seconds=50)
        corpora = await call(client, CorpusList, "list_corpora")
        [towers] = [x.name for x in corpora.corpora if x.name.startswith("mixed/tower")]
        how = {"corpus": towers, "engine": "agent", "go": True, "wait_seconds": 50}
        await call(client, JobStatus, "ingest_corpus", **how)
        ended, _ = await finish(client, corpus=towers)
        (mixed / "t6.md").write_text(tower.format(n=6))
        (mixed / "c6.md").write_text(LESSON.format(n=6))
        again = await call(client, JobStatus, "ingest_corpus", go=True, wait_seconds=50)

    assert ended.state == "done", ended.report
    assert again.state == "done", again.report
    assert any("to be ingested by name" in line and towers in line for line in again.report)
