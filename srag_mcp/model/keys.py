"""Keys of providers: which can be sent, and how none is shown or written down."""

import os
import re
from urllib.parse import urlsplit

from srag_mcp.model.faults import Fault
from srag_mcp.settings import Settings

HIDDEN = "[key]"
NO_KEY = "none"
_SECRET = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD)\Z")
_DOMAINS = {"bedrock": "amazonaws", "gemini": "googleapis", "vertex": "googleapis", "xai": "x"}
_SHORTEST = 8  # shorter ones, such as `none`, are words


def hide_keys(text: str, settings: Settings) -> str:
    """Return *text* without the key of *settings*, and without those of the environment.

    `"Incorrect API key provided: sk-1234567890" -> "Incorrect API key provided: [key]"`
    """
    named = [value for name, value in os.environ.items() if _SECRET.search(name.upper())]
    keys = {key.strip() for key in (settings.api_key or "", *named)}
    for key in sorted(keys, key=len, reverse=True):
        if len(key) >= _SHORTEST:
            text = text.replace(key, HIDDEN)
    return text


def is_address_of_provider(model: str, api_base: str) -> bool:
    """Whether *api_base* is an address of the provider of *model*, whose variable has its key.

    `("openai/gpt-4o-mini", "https://api.openai.com/v1")` is one; a server of one's own is none, and
    none is one without TLS.
    """
    named = model.partition("/")[0] if "/" in model else "openai"
    provider = named.partition("_")[0]
    address = urlsplit(api_base)
    *_, domain, _ = ["", "", *(address.hostname or "").split(".")]
    return address.scheme == "https" and domain == _DOMAINS.get(provider, provider)


def key_to_send(model: str, settings: Settings) -> str | None:
    """Return the key for the server of *settings*; None leaves it to the provider's variable.

    A server at an address of one's own never gets a key that was meant for another one.
    """
    base = settings.api_base
    if settings.api_key or not base or is_address_of_provider(model, base):
        return settings.api_key
    return NO_KEY


def find_bad_key(key: str | None) -> Fault | None:
    """Return why *key* cannot be sent: a header holds no line breaks, and ASCII only."""
    if not key or (key.isascii() and key.isprintable()):
        return None
    return Fault("stopped", "the key has a line break or a character that no key has; set it anew")
