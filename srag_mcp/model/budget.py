"""The budget of an ingestion: how many calls, or how much money, and when it is used up."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio

from srag_mcp.errors import BudgetError
from srag_mcp.model.ledger import Totals


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that may be spent; None is no limit."""

    cost_usd: float | None = None
    n_calls: int | None = None


class Purse:
    """Lets calls begin only while the budget lasts.

    A call that might not fit waits until those in flight are over. So the error comes when nothing
    is in flight, and no reply that is paid for is lost by it.
    """

    def __init__(self, budget: Budget, spent: Totals | None = None) -> None:
        self._budget = budget
        self._n_calls = spent.n_calls if spent else 0
        self._cost_usd = (spent.cost_usd or 0.0) if spent else 0.0
        self._n_priced = self._n_calls
        self._n_in_flight = 0
        self._waiting: list[anyio.Event] = []

    @asynccontextmanager
    async def reserved(self) -> AsyncIterator[None]:
        """Hold a place in the budget for one call; `pay` within.

        Raises:
            BudgetError: If there is none; the text says what was spent and how to go on.
        """
        while not self._fits():
            if not self._n_in_flight:
                raise BudgetError(self._describe())
            self._waiting.append(anyio.Event())
            await self._waiting[-1].wait()
        self._n_in_flight += 1
        try:
            yield
        finally:
            self._n_in_flight -= 1
            for event in self._waiting:
                event.set()
            self._waiting.clear()

    def pay(self, cost_usd: float | None) -> None:
        """Count an answered call.

        Raises:
            BudgetError: If the budget is money, and the call's price is not known.
        """
        self._n_calls += 1
        if cost_usd is not None:
            self._cost_usd += cost_usd
            self._n_priced += 1
        elif self._budget.cost_usd is not None:
            msg = (
                "the price of this model is not known, so that a budget of money cannot be kept;"
                " give the budget as a number of calls, or none. What is answered is kept"
            )
            raise BudgetError(msg)

    def _fits(self) -> bool:
        limit, n_begun = self._budget.n_calls, self._n_calls + self._n_in_flight
        if limit is not None and n_begun >= limit:
            return False
        if self._budget.cost_usd is None:
            return True
        if not self._n_priced:  # what a call costs is not known before the first: let one go ahead
            return self._n_in_flight == 0 and self._budget.cost_usd > 0
        expected = self._cost_usd / self._n_priced * (self._n_in_flight + 1)
        return self._cost_usd + expected <= self._budget.cost_usd

    def _describe(self) -> str:
        allowed = []
        if self._budget.n_calls is not None:
            allowed.append(f"{self._budget.n_calls} calls")
        if self._budget.cost_usd is not None:
            allowed.append(f"${self._budget.cost_usd:,.2f}")
        money = f" and ${self._cost_usd:,.4f}" if self._n_priced and self._cost_usd else ""
        return (
            f"the budget of {' or '.join(allowed)} is used up: {self._n_calls} calls{money} were"
            " spent. All replies are kept. Raise the budget (--budget-usd, --budget-calls) and"
            " start the same command again: it goes on where it stopped"
        )
