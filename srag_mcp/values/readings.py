"""Readings: what the words of one cell come to once its whole column is known."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from srag_mcp.values.states import State
from srag_mcp.values.types import ColumnType, Value


@dataclass(frozen=True, slots=True)
class Column:
    """What is known of a column before its cells are read.

    Attributes:
        type: Of its values.
        name: What it denies itself (`no_smoking`) is true where it is said.
        unit: Its numbers are wanted in this one, perhaps with a scale: `million USD`.
        categories: The closed set of its values.
        absent_means: What silence means: `unknown`, `false` or `zero`.
    """

    type: ColumnType
    name: str = ""
    unit: str | None = None
    categories: tuple[str, ...] | None = None
    absent_means: str = "unknown"


@dataclass(frozen=True, slots=True)
class Words:
    """What one document says: *text*, and the *context* that changes its reading: a header."""

    text: str
    context: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read: *value* is None unless the state is STATED, or absence is a value here.

    *note* says why it failed, or what was changed or assumed.
    """

    state: State
    value: Value | None = None
    unit: str | None = None
    note: str = ""


Reader: TypeAlias = Callable[[Words], Reading]


def failed(reason: str) -> Reading:
    """Return the reading of words that could not be read."""
    return Reading(State.FAILED, note=reason)
