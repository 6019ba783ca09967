"""The arguments of a call: which a tool has, and what is done about the others."""

import re
from collections.abc import Mapping
from difflib import get_close_matches

from mcp.server.mcpserver.exceptions import ToolError

_LINKS = re.compile(r"\n\s*For further information visit \S+")


def known_arguments(
    tool: str, schema: Mapping[str, object], arguments: Mapping[str, object]
) -> dict[str, object]:
    """Return *arguments* without those that are null and need not be there.

    Some clients fill all arguments, with null where there is nothing to say.

    Raises:
        ToolError: If the tool has no argument of such a name. Left out in silence, a condition
            under a wrong name would prove an aggregate by the quotes of all documents.
    """
    properties = schema.get("properties")
    names = list(properties) if isinstance(properties, dict) else []
    required = schema.get("required", [])
    unknown = [name for name in arguments if name not in names]
    if unknown:
        nearest = get_close_matches(unknown[0], names, n=1, cutoff=0.5)
        hint = f"did you mean {nearest[0]}? " if nearest else ""
        has = f"its arguments are {', '.join(names)}" if names else "it has none"
        msg = f"Error executing tool {tool}: no argument {unknown[0][:100]!r}; {hint}{has}"
        raise ToolError(msg)
    return {
        name: value
        for name, value in arguments.items()
        if value is not None or (isinstance(required, list) and name in required)
    }


def value_as_text(value: object) -> object:
    """Write a number or a truth value as text, for agents pass a value as the column has it.

    `56 -> "56"`, `True -> "true"`; anything else is left for the check of types.
    """
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else value


def without_links(error: ToolError) -> ToolError:
    """Take the addresses of a library's documentation out of the text of *error*."""
    return ToolError(_LINKS.sub("", str(error)))
