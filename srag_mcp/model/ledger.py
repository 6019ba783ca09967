"""The ledger: what every call of a language model took; and its replies, kept or recorded."""

import base64
import json
import os
import zlib
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import MISSING, dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeAlias

import anyio
from pydantic import BaseModel, Field, ValidationError

from srag_mcp.errors import BudgetError, ModelError, ModelStoppedError
from srag_mcp.model.language_model import (
    LanguageModel,
    Price,
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


_BYTES_A_TOKEN = 3
_LEAST_TOKENS_OUT, _MOST_TOKENS_OUT = 200, 4000
_ROUNDING = 1e-9  # sums of money such as 0.1 + 0.2 are not exact
_NO_PRICE = (
    "the price of this model is not known, so that a budget of money cannot be kept; give the"
    " budget as a number of calls (--budget-calls), or none. Nothing was asked"
)


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that may be spent: dollars (by *price*), answered calls; None is no limit."""

    cost_usd: float | None = None
    n_calls: int | None = None
    price: Price | None = None


@dataclass(frozen=True, slots=True)
class ExpectedCost:
    """The cost of one call as it is reckoned before; *step* is what its reply is for."""

    step: Step
    usd: float


class Purse:
    """Lets calls begin only while the budget lasts.

    Each call in flight holds the money that it may cost. One that might not fit waits until those
    in flight are over. So the error comes when nothing is in flight, and no reply that is paid for
    is lost by it. With a budget of money, the first call of a step goes alone: it shows how much
    dearer the others are than they are reckoned.
    """

    def __init__(self, budget: Budget, spent: Totals | None = None) -> None:
        self._budget = budget
        self._n_calls = spent.n_calls if spent else 0
        self._cost_usd = (spent.cost_usd or 0.0) if spent else 0.0
        self._n_in_flight = 0
        self._held_usd = 0.0
        self._ratios: dict[Step, float] = {}  # how much dearer the dearest call of a step was
        self._waiting: list[anyio.Event] = []

    def expect(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> ExpectedCost | None:
        """Reckon what a call costs at most; None where that does not matter.

        The reply is taken to be as long as the prompt, but 200 to 4,000 tokens of three bytes each.

        Raises:
            BudgetError: If the budget is money and the price is not known.
        """
        if self._budget.cost_usd is None:
            return None
        if self._budget.price is None:
            raise BudgetError(_NO_PRICE)
        sent = (*prompt.texts, json.dumps(reply_schema))
        tokens_in = sum(len(text.encode("utf-8", "replace")) for text in sent) // _BYTES_A_TOKEN
        tokens_out = min(max(tokens_in, _LEAST_TOKENS_OUT), _MOST_TOKENS_OUT)
        return ExpectedCost(prompt.step, self._budget.price.cost_usd(tokens_in, tokens_out))

    @asynccontextmanager
    async def reserved(self, expected: ExpectedCost | None) -> AsyncIterator[None]:
        """Hold a place in the budget for one call, `pay` within; BudgetError if there is none."""
        while not self._fits(expected):
            if not self._n_in_flight:
                raise BudgetError(self._describe(expected))
            self._waiting.append(anyio.Event())
            await self._waiting[-1].wait()
        held_usd = self._corrected(expected)
        self._n_in_flight += 1
        self._held_usd += held_usd
        try:
            yield
        finally:
            self._n_in_flight -= 1
            self._held_usd -= held_usd
            for event in self._waiting:
                event.set()
            self._waiting.clear()

    def pay(self, cost_usd: float | None, expected: ExpectedCost | None) -> None:
        """Count an answered call: what it cost, and what was expected of it."""
        self._n_calls += 1
        self._cost_usd += cost_usd or 0.0
        if expected is not None and cost_usd is not None:
            ratio = cost_usd / expected.usd if expected.usd else 1.0
            self._ratios[expected.step] = max(ratio, self._ratios.get(expected.step, 1.0))

    def _corrected(self, expected: ExpectedCost | None) -> float:
        """Return a cost in US dollars, raised where calls of its step were dearer than expected."""
        return expected.usd * self._ratios.get(expected.step, 1.0) if expected else 0.0

    def _fits(self, expected: ExpectedCost | None) -> bool:
        limit, n_begun = self._budget.n_calls, self._n_calls + self._n_in_flight
        if limit is not None and n_begun >= limit:
            return False
        if self._budget.cost_usd is None or expected is None:
            return True
        if self._n_in_flight and expected.step not in self._ratios:  # the cost is a guess yet
            return False
        needed = self._cost_usd + self._held_usd + self._corrected(expected)
        return needed <= self._budget.cost_usd * (1 + _ROUNDING)

    def _describe(self, expected: ExpectedCost | None) -> str:
        allowed, following = [], ""
        if self._budget.n_calls is not None:
            allowed.append(f"{self._budget.n_calls} calls")
        usd = self._budget.cost_usd
        if usd is not None:
            is_cents = float(f"{usd:.2f}") == usd
            allowed.append(f"${usd:,.2f}" if is_cents else f"${usd:,.6f}".rstrip("0"))
            following = f", and the next may cost ${self._corrected(expected):,.4f}"
        money = f" and ${self._cost_usd:,.4f}" if self._cost_usd else ""
        return (
            f"the budget of {' or '.join(allowed)} is used up: {self._n_calls} calls{money} were"
            f" spent{following}. All replies are kept. Raise the budget (--budget-usd,"
            " --budget-calls) and start the same command again: it goes on where it stopped"
        )


class MeteredModel(LanguageModel):
    """Asks *model* what *cache* cannot answer by *name*; keeps each reply before it is used."""

    def __init__(
        self,
        model: LanguageModel,
        cache: MemoryReplies,
        name: str,
        *,
        budget: Budget | None = None,
        spent: Totals | None = None,
    ) -> None:
        """Wrap *model*, of which *spent* counts against the budget already."""
        self.ledger = Ledger()
        self._model = model
        self._cache = cache
        self.name = name
        self._purse = Purse(budget or Budget(), spent)
        self._asked: dict[str, anyio.Lock] = {}  # of prompts that are being answered
        self._turn = anyio.Lock()
        self._useless: dict[str, tuple[Prompt, Mapping[str, object]]] = {}

    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        """Answer *prompt* from the cache, or ask; equal prompts at the same time are asked once.

        What comes from the cache has no tokens and costs 0.

        Raises:
            BudgetError: If the budget is used up.
            ModelError, StoreError: If no reply could be had, or kept.
        """
        prompt_hash = hash_prompt(prompt, reply_schema)
        in_turn = self._asked.setdefault(prompt_hash, anyio.Lock())
        async with in_turn:
            try:
                found = self._cache.find(prompt_hash, self.name)
                if found is not None:
                    self._count(prompt, prompt_hash, "cached")
                    return Reply(
                        found.text, cost_usd=0.0, model=found.model, truncated=found.truncated
                    )
                expected = self._purse.expect(prompt, reply_schema)
                async with self._purse.reserved(expected):
                    reply = await self._ask(prompt, reply_schema, prompt_hash)
                    self._purse.pay(reply.cost_usd, expected)
            finally:
                if not in_turn.statistics().tasks_waiting:
                    del self._asked[prompt_hash]
        # one reply at a time is thought about, and before that the next prompts are sent
        async with self._turn:
            return reply

    def forget(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> None:
        """Take note that the reply to *prompt* is of no use; it is kept until `drop_useless`."""
        self._useless[hash_prompt(prompt, reply_schema)] = (prompt, reply_schema)

    def drop_useless(self) -> None:
        """Forget the useless replies; for the end of an ingestion.

        One that stops before its end goes on with the replies that it had, or the prompts after a
        useless one would change, and be paid for twice.

        Raises:
            StoreError: If it cannot be written down.
        """
        for prompt_hash, (prompt, reply_schema) in self._useless.items():
            self._cache.forget(prompt_hash, self.name)
            self._model.forget(prompt, reply_schema)
        self._useless.clear()

    async def _ask(
        self, prompt: Prompt, reply_schema: Mapping[str, object], prompt_hash: str
    ) -> Reply:
        try:
            reply = await self._model.complete(prompt, reply_schema)
        except ModelError:
            self._count(prompt, prompt_hash, "failed")
            raise
        self._count(prompt, prompt_hash, "answered", reply)
        return reply

    def _count(
        self, prompt: Prompt, prompt_hash: str, outcome: Outcome, reply: Reply | None = None
    ) -> None:
        """Take a call into the ledger, and keep the reply that was paid for."""
        now = datetime.now(UTC)
        call = Call(prompt.counted_step, prompt.subject, prompt_hash, self.name, outcome, now)
        kept = None
        if reply is not None:
            call = replace(call, **{name: getattr(reply, name) for name in TOOK})
            delta = pack_text(reply.text, prompt)
            kept = KeptReply(prompt_hash, prompt.step, self.name, reply, delta)
        self._cache.keep(call, kept)
        self.ledger.count(call)
