"""Invented tables on several subjects, of which questions are asked in these tests."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path

import duckdb
import pytest

from srag_mcp.grammar.table import Table
from srag_mcp.grammar.translate import describe_tables, translate
from srag_mcp.schema.attribute import Attribute, Scalar
from srag_mcp.schema.schema import Schema
from srag_mcp.sqlfacts.query import Translation
from srag_mcp.store.database import insert_rows, quote_name
from srag_mcp.store.statistics import ColumnStatistics, ValueCount
from srag_mcp.store.values import ValueIndex

FOLDER = Path(__file__).parent / "worlds"

Cell = str | int | float | bool | date | None
Row = tuple[Cell, ...]


@dataclass(frozen=True)
class World:
    """A schema with its records, in DuckDB once a query runs: most worlds are only asked."""

    schema: Schema
    records: list[list[Cell]]
    statistics: dict[str, ColumnStatistics]
    values: ValueIndex

    def ask(self, question: str) -> Translation:
        """Translate *question* over this table."""
        return translate(question, self.schema, self.tables, self.values)

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        """Run *sql* and return its rows."""
        return self.connection.execute(sql).fetchall()

    @cached_property
    def tables(self) -> list[Table]:
        """What the words of a question may mean, the same for all of them."""
        return describe_tables(self.schema, self.statistics)

    @cached_property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """The table in DuckDB."""
        connection = duckdb.connect()
        columns = ", ".join(f'"{a.name}" {a.type.sql}' for a in self.schema.attributes)
        connection.execute(f'CREATE TABLE "{self.schema.entity}" (document_id VARCHAR, {columns})')
        insert_rows(connection, quote_name(self.schema.entity), self.records)
        return connection


def build_world(schema: Schema, rows: list[Row], named: str = "doc-{:03}.txt") -> World:
    """Make the table of *schema* with *rows*; document ids count the rows."""
    numbered = [[named.format(number), *row] for number, row in enumerate(rows, start=1)]
    statistics = {
        attribute.name: _count(attribute, [row[at] for row in rows])
        for at, attribute in enumerate(schema.attributes)
    }
    return World(schema, numbered, statistics, ValueIndex(_entries(schema, rows)))


def _entries(schema: Schema, rows: list[Row]) -> Iterator[tuple[str, str, int]]:
    for at, attribute in enumerate(schema.attributes):
        if attribute.type == "string":
            texts = [row[at] for row in rows if isinstance(row[at], str)]
            for text in dict.fromkeys(texts):
                yield attribute.name, str(text), texts.count(text)


def _count(attribute: Attribute, cells: list[Cell]) -> ColumnStatistics:
    known = [_scalar(cell) for cell in cells if cell is not None]
    distinct = list(dict.fromkeys(known))
    ordered = attribute.type in {"integer", "number", "date"} and bool(known)
    return ColumnStatistics(
        column=attribute.name,
        type=attribute.type,
        n_records=len(cells),
        n_non_null=len(known),
        n_non_zero=len([cell for cell in known if cell]),
        n_stated=len(known),
        n_stated_absent=0,
        n_not_mentioned=len(cells) - len(known),
        n_failed=0,
        n_distinct=len(distinct),
        minimum=min(known, key=_key) if ordered else None,
        maximum=max(known, key=_key) if ordered else None,
        values=tuple(ValueCount(value, known.count(value)) for value in distinct),
    )


def _scalar(cell: Cell) -> Scalar:
    assert cell is not None
    return cell.isoformat() if isinstance(cell, date) else cell


def _key(value: Scalar) -> tuple[float, str]:
    return (0.0, value) if isinstance(value, str) else (float(value), "")


def read_world(path: Path) -> World:
    """Build the table of a JSON file with `schema` and `rows`."""
    data = json.loads(path.read_text(encoding="utf-8"))
    schema = Schema.model_validate(data["schema"])
    dates = [at for at, attribute in enumerate(schema.attributes) if attribute.type == "date"]
    rows: list[Row] = []
    for row in data["rows"]:
        cells = list(row)
        for at in dates:
            cells[at] = None if row[at] is None else date.fromisoformat(row[at])
        rows.append(tuple(cells))
    return build_world(schema, rows)


@pytest.fixture(scope="session")
def worlds() -> dict[str, World]:
    """Every table of the folder, by name."""
    return {path.stem: read_world(path) for path in sorted(FOLDER.glob("*.json"))}
