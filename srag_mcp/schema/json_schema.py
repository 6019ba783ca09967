"""Schemas as JSON Schema: what a person, a model or another tool writes and reads.

Beside the usual keywords: `x-unit`, `x-absent-means`, `x-synonyms`, `x-extractors`, `x-rules`,
`x-audit`, `x-formerly`, `x-hidden` of a property, `x-entity`, `x-nouns`, `x-version`, `x-lists`,
`x-pending-lists` of the schema; `x-table`, `x-list`, `x-nouns`, `x-sources` of a list, which is a
property of type array, and `x-name` of its plain items. Other keywords are accepted and ignored.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from srag_mcp.documents.folder import SCHEMA_FILE, find_own_file
from srag_mcp.errors import SchemaError
from srag_mcp.schema.attribute import Attribute, snake_case, unique_name
from srag_mcp.schema.schema import RESERVED_TABLES, Schema, Table, child_name, value_column
from srag_mcp.values.types import COLUMN_TYPES


def find_schema_file(folder: Path) -> Path | None:
    """Return the schema that a person put beside the documents; CorpusError for a link out."""
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
# fields of a schema and of an attribute, by the keyword that holds them
_OF_SCHEMA = {
    f"x-{name.replace('_', '-')}": name
    for name in ("entity", "nouns", "version", "lists", "pending_lists")
}
_OF_PROPERTY = {
    "description": "description",
    "x-categories": "categories",
    "examples": "examples",
} | {
    f"x-{name.replace('_', '-')}": name
    for name in (
        *("unit", "absent_means", "synonyms", "extractors", "rules", "audit", "formerly", "hidden"),
    )
}


def schema_from_json(data: object) -> Schema:
    """Read a schema from parsed JSON.

    Names of properties may have any spelling; they become unique snake_case names and stay as
    synonyms. A list of plain values or of objects with plain members is a child table; other lists
    and nested objects are refused, because a record has one value an attribute.

    Raises:
        SchemaError: If it is no usable JSON Schema; the text names the attribute and what to do.
    """
    if not isinstance(data, Mapping):
        kinds: dict[type, str] = {list: "a list", str: "a text", type(None): "null"}
        kind = kinds.get(type(data), "a number")
        msg = f"a schema is a JSON object with `properties`, not {kind}"
        raise SchemaError(msg)
    properties, lists = _properties(data), dict[str, dict[str, object]]()
    for written, value in properties.items():
        if isinstance(value, Mapping):
            flat = _flatten(str(written), value, data)
            if flat.get("type", _type_of_enum(flat)) in ("array", ["array", "null"]):
                lists[str(written)] = flat
    header = _header(data)
    attributes = _attributes(
        {key: value for key, value in properties.items() if str(key) not in lists}, data
    )
    children: list[dict[str, object]] = []
    try:
        for written, flat in lists.items():
            taken = [str(item["entity"]) for item in children]
            children.append(_child(written, flat, str(header["entity"]), taken, data))
        found = header | {"attributes": attributes, "children": tuple(children)}
        return Schema.model_validate(found)
    except ValidationError as error:
        raise SchemaError(_describe(error)) from error


def _attributes(
    properties: Mapping[str, object], root: Mapping[str, object]
) -> tuple[Attribute, ...]:
    attributes: list[Attribute] = []
    for number, (written, value) in enumerate(properties.items(), start=1):
        taken = {attribute.name for attribute in attributes}
        name = unique_name(str(written), taken, f"attribute_{number}")
        attributes.append(read_property(name, str(written), value, root))
    return tuple(attributes)


def _child(
    written: str,
    flat: Mapping[str, object],
    parent: str,
    taken: Sequence[str],
    root: Mapping[str, object],
) -> dict[str, object]:
    """Read a list as a child table of *parent*."""
    items, nouns = flat.get("items"), flat.get("x-nouns", ())
    if not isinstance(items, Mapping) or not items:
        raise _refusal(written, "a list needs `items`, which says what each of them is")
    members, list_name = _flatten(written, items, root), str(flat.get("x-list", written))
    properties = members.get("properties")
    is_plain = not isinstance(properties, Mapping)
    if isinstance(properties, Mapping):
        attributes = _attributes(properties, root)
    else:
        name = str(members.get("x-name", value_column(list_name)))
        attributes = (read_property(name, name, members, root),)
    return {
        "title": flat.get("title", list_name),
        "entity": flat.get("x-table") or child_name(parent, list_name, taken),
        "attributes": attributes,
        "nouns": tuple(nouns) if isinstance(nouns, list) else nouns,
        "parent": parent,
        "list_name": list_name,
        "of_values": is_plain,
        "description": flat.get("description", ""),
        "sources": flat.get("x-sources", ()),
    }


def schema_to_json(schema: Schema) -> dict[str, object]:
    """Write *schema* as JSON Schema that `schema_from_json` reads back as it is."""
    lists = {
        "x-lists": [item.model_dump(mode="json") for item in schema.lists],
        "x-pending-lists": [item.model_dump(mode="json") for item in schema.pending_lists],
    }
    properties = {attribute.name: _property(attribute) for attribute in schema.attributes}
    for child in schema.children:
        key = child.list_name
        while key in properties:  # a column is called so, too
            key = f"{key} list"
        properties[key] = _list(child)
    return {
        "$schema": _DIALECT,
        "title": schema.title,
        "type": "object",
        "x-entity": schema.entity,
        "x-nouns": list(schema.nouns),
        "x-version": schema.version,
        **{key: items for key, items in lists.items() if items},
        "properties": properties,
    }


def _list(child: Table) -> dict[str, object]:
    columns = {attribute.name: _property(attribute) for attribute in child.attributes}
    items: dict[str, object] = {"type": "object", "properties": columns}
    if child.of_values:
        [(name, items)] = columns.items()
        items = items if name == value_column(child.list_name) else {**items, "x-name": name}
    more = {
        "description": child.description,
        "x-nouns": list(child.nouns),
        "x-sources": [item.model_dump(mode="json") for item in child.sources],
    }
    return {
        "type": "array",
        "title": child.title,
        "x-table": child.entity,
        "x-list": child.list_name,
        **{key: value for key, value in more.items() if value},
        "items": items,
    }


def _properties(data: Mapping[str, object]) -> Mapping[str, object]:
    kind, properties = data.get("type", "object"), data.get("properties")
    if kind != "object":
        msg = f'the type of a schema is "object", not {kind!r}'
    elif not isinstance(properties, Mapping):
        msg = "a schema needs `properties`: an object with one entry an attribute"
    elif not properties:
        msg = "`properties` is empty: a schema needs at least one attribute"
    elif len(properties) > _MAX_ATTRIBUTES:
        msg = f"{len(properties)} attributes are too many; at most {_MAX_ATTRIBUTES} are allowed"
    else:
        return properties
    raise SchemaError(msg)


def _header(data: Mapping[str, object]) -> dict[str, object]:
    title = data.get("title", "Record")
    found = {name: data[key] for key, name in _OF_SCHEMA.items() if key in data}
    if found.get("entity") is None:
        entity = snake_case(title) if isinstance(title, str) else ""
        found["entity"] = "records" if not entity or entity in RESERVED_TABLES else entity
    return {"title": title, **found}


def _property(attribute: Attribute) -> dict[str, object]:
    written, dumped = (
        dict[str, object](attribute.type.json_schema),
        attribute.model_dump(mode="json"),
    )
    for key, name in _OF_PROPERTY.items():
        if getattr(attribute, name) != Attribute.model_fields[name].default:
            is_enum = name == "categories" and attribute.type.is_text and attribute.categories
            written["enum" if is_enum else key] = dumped[name]
    return written


def _describe(error: ValidationError) -> str:
    keys, problems = {name: key for key, name in _OF_SCHEMA.items()}, []
    for item in error.errors():
        loc = item["loc"][2:] if item["loc"][:1] == ("tables",) else item["loc"]
        place = [keys.get(str(part), str(part)) for part in loc[:1]]
        problems.append(": ".join([*place, item["msg"].removeprefix("Value error, ")]))
    return "; ".join(problems)


_TYPES = tuple(dict.fromkeys(kind.json_schema["type"] for kind in COLUMN_TYPES.values()))
_FORMATS = {"date-time": "date"} | {
    kind.json_schema["format"]: str(kind)
    for kind in COLUMN_TYPES.values()
    if "format" in kind.json_schema
}
_MAX_REFERENCES = 20
_NESTED = {
    "array": (
        " is a list inside of a list, which no table holds: make it one text, or a list of its own"
    ),
    "object": (
        " is an object; a record has one value an attribute: give each of its members an attribute"
        " of its own"
    ),
}


def _refusal(written: str, why: str) -> SchemaError:
    return SchemaError(f"attribute {written!r}: {why}")


def read_property(name: str, written: str, value: object, root: Mapping[str, object]) -> Attribute:
    """Read the property *written* as an attribute called *name*; *root* has its `$defs`.

    Raises:
        SchemaError: If it is not primitive or a keyword cannot be used; the text names it.
    """
    if isinstance(value, bool) or not isinstance(value, Mapping):
        raise _refusal(written, "its definition must be an object such as {'type': 'string'}")
    flat = _flatten(written, value, root)
    kind, means = _type(written, flat), flat.get("x-absent-means", "unknown")
    fields = {field: flat[key] for key, field in _OF_PROPERTY.items() if key in flat}
    fields |= {"name": name, "type": kind, "absent_means": means}
    fields |= {"synonyms": _synonyms(name, written, flat), **_values(written, flat, kind)}
    is_known = any(means in list(other.implied) for other in COLUMN_TYPES.values())
    if is_known and not COLUMN_TYPES[kind].means(str(means)):
        raise _refusal(written, f"x-absent-means {means!r} does not fit the type {kind}")
    try:
        return Attribute.model_validate(fields)
    except ValidationError as error:
        found = error.errors()[:3]
        problems = (f"{'.'.join(map(str, item['loc'][:3]))}: {item['msg']}" for item in found)
        raise _refusal(written, "; ".join(problems)) from error


def _flatten(
    written: str, value: Mapping[str, object], root: Mapping[str, object]
) -> dict[str, object]:
    """Resolve local references and `anyOf` with null, as other tools write optional values."""
    flat = dict(value)
    for _ in range(_MAX_REFERENCES):
        choices = next((flat.pop(key) for key in ("anyOf", "oneOf", "allOf") if key in flat), None)
        if choices is not None:
            offered = choices if isinstance(choices, list) else []
            maps = [choice for choice in offered if isinstance(choice, Mapping)]
            usable = [choice for choice in maps if choice.get("type") != "null"]
            if len(usable) != 1:
                raise _refusal(written, f"it must have one type; anyOf offers {len(usable)}")
            flat = dict(usable[0]) | flat
        elif "$ref" in flat:
            flat = _resolve(written, str(flat.pop("$ref")), root) | flat
        else:
            return flat
    raise _refusal(written, "its references go round in a circle")


def _resolve(written: str, reference: str, root: Mapping[str, object]) -> dict[str, object]:
    found: object = root
    for part in reference.removeprefix("#/").split("/"):
        found = found.get(part) if isinstance(found, Mapping) else None
    if not reference.startswith("#/") or not isinstance(found, Mapping):
        raise _refusal(written, f"{reference!r} is nowhere in this schema")
    return dict(found)


def _type(written: str, flat: Mapping[str, object]) -> str:
    kinds = flat.get("type", _type_of_enum(flat))
    listed = kinds if isinstance(kinds, list) else [kinds]
    names = [kind for kind in listed if kind not in (None, "null")]
    if set(map(str, names)) == {"integer", "number"}:
        names = ["number"]
    if len(names) != 1:
        one_of = ", ".join(_TYPES)
        raise _refusal(written, f"it must have one `type` of {one_of}, not {kinds!r}")
    kind = str(names[0])
    if kind == "string":
        return _FORMATS.get(str(flat.get("format")), kind)
    if kind in _NESTED:
        msg = f"attribute {written!r}{_NESTED[kind]}"
        raise SchemaError(msg)
    if kind not in COLUMN_TYPES:
        raise _refusal(written, f"type {kind!r} is unknown; use one of {', '.join(_TYPES)}")
    return kind


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
    examples = _scalars(written, "examples", flat.get("examples", []))
    if "enum" not in flat:
        return {"examples": examples, "categories": flat.get("x-categories")}
    listed = [value for value in _scalars(written, "enum", flat["enum"]) if value is not None]
    if not listed:
        raise _refusal(written, "its enum has no value")
    if kind != "string":
        return {"examples": examples or listed, "categories": None}
    if not all(isinstance(value, str) for value in listed):
        raise _refusal(written, "its enum must hold texts only")
    return {"examples": examples, "categories": tuple(listed)}


def _scalars(written: str, key: str, values: object) -> list[object]:
    listed = values if isinstance(values, list) else [values]
    if any(isinstance(value, Mapping | list) for value in listed):
        raise _refusal(written, f"{key} must hold texts, numbers or booleans")
    return list(listed)


def _synonyms(name: str, written: str, flat: Mapping[str, object]) -> object:
    given = flat.get("x-synonyms", [])
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise _refusal(written, "x-synonyms must be a list of texts")
    extra = [word for word in (written, flat.get("title")) if isinstance(word, str)]
    known = {"", name, name.replace("_", " "), *map(str, given)}
    return [*given, *(word for word in dict.fromkeys(extra) if word.strip() and word not in known)]
