"""Schemas as JSON Schema: what a person, a model or another tool writes and reads.

Beside the usual keywords: `x-unit`, `x-absent-means`, `x-synonyms`, `x-extractors` of a property,
`x-entity`, `x-nouns`, `x-version`, `x-lists` of the schema. Other keywords are accepted and
ignored.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from srag_mcp.documents.folder import SCHEMA_FILE, find_own_file
from srag_mcp.errors import SchemaError
from srag_mcp.schema.attribute import Attribute, snake_case, unique_name
from srag_mcp.schema.schema import RESERVED_TABLES, Schema
from srag_mcp.values.types import COLUMN_TYPES


def find_schema_file(folder: Path) -> Path | None:
    """Return the schema that a person put beside the documents of *folder*.

    Raises:
        CorpusError: If it is a link that leads out of the folder.
    """
    return find_own_file(folder, SCHEMA_FILE)


def read_schema_file(path: Path) -> Schema:
    """Read the schema in the file *path*.

    Raises:
        SchemaError: If the file is missing, not JSON, names a property twice, or is not a schema
            that we can use. The text names the file.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        data = json.loads(text, object_pairs_hook=_without_repetition)
        return schema_from_json(data)
    except OSError as error:
        msg = f"{path}: {error.strerror}"
        raise SchemaError(msg) from error
    except (ValueError, RecursionError) as error:
        msg = f"{path} is not JSON that can be read: {error}. Mend it, or remove it"
        raise SchemaError(msg) from error
    except SchemaError as error:
        msg = f"{path}: {error}"
        raise SchemaError(msg) from error


