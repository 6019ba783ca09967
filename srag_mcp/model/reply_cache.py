"""Where replies are kept before they are used, so that none is paid for twice."""

import base64
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from srag_mcp.model.language_model import Prompt, Reply, Step
from srag_mcp.model.ledger import Call

_WINDOW_BYTES = 32_768  # the most that deflate looks back


@dataclass(frozen=True, slots=True)
class KeptReply:
    """A reply and the prompt that it answers.

    Attributes:
        prompt_hash: Names all that was sent.
        asked_model: Who was asked, as the settings name it; the reply says who answered.
        delta: The text of the reply as its difference to the prompt, see `pack_text`.
    """

    prompt_hash: str
    step: Step
    asked_model: str
    reply: Reply
    delta: str


class ReplyCache(Protocol):
    """Keeps replies and calls."""

    def find(self, prompt_hash: str, asked_model: str) -> Reply | None:
        """Return the reply that *asked_model* gave to that prompt; None if it has not yet."""
        ...

    def keep(self, call: Call, kept: KeptReply | None = None) -> None:
        """Take *call* into the ledger and keep its reply, if it brought one.

        When it returns, the end of this process loses neither.

        Raises:
            StoreError: If they cannot be written.
        """
        ...

    def forget(self, prompt_hash: str, asked_model: str) -> None:
        """Find that reply no more, until there is another one.

        Raises:
            StoreError: If it cannot be written down.
        """
        ...


class MemoryReplies:
    """Keeps replies as long as the process lives: for questions, which write no database."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._kept: dict[tuple[str, str], KeptReply] = {}

    def find(self, prompt_hash: str, asked_model: str) -> Reply | None:
        """Return the reply that *asked_model* gave to that prompt; None if it has not yet."""
        kept = self._kept.get((prompt_hash, asked_model))
        return None if kept is None else kept.reply

    def keep(self, call: Call, kept: KeptReply | None = None) -> None:
        """Take *call* into the ledger and keep its reply, if it brought one."""
        self.calls.append(call)
        if kept is not None:
            self._kept[kept.prompt_hash, kept.asked_model] = kept

    def forget(self, prompt_hash: str, asked_model: str) -> None:
        """Find that reply no more, until there is another one."""
        self._kept.pop((prompt_hash, asked_model), None)

    def kept(self) -> Iterator[KeptReply]:
        """Return all replies, oldest first."""
        yield from self._kept.values()


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
    said = [f"{item.reply}\n{item.message}" for item in prompt.corrections]
    text = "\n".join([prompt.instructions, prompt.content, *said])
    return text.encode("utf-8", "replace")[-_WINDOW_BYTES:]
