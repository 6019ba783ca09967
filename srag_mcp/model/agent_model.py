"""The calling agent as a language model: prompts wait in a spool until it has answered them."""

import time
from collections.abc import Mapping
from typing import Final, Protocol

import anyio

from srag_mcp.errors import ModelStoppedError
from srag_mcp.model.language_model import LanguageModel, Prompt, Reply, hash_prompt
from srag_mcp.model.tokens import count_tokens, estimate_prompt_tokens

AGENT: Final = "agent"
IDLE_S = 1800.0
POLL_S = 0.1


class Spool(Protocol):
    """Where prompts wait for agents, as who asks them sees it."""

    def ask(self, name: str, prompt: Prompt, reply_schema: Mapping[str, object]) -> str | None:
        """Return the answer to the prompt called *name*; None as long as it waits for one.

        Raises:
            StoreError: If it cannot be written.
        """
        ...

    def forget(self, name: str) -> None:
        """Forget the answer to a prompt, which is of no use."""
        ...

    def park(self) -> None:
        """Put aside what earlier jobs asked."""
        ...

    def n_waiting(self) -> int:
        """Count the prompts that wait for an answer."""
        ...

    def seconds_since_sign(self) -> float:
        """Return for how long no agent has fetched or answered a prompt; infinite if none ever."""
        ...


class AgentModel(LanguageModel):
    """Puts prompts into a spool, and returns what agents answer.

    Nobody counts the tokens of an agent: they are estimated, of four characters each.

    Args:
        spool: Where agents look for prompts.
        idle_s: How long nobody may fetch or answer a prompt before the model gives up.
        poll_s: How often it looks for answers.
    """

    def __init__(self, spool: Spool, *, idle_s: float = IDLE_S, poll_s: float = POLL_S) -> None:
        self._spool = spool
        self._idle_s = idle_s
        self._poll_s = poll_s
        self._is_started = False
        self._last_sign = time.monotonic()

    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        """Wait until an agent has answered *prompt*; what it answered before counts.

        Raises:
            ModelStoppedError: If no agent does anything for long.
            StoreError: If the prompt cannot be written.
        """
        if not self._is_started:
            self._is_started = True
            self._spool.park()
        started = time.monotonic()
        self._last_sign = started  # to ask is a sign, too
        name = hash_prompt(prompt, reply_schema)
        while (text := self._spool.ask(name, prompt, reply_schema)) is None:
            self._check_idle()
            await anyio.sleep(self._poll_s)
        self._last_sign = time.monotonic()
        return Reply(
            text,
            tokens_in=estimate_prompt_tokens(prompt),
            tokens_out=count_tokens(text),
            seconds=self._last_sign - started,
            model=AGENT,
            is_estimated=True,
        )

    def forget(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> None:
        """Let agents answer *prompt* once more."""
        self._spool.forget(hash_prompt(prompt, reply_schema))

    def _check_idle(self) -> None:
        idle_s = time.monotonic() - self._last_sign
        if idle_s < self._idle_s or self._spool.seconds_since_sign() < self._idle_s:
            return
        msg = (
            f"no agent has answered for {self._idle_s / 60:.0f} minutes, and"
            f" {self._spool.n_waiting()} prompts wait. What was answered is kept: call"
            " ingest_corpus again, then next_prompts and answer_prompts"
        )
        raise ModelStoppedError(msg)
