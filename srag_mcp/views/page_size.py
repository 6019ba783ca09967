"""How much fits into one result: hosts keep about 20,000 characters of it."""

import json
from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel

PAGE_SHARE = 0.9  # of the characters of a result; the rest is for what stands around its entries
ROWS_SHARE = 0.85  # the same, for rows: words stand around them
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


def fit_lines(lines: Sequence[str], max_characters: int) -> list[str]:
    """Keep the first *lines* that fit, long ones cut in the middle; the rest are counted."""
    if sum(map(len, lines)) <= max_characters:
        return list(lines)
    kept = take_whole([cut_middle(line, max_characters // 3) for line in lines], max_characters)
    n_left = len(lines) - len(kept)
    return [*kept, f"and {n_left} more"] if n_left else kept
