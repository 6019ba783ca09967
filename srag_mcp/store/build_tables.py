"""The tables of a build, and what they say of themselves to whoever opens the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from srag_mcp.cells.cell import Mark
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.store.engine import quote_name, quote_text

if TYPE_CHECKING:
    import duckdb

DOCUMENT_COLUMNS = (
    "document_id",
    "path",
    "title",
    "media_type",
    "sha256",
    "characters",
    "ingested_at",
)
_TABLES = """
CREATE TABLE build.main.documents (
  document_id VARCHAR, path VARCHAR, title VARCHAR, media_type VARCHAR, sha256 VARCHAR,
  characters BIGINT, ingested_at TIMESTAMP);
CREATE TABLE build.main.cells (
  document_id VARCHAR, attribute VARCHAR, state VARCHAR, as_stated VARCHAR, start BIGINT,
  "end" BIGINT, value VARCHAR, unit VARCHAR, engine VARCHAR, marks VARCHAR,
  note VARCHAR);
CREATE TABLE build.main.srag_texts (document_id VARCHAR, text VARCHAR);
CREATE TABLE build.main.srag_schema (schema VARCHAR);
CREATE TABLE build.main.srag_statistics (column_name VARCHAR, position INTEGER, statistics VARCHAR);
CREATE TABLE build.main.srag_values (column_name VARCHAR, value VARCHAR, n_records BIGINT);
CREATE TABLE build.main.srag_reviews (
  document_id VARCHAR, attribute VARCHAR, value VARCHAR, as_stated VARCHAR, rule_value VARCHAR,
  rule_as_stated VARCHAR);
CREATE TABLE build.main.srag_build (key VARCHAR, value VARCHAR);
"""
_COMMENTS = {
    "documents": "One row a document, those that could not be read included.",
    "documents.document_id": "The path below the corpus folder; for a row of a table, path#row.",
    "documents.path": "The file, relative to the corpus folder.",
    "documents.sha256": "Of the bytes of the file (a row: of its text); empty when it failed.",
    "documents.characters": "Length of its text.",
    "documents.ingested_at": "When it was read, UTC.",
    "cells": "One row a document and attribute: what the document says, and where.",
    "cells.state": "stated, stated_absent (it says there is none), not_mentioned or failed.",
    "cells.as_stated": "The words of the document.",
    "cells.start": "First character of these words in the text of the document.",
    "cells.end": "The character after the last of these words.",
    "cells.value": "The value of the record table, as text.",
    "cells.unit": "Unit of the value.",
    "cells.engine": "Who found it.",
    "cells.marks": f"Of {', '.join(Mark)}; empty for most.",
    "cells.note": "Why it failed, or what was changed.",
    "srag_texts": "The text of each document.",
    "srag_schema": "The schema, as JSON.",
    "srag_statistics": "Statistics of each column, as JSON.",
    "srag_values": "The value index: distinct texts of each column and how many records have them.",
    "srag_reviews": "Cells that a learned rule reads otherwise than the language model.",
    "srag_build": "Facts of this build.",
    "srag_failures": "The records with cells that failed, and which (_failed).",
}


def create_tables(connection: duckdb.DuckDBPyConnection, schema: Schema) -> None:
    """Create the empty tables of the attached database `build`, with their comments."""
    connection.execute(_TABLES)
    columns = "".join(f", {quote_name(item.name)} {item.type.sql}" for item in schema.attributes)
    entity = quote_name(schema.entity)
    connection.execute(f"CREATE TABLE build.main.{entity} (document_id VARCHAR{columns})")
    connection.execute(
        f"CREATE TABLE build.main.srag_failures (document_id VARCHAR{columns}, _failed VARCHAR[])"
    )
    for place, text in _COMMENTS.items():
        _comment(connection, place, text)
    _comment_on_table(connection, entity, f"{schema.title}: one row a document.")
    for attribute in schema.attributes:
        _comment_on_column(
            connection, f"{entity}.{quote_name(attribute.name)}", describe(attribute)
        )


def describe(attribute: Attribute) -> str:
    """Say in one line what an attribute holds."""
    unit = f" Unit: {attribute.unit}." if attribute.unit else ""
    absent = "" if attribute.absent_means == "unknown" else f" Absent: {attribute.absent_means}."
    return f"{attribute.description}{unit}{absent}".strip() or attribute.name


def _comment(connection: duckdb.DuckDBPyConnection, place: str, text: str) -> None:
    table, _, column = place.partition(".")
    if column:
        _comment_on_column(connection, f"{table}.{quote_name(column)}", text)
    else:
        _comment_on_table(connection, table, text)


def _comment_on_table(connection: duckdb.DuckDBPyConnection, table: str, text: str) -> None:
    connection.execute(f"COMMENT ON TABLE build.main.{table} IS {quote_text(text)}")


def _comment_on_column(connection: duckdb.DuckDBPyConnection, column: str, text: str) -> None:
    connection.execute(f"COMMENT ON COLUMN build.main.{column} IS {quote_text(text)}")
