"""The ledger: what every call of a language model took, and what they took together."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias

from srag_mcp.model.language_model import Step

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
        at: When it was over, UTC.
        tokens_in: Of the prompt.
        tokens_out: Of the reply.
        tokens_cached: Of the prompt, those that the provider had in its cache.
        seconds: Until the reply was there.
        cost_usd: None where the price is not known.
        is_estimated: Whether it took tokens that nobody counted.
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
        """Count one more call."""
        counted = replace(
            self,
            n_calls=self.n_calls + (call.outcome == "answered"),
            n_cached=self.n_cached + (call.outcome == "cached"),
            n_failed=self.n_failed + (call.outcome == "failed"),
        )
        if call.outcome != "answered":
            return counted
        known = self.cost_usd is not None and call.cost_usd is not None
        return replace(
            counted,
            tokens_in=self.tokens_in + call.tokens_in,
            tokens_out=self.tokens_out + call.tokens_out,
            tokens_cached=self.tokens_cached + call.tokens_cached,
            seconds=self.seconds + call.seconds,
            cost_usd=(self.cost_usd or 0.0) + (call.cost_usd or 0.0) if known else None,
            is_estimated=self.is_estimated or call.is_estimated,
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
