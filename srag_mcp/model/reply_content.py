"""The content of replies: strict in what is asked for, patient with what comes."""

import json
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import ClassVar, Generic, Literal, Self, TypeVar, get_args, get_origin

import anyio
from pydantic import (
    BaseModel,
    ModelWrapValidatorHandler,
    PrivateAttr,
    ValidationError,
    model_validator,
)

from srag_mcp.errors import ModelError, ModelStoppedError, PromptTooLongError, ReplyError
from srag_mcp.model.language_model import Correction, LanguageModel, Prompt

_THOUGHTS_END = re.compile(r"</(?:think|thinking|reasoning|reflection)>")
_SURROGATE = re.compile(r"[\ud800-\udfff]|\\u[dD][89a-fA-F]")
_MOST_BEGINNINGS = 20
_LONGEST_REPAIRED = 400_000  # repairing takes 3 s for a million characters
_DECODER = json.JSONDecoder(strict=False)  # line breaks within a text are meant
_LONGEST_SHOWN = 60


class ReplyContent(BaseModel, frozen=True, extra="forbid"):
    """The root of all replies: every field is required, and no other is allowed.

    Providers that enforce a schema ask for both; optional fields are typed `… | None`. What comes
    nevertheless is taken where it is plain: other fields are left out, and one that is missing
    counts as null or as an empty list where it may be that, a rationale as empty.
    """

    @model_validator(mode="before")
    @classmethod
    def _take_what_is_plain(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        names, empty = _find_shape(cls)
        if data.keys() == names and None not in data.values():  # so are nearly all
            return data
        taken = {name: data[name] for name in names if data.get(name) is not None}
        return {**empty, **taken} if taken else data  # else it is something else


class ReplyElement(ReplyContent):
    """One of many in a reply: a field that does not fit must not lose the others.

    Such a field gets its value of `blanks`, else what says nothing: an empty text or list, null, 0,
    the first of several choices; and `misfits` says why.
    """

    blanks: ClassVar[Mapping[str, object]] = {}
    _misfits: dict[str, str] = PrivateAttr(default_factory=dict)

    @property
    def misfits(self) -> Mapping[str, str]:
        """Why fields do not fit, by name: `{"state": "Input should be …, not 'found'"}`."""
        return self._misfits

    @model_validator(mode="wrap")
    @classmethod
    def _fill_blanks(cls, data: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return handler(data)
        except ValidationError as error:
            misfits = _describe_fields(error)
            given = data if isinstance(data, Mapping) else {}
        if all(given.get(name) is None for name in cls.model_fields):
            misfits = dict.fromkeys(cls.model_fields, "it is no such object")
        blank = {name: _blank(field.annotation) for name, field in cls.model_fields.items()}
        blank = {name: x for name, x in {**blank, **cls.blanks}.items() if name in misfits}
        element = handler({**given, **blank})
        element._misfits = misfits
        return element


def describe_misfits(element: ReplyElement) -> list[str]:
    """Say what does not fit: `["state: Input should be …, not 'found'"]`."""
    return [f"{name}: {why}" for name, why in element.misfits.items()]


def _blank(kind: object) -> object:
    choices, origin = get_args(kind), get_origin(kind)
    if origin is Literal:
        return choices[0]
    if type(None) in choices:
        return None
    return () if origin in {list, tuple} else 0 if kind is int else ""


@cache
def _find_shape(content_type: type[ReplyContent]) -> tuple[frozenset[str], Mapping[str, object]]:
    """Return the names of the fields, and those that may be left out with what that means."""
    kinds = {name: field.annotation for name, field in content_type.model_fields.items()}
    empty = {
        name: _blank(kind)
        for name, kind in kinds.items()
        if name == "rationale" or type(None) in get_args(kind) or get_origin(kind) in {list, tuple}
    }
    return frozenset(kinds), empty


def _describe_fields(error: ValidationError) -> dict[str, str]:
    """Say why fields do not fit, by name; of a union, what each of its types asks for."""
    said: dict[str, list[str]] = {}
    shown: dict[str, str] = {}
    for item in error.errors(include_url=False):
        name = str(item["loc"][0]) if item["loc"] else ""
        said.setdefault(name, []).append(item["msg"])
        if item["type"] != "missing":
            shown[name] = f", not {_show(item['input'])}"
    described = {}
    for name, reasons in said.items():
        first, *rest = dict.fromkeys(reasons)
        others = [reason.removeprefix("Input should be ") for reason in rest]
        described[name] = " or ".join([first, *others]) + shown.get(name, "")
    return described


def _show(value: object) -> str:
    """Write a value for a complaint, cut where it is long."""
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def read_object(text: str, names: Collection[str]) -> Mapping[str, object]:
    """Read the JSON object in *text* that has some of *names*.

    Thoughts before it, prose and code fences are left out. Where none can be read, commas, quotes
    and the like are put right; but not what is missing at the end of a reply that was cut off.
    Where several different ones are left, nothing tells which is meant: a document may hold one,
    and the model have cited it.

    `('<think>{"n": 1}?</think> It is {"n": 12,}', ["n"]) -> {"n": 12}`

    Raises:
        ReplyError: If there is none, or more than one.
    """
    data = _load(text)
    if data is not None:
        return data
    objects = [place for _, place in _find_objects(text)]
    for mark in reversed(list(_THOUGHTS_END.finditer(text))):
        if not any(mark.start() in place for place in objects):  # else a word of an object
            text = text[mark.end() :]
            break
    named = [data for data, _ in _find_objects(text) if _has_any(data, names)]
    # an empty shape is no reply where there is another one
    fit = [data for data in named if _has_any(data, names, said=True)] or named
    if not fit and (repaired := _repair(text)) is not None and _has_any(repaired, names):
        fit = [repaired]
    if not fit:
        msg = f"it holds no JSON object; it begins {text[:80]!r}"
        raise ReplyError(msg)
    if any(data != fit[0] for data in fit):
        msg = "it holds several JSON objects; reply with one and nothing else"
        raise ReplyError(msg)
    return fit[0]


def _has_any(data: Mapping[str, object], names: Collection[str], *, said: bool = False) -> bool:
    """Whether *data* has one of *names*, with a value where that must be *said*."""
    empty: tuple[object, ...] = (None, "", [], {}) if said else ()
    return any(name in data and data[name] not in empty for name in names)


def _load(text: str) -> Mapping[str, object] | None:
    try:
        data = _DECODER.decode(text)
    except (ValueError, RecursionError):  # the latter: nested without end
        return None
    return _without_halves(data, text) if isinstance(data, dict) else None


def _find_objects(text: str) -> Iterator[tuple[Mapping[str, object], range]]:
    """Yield the objects that stand in prose, and where; none within one that does not end."""
    end = 0
    for _ in range(_MOST_BEGINNINGS):
        start = text.find("{", end)
        if start < 0 or text.count("{", 0, start) > text.count("}", 0, start):
            return
        try:
            data, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
            continue
        yield _without_halves(data, text[start:end]), range(start, end)


def _repair(text: str) -> Mapping[str, object] | None:
    """Put right what keeps the object of *text* from being read; None if that cannot be done.

    Nor if not all that was opened is closed: then it was cut off.
    """
    import json_repair  # only for broken replies

    start, end = text.find("{"), text.rfind("}")
    broken = text[start : end + 1]
    if start < 0 or not broken or len(broken) > _LONGEST_REPAIRED:
        return None
    try:
        data = json_repair.loads(broken)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    n_opened, n_closed = 0, broken.count("}") + broken.count("]")
    rest: list[object] = [data]
    while rest:
        item = rest.pop()
        n_opened += isinstance(item, dict | list)
        if isinstance(item, dict):
            rest += [*item, *item.values()]
        elif isinstance(item, list):
            rest += item
        elif isinstance(item, str):
            n_closed -= item.count("}") + item.count("]")
    return _without_halves(data, broken) if n_closed >= n_opened else None


def _without_halves(data: dict[str, object], text: str) -> Mapping[str, object]:
    """Put `?` for half characters, such as of an emoji that was cut: nothing can store them."""
    if _SURROGATE.search(text) is None:
        return data
    whole = json.dumps(data, ensure_ascii=False).encode("utf-8", "replace")
    found: dict[str, object] = json.loads(whole)
    return found


def find_problem(reply: object, reply_schema: Mapping[str, object]) -> str:
    """Say why *reply* cannot be of the form of *reply_schema*; empty where it may be.

    What the fields hold, the job checks, as it does of any language model; one of them that does
    not fit must not lose the others. Lists, and what may be null, may be missing, but not all of
    the fields.

    `({}, {"required": ["name"]}) -> "fields are missing: name"`
    """
    if not isinstance(reply, (str, dict)):
        return "reply must be a JSON object, or its text"
    required = reply_schema.get("required")
    names = required if isinstance(required, list) else []
    try:
        content = reply if isinstance(reply, dict) else read_object(reply, names)
    except ReplyError as error:
        return f"reply must be a JSON object: {error}"
    missing = [name for name in names if name not in content]
    if len(missing) < len(names):
        fields = reply_schema.get("properties")
        missing = [name for name in missing if not _may_be_empty(fields, name)]
    return f"fields are missing: {', '.join(missing)}" if missing else ""


def _may_be_empty(fields: object, name: str) -> bool:
    """Whether the field *name* of a JSON Schema may be an empty list or null."""
    field = fields.get(name) if isinstance(fields, Mapping) else None
    if not isinstance(field, Mapping):
        return False
    choices = field.get("anyOf", ())
    return field.get("type") == "array" or {"type": "null"} in choices


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
Item = TypeVar("Item")
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


async def ask_all(
    items: Iterable[Item],
    ask: Callable[[Item], Awaitable[None]],
    on_failure: Callable[[Item, ModelError], None],
) -> None:
    """Ask for all *items* at once; *on_failure* is told those that have no reply of use.

    Raises:
        ModelStoppedError: If no further prompt can be answered; those in flight are finished first.
    """
    stopped: list[ModelStoppedError] = []

    async def ask_one(item: Item) -> None:
        try:
            await ask(item)
        except ModelStoppedError as error:
            stopped.append(error)
        except ModelError as error:
            on_failure(item, error)

    async with anyio.create_task_group() as tasks:
        for item in items:
            tasks.start_soon(ask_one, item)
    if stopped:
        raise stopped[0]


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
