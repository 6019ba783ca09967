"""The environment variables in which providers look for their keys; names, never values."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from srag_mcp.model.keys import key_to_send
from srag_mcp.model.litellm_library import load_litellm
from srag_mcp.model.uncounted import REPLAY
from srag_mcp.settings import PREFIX, Settings

_OWN = f"{PREFIX}API_KEY"
_ALTERNATIVE = "_API_KEY"
_SECRET = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD)(?:_ID)?\Z")


def find_key_variables(settings: Settings) -> tuple[str, ...]:
    """Name the variables that hold the key for the model of *settings*, whether set or not.

    None for a recording, for a server of one's own, and where litellm does not know the provider.
    May load litellm: 2 s.

    `openai/gpt-4o-mini` -> `("OPENAI_API_KEY",)`
    """
    if settings.api_key:
        return (_OWN,)
    model = settings.model or REPLAY
    if model.startswith(REPLAY) or key_to_send(model, settings) is not None:
        return ()
    litellm = load_litellm()
    with _without_secrets():
        found = litellm.validate_environment(model, api_base=settings.api_base)
    names = [name for name in found["missing_keys"] if _SECRET.search(name)]
    return tuple(_one_of_each(names, model.partition("/")[0]))


def _one_of_each(names: Sequence[str], provider: str) -> Iterator[str]:
    """Leave out the alternatives: one that is set, else one that is called after the provider."""
    keys = [name for name in names if name.endswith(_ALTERNATIVE)]
    if keys:
        yield min(keys, key=lambda name: (name not in os.environ, provider.upper() not in name))
    yield from (name for name in names if name not in keys)


@contextmanager
def _without_secrets() -> Iterator[None]:
    """Hide the keys of the environment: litellm names only those that are not there."""
    held = {name: value for name, value in os.environ.items() if _SECRET.search(name)}
    for name in held:
        del os.environ[name]
    try:
        yield
    finally:
        os.environ.update(held)
