"""The arguments of tools: what each takes, how much of it, and what is done about others.

Each has a ceiling, for a call with a million column names would keep the server for minutes.
"""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Literal

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BeforeValidator, Field, JsonValue, WithJsonSchema

MAX_SQL = 20_000  # that is what the guard reads
MAX_NAME = 200
MAX_WORDS = 2000  # of a question, a wish, a value, a document's path
_LINKS = re.compile(r"\n\s*For further information visit \S+")


def value_as_text(value: object) -> object:
    """Write a number or a truth value as text, for agents pass a value as the column has it.

    `56 -> "56"`, `True -> "true"`; anything else is left for the check of types.
    """
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else value


CorpusName = Annotated[str, Field(max_length=MAX_NAME, description="Empty: the only one.")]
ColumnName = Annotated[str, Field(max_length=MAX_NAME)]
Columns = Annotated[list[ColumnName], Field(max_length=100, description="Empty: all.")]
Limit = Annotated[int, Field(ge=1, le=1000, description="Most rows.")]
Offset = Annotated[int, Field(ge=0, description="From next_offset.")]
Sql = Annotated[str, Field(max_length=MAX_SQL, description="One SELECT, DuckDB dialect.")]
Question = Annotated[str, Field(max_length=MAX_WORDS, description="In plain words.")]
SampleQuestions = Annotated[
    list[Annotated[str, Field(max_length=MAX_WORDS)]],
    Field(max_length=100, description="What the columns should answer."),
]
Wish = Annotated[str, Field(max_length=MAX_WORDS, description="What the column holds, in words.")]
JobId = Annotated[str, Field(max_length=MAX_NAME, description="Empty: the latest.")]
WaitSeconds = Annotated[float, Field(ge=0, le=50, description="Longest wait.")]
DocumentId = Annotated[str, Field(max_length=MAX_WORDS, description="From a result.")]
Condition = Annotated[
    str,
    Field(max_length=MAX_SQL, description="SQL condition on records."),
]
CellValue = Annotated[
    str,
    BeforeValidator(value_as_text),
    Field(max_length=MAX_WORDS, description="Only this value."),
]
State = Annotated[
    Literal["", "stated", "stated_absent", "not_mentioned", "failed"],
    Field(description="Only this state."),
]
# Looser than what it says: an answer of the wrong form must not cost the others.
Answers = Annotated[
    list[JsonValue],
    Field(max_length=200),
    WithJsonSchema(
        {
            "type": "array",
            "maxItems": 200,
            "description": "One a prompt.",
            "items": {
                "type": "object",
                "properties": {"id": {"type": "string"}, "reply": {"type": "object"}},
                "required": ["id", "reply"],
            },
        }
    ),
]


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
        name = unknown[0][:100]
        nearest = get_close_matches(name, names, n=1, cutoff=0.5)
        hint = f"did you mean {nearest[0]}? " if nearest else ""
        has = f"its arguments are {', '.join(names)}" if names else "it has none"
        msg = f"Error executing tool {tool}: no argument {name!r}; {hint}{has}"
        raise ToolError(msg)
    return {
        name: value
        for name, value in arguments.items()
        if value is not None or (isinstance(required, list) and name in required)
    }


def without_links(error: ToolError) -> ToolError:
    """Take the addresses of a library's documentation out of the text of *error*."""
    return ToolError(_LINKS.sub("", str(error)))
