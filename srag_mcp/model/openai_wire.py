"""OpenAI's protocol: chat requests and replies, and the wire to a server of one's own.

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

from srag_mcp.model.faults import NO_KEY, Fault, sort_error, sort_status
from srag_mcp.model.language_model import Price, Prompt, Reply, count_tokens, write_json
from srag_mcp.settings import Settings

if TYPE_CHECKING:
    import aiohttp

ReplyForm: TypeAlias = Literal["schema", "json", "text"]
REPLY_FORMS: tuple[ReplyForm, ...] = ("schema", "json", "text")  # the strictest first

Message: TypeAlias = dict[str, object]

_CHARACTERS_SHOWN = 100
_OK = 200
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

        Args:
            shows_schema: Whether the provider itself tells the model the schema of a request.
            mark_cache: Mark the instructions for providers that cache only what is marked.
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

    Tokens that the server does not count are estimated: a prompt of no token, too.

    Args:
        answer: What came back.
        named: The model, should the reply not say who answered.
        price: What it charges; None where that is not known.
        request: What was sent.
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
    """Sends requests to `<api_base>/chat/completions`.

    The connections are kept as long as anything is in flight, so that nobody has to close them.
    """

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
