"""A reading: what a question asks of one table, before it is SQL or words."""

from dataclasses import dataclass
from datetime import date
from typing import Literal, TypeAlias

Form: TypeAlias = Literal[
    "plain",
    "number",
    "date",
    "text_year",
    "year",
    "quarter",
    "month",
    "month_name",
    "week",
    "weekday",
    "decade",
]
Operator: TypeAlias = Literal["=", "<>", "<", "<=", ">", ">="]
Function: TypeAlias = Literal["count", "sum", "avg", "median", "min", "max", "percentile"]
Constant: TypeAlias = str | int | float | bool | date

ROW = "document_id"


@dataclass(frozen=True, slots=True)
class Term:
    """A column as a query uses it: as it is, its text read as a number, or a part of its date."""

    column: str
    form: Form = "plain"


@dataclass(frozen=True, slots=True)
class Compare:
    """*term* stands in a relation to a constant; a record without a value does not."""

    term: Term
    operator: Operator
    value: Constant


@dataclass(frozen=True, slots=True)
class Between:
    """*term* lies between two constants, both included."""

    term: Term
    low: Constant
    high: Constant


@dataclass(frozen=True, slots=True)
class PartIs:
    """A part of a date is one of these numbers: months 1 to 12, ISO weekdays 1 to 7."""

    column: str
    part: Literal["month", "weekday", "day"]
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OneOf:
    """A text column holds one of these stored values; *asked* is the phrase of the question."""

    column: str
    values: tuple[str, ...]
    asked: str


@dataclass(frozen=True, slots=True)
class Contains:
    """A text column contains a phrase, in any case."""

    column: str
    phrase: str
    asked: str


@dataclass(frozen=True, slots=True)
class StartsWith:
    """A text column begins (or ends) with letters."""

    column: str
    letters: str
    at_end: bool = False


@dataclass(frozen=True, slots=True)
class Missing:
    """A column has no value."""

    column: str


@dataclass(frozen=True, slots=True)
class Truth:
    """A boolean column is true."""

    column: str


@dataclass(frozen=True, slots=True)
class Negated:
    """The condition does not hold; where *closed*, not of the silent documents either."""

    condition: "Condition"
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Every:
    """All conditions hold; none means no restriction."""

    conditions: tuple["Condition", ...] = ()


@dataclass(frozen=True, slots=True)
class Either:
    """At least one of the conditions holds."""

    conditions: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class Extreme:
    """*term* is the highest (or lowest) of the records of *scope*; ties all are."""

    term: Term
    highest: bool
    scope: Every


@dataclass(frozen=True, slots=True)
class Relative:
    """*term* stands in a relation to a summary over records, such as their average."""

    term: Term
    operator: Operator
    summary: "Scalar"


Condition: TypeAlias = (
    Compare
    | Between
    | PartIs
    | OneOf
    | Contains
    | StartsWith
    | Missing
    | Truth
    | Negated
    | Every
    | Either
    | Extreme
    | Relative
)


@dataclass(frozen=True, slots=True)
class Summary:
    """One number (or date) over the records of *where*; *term* None counts records."""

    function: Function
    term: Term | None
    where: Every = Every()
    distinct: bool = False
    share: float = 0.5


@dataclass(frozen=True, slots=True)
class Operation:
    """Two scalars joined; *factor* multiplies the result (100 for a percentage)."""

    sign: Literal["-", "/", "+", "distance"]
    left: "Scalar"
    right: "Scalar"
    factor: float = 1


@dataclass(frozen=True, slots=True)
class Elapsed:
    """Days, months or years from one date to another; *absolute* drops the sign."""

    unit: Literal["day", "week", "month", "year"]
    start: "Scalar"
    end: "Scalar"
    absolute: bool = False


Scalar: TypeAlias = Summary | Operation | Elapsed


@dataclass(frozen=True, slots=True)
class Single:
    """The answer is one value."""

    scalar: Scalar


@dataclass(frozen=True, slots=True)
class Listing:
    """The answer is the outputs of the records of *where*.

    *order* None keeps the order of the documents; *limit* None takes all.
    """

    outputs: tuple[Term, ...]
    where: Every = Every()
    distinct: bool = False
    order: Term | None = None
    descending: bool = False
    limit: int | None = None
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Having:
    """A relation of a group's summary to a number."""

    operator: Operator
    value: float


@dataclass(frozen=True, slots=True)
class Grouping:
    """The answer is groups of records.

    *pick* takes the groups of the highest or lowest summary, ties included, *limit* of them when
    given; *having* takes those that meet it; neither takes all, shown with their summary.
    """

    key: Term
    summary: Summary
    pick: Literal["highest", "lowest"] | None = None
    having: Having | None = None
    limit: int | None = None
    count_only: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer is whether a relation holds between two scalars, or a scalar and a number."""

    left: Scalar
    operator: Operator
    right: "Scalar | float"


@dataclass(frozen=True, slots=True)
class Existence:
    """The answer is whether there is a record of *where*."""

    where: Every


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The answer is the record listed next before or after the first (last) record of *anchor*."""

    outputs: tuple[Term, ...]
    anchor: Every
    after: bool
    where: Every = Every()


@dataclass(frozen=True, slots=True)
class SameAs:
    """The answer is the other records that have the same *shared* value as those of *anchor*."""

    outputs: tuple[Term, ...]
    shared: Term
    anchor: Every
    where: Every = Every()


Reading: TypeAlias = Single | Listing | Grouping | Verdict | Existence | Neighbour | SameAs
