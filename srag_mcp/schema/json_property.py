"""One property of a JSON Schema, read as an attribute."""

from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from srag_mcp.errors import SchemaError
from srag_mcp.schema.attribute import Attribute
from srag_mcp.values.types import COLUMN_TYPES

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
