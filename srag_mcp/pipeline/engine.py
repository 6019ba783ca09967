"""Engines: who does the thinking of an ingestion, and the language model that it has for it."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

import anyio

from srag_mcp.errors import SettingsError
from srag_mcp.model.agent_model import AGENT, AgentModel
from srag_mcp.model.budget import Budget
from srag_mcp.model.choice import open_model
from srag_mcp.model.litellm_library import run_to_end
from srag_mcp.model.metering import MeteredModel
from srag_mcp.settings import Settings
from srag_mcp.store.earlier import EarlierAnswers
from srag_mcp.store.replies import StoredReplies
from srag_mcp.store.spool import PromptSpool
from srag_mcp.store.state import open_state
from srag_mcp.store.work import WorkDatabase

Engine: TypeAlias = Literal["offline", "model", "agent"]
Returned = TypeVar("Returned")

AGENT_PROMPTS = 200
READY_PROMPTS = 16  # are written while others are in flight, so that no place stays empty meanwhile
_POLL_S = 0.2


class CancelledError(Exception):
    """Somebody wants the ingestion to stop; what is finished is kept."""


@dataclass(frozen=True, slots=True)
class Thinker:
    """A language model for one ingestion, and what it may do.

    Attributes:
        engine: `model` or `agent`, for the cells that it predicts.
        model: Counted, kept to the budget; never asked the same twice.
        replies: What it said, and the ledger.
        max_in_flight: Most prompts at a time: the model lets as many through as it may, the others
            are ready.
        cancelled: Whether somebody wants it to stop.
    """

    engine: Engine
    model: MeteredModel
    replies: StoredReplies
    max_in_flight: int
    cancelled: Callable[[], bool]

    def run(self, thinking: Callable[[], Awaitable[Returned]]) -> Returned:
        """Run *thinking* to its end, unless it is cancelled.

        Raises:
            CancelledError: If it was.
        """
        return run_to_end(self._watched, thinking)

    async def _watched(self, thinking: Callable[[], Awaitable[Returned]]) -> Returned:
        results: list[Returned] = []
        errors: Sequence[Exception] = ()
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._watch, tasks.cancel_scope)
                results.append(await thinking())
                tasks.cancel_scope.cancel()
        except ExceptionGroup as group:
            errors = group.exceptions
        if errors:  # raised out here, so that it keeps the cause that it has
            raise errors[0]
        if not results:
            raise CancelledError
        return results[0]

    async def _watch(self, scope: anyio.CancelScope) -> None:
        while not self.cancelled():
            await anyio.sleep(_POLL_S)
        scope.cancel()


def choose_engine(work: WorkDatabase, settings: Settings) -> Engine:
    """Return the engine of the settings; `auto`: the model if one is named, else as last time.

    Raises:
        SettingsError: If the last ingestion had a language model, and none is named now.
    """
    if settings.engine != "auto":
        return settings.engine
    if work.schema_in_force() is None or work.engine_in_force() == "offline":
        return "model" if settings.model else "offline"
    if settings.model:
        return "model"
    if work.engine_in_force() == AGENT:
        return "agent"
    msg = (
        "this corpus was ingested with a language model, and none is named now. Set SRAG_MODEL or"
        " --model, or choose --engine agent. With --engine offline rules read all columns anew; a"
        " column that is added (extend) they read alone, and the others stay"
    )
    raise SettingsError(msg)


@contextmanager
def open_thinker(
    work: WorkDatabase, settings: Settings, engine: Engine, cancelled: Callable[[], bool]
) -> Iterator[Thinker | None]:
    """Open the language model of *engine*; None for `offline`.

    Raises:
        SettingsError: If no model is named.
        StoreError: If what it says cannot be kept.
    """
    if engine == "offline":
        yield None
        return
    is_agent = engine == AGENT
    with open_state(work.state) as state:
        replies = StoredReplies(state)
        model = AgentModel(PromptSpool(state)) if is_agent else open_model(settings)
        name = AGENT if is_agent else str(settings.model)
        metered = MeteredModel(
            EarlierAnswers(model, name, state, work),
            replies,
            name,
            budget=Budget(settings.budget_usd, settings.budget_calls),
            spent=replies.unsettled(),
        )
        in_flight = AGENT_PROMPTS if is_agent else settings.concurrency + READY_PROMPTS
        yield Thinker(engine, metered, replies, in_flight, cancelled)
