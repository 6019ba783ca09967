"""Reads JSON and JSON Lines."""

import json
from collections.abc import Mapping, Sequence

from srag_mcp.documents.document import Content
from srag_mcp.documents.encoding import decode, without_surrogates
from srag_mcp.documents.json_values import JsonValue, flatten, is_scalar, scalar_text
from srag_mcp.documents.page import Page, joined_lines
from srag_mcp.documents.sheet import unique_names
from srag_mcp.documents.table_files import ListedMembers, RecordTable, Row
from srag_mcp.errors import DocumentError
from srag_mcp.values.quantities import DECIMAL_POINT

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
    if path.lower().endswith(".json"):
        values = _records(_parse(text, path))
    else:
        values = _parse_lines(text, path)
    return [] if values is None else [_record_table(values)]


def _records(value: JsonValue) -> list[JsonValue] | None:
    if isinstance(value, dict):
        lists = [member for member in value.values() if isinstance(member, list)]
        others = [member for member in value.values() if not isinstance(member, list)]
        if len(lists) != 1 or any(isinstance(member, str | dict) for member in others):
            return None
        value = lists[0]
    if not isinstance(value, list) or not all(isinstance(member, dict) for member in value):
        return None
    return value if len(value) > 1 else None


def _record_table(values: Sequence[JsonValue]) -> RecordTable:
    parted = [_parted(value) for value in values]
    names = list(dict.fromkeys(name for cells, _ in parted for name in cells))
    for name in [name for name in names if any(one.startswith(f"{name}.") for one in names)]:
        _share_null(name, names, [cells for cells, _ in parted])
    rows = [
        Row(
            tuple(cells.get(name) for name in names),
            DECIMAL_POINT,
            _title(value) or "",
            _list_content(lists),
        )
        for value, (cells, lists) in zip(values, parted, strict=True)
    ]
    found: dict[str, list[list[JsonValue]]] = {}
    for _, lists in parted:
        for key, members in lists.items():
            found.setdefault(key, []).append(members)
    listed = tuple(_listed_members(key, lists) for key, lists in found.items())
    return RecordTable("", unique_names(names), tuple(rows), (), listed)


def _share_null(name: str, names: list[str], records: Sequence[dict[str, str]]) -> None:
    """Where an object is null, say so of its members."""
    if any(cells.get(name) for cells in records):
        return
    names.remove(name)
    for cells in records:
        if name in cells:
            cells.update({one: "" for one in names if one.startswith(f"{name}.")})


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


def _list_content(lists: Mapping[str, list[JsonValue]]) -> Content | None:
    page = Page()
    for key, members in lists.items():
        _write_list(page, key, members)
    return page.content() if lists else None


def _listed_members(name: str, lists: Sequence[list[JsonValue]]) -> ListedMembers:
    objects = [member for members in lists for member in members if isinstance(member, dict)]
    names = dict.fromkeys(key for member in objects for key, _ in flatten(member))
    return ListedMembers(name, "objects" if objects else "values", len(lists), tuple(names))


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
    if isinstance(value, list):
        if all(is_scalar(member) and not isinstance(member, str) for member in value):
            return flatten(value, key)  # numbers are no items
        lists.append((key, value))
        return []
    text = scalar_text(value)
    return [(key, text)] if text else []


def _write_list(page: Page, key: str, members: list[JsonValue]) -> None:
    page.write_heading(key, _LIST_LEVEL)
    if all(is_scalar(member) for member in members):
        for member in members:
            page.write_item(scalar_text(member))
        return
    rows = [flatten(member) for member in members]
    names = list(dict.fromkeys(name for row in rows for name, _ in row))
    if len(names) < 2:
        for row in rows:
            page.write_item(", ".join(text for _, text in row))
        return
    by_name = [dict(row) for row in rows]
    cells = [[row.get(name, "") for name in names] for row in by_name]
    page.write_table([unique_names(names), *cells], n_headers=1, caption="")
