"""A tally: a language model that remembers what it took."""

from collections.abc import Mapping
from datetime import UTC, datetime

from srag_mcp.model.language_model import LanguageModel, Prompt, Reply, hash_prompt
from srag_mcp.model.ledger import Call, Totals


class TalliedModel:
    """Passes prompts on to another model and counts its replies in `total`."""

    def __init__(self, model: LanguageModel) -> None:
        self.total = Totals()
        self._model = model

    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        """Answer *prompt*; raises what the other model raises."""
        reply = await self._model.complete(prompt, reply_schema)
        call = Call(
            prompt.step,
            prompt.subject,
            hash_prompt(prompt, reply_schema),
            reply.model,
            "answered",
            datetime.now(UTC),
            reply.tokens_in,
            reply.tokens_out,
            reply.tokens_cached,
            reply.seconds,
            reply.cost_usd,
        )
        self.total = self.total.plus(call)
        return reply
