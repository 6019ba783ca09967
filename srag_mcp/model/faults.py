"""What went wrong with a request, in our words: what servers answer and litellm raises, sorted."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal[
    "too_long", "refused", "form", "temperature", "stopped", "busy", "slow", "down"
]

_PREFIXES = re.compile(r"\A(?:(?:litellm\.)?\w*(?:Error|Exception|Timeout)(?: - |: ))+")
_TOO_LONG = re.compile(
    r"request too large|context[ _](?:length|size|window)|prompt is too long", re.IGNORECASE
)
_REFUSED = re.compile(r"content_policy|content_filter|content management policy", re.IGNORECASE)
_NO_CREDIT = re.compile(r"insufficient_quota|insufficient credit|credit balance", re.IGNORECASE)
_BAD_REQUEST = frozenset({400, 415, 422})
_STOPPING = frozenset({401, 402, 403, 404, 405})
_TOO_LARGE, _TIMED_OUT, _BUSY = 413, 408, 429
_CHARACTERS_SHOWN = 300


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a request brought no reply.

    Attributes:
        kind: `form`: a parameter or the schema is not accepted; `busy`: a rate limit; `slow`: a
            time-out; `down`: the server failed or is not there. The last three may pass.
        message: What the provider says.
        retry_after_s: How long it asks us to wait; None if it does not say.
    """

    kind: Kind
    message: str
    retry_after_s: float | None = None


def find_fault(error: Exception) -> Fault:
    """Sort what litellm raised.

    Source: the classes that litellm 1.106 raises for the replies of a real server; tests pin them.
    """
    # loaded already: the error is one of its own
    from litellm import exceptions

    more = (getattr(error, "code", None), getattr(error, "body", None))
    told = " ".join(str(item) for item in (error, *more) if item)
    message = _clean(str(error)) or type(error).__name__
    if isinstance(error, exceptions.ContextWindowExceededError):
        return Fault("too_long", message)
    if isinstance(error, exceptions.ContentPolicyViolationError):
        return Fault("refused", message)
    if "LLM Provider NOT provided" in told:
        return Fault("stopped", "litellm knows no provider of that name")
    status = getattr(error, "status_code", None)
    if not isinstance(status, int):  # litellm itself stumbled, over a status of 422 for example
        return Fault("form", f"{type(error).__name__}: {message}")
    return sort_status(status, told, getattr(error, "litellm_response_headers", None) or {})


def sort_status(status: int, text: str, headers: Mapping[str, str]) -> Fault:
    """Sort an HTTP status other than 200; *text* is the body, or what litellm made of it."""
    message = _clean(text)
    kind: Kind = "down"
    if status == _TOO_LARGE or _TOO_LONG.search(text):
        kind = "too_long"
    elif _REFUSED.search(text):
        kind = "refused"
    elif status in _STOPPING or _NO_CREDIT.search(text):
        kind = "stopped"
    elif status in _BAD_REQUEST:
        kind = "temperature" if "temperature" in message else "form"
    elif status in {_BUSY, _TIMED_OUT}:
        kind = "busy" if status == _BUSY else "slow"
    return Fault(kind, message or f"status {status}", _retry_after_s(headers))


def _clean(text: str) -> str:
    """Return the provider's own words, without the names of classes before and JSON around them."""
    start = text.find("{")
    if start >= 0:
        try:
            told, _ = json.JSONDecoder().raw_decode(text[start:])
            said = told["error"]
            text = str(said["message"] if isinstance(said, dict) else said)
        except (ValueError, KeyError, TypeError):
            pass
    return " ".join(_PREFIXES.sub("", text.strip()).split())[:_CHARACTERS_SHOWN]


def _retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Read how long the provider asks us to wait: seconds, milliseconds or a date."""
    in_ms, said = headers.get("retry-after-ms"), str(headers.get("retry-after") or "")
    try:
        if in_ms:
            return max(0.0, float(in_ms) / 1000)
        if said.replace(".", "", 1).isdigit():
            return float(said)
        at = parsedate_to_datetime(said)
        return max(0.0, (at - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
