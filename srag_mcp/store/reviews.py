"""Reviews: the cells that a person should look at, because two readers disagree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from srag_mcp.records.second_opinion import Disagreement

if TYPE_CHECKING:
    import duckdb

    from srag_mcp.store.evidence import Read

_INSERT = """
INSERT INTO build.main.srag_reviews
SELECT document_id, ?, ?, ?, ?, ? FROM listing WHERE number = ?
"""
_SELECTED = "FROM srag_reviews WHERE $1 = '' OR attribute = $1"
_PAGE = f"SELECT * {_SELECTED} ORDER BY attribute, document_id LIMIT $2 OFFSET $3"
_COUNTS = "SELECT attribute, count(*) FROM srag_reviews GROUP BY attribute"


@dataclass(frozen=True, slots=True)
class Review:
    """A cell that a language model and a learned rule read differently.

    Attributes:
        value, as_stated: Of the model; this value is published.
        rule_value, rule_as_stated: Of the rule.
    """

    document_id: str
    column: str
    value: str
    as_stated: str
    rule_value: str
    rule_as_stated: str


@dataclass(frozen=True, slots=True)
class ReviewPage:
    """A page of reviews by column and document; *total* counts all pages."""

    reviews: tuple[Review, ...]
    total: int


def write_disagreements(
    connection: duckdb.DuckDBPyConnection, attribute: str, found: Sequence[Disagreement]
) -> None:
    """List what was *found* of one attribute in the build that is being written."""
    for item in found:
        model, rule = item.model, item.rule
        said = [str(model.value), model.as_stated, str(rule.value), rule.as_stated]
        connection.execute(_INSERT, [attribute, *said, item.document])


def read_reviews(read: Read, column: str = "", limit: int = 20, offset: int = 0) -> ReviewPage:
    """Read the reviews of *column*, of all columns when it is empty."""
    counts = count_reviews(read)
    total = counts.get(column, 0) if column else sum(counts.values())
    rows = read(_PAGE, [column, limit, offset])
    return ReviewPage(tuple(Review(*map(str, row)) for row in rows), total)


def count_reviews(read: Read) -> dict[str, int]:
    """Count the reviews of each column that has any."""
    return {str(column): int(str(n)) for column, n in read(_COUNTS, [])}
