"""The JSON object in what a model wrote: beside its thoughts, in prose, in a fence, or broken."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from srag_mcp.errors import ReplyError

_THOUGHTS_END = re.compile(r"</(?:think|thinking|reasoning|reflection)>")
_FENCED = re.compile(r"```[a-zA-Z]*\s*\n(.*?)```", re.DOTALL)
_SURROGATE = re.compile(r"[\ud800-\udfff]|\\u[dD][89a-fA-F]")
_MOST_BEGINNINGS = 20
_LONGEST_REPAIRED = 400_000  # repairing takes 3 s for a million characters
_DECODER = json.JSONDecoder(strict=False)  # line breaks within a text are meant


@dataclass(frozen=True, slots=True)
class _Found:
    """An object in a text, and where it stands there."""

    data: Mapping[str, object]
    start: int
    end: int


def read_object(text: str, names: Collection[str] = ()) -> Mapping[str, object]:
    """Read the JSON object in *text* that has some of *names*; any object where none are given.

    Thoughts before it, prose and code fences are left out. Where none can be read, commas, quotes
    and the like are put right; but not what is missing at the end of a reply that was cut off.
    Where several different ones are left, nothing tells which is meant: a document may hold one,
    and the model have cited it.

    `'<think>{"n": 1}?</think> It is {"n": 12,}' -> {"n": 12}`

    Raises:
        ReplyError: If there is none, or more than one.
    """
    data = _load(text)
    if data is not None:
        return data
    said = _without_thoughts(text)
    whole = [data for part in _FENCED.findall(said) if (data := _load(part)) is not None]
    objects = [found.data for found in _find_objects(said)]
    named = [data for data in (*whole, *objects) if _has_any(data, names)]
    fit = [data for data in named if _says_any(data, names)] or named
    if not fit and (repaired := _repair(said)) is not None and _has_any(repaired, names):
        fit = [repaired]
    if not fit:
        msg = f"it holds no JSON object; it begins {text[:80]!r}"
        raise ReplyError(msg)
    if any(data != fit[0] for data in fit) and names:
        msg = "it holds several JSON objects; reply with one and nothing else"
        raise ReplyError(msg)
    return max(fit, key=lambda data: len(json.dumps(data)))


def _has_any(data: Mapping[str, object], names: Collection[str]) -> bool:
    return not names or any(name in data for name in names)


def _says_any(data: Mapping[str, object], names: Collection[str]) -> bool:
    """Whether *data* has a value for one of *names*: an empty shape is no reply."""
    return not names or any(data.get(name) not in (None, "", [], {}) for name in names)


def _without_thoughts(text: str) -> str:
    """Leave out what ends with a mark of thoughts, unless that is a word of an object."""
    objects = list(_find_objects(text))
    ends = [
        mark.end()
        for mark in _THOUGHTS_END.finditer(text)
        if not any(found.start < mark.start() < found.end for found in objects)
    ]
    return text[ends[-1] :] if ends else text


def _load(text: str) -> Mapping[str, object] | None:
    try:
        data = _DECODER.decode(text)
    except (ValueError, RecursionError):  # the latter: nested without end
        return None
    return _without_halves(data, text) if isinstance(data, dict) else None


def _find_objects(text: str) -> Iterator[_Found]:
    """Yield the objects that stand in prose.

    What is within an object that does not end is none: it is a part of a reply that was cut off.
    """
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
        yield _Found(_without_halves(data, text[start:end]), start, end)


def _repair(text: str) -> Mapping[str, object] | None:
    """Put right what keeps the object of *text* from being read; None if that cannot be done."""
    import json_repair  # only for broken replies

    start, end = text.find("{"), text.rfind("}")
    broken = text[start : end + 1]
    if start < 0 or not broken or len(broken) > _LONGEST_REPAIRED:
        return None
    try:
        data = json_repair.loads(broken)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or not _is_whole(broken, data):
        return None
    return _without_halves(data, broken)


def _is_whole(text: str, data: Mapping[str, object]) -> bool:
    """Whether all that was opened in *text* is closed there: else it was cut off."""
    n_opened, said = 0, []
    rest: list[object] = [data]
    while rest:
        item = rest.pop()
        if isinstance(item, dict):
            n_opened += 1
            rest += [*item, *item.values()]
        elif isinstance(item, list):
            n_opened += 1
            rest += item
        elif isinstance(item, str):
            said.append(item)
    n_closed = text.count("}") + text.count("]")
    return n_closed - sum(item.count("}") + item.count("]") for item in said) >= n_opened


def _without_halves(data: dict[str, object], text: str) -> Mapping[str, object]:
    """Put `?` for half characters, such as of an emoji that was cut: nothing can store them."""
    if _SURROGATE.search(text) is None:
        return data
    whole = json.dumps(data, ensure_ascii=False).encode("utf-8", "replace")
    found: dict[str, object] = json.loads(whole)
    return found
