"""The ledger: what every call of a language model took; and its replies, kept or recorded."""

import base64
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import BaseModel, Field, ValidationError

from srag_mcp.errors import ModelError, ModelStoppedError
from srag_mcp.model.language_model import (
    LanguageModel,
    Prompt,
    Reply,
    Step,
    count_tokens,
    hash_prompt,
)

Outcome: TypeAlias = Literal["answered", "cached", "failed"]


@dataclass(frozen=True, slots=True)
class Call:
    """One prompt and what became of it; *subject*: document ids or the question, for people.

    *model*: who was asked, as the settings name it. Only what was `answered` was paid for; `cached`
    is a reply that was there already. *at*: when it was over, UTC. What it took follows.
    """

    step: Step
    subject: str
    prompt_hash: str
    model: str
    outcome: Outcome
    at: datetime
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    seconds: float = 0.0
    cost_usd: float | None = None
    is_estimated: bool = False


TOOK = tuple(item.name for item in fields(Call) if item.default is not MISSING)


@dataclass(frozen=True, slots=True)
class Totals:
    """What some calls took together; *seconds* as if one reply had come after the other.

    *n_calls* were answered by a model, *n_cached* were there already, *n_failed* got no reply.
    *cost_usd*: None if the price of any is not known. *is_estimated*: if tokens of any are.
    """

    n_calls: int = 0
    n_cached: int = 0
    n_failed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    seconds: float = 0.0
    cost_usd: float | None = 0.0
    is_estimated: bool = False

    def plus(self, call: Call) -> "Totals":
        """Count one more call; only what was answered took anything."""
        if call.outcome == "cached":
            return replace(self, n_cached=self.n_cached + 1)
        if call.outcome == "failed":
            return replace(self, n_failed=self.n_failed + 1)
        return self + Totals(1, **{name: getattr(call, name) for name in TOOK})

    def __add__(self, other: "Totals") -> "Totals":
        """Return what both took together."""
        known = self.cost_usd is not None and other.cost_usd is not None
        sums = {name: getattr(self, name) + getattr(other, name) for name in _SUMMED}
        return Totals(
            **sums,
            cost_usd=(self.cost_usd or 0.0) + (other.cost_usd or 0.0) if known else None,
            is_estimated=self.is_estimated or other.is_estimated,
        )


_SUMMED = tuple(x.name for x in fields(Totals) if x.name not in {"cost_usd", "is_estimated"})


class Ledger:
    """Counts calls by step, in the order in which the steps first came, and in *total*."""

    def __init__(self, calls: Iterable[Call] = ()) -> None:
        self.by_step: dict[Step, Totals] = {}
        self.total = Totals()
        for call in calls:
            self.count(call)

    def count(self, call: Call) -> None:
        """Add *call* to the totals."""
        self.by_step[call.step] = self.by_step.get(call.step, Totals()).plus(call)
        self.total = self.total.plus(call)


@dataclass(frozen=True, slots=True)
class KeptReply:
    """A reply of *asked_model*, as the settings name it; *delta*: see `pack_text`."""

    prompt_hash: str
    step: Step
    asked_model: str
    reply: Reply
    delta: str


class MemoryReplies:
    """Keeps replies and calls as long as the process lives; `StoredReplies` for good."""

    def __init__(self) -> None:
        self._calls: list[Call] = []
        self._kept: dict[tuple[str, str], KeptReply] = {}

    def find(self, prompt_hash: str, asked_model: str) -> Reply | None:
        """Return the reply that *asked_model* gave to that prompt; None if it has not yet.

        What it took is in the ledger.
        """
        kept = self._kept.get((prompt_hash, asked_model))
        return None if kept is None else kept.reply

    def keep(self, call: Call, kept: KeptReply | None = None) -> None:
        """Take *call* into the ledger and keep its reply, if it brought one: both, or neither.

        Raises:
            StoreError: If they cannot be written; then neither is.
        """
        self._calls.append(call)
        if kept is not None:
            self._kept[kept.prompt_hash, kept.asked_model] = kept

    def forget(self, prompt_hash: str, asked_model: str) -> None:
        """Find that reply no more, until there is another one.

        Raises:
            StoreError: If it cannot be written down.
        """
        self._kept.pop((prompt_hash, asked_model), None)

    def kept(self) -> Iterator[KeptReply]:
        """Return the last reply to each prompt, oldest first."""
        yield from self._kept.values()

    def calls(self, since: int = 0) -> list[Call]:
        """Return all calls since the ingestion number *since*, oldest first."""
        return self._calls


REPLAY = "replay:"
_WINDOW_BYTES = 32_768  # the most that deflate looks back


class RecordedReply(BaseModel, frozen=True, extra="forbid"):
    """A line of a replay file: the reply as its difference to the prompt, see `pack_text`."""

    prompt_hash: str = Field(alias="hash")
    step: Step
    model: str
    delta: str


class ReplayModel(LanguageModel):
    """Answers with the replies of a file that `write_replies` wrote."""

    def __init__(self, path: Path) -> None:
        """Read the file; ModelStoppedError, which names the line, if it cannot be read."""
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
        """Answer with the recorded reply; it costs nothing, and its tokens are estimated.

        Raises:
            ModelStoppedError: If there is none: the template or the documents have changed since.
                Going on would give figures that nobody recorded.
        """
        prompt_hash = hash_prompt(prompt, reply_schema)
        found = self._replies.get(prompt_hash)
        if found is None:
            msg = (
                f"{prompt.step} ({prompt.subject}): {self._path} has no reply to this prompt"
                f" ({prompt_hash[:12]}…); its template, its schema, the documents or a setting"
                " (as SRAG_LISTS) are not those of the recording"
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
    """Write replies as a replay file, at once, oldest first; return how many."""
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
    """Read again what `pack_text` wrote for the same prompt; ValueError where that is not so."""
    try:
        data = base64.b64decode(delta, validate=True)
        return zlib.decompressobj(zdict=_sent_bytes(prompt)).decompress(data).decode("utf-8")
    except zlib.error as error:
        raise ValueError(str(error)) from error


def _sent_bytes(prompt: Prompt) -> bytes:
    return "\n".join(prompt.texts).encode("utf-8", "replace")[-_WINDOW_BYTES:]
