"""Schemas as JSON Schema: what a person, a model or another tool writes and reads.

Beside the usual keywords: `x-unit`, `x-absent-means`, `x-synonyms`, `x-extractors` of a property,
`x-entity`, `x-nouns`, `x-version`, `x-lists` of the schema. Other keywords are accepted and
ignored.
"""

from collections.abc import Mapping

from pydantic import ValidationError

from srag_mcp.errors import SchemaError
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.json_property import read_property
from srag_mcp.schema.names import snake_case, unique_name
from srag_mcp.schema.schema import RESERVED_TABLES, Schema

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_MAX_ATTRIBUTES = 500


def schema_from_json(data: object) -> Schema:
    """Read a schema from parsed JSON.

    Names of properties may have any spelling; they become unique snake_case names and stay as
    synonyms. Lists and nested objects are refused, because a record has one value an attribute.

    Raises:
        SchemaError: If it is no usable JSON Schema; the text names the attribute and what to do.
    """
    if not isinstance(data, Mapping):
        msg = f"a schema is a JSON object with `properties`, not {_kind(data)}"
        raise SchemaError(msg)
    properties = _properties(data)
    attributes: list[Attribute] = []
    for number, (written, value) in enumerate(properties.items(), start=1):
        taken = {attribute.name for attribute in attributes}
        name = unique_name(str(written), taken, f"attribute_{number}")
        attributes.append(read_property(name, str(written), value, data))
    try:
        return Schema.model_validate(_header(data) | {"attributes": tuple(attributes)})
    except ValidationError as error:
        raise SchemaError(_describe(error)) from error


def schema_to_json(schema: Schema) -> dict[str, object]:
    """Write *schema* as JSON Schema that `schema_from_json` reads back as it is."""
    lists = [item.model_dump(mode="json") for item in schema.lists]
    return {
        "$schema": _DIALECT,
        "title": schema.title,
        "type": "object",
        "x-entity": schema.entity,
        "x-nouns": list(schema.nouns),
        "x-version": schema.version,
        **({"x-lists": lists} if lists else {}),
        "properties": {attribute.name: _property(attribute) for attribute in schema.attributes},
    }


def _properties(data: Mapping[str, object]) -> Mapping[str, object]:
    kind = data.get("type", "object")
    if kind != "object":
        msg = f'the type of a schema is "object", not {kind!r}'
        raise SchemaError(msg)
    properties = data.get("properties")
    if not isinstance(properties, Mapping):
        msg = "a schema needs `properties`: an object with one entry an attribute"
        raise SchemaError(msg)
    if not properties:
        msg = "`properties` is empty: a schema needs at least one attribute"
        raise SchemaError(msg)
    if len(properties) > _MAX_ATTRIBUTES:
        msg = f"{len(properties)} attributes are too many; at most {_MAX_ATTRIBUTES} are allowed"
        raise SchemaError(msg)
    return properties


def _header(data: Mapping[str, object]) -> dict[str, object]:
    title = data.get("title", "Record")
    entity = data.get("x-entity")
    if entity is None:
        entity = snake_case(title) if isinstance(title, str) else ""
        entity = "records" if not entity or entity in RESERVED_TABLES else entity
    nouns = data.get("x-nouns", ())
    return {
        "title": title,
        "entity": entity,
        "nouns": tuple(nouns) if isinstance(nouns, list) else nouns,
        "version": data.get("x-version", 1),
        "lists": data.get("x-lists", ()),
    }


def _property(attribute: Attribute) -> dict[str, object]:
    written: dict[str, object] = dict(attribute.type.json_schema)
    if attribute.description:
        written["description"] = attribute.description
    if attribute.categories is not None:
        key = "enum" if attribute.type.is_text and attribute.categories else "x-categories"
        written[key] = list(attribute.categories)
    if attribute.examples:
        written["examples"] = list(attribute.examples)
    return written | _extensions(attribute)


def _extensions(attribute: Attribute) -> dict[str, object]:
    written: dict[str, object] = {}
    if attribute.unit is not None:
        written["x-unit"] = attribute.unit
    if attribute.absent_means != "unknown":
        written["x-absent-means"] = attribute.absent_means
    if attribute.synonyms:
        written["x-synonyms"] = list(attribute.synonyms)
    if attribute.extractors:
        written["x-extractors"] = [rule.model_dump(mode="json") for rule in attribute.extractors]
    return written


def _kind(data: object) -> str:
    return {list: "a list", str: "a text", type(None): "null"}.get(type(data), "a number")


def _describe(error: ValidationError) -> str:
    keys = {"entity": "x-entity", "nouns": "x-nouns", "version": "x-version", "lists": "x-lists"}
    problems = []
    for item in error.errors():
        place = [keys.get(str(part), str(part)) for part in item["loc"][:1]]
        problems.append(": ".join([*place, item["msg"].removeprefix("Value error, ")]))
    return "; ".join(problems)
