"""Any provider or local server, through litellm."""

import json
import time
from collections.abc import Mapping
from types import ModuleType

import anyio
import anyio.to_thread

from srag_mcp.errors import ModelError, SettingsError
from srag_mcp.model.language_model import Prompt, Reply
from srag_mcp.model.litellm_library import load_litellm
from srag_mcp.settings import Settings


class LitellmModel:
    """Completes prompts through litellm."""

    def __init__(self, settings: Settings) -> None:
        if not settings.model:
            msg = "no language model is named: set SRAG_MODEL or --model"
            raise SettingsError(msg)
        self._name = settings.model
        self._settings = settings
        self._limiter = anyio.Semaphore(settings.concurrency)

    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        """Ask the model.

        Raises:
            ModelError: If no reply could be had.
        """
        litellm = await anyio.to_thread.run_sync(load_litellm)
        async with self._limiter:
            return await self._ask(litellm, prompt, reply_schema)

    async def _ask(
        self, litellm: ModuleType, prompt: Prompt, reply_schema: Mapping[str, object]
    ) -> Reply:
        import openai

        settings = self._settings
        started = time.monotonic()
        try:
            answer = await litellm.acompletion(
                model=self._name,
                messages=write_messages(prompt, reply_schema),
                api_base=settings.api_base,
                api_key=settings.api_key or ("none" if settings.api_base else None),
                timeout=settings.reply_timeout_s,
                num_retries=0,
                max_retries=0,
            )
        except openai.OpenAIError as error:
            msg = f"{prompt.step} ({prompt.subject}): {error}"
            raise ModelError(msg) from error
        choice = answer.choices[0]
        return Reply(
            choice.message.content or "",
            tokens_in=answer.usage.prompt_tokens,
            tokens_out=answer.usage.completion_tokens,
            seconds=time.monotonic() - started,
            model=answer.model or self._name,
            truncated=choice.finish_reason == "length",
        )


def write_messages(prompt: Prompt, reply_schema: Mapping[str, object]) -> list[dict[str, str]]:
    """Write the messages of a chat: instructions, content, and each correction as two turns."""
    schema = json.dumps(reply_schema, ensure_ascii=False)
    form = f"\n\nReply with one JSON object that fits this JSON Schema:\n{schema}"
    messages = [
        {"role": "system", "content": prompt.instructions + form},
        {"role": "user", "content": prompt.content},
    ]
    for correction in prompt.corrections:
        messages.append({"role": "assistant", "content": correction.reply})
        messages.append({"role": "user", "content": correction.message})
    return messages
