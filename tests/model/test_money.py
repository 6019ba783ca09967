"""A budget of money over real HTTP: many prompts in flight do not overrun it."""

import json
from collections.abc import Sequence
from dataclasses import replace

import anyio
import pytest

from srag_mcp.errors import BudgetError
from srag_mcp.model.language_model import Prompt
from srag_mcp.model.ledger import Budget, MemoryReplies, MeteredModel
from srag_mcp.model.litellm_library import close_connections, find_price
from srag_mcp.model.remote_model import open_model
from srag_mcp.settings import Settings
from tests.model.openai_server import Answer, Body, content_of, serving

PRICED = "mistral/mistral-small-latest"


def charge(body: Body) -> Answer:
    """Count a token for each three characters, and 2,500 of the reply."""
    usage = {"prompt_tokens": len(content_of(body)) // 3, "completion_tokens": 2500}
    said = {"role": "assistant", "content": "{}"}
    choice = {"index": 0, "finish_reason": "stop", "message": said}
    head = {"id": "c-1", "object": "chat.completion", "created": 1, "model": body["model"]}
    return Answer(
        raw=json.dumps({**head, "choices": [choice], "usage": usage}).encode(), delay_s=0.05
    )


def spend(named: str, base: str, budget: Budget, prompts: Sequence[Prompt]) -> MeteredModel:
    """Ask all at once; raise the error if none was asked."""
    settings = Settings(model=named, api_base=base, api_key="none", concurrency=16)
    priced = replace(budget, price=find_price(named))
    metered = MeteredModel(open_model(settings), MemoryReplies(), named, budget=priced)
    stopped: list[BudgetError] = []

    async def ask(prompt: Prompt) -> None:
        try:
            await metered.complete(prompt, {"type": "object"})
        except BudgetError as error:
            stopped.append(error)

    async def run() -> None:
        async with anyio.create_task_group() as tasks:
            for prompt in prompts:
                tasks.start_soon(ask, prompt)
        await close_connections()

    anyio.run(run)
    if len(stopped) == len(prompts):
        raise stopped[0]
    return metered


def test_what_is_spent_stays_below_the_budget_and_comes_near_it() -> None:
    price = find_price(PRICED)
    assert price is not None
    schema = [Prompt("schema", "Think.", f"{number:03000}") for number in range(2)]
    records = [Prompt("records", "Read.", f"{number:024000}") for number in range(60)]
    each = price.cost_usd(8000, 2500)
    limit = 20 * each
    with serving(charge) as server:
        metered = spend(PRICED, server.base, Budget(cost_usd=limit), [*schema, *records])
    cost_usd = metered.ledger.total.cost_usd
    assert cost_usd is not None
    assert limit - 2 * each < cost_usd <= limit
    assert server.peak > 1, "the calls that fit go together"


def test_where_the_price_is_not_known_nothing_is_asked() -> None:
    with (
        serving(charge) as server,
        pytest.raises(BudgetError, match=r"the price of this model is not known.* Nothing was"),
    ):
        spend("openai/own", server.base, Budget(cost_usd=1.0), [Prompt("records", "Read.", "It.")])
    assert server.requests == []


@pytest.mark.parametrize("counted", [True, False], ids=["counted", "estimated"])
def test_a_budget_is_overrun_by_one_call_at_most_where_replies_are_long(*, counted: bool) -> None:
    price = find_price(PRICED)
    assert price is not None
    said = {"role": "assistant", "content": "I think. " * 9000}
    choice = {"index": 0, "finish_reason": "stop", "message": said}
    body: dict[str, object] = {"id": "c-1", "object": "chat.completion", "choices": [choice]}
    if counted:
        body["usage"] = {"prompt_tokens": 1000, "completion_tokens": 20_000}
    answer = Answer(raw=json.dumps(body | {"model": "m", "created": 1}).encode())
    records = [Prompt("records", "Read.", f"{number:03000}") for number in range(20)]
    limit = 1.5 * price.cost_usd(1000, 4000)
    with serving(lambda _: answer) as server:
        metered = spend(PRICED, server.base, Budget(cost_usd=limit), records)
    call = metered.ledger.total
    assert len(server.requests) == call.n_calls == 1
    assert call.is_estimated is not counted
    assert call.cost_usd is not None
    assert limit < call.cost_usd < price.cost_usd(1500, 21_000)
