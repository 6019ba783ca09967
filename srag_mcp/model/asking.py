"""Asking for a reply of a type: parsed, checked, and asked again with what was wrong."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Generic, TypeVar

from pydantic import ValidationError

from srag_mcp.errors import PromptTooLongError, ReplyError
from srag_mcp.model.language_model import Correction, LanguageModel, Prompt
from srag_mcp.model.reply_content import ReplyContent, read_object

MAX_CORRECTIONS = 2
_MAX_PROBLEMS = 10
_LEAST_TOKENS = 250  # less of documents tells nothing
_UNUSABLE = (
    "The reply cannot be used as it is:",
    "Answer again: the whole reply, with this put right,",
)
_IN_DOUBT = (
    "Look at the reply again:",
    "Answer with the whole reply, put right, or the same where it is right all the same,",
)

Content = TypeVar("Content", bound=ReplyContent)
Check = Callable[[Content], Sequence[str]]


class Doubt(str):
    """What a check finds of a reply that may be right all the same: the same reply stands by it."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Asked(Generic[Content]):
    """A reply of the right form, its *text* as the model wrote it.

    *problems*: what the check still found after the last correction. *prompt*: the last one, with
    the earlier replies as corrections.
    """

    content: Content
    problems: tuple[str, ...] = ()
    text: str = ""
    prompt: Prompt | None = field(default=None, compare=False)

    def forget(self, model: LanguageModel) -> None:
        """Let *model* forget the last reply, where nothing can be made of the content."""
        if self.prompt is not None:
            model.forget(self.prompt, reply_schema(type(self.content)))


async def ask_for(
    model: LanguageModel,
    prompt: Prompt,
    content_type: type[Content],
    check: Check[Content] = lambda content: (),
) -> Asked[Content]:
    """Ask until the reply has the form of *content_type* and *check* finds nothing wrong.

    A reply that does not is given back with the reasons, at most twice.

    Raises:
        ReplyError: If no reply had the right form. The last one is forgotten, so that a later run
            does not fail by the same replies.
        ModelError: If no reply could be had.

    Source: DESIGN 6.
    """
    schema = reply_schema(content_type)
    best: Asked[Content] | None = None
    for n_corrections in range(MAX_CORRECTIONS + 1):
        reply = await model.complete(prompt, schema)
        try:
            content = read_content(reply.text, content_type)
            problems = tuple(check(content))
            best = Asked(content, problems, reply.text, prompt)
        except ReplyError as error:
            problems = (str(error),)
            if reply.truncated:
                problems = (f"the reply was cut off; write a shorter one. {error}",)
        if not problems:
            break
        if n_corrections < MAX_CORRECTIONS:
            more = len(problems) - _MAX_PROBLEMS
            shown = "\n".join(f"- {problem}" for problem in problems[:_MAX_PROBLEMS])
            rest = f"\n- and {more} more of the kind" if more > 0 else ""
            are_doubts = all(isinstance(problem, Doubt) for problem in problems)
            before, behind = _IN_DOUBT if are_doubts else _UNUSABLE
            told = f"{before}\n{shown}{rest}\n{behind} as one JSON object and nothing else."
            corrections = (*prompt.corrections, Correction(reply.text, told))
            prompt = replace(prompt, corrections=corrections)
    if best is None:
        model.forget(prompt, schema)
        msg = f"{prompt.step} ({prompt.subject}): no reply had the right form: {problems[0]}"
        raise ReplyError(msg)
    return best


async def ask_shorter(
    ask: Callable[[int], Awaitable[Asked[Content]]], n_tokens: int
) -> Asked[Content]:
    """Ask with *n_tokens* of documents, with half as many while that is too long.

    Raises:
        PromptTooLongError: If the least is too long; the text says what to set.
        ModelError: What *ask* raises.
    """
    while True:
        try:
            return await ask(n_tokens)
        except PromptTooLongError:
            n_tokens //= 2
            if n_tokens < _LEAST_TOKENS:
                raise


@cache
def reply_schema(content_type: type[ReplyContent]) -> Mapping[str, object]:
    """Return the JSON Schema of a reply, without titles and descriptions: those are told."""
    bare = _bare(content_type.model_json_schema())
    return bare if isinstance(bare, dict) else {}


def _bare(item: object) -> object:
    """Return a part of a JSON Schema without titles and descriptions; names of fields may be so."""
    if isinstance(item, list):
        return [_bare(part) for part in item]
    if not isinstance(item, dict):
        return item
    named = {"properties", "$defs"}
    return {
        key: {name: _bare(part) for name, part in value.items()}
        if key in named and isinstance(value, dict)
        else _bare(value)
        for key, value in item.items()
        if key not in {"title", "description"}
    }


def read_content(text: str, content_type: type[Content]) -> Content:
    """Read the JSON object of a reply; ReplyError, which says where and why, if it does not fit."""
    data = read_object(text, content_type.model_fields)
    try:
        return content_type.model_validate(data)
    except ValidationError as error:
        said = [
            f"{'.'.join(map(str, item['loc'])) or 'the object'}: {item['msg']}"
            for item in error.errors(include_url=False)
        ]
        more = f"; and {len(said) - _MAX_PROBLEMS} more" if len(said) > _MAX_PROBLEMS else ""
        raise ReplyError("; ".join(said[:_MAX_PROBLEMS]) + more) from error
