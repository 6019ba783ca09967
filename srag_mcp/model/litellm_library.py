"""litellm: loaded late, quiet and without a network; any provider is asked through it."""

import asyncio
import importlib.util
import json
import logging
import os
import re
import sys
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import TypeVar, TypeVarTuple, Unpack

import anyio
import anyio.to_thread

from srag_mcp.model.language_model import Price, Reply
from srag_mcp.model.openai_wire import (
    ChatRequest,
    Fault,
    Wire,
    find_fault,
    key_to_send,
    read_chat,
    spare_loopback,
)
from srag_mcp.settings import Settings

Result = TypeVar("Result")
Arguments = TypeVarTuple("Arguments")

_NOISY = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "httpx", "openai")
_LIST = "model_prices_and_context_window_backup.json"
_STUMBLES = (AttributeError, IndexError, KeyError, TypeError, ValueError)
_NO_CONNECTION = re.compile(r"Connection error|Cannot connect to host")
_CACHE_WHAT_IS_MARKED = ("anthropic/", "claude")


def load_litellm() -> ModuleType:
    """Import litellm: 2 s at the first time, so call it in a thread.

    Its import would fetch a table of prices, and its errors would print to stdout, where MCP is.
    """
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # only read at the import
    os.environ.setdefault("LITELLM_LOG", "CRITICAL")
    import litellm  # 2 s and 170 MB: not before the first call

    litellm.suppress_debug_info = True
    litellm.drop_params = True  # what a model does not know, such as a temperature, is left out
    for name in _NOISY:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    module: ModuleType = litellm
    return module


async def close_connections() -> None:
    """Close what litellm, if loaded, keeps open for the running loop, before that ends."""
    litellm = sys.modules.get("litellm")
    if litellm is None:
        return
    clients = litellm.in_memory_llm_clients_cache.cache_dict  # the keys end with the loop's id
    mine = f"-{id(asyncio.get_running_loop())}"
    for key in [name for name in clients if name.endswith(mine)]:
        await clients.pop(key).close()


def run_to_end(
    function: Callable[[Unpack[Arguments]], Awaitable[Result]], *arguments: *Arguments
) -> Result:
    """Run *function* in an event loop of its own, and leave no connection to a model open.

    Where this thread runs one already, as a notebook does, it is done in another thread.
    """

    async def run() -> Result:
        try:
            return await function(*arguments)
        finally:
            with anyio.CancelScope(shield=True):
                await close_connections()

    try:
        return anyio.run(run)
    except RuntimeError as error:
        # anyio says so before it begins; there is no public way to ask
        if not str(error).startswith("Already running"):
            raise
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(anyio.run, run).result()


class LitellmWire(Wire):
    """Sends requests through litellm; *price* is None until it is opened, or not known."""

    def __init__(self, model: str, settings: Settings) -> None:
        self.model = model
        self.settings = settings
        self._key = key_to_send(settings)
        self._opening = anyio.Lock()
        self._is_open = False
        self._hindrance: Fault | None = None
        self.price: Price | None = None
        self._shows_schema = False  # whether the provider itself tells the model the schema

    async def open(self) -> Fault | None:
        """Load litellm, which takes 2 s, and what it knows of the model; look for a missing key."""
        async with self._opening:
            if not self._is_open:
                self._hindrance = await anyio.to_thread.run_sync(self._load)
                self._is_open = True
        return self._hindrance

    async def send(self, request: ChatRequest) -> Reply | Fault:
        """Send *request* once; it was opened before."""
        import litellm  # loaded already, and openai by it
        import openai

        try:
            answer = await self.call(litellm, request)
        except (openai.OpenAIError, *_STUMBLES) as error:
            fault = find_fault(error)
            if not _NO_CONNECTION.search(fault.message):
                return fault
            said = f"the provider of {self.model} cannot be reached; check the network"
            if self.settings.api_base:  # litellm does not say where nobody answers
                base = self.settings.api_base
                said = f"nothing answers at {base}; start the server, or put SRAG_API_BASE right"
            return replace(fault, kind="absent", message=said)
        return self.read(answer, request)

    async def call(self, litellm: ModuleType, request: ChatRequest) -> object:
        """Call the function of litellm that answers *request*."""
        messages = request.messages(
            shows_schema=self._shows_schema, mark_cache=self.model.startswith(_CACHE_WHAT_IS_MARKED)
        )
        return await litellm.acompletion(
            messages=messages, **request.options(), **self.common_options()
        )

    def common_options(self) -> dict[str, object]:
        """Return what each call says: who is asked, where, by which key, and how patiently."""
        return {
            "model": self.model,
            "api_base": self.settings.api_base,
            "api_key": self._key,
            "timeout": self.settings.reply_timeout_s,
            "num_retries": 0,
            "max_retries": 0,
        }

    def read(self, answer: object, request: ChatRequest) -> Reply | Fault:
        """Read what came back."""
        return read_chat(answer, self.model, self.price, request)

    def _load(self) -> Fault | None:
        base = self.settings.api_base
        spare_loopback(base or "")
        litellm = load_litellm()
        self.price = find_price(self.model)
        self._shows_schema = bool(litellm.supports_response_schema(model=self.model))
        found = litellm.validate_environment(self.model, api_key=self._key, api_base=base)
        missing = [name for name in found["missing_keys"] if name.endswith("_API_KEY")]
        told = f"no key is set: {' or '.join(missing)} (or SRAG_API_KEY)"
        return Fault("stopped", told) if missing else None


@lru_cache(maxsize=8)
def find_price(model: str) -> Price | None:
    """Return the price of a model as litellm names it; None where it is not known.

    What litellm lists by the provider that *model* names is read from its list. Any other name
    loads litellm: 2 s at the first time, so call it in a thread.
    """
    provider, _, own = model.partition("/")
    listed: Mapping[str, Mapping[str, object]] = {}
    spec = importlib.util.find_spec("litellm")  # which imports nothing
    if spec and spec.origin and (path := Path(spec.origin).with_name(_LIST)).is_file():
        listed = json.loads(path.read_bytes())
    if (entry := listed.get(model, listed.get(own, {}))).get("litellm_provider") != provider:
        litellm = load_litellm()
        # Of an unknown name of a known family, `get_model_info` says that it costs 0: what litellm
        # only guesses from other names is not in its list, and has no price.
        try:
            entry = litellm.model_cost.get(str(litellm.get_model_info(model)["key"]), {})
        except litellm.exceptions.ModelNotMappedError:
            return None
    input_usd, output_usd = entry.get("input_cost_per_token"), entry.get("output_cost_per_token")
    if not isinstance(input_usd, int | float) or not isinstance(output_usd, int | float):
        return None
    cached_usd = entry.get("cache_read_input_token_cost")
    cached = float(cached_usd) if isinstance(cached_usd, int | float) else float(input_usd)
    return Price(float(input_usd), float(output_usd), cached)
