"""Any provider or local server, through litellm."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NoReturn

import anyio
import anyio.to_thread

from srag_mcp.errors import (
    ModelError,
    ModelStoppedError,
    PromptRefusedError,
    PromptTooLongError,
    SettingsError,
)
from srag_mcp.model.chat_request import (
    REPLY_FORMS,
    ReplyForm,
    write_messages,
    write_response_format,
)
from srag_mcp.model.concurrency import AdaptiveLimiter
from srag_mcp.model.faults import Fault, find_fault
from srag_mcp.model.language_model import Prompt, Reply, Step
from srag_mcp.model.provider import Provider, Route
from srag_mcp.settings import Settings

_STUMBLES = (AttributeError, IndexError, KeyError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class Patience:
    """How often and how long to try again.

    Attributes:
        n_tries: Of one prompt, when the server is busy or down.
        n_slow_tries: Of one prompt, when no reply comes in time: each may have been paid for.
        n_lost_prompts: So many prompts in a row without any reply end the run.
        first_wait_s: Before the second try; then twice as long each time, more or less by chance.
        longest_wait_s: Longer waits that a provider asks for end the run.
    """

    n_tries: int = 6
    n_slow_tries: int = 2
    n_lost_prompts: int = 5
    first_wait_s: float = 0.5
    longest_wait_s: float = 90.0


@dataclass(frozen=True, slots=True)
class _Manner:
    """How this model wants to be asked; found out by the first prompts."""

    form: ReplyForm
    temperature: float | None = 0.0


class LitellmModel:
    """Completes prompts through litellm; tries again what may pass, and says what does not.

    A server of one's own that speaks OpenAI's protocol is asked through litellm's own client: it
    takes half the time of the one of OpenAI, and copes with more of what servers answer.
    """

    def __init__(self, settings: Settings, patience: Patience | None = None) -> None:
        """Take note of the settings; nothing is loaded yet.

        Raises:
            SettingsError: If no model is named.
        """
        if not settings.model:
            msg = "no language model is named: set SRAG_MODEL or --model"
            raise SettingsError(msg)
        self._settings = settings
        self._patience = patience or Patience()
        self._limiter = AdaptiveLimiter(settings.concurrency)
        self._route = Route.of(settings.model, settings)
        fixed = settings.reply_format
        self._first_manner = _Manner("schema" if fixed == "auto" else fixed)
        self._manners: dict[Step, _Manner] = {}  # schemas differ between steps
        self._provider: Provider | None = None
        self._loading = anyio.Lock()
        self._n_lost = 0

    @property
    def n_in_flight_most(self) -> int:
        """How many requests may be in flight at present."""
        return self._limiter.limit

    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        """Ask the model, and try again what may pass.

        Raises:
            ModelStoppedError: If no further prompt can be answered either: a wrong key, an unknown
                model, no credit, a server that is gone.
            PromptTooLongError: If the prompt is longer than the model can read.
            PromptRefusedError: If the provider refuses it for its content.
            ModelError: If no reply could be had to this prompt.
        """
        provider = await self._load()
        manner = self._manners.get(prompt.step, self._first_manner)
        request = _Request(prompt, reply_schema, manner)
        while True:
            async with self._limiter.place() as round_:
                outcome = await self._try(provider, request)
            if isinstance(outcome, Reply):
                self._n_lost = 0
                self._manners[prompt.step] = request.manner
                self._limiter.speed_up()
                return outcome
            await self._take(outcome, request, round_)

    async def _load(self) -> Provider:
        if self._provider is not None:
            return self._provider
        async with self._loading:
            if self._provider is None:
                provider = await anyio.to_thread.run_sync(Provider.load, self._route)
                missing = provider.missing_key()
                if missing:
                    raise ModelStoppedError(self._say(f"no key is set: {missing}"))
                self._provider = provider
        return self._provider

    async def _try(self, provider: Provider, request: "_Request") -> Reply | Fault:
        """Send the request once."""
        import openai  # loaded already, by litellm

        started = anyio.current_time()
        timeout_s = self._settings.reply_timeout_s
        try:
            with anyio.fail_after(timeout_s + 1):  # litellm's own limit is one of silence
                answer = await provider.litellm.acompletion(
                    **self._route.parameters(),
                    **request.parameters(provider),
                    timeout=timeout_s,
                    num_retries=0,
                    max_retries=0,
                )
        except TimeoutError:
            return Fault("slow", f"no reply within {timeout_s:g} s")
        except (openai.OpenAIError, *_STUMBLES) as error:
            return find_fault(error)
        reply = provider.read_answer(answer)
        if isinstance(reply, Fault):
            return reply
        return replace(reply, seconds=anyio.current_time() - started)

    async def _take(self, fault: Fault, request: "_Request", round_: int) -> None:
        """Prepare the next try.

        Raises:
            ModelError: If there is none; which one says what to do next.
        """
        if fault.kind in {"form", "temperature"} and request.ask_for_less(
            fault, fixed=self._settings.reply_format != "auto"
        ):
            return
        self._raise_what_lasts(fault, request.prompt)
        request.n_tries += 1
        request.n_slow_tries += fault.kind == "slow"
        wait_s = self._wait_s(fault, request)
        if fault.kind == "busy":
            self._limiter.slow_down(round_, fault.retry_after_s or wait_s)
        await anyio.sleep(wait_s)

    def _raise_what_lasts(self, fault: Fault, prompt: Prompt) -> None:
        about = f"{prompt.step} ({prompt.subject}): {fault.message}"
        if fault.kind == "too_long":
            raise PromptTooLongError(about)
        if fault.kind == "refused":
            raise PromptRefusedError(about)
        if fault.kind == "stopped":
            raise ModelStoppedError(self._say(fault.message))
        if fault.kind in {"form", "temperature"}:
            self._lose(fault, about)

    def _wait_s(self, fault: Fault, request: "_Request") -> float:
        """Return how long to wait before the next try.

        Raises:
            ModelError: If there have been enough.
        """
        patience = self._patience
        about = f"{request.prompt.step} ({request.prompt.subject}): {fault.message}"
        if request.n_tries >= patience.n_tries or request.n_slow_tries >= patience.n_slow_tries:
            self._lose(fault, f"{about} (tried {request.n_tries} times)")
        if fault.retry_after_s is not None and fault.retry_after_s > patience.longest_wait_s:
            msg = f"{fault.message} (it asks to wait {fault.retry_after_s:.0f} s)"
            raise ModelStoppedError(self._say(msg))
        doubled = patience.first_wait_s * 2.0 ** (request.n_tries - 1)
        wait_s = min(doubled, patience.longest_wait_s) * random.uniform(0.5, 1.5)
        return max(wait_s, fault.retry_after_s or 0.0)

    def _lose(self, fault: Fault, about: str) -> NoReturn:
        """Give a prompt up.

        Raises:
            ModelStoppedError: If none has had a reply for a while.
            ModelError: Otherwise.
        """
        self._n_lost += 1
        if self._n_lost >= self._patience.n_lost_prompts:
            msg = f"{self._n_lost} prompts in a row had no reply; the last one: {fault.message}"
            raise ModelStoppedError(self._say(msg))
        raise ModelError(about)

    def _say(self, problem: str) -> str:
        place = f" at {self._settings.api_base}" if self._settings.api_base else ""
        return (
            f"the language model {self._settings.model}{place} cannot be asked: {problem}."
            " Check SRAG_MODEL (--model), SRAG_API_BASE and the key of the provider; what is"
            " answered is kept, start the same command again to go on"
        )


@dataclass(slots=True)
class _Request:
    """A prompt on its way, with what was tried."""

    prompt: Prompt
    reply_schema: Mapping[str, object]
    manner: _Manner
    n_tries: int = 0
    n_slow_tries: int = 0

    def parameters(self, provider: Provider) -> dict[str, object]:
        form = self.manner.form
        shown = form != "schema" or not provider.shows_schema
        return {
            "messages": write_messages(
                self.prompt,
                self.reply_schema if shown else None,
                mark_cache=provider.caches_marked,
            ),
            "response_format": write_response_format(form, self.reply_schema),
            "temperature": self.manner.temperature,
        }

    def ask_for_less(self, fault: Fault, *, fixed: bool) -> bool:
        """Leave out what was not accepted; say whether there was something to leave out."""
        if fault.kind == "temperature" and self.manner.temperature is not None:
            self.manner = replace(self.manner, temperature=None)
            return True
        weaker = REPLY_FORMS[REPLY_FORMS.index(self.manner.form) + 1 :]
        if fixed or not weaker:
            return False
        self.manner = replace(self.manner, form=weaker[0])
        return True
