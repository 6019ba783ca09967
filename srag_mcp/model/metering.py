"""A language model whose calls are counted, kept to a budget and never made twice."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import anyio

from srag_mcp.errors import BudgetError, ModelError
from srag_mcp.model.language_model import LanguageModel, Price, Prompt, Reply, Step, hash_prompt
from srag_mcp.model.ledger import (
    TOOK,
    Call,
    KeptReply,
    Ledger,
    MemoryReplies,
    Outcome,
    Totals,
    pack_text,
)

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
