"""Prompts, which hosts show as commands, and completion of their arguments."""

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import (
    Completion,
    CompletionArgument,
    CompletionContext,
    PromptReference,
    ResourceTemplateReference,
)

from srag_mcp.server.calls import run_blocking
from srag_mcp.server.corpora import Corpora
from srag_mcp.server.instructions import ask_corpus_prompt, build_corpus_prompt

MAX_COMPLETIONS = 100


def add_prompts(server: MCPServer[Corpora], corpora: Corpora) -> None:
    """Add `ask_corpus` and `build_corpus`, and complete names of corpora, columns and documents."""

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
