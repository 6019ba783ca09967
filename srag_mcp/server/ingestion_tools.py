"""The tools that list and build corpora; an ingestion is a job that outlives the call.

Imports of the pages stand in the functions: listing the tools does not need them.
"""

from functools import partial
from typing import Annotated

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from srag_mcp.server.arguments import CorpusName, JobId, SampleQuestions, WaitSeconds, Wish
from srag_mcp.server.calls import as_result, described, run_blocking
from srag_mcp.server.corpora import Corpora
from srag_mcp.server.reading_tools import READS
from srag_mcp.server.results import CorpusList, JobStatus
from srag_mcp.settings import EngineChoice

# A language model may read the documents, which may be a service of others.
WRITES = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=True
)
REBUILDS = WRITES.model_copy(update={"destructive_hint": True})  # rebuild_schema drops columns
CONTROLS = WRITES.model_copy(update={"open_world_hint": False})
WAIT_S = 3  # some clients give up a call after 5 s
POLL_S = 0.25


def add_ingestion_tools(server: MCPServer[Corpora], corpora: Corpora) -> None:
    """Add list_corpora, ingest_corpus, extend_schema and ingest_status."""
    _add_list_tool(server, corpora)
    _add_ingestion_tool(server, corpora)
    _add_extension_tool(server, corpora)
    _add_status_tool(server, corpora)


def _add_list_tool(server: MCPServer[Corpora], corpora: Corpora) -> None:
    @server.tool(title="List corpora", annotations=READS)
    @described
    async def list_corpora() -> Annotated[CallToolResult, CorpusList]:
        """List the folders of documents and whether each is ready.

        Call it first.
        """
        from srag_mcp.server.schema_pages import list_corpora_page

        return as_result(await run_blocking(corpora, lambda: list_corpora_page(corpora)))


def _add_ingestion_tool(server: MCPServer[Corpora], corpora: Corpora) -> None:
    @server.tool(title="Ingest a corpus", annotations=REBUILDS)
    @described
    async def ingest_corpus(
        ctx: Context[Corpora],
        corpus: CorpusName = "",
        sample_questions: SampleQuestions = [],  # noqa: B006 - shown in the input schema
        rebuild_schema: Annotated[
            bool, Field(description="Find the columns anew, drop these.")
        ] = False,
        engine: Annotated[
            EngineChoice,
            Field(description="offline: code; model: as configured; agent: you, by next_prompts."),
        ] = "auto",
        wait_seconds: WaitSeconds = WAIT_S,
    ) -> Annotated[CallToolResult, JobStatus]:
        """Build or update the table of a corpus, as a job.

        Call it when not ingested, documents changed or its job stopped: what is done is kept.
        """
        from srag_mcp.server.job_pages import IngestCall, start_page

        call = IngestCall(corpus, tuple(sample_questions), rebuild_schema, engine)
        page = await run_blocking(corpora, lambda: start_page(corpora, call))
        return as_result(await _wait(ctx, corpora, page, wait_seconds))


def _add_extension_tool(server: MCPServer[Corpora], corpora: Corpora) -> None:
    @server.tool(title="Extend the schema", annotations=WRITES)
    @described
    async def extend_schema(
        ctx: Context[Corpora],
        attribute: Wish,
        corpus: CorpusName = "",
        wait_seconds: WaitSeconds = WAIT_S,
    ) -> Annotated[CallToolResult, JobStatus]:
        """Add one column and read only it from the documents, as a job.

        Use it when no column holds what a question needs.
        """
        from srag_mcp.server.job_pages import extend_page

        page = await run_blocking(corpora, lambda: extend_page(corpora, corpus, attribute))
        return as_result(await _wait(ctx, corpora, page, wait_seconds))


def _add_status_tool(server: MCPServer[Corpora], corpora: Corpora) -> None:
    @server.tool(title="Ingestion status", annotations=CONTROLS)
    @described
    async def ingest_status(
        ctx: Context[Corpora],
        corpus: CorpusName = "",
        job_id: JobId = "",
        wait_seconds: WaitSeconds = WAIT_S,
        cancel: Annotated[bool, Field(description="Stop the job.")] = False,
    ) -> Annotated[CallToolResult, JobStatus]:
        """Show how far an ingestion is, wait for it, or cancel it.

        Call it again while it is running.
        """
        from srag_mcp.server.job_pages import cancel_page, status_page

        if cancel:
            stop = partial(cancel_page, corpora, corpus, job_id, wait_seconds)
            return as_result(await run_blocking(corpora, stop))
        page = await run_blocking(corpora, lambda: status_page(corpora, corpus, job_id))
        return as_result(await _wait(ctx, corpora, page, wait_seconds))


async def _wait(
    ctx: Context[Corpora],
    corpora: Corpora,
    page: JobStatus,
    wait_seconds: float,
) -> JobStatus:
    """Read the state of the job until it ends, prompts wait for the caller or the time is over."""
    from srag_mcp.server.job_pages import describe_progress, percent_done, status_page

    corpus, job_id, reported = page.corpus, page.job_id, -1.0
    with anyio.move_on_after(wait_seconds):
        while True:
            percent = percent_done(page)
            if percent > reported:  # the protocol asks that it grows with every notification
                await ctx.report_progress(percent, 100, describe_progress(page))
                reported = percent
            if page.state != "running" or page.waiting:
                break
            await anyio.sleep(POLL_S)
            page = await run_blocking(corpora, lambda: status_page(corpora, corpus, job_id))
    return page
