"""The litellm library: loaded late, quiet, and without a network."""

import asyncio
import logging
import os
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import TypeVar, TypeVarTuple, Unpack

import anyio

Result = TypeVar("Result")
Arguments = TypeVarTuple("Arguments")

_NOISY = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "httpx", "openai")


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
    """Close what litellm keeps open for the running event loop; call it before the loop ends.

    Nothing happens where litellm was never loaded. Those of other loops, in other threads, stay.
    """
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
