"""The litellm library: loaded late, quiet, and without a network."""

import logging
import os
import sys
from types import ModuleType

_NOISY = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "httpx", "openai", "asyncio")


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
    """Close the connections that litellm keeps open; call it where an event loop ends.

    Nothing happens where litellm was never loaded. A later request opens new ones.
    """
    litellm = sys.modules.get("litellm")
    if litellm is not None:
        await litellm.close_litellm_async_clients()
