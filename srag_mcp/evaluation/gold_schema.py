"""The schema of a pack: its own file, or what its gold records and its README say of the fields.

A README describes the fields in a table: their names in its first column, what they mean in its
second. Names may be several in a cell, separated by commas.
"""

import csv
import json
from pathlib import Path

from srag_mcp.documents.document import Table
from srag_mcp.documents.readers import read_content
from srag_mcp.errors import DocumentError, PackError
from srag_mcp.evaluation.comparison import gold_type
from srag_mcp.evaluation.pack import Pack
from srag_mcp.schema.json_schema import schema_from_json
from srag_mcp.schema.schema import Schema
from srag_mcp.values.states import read_boolean

_README = "README.md"


def read_gold_schema(pack: Pack) -> Schema:
    """Return the schema in `schema.json`, else one with an attribute a column of `gold.csv`.

    The latter is what a person would write by hand: the type comes from the values, the description
    from the README, and a truth value that gold gives for every document is false where a document
    does not mention it.

    Raises:
        PackError: If the file is not JSON, there is no gold either, or the README cannot be read.
        SchemaError: If the file is no usable schema.
    """
    path = pack.folder / "schema.json"
    if path.exists():
        try:
            return schema_from_json(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            msg = f"{path.name}: not JSON ({error})"
            raise PackError(msg) from error
    if not pack.fields:
        msg = f"{pack.folder} has neither schema.json nor gold.csv to take a schema from"
        raise PackError(msg)
    meanings, properties = _read_meanings(pack), {}
    for field in pack.fields:
        values = [cells[field] for cells in pack.gold.values()]
        kind = gold_type(values)
        written = dict(kind.json_schema)
        if kind.is_boolean and all(values) and any(read_boolean(v) is False for v in values):
            written["x-absent-means"] = "false"
        if field in meanings:
            written["description"] = meanings[field]
        properties[field] = written
    return schema_from_json({"title": pack.name, "x-entity": "records", "properties": properties})


def _read_meanings(pack: Pack) -> dict[str, str]:
    """Return what the README says of fields, by name: the table that names the most of them.

    `| length | of the hull |` -> `{"length": "of the hull."}`
    """
    path = pack.folder / _README
    if not path.exists():
        return {}
    try:
        blocks = read_content(path.read_bytes(), _README).blocks
    except (OSError, DocumentError) as error:
        msg = f"{_README}: not a text file that can be read ({error})"
        raise PackError(msg) from error
    tables = [
        {
            name.strip(): meaning if meaning.endswith((".", "!", "?")) else f"{meaning}."
            for row in block.rows
            if (meaning := row[1].text.strip())
            for name in row[0].text.split(",")
            if name.strip() in pack.fields
        }
        for block in blocks
        if isinstance(block, Table)
    ]
    return max(tables, key=len, default={})


def write_gold_records(pack: Pack, path: Path) -> None:
    """Write the gold fields of each document as a row of the CSV file *path*."""
    with path.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, pack.fields)
        writer.writeheader()
        writer.writerows(pack.gold.values())
