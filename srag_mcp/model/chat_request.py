"""A prompt as a chat request: messages, and how the form of the reply is asked for."""

import json
from collections.abc import Mapping
from typing import Literal, TypeAlias

from srag_mcp.model.language_model import Prompt

ReplyForm: TypeAlias = Literal["schema", "json", "text"]
REPLY_FORMS: tuple[ReplyForm, ...] = ("schema", "json", "text")

Message: TypeAlias = dict[str, object]


def write_messages(
    prompt: Prompt, reply_schema: Mapping[str, object] | None, *, mark_cache: bool = False
) -> list[Message]:
    """Write the messages of a chat: instructions, content, and each correction as two turns.

    Args:
        prompt: What is asked.
        reply_schema: Is shown to the model where nobody else does it.
        mark_cache: Mark the instructions for providers that cache only what is marked.
    """
    instructions = prompt.instructions
    if reply_schema is not None:
        schema = json.dumps(reply_schema, ensure_ascii=False, separators=(",", ":"))
        instructions += f"\n\nReply with one JSON object that fits this JSON Schema:\n{schema}"
    said: object = instructions
    if mark_cache:
        mark = {"type": "ephemeral"}
        said = [{"type": "text", "text": instructions, "cache_control": mark}]
    messages: list[Message] = [
        {"role": "system", "content": said},
        {"role": "user", "content": prompt.content},
    ]
    for correction in prompt.corrections:
        messages.append({"role": "assistant", "content": correction.reply})
        messages.append({"role": "user", "content": correction.message})
    return messages


def write_response_format(
    form: ReplyForm, reply_schema: Mapping[str, object]
) -> dict[str, object] | None:
    """Write what a request says about the form of its reply; None is nothing."""
    if form == "schema":
        named = {"name": "reply", "strict": True, "schema": dict(reply_schema)}
        return {"type": "json_schema", "json_schema": named}
    return {"type": "json_object"} if form == "json" else None
