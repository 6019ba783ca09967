"""The calling agent as a language model: it waits, survives `kill -9`, and gives up by name."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest

from srag_mcp.errors import ModelStoppedError
from srag_mcp.model.language_model import Prompt, Reply
from srag_mcp.model.reply_content import Asked, ReplyContent, ask_for
from srag_mcp.store.spool import AgentModel, PromptSpool, SpooledPrompt
from srag_mcp.store.state import open_state

pytestmark = pytest.mark.anyio

ASK = """
import sys
from pathlib import Path
import anyio
from srag_mcp.store.spool import AgentModel
from srag_mcp.model.language_model import Prompt
from srag_mcp.store.spool import PromptSpool
from srag_mcp.store.state import open_state

async def ask(model, number):
    prompt = Prompt("records", "Read the note.", f"Note {number}")
    reply = await model.complete(prompt, {"type": "object"})
    print(number, reply.text, flush=True)

async def main():
    with open_state(Path(sys.argv[1])) as state:
        model = AgentModel(PromptSpool(state))
        print("asking", flush=True)
        async with anyio.create_task_group() as tasks:
            for number in range(int(sys.argv[2])):
                tasks.start_soon(ask, model, number)

anyio.run(main)
"""


class Height(ReplyContent):
    height: int


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[PromptSpool]:
    with open_state(tmp_path) as state:
        yield PromptSpool(state)


def note(number: int) -> Prompt:
    return Prompt("records", "Read the note.", f"Note {number}")


async def next_prompts(spool: PromptSpool, n_prompts: int) -> list[SpooledPrompt]:
    """Wait until so many prompts are asked, and fetch them."""
    with anyio.fail_after(30):
        while spool.count().n_open < n_prompts:
            await anyio.sleep(0.01)
    return spool.hand_out(n_prompts, 1_000_000)


async def test_every_prompt_gets_its_own_answer_whatever_their_order(spool: PromptSpool) -> None:
    model = AgentModel(spool)
    replies: dict[int, Reply] = {}

    async def ask(number: int) -> None:
        replies[number] = await model.complete(note(number), {"type": "object"})

    async with anyio.create_task_group() as tasks:
        for number in range(6):
            tasks.start_soon(ask, number)
        given = await next_prompts(spool, 6)
        for item in reversed(given):
            spool.answer([(item.id, {"note": item.prompt.content})])

    found = {number: json.loads(reply.text) for number, reply in replies.items()}
    assert found == {number: {"note": f"Note {number}"} for number in range(6)}
    taken = {(reply.model, reply.tokens_in, reply.tokens_out) for reply in replies.values()}
    assert taken == {("agent", 10, 5)}, "of four characters each, the form of the reply too"
    assert all(reply.seconds > 0 for reply in replies.values())


async def test_an_answer_of_the_wrong_form_comes_back_as_another_prompt(
    spool: PromptSpool,
) -> None:
    model = AgentModel(spool)
    asked: list[Asked[Height]] = []

    async def ask() -> None:
        asked.append(await ask_for(model, note(1), Height))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        (first,) = await next_prompts(spool, 1)
        spool.answer([(first.id, {"height": "tall"})])
        (second,) = await next_prompts(spool, 1)
        spool.answer([(second.id, {"height": 12})])

    assert first.id != second.id
    assert second.prompt.content == first.prompt.content
    (correction,) = second.prompt.corrections
    assert correction.reply == '{"height": "tall"}'
    assert "height: Input should be a valid integer" in correction.message
    assert [item.content for item in asked] == [Height(height=12)]


async def test_two_models_that_ask_the_same_both_have_the_answer(
    spool: PromptSpool, tmp_path: Path
) -> None:
    replies: list[str] = []

    async def ask(model: AgentModel) -> None:
        replies.append((await model.complete(note(1), {})).text)

    with open_state(tmp_path) as state:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask, AgentModel(spool))
            tasks.start_soon(ask, AgentModel(PromptSpool(state)))
            (given,) = await next_prompts(spool, 1)
            spool.answer([(given.id, {"town": "Bergen"})])

    assert replies == ['{"town": "Bergen"}'] * 2


async def test_it_gives_up_when_no_agent_does_anything(spool: PromptSpool) -> None:
    model = AgentModel(spool, idle_s=0.05)

    with pytest.raises(ModelStoppedError, match=r"1 prompts wait.*call ingest_corpus again"):
        await model.complete(note(1), {})


async def test_what_was_answered_after_it_gave_up_is_there_for_the_next(
    spool: PromptSpool, tmp_path: Path
) -> None:
    with pytest.raises(ModelStoppedError):
        await AgentModel(spool, idle_s=0.0).complete(note(1), {})
    (given,) = spool.hand_out(1, 1_000_000)
    spool.answer([(given.id, {"town": "Bergen"})])

    with open_state(tmp_path) as state:
        later = AgentModel(PromptSpool(state), idle_s=0.0)
        said = await later.complete(note(1), {})

    assert said.text == '{"town": "Bergen"}'


@contextmanager
def asking(folder: Path, n_prompts: int) -> Iterator["subprocess.Popen[str]"]:
    """Run a process that asks, until the block ends; then kill it."""
    command = [sys.executable, "-c", ASK, str(folder), str(n_prompts)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "asking\n"
        try:
            yield process
        finally:
            process.kill()


async def test_an_answer_between_the_death_of_a_job_and_the_next_is_not_asked_again(
    spool: PromptSpool, tmp_path: Path
) -> None:
    with asking(tmp_path, 4):
        given = await next_prompts(spool, 4)
    outcomes = spool.answer([(item.id, {"note": item.prompt.content}) for item in given[:3]])

    with asking(tmp_path, 4) as process:
        # The one prompt that is left is still with the agent that had it before the kill.
        last = spool.answer([(given[3].id, {"note": given[3].prompt.content})])
        assert process.stdout is not None
        said = process.stdout.read()

    assert all(item.accepted for item in [*outcomes, *last])
    lines = sorted(said.splitlines())
    assert lines == [f'{number} {{"note": "Note {number}"}}' for number in range(4)]


async def test_a_process_killed_with_answers_in_hand_loses_none(
    spool: PromptSpool, tmp_path: Path
) -> None:
    with asking(tmp_path, 5) as process:
        given = await next_prompts(spool, 5)
        for item in given[:2]:
            spool.answer([(item.id, {"note": item.prompt.content})])
        assert process.stdout is not None
        had = sorted([process.stdout.readline(), process.stdout.readline()])

    with asking(tmp_path, 5) as process:
        assert process.stdout is not None
        again = sorted([process.stdout.readline(), process.stdout.readline()])
        for item in given[2:]:
            spool.answer([(item.id, {"note": item.prompt.content})])
        rest = process.stdout.read().splitlines()

    assert again == had
    assert len(rest) == 3


async def test_a_useless_answer_is_asked_for_again(spool: PromptSpool) -> None:
    model = AgentModel(spool)
    said: list[str] = []

    async def ask() -> None:
        said.append((await model.complete(note(1), {"type": "object"})).text)

    for answered in ('{"n": 1}', '{"n": 2}'):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask)
            (given,) = await next_prompts(spool, 1)
            spool.answer([(given.id, answered)])
        model.forget(note(1), {"type": "object"})
    assert said == ['{"n": 1}', '{"n": 2}']
