"""Prompts, which hosts show as commands, and completion of their arguments."""

from mcp.server import MCPServer
from mcp.types import (
    Completion,
    CompletionArgument,
    CompletionContext,
    PromptReference,
    ResourceTemplateReference,
)

from srag_mcp.server.corpora import Corpora
from srag_mcp.server.instructions import ask_corpus_prompt, build_corpus_prompt

MAX_COMPLETIONS = 100


def add_prompts(server: MCPServer[Corpora], corpora: Corpora) -> None:
    """Add `ask_corpus` and `build_corpus`, and complete names of corpora."""

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
        started = argument.value.casefold()
        names = [name for name in corpora if name.casefold().startswith(started)]
        return Completion(values=names[:MAX_COMPLETIONS], total=len(names))

    server.completion()(complete)  # type: ignore[no-untyped-call]  # the SDK gives it no types
