"""How much fits into one result: hosts keep about 20,000 characters of it."""

import json
from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel

Entry = TypeVar("Entry", str, BaseModel, list[str | int | float | bool | None])


def json_size(value: object) -> int:
    """Return the characters of *value* as compact JSON."""
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json", exclude_defaults=True)
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def take_whole(entries: Sequence[Entry], max_characters: int) -> list[Entry]:
    """Return the first *entries* that fit; at least one, none cut."""
    taken: list[Entry] = []
    left = max_characters
    for entry in entries:
        left -= json_size(entry) + 1
        if left < 0 and taken:
            break
        taken.append(entry)
    return taken


def cut_text(text: str, max_characters: int) -> str:
    """Cut *text* where its JSON would be longer than *max_characters*; escapes count."""
    while text and (size := json_size(text)) > max_characters:
        text = text[: min(len(text) - 1, len(text) * max_characters // size)]
    return text


def cut_middle(text: str, max_characters: int) -> str:
    """Cut *text* in its middle: `("no corpus 'aaaa…'; pass 'cvs'", 20) -> "no corpu…; pass 'cvs'"`.

    A message that repeats a long value says at its end what to do.
    """
    if len(text) <= max_characters:
        return text
    end = max_characters * 2 // 3
    return f"{text[: max_characters - end - 1]}…{text[-end:]}"


def shorten(text: str, max_characters: int) -> str:
    """Shorten *text* to so many characters, with an ellipsis: `("a long one", 6) -> "a lon…"`."""
    if len(text) <= max_characters:
        return text
    return f"{text[: max(0, max_characters - 1)].rstrip()}…"
