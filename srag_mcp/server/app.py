"""The MCP server: tools, resources and prompts over the served corpora."""

import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from mcp.server import MCPServer
from mcp.server.caching import CacheHint

from srag_mcp import __version__
from srag_mcp.server.corpora import Corpora
from srag_mcp.server.ingestion_tools import add_ingestion_tools
from srag_mcp.server.instructions import INSTRUCTIONS
from srag_mcp.server.prompt_tools import add_prompt_tools
from srag_mcp.server.prompts import add_prompts
from srag_mcp.server.reading_tools import add_reading_tools
from srag_mcp.server.resources import add_resources
from srag_mcp.server.tool_list import ThriftyServer
from srag_mcp.settings import Settings


def build_server(locations: Sequence[Path], settings: Settings) -> MCPServer[Corpora]:
    """Make the server over *locations*: corpus folders, or `.duckdb` builds.

    Nothing is opened and nothing heavy is imported before a tool needs it.
    """
    corpora = Corpora(locations, settings)

    @asynccontextmanager
    async def running(server: MCPServer[Corpora]) -> AsyncIterator[Corpora]:
        try:
            yield corpora
        finally:
            corpora.close()

    with _without_rich():
        server = ThriftyServer(
            "srag",
            version=__version__,
            instructions=INSTRUCTIONS,
            lifespan=running,
            log_level="WARNING",
            subscriptions=False,  # nothing that is listed changes while it is served
            cache_hints={"tools/list": CacheHint(ttl_ms=3_600_000, scope="public")},
        )
    add_ingestion_tools(server, corpora)
    add_reading_tools(server, corpora)
    add_prompt_tools(server, corpora)
    add_resources(server, corpora)
    add_prompts(server, corpora)
    return server


@contextmanager
def _without_rich() -> Iterator[None]:
    """Keep the constructor from loading rich, if nothing has loaded it yet.

    Where rich is installed, it makes a log handler of rich's and then drops it, because the command
    line has set up logging before; that would be a tenth of the time to start.
    """
    if "rich" in sys.modules:
        yield
        return
    sys.modules["rich"] = None  # type: ignore[assignment]  # the import system's "not there"
    try:
        yield
    finally:
        del sys.modules["rich"]
