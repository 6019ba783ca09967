"""The seam to language models: one method, implemented by adapters."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is asked: *instructions* never change between documents, so that caches hit."""

    instructions: str
    content: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: JSON text that fits the reply schema, and what it took."""

    text: str
    tokens_in: int
    tokens_out: int


class LanguageModel(Protocol):
    """Whoever completes prompts: a provider, a local server, the calling agent, a recording."""

    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        """Answer *prompt* with JSON that fits *reply_schema* (a JSON Schema).

        Raises:
            ModelError: If no reply could be had.
            ReplyError: If the reply does not fit the schema.
        """
        ...
