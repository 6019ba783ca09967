"""How a tool runs blocking work: on a thread, cancellable, with errors that the model can read."""

import inspect
from collections.abc import Callable, Hashable
from contextvars import ContextVar
from typing import TypeVar

import anyio
import anyio.to_thread
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel

from srag_mcp.errors import SragError
from srag_mcp.server.corpora import Corpora
from srag_mcp.server.page_size import cut_middle
from srag_mcp.server.rendering import exact, render_json, structured
from srag_mcp.text.shown import printable

Returned = TypeVar("Returned")
Tool = TypeVar("Tool", bound=Callable[..., object])

MAX_ERROR_CHARACTERS = 3000
CALLER: ContextVar[Hashable] = ContextVar("caller", default="")


def described(tool: Tool) -> Tool:
    """Take the indentation out of the docstring of *tool*, which is sent as it is.

    Python does so itself from 3.13 on.
    """
    tool.__doc__ = inspect.cleandoc(tool.__doc__ or "")
    return tool


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


def as_result(page: BaseModel, text: str | None = None) -> CallToolResult:
    """Wrap *page*: structured content, and *text* (default: the same as compact JSON)."""
    return _result(structured(page), text)


def as_exact_result(page: BaseModel) -> CallToolResult:
    """Wrap a page whose texts a language model has to read as they are."""
    return _result(exact(page))


def _result(content: dict[str, object], text: str | None = None) -> CallToolResult:
    shown = TextContent(type="text", text=render_json(content) if text is None else text)
    return CallToolResult(content=[shown], structured_content=content)
