"""The JSON object in what a model wrote: beside its thoughts, in prose, in a fence, or broken."""

import json
import re
from collections.abc import Iterator, Mapping

from srag_mcp.errors import ReplyError

_THOUGHTS = re.compile(r"\A.*</(?:think|thinking|reasoning|reflection)>", re.DOTALL)
_FENCED = re.compile(r"```[a-zA-Z]*\s*\n(.*?)```", re.DOTALL)
_SURROGATE = re.compile(r"[\ud800-\udfff]|\\u[dD][89a-fA-F]")
_MOST_BEGINNINGS = 20
_LONGEST_REPAIRED = 400_000  # repairing takes 3 s for a million characters
_DECODER = json.JSONDecoder(strict=False)  # line breaks within a text are meant


def read_object(text: str) -> Mapping[str, object]:
    """Read the JSON object in *text*.

    Thoughts before it, prose and code fences are left out. Where none can be read, commas, quotes
    and the like are put right; but not what is missing at the end of a reply that was cut off.

    `'<think>{"n": 1}?</think> It is {"n": 12,}' -> {"n": 12}`

    Raises:
        ReplyError: If there is none.
    """
    said = _THOUGHTS.sub("", text)
    for candidate in (text, *_FENCED.findall(said)):
        data = _load(candidate)
        if data is not None:
            return data
    found = max(_find_objects(said), key=lambda item: item[0], default=None)
    data = found[1] if found else _repair(said)
    if data is not None:
        return data
    msg = f"it holds no JSON object; it begins {text[:80]!r}"
    raise ReplyError(msg)


def _load(text: str) -> Mapping[str, object] | None:
    try:
        data = _DECODER.decode(text)
    except (ValueError, RecursionError):  # the latter: nested without end
        return None
    return _without_halves(data, text) if isinstance(data, dict) else None


def _find_objects(text: str) -> Iterator[tuple[int, Mapping[str, object]]]:
    """Yield the objects that stand in prose, each with its length.

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
        yield end - start, _without_halves(data, text[start:end])


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
