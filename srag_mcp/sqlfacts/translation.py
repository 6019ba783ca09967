"""A translation: a question in the words of a schema, and as a query."""

from dataclasses import dataclass

from srag_mcp.sqlfacts.query import ColumnUse, Kind, QueryFacts


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
        facts: The query, one SELECT in DuckDB's dialect, and what it says.
        literals: What was bound to stored values.
        score: 0 to 1, how sure the reading is; 1 when every word of the question has its place.
        ordered: Whether the order of the rows is part of the answer.
        unsettled: Whether a second reader should be asked: the words leave open what was meant.
    """

    question: str
    restated: str
    facts: QueryFacts
    literals: tuple[BoundLiteral, ...] = ()
    score: float = 1.0
    ordered: bool = False
    unsettled: bool = False

    @property
    def sql(self) -> str:
        """The query."""
        return self.facts.sql

    @property
    def kind(self) -> Kind:
        """What the answer is: one `value`, a `boolean`, a `list` of values, or `rows`."""
        return self.facts.kind

    @property
    def columns(self) -> tuple[ColumnUse, ...]:
        """Columns used, each once a role."""
        return self.facts.columns

    @property
    def unit(self) -> str | None:
        """Unit of a single value or of a list, where it is known."""
        return self.facts.unit
