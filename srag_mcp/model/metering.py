"""A language model whose calls are counted, kept to a budget and never made twice."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import anyio

from srag_mcp.errors import ModelError
from srag_mcp.model.budget import Budget, ExpectedCost, Purse, expect_cost
from srag_mcp.model.language_model import LanguageModel, Prompt, Reply, hash_prompt
from srag_mcp.model.ledger import Call, KeptReply, Ledger, Outcome, ReplyCache, Totals
from srag_mcp.model.replay_model import pack_text


@dataclass
class _Flight:
    """A prompt that is being answered.

    Attributes:
        landed: Set when it is over, however it ended.
        error: Why there is no reply; None also where who asked was cancelled.
    """

    landed: anyio.Event = field(default_factory=anyio.Event)
    error: ModelError | None = None


class MeteredModel(LanguageModel):
    """Asks *model* what *cache* cannot answer, and keeps every reply before it is used.

    Attributes:
        ledger: The calls made through this object.
    """

    def __init__(
        self,
        model: LanguageModel,
        cache: ReplyCache,
        name: str,
        *,
        budget: Budget | None = None,
        spent: Totals | None = None,
    ) -> None:
        """Wrap *model*.

        Args:
            model: Who is asked.
            cache: Where replies and the ledger are kept.
            name: The model as the settings name it; replies of another one are not used.
            budget: Most calls or money; None is no limit.
            spent: What counts against the budget already.
        """
        self.ledger = Ledger()
        self._model = model
        self._cache = cache
        self._name = name
        self._purse = Purse(budget or Budget(), spent)
        self._flights: dict[str, _Flight] = {}
        self._turn = anyio.Lock()
        self._useless: dict[str, tuple[Prompt, Mapping[str, object]]] = {}

    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        """Answer *prompt* from the cache, or ask; equal prompts at the same time are asked once.

        What comes from the cache has no tokens and costs 0.

        Raises:
            BudgetError: If the budget is used up.
            ModelStoppedError: If no further prompt can be answered either.
            ModelError: If no reply could be had to this prompt.
            StoreError: If the reply cannot be kept.
        """
        prompt_hash = hash_prompt(prompt, reply_schema)
        while True:
            found = self._cache.find(prompt_hash, self._name)
            if found is not None:
                self._count(self._call(prompt, prompt_hash, "cached"))
                return Reply(found.text, cost_usd=0.0, model=found.model, truncated=found.truncated)
            flight = self._flights.get(prompt_hash)
            if flight is None:
                return await self._ask(prompt, reply_schema, prompt_hash)
            await flight.landed.wait()
            if flight.error is not None:
                raise flight.error

    def load(self) -> None:
        """Let the model load what it needs."""
        self._model.load()

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
            self._cache.forget(prompt_hash, self._name)
            self._model.forget(prompt, reply_schema)
        self._useless.clear()

    async def _ask(
        self, prompt: Prompt, reply_schema: Mapping[str, object], prompt_hash: str
    ) -> Reply:
        flight = self._flights[prompt_hash] = _Flight()
        try:
            expected = await self._expect_cost(prompt, reply_schema)
            async with self._purse.reserved(expected):
                reply = await self._ask_model(prompt, reply_schema, prompt_hash)
                self._purse.pay(reply.cost_usd, expected)
        except ModelError as error:
            flight.error = error
            raise
        finally:
            del self._flights[prompt_hash]
            flight.landed.set()
        # one reply at a time is thought about, and before that the next prompts are sent
        async with self._turn:
            return reply

    async def _expect_cost(
        self, prompt: Prompt, reply_schema: Mapping[str, object]
    ) -> ExpectedCost | None:
        """Reckon what a call may cost; None where nobody needs to know, or can."""
        price = await self._model.find_price() if self._purse.is_money else None
        return None if price is None else expect_cost(prompt, reply_schema, price)

    async def _ask_model(
        self, prompt: Prompt, reply_schema: Mapping[str, object], prompt_hash: str
    ) -> Reply:
        try:
            reply = await self._model.complete(prompt, reply_schema)
        except ModelError:
            self._count(self._call(prompt, prompt_hash, "failed"))
            raise
        call = replace(
            self._call(prompt, prompt_hash, "answered"),
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            tokens_cached=reply.tokens_cached,
            seconds=reply.seconds,
            cost_usd=reply.cost_usd,
            is_estimated=reply.is_estimated,
        )
        delta = pack_text(reply.text, prompt)
        self._count(call, KeptReply(prompt_hash, prompt.step, self._name, reply, delta))
        return reply

    def _call(self, prompt: Prompt, prompt_hash: str, outcome: Outcome) -> Call:
        now = datetime.now(UTC)
        return Call(prompt.step, prompt.subject, prompt_hash, self._name, outcome, now)

    def _count(self, call: Call, kept: KeptReply | None = None) -> None:
        self._cache.keep(call, kept)
        self.ledger.count(call)
