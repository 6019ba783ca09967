"""How near many prompts come to the ideal time: their number x latency / prompts in flight.

Through the whole stack: cache, ledger, HTTP; the server is a process of its own. On our
own wire the limit is 1.15. litellm computes 2 to 4 ms for a request: with 64 in flight of 0.2 s
each it is what takes the time; against a server that takes a second it is not.
Run: pytest -m benchmark tests/benchmarks/test_model_scale.py -s
"""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest

from srag_mcp.model.language_model import Prompt
from srag_mcp.model.ledger import Ledger, MeteredModel
from srag_mcp.model.litellm_library import close_connections
from srag_mcp.model.remote_model import open_model
from srag_mcp.settings import Settings
from srag_mcp.store.layout import CorpusFolder
from srag_mcp.store.spool import StoredReplies
from srag_mcp.store.state import open_state

pytestmark = pytest.mark.benchmark

SERVER = Path(__file__).parents[1] / "model" / "openai_server.py"
PAGE = "The Crown has twelve rooms and a garden. " * 150  # 1,500 tokens
SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer"}},
    "required": ["n"],
    "additionalProperties": False,
}


@contextmanager
def server_process(latency_s: float) -> Iterator[str]:
    """Serve in another process; yield the address."""
    process = subprocess.Popen(
        [sys.executable, str(SERVER), str(latency_s)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


async def ask_all(metered: MeteredModel, n_prompts: int) -> tuple[float, float]:
    """Ask, and return the seconds that it took, and those of computing."""
    # before the clock starts: the library is loaded, as it is while documents are read
    await metered.complete(Prompt("records", "Read.", "First."), SCHEMA)
    started, cpu = time.perf_counter(), time.process_time()
    async with anyio.create_task_group() as tasks:
        for number in range(n_prompts):
            prompt = Prompt("records", "Read.", f"Page {number}: {PAGE}")
            tasks.start_soon(metered.complete, prompt, SCHEMA)
    took = (time.perf_counter() - started, time.process_time() - cpu)
    await close_connections()
    return took


@pytest.mark.parametrize(
    ("model", "n_prompts", "latency_s", "concurrency", "most"),
    [
        ("openai/fake", 1000, 0.2, 64, 1.15),
        ("openai/fake", 300, 0.5, 16, 1.15),
        ("hosted_vllm/fake", 1000, 0.2, 64, 2.0),
        ("hosted_vllm/fake", 640, 1.0, 64, 1.25),
        ("hosted_vllm/fake", 320, 1.0, 16, 1.15),
    ],
)
def test_prompts_take_little_longer_than_the_server(
    tmp_path: Path, model: str, n_prompts: int, latency_s: float, concurrency: int, most: float
) -> None:
    state = CorpusFolder(tmp_path, tmp_path / "home").writable()
    with (
        server_process(latency_s) as base,
        open_state(state) as opened,
    ):
        settings = Settings(model=model, api_base=base, concurrency=concurrency)
        replies = StoredReplies(opened)
        metered = MeteredModel(open_model(settings), replies, model)
        took_s, cpu_s = anyio.run(ask_all, metered, n_prompts)
        assert Ledger(replies.calls()).total.n_calls == n_prompts + 1
    ideal_s = n_prompts * latency_s / concurrency
    print(
        f"{model}: {n_prompts} prompts, {latency_s:g} s each, {concurrency} in flight:"
        f" {took_s:.2f} s, ideal {ideal_s:.2f} s, ratio {took_s / ideal_s:.2f};"
        f" CPU {1000 * cpu_s / n_prompts:.1f} ms a prompt"
    )
    assert took_s <= most * ideal_s
