from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import anyio
import pytest
from anyio.lowlevel import checkpoint

from srag_mcp.errors import BudgetError, ModelError, PromptRefusedError
from srag_mcp.model.language_model import LanguageModel, Price, Prompt, Reply, Step
from srag_mcp.model.ledger import Budget, MemoryReplies, MeteredModel, Totals
from tests.model.scripted import ScriptedModel, replying

PRICE = Price(1e-6, 1e-6, 1e-6)


@dataclass
class GatedModel(LanguageModel):
    """Answers `yes` when `gate` opens; costs 10 cents a reply."""

    cost_usd: float | None = 0.1
    gate: anyio.Event = field(default_factory=anyio.Event)
    subjects: list[str] = field(default_factory=list)

    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        self.subjects.append(prompt.subject)
        await self.gate.wait()
        return Reply("yes", tokens_in=100, tokens_out=1, seconds=0.5, cost_usd=self.cost_usd)


def prompt(number: int = 0) -> Prompt:
    return Prompt("records", "Read.", f"Document {number}", subject=f"{number}.txt")


async def ask_all(metered: MeteredModel, numbers: Sequence[int]) -> list[str]:
    """Ask about all at once; return the replies, or the names of the errors."""
    said = [""] * len(numbers)

    async def ask(place: int, number: int) -> None:
        try:
            said[place] = (await metered.complete(prompt(number), {})).text
        except ModelError as error:
            said[place] = f"{type(error).__name__}: {error}"

    async with anyio.create_task_group() as tasks:
        for place, number in enumerate(numbers):
            tasks.start_soon(ask, place, number)
    return said


def test_a_reply_is_paid_for_once() -> None:
    model, cache = replying(["yes", "never"]), MemoryReplies()
    metered = MeteredModel(model, cache, "a/b")

    first = anyio.run(metered.complete, prompt(), {})
    again = anyio.run(MeteredModel(model, cache, "a/b").complete, prompt(), {})

    assert (first.text, again) == ("yes", Reply("yes", cost_usd=0.0))
    assert len(model.prompts) == 1
    assert [(call.outcome, call.subject, call.model) for call in cache.calls()] == [
        ("answered", "0.txt", "a/b"),
        ("cached", "0.txt", "a/b"),
    ]


def test_another_model_is_asked_anew() -> None:
    model, cache = replying(["yes", "no"]), MemoryReplies()
    anyio.run(MeteredModel(model, cache, "a/b").complete, prompt(), {})
    other = anyio.run(MeteredModel(model, cache, "a/c").complete, prompt(), {})
    assert other.text == "no"


def test_equal_prompts_in_flight_are_asked_once() -> None:
    model = GatedModel()
    metered = MeteredModel(model, MemoryReplies(), "a/b")

    async def run() -> list[str]:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask_all, metered, [1, 1, 1, 2])
            await anyio.wait_all_tasks_blocked()
            model.gate.set()
        return model.subjects

    assert anyio.run(run) == ["1.txt", "2.txt"]
    assert (metered.ledger.total.n_calls, metered.ledger.total.n_cached) == (2, 2)


def test_an_equal_prompt_is_asked_again_if_the_first_one_was_cancelled() -> None:
    model = GatedModel()
    metered = MeteredModel(model, MemoryReplies(), "a/b")

    async def run() -> list[str]:
        async with anyio.create_task_group() as tasks, anyio.create_task_group() as given_up:
            given_up.start_soon(ask_all, metered, [1])
            await anyio.wait_all_tasks_blocked()
            tasks.start_soon(ask_all, metered, [1])
            await anyio.wait_all_tasks_blocked()
            given_up.cancel_scope.cancel()
            model.gate.set()
        return model.subjects

    assert anyio.run(run) == ["1.txt", "1.txt"]
    assert metered.ledger.total.n_calls == 1


def test_an_error_reaches_all_who_asked_the_same_and_is_in_the_ledger() -> None:
    def refuse(asked: Prompt) -> str:
        msg = "not this one"
        raise PromptRefusedError(msg)

    cache = MemoryReplies()
    metered = MeteredModel(ScriptedModel(refuse), cache, "a/b")
    said = anyio.run(ask_all, metered, [1, 1])
    assert said == ["PromptRefusedError: not this one"] * 2
    assert metered.ledger.total == Totals(n_failed=metered.ledger.total.n_failed)
    assert {call.outcome for call in cache.calls()} == {"failed"}


