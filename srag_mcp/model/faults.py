"""What can go wrong with a provider, and which key it gets."""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal, TypeAlias

from srag_mcp.settings import Settings

Kind: TypeAlias = Literal[
    "too_long",
    "refused",
    "form",
    "temperature",
    "stopped",
    "busy",
    "slow",
    "down",
    "absent",
    "no_chat",
]

_PREFIXES = re.compile(r"\A(?:(?:litellm\.)?\w*(?:Error|Exception|Timeout)(?: - |: ))+")
_TRACEBACK = re.compile(r"\s*Traceback \(most recent call last\).*", re.DOTALL)
_TOO_LONG = re.compile(
    r"request too large|context[ _](?:length|size|window)|prompt is too long", re.IGNORECASE
)
_EXCESS = r"exceed\w*|overflow\w*|too (?:long|large|many|big)|(?:longer|larger|greater) than"
_TOO_LONG_IN_WORDS = re.compile(
    rf"\b(?:tokens?|context|prompt|inputs?)\b.{{0,80}}?\b(?:{_EXCESS})"
    rf"|\b(?:{_EXCESS}|max(?:imum)?)\b.{{0,60}}?\b(?:tokens?|context|prompt)\b"
    r"|\btokens?\b.{0,60}?(?:<=?|\bat most\b|\b(?:less|fewer) than\b)"
    r"|(?:<=?|\bat most|\b(?:less|fewer) than) [\d,]+ (?:\w+ )?tokens\b"
    r"|\breduce the length\b",
    re.IGNORECASE,
)
_REFUSED = re.compile(r"content_policy|content_filter|content management policy", re.IGNORECASE)
_NO_CREDIT = re.compile(r"insufficient_quota|insufficient credit|credit balance", re.IGNORECASE)
_TOO_BUSY = re.compile(r"rate.?limit|too many requests|overloaded", re.IGNORECASE)
_NO_CHAT = re.compile(  # litellm 1.106
    r"\AUnable to get json response .*\(char 0\)|\AExpecting value: .*\(char 0\)"
    r"|no 'choices'|\A(?:Invalid|Error in) response object|object has no attribute 'get'"
)
_BAD_REQUEST = frozenset({400, 415, 422})
_WORDS_COUNT = frozenset({200, 400, 413, 422, 500})  # 429 has words of tokens a minute
_STOPPING = frozenset({401, 402, 403, 404, 405})
_TOO_LARGE, _TIMED_OUT, _BUSY = 413, 408, 429
_OK, _FIRST_STATUS, _LAST_STATUS = 200, 400, 599
_CHARACTERS_SHOWN = 300


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a request brought no reply.

    Attributes:
        kind: `form`: a parameter or the schema is not accepted; `busy`: a rate limit; `slow`: a
            time-out; `down`: the server failed; `absent`: nobody is there. These four may pass.
            `no_chat`: it answered, with what is no chat reply, and may have been paid for it.
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
    if isinstance(status, int) and not _NO_CHAT.search(message):
        return sort_status(status, told, getattr(error, "litellm_response_headers", None) or {})
    if _NO_CHAT.search(message):
        return Fault("no_chat", f"the server sent no chat reply: {message}")
    # litellm itself stumbled, over a status of 422 for example
    return Fault("form", f"{type(error).__name__}: {message}")


def sort_status(status: int, text: str, headers: Mapping[str, str]) -> Fault:
    """Sort an HTTP status other than 200; *text* is the body, or what litellm made of it."""
    message = _clean(text)
    says_so = status in _WORDS_COUNT and _TOO_LONG_IN_WORDS.search(message)
    kind: Kind = "down"
    if status == _TOO_LARGE or _TOO_LONG.search(text) or says_so:
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


def sort_error(said: object) -> Fault:
    """Sort an error that came with the status 200, as the `error` of a body.

    `{"message": "Pay first", "code": 402}` is that status; words alone say what they can.
    """
    text = json.dumps({"error": said}, ensure_ascii=False)
    code = str(said.get("code") if isinstance(said, dict) else None)
    if code.isdecimal() and _FIRST_STATUS <= int(code) <= _LAST_STATUS:
        return sort_status(int(code), text, {})
    fault = sort_status(_OK, text, {})
    if fault.kind != "down":
        return fault
    return replace(fault, kind="busy" if _TOO_BUSY.search(text) else "no_chat")


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
    words = _TRACEBACK.sub("", _PREFIXES.sub("", text.strip()))
    return " ".join(words.split())[:_CHARACTERS_SHOWN]


def _retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Read how long the provider asks us to wait: seconds, milliseconds or a date."""
    in_ms, said = headers.get("retry-after-ms"), str(headers.get("retry-after") or "")
    try:
        if in_ms:
            return max(0.0, float(in_ms) / 1000)
        if said.replace(".", "", 1).isdigit():
            return float(said)
        return max(0.0, (parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


NO_KEY = "none"
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
            text = text.replace(key, "[key]")
    return text


def key_to_send(settings: Settings) -> str | None:
    """Return the key for the server of *settings*; None leaves it to the provider's variable.

    A server at an address of one's own never gets a key that was meant for another one.
    """
    return settings.api_key or (NO_KEY if settings.api_base else None)


def find_bad_key(key: str | None) -> Fault | None:
    """Return why *key* cannot be sent: a header holds no line breaks, and ASCII only."""
    if not key or (key.isascii() and key.isprintable()):
        return None
    return Fault("stopped", "the key has a line break or a character that no key has; set it anew")
