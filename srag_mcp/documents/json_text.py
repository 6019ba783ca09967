"""Reads JSON and JSON Lines."""

import json
from collections.abc import Sequence
from typing import TypeAlias

from srag_mcp.documents.document import Content
from srag_mcp.documents.encoding import decode, without_surrogates
from srag_mcp.documents.page import Page, joined_lines
from srag_mcp.documents.sheet import unique_names
from srag_mcp.documents.table_files import ListedMembers, RecordTable, Row
from srag_mcp.errors import DocumentError
from srag_mcp.values.quantities import DECIMAL_POINT

JsonValue: TypeAlias = "str | int | float | bool | list[JsonValue] | dict[str, JsonValue] | None"

_MAX_PAIR_CHARACTERS = 400
_LIST_LEVEL = 2
_TITLE_KEYS = ("title", "name")


def read_json(data: bytes, path: str) -> Content:
    """Read a JSON file: members as dotted keys, lists as items, lists of objects as tables.

    Raises:
        DocumentError: If it is not text, or not JSON.
    """
    return _content(_parse(decode(data, path), path))


def read_json_lines(data: bytes, path: str) -> Content:
    """Read a file with a JSON value on each line as one table.

    Raises:
        DocumentError: If it is not text, or a line is not JSON; the reason names the line.
    """
    return _content(_parse_lines(decode(data, path), path))


def read_json_tables(data: bytes, path: str) -> list[RecordTable]:
    """Read the records of a JSON array, or of a file with a value on each line.

    Members of objects are columns with dotted names; lists are none. An object is a table if it is
    nothing but a list of objects with numbers about it, such as how many they are; other things are
    none.

    Raises:
        DocumentError: As `read_json`.
    """
    text = decode(data, path)
    if not path.lower().endswith(".json"):
        return [_record_table(_parse_lines(text, path))]
    value = _parse(text, path)
    if isinstance(value, dict):
        lists = [member for member in value.values() if isinstance(member, list)]
        if len(lists) != 1 or any(isinstance(member, str | dict) for member in value.values()):
            return []
        value = lists[0]
    is_table = isinstance(value, list) and all(isinstance(member, dict) for member in value)
    return [_record_table(value)] if isinstance(value, list) and is_table and len(value) > 1 else []


def flatten(value: JsonValue, key: str = "") -> list[tuple[str, str]]:
    """Return the scalars below *value* with dotted keys; a list of scalars is joined by commas.

    `{"rating": {"value": 9.2}, "tags": ["a", "b"]}` -> `rating.value: 9.2`, `tags: a, b`.
    """
    members: list[tuple[str, JsonValue]]
    if isinstance(value, dict):
        members = [(f"{key}.{name}" if key else name, member) for name, member in value.items()]
    elif isinstance(value, list) and not all(map(_is_scalar, value)):
        members = [
            (f"{key}.{number}" if key and len(value) > 1 else key, member)
            for number, member in enumerate(value, start=1)
        ]
    else:
        scalars = value if isinstance(value, list) else [value]
        text = ", ".join(filter(None, map(scalar_text, scalars)))
        return [(key, text)] if text else []
    return [pair for name, member in members for pair in flatten(member, name)]


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


def _parse(text: str, path: str, where: str = "") -> JsonValue:
    try:
        value: JsonValue = json.loads(text)
    except RecursionError as error:
        raise DocumentError(path, f"the JSON is nested too deeply{where}") from error
    except json.JSONDecodeError as error:
        place = where or f" at line {error.lineno}, column {error.colno}"
        raise DocumentError(path, f"it is not JSON{place}: {error.msg}") from error
    except ValueError as error:  # such as a number of more than 4,300 digits
        raise DocumentError(path, f"the JSON cannot be read{where}: {error}") from error
    return value


def _parse_lines(text: str, path: str) -> list[JsonValue]:
    return [
        _parse(line, path, f" at line {number}")
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    ]


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
    pending = [("" if isinstance(value, dict) else "value", value)]
    while pending:
        key, member = pending.pop()
        if isinstance(member, dict):
            for name, one in reversed(member.items()):
                name = without_surrogates(name)
                pending.append((f"{key}.{name}" if key else name, one))
        elif not isinstance(member, list):
            cells.setdefault(key, joined_lines(scalar_text(member)))
        elif member:
            lists.setdefault(key, member)
    return cells, lists


def _content(value: JsonValue) -> Content:
    page = Page()
    lists: list[tuple[str, list[JsonValue]]] = []
    texts: list[tuple[str, str]] = []
    for key, text in _members(value, "", lists):
        if len(text) > _MAX_PAIR_CHARACTERS or "\n" in text.strip():
            texts.append((key, text))
        else:
            page.write_pair(key or "value", text)
    for key, text in texts:
        page.write_heading(key, _LIST_LEVEL)
        page.write_text(text)
    for key, members in lists:
        _write_list(page, key, members)
    return page.content(_title(value))


def _title(value: JsonValue) -> str | None:
    if not isinstance(value, dict):
        return None
    by_key = {name.lower(): member for name, member in value.items()}
    return next((scalar_text(by_key[key]) for key in _TITLE_KEYS if by_key.get(key)), None) or None


def _members(
    value: JsonValue, key: str, lists: list[tuple[str, list[JsonValue]]]
) -> list[tuple[str, str]]:
    """Return the scalars with their dotted keys; lists of words or objects go to *lists*."""
    if isinstance(value, dict):
        return [
            pair
            for name, member in value.items()
            for pair in _members(member, f"{key}.{name}" if key else name, lists)
        ]
    if isinstance(value, list) and any(isinstance(one, str | list | dict) for one in value):
        lists.append((key, value))
        return []
    return flatten(value, key)  # numbers are no items


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
