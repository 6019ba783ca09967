"""Replies that were recorded, found again by all that was sent."""

import base64
import json
import os
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from srag_mcp.errors import ModelError, ModelStoppedError
from srag_mcp.model.language_model import (
    LanguageModel,
    Prompt,
    Reply,
    Step,
    count_tokens,
    hash_prompt,
)
from srag_mcp.model.ledger import KeptReply

REPLAY = "replay:"
_WINDOW_BYTES = 32_768  # the most that deflate looks back


class RecordedReply(BaseModel):
    """A line of a replay file: the reply as its difference to the prompt, see `pack_text`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompt_hash: str = Field(alias="hash")
    step: Step
    model: str
    delta: str


class ReplayModel(LanguageModel):
    """Answers with the replies of a file that `write_replies` wrote."""

    def __init__(self, path: Path) -> None:
        """Read the file.

        Raises:
            ModelStoppedError: If it cannot be read; the text names the line.
        """
        self._path = path
        self._replies: dict[str, RecordedReply] = {}
        try:
            lines = path.read_text(encoding="utf-8").rstrip("\n").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            msg = f"the recorded replies {path} cannot be read: {error}"
            raise ModelStoppedError(msg) from error
        for number, line in enumerate(lines, start=1):
            try:
                reply = RecordedReply.model_validate_json(line)
            except ValidationError as error:
                msg = f"{path}, line {number}: not a recorded reply: {error.errors()[0]['msg']}"
                raise ModelStoppedError(msg) from error
            self._replies[reply.prompt_hash] = reply

    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        """Answer with the recorded reply; it costs nothing.

        Its tokens are estimated, of four characters each: what an agent answers is not counted.

        Raises:
            ModelStoppedError: If there is none: the template or the documents have changed since.
                Going on would give figures that nobody recorded.
            ModelError: If it is damaged.
        """
        prompt_hash = hash_prompt(prompt, reply_schema)
        found = self._replies.get(prompt_hash)
        if found is None:
            msg = (
                f"{prompt.step} ({prompt.subject}): {self._path} has no reply to this prompt"
                f" ({prompt_hash[:12]}…); its template, its schema or the documents have changed"
                " since the replies were recorded"
            )
            raise ModelStoppedError(msg)
        try:
            text = unpack_text(found.delta, prompt)
        except ValueError as error:
            msg = f"{self._path}: the reply {prompt_hash[:12]}… is damaged: {error}"
            raise ModelError(msg) from error
        return Reply(
            text,
            tokens_in=prompt.count_tokens(reply_schema),
            tokens_out=count_tokens(text),
            cost_usd=0.0,
            model=found.model,
            is_estimated=True,
        )


def write_replies(path: Path, kept: Iterable[KeptReply]) -> int:
    """Write replies as a replay file, oldest first; return how many.

    The file is replaced at once, when all is written. The texts of the documents are not in it.
    """
    lines = []
    for item in kept:
        line = {
            "hash": item.prompt_hash,
            "step": item.step,
            "model": item.reply.model or item.asked_model,
            "delta": item.delta,
        }
        lines.append(json.dumps(line, ensure_ascii=False) + "\n")
    partial = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    partial.write_text("".join(lines), encoding="utf-8", newline="\n")
    partial.replace(path)
    return len(lines)


def pack_text(text: str, prompt: Prompt) -> str:
    """Write a reply as its difference to the prompt: words that it quotes are not in it.

    Only who has the same documents can read it again. Of long prompts, the last 32 KiB count.
    """
    packer = zlib.compressobj(9, zdict=_sent_bytes(prompt))
    data = packer.compress(text.encode("utf-8", "replace")) + packer.flush()
    return base64.b64encode(data).decode("ascii")


def unpack_text(delta: str, prompt: Prompt) -> str:
    """Read again what `pack_text` wrote for the same prompt.

    Raises:
        ValueError: If it was another prompt, or the bytes are damaged.
    """
    try:
        data = base64.b64decode(delta, validate=True)
        return zlib.decompressobj(zdict=_sent_bytes(prompt)).decompress(data).decode("utf-8")
    except zlib.error as error:
        raise ValueError(str(error)) from error


def _sent_bytes(prompt: Prompt) -> bytes:
    return "\n".join(prompt.texts).encode("utf-8", "replace")[-_WINDOW_BYTES:]
