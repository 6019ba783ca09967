"""What can be asked of an ingestion."""

from collections.abc import Sequence
from typing import Literal, TypeAlias, TypedDict

from srag_mcp.schema.schema import Schema

RowsMode: TypeAlias = Literal["auto", "file", "row"]


class IngestOptions(TypedDict, total=False):
    """What can be asked of an ingestion.

    Attributes:
        questions: Up to some ten sample questions that the columns should answer.
        schema: A schema to follow instead of an induced one.
        rows: Whether rows of tables are documents: `auto` when a table is the only file.
        fresh: Whether to find the schema anew and to try files again that could not be read.
        attribute: One more attribute, described in words; only it is extracted anew.
    """

    questions: Sequence[str]
    schema: Schema | None
    rows: RowsMode
    fresh: bool
    attribute: str
