"""Asking a server on loopback, on our own wire and through litellm."""

from collections.abc import Sequence
from dataclasses import replace

import anyio

from srag_mcp.errors import ModelError
from srag_mcp.model.language_model import LanguageModel, Prompt, Reply
from srag_mcp.model.litellm_library import run_to_end
from srag_mcp.model.remote_model import Patience
from srag_mcp.model.reply_content import ReplyContent
from srag_mcp.settings import Settings
from tests.model.openai_server import Answer, OpenAIServer, Script

PROMPT = Prompt("records", "Read the page.", "The Crown has 12 rooms.", subject="crown.txt")
HASTE = Patience(first_wait_s=0.01)
GOOD = Answer('{"n": 12}')
BUSY = Answer(status=429, error=("Rate limit reached", "rate_limit_exceeded"))
LONG = Answer(
    status=400,
    error=("This model's maximum context length is 4096 tokens.", "context_length_exceeded"),
)
BROKEN = Answer(status=500, error=("boom", "server_error"))


class Rooms(ReplyContent):
    n: int


SCHEMA = Rooms.model_json_schema()


def settings(server: OpenAIServer, named: str, **chosen: object) -> Settings:
    values = {"model": named, "api_base": server.base, "reply_timeout_s": 5.0}
    return Settings.model_validate({**values, **chosen})


def ask(model: LanguageModel, prompts: Sequence[Prompt] = (PROMPT,)) -> list[Reply | ModelError]:
    """Ask all at once; errors are returned like replies."""

    async def run() -> list[Reply | ModelError]:
        said: dict[int, Reply | ModelError] = {}

        async def one(place: int, prompt: Prompt) -> None:
            try:
                said[place] = await model.complete(prompt, SCHEMA)
            except ModelError as error:
                said[place] = error

        async with anyio.create_task_group() as tasks:
            for place, prompt in enumerate(prompts):
                tasks.start_soon(one, place, prompt)
        return [said[place] for place in range(len(prompts))]

    return run_to_end(run)


def in_turn(*answers: Answer) -> Script:
    """Answer with one after the other; the last one again and again."""
    left = list(answers)
    return lambda body: left.pop(0) if len(left) > 1 else left[0]


def numbered(n_prompts: int) -> list[Prompt]:
    return [
        replace(PROMPT, content=f"Page {number}", subject=f"{number}.txt")
        for number in range(n_prompts)
    ]
