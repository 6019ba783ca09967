"""JSON values as dotted keys with text."""

from typing import TypeAlias

JsonScalar: TypeAlias = str | int | float | bool | None
JsonValue: TypeAlias = "JsonScalar | list[JsonValue] | dict[str, JsonValue]"


def flatten(value: JsonValue, key: str = "") -> list[tuple[str, str]]:
    """Return the scalars below *value* with dotted keys; a list of scalars is joined by commas.

    `{"rating": {"value": 9.2}, "tags": ["a", "b"]}` -> `rating.value: 9.2`, `tags: a, b`.
    """
    if isinstance(value, dict):
        return [
            pair
            for name, member in value.items()
            for pair in flatten(member, f"{key}.{name}" if key else name)
        ]
    if isinstance(value, list):
        if all(is_scalar(member) for member in value):
            text = ", ".join(filter(None, (scalar_text(member) for member in value)))
            return [(key, text)] if text else []
        return [
            pair
            for number, member in enumerate(value, start=1)
            for pair in flatten(member, f"{key}.{number}" if key and len(value) > 1 else key)
        ]
    text = scalar_text(value)
    return [(key, text)] if text else []


def is_scalar(value: JsonValue) -> bool:
    """Whether *value* is neither a list nor an object."""
    return not isinstance(value, dict | list)


def scalar_text(value: JsonValue) -> str:
    """Return a scalar as text: `null` is nothing, `12.0` is `12`."""
    if value is None or isinstance(value, dict | list):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)
