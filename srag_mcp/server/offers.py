"""What hosts offer to people: resources to attach, prompts as commands, names to complete."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp.types import (
    Completion,
    CompletionArgument,
    CompletionContext,
    PromptReference,
    ResourceTemplateReference,
)

from srag_mcp import views
from srag_mcp.errors import SragError
from srag_mcp.server.calls import run_blocking
from srag_mcp.server.corpora import Corpora
from srag_mcp.text.shown import printable
from srag_mcp.views.results import Page

MAX_COMPLETIONS = 100
JSON = "application/json"


def add_resources(server: MCPServer[Corpora], corpora: Corpora) -> None:
    """Add the list of corpora, their schemas, columns and documents: the same facts as tools."""
    room = corpora.settings.max_result_characters

    @server.resource("srag://corpora", name="corpora", mime_type=JSON)
    def corpora_resource() -> str:
        """The corpora of this server; the same as list_corpora."""
        return _json(corpora.list)

    @server.resource("srag://{corpus}/schema", name="schema", mime_type=JSON)
    def schema_resource(corpus: str) -> str:
        """The columns of a corpus; the same as get_schema."""
        return _json(lambda: views.holdings.schema_page(corpora.readable(corpus), room))

    @server.resource("srag://{corpus}/columns/{column}", name="column", mime_type=JSON)
    def column_resource(corpus: str, column: str) -> str:
        """What a column holds; the same as get_column_stats."""
        return _json(
            lambda: views.holdings.statistics_page(corpora.readable(corpus), room, [column])
        )

    # "+": ids are paths below the corpus folder, with slashes.
    @server.resource("srag://{corpus}/documents/{+id}", name="document", mime_type="text/plain")
    def document_resource(corpus: str, id: str) -> str:  # noqa: A002 - the name in the URI
        """The text of a document, from its beginning; get_document reads on."""
        with _not_found():
            page = views.traces.document_page(corpora.readable(corpus), id, room, 0, room)
        return printable(page.text)


def _json(work: Callable[[], Page]) -> str:
    with _not_found():
        return Page.render(work())


@contextmanager
def _not_found() -> Iterator[None]:
    """Turn errors of this package into the protocol's "not found", which keeps their text."""
    try:
        yield
    except SragError as error:
        raise ResourceNotFoundError(str(error)) from error


def add_prompts(server: MCPServer[Corpora], corpora: Corpora) -> None:
    """Add `ask_corpus` and `build_corpus`, and complete names of corpora, columns and documents."""

    @server.prompt(title="Ask a corpus")
    def ask_corpus(corpus: str, question: str) -> str:
        """Answer a question over all documents of a corpus, with its denominator and quotes."""
        return (
            f"Answer this over all documents of the corpus {corpus!r}: {question}\n"
            "Call ask first. If it returns a brief, write one SELECT and call run_sql. "
            "Give the number, over how many documents it was computed and how many do not say, "
            "and quote one or two sources with trace_value. If no column holds what is asked, say"
            " so."
        )

    @server.prompt(title="Build a corpus")
    def build_corpus(corpus: str) -> str:
        """Ingest a folder with your sample questions, and look at what was found."""
        return (
            f"Build the corpus {corpus!r}. Ask me for up to ten questions that I want answered over"
            " all documents, pass them as sample_questions to ingest_corpus, and call ingest_status"
            " until the job is done. Then show me the columns that were found (get_schema), which"
            " of my questions they answer, and which documents could not be read."
        )

    async def complete(
        ref: PromptReference | ResourceTemplateReference,
        argument: CompletionArgument,
        context: CompletionContext | None,
    ) -> Completion | None:
        chosen = ((context and context.arguments) or {}).get("corpus", "")
        try:
            found = await run_blocking(corpora, lambda: _names(corpora, chosen, argument))
        except ToolError:  # a corpus that is not there, or has no columns yet
            return None
        return Completion(values=found[:MAX_COMPLETIONS], has_more=len(found) > MAX_COMPLETIONS)

    server.completion()(complete)  # type: ignore[no-untyped-call]  # the SDK gives it no types


def _names(corpora: Corpora, corpus: str, argument: CompletionArgument) -> list[str]:
    """List the names that *argument* may mean; of documents, a part is enough."""
    started = argument.value.casefold()
    if argument.name == "id":
        near = corpora.readable(corpus).documents_like(argument.value, MAX_COMPLETIONS + 1)
        return [document.id for document in near]
    if argument.name == "corpus":
        names = list(corpora)
    elif argument.name == "column":
        names = [item.name for item in corpora.readable(corpus).schema().attributes]
    else:
        names = []
    return [name for name in names if name.casefold().startswith(started)]
