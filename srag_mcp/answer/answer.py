"""An answer: rows in words, with the query, the denominator, the bounds and the sources."""

from dataclasses import dataclass

from srag_mcp.answer.brief import Brief
from srag_mcp.model.ledger import Totals
from srag_mcp.schema.translation import Translation
from srag_mcp.store.evidence import Evidence
from srag_mcp.store.guard import Value


@dataclass(frozen=True, slots=True)
class ColumnCoverage:
    """How many of *n_documents* selected documents have a value in *column*.

    *n_failed* say something that could not be read; the rest does not say.
    """

    column: str
    n_documents: int
    n_known: int
    n_failed: int

    @property
    def n_unknown(self) -> int:
        """Documents that say nothing."""
        return self.n_documents - self.n_known - self.n_failed


@dataclass(frozen=True, slots=True)
class Bounds:
    """The smallest and the largest value the answer can have, whatever the unknown cells hold.

    *within*: on condition that they lie in this range, which is that of the known values; None for
    a count, which needs no condition.
    """

    lower: float
    upper: float
    within: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What `ask` returns.

    Attributes:
        question: As it was asked.
        text: The answer in words, grounded in the rows only.
        kind: `value`, `boolean`, `list`, `rows`, or `brief` when the question was not translated.
        columns, rows: The result of the query.
        sql: The query; empty for a brief.
        restated: The reading of the question, in plain words.
        n_documents: Documents of the corpus.
        coverage: One entry for each column used that some documents do not say.
        bounds: Of a count, share, sum or average; None where they are not known or nothing is
            unknown.
        warnings: What the reader should know before trusting the number.
        assumptions: What not being mentioned counts as, for the columns where it counts, and what
            unknown cells could change where there are no bounds.
        sources: A few quotes behind the answer.
        engine: Who translated: `offline` or `model`.
        truncated: Whether more rows exist than *rows* holds.
        translation: The reading; None for a brief.
        taken: What the language model took; None where none was asked.
        brief: What the calling agent needs to write the query itself; None for an answer.
    """

    question: str
    text: str
    kind: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Value, ...], ...] = ()
    sql: str = ""
    restated: str = ""
    n_documents: int = 0
    coverage: tuple[ColumnCoverage, ...] = ()
    bounds: Bounds | None = None
    warnings: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    sources: tuple[Evidence, ...] = ()
    engine: str = "offline"
    truncated: bool = False
    translation: Translation | None = None
    taken: Totals | None = None
    brief: Brief | None = None

    @property
    def refused(self) -> bool:
        """Whether the question was not answered."""
        return self.brief is not None
