"""Reads JSON and JSON Lines."""

import json
from collections.abc import Iterator, Sequence
from typing import TypeAlias, cast

from srag_mcp.documents.document import Content
from srag_mcp.documents.encoding import decode, storable
from srag_mcp.documents.page import Page, joined_lines
from srag_mcp.documents.table_files import ListedMembers, RecordTable, Row
from srag_mcp.documents.tables import unique_names
from srag_mcp.errors import DocumentError
from srag_mcp.values.quantities import DECIMAL_POINT

JsonValue: TypeAlias = "str | int | float | bool | list[JsonValue] | dict[str, JsonValue] | None"

_MAX_PAIR_CHARACTERS = 400
_LIST_LEVEL = 2
_TITLE_KEYS = ("title", "name")


def read_json(data: bytes, path: str) -> Content:
    """Read a JSON file, or one with a JSON value on each line.

    Members are dotted keys, lists are items, lists of objects are tables.

    Raises:
        DocumentError: If it is not text, or not JSON; the reason says where.
    """
    value = _load(data, path)
    page = Page()
    lists: list[tuple[str, list[JsonValue]]] = []
    texts: list[tuple[str, str]] = []
    for key, leaf in _leaves(value):
        if isinstance(leaf, list) and any(isinstance(one, str | list | dict) for one in leaf):
            lists.append((key, leaf))
            continue
        for name, text in flatten(leaf, key):  # numbers are no items
            if len(text) > _MAX_PAIR_CHARACTERS or "\n" in text.strip():
                texts.append((name, text))
            else:
                page.write_pair(name or "value", text)
    for key, text in texts:
        page.write_heading(key, _LIST_LEVEL)
        page.write_text(text)
    for key, members in lists:
        _write_list(page, key, members)
    return page.content(_title(value))


def read_json_tables(data: bytes, path: str) -> list[RecordTable]:
    """Read the records of a JSON array, or of a file with a value on each line.

    Members of objects are columns with dotted names; lists are none. An object is a table if it is
    nothing but a list of objects with numbers about it, such as how many they are; other things are
    none.

    Raises:
        DocumentError: As `read_json`.
    """
    value = _load(data, path)
    if not _is_one_value(path):
        return [_record_table(value)] if isinstance(value, list) else []
    if isinstance(value, dict):
        lists = [member for member in value.values() if isinstance(member, list)]
        if len(lists) != 1 or any(isinstance(member, str | dict) for member in value.values()):
            return []
        value = lists[0]
    if not isinstance(value, list) or len(value) < 2:
        return []
    return [_record_table(value)] if all(isinstance(member, dict) for member in value) else []


def flatten(value: JsonValue, key: str = "") -> list[tuple[str, str]]:
    """Return the scalars below *value* with dotted keys; a list of scalars is joined by commas.

    `{"rating": {"value": 9.2}, "tags": ["a", "b"]}` -> `rating.value: 9.2`, `tags: a, b`.
    """
    pairs: list[tuple[str, str]] = []
    for name, leaf in _leaves(value, key):
        members = leaf if isinstance(leaf, list) else [leaf]
        if all(map(_is_scalar, members)):
            text = ", ".join(filter(None, map(scalar_text, members)))
            pairs += [(name, text)] if text else []
        else:
            for number, member in enumerate(members, start=1):
                pairs += flatten(member, f"{name}.{number}" if name and len(members) > 1 else name)
    return pairs


def _leaves(value: JsonValue, key: str = "") -> Iterator[tuple[str, JsonValue]]:
    """Yield the scalars and lists in *value*, and in the objects in it, with dotted keys."""
    pending = [(key, value)]
    while pending:
        key, value = pending.pop()
        if isinstance(value, dict):
            members = reversed(value.items())
            pending += [(f"{key}.{name}" if key else name, member) for name, member in members]
        else:
            yield key, value


