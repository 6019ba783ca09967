"""An answer: rows in words, with the query, the denominator, the bounds and the sources."""

from dataclasses import dataclass

from srag_mcp.answer.brief import Brief
from srag_mcp.model.ledger import Totals
from srag_mcp.schema.translation import Translation
from srag_mcp.store.evidence import Evidence
from srag_mcp.store.guard import Value

MANY_UNKNOWN = 0.2


@dataclass(frozen=True, slots=True)
class ColumnCoverage:
    """How many documents have a value in *column* that was used, and how many may lack one.

    *n_failed* say something that could not be read, *n_unknown* say nothing.
    """

    column: str
    n_used: int
    n_unknown: int
    n_failed: int


@dataclass(frozen=True, slots=True)
class Denominator:
    """Over which records the filter of a query ran.

    Attributes:
        n_documents: All records of the corpus.
        n_selected: Those that meet the conditions; None where there are none, where the result is
            their number, and where they were not counted.
        columns: One entry for each column used that some documents do not say.
        before_conditions: Whether the columns were counted over all records, as counting after the
            conditions would take too long.
        uncounted: Why nothing was counted; empty where it was.
    """

    n_documents: int
    n_selected: int | None = None
    columns: tuple[ColumnCoverage, ...] = ()
    before_conditions: bool = False
    uncounted: str = ""

    @property
    def has_many_gaps(self) -> bool:
        """Whether many of the documents do not say a column."""
        gaps = ((item.n_unknown + item.n_failed, item.n_used) for item in self.columns)
        return any(n_gaps > MANY_UNKNOWN * (n_gaps + n_used) for n_gaps, n_used in gaps)


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
        denominator: Over which records its filter ran; None where it reads none.
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
    denominator: Denominator | None = None
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
