"""A prompt as a chat request: messages, and how the form of the reply is asked for."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from srag_mcp.model.language_model import Prompt

ReplyForm: TypeAlias = Literal["schema", "json", "text"]
REPLY_FORMS: tuple[ReplyForm, ...] = ("schema", "json", "text")  # the strictest first

Message: TypeAlias = dict[str, object]


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A prompt, and how this model wants to be asked.

    Attributes:
        temperature: None leaves it to the model.
    """

    prompt: Prompt
    reply_schema: Mapping[str, object]
    form: ReplyForm = "schema"
    temperature: float | None = 0.0

    def messages(self, *, shows_schema: bool, mark_cache: bool = False) -> list[Message]:
        """Write the messages: instructions, content, and each correction as two turns.

        Args:
            shows_schema: Whether the provider itself tells the model the schema of a request.
            mark_cache: Mark the instructions for providers that cache only what is marked.
        """
        instructions = self.prompt.instructions
        if self.form != "schema" or not shows_schema:
            schema = json.dumps(self.reply_schema, ensure_ascii=False, separators=(",", ":"))
            instructions += f"\n\nReply with one JSON object that fits this JSON Schema:\n{schema}"
        said: object = instructions
        if mark_cache:
            mark = {"type": "ephemeral"}
            said = [{"type": "text", "text": instructions, "cache_control": mark}]
        messages: list[Message] = [
            {"role": "system", "content": said},
            {"role": "user", "content": self.prompt.content},
        ]
        for correction in self.prompt.corrections:
            messages.append({"role": "assistant", "content": correction.reply})
            messages.append({"role": "user", "content": correction.message})
        return messages

    def options(self) -> dict[str, object]:
        """Write what else is asked for: the form of the reply, the temperature."""
        options: dict[str, object] = {}
        if self.temperature is not None:
            options["temperature"] = self.temperature
        if self.form == "schema":
            named = {"name": "reply", "strict": True, "schema": dict(self.reply_schema)}
            options["response_format"] = {"type": "json_schema", "json_schema": named}
        elif self.form == "json":
            options["response_format"] = {"type": "json_object"}
        return options
