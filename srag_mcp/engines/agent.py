"""The engine of the calling agent: its prompts wait until the caller has answered them."""

import time
from collections.abc import Mapping
from typing import ClassVar

import anyio

from srag_mcp.engines.model import ModelEngine
from srag_mcp.errors import ModelStoppedError
from srag_mcp.model.language_model import (
    AGENT,
    LanguageModel,
    Price,
    Prompt,
    Reply,
    count_tokens,
    hash_prompt,
)
from srag_mcp.settings import EngineName, Settings
from srag_mcp.store.spool import PromptSpool
from srag_mcp.store.state import State, pause_s

IN_FLIGHT = 200  # so many prompts an agent and its helpers may share
IDLE_S = 1800.0


class AgentModel(LanguageModel):
    """Puts prompts into a *spool* for agents; gives up after *idle_s* in which none did a thing."""

    def __init__(self, spool: PromptSpool, *, idle_s: float = IDLE_S) -> None:
        self._spool = spool
        self._idle_s = idle_s
        self._is_started = False
        self._last_sign = time.monotonic()

    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        """Wait until an agent has answered; ModelStoppedError if none does so for long."""
        if not self._is_started:
            self._is_started = True
            self._spool.park()  # what earlier jobs asked
        started = time.monotonic()
        self._last_sign = started  # to ask is a sign, too
        name = hash_prompt(prompt, reply_schema)
        while (text := self._spool.ask(name, prompt, reply_schema)) is None:
            is_idle = time.monotonic() - self._last_sign >= self._idle_s
            if is_idle and self._spool.seconds_since_sign() >= self._idle_s:
                msg = (
                    f"no agent has answered for {self._idle_s / 60:.0f} minutes, and"
                    f" {self._spool.n_waiting()} prompts wait. What was answered is kept: call"
                    " ingest_corpus again, then next_prompts and answer_prompts"
                )
                raise ModelStoppedError(msg)
            await anyio.sleep(pause_s(time.monotonic() - started))
        self._last_sign = time.monotonic()
        return Reply(
            text,
            tokens_in=prompt.count_tokens(reply_schema),
            tokens_out=count_tokens(text),
            seconds=self._last_sign - started,
            model=AGENT,
            is_estimated=True,
        )

    def forget(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> None:
        """Let agents answer *prompt* once more."""
        self._spool.forget(hash_prompt(prompt, reply_schema))


class AgentEngine(ModelEngine):
    """The calling agent thinks, as a language model without a key."""

    __slots__ = ()
    name: ClassVar[EngineName] = AGENT
    by_caller: ClassVar[bool] = True

    @classmethod
    def price(cls, settings: Settings) -> Price | None:
        """Its prompts are on the bill of the agent."""
        return None

    @property
    def is_begun(self) -> bool:
        """Its prompts wait for somebody as soon as they are written."""
        return True

    @classmethod
    def _open_model(cls, settings: Settings, state: State) -> tuple[LanguageModel, str, int]:
        return AgentModel(PromptSpool(state)), AGENT, IN_FLIGHT
