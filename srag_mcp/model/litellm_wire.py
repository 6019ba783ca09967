"""The wire to any provider, through litellm."""

import re
from dataclasses import dataclass, replace
from types import ModuleType

import anyio
import anyio.to_thread

from srag_mcp.model.chat_reply import read_chat
from srag_mcp.model.chat_request import ChatRequest
from srag_mcp.model.faults import Fault, find_fault
from srag_mcp.model.keys import find_bad_key, key_to_send
from srag_mcp.model.language_model import Reply
from srag_mcp.model.litellm_library import load_litellm
from srag_mcp.model.prices import Price, find_price
from srag_mcp.model.proxies import spare_loopback
from srag_mcp.settings import Settings

_STUMBLES = (AttributeError, IndexError, KeyError, TypeError, ValueError)
_NO_CONNECTION = re.compile(r"Connection error|Cannot connect to host")
_CACHE_WHAT_IS_MARKED = ("anthropic/", "claude")


@dataclass(frozen=True, slots=True)
class _Library:
    """litellm, and what it knows about the model.

    Attributes:
        price: None where it is not known.
        shows_schema: Whether the provider itself tells the model the schema of the reply.
        missing_key: The environment variable of the key that is missing; empty if none is.
    """

    litellm: ModuleType
    price: Price | None
    shows_schema: bool
    missing_key: str


class LitellmWire:
    """Sends requests through litellm."""

    def __init__(self, model: str, settings: Settings) -> None:
        self._model = model
        self._settings = settings
        self._key = key_to_send(model, settings)
        self._library: _Library | None = None
        self._loading = anyio.Lock()

    def load(self) -> None:
        """Import litellm: 2 s at the first time."""
        load_litellm()

    async def open(self) -> Fault | None:
        """Load litellm, which takes 2 s, and look whether there is a key; nothing is sent."""
        bad = find_bad_key(self._settings.api_key)
        if bad is not None:
            return bad
        missing = (self._library or await self._load_once()).missing_key
        return Fault("stopped", f"no key is set: {missing}") if missing else None

    async def find_price(self) -> Price | None:
        """Return the price that litellm lists; None where it lists none."""
        return (self._library or await self._load_once()).price

    async def send(self, request: ChatRequest) -> Reply | Fault:
        """Send *request* once."""
        import openai  # loaded already, by litellm

        library = self._library
        if library is None:
            return Fault("down", "the library was not loaded")
        messages = request.messages(
            shows_schema=library.shows_schema,
            mark_cache=self._model.startswith(_CACHE_WHAT_IS_MARKED),
        )
        settings = self._settings
        try:
            answer = await library.litellm.acompletion(
                model=self._model,
                messages=messages,
                **request.options(),
                api_base=settings.api_base,
                api_key=self._key,
                timeout=settings.reply_timeout_s,
                num_retries=0,
                max_retries=0,
            )
        except (openai.OpenAIError, *_STUMBLES) as error:
            return self._name_address(find_fault(error))
        return read_chat(answer, self._model, library.price, request)

    def _name_address(self, fault: Fault) -> Fault:
        """Say where nobody answers: litellm does not."""
        if not _NO_CONNECTION.search(fault.message):
            return fault
        base = self._settings.api_base
        said = f"nothing answers at {base}; start the server, or put SRAG_API_BASE right"
        if not base:
            said = f"the provider of {self._model} cannot be reached; check the network"
        return replace(fault, message=said)

    async def _load_once(self) -> _Library:
        async with self._loading:
            if self._library is None:
                self._library = await anyio.to_thread.run_sync(self._load)
            return self._library

    def _load(self) -> _Library:
        spare_loopback(self._settings.api_base or "")
        litellm = load_litellm()
        settings = self._settings
        found = litellm.validate_environment(
            self._model, api_key=self._key, api_base=settings.api_base
        )
        missing = [name for name in found["missing_keys"] if name.endswith("_API_KEY")]
        return _Library(
            litellm,
            price=find_price(self._model),
            shows_schema=bool(litellm.supports_response_schema(model=self._model)),
            missing_key=f"{' or '.join(missing)} (or SRAG_API_KEY)" if missing else "",
        )
