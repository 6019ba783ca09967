"""The schema of a pack: its own file, or what its gold records and its README say of the fields."""

import json
from collections.abc import Sequence

from srag_mcp.errors import PackError
from srag_mcp.evaluation.comparison import gold_type
from srag_mcp.evaluation.field_meanings import read_meanings
from srag_mcp.evaluation.pack import Pack
from srag_mcp.schema.json_schema import schema_from_json
from srag_mcp.schema.schema import Schema
from srag_mcp.values.booleans import read_boolean


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
    return schema_from_json(
        {"title": pack.name, "x-entity": "records", "properties": _properties(pack)}
    )


def _properties(pack: Pack) -> dict[str, dict[str, str]]:
    meanings = read_meanings(pack.folder, pack.fields)
    properties: dict[str, dict[str, str]] = {}
    for field in pack.fields:
        values = [cells[field] for cells in pack.gold.values()]
        properties[field] = _typed(values)
        if field in meanings:
            properties[field]["description"] = meanings[field]
    return properties


def _typed(values: Sequence[str]) -> dict[str, str]:
    """Write the type of a field, and what silence means where gold is never silent."""
    kind = gold_type(values)
    if kind.is_boolean and all(values) and any(read_boolean(value) is False for value in values):
        return {**kind.json_schema, "x-absent-means": "false"}
    return dict(kind.json_schema)