def _without_repetition(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuse a key that is there twice: JSON would silently keep the last."""
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            msg = f"{key!r} is there twice"
            raise SchemaError(msg)
        found[key] = value
    return found


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
        loc = item["loc"][2:] if item["loc"][:1] == ("tables",) else item["loc"]
        place = [keys.get(str(part), str(part)) for part in loc[:1]]
        problems.append(": ".join([*place, item["msg"].removeprefix("Value error, ")]))
    return "; ".join(problems)


_TYPES = tuple(dict.fromkeys(kind.json_schema["type"] for kind in COLUMN_TYPES.values()))
_DATE_FORMATS = ("date", "date-time")
_MAX_REFERENCES = 20


def read_property(name: str, written: str, value: object, root: Mapping[str, object]) -> Attribute:
    """Read the property *written* as an attribute called *name*; *root* has its `$defs`.

    Raises:
        SchemaError: If it is not primitive or a keyword cannot be used; the text names it.
    """
    if isinstance(value, bool) or not isinstance(value, Mapping):
        msg = (
            f"attribute {written!r}: its definition must be an object such as {{'type': 'string'}}"
        )
        raise SchemaError(msg)
    flat = _flatten(written, value, root)
    fields = {
        "name": name,
        "type": _type(written, flat),
        "description": flat.get("description", ""),
        "unit": flat.get("x-unit"),
        "absent_means": flat.get("x-absent-means", _default(flat)),
        "extractors": flat.get("x-extractors", ()),
        "synonyms": _synonyms(name, written, flat),
    }
    fields |= _values(written, flat, str(fields["type"]))
    _check_absent(written, fields)
    try:
        return Attribute.model_validate(fields)
    except ValidationError as error:
        msg = f"attribute {written!r}: {_problems(error)}"
        raise SchemaError(msg) from error


def _problems(error: ValidationError) -> str:
    found = error.errors()[:3]
    return "; ".join(f"{'.'.join(map(str, item['loc'][:3]))}: {item['msg']}" for item in found)


def _flatten(
    written: str, value: Mapping[str, object], root: Mapping[str, object]
) -> dict[str, object]:
    """Resolve local references and `anyOf` with null, as other tools write optional values."""
    flat = dict(value)
    for _ in range(_MAX_REFERENCES):
        choices = next((flat.pop(key) for key in ("anyOf", "oneOf", "allOf") if key in flat), None)
        if choices is not None:
            flat = _choice(written, choices) | flat
        elif "$ref" in flat:
            flat = _resolve(written, flat.pop("$ref"), root) | flat
        else:
            return flat
    msg = f"attribute {written!r}: its references go round in a circle"
    raise SchemaError(msg)


def _choice(written: str, choices: object) -> dict[str, object]:
    usable = [
        choice
        for choice in (choices if isinstance(choices, list) else [])
        if isinstance(choice, Mapping) and choice.get("type") != "null"
    ]
    if len(usable) != 1:
        msg = f"attribute {written!r}: it must have one type; anyOf offers {len(usable)}"
        raise SchemaError(msg)
    return dict(usable[0])


def _resolve(written: str, reference: object, root: Mapping[str, object]) -> dict[str, object]:
    found: object = root
    for part in str(reference).removeprefix("#/").split("/"):
        found = found.get(part) if isinstance(found, Mapping) else None
    if not str(reference).startswith("#/") or not isinstance(found, Mapping):
        msg = f"attribute {written!r}: {reference!r} is nowhere in this schema"
        raise SchemaError(msg)
    return dict(found)


def _type(written: str, flat: Mapping[str, object]) -> str:
    kinds = flat.get("type", _type_of_enum(flat))
    names = [
        kind
        for kind in (kinds if isinstance(kinds, list) else [kinds])
        if kind not in (None, "null")
    ]
    if set(map(str, names)) == {"integer", "number"}:
        names = ["number"]
    if len(names) != 1:
        msg = (
            f"attribute {written!r}: it must have one `type` of {', '.join(_TYPES)}, not {kinds!r}"
        )
        raise SchemaError(msg)
    kind = str(names[0])
    if kind == "string" and flat.get("format") in _DATE_FORMATS:
        return "date"
    _refuse_nested(written, kind)
    return kind


def _refuse_nested(written: str, kind: str) -> None:
    if kind == "array":
        msg = (
            f"attribute {written!r} is a list; a record has one value an attribute: "
            f"give each item that matters a boolean of its own, or make it one text"
        )
        raise SchemaError(msg)
    if kind == "object":
        msg = (
            f"attribute {written!r} is an object; a record has one value an attribute: "
            f"give each of its members an attribute of its own"
        )
        raise SchemaError(msg)
    if kind not in COLUMN_TYPES:
        msg = f"attribute {written!r}: type {kind!r} is unknown; use one of {', '.join(_TYPES)}"
        raise SchemaError(msg)


def _type_of_enum(flat: Mapping[str, object]) -> object:
    values = flat.get("enum")
    if not isinstance(values, list):
        return "array" if "items" in flat else "object" if "properties" in flat else None
    given = [value for value in values if value is not None]
    if given and all(isinstance(value, str) for value in given):
        return "string"
    return "boolean" if given and all(isinstance(value, bool) for value in given) else "number"


def _values(written: str, flat: Mapping[str, object], kind: str) -> dict[str, object]:
    """Read examples and the closed set; numbers of an `enum` are examples."""
    examples = _scalars(written, "examples", flat.get("examples", flat.get("example", [])))
    if "enum" not in flat:
        categories = flat.get("x-categories")
        return {"examples": examples, "categories": categories}
    listed = [value for value in _scalars(written, "enum", flat["enum"]) if value is not None]
    if not listed:
        msg = f"attribute {written!r}: its enum has no value"
        raise SchemaError(msg)
    if kind != "string":
        return {"examples": examples or listed, "categories": None}
    if not all(isinstance(value, str) for value in listed):
        msg = f"attribute {written!r}: its enum must hold texts only"
        raise SchemaError(msg)
    return {"examples": examples, "categories": tuple(listed)}


def _scalars(written: str, key: str, values: object) -> list[object]:
    listed = values if isinstance(values, list) else [values]
    if any(isinstance(value, Mapping | list) for value in listed):
        msg = f"attribute {written!r}: {key} must hold texts, numbers or booleans"
        raise SchemaError(msg)
    return list(listed)


def _default(flat: Mapping[str, object]) -> str:
    default = flat.get("default")
    if default is False:
        return "false"
    return "zero" if default == 0 and isinstance(default, int | float) else "unknown"


def _synonyms(name: str, written: str, flat: Mapping[str, object]) -> object:
    given = flat.get("x-synonyms", [])
    if not isinstance(given, Sequence) or isinstance(given, str):
        msg = f"attribute {written!r}: x-synonyms must be a list of texts"
        raise SchemaError(msg)
    title = flat.get("title")
    extra = [word for word in (written, title) if isinstance(word, str) and word.strip()]
    known = {name, name.replace("_", " "), *map(str, given)}
    return [*given, *(word for word in dict.fromkeys(extra) if word not in known)]


def _check_absent(written: str, fields: Mapping[str, object]) -> None:
    means, kind = fields["absent_means"], str(fields["type"])
    known = any(means in other.implied for other in COLUMN_TYPES.values())
    if isinstance(means, str) and known and not COLUMN_TYPES[kind].means(means):
        msg = f"attribute {written!r}: x-absent-means {means!r} does not fit the type {kind}"
        raise SchemaError(msg)
