"""The ledger: what every call of a language model took; and the replies, kept beside it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, Protocol, TypeAlias

from srag_mcp.model.language_model import Reply, Step

Outcome: TypeAlias = Literal["answered", "cached", "failed"]


@dataclass(frozen=True, slots=True)
class Call:
    """One prompt and what became of it.

    Attributes:
        step: What the reply is for.
        subject: What the prompt is about, for people: document ids or the question.
        prompt_hash: Names all that was sent.
        model: Who was asked, as the settings name it.
        outcome: Only what was `answered` was paid for; `cached` is a reply that was there already.
        at: When it was over, UTC. What it took follows, as a `Reply` has it.
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


@dataclass(frozen=True, slots=True)
class Totals:
    """What some calls took together.

    Attributes:
        n_calls: Calls that were answered by a model.
        n_cached: Prompts whose reply was there already; they cost nothing.
        n_failed: Prompts that got no reply.
        seconds: Of all replies, as if one had come after the other.
        cost_usd: None if the price of any answered call is not known.
        is_estimated: Whether nobody counted the tokens of an answered call.
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
        took = (call.tokens_in, call.tokens_out, call.tokens_cached, call.seconds, call.cost_usd)
        return self + Totals(1, 0, 0, *took, call.is_estimated)

    def __add__(self, other: "Totals") -> "Totals":
        """Return what both took together."""
        known = self.cost_usd is not None and other.cost_usd is not None
        return Totals(
            n_calls=self.n_calls + other.n_calls,
            n_cached=self.n_cached + other.n_cached,
            n_failed=self.n_failed + other.n_failed,
            tokens_in=self.tokens_in + other.tokens_in,
            tokens_out=self.tokens_out + other.tokens_out,
            tokens_cached=self.tokens_cached + other.tokens_cached,
            seconds=self.seconds + other.seconds,
            cost_usd=(self.cost_usd or 0.0) + (other.cost_usd or 0.0) if known else None,
            is_estimated=self.is_estimated or other.is_estimated,
        )


class Ledger:
    """Counts calls by step, as they come.

    Attributes:
        by_step: In the order in which the steps first came.
        total: Of all steps.
    """

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
