"""The prompts of a replay as they were rendered, with the replies that they got."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel, JsonValue

from srag_mcp.errors import ModelStoppedError
from srag_mcp.model.language_model import Prompt, Reply, hash_prompt
from srag_mcp.model.ledger import ReplayModel


class ToldPrompt(BaseModel):
    """One prompt; *is_recorded*: it is, byte for byte, one whose reply was recorded."""

    step: str
    subject: str
    prompt_hash: str
    instructions: str
    content: str
    corrections: list[tuple[str, str]]
    reply_schema: JsonValue
    reply: str = ""
    is_recorded: bool = True


@contextmanager
def told_prompts(path: Path, stand_ins: Path | None = None) -> Iterator[None]:
    """Write all prompts that a replay is asked meanwhile to *path*.

    One that was not recorded gets the reply that the prompt of the same step on the same subject
    had, when *stand_ins* was written: so that it can be said what else changes.
    """
    told: list[ToldPrompt] = []
    replies: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for old in reversed(read_prompts(stand_ins) if stand_ins else []):
        replies[old.step, old.subject].append(old.reply)
    find = ReplayModel.complete

    async def complete(
        model: ReplayModel, prompt: Prompt, reply_schema: Mapping[str, object]
    ) -> Reply:
        item = ToldPrompt(
            step=prompt.step,
            subject=prompt.subject,
            prompt_hash=hash_prompt(prompt, reply_schema),
            instructions=prompt.instructions,
            content=prompt.content,
            corrections=[(item.reply, item.message) for item in prompt.corrections],
            reply_schema=dict(reply_schema),
        )
        told.append(item)
        known = replies[prompt.step, prompt.subject]
        stand_in = known.pop() if known else ""
        try:
            reply = await find(model, prompt, reply_schema)
        except ModelStoppedError:
            item.is_recorded = False
            if not stand_in:
                raise
            reply = Reply(stand_in, model="stand-in")
        item.reply = reply.text
        return reply

    ReplayModel.complete = complete  # type: ignore[method-assign, assignment]  # the one way to see them all
    try:
        yield
    finally:
        ReplayModel.complete = find  # type: ignore[method-assign]
        lines = "".join(f"{item.model_dump_json()}\n" for item in told)
        path.write_text(lines, encoding="utf-8")


def read_prompts(path: Path) -> list[ToldPrompt]:
    """Read what `told_prompts` wrote; nothing where there is no such file."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").split("\n")
    return [ToldPrompt.model_validate_json(line) for line in lines if line]
