"""The content of a build that is read once: what it says of itself, schema, statistics, texts."""

from dataclasses import dataclass
from pathlib import Path

from srag_mcp.schema.schema import Schema
from srag_mcp.store.build_info import BuildInfo, read_info
from srag_mcp.store.build_statistics import read_statistics
from srag_mcp.store.build_tables import DOCUMENT_COLUMNS
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.guard.tree import SESSION_VALUES
from srag_mcp.store.statistics import ColumnStatistics

_PAGE_ROWS = 50_000
_INFO = "SELECT key, value FROM srag_build"
_SCHEMA = "SELECT schema FROM srag_schema"
_STATISTICS = "SELECT statistics FROM srag_statistics ORDER BY position"
_CELL_COLUMNS = """
SELECT column_name FROM duckdb_columns() WHERE table_name = 'cells' ORDER BY column_index
"""
_KEYWORDS = """
SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category IN ('reserved', 'type_function')
"""
_VALUES = "SELECT column_name, value, n_records FROM srag_values LIMIT ? OFFSET ?"


@dataclass(frozen=True, slots=True)
class BuildContent:
    """What every question needs of a build."""

    info: BuildInfo
    schema: Schema
    statistics: tuple[ColumnStatistics, ...]
    cell_columns: tuple[str, ...]  # builds of earlier versions have no marks
    keywords: frozenset[str]  # names that SQL reads as words of its own, unless they are quoted

    def tables(self) -> dict[str, list[str]]:
        """Return the tables that SQL from outside may read, with their columns."""
        columns = ["document_id", *(attribute.name for attribute in self.schema.attributes)]
        return {
            self.schema.entity: columns,
            "documents": list(DOCUMENT_COLUMNS),
            "cells": list(self.cell_columns),
        }

    def tables_and_failures(self) -> dict[str, list[str]]:
        """Return the same and `srag_failures`: records with failed cells, and which (`_failed`)."""
        tables = self.tables()
        return {**tables, "srag_failures": [*tables[self.schema.entity], "_failed"]}


def read_content(worker: QueryPool, path: Path) -> BuildContent:
    """Read the content of the build at *path*.

    Raises:
        StoreError: If it cannot be read.
    """
    info = read_info(worker.read(path, _INFO))
    schema = worker.read(path, _SCHEMA)
    statistics = worker.read(path, _STATISTICS)
    cell_columns = worker.read(path, _CELL_COLUMNS)
    keywords = worker.read(path, _KEYWORDS)
    return BuildContent(
        info,
        Schema.model_validate_json(str(schema[0][0])),
        tuple(read_statistics(str(row[0])) for row in statistics),
        tuple(str(row[0]) for row in cell_columns),
        SESSION_VALUES | {str(row[0]) for row in keywords},
    )


def read_texts(worker: QueryPool, path: Path) -> list[tuple[str, str, int]]:
    """Read the stored texts of the build at *path*: column, text, number of records.

    Raises:
        StoreError: If they cannot be read.
    """
    entries: list[tuple[str, str, int]] = []
    while len(entries) % _PAGE_ROWS == 0:
        rows = worker.read(path, _VALUES, [_PAGE_ROWS, len(entries)])
        if not rows:
            break
        entries.extend((str(row[0]), str(row[1]), int(row[2] or 0)) for row in rows)
    return entries
