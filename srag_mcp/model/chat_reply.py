"""The reply to a chat request, as OpenAI's protocol has it and litellm returns it."""

from pydantic import BaseModel, ConfigDict, ValidationError

from srag_mcp.model.faults import Fault
from srag_mcp.model.language_model import Reply
from srag_mcp.model.prices import Price


class _Lenient(BaseModel):
    """Servers say more, and less, than the protocol asks for."""

    model_config = ConfigDict(frozen=True, extra="ignore", from_attributes=True)


class _Message(_Lenient):
    content: str | None = None
    refusal: str | None = None


class _Choice(_Lenient):
    message: _Message
    finish_reason: str | None = None


class _PromptDetails(_Lenient):
    cached_tokens: int | None = None


class _Usage(_Lenient):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _PromptDetails | None = None


class _Chat(_Lenient):
    choices: tuple[_Choice, ...]
    usage: _Usage | None = None
    model: str | None = None


def read_chat(answer: object, named: str, price: Price | None) -> Reply | Fault:
    """Read a reply from JSON (bytes) or from litellm's object; tokens nobody counted are 0.

    Args:
        answer: What came back.
        named: The model, should the reply not say who answered.
        price: What it charges; None where that is not known.
    """
    try:
        if isinstance(answer, bytes):
            chat = _Chat.model_validate_json(answer)
        else:
            chat = _Chat.model_validate(answer)
    except ValidationError as error:
        return Fault("down", f"the server sent no chat reply: {error.errors()[0]['msg']}")
    if not chat.choices:
        return Fault("down", "the reply of the server has no choices")
    choice, usage = chat.choices[0], chat.usage or _Usage()
    if choice.finish_reason == "content_filter" or choice.message.refusal:
        return Fault("refused", "the provider refuses the prompt for its content")
    tokens_in, tokens_out = usage.prompt_tokens or 0, usage.completion_tokens or 0
    details = usage.prompt_tokens_details or _PromptDetails()
    tokens_cached = details.cached_tokens or 0
    return Reply(
        text=(choice.message.content or "").encode("utf-8", "replace").decode("utf-8"),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        tokens_cached=tokens_cached,
        cost_usd=price.cost_usd(tokens_in, tokens_out, tokens_cached) if price else None,
        model=chat.model or named,
        truncated=choice.finish_reason == "length",
    )
