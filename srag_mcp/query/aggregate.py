"""What a query computes over the records: a number, or which records come out."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from srag_mcp.query.definite import ALWAYS

Function: TypeAlias = Literal[
    "count", "decides", "distinct", "sum", "avg", "min", "max", "share", "groups", "compares",
    "leads", "list", "first"
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One number over the records, one for each group, or some of the records.

    Attributes:
        function: `count` of records, `distinct` values, `sum`, `avg`, `min`, `max`, `share` of
            records, `groups`: the count of records of each, `decides`: a yes or no that one
            record of *condition* decides, `compares`: one that two numbers decide, the group
            that `leads` by its count of records, a `list` of records, or those that come `first`
            by *column*.
        condition: Which records; NULL for one that is not known to meet or miss it.
        column: What is summed, averaged, compared, counted by its values or ranked by.
        part: What those among them meet whose share it is.
        factor: What the share is multiplied with: 100 for a percentage.
        keys: What the records are grouped by, or what a list has each of once, as SQL.
        counted: Which records the query takes, as it was written; empty where *condition* says it.
        sides: The numbers that are compared.
        operator: How: `>`, `>=`, `<`, `<=`, `=` or `<>`.
    """

    function: Function
    condition: str = ALWAYS
    column: str = ""
    part: str = ""
    factor: float = 1.0
    keys: tuple[str, ...] = ()
    counted: str = ""
    sides: "tuple[Aggregate | float, ...]" = ()
    operator: str = ""
