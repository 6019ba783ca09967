"""Soundness: readings that cannot be meant, because they contradict or answer themselves."""

from dataclasses import fields, is_dataclass

from srag_mcp.offline.translation.reading import Every, Listing, OneOf, Reading


def is_sound(reading: Reading) -> bool:
    """Whether no filter excludes another, and the answer is not already in the question."""
    return not (_answers_itself(reading) or _contradicts(reading))


def _answers_itself(reading: Reading) -> bool:
    """Whether the only output is held to one value by the question: `which team is Ashford`."""
    if not isinstance(reading, Listing) or len(reading.outputs) != 1:
        return False
    return any(
        isinstance(part, OneOf)
        and len(part.values) == 1
        and part.column == reading.outputs[0].column
        for part in reading.where.conditions
    )


def _contradicts(node: object) -> bool:
    if isinstance(node, Every) and _excludes(node):
        return True
    if isinstance(node, tuple):
        return any(_contradicts(part) for part in node)
    if not is_dataclass(node):
        return False
    return any(_contradicts(getattr(node, field.name)) for field in fields(node))


def _excludes(every: Every) -> bool:
    """Whether two conditions hold one column to different values."""
    held: dict[str, set[str]] = {}
    for part in every.conditions:
        if isinstance(part, OneOf):
            values = held.setdefault(part.column, set(part.values))
            values &= set(part.values)
    return not all(held.values())
