"""The content of replies: strict in what is asked for, patient with what comes."""

from collections.abc import Mapping, Sequence
from functools import cache
from types import UnionType
from typing import ClassVar, Self, Union, get_args, get_origin

from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    PrivateAttr,
    ValidationError,
    model_validator,
)

_LONGEST_SHOWN = 60


class ReplyContent(BaseModel):
    """The root of all replies: every field is required, and no other is allowed.

    Providers that enforce a schema ask for both; optional fields are typed `… | None`. What comes
    nevertheless is taken where it is plain: other fields are left out, and one that is missing
    counts as null or as an empty list where it may be that, a rationale as empty.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

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

    Such a field gets its value of `blanks`, and `misfits` says why.
    """

    blanks: ClassVar[Mapping[str, object]]
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
        blank = {name: cls.blanks[name] for name in misfits if name in cls.blanks}
        element = handler({**given, **blank})
        element._misfits = misfits
        return element


def describe_misfits(element: ReplyElement) -> list[str]:
    """Say what does not fit: `["state: Input should be …, not 'found'"]`."""
    return [f"{name}: {why}" for name, why in element.misfits.items()]


@cache
def _find_shape(
    content_type: type[ReplyContent],
) -> tuple[frozenset[str], Mapping[str, object]]:
    """Return the names of the fields, and those that may be left out with what that means."""
    empty: dict[str, object] = {}
    for name, field in content_type.model_fields.items():
        kind = field.annotation
        if get_origin(kind) in {Union, UnionType} and type(None) in get_args(kind):
            empty[name] = None
        elif get_origin(kind) in {list, tuple}:
            empty[name] = ()
        elif name == "rationale":
            empty[name] = ""
    return frozenset(content_type.model_fields), empty


def _describe_fields(error: ValidationError) -> dict[str, str]:
    said: dict[str, list[str]] = {}
    shown: dict[str, str] = {}
    for item in error.errors(include_url=False):
        name = str(item["loc"][0]) if item["loc"] else ""
        said.setdefault(name, []).append(item["msg"])
        if item["type"] != "missing":
            shown[name] = f", not {show_value(item['input'])}"
    return {name: f"{_joined(why)}{shown.get(name, '')}" for name, why in said.items()}


def _joined(reasons: Sequence[str]) -> str:
    """Join what each type of a union asks for."""
    first, *rest = dict.fromkeys(reasons)
    return " or ".join([first, *(reason.removeprefix("Input should be ") for reason in rest)])


def show_value(value: object) -> str:
    """Write a value for a complaint, cut where it is long."""
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
