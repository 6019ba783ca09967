"""Nothing is paid for twice: not after faults of the server, and not after `kill -9`."""

import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import anyio
import pytest

from srag_mcp.errors import ModelError
from srag_mcp.model.language_model import Prompt
from srag_mcp.model.ledger import Ledger, MeteredModel, Totals
from srag_mcp.model.remote_model import Patience, open_model
from srag_mcp.settings import Settings
from srag_mcp.store.layout import CorpusFolder
from srag_mcp.store.spool import StoredReplies
from srag_mcp.store.state import open_state
from tests.model.openai_server import Answer, Body, Script, content_of, serving

ASK = """
import sys
from pathlib import Path
import anyio
from srag_mcp.model.remote_model import open_model
from srag_mcp.model.language_model import LanguageModel, Prompt, Reply
from srag_mcp.model.ledger import MeteredModel
from srag_mcp.settings import Settings
from srag_mcp.store.spool import StoredReplies
from srag_mcp.store.state import open_state

state, base, n_prompts = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])


class Quick(LanguageModel):
    async def complete(self, prompt, reply_schema):
        print("asked", prompt.content, flush=True)
        await anyio.sleep(0.001)
        return Reply("{}", tokens_in=10, tokens_out=1)


async def ask(metered, number, places):
    async with places:
        await metered.complete(Prompt("records", "Read.", str(number)), {"type": "object"})
        print("had", number, flush=True)


async def run(replies):
    model = open_model(Settings(model="openai/fake", api_base=base)) if base else Quick()
    metered = MeteredModel(model, replies, "openai/fake")
    places = anyio.Semaphore(8)
    async with anyio.create_task_group() as tasks:
        for number in range(n_prompts):
            tasks.start_soon(ask, metered, number, places)


with open_state(state) as opened:
    replies = StoredReplies(opened)
    anyio.run(run, replies)
"""


def run_and_kill(state: Path, base: str, n_prompts: int, n_lines: int) -> list[tuple[str, str]]:
    """Run `ASK`, kill it after so many lines, and return all that it still said."""
    process = subprocess.Popen(
        [sys.executable, "-c", ASK, str(state), base, str(n_prompts)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    said: list[str] = []
    with process.stdout:
        for line in process.stdout:
            said.append(line)
            if len(said) == n_lines:
                process.kill()
        process.wait()
    return [(words[0], words[1]) for words in map(str.split, said) if len(words) == 2]


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return CorpusFolder(tmp_path, tmp_path / "home").writable()


def test_kill_at_any_moment_loses_only_what_is_in_flight(state: Path) -> None:
    chance = random.Random(7)
    n_prompts, asked, had = 120, Counter[str](), set[str]()
    for _ in range(4):
        for what, number in run_and_kill(state, "", n_prompts, chance.randint(20, 90)):
            assert what == "had" or number not in had, "asked again for what was there"
            asked[number] += what == "asked"
            had |= {number} if what == "had" else set()
    for what, number in run_and_kill(state, "", n_prompts, 0):  # to the end
        assert what == "had" or number not in had
        asked[number] += what == "asked"

    with open_state(state) as opened:
        replies = StoredReplies(opened)
        total = Ledger(replies.calls()).total
        hashes = [kept.prompt_hash for kept in replies.kept()]
    assert (len(hashes), len(set(hashes))) == (n_prompts, n_prompts)
    assert (total.n_calls, total.tokens_in) == (n_prompts, 10 * n_prompts)
    assert n_prompts <= asked.total() <= n_prompts + 4 * 8  # eight were in flight at each kill


def test_after_a_kill_the_server_is_asked_only_for_the_rest(state: Path) -> None:
    n_prompts = 60
    with serving(lambda body: Answer('{"n": 1}', delay_s=0.01)) as server:
        had = {number for _, number in run_and_kill(state, server.base, n_prompts, 25)}
        n_before = len(server.requests)

        async def ask(metered: MeteredModel) -> None:
            for number in range(n_prompts):
                await metered.complete(Prompt("records", "Read.", str(number)), {"type": "object"})

        with open_state(state) as opened:
            replies = StoredReplies(opened)
            model = open_model(Settings(model="openai/fake", api_base=server.base))
            anyio.run(ask, MeteredModel(model, replies, "openai/fake"))
            total = Ledger(replies.calls()).total

        requests = Counter(content_of(body) for body in server.requests)
    assert (total.n_calls, total.tokens_in) == (n_prompts, 100 * n_prompts)
    assert len(had) >= 25
    assert {requests[number] for number in had} == {1}
    assert n_before >= 25
    assert len(server.requests) <= n_prompts + 8


def faulty(chance: random.Random, answered: Counter[str]) -> Script:
    """Answer nine of ten prompts well, and count them; some pages never."""
    faults = [
        Answer(status=500, error=("boom", "")),
        Answer(status=429, error=("Rate limit reached", ""), headers={"retry-after": "0.05"}),
        Answer(cut_after=30),
    ]

    def script(body: Body) -> Answer:
        content = content_of(body)
        if content in {"13", "113"}:
            return Answer(status=500, error=("never", ""))
        if chance.random() < 0.1:
            return chance.choice(faults)
        answered[content] += 1
        return Answer('{"n": 1}')

    return script


def test_among_faults_every_prompt_is_answered_or_fails_by_name_and_none_is_paid_twice(
    state: Path,
) -> None:
    n_prompts, answered = 300, Counter[str]()
    failed: list[str] = []

    async def ask(metered: MeteredModel) -> None:
        async def one(number: int) -> None:
            prompt = Prompt("records", "Read.", str(number), subject=f"{number}.txt")
            try:
                await metered.complete(prompt, {"type": "object"})
            except ModelError as error:
                failed.append(str(error))

        async with anyio.create_task_group() as tasks:
            for number in range(n_prompts):
                tasks.start_soon(one, number)

    with serving(faulty(random.Random(3), answered)) as server:
        settings = Settings(model="openai/fake", api_base=server.base, concurrency=16)
        model = open_model(settings, Patience(first_wait_s=0.01))
        for expected in (n_prompts - 2, 0):
            with open_state(state) as opened:
                replies = StoredReplies(opened)
                metered = MeteredModel(model, replies, "openai/fake")
                anyio.run(ask, metered)
                total = metered.ledger.total
            assert total.n_calls == expected
    assert len(server.requests) > 1.05 * n_prompts
    assert sorted(failed) == sorted(
        [f"records ({number}.txt): never (tried 6 times)" for number in (13, 113)] * 2
    )
    assert answered == {str(n): 1 for n in range(n_prompts) if n not in {13, 113}}
    with open_state(state) as opened:
        replies = StoredReplies(opened)
        assert Ledger(replies.calls()).total == Totals(
            n_calls=298,
            n_cached=298,
            n_failed=4,
            tokens_in=29_800,
            tokens_out=5960,
            tokens_cached=17_880,
            seconds=Ledger(replies.calls()).total.seconds,
            cost_usd=None,
        )
