"""A translation: a question in the words of a schema, and as a query."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Role: TypeAlias = Literal["output", "measure", "filter", "group", "order"]


@dataclass(frozen=True, slots=True)
class ColumnUse:
    """A column that a query uses, and what for."""

    column: str
    role: Role


@dataclass(frozen=True, slots=True)
class BoundLiteral:
    """A literal as the question says it and as the corpus stores it."""

    asked: str
    column: str
    stored: str


@dataclass(frozen=True, slots=True)
class Translation:
    """One reading of a question.

    Attributes:
        question: As it was asked.
        restated: The reading in plain words, with the column names, so that a person can check it.
        sql: One SELECT in DuckDB's dialect.
        kind: What the answer is: one `value`, a `boolean`, a `list` of values, or `rows`.
        columns: Columns used, each once a role.
        literals: What was bound to stored values.
        score: 0 to 1, how sure the reading is; 1 when every word of the question has its place.
        ordered: Whether the order of the rows is part of the answer.
        unsettled: Whether a second reader should be asked: the words leave open what was meant.
        unit: Unit of a single value or of a list, where it is known.
    """

    question: str
    restated: str
    sql: str
    kind: Literal["value", "boolean", "list", "rows"]
    columns: tuple[ColumnUse, ...] = ()
    literals: tuple[BoundLiteral, ...] = ()
    score: float = 1.0
    ordered: bool = False
    unsettled: bool = False
    unit: str | None = None
