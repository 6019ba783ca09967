"""OpenAI's protocol: chat requests and replies, what goes wrong, the wire to a server of one's own.

With 64 prompts in flight of 0.2 s each there are 3 ms for a request. Of 400 prompts of 1,500
tokens, each took this wire 0.5 ms of processor time, httpx 6, the openai client over it 8 to 9,
litellm over that 9 (two busy cores); and this one loads little.
"""

import json
import os
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from ipaddress import ip_address
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import anyio

from srag_mcp.model.language_model import Price, Prompt, Reply, count_tokens, write_json
from srag_mcp.settings import Settings

if TYPE_CHECKING:
    import aiohttp


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
_TOO_LONG = re.compile(r"request too large|context[ _](?:length|size|window)", re.IGNORECASE)
# of tokens a server speaks where there are too many, but for limits a minute
_OF_LENGTH = re.compile(
    r"\btokens\b|\btoo (?:long|large)\b|longer than|reduce the length|prompt length", re.IGNORECASE
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
_MESSAGE_CHARACTERS = 300


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
    says_so = status in _WORDS_COUNT and _OF_LENGTH.search(message)
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
    wait = str(headers.get("retry-after") or "")  # in seconds
    wait_s = float(wait) if wait.replace(".", "", 1).isdigit() else None
    return Fault(kind, message or f"status {status}", wait_s)


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
    return " ".join(words.split())[:_MESSAGE_CHARACTERS]


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


ReplyForm: TypeAlias = Literal["schema", "json", "text"]
REPLY_FORMS: tuple[ReplyForm, ...] = ("schema", "json", "text")  # the strictest first

Message: TypeAlias = dict[str, object]

_CHARACTERS_SHOWN = 100
_CONNECT_S = 10.0  # three tries of TCP: 0, 1 and 3 s; a packet that is dropped has no other sign
_SPARED = ("no_proxy", "NO_PROXY")
_VERSION = re.compile(r"/v\d")


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A prompt, and how this model wants to be asked; *temperature* None leaves it to the model."""

    prompt: Prompt
    reply_schema: Mapping[str, object]
    form: ReplyForm = "schema"
    temperature: float | None = 0.0

    def messages(self, *, shows_schema: bool, mark_cache: bool = False) -> list[Message]:
        """Write the messages: instructions, content, and each correction as two turns.

        *shows_schema*: the provider itself tells the model the schema of a request. *mark_cache*:
        mark the instructions for providers that cache only what is marked.
        """
        instructions = self.prompt.instructions
        if self.form != "schema" or not shows_schema:
            schema = json.dumps(self.reply_schema, ensure_ascii=False, separators=(",", ":"))
            instructions += f"\n\nReply with one JSON object that fits this JSON Schema:\n{schema}"
        said: object = instructions
        if mark_cache:
            mark = {"type": "ephemeral"}
            said = [{"type": "text", "text": instructions, "cache_control": mark}]
        messages: list[Message] = [
            {"role": "system", "content": said},
            {"role": "user", "content": self.prompt.content},
        ]
        for correction in self.prompt.corrections:
            messages.append({"role": "assistant", "content": correction.reply})
            messages.append({"role": "user", "content": correction.message})
        return messages

    def options(self) -> dict[str, object]:
        """Write what else is asked for: the form of the reply, the temperature."""
        options: dict[str, object] = {}
        if self.temperature is not None:
            options["temperature"] = self.temperature
        if self.form == "schema":
            named = {"name": "reply", "strict": True, "schema": dict(self.reply_schema)}
            options["response_format"] = {"type": "json_schema", "json_schema": named}
        elif self.form == "json":
            options["response_format"] = {"type": "json_object"}
        return options


def read_chat(
    answer: object, named: str, price: Price | None, request: ChatRequest
) -> Reply | Fault:
    """Read a reply from JSON (bytes) or from litellm's object, which came with the status 200.

    Tokens that the server does not count are estimated: a prompt of no token, too. *named* is the
    model, should the reply not say who answered.
    """
    chat = answer
    if isinstance(answer, bytes):
        try:
            chat = json.loads(answer)
        except (ValueError, RecursionError) as error:
            if answer.lstrip()[:1] in {b"", b"{"}:  # it was cut off, and may come whole
                return Fault("down", f"the server sent no whole chat reply: {error}")
            return _describe_other(answer)
    choice = _look(chat, "choices", 0)
    problem = _look(chat, "error") or _look(choice, "error")
    if problem:
        return sort_error(problem)
    if choice is None:
        empty = Fault("down", "the reply of the server has no choices")
        return empty if _look(chat, "choices") == [] else _describe_other(answer)
    finish = _look(choice, "finish_reason")
    if finish == "content_filter" or _look(choice, "message", "refusal"):
        return Fault("refused", "the provider refuses the prompt for its content")
    text = _read_text(_look(choice, "message", "content"))
    counted_in, counted_out, cached = (
        count if isinstance(count := _look(chat, "usage", *names), int) else 0
        for names in (
            ("prompt_tokens",),
            ("completion_tokens",),
            ("prompt_tokens_details", "cached_tokens"),
        )
    )
    tokens_in = counted_in or request.prompt.count_tokens(request.reply_schema)
    tokens_out = counted_out or count_tokens(text)
    return Reply(
        text=text,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        tokens_cached=cached,
        cost_usd=price.cost_usd(tokens_in, tokens_out, cached) if price else None,
        model=str(_look(chat, "model") or named),
        truncated=finish == "length",
        is_estimated=not counted_in or (bool(text) and not counted_out),
    )


def _look(data: object, *path: str | int) -> object:
    """Return what stands at *path*, in JSON or in objects of litellm; None where nothing does."""
    for key in path:
        if isinstance(key, int):
            data = data[key] if isinstance(data, list) and len(data) > key else None
        elif isinstance(data, dict):
            data = data.get(key)
        else:
            data = getattr(data, key, None)
    return data


def _read_text(content: object) -> str:
    """Return the text of a message: of its parts but thoughts and the like; an object as JSON."""
    if isinstance(content, list) and all(isinstance(_look(part, "type"), str) for part in content):
        parts = [part for part in content if str(_look(part, "type")).endswith("text")]
        content = "".join(str(_look(part, "text") or "") for part in parts)
    text = content if isinstance(content, str) else ""
    if content and not text:
        text = json.dumps(content, ensure_ascii=False, default=str)
    return text.encode("utf-8", "replace").decode("utf-8")


def _describe_other(answer: object) -> Fault:
    """Say what came in the place of a chat reply."""
    said = answer.decode("utf-8", "replace") if isinstance(answer, bytes) else str(answer)
    begins = " ".join(said.split())[:_CHARACTERS_SHOWN]
    return Fault("no_chat", f"the server sent no chat reply but what begins {begins!r}")


class Wire(Protocol):
    """Sends chat requests, once each."""

    async def open(self) -> Fault | None:
        """Prepare for requests, without sending any; return why there is no use in it, if so."""
        return None

    async def send(self, request: ChatRequest) -> Reply | Fault:
        """Send *request* once; the caller limits the time."""
        ...


class OpenAIWire(Wire):
    """Sends to `<api_base>/chat/completions`; connected as long as anything is in flight."""

    def __init__(self, model: str, api_base: str, settings: Settings) -> None:
        self._model = model
        self._url = f"{api_base.rstrip('/')}/chat/completions"
        spare_loopback(api_base)
        address = urlsplit(self._url)
        host = address.hostname or ""
        # as other programs would find it
        is_spared = not host or proxy_bypass(host)
        self._proxy = None if is_spared else getproxies().get(address.scheme)
        self._through = ""  # without the password: "http://me:secret@box:3128"
        if self._proxy is not None:
            address = urlsplit(self._proxy)
            shown = address._replace(netloc=address.netloc.rpartition("@")[2]).geturl()
            self._through = f" through the proxy {shown} of the environment"
        self._key = settings.api_key or NO_KEY
        self._session: aiohttp.ClientSession | None = None
        self._n_in_flight = 0

    async def send(self, request: ChatRequest) -> Reply | Fault:
        """Send *request* once."""
        import aiohttp  # only needed where there is such a server

        messages = request.messages(shows_schema=False)
        body = {"model": self._model, "messages": messages, **request.options()}
        try:
            async with (
                self._connected() as session,
                session.post(self._url, data=write_json(body), proxy=self._proxy) as response,
            ):
                data = await response.read()
        except (aiohttp.InvalidURL, UnicodeError):
            return Fault("stopped", f"{self._url} is no address")
        except aiohttp.ClientConnectorError as error:
            return self._absent(error.os_error)
        except aiohttp.ConnectionTimeoutError:
            return self._absent(TimeoutError(f"no connection within {_CONNECT_S:g} s"))
        except (aiohttp.ClientError, OSError) as error:
            return Fault("down", f"{type(error).__name__}{self._through}: {error}")
        if response.status != _OK:
            text = data.decode("utf-8", "replace") or (response.reason or "")
            return sort_status(response.status, text, response.headers)
        outcome = read_chat(data, self._model, None, request)
        if isinstance(outcome, Fault) and outcome.kind == "no_chat":  # no model is there
            is_usual = _VERSION.search(urlsplit(self._url).path)
            hint = "" if is_usual else "; addresses of models mostly end in /v1"
            return replace(outcome, message=f"{outcome.message} (at {self._url}{hint})")
        return outcome

    def _absent(self, error: OSError) -> Fault:
        said = f"nothing answers at {self._url} ({error}); start the server"
        if self._through:
            why = f"cannot be reached{self._through} ({error})"
            said = f"{self._url} {why}; set no_proxy if none is due"
        return Fault("absent", f"{said}, or put SRAG_API_BASE right")

    @asynccontextmanager
    async def _connected(self) -> "AsyncIterator[aiohttp.ClientSession]":
        """Lend the session; who comes first opens it, who goes last closes it."""
        import aiohttp

        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                # who asks has a time limit for the reply
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_S),
                headers={
                    "authorization": f"Bearer {self._key}",
                    "content-type": "application/json",
                },
            )
        session = self._session
        self._n_in_flight += 1
        try:
            yield session
        finally:
            self._n_in_flight -= 1
            if self._n_in_flight == 0:
                self._session = None
                with anyio.CancelScope(shield=True):
                    await session.close()


def spare_loopback(url: str) -> None:
    """Let this process ask a server on this machine without the proxy of the environment.

    A proxy elsewhere knows nothing of it, and what is sent there is not meant to leave the machine.
    """
    host = urlsplit(url).hostname or ""
    try:
        is_here = ip_address(host).is_loopback
    except ValueError:
        is_here = host == "localhost" or host.endswith(".localhost")
    spared = next((os.environ[name] for name in _SPARED if os.environ.get(name)), "")
    if is_here and host not in spared.split(","):
        for name in _SPARED:
            os.environ[name] = f"{spared},{host}".lstrip(",")
