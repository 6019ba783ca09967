"""A language model that says what a test tells it to: the only fake of these tests."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from srag_mcp.model.language_model import LanguageModel, Prompt, Reply


@dataclass
class ScriptedModel(LanguageModel):
    """Answers with `reply(prompt)`; keeps the prompts in `prompts`."""

    reply: Callable[[Prompt], str]
    prompts: list[Prompt] = field(default_factory=list)

    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        self.prompts.append(prompt)
        text = self.reply(prompt)
        return Reply(text, tokens_in=len(prompt.content) // 4, tokens_out=len(text) // 4)


def replying(texts: Iterable[str]) -> ScriptedModel:
    """Make a model that says *texts*, one after the other."""
    left = iter(texts)
    return ScriptedModel(lambda prompt: next(left))
