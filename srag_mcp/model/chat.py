"""Chat requests and replies, as OpenAI's protocol has them and litellm takes and returns them."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from srag_mcp.model.faults import Fault, sort_error
from srag_mcp.model.language_model import Price, Prompt, Reply
from srag_mcp.model.tokens import count_tokens, estimate_prompt_tokens

ReplyForm: TypeAlias = Literal["schema", "json", "text"]
REPLY_FORMS: tuple[ReplyForm, ...] = ("schema", "json", "text")  # the strictest first

Message: TypeAlias = dict[str, object]

_PAGE = re.compile(rb"\A\s*<")
_EVENTS = re.compile(rb"\A\s*(?:data|event|id|retry)?:")
_CHARACTERS_SHOWN = 100


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


class _Lenient(BaseModel):
    """Servers say more, and less, than the protocol asks for."""

    model_config = ConfigDict(frozen=True, extra="ignore", from_attributes=True)


class _Part(_Lenient):
    """Of a content in parts; those of other types are thoughts and the like."""

    type: str = "text"
    text: str | None = None


class _Message(_Lenient):
    content: object = None
    refusal: str | None = None


class _Choice(_Lenient):
    message: _Message = _Message()
    finish_reason: str | None = None
    error: object = None


class _PromptDetails(_Lenient):
    cached_tokens: int | None = None


class _Usage(_Lenient):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _PromptDetails | None = None


class _Chat(_Lenient):
    choices: tuple[_Choice, ...] | None = None
    usage: _Usage | None = None
    model: str | None = None
    error: object = None


_PARTS: TypeAdapter[tuple[_Part, ...]] = TypeAdapter(tuple[_Part, ...])


def read_chat(
    answer: object, named: str, price: Price | None, request: ChatRequest
) -> Reply | Fault:
    """Read a reply from JSON (bytes) or from litellm's object.

    Tokens that the server does not count are estimated.

    Args:
        answer: What came back, with the status 200.
        named: The model, should the reply not say who answered.
        price: What it charges; None where that is not known.
        request: What was sent.
    """
    try:
        if isinstance(answer, bytes):
            chat = _Chat.model_validate_json(answer)
        else:
            chat = _Chat.model_validate(answer)
    except ValidationError as error:
        return _describe_other(answer, error.errors()[0]["msg"])
    choice = chat.choices[0] if chat.choices else None
    problem = chat.error or (choice and choice.error)
    if problem:
        return sort_error(problem)
    if choice is None:
        empty = Fault("down", "the reply of the server has no choices")
        return empty if chat.choices is not None else _describe_other(answer, "it has no choices")
    if choice.finish_reason == "content_filter" or choice.message.refusal:
        return Fault("refused", "the provider refuses the prompt for its content")
    return _count(choice, chat.usage or _Usage(), chat.model or named, price, request)


def _count(
    choice: _Choice, usage: _Usage, model: str, price: Price | None, request: ChatRequest
) -> Reply:
    """Make the reply, with what it took; a prompt of no token is one that nobody counted."""
    text = _read_text(choice.message.content).encode("utf-8", "replace").decode("utf-8")
    tokens_in = usage.prompt_tokens or estimate_prompt_tokens(request.prompt)
    tokens_out = usage.completion_tokens or count_tokens(text)
    details = usage.prompt_tokens_details or _PromptDetails()
    tokens_cached = details.cached_tokens or 0
    return Reply(
        text=text,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        tokens_cached=tokens_cached,
        cost_usd=price.cost_usd(tokens_in, tokens_out, tokens_cached) if price else None,
        model=model,
        truncated=choice.finish_reason == "length",
        is_estimated=not usage.prompt_tokens or (bool(text) and not usage.completion_tokens),
    )


def _read_text(content: object) -> str:
    """Return the text of a message: of its parts, where it has some; an object as JSON."""
    if content is None or isinstance(content, str):
        return content or ""
    try:
        parts = _PARTS.validate_python(content)
    except ValidationError:
        return json.dumps(content, ensure_ascii=False, default=str)
    return "".join(part.text or "" for part in parts if part.type.endswith("text"))


def _describe_other(answer: object, problem: str) -> Fault:
    """Say what came in the place of a chat reply; one that was cut off may come whole."""
    if not isinstance(answer, bytes):
        return Fault("no_chat", f"the server sent no chat reply: {problem}")
    begins = " ".join(answer.decode("utf-8", "replace").split())[:_CHARACTERS_SHOWN]
    what = "something else"
    if _PAGE.match(answer):
        what = "a web page"
    elif _EVENTS.match(answer):
        what = "a stream of events"
    elif answer.lstrip()[:1] in {b"", b"{"} and not _is_json(answer):
        return Fault("down", f"the server sent no whole chat reply: {problem}")
    return Fault("no_chat", f"the server sent no chat reply but {what}, which begins {begins!r}")


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except ValueError:
        return False
    return True
