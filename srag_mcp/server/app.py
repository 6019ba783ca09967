"""The MCP server: tools, resources and prompts over the served corpora."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from mcp.server import MCPServer
from mcp.server.caching import CacheHint
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp.types import (
    Completion,
    CompletionArgument,
    CompletionContext,
    PromptReference,
    ResourceTemplateReference,
)

from srag_mcp import __version__
from srag_mcp.errors import SragError
from srag_mcp.server.corpora import Corpora
from srag_mcp.server.ingestion_tools import add_ingestion_tools
from srag_mcp.server.instructions import INSTRUCTIONS, ask_corpus_prompt, build_corpus_prompt
from srag_mcp.server.pages import document_page, list_corpora_page, schema_page
from srag_mcp.server.reading_tools import add_reading_tools
from srag_mcp.server.rendering import structured
from srag_mcp.settings import Settings

MAX_COMPLETIONS = 100


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

    server = MCPServer(
        "srag",
        version=__version__,
        instructions=INSTRUCTIONS,
        lifespan=running,
        log_level="WARNING",
        cache_hints={"tools/list": CacheHint(ttl_ms=3_600_000, scope="public")},
    )
    add_ingestion_tools(server, corpora)
    add_reading_tools(server, corpora)
    _add_resources(server, corpora)
    _add_prompts(server, corpora)
    return server


def _add_resources(server: MCPServer[Corpora], corpora: Corpora) -> None:
    @server.resource("srag://corpora", name="corpora", mime_type="application/json")
    def corpora_resource() -> str:
        """The corpora of this server; the same as list_corpora."""
        return json.dumps(structured(list_corpora_page(corpora)), ensure_ascii=False)

    @server.resource("srag://{corpus}/schema", name="schema", mime_type="application/json")
    def schema_resource(corpus: str) -> str:
        """The columns of a corpus; the same as get_schema."""
        try:
            page = schema_page(corpora, corpus)
        except SragError as error:
            raise ResourceNotFoundError(str(error)) from error
        return json.dumps(structured(page), ensure_ascii=False)

    @server.resource("srag://{corpus}/documents/{id}", name="document", mime_type="text/plain")
    def document_resource(corpus: str, id: str) -> str:  # noqa: A002 - the name in the URI
        """The text of a document, from its beginning; get_document reads on."""
        try:
            return document_page(
                corpora, corpus, id, 0, corpora.settings.max_result_characters
            ).text
        except SragError as error:
            raise ResourceNotFoundError(str(error)) from error


def _add_prompts(server: MCPServer[Corpora], corpora: Corpora) -> None:
    @server.prompt(title="Ask a corpus")
    def ask_corpus(corpus: str, question: str) -> str:
        """Answer a question over all documents of a corpus, with its denominator and quotes."""
        return ask_corpus_prompt(corpus, question)

    @server.prompt(title="Build a corpus")
    def build_corpus(corpus: str) -> str:
        """Ingest a folder with your sample questions, and look at what was found."""
        return build_corpus_prompt(corpus)

    async def complete(
        ref: PromptReference | ResourceTemplateReference,
        argument: CompletionArgument,
        context: CompletionContext | None,
    ) -> Completion | None:
        if argument.name != "corpus":
            return None
        names = [name for name in corpora if name.startswith(argument.value)]
        return Completion(values=names[:MAX_COMPLETIONS])

    server.completion()(complete)  # type: ignore[no-untyped-call]  # the SDK gives it no types
