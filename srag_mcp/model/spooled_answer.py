"""What can be seen at once of an answer to a spooled prompt, before the job looks at it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from srag_mcp.errors import ReplyError
from srag_mcp.model.reply_shape import find_misfit
from srag_mcp.model.reply_text import read_object

_MAX_NAMES = 8


@dataclass(frozen=True, slots=True)
class AnswerOutcome:
    """What became of one answer.

    Attributes:
        id: Of the prompt, as the agent gave it.
        problem: Why the answer was not kept; empty when it was.
        shared: What the prompt shared with others of its step; empty where it is not known.
    """

    id: str
    problem: str = ""
    shared: str = ""

    @property
    def accepted(self) -> bool:
        """Whether the answer was kept; the job may still find fault with it, and ask again."""
        return not self.problem


def reply_text(reply: object) -> str:
    """Write an answer as a language model would have: text stays, an object becomes JSON."""
    return reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)


def find_problem(reply: object, reply_schema: Mapping[str, object]) -> str:
    """Say why *reply* cannot be of the form of *reply_schema*; empty where it may be.

    Only the outermost object is looked at, and whether the lists in it are lists of the right
    things: `({}, {"required": ["name"]}) -> "fields are missing: name"`. What is inside of these,
    the job checks: one of them that does not fit must not lose the others.
    """
    if not isinstance(reply, (str, dict)):
        return "reply must be a JSON object, or its text"
    known = _names(reply_schema.get("properties"))
    try:
        content = read_object(reply_text(reply), known)
    except (ReplyError, ValueError) as error:
        return f"reply must be a JSON object: {error}"
    missing = [name for name in _names(reply_schema.get("required")) if name not in content]
    if missing:
        return f"fields are missing: {_listed(missing)}"
    unknown = [name for name in content if name not in known]
    if unknown and reply_schema.get("additionalProperties") is False:
        return f"fields that were not asked for: {_listed(unknown)}; there are: {_listed(known)}"
    return find_misfit(content, reply_schema)


def _names(value: object) -> list[str]:
    return [str(name) for name in value] if isinstance(value, (list, dict)) else []


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:_MAX_NAMES])
    return shown if len(names) <= _MAX_NAMES else f"{shown} and {len(names) - _MAX_NAMES} more"