def test_the_ledger_counts_by_step() -> None:
    model = GatedModel()
    model.gate.set()
    metered = MeteredModel(model, MemoryReplies(), "a/b")
    anyio.run(ask_all, metered, [1, 2, 1])
    anyio.run(metered.complete, Prompt("schema", "Think.", "All"), {})

    records = Totals(2, 1, 0, tokens_in=200, tokens_out=2, seconds=1.0, cost_usd=0.2)
    assert metered.ledger.by_step["records"] == records
    assert metered.ledger.by_step["schema"] == Totals(1, 0, 0, 100, 1, 0, 0.5, 0.1)
    assert metered.ledger.total.n_calls == 3


def test_a_total_with_a_price_that_is_not_known_is_not_known() -> None:
    model = GatedModel(cost_usd=None)
    model.gate.set()
    metered = MeteredModel(model, MemoryReplies(), "a/b")
    anyio.run(ask_all, metered, [1, 2])
    assert metered.ledger.total.cost_usd is None


@pytest.mark.parametrize("budget", [Budget(n_calls=3), Budget(cost_usd=0.3, price=PRICE)])
def test_at_the_budget_nothing_more_is_asked_and_nothing_in_flight_is_lost(budget: Budget) -> None:
    model, cache = GatedModel(), MemoryReplies()
    metered = MeteredModel(model, cache, "a/b", budget=budget)

    async def run() -> list[str]:
        said: list[str] = []

        async def asked() -> None:
            said.extend(await ask_all(metered, range(6)))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(asked)
            await anyio.wait_all_tasks_blocked()
            assert all(call.outcome == "answered" for call in cache.calls())
            model.gate.set()
        return said

    said = anyio.run(run)
    stopped = [text for text in said if text != "yes"]
    assert (len(said), len(stopped), len(model.subjects)) == (6, 3, 3)
    allowed = "3 calls" if budget.n_calls else "$0.30"
    following = "" if budget.n_calls else ", and the next may cost $0.1000"
    assert set(stopped) == {
        f"BudgetError: the budget of {allowed} is used up: 3 calls and $0.3000 were"
        f" spent{following}. All replies are kept. Raise the budget (--budget-usd, --budget-calls)"
        " and start the same command again: it goes on where it stopped"
    }
    assert anyio.run(ask_all, metered, [0, 1, 2]) == ["yes"] * 3  # what is kept costs nothing


def test_what_was_spent_before_counts_against_the_budget() -> None:
    spent = Totals(n_calls=2, cost_usd=0.2)
    model = GatedModel()
    model.gate.set()
    metered = MeteredModel(model, MemoryReplies(), "a/b", budget=Budget(n_calls=3), spent=spent)
    said = anyio.run(ask_all, metered, [1, 2])
    assert [text.split(":")[0] for text in said] == ["yes", "BudgetError"]


def test_a_failed_call_gives_its_place_in_the_budget_back() -> None:
    model = replying(["yes"])

    def fail_first(asked: Prompt) -> str:
        if asked.subject == "1.txt":
            msg = "gone"
            raise ModelError(msg)
        return model.reply(asked)

    failing = MeteredModel(
        ScriptedModel(fail_first), MemoryReplies(), "a/b", budget=Budget(n_calls=1)
    )
    assert anyio.run(ask_all, failing, [1, 2]) == ["ModelError: gone", "yes"]


def test_a_budget_of_money_needs_a_price() -> None:
    model = GatedModel(cost_usd=None)
    model.gate.set()
    metered = MeteredModel(model, MemoryReplies(), "a/b", budget=Budget(cost_usd=1.0))
    with pytest.raises(BudgetError, match="the price of this model is not known"):
        anyio.run(metered.complete, prompt(), {})
    assert model.subjects == []


def test_a_call_that_does_not_fit_is_not_made() -> None:
    model = GatedModel()
    model.gate.set()
    metered = MeteredModel(
        model, MemoryReplies(), "a/b", budget=Budget(cost_usd=0.0001, price=PRICE)
    )
    said = anyio.run(ask_all, metered, [1, 2])
    assert said[0].startswith(
        "BudgetError: the budget of $0.0001 is used up: 0 calls were spent, and the next may cost"
        " $0.0002. All"
    )
    assert model.subjects == []


