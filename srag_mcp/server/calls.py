"""How a tool runs blocking work: on a thread, cancellable, with errors that the model can read."""

import inspect
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

import anyio
import anyio.to_thread
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel

from srag_mcp.errors import SragError
from srag_mcp.server.corpora import Corpora
from srag_mcp.server.page_size import cut_middle
from srag_mcp.server.rendering import render_json, structured

Returned = TypeVar("Returned")
Tool = TypeVar("Tool", bound=Callable[..., object])

MAX_ERROR_CHARACTERS = 3000
STOP_EVERY_S = 0.02
STOP_FOR_S = 30.0


def described(tool: Tool) -> Tool:
    """Take the indentation out of the docstring of *tool*, which is sent as it is.

    Python does so itself from 3.13 on.
    """
    tool.__doc__ = inspect.cleandoc(tool.__doc__ or "")
    return tool


class _Call(Generic[Returned]):
    """Work on a thread that can be told apart from the work of other calls."""

    def __init__(self, work: Callable[[], Returned]) -> None:
        self._work = work
        self.thread_id: int | None = None
        self.ended = False

    def __call__(self) -> Returned:
        self.thread_id = threading.get_ident()
        try:
            return self._work()
        finally:
            self.ended = True


async def run_blocking(corpora: Corpora, work: Callable[[], Returned]) -> Returned:
    """Run *work* on a thread; stop its query when the caller gives up.

    Raises:
        ToolError: With the text of any `SragError`, which the model reads; a long one is cut, as it
            may repeat an argument.
    """
    call = _Call(work)
    try:
        return await anyio.to_thread.run_sync(call, abandon_on_cancel=True)
    except SragError as error:
        raise ToolError(cut_middle(str(error), MAX_ERROR_CHARACTERS)) from error
    except anyio.get_cancelled_exc_class():
        await _stop(corpora, call)
        raise


async def _stop(corpora: Corpora, call: _Call[Returned]) -> None:
    """Interrupt until the work has ended: it may be between two queries, or not at its first."""
    with anyio.CancelScope(shield=True), anyio.move_on_after(STOP_FOR_S):
        while call.thread_id is not None and not call.ended:
            corpora.interrupt(call.thread_id)
            await anyio.sleep(STOP_EVERY_S)


def as_result(page: BaseModel, text: str | None = None) -> CallToolResult:
    """Wrap *page*: structured content, and *text* (default: the same as compact JSON)."""
    content = TextContent(type="text", text=render_json(page) if text is None else text)
    return CallToolResult(content=[content], structured_content=structured(page))
