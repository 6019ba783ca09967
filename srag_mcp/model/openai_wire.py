"""The wire to a server of one's own that speaks OpenAI's protocol: vLLM, Ollama and the like.

With 64 prompts in flight of 0.2 s each there are 3 ms for a request. Of 400 prompts of 1,500
tokens, each took this wire 0.5 ms of processor time, httpx 6, the openai client over it 8 to 9,
litellm over that 9 (two busy cores); and this one loads little.
"""

import json
import os
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import anyio
from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

from srag_mcp.model.chat import ChatRequest, read_chat
from srag_mcp.model.faults import NO_KEY, Fault, find_bad_key, key_to_send, sort_status
from srag_mcp.model.language_model import Price, Reply
from srag_mcp.settings import Settings

if TYPE_CHECKING:
    import aiohttp

_OK = 200
_CONNECT_S = 10.0  # three tries of TCP: 0, 1 and 3 s; a packet that is dropped has no other sign
_SPARED = ("no_proxy", "NO_PROXY")
_OBJECT: TypeAdapter[Mapping[str, object]] = TypeAdapter(Mapping[str, object])
_VERSION = re.compile(r"/v\d")


class OpenAIWire:
    """Sends requests to `<api_base>/chat/completions`.

    The connections are kept as long as anything is in flight, so that nobody has to close them.
    """

    def __init__(self, model: str, api_base: str, settings: Settings) -> None:
        self._model = model
        self._url = f"{api_base.rstrip('/')}/chat/completions"
        self._proxy = find_proxy(self._url)
        key = key_to_send(f"openai/{model}", settings) or os.environ.get("OPENAI_API_KEY", "")
        self._key = key.strip() or NO_KEY
        self._session: aiohttp.ClientSession | None = None
        self._n_in_flight = 0

    def load(self) -> None:
        """Import the HTTP library: up to half a second at the first time."""
        import aiohttp  # noqa: F401 - only to have it loaded

    async def open(self) -> Fault | None:
        """Look at the key; whether the server is there shows with the first request."""
        return find_bad_key(self._key)

    async def find_price(self) -> Price | None:
        """Return None: nobody lists the prices of servers of one's own."""
        return None

    async def send(self, request: ChatRequest) -> Reply | Fault:
        """Send *request* once."""
        import aiohttp  # only needed where there is such a server

        messages = request.messages(shows_schema=False)
        body = {"model": self._model, "messages": messages, **request.options()}
        try:
            async with (
                self._connected() as session,
                session.post(self._url, data=write_object(body), proxy=self._proxy) as response,
            ):
                data = await response.read()
        except (aiohttp.InvalidURL, UnicodeError):
            return Fault("stopped", f"{self._url} is no address")
        except aiohttp.ClientConnectorError as error:
            return Fault("absent", self._say_unreachable(error.os_error))
        except aiohttp.ConnectionTimeoutError:
            said = TimeoutError(f"no connection within {_CONNECT_S:g} s")
            return Fault("absent", self._say_unreachable(said))
        except (aiohttp.ClientError, OSError) as error:
            through = describe_proxy(self._proxy)
            return Fault("down", f"{type(error).__name__}{through}: {error}")
        if response.status != _OK:
            text = data.decode("utf-8", "replace") or (response.reason or "")
            return sort_status(response.status, text, response.headers)
        return self._name_address(read_chat(data, self._model, None, request))

    def _say_unreachable(self, error: OSError) -> str:
        if self._proxy is None:
            said = f"nothing answers at {self._url} ({error}); start the server"
        else:
            through = describe_proxy(self._proxy)
            said = f"{self._url} cannot be reached{through} ({error}); set no_proxy if none is due"
        return f"{said}, or put SRAG_API_BASE right"

    def _name_address(self, outcome: Reply | Fault) -> Reply | Fault:
        """Say where something else than a model answers."""
        if isinstance(outcome, Reply) or outcome.kind != "no_chat":
            return outcome
        path = urlsplit(self._url).path
        hint = "" if _VERSION.search(path) else "; addresses of models mostly end in /v1"
        return replace(outcome, message=f"{outcome.message} (at {self._url}{hint})")

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


def write_object(data: Mapping[str, object]) -> bytes:
    """Write *data* in UTF-8; half characters are escaped."""
    try:
        return _OBJECT.dump_json(data)
    except PydanticSerializationError:
        return json.dumps(data).encode()


def find_proxy(url: str) -> str | None:
    """Return the proxy that the environment has for *url*, as other programs would find it.

    A server on this machine is asked directly: a proxy elsewhere knows nothing of it, and what is
    sent there is not meant to leave the machine.
    """
    address = urlsplit(url)
    host = address.hostname or ""
    if not host or is_loopback(host) or proxy_bypass(host):
        return None
    return getproxies().get(address.scheme)


def is_loopback(host: str) -> bool:
    """Whether *host* is this machine: `"localhost"`, `"127.0.0.1"`, `"::1"`."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def spare_loopback(url: str) -> None:
    """Let the libraries of this process, too, ask a server on this machine without a proxy."""
    host = urlsplit(url).hostname or ""
    if not is_loopback(host):
        return
    spared = next((os.environ[name] for name in _SPARED if os.environ.get(name)), "")
    if host not in spared.split(","):
        for name in _SPARED:
            os.environ[name] = f"{spared},{host}".lstrip(",")


def describe_proxy(proxy: str | None) -> str:
    """Name a proxy without its password: `"http://me:secret@box:3128" -> " through the proxy …"`.

    Empty where there is none.
    """
    if proxy is None:
        return ""
    address = urlsplit(proxy)
    shown = address._replace(netloc=address.netloc.rpartition("@")[2]).geturl()
    return f" through the proxy {shown} of the environment"
