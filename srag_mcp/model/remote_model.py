"""A language model at the other end of a wire: asked with patience, and told apart what lasts."""

import random
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

import anyio
from typing_extensions import override

from srag_mcp.errors import (
    ModelError,
    ModelStoppedError,
    PromptRefusedError,
    PromptTooLongError,
    SettingsError,
)
from srag_mcp.model.language_model import LanguageModel, Price, Prompt, Reply, Step
from srag_mcp.model.ledger import REPLAY, ReplayModel
from srag_mcp.model.litellm_library import LitellmWire, find_price, load_litellm
from srag_mcp.model.openai_wire import (
    REPLY_FORMS,
    ChatRequest,
    Fault,
    OpenAIWire,
    Wire,
    find_bad_key,
    hide_keys,
)
from srag_mcp.settings import Settings

_OPENAI = "openai/"
_STEPS_TO_MOST = 16  # a full house of good replies adds this part of the highest limit


@dataclass(frozen=True, slots=True)
class Patience:
    """How often and how long to try again.

    One prompt is sent *n_tries* times to a server that is busy or down, *n_slow_tries* where no
    reply comes in time or can be read: each may have been paid for. *n_lost_prompts* in a row end
    the run, and so does a wait longer than *longest_wait_s*. *first_wait_s* doubles each time.
    """

    n_tries: int = 6
    n_slow_tries: int = 2
    n_lost_prompts: int = 5
    first_wait_s: float = 0.5
    longest_wait_s: float = 90.0


class RemoteModel(LanguageModel):
    """Completes prompts over a wire; tries again what may pass, and says what does not."""

    def __init__(self, wire: Wire, settings: Settings, patience: Patience | None = None) -> None:
        self._wire = wire
        self._settings = settings
        self._patience = patience or Patience()
        self.limiter = AdaptiveLimiter(settings.concurrency)
        self._accepted: dict[Step, ChatRequest] = {}  # schemas differ between steps
        self._n_lost = 0
        self._stops: list[str] = []  # why no further prompt could be answered, each time

    @override
    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        n_stops = len(self._stops)
        hindrance = find_bad_key(self._settings.api_key) or await self._wire.open()
        if hindrance is not None:
            self._stop(hindrance.message)
        request: ChatRequest | None = None
        faults: list[Fault] = []
        while True:
            async with self.limiter.place() as round_:
                if len(self._stops) > n_stops:  # while this one waited
                    raise ModelStoppedError(self._say(self._stops[-1]))
                if request is None:  # in the manner that the model last accepted for this step
                    fixed = self._settings.reply_format
                    first = ChatRequest(
                        prompt, reply_schema, "schema" if fixed == "auto" else fixed
                    )
                    accepted = self._accepted.get(prompt.step, first)
                    request = replace(accepted, prompt=prompt, reply_schema=reply_schema)
                outcome = await self._send(request)
                while weaker := self._ask_for_less(outcome, request):
                    request = weaker
                    outcome = await self._send(request)
            if isinstance(outcome, Reply):
                self._n_lost = 0
                self._accepted[prompt.step] = request
                self.limiter.speed_up()
                return outcome
            faults.append(outcome)
            wait_s = self._wait_s(prompt, faults)
            if outcome.kind == "busy":
                self.limiter.slow_down(round_, outcome.retry_after_s or wait_s)
            await anyio.sleep(wait_s)

    async def _send(self, request: ChatRequest) -> Reply | Fault:
        started = anyio.current_time()
        timeout_s = self._settings.reply_timeout_s
        try:
            with anyio.fail_after(timeout_s):
                outcome = await self._wire.send(request)
        except TimeoutError:
            return Fault("slow", f"no reply within {timeout_s:g} s (SRAG_REPLY_TIMEOUT_S)")
        if isinstance(outcome, Fault):
            return replace(outcome, message=hide_keys(outcome.message, self._settings))
        return replace(outcome, seconds=anyio.current_time() - started)

    def _ask_for_less(self, outcome: Reply | Fault, request: ChatRequest) -> ChatRequest | None:
        """Leave out what was not accepted; None if that was not it, or nothing is left."""
        if isinstance(outcome, Reply):
            return None
        if outcome.kind == "temperature" and request.temperature is not None:
            return replace(request, temperature=None)
        weaker = REPLY_FORMS[REPLY_FORMS.index(request.form) + 1 :]
        if outcome.kind in {"form", "temperature"} and self._settings.reply_format == "auto":
            return replace(request, form=weaker[0]) if weaker else None
        return None

    def _wait_s(self, prompt: Prompt, faults: Sequence[Fault]) -> float:
        """Return how long to wait before the next try; ModelError if there is no use in one."""
        patience, fault, n_tries = self._patience, faults[-1], len(faults)
        about = f"{prompt.step} ({prompt.subject}): {fault.message}"
        if fault.kind == "too_long":
            advice = "Take a model that can read more"
            if prompt.step in {"schema", "records"}:
                shown = self._settings.prompt_tokens
                advice = f"Set a smaller SRAG_PROMPT_TOKENS (now {shown}), or take another model"
            msg = f"{about.rstrip('.')}. {advice}"
            raise PromptTooLongError(msg)
        if fault.kind == "refused":
            raise PromptRefusedError(about)
        is_nowhere = not self._accepted  # else a model was there, and may be again
        if fault.kind == "stopped" or (fault.kind == "absent" and is_nowhere):
            self._stop(fault.message)
        if fault.kind in {"form", "temperature"}:
            self._lose(fault, about)
        n_slow = sum(item.kind in {"slow", "no_chat"} for item in faults)
        if n_tries >= patience.n_tries or n_slow >= patience.n_slow_tries:
            if fault.kind == "no_chat" and is_nowhere:
                self._stop(fault.message)
            self._lose(fault, f"{about} (tried {n_tries} times)")
        if fault.retry_after_s is not None and fault.retry_after_s > patience.longest_wait_s:
            self._stop(f"{fault.message} (it asks to wait {fault.retry_after_s:.0f} s)")
        doubled = patience.first_wait_s * 2.0 ** (n_tries - 1)
        wait_s = min(doubled, patience.longest_wait_s) * random.uniform(0.5, 1.5)
        return max(wait_s, fault.retry_after_s or 0.0)

    def _lose(self, fault: Fault, about: str) -> NoReturn:
        """Give a prompt up, and all of them if none has had a reply for a while."""
        self._n_lost += 1
        if self._n_lost >= self._patience.n_lost_prompts:
            n_lost = self._n_lost
            self._stop(f"{n_lost} prompts in a row had no reply; the last one: {fault.message}")
        raise ModelError(about)

    def _stop(self, problem: str) -> NoReturn:
        self._stops.append(problem)
        raise ModelStoppedError(self._say(problem))

    def _say(self, problem: str) -> str:
        base = self._settings.api_base
        place, key = (f" at {base}", "SRAG_API_KEY") if base else ("", "the key of the provider")
        return (
            f"the language model {self._settings.model}{place} cannot be asked: {problem}."
            f" Check SRAG_MODEL (--model), SRAG_API_BASE and {key}; what is answered is kept, start"
            " the same command again to go on"
        )


