"""Keys of providers: which can be sent, and how none is shown or written down."""

import os
import re

from srag_mcp.model.faults import Fault
from srag_mcp.settings import Settings

HIDDEN = "[key]"
_SECRET = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD)\Z")
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


def find_bad_key(key: str | None) -> Fault | None:
    """Return why *key* cannot be sent: a header holds no line breaks, and ASCII only."""
    if not key or (key.isascii() and key.isprintable()):
        return None
    return Fault("stopped", "the key has a line break or a character that no key has; set it anew")