@dataclass
class DearModel(LanguageModel):
    """Charges by the character."""

    usd_a_character: float
    cost_usd: float = 0.0
    n_calls: int = 0
    most_in_flight: int = 0
    n_in_flight: int = 0

    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        self.n_in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.n_in_flight)
        await anyio.lowlevel.checkpoint()
        self.n_in_flight -= 1
        cost_usd = len(prompt.content) * self.usd_a_character
        self.cost_usd += cost_usd
        self.n_calls += 1
        return Reply("yes", cost_usd=cost_usd)


@pytest.mark.parametrize(
    ("step", "usd_a_character"),
    [
        ("records", 3e-6),  # three times what is expected of them
        ("schema", 9e-7),  # less than that, but far more than the calls before
    ],
)
def test_a_budget_of_money_is_not_overrun_by_dearer_calls_in_flight(
    step: Step, usd_a_character: float
) -> None:
    model = DearModel(usd_a_character)
    metered = MeteredModel(
        model, MemoryReplies(), "a/b", budget=Budget(0.5, price=Price(1e-6, 2e-6, 1e-6))
    )
    cheap = [Prompt("schema", "", f"{number:04}") for number in range(10)]
    dear = [Prompt(step, "", f"{number:08000}") for number in range(100)]

    async def ask(one: Prompt) -> None:
        with suppress(BudgetError):
            await metered.complete(one, {})

    async def run() -> None:
        for part in (cheap, dear):
            async with anyio.create_task_group() as tasks:
                for one in part:
                    tasks.start_soon(ask, one)

    anyio.run(run)
    assert 0.46 < model.cost_usd <= 0.5
    assert model.most_in_flight > 1


def test_a_useless_reply_is_asked_for_anew_from_the_next_ingestion_on() -> None:
    model, cache = replying(["no", "yes"]), MemoryReplies()
    metered = MeteredModel(model, cache, "a/b")

    async def run() -> list[str]:
        said = [(await metered.complete(prompt(), {})).text]
        metered.forget(prompt(), {})
        said.append((await metered.complete(prompt(), {})).text)  # a stop now would lose nothing
        metered.drop_useless()
        said.append((await metered.complete(prompt(), {})).text)
        return said

    assert anyio.run(run) == ["no", "no", "yes"]


def test_the_next_prompts_are_sent_before_the_replies_are_thought_about() -> None:
    told: list[str] = []

    @dataclass
    class Two(LanguageModel):
        """Lets two prompts in at a time, and answers both at once."""

        places: anyio.Semaphore = field(default_factory=lambda: anyio.Semaphore(2))

        async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
            async with self.places:
                told.append(f"sent {prompt.content}")
                await checkpoint()
                return Reply("{}")

    async def run() -> None:
        metered = MeteredModel(Two(), MemoryReplies(), "two")

        async def ask_and_think(number: int) -> None:
            await metered.complete(prompt(number), {})
            told.append(f"thought about Document {number}")

        async with anyio.create_task_group() as tasks:
            for number in range(4):
                tasks.start_soon(ask_and_think, number)

    anyio.run(run)
    assert told[:2] == ["sent Document 0", "sent Document 1"]
    assert told.index("sent Document 2") < told.index("thought about Document 0")
    assert told.index("sent Document 3") < told.index("thought about Document 1")


def test_who_is_cancelled_while_a_reply_waits_its_turn_loses_none() -> None:
    cache = MemoryReplies()

    async def run() -> None:
        metered = MeteredModel(replying(["{}"] * 3), cache, "scripted")
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as tasks:
                for number in range(3):
                    tasks.start_soon(metered.complete, prompt(number), {})
                await checkpoint()
                scope.cancel()
        assert len(cache.calls()) == len(list(cache.kept())) == 3
        again = [await metered.complete(prompt(n), {}) for n in range(3)]
        assert [reply.text for reply in again] == ["{}"] * 3

    anyio.run(run)
    assert [call.outcome for call in cache.calls()].count("answered") == 3