class AdaptiveLimiter:
    """Lets a number of requests in that is halved by a rate limit and grows again."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._places = anyio.CapacityLimiter(most)
        self._n_good = 0
        self._n_shrunk = 0
        self._not_before = 0.0

    @property
    def limit(self) -> int:
        """Most requests in flight at present."""
        return int(self._places.total_tokens)

    @asynccontextmanager
    async def place(self) -> AsyncIterator[int]:
        """Wait for a place, and for the end of a pause; yield what `slow_down` wants to know."""
        async with self._places:
            await anyio.sleep(max(0.0, self._not_before - anyio.current_time()))
            yield self._n_shrunk

    def slow_down(self, round_: int, pause_s: float) -> None:
        """Take note of a rate limit: send nothing for *pause_s*, and halve the limit.

        *round_* is what `place` yielded: all that were in flight together halve it only once.
        """
        self._not_before = max(self._not_before, anyio.current_time() + pause_s)
        self._n_good = 0
        if round_ == self._n_shrunk:
            self._n_shrunk += 1
            self._places.total_tokens = max(1, self.limit // 2)

    def speed_up(self) -> None:
        """Take note of a good reply; as many as the limit make it a little higher."""
        self._n_good += 1
        if self._n_good >= self.limit < self._most:
            self._n_good = 0
            higher = self.limit + max(1, self._most // _STEPS_TO_MOST)
            self._places.total_tokens = min(self._most, higher)


def open_model(settings: Settings, patience: Patience | None = None) -> LanguageModel:
    """Return the model that `model` names; SettingsError if there is none.

    `replay:<file>` answers from a recording. With an `api_base`, `openai/<name>` and a name without
    a provider mean a server of one's own; all others are as litellm names them. Nothing is loaded
    or asked yet: a wrong key or an unknown model is found by the first prompt.
    """
    named = _named(settings)
    if named.startswith(REPLAY):
        return ReplayModel(Path(named.removeprefix(REPLAY)))
    wire: Wire = LitellmWire(named, settings)
    if settings.api_base and _is_own_server(named, settings):
        wire = OpenAIWire(named.removeprefix(_OPENAI), settings.api_base, settings)
    return RemoteModel(wire, settings, patience)


def price_of(settings: Settings) -> Price | None:
    """Return what the model charges; None where that is not known. May load litellm: 2 s."""
    named = _named(settings)
    if named.startswith(REPLAY):
        return Price(0.0, 0.0, 0.0)
    return None if _is_own_server(named, settings) else find_price(named)


def load_library(settings: Settings) -> None:
    """Import what the model is asked through: up to 2 s; the first prompt would wait for it."""
    named = _named(settings)
    if named.startswith(REPLAY):
        return
    if _is_own_server(named, settings):
        import aiohttp  # noqa: F401 - only to have it loaded
    else:
        load_litellm()


def _is_own_server(named: str, settings: Settings) -> bool:
    """Whether the model *named* is asked at the `api_base` of *settings*, without litellm."""
    return bool(settings.api_base) and (named.startswith(_OPENAI) or "/" not in named)


def _named(settings: Settings) -> str:
    if settings.model:
        return settings.model
    msg = (
        "no language model is named. Set SRAG_MODEL or --model, for example openai/gpt-4o-mini"
        " with OPENAI_API_KEY, or openai/<name> with SRAG_API_BASE for a server of your own; the"
        " engines `offline` and `agent` need none"
    )
    raise SettingsError(msg)
