"""What went wrong with a request, in our words: what litellm raises, sorted."""

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal[
    "too_long", "refused", "form", "temperature", "stopped", "busy", "slow", "down"
]

_PREFIXES = re.compile(r"\A(?:(?:litellm\.)?\w*(?:Error|Exception|Timeout)(?: - |: ))+")
_TOO_LONG = re.compile(r"request too large|context (?:length|size|window)", re.IGNORECASE)
_REFUSED = re.compile(r"content_policy|content_filter|content management policy", re.IGNORECASE)
_NO_CREDIT = re.compile(r"insufficient_quota|insufficient credit|credit balance", re.IGNORECASE)
_STOPPING = frozenset({401, 402, 403, 404})
_WORDS_SHOWN = 300


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

    message = _clean(error)
    status = getattr(error, "status_code", None)
    if isinstance(error, exceptions.ContextWindowExceededError) or _TOO_LONG.search(message):
        return Fault("too_long", message)
    if isinstance(error, exceptions.ContentPolicyViolationError) or _REFUSED.search(str(error)):
        return Fault("refused", message)
    if "LLM Provider NOT provided" in str(error):
        return Fault("stopped", "litellm knows no provider of that name")
    if status in _STOPPING or _has_no_credit(error):
        return Fault("stopped", message)
    return _find_passing_fault(error, status, message)


def _find_passing_fault(error: Exception, status: int | None, message: str) -> Fault:
    from litellm import exceptions

    if isinstance(error, exceptions.Timeout | TimeoutError):
        return Fault("slow", message)
    if isinstance(error, exceptions.RateLimitError):
        return Fault("busy", message, _retry_after_s(error))
    if isinstance(error, exceptions.BadRequestError | exceptions.UnprocessableEntityError):
        return Fault("temperature" if "temperature" in message else "form", message)
    if status is None:  # not an answer of the provider: litellm itself stumbled over the request
        return Fault("form", f"{type(error).__name__}: {message}")
    return Fault("down", message, _retry_after_s(error))


def _has_no_credit(error: Exception) -> bool:
    told = f"{error} {getattr(error, 'code', '')} {getattr(error, 'body', '')}"
    return bool(_NO_CREDIT.search(told))


def _clean(error: Exception) -> str:
    """Return the provider's own words, without the names of classes before and JSON around them."""
    text = str(error)
    start = text.find("{")
    if start >= 0:
        try:
            told, _ = json.JSONDecoder().raw_decode(text[start:])
            text = str(told["error"]["message"])
        except (ValueError, KeyError, TypeError):
            pass
    text = " ".join(_PREFIXES.sub("", text.strip()).split())
    return text[:_WORDS_SHOWN] or type(error).__name__


def _retry_after_s(error: Exception) -> float | None:
    """Read how long the provider asks us to wait: seconds, milliseconds or a date."""
    headers = getattr(error, "litellm_response_headers", None) or {}
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
