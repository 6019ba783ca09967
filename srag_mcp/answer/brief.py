"""A brief: what an agent needs to write the query itself when `ask` did not translate."""

from collections.abc import Iterable
from dataclasses import dataclass

from srag_mcp.query.column_holdings import describe_column
from srag_mcp.query.linked_values import link_values
from srag_mcp.schema.schema import Schema
from srag_mcp.store.statistics import ColumnStatistics
from srag_mcp.store.values import ValueIndex, ValueMatch

RULES = (
    "Write one SELECT in DuckDB's dialect; the tables are the record table, documents and cells.",
    "Unknown values are NULL: IS DISTINCT FROM counts them as different, IS NULL finds them.",
    "Spell text values as they are stored (linked_values, get_column_stats) or use ILIKE.",
    "Exclude NULLs from ORDER BY with NULLS LAST; return ties of a superlative.",
    "Send it with run_sql. If no column holds what is asked, say so: do not guess.",
)


@dataclass(frozen=True, slots=True)
class BriefColumn:
    """One column in short: name, type, unit, description and what it holds."""

    name: str
    type: str
    unit: str | None
    description: str
    holds: str


@dataclass(frozen=True, slots=True)
class Brief:
    """Schema, values and rules for one question.

    Attributes:
        reason: Why the question was not translated.
        unplaced: Its words that had no place.
        table: The record table.
        columns: All columns.
        linked_values: Stored values that phrases of the question may mean.
        rules: How to write the query.
    """

    reason: str
    unplaced: tuple[str, ...]
    table: str
    columns: tuple[BriefColumn, ...]
    linked_values: tuple[ValueMatch, ...]
    rules: tuple[str, ...] = RULES


def write_brief(
    question: str,
    reason: tuple[str, tuple[str, ...]],
    schema: Schema,
    statistics: Iterable[ColumnStatistics],
    values: ValueIndex,
) -> Brief:
    """Gather what an agent needs to answer *question* with `run_sql`.

    *reason* is the text of the refusal and the words that had no place.
    """
    holds = {item.column: describe_column(item) for item in statistics}
    columns = tuple(
        BriefColumn(
            attribute.name,
            attribute.type,
            attribute.unit,
            attribute.description,
            holds.get(attribute.name, ""),
        )
        for attribute in schema.attributes
    )
    linked = link_values(question, schema, values)
    return Brief(reason[0], reason[1], schema.entity, columns, linked)
