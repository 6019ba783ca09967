"""What a call may cost, before it is made: so that a budget of money is kept."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from srag_mcp.model.language_model import LanguageModel, Prompt, Step
from srag_mcp.model.prices import Price

_BYTES_A_TOKEN = 3
_LEAST_TOKENS_OUT, _MOST_TOKENS_OUT = 200, 4000


@runtime_checkable
class PricedModel(Protocol):
    """A language model that knows what it charges."""

    async def find_price(self) -> Price | None:
        """Return the price; None where it is not known."""
        ...


async def find_price_of(model: LanguageModel) -> Price | None:
    """Return what *model* charges; None where that is not known, as for an agent."""
    return await model.find_price() if isinstance(model, PricedModel) else None


@dataclass(frozen=True, slots=True)
class ExpectedCost:
    """The cost of one call as it is reckoned before; *step* is what its reply is for."""

    step: Step
    usd: float


def expect_cost(prompt: Prompt, reply_schema: Mapping[str, object], price: Price) -> ExpectedCost:
    """Reckon what a call costs at most: three bytes a token, the reply as long as the prompt.

    But a reply has 200 tokens at least, and 4,000 at most. (English has four characters a token,
    numbers and JSON three, Chinese one, of three bytes.)
    """
    said = [part for item in prompt.corrections for part in (item.reply, item.message)]
    sent = (prompt.instructions, prompt.content, json.dumps(reply_schema), *said)
    tokens_in = sum(len(text.encode("utf-8", "replace")) for text in sent) // _BYTES_A_TOKEN
    tokens_out = min(max(tokens_in, _LEAST_TOKENS_OUT), _MOST_TOKENS_OUT)
    return ExpectedCost(prompt.step, price.cost_usd(tokens_in, tokens_out))


class Forecast:
    """Raises expected costs where calls of the same step were dearer than expected."""

    def __init__(self) -> None:
        self._ratios: dict[Step, float] = {}

    def is_sure(self, expected: ExpectedCost) -> bool:
        """Whether any call of the step was paid for, so that the cost is more than a guess."""
        return expected.step in self._ratios

    def correct(self, expected: ExpectedCost) -> float:
        """Return the cost in US dollars, as much dearer as the dearest call of the step was."""
        return expected.usd * self._ratios.get(expected.step, 1.0)

    def learn(self, expected: ExpectedCost, cost_usd: float) -> None:
        """Take note of what a call did cost."""
        ratio = cost_usd / expected.usd if expected.usd else 1.0
        self._ratios[expected.step] = max(ratio, self._ratios.get(expected.step, 1.0))