def scalar_text(value: JsonValue) -> str:
    """Return a scalar as text: `null` is nothing, `12.0` is `12`."""
    if value is None or not _is_scalar(value):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def _is_scalar(value: JsonValue) -> bool:
    return not isinstance(value, dict | list)


def _is_one_value(path: str) -> bool:
    return path.lower().endswith(".json")


def _load(data: bytes, path: str) -> JsonValue:
    text = decode(data, path)
    if _is_one_value(path):
        return _parse(text, path)
    lines = enumerate(text.split("\n"), start=1)
    return [_parse(line, path, f" at line {number}") for number, line in lines if line.strip()]


def _parse(text: str, path: str, where: str = "") -> JsonValue:
    try:
        return cast("JsonValue", json.loads(text))
    except RecursionError as error:
        raise DocumentError(path, f"the JSON is nested too deeply{where}") from error
    except json.JSONDecodeError as error:
        place = where or f" at line {error.lineno}, column {error.colno}"
        raise DocumentError(path, f"it is not JSON{place}: {error.msg}") from error
    except ValueError as error:  # such as a number of more than 4,300 digits
        raise DocumentError(path, f"the JSON cannot be read{where}: {error}") from error


def _record_table(values: Sequence[JsonValue]) -> RecordTable:
    parted = list(map(_parted, values))
    names = list(dict.fromkeys(name for cells, _ in parted for name in cells))
    for name in list(names):
        inside = [one for one in names if one.startswith(f"{name}.")]
        if inside and not any(cells.get(name) for cells, _ in parted):
            names.remove(name)  # where an object is null, its members are
            for cells, _ in parted:
                if name in cells:
                    cells.update(dict.fromkeys(inside, ""))
    rows = []
    found: dict[str, list[list[JsonValue]]] = {}
    for value, (cells, lists) in zip(values, parted, strict=True):
        page = Page()
        for key, members in lists.items():
            _write_list(page, key, members)
            found.setdefault(key, []).append(members)
        more = page.content() if lists else None
        texts = tuple(cells.get(name) for name in names)
        rows.append(Row(texts, DECIMAL_POINT, _title(value) or "", more))
    listed = []
    for key, all_members in found.items():
        objects = [one for members in all_members for one in members if isinstance(one, dict)]
        inside = list(dict.fromkeys(name for one in objects for name, _ in flatten(one)))
        holds = "objects" if objects else "values"
        listed.append(ListedMembers(key, holds, len(all_members), tuple(inside)))
    return RecordTable("", unique_names(names), tuple(rows), (), tuple(listed))


def _parted(value: JsonValue) -> tuple[dict[str, str], dict[str, list[JsonValue]]]:
    """Part a record into scalars and lists, with dotted keys; an empty list is nothing."""
    cells: dict[str, str] = {}
    lists: dict[str, list[JsonValue]] = {}
    for key, leaf in _leaves(value, "" if isinstance(value, dict) else "value"):
        name = storable(key)
        if not isinstance(leaf, list):
            cells.setdefault(name, joined_lines(scalar_text(leaf)))
        elif leaf:
            lists.setdefault(name, leaf)
    return cells, lists


def _title(value: JsonValue) -> str | None:
    if not isinstance(value, dict):
        return None
    by_key = {name.lower(): member for name, member in value.items()}
    return next((scalar_text(by_key[key]) for key in _TITLE_KEYS if by_key.get(key)), None) or None


def _write_list(page: Page, key: str, members: list[JsonValue]) -> None:
    page.write_heading(key, _LIST_LEVEL)
    rows = [dict(flatten(member)) for member in members]
    names = list(dict.fromkeys(name for row in rows for name in row))
    if all(map(_is_scalar, members)):
        for member in members:
            page.write_item(scalar_text(member))
    elif len(names) < 2:
        for member in members:
            page.write_item(", ".join(text for _, text in flatten(member)))
    else:
        cells = [[row.get(name, "") for name in names] for row in rows]
        page.write_table([unique_names(names), *cells], n_headers=1)
