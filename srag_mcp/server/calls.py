"""How a tool runs blocking work: on a thread, cancellable, with errors that the model can read."""

from collections.abc import Callable
from typing import TypeVar

import anyio.to_thread
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel

from srag_mcp.errors import SragError
from srag_mcp.server.corpora import Corpora
from srag_mcp.server.rendering import render_json, structured

Returned = TypeVar("Returned")


async def run_blocking(corpora: Corpora, work: Callable[[], Returned]) -> Returned:
    """Run *work* on a thread; stop its query when the caller gives up.

    Raises:
        ToolError: With the text of any `SragError`, which the model reads.
    """
    finished = False
    try:
        returned = await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
        finished = True
    except SragError as error:
        finished = True
        raise ToolError(str(error)) from error
    finally:
        if not finished:
            corpora.worker.interrupt()
    return returned


def as_result(page: BaseModel, text: str | None = None) -> CallToolResult:
    """Wrap *page*: structured content, and *text* (default: the same as compact JSON)."""
    content = TextContent(type="text", text=render_json(page) if text is None else text)
    return CallToolResult(content=[content], structured_content=structured(page))
