"""The schema of a pack: its own file, or the names and types of its gold records."""

import json

from srag_mcp.errors import PackError
from srag_mcp.evaluation.comparison import gold_type
from srag_mcp.evaluation.pack import Pack
from srag_mcp.schema.json_schema import schema_from_json
from srag_mcp.schema.schema import Schema


def read_gold_schema(pack: Pack) -> Schema:
    """Return the schema in `schema.json`, else one with an attribute a column of `gold.csv`.

    Raises:
        PackError: If the file is not JSON, or there is no gold either.
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
    return schema_from_json(
        {"title": pack.name, "x-entity": "records", "properties": _properties(pack)}
    )


def _properties(pack: Pack) -> dict[str, dict[str, str]]:
    properties: dict[str, dict[str, str]] = {}
    for field in pack.fields:
        kind = gold_type([cells[field] for cells in pack.gold.values()])
        date = {"type": "string", "format": "date"}
        properties[field] = date if kind == "date" else {"type": str(kind)}
    return properties
