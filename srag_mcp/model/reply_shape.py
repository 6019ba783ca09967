"""The shape of a reply: whether lists are lists, texts are texts and objects are objects."""

from collections.abc import Mapping

from srag_mcp.model.reply_content import show_value

_NAMES = {"array": "a list", "object": "an object", "string": "a text", "null": "null"}


def find_misfit(content: Mapping[str, object], reply_schema: Mapping[str, object]) -> str:
    """Say which fields of *content* have another shape than *reply_schema*; empty if none has.

    Objects in lists are not looked into. Null may stand for an empty list, and any single value for
    a number or a yes: reading a reply is as patient.

    `({"documents": "x"}, …) -> "documents: must be a list, not 'x'"`
    """
    rules = _mapping(reply_schema.get("properties"))
    definitions = _mapping(reply_schema.get("$defs"))
    found = {
        name: _misfit(value, _mapping(rules[name]), definitions)
        for name, value in content.items()
        if name in rules
    }
    return "; ".join(f"{name}: {why}" for name, why in found.items() if why)


def _misfit(value: object, rule: Mapping[str, object], defs: Mapping[str, object]) -> str:
    rule = _mapping(defs.get(str(rule["$ref"]).rpartition("/")[2])) if "$ref" in rule else rule
    choices = rule.get("anyOf")
    if isinstance(choices, list):
        misfits = [_misfit(value, _mapping(choice), defs) for choice in choices]
        return min(misfits, key=bool, default="")
    kind = rule.get("type")
    if not _is_of(value, kind):
        return f"must be {_NAMES.get(str(kind), f'of type {kind}')}, not {show_value(value)}"
    allowed = rule.get("enum")
    if isinstance(allowed, list) and value not in allowed:
        return f"must be one of {', '.join(map(str, allowed))}, not {show_value(value)}"
    if isinstance(value, list):
        of_items = _mapping(rule.get("items"))
        for number, item in enumerate(value, start=1):
            why = _misfit(item, of_items, defs)
            if why:
                return f"item {number} {why}"
    return ""


def _is_of(value: object, kind: object) -> bool:
    if kind == "array":
        return value is None or isinstance(value, list)
    if kind == "object":
        return isinstance(value, dict)
    if kind == "string":
        return isinstance(value, str)
    if kind == "null":
        return value is None
    return kind is None or isinstance(value, str | int | float)


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
