"""How tools are listed and called: cheaply, on a thread, with errors that the model can read."""

import inspect
import json
import re
from collections.abc import Callable, Hashable, Mapping
from contextvars import ContextVar
from functools import partial, wraps
from typing import Annotated, TypeVar

import anyio
import anyio.to_thread
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import (
    PARSE_ERROR,
    CallToolResult,
    ErrorData,
    InputRequiredResult,
    JSONRPCError,
    TextContent,
    Tool,
    ToolAnnotations,
)
from pydantic import ValidationError
from starlette.requests import HTTPConnection

from srag_mcp.errors import SragError
from srag_mcp.server.corpora import Corpora
from srag_mcp.text.shown import printable
from srag_mcp.text.words import nearest_names
from srag_mcp.views.results import Page, cut_middle

Returned = TypeVar("Returned")

MAX_NAME = 200
MAX_ERROR_CHARACTERS = 3000
UNREADABLE = "the request is no JSON that can be read: is half of a character in its texts?"
CALLER: ContextVar[Hashable] = ContextVar("caller", default="")
_UNLISTED = {"title", "minimum", "maxLength", "maxItems"}
_LINKS = re.compile(r"\n\s*For further information visit \S+")  # a library's documentation


class ThriftyServer(MCPServer[Corpora]):
    """Lists tools without what says nothing, and calls them with the arguments they have."""

    _schemas: Mapping[str, Mapping[str, object]] | None = None

    async def run_stdio_async(self) -> None:
        """Serve on stdio; a request that is no JSON gets an error, as its caller would wait.

        The SDK drops it without a word. Half of a surrogate pair in a text is enough for that.
        """
        async with stdio_server() as (lines, replies), anyio.create_task_group() as tasks:
            forward, requests = anyio.create_memory_object_stream[SessionMessage | Exception](0)

            async def sort() -> None:
                async with forward:
                    async for message in lines:
                        request_id = _unread_request(message)
                        if request_id is None:
                            await forward.send(message)
                        else:
                            said = ErrorData(code=PARSE_ERROR, message=UNREADABLE)
                            error = JSONRPCError(jsonrpc="2.0", id=request_id, error=said)
                            await replies.send(SessionMessage(error))

            tasks.start_soon(sort)
            server = self._lowlevel_server
            await server.run(requests, replies, server.create_initialization_options())
            tasks.cancel_scope.cancel()

    async def list_tools(self) -> list[Tool]:
        """List all tools, in the order in which they were added.

        Their descriptions are without indentation (Python does so itself from 3.13 on), their
        arguments without titles and without defaults that are empty.
        """
        return [
            tool.model_copy(
                update={
                    "description": inspect.cleandoc(tool.description or ""),
                    "input_schema": _thrifty(tool.input_schema),
                }
            )
            for tool in await super().list_tools()
        ]

    async def call_tool(
        self, name: str, arguments: dict[str, object], context: Context[Corpora] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call the tool *name*; null arguments are as if they were not there.

        Raises:
            ToolError: If there is no such tool or argument, a value is of the wrong type, or the
                tool raises it.
        """
        if self._schemas is None:
            self._schemas = {tool.name: tool.input_schema for tool in await super().list_tools()}
        if name not in self._schemas:
            msg = f"Unknown tool: {name[:MAX_NAME]!r}; the tools are {', '.join(self._schemas)}"
            raise ToolError(msg)
        arguments = _known_arguments(name, self._schemas[name], arguments)
        # Callers are told apart by their session, else by their connection; stdio has one.
        request = None if context is None else context.request_context.request
        if isinstance(request, HTTPConnection):
            CALLER.set(request.headers.get("mcp-session-id") or request.client)
        else:
            CALLER.set("")
        try:
            return await super().call_tool(name, arguments, context)
        except UnexpectedToolError:  # a crash, which is logged
            raise
        except ToolError as error:
            raise ToolError(_LINKS.sub("", str(error))) from error.__cause__


def _unread_request(message: SessionMessage | Exception) -> str | int | None:
    """Return the id of a request that was not read, where Python reads one in it."""
    if not isinstance(message, ValidationError):
        return None
    line = message.errors(include_url=False)[0]["input"]
    try:
        request = json.loads(line) if isinstance(line, str) else None
    except (ValueError, RecursionError):
        return None
    found = request.get("id") if isinstance(request, dict) else None
    return found if isinstance(found, str | int) else None


def _thrifty(schema: dict[str, object]) -> dict[str, object]:
    """Leave out what says nothing: `{"title": "A", "default": "", "type": …} -> {"type": …}`.

    And the bounds that no call meets by accident; who meets one is told it by the error.
    """
    kept = {
        key: value
        for key, value in schema.items()
        if key not in _UNLISTED and (key != "default" or value)
    }
    if isinstance(items := kept.get("items"), dict):
        kept["items"] = _thrifty(items)
    if isinstance(properties := kept.get("properties"), dict):
        kept["properties"] = {
            name: _thrifty(entry) for name, entry in properties.items() if isinstance(entry, dict)
        }
    return kept


def _known_arguments(
    tool: str, schema: Mapping[str, object], arguments: Mapping[str, object]
) -> dict[str, object]:
    """Return *arguments* without those that are null and need not be there.

    Some clients fill all arguments, with null where there is nothing to say.

    Raises:
        ToolError: If the tool has no argument of such a name. Left out in silence, a condition
            under a wrong name would prove an aggregate by the quotes of all documents.
    """
    properties = schema.get("properties")
    names = list(properties) if isinstance(properties, dict) else []
    required = schema.get("required", [])
    unknown = [name for name in arguments if name not in names]
    if unknown:
        name = unknown[0][:100]
        nearest = nearest_names(name, names, n=1)
        hint = f"did you mean {nearest[0]}? " if nearest else ""
        has = f"its arguments are {', '.join(names)}" if names else "it has none"
        msg = f"Error executing tool {tool}: no argument {name!r}; {hint}{has}"
        raise ToolError(msg)
    return {
        name: value
        for name, value in arguments.items()
        if value is not None or (isinstance(required, list) and name in required)
    }


async def run_blocking(
    corpora: Corpora, work: Callable[[], Returned], *, queries: bool = False
) -> Returned:
    """Run *work* on a thread, its statements in the turns of `CALLER`, until the caller gives up.

    Work with *queries* from outside may wait for its turn; it has threads of its own, so that what
    needs no query does not wait with it.

    Raises:
        ToolError: With the text of any `SragError`, which the model reads; a long one is cut, as it
            may repeat an argument.
    """
    from srag_mcp.store.guard import Call  # not needed to list tools

    pool, call = corpora.pool(), Call(CALLER.get())

    def run() -> Returned:
        with pool.serving(call):
            return work()

    try:
        limiter = corpora.query_threads if queries else None
        return await anyio.to_thread.run_sync(run, abandon_on_cancel=True, limiter=limiter)
    except SragError as error:
        raise ToolError(cut_middle(printable(str(error)), MAX_ERROR_CHARACTERS)) from error
    except anyio.get_cancelled_exc_class():
        pool.give_up(call)
        raise


async def show(
    corpora: Corpora, work: Callable[[], Page], *, queries: bool = False
) -> CallToolResult:
    """Run *work* as `run_blocking` does, and return its page."""
    return as_result(await run_blocking(corpora, work, queries=queries))


def add_reader(
    server: MCPServer[Corpora],
    corpora: Corpora,
    title: str,
    annotations: ToolAnnotations,
    *,
    queries: bool = False,
) -> Callable[[Callable[..., Page]], None]:
    """Make a tool of a function that returns a page: it is run as `show` does."""

    def add(work: Callable[..., Page]) -> None:
        @wraps(work)
        async def call(**arguments: object) -> CallToolResult:
            return await show(corpora, partial(work, **arguments), queries=queries)

        signature = inspect.signature(work)
        page = Annotated[CallToolResult, signature.return_annotation]
        call.__signature__ = signature.replace(return_annotation=page)  # type: ignore[attr-defined]  # what the SDK reads
        server.tool(title=title, annotations=annotations)(call)

    return add


def as_result(page: Page) -> CallToolResult:
    """Wrap *page*: as data, and as text for hosts that keep no data."""
    text = TextContent(type="text", text=page.render())
    return CallToolResult(content=[text], structured_content=page.data())
