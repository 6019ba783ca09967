"""Reads JSON and JSON Lines."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import PurePosixPath
from typing import TypeAlias, cast

from srag_mcp.documents.document import Content, Listing, TableCell
from srag_mcp.documents.folder import decode, storable
from srag_mcp.documents.page import Page, joined_lines
from srag_mcp.documents.table_files import ListedMembers, RecordTable, Row, scalar_text
from srag_mcp.documents.tables import unique_names
from srag_mcp.documents.totals import number_style
from srag_mcp.errors import DocumentError
from srag_mcp.text.shown import shorten
from srag_mcp.text.spans import Span
from srag_mcp.values.quantities import DECIMAL_POINT, read_numeral

JsonValue: TypeAlias = "str | int | float | bool | list[JsonValue] | dict[str, JsonValue] | None"

_MAX_PAIR_CHARACTERS = 400
_LIST_LEVEL = 2
_CELLS_TO_A_TEXT = 10  # as ten rows outweigh a file beside a table, ten cells do a text beside it
_MAX_TOLD_CHARACTERS = 300
_TITLE_KEYS = ("title", "name")


def read_json(data: bytes, path: str) -> Content:
    """Read a JSON file, or one with a JSON value on each line.

    Members are dotted keys, lists are items, lists of objects are tables. An array of one object is
    that object, and the only key of a file is what it is about: a heading, no part of each key.

    Raises:
        DocumentError: If it is not text, or not JSON; the reason says where.
    """
    value = _load(data, path)
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        [value] = value
    page = Page()
    while isinstance(value, dict) and len(value) == 1:
        [(name, member)] = value.items()
        if not isinstance(member, dict):
            break
        page.write_heading(name, 1)
        value = member
    lists: list[tuple[str, list[JsonValue]]] = []
    texts: list[tuple[str, str]] = []
    for key, leaf in _leaves(value):
        if isinstance(leaf, list) and (
            not leaf or any(isinstance(one, str | list | dict) for one in leaf)
        ):
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
    style = _style(value)
    listings = [_write_list(page, key, members, style) for key, members in lists]
    title = _title(value) or PurePosixPath(path).stem  # no heading of a list is one
    return replace(page.content(title), listings=tuple(filter(None, listings)))


def read_json_tables(data: bytes, path: str) -> list[RecordTable]:
    """Read the records of a JSON array, or of a file with a value on each line.

    Members of objects are columns with dotted names; lists are listings. The lists of objects of
    an object are tables, as the sheets of a workbook are, if they outweigh the texts beside them;
    these are told. Other things are none.

    Raises:
        DocumentError: As `read_json`.
    """
    value = _load(data, path)
    if not path.lower().endswith(".json"):
        return [_record_table(value)] if isinstance(value, list) else []
    lists: list[tuple[str, list[JsonValue]]] = []
    beside: list[tuple[str, str]] = []
    for key, leaf in _leaves(value):
        if isinstance(leaf, list) and leaf and all(isinstance(member, dict) for member in leaf):
            lists.append((storable(key), leaf))
        elif isinstance(value, dict):
            beside += flatten(leaf, key)
    if sum(len(members) for _, members in lists) < 2:
        return []
    texts = [text for _, text in beside if text and read_numeral(text) is None]
    records = [flatten(member) for _, members in lists for member in members] if texts else []
    longest_record = max([1, *(sum(len(text) for _, text in cells) for cells in records)])
    n_texts = sum(max(1.0, len(text) / longest_record) for text in texts)  # pages count for more
    if n_texts * _CELLS_TO_A_TEXT > sum(map(len, records)):
        return []
    note = shorten("; ".join(map(": ".join, beside)), _MAX_TOLD_CHARACTERS)
    told = (f"beside the table: {note}",) if texts else ()
    longest = max((members for _, members in lists), key=len)
    names = unique_names([key for key, _ in lists])
    return [
        replace(
            table := _record_table(members),
            name=name if len(lists) > 1 else "",
            told=(*(told if members is longest else ()), *table.told),
            is_plain=not texts,
        )
        for name, (_, members) in zip(names, lists, strict=True)
    ]


def flatten(value: JsonValue, key: str = "", *, keeps_null: bool = False) -> list[tuple[str, str]]:
    """Return the scalars below *value* with dotted keys; a list of scalars is joined by commas.

    `{"rating": {"value": 9.2}, "tags": ["a", "b"]}` -> `rating.value: 9.2`, `tags: a, b`.
    """
    pairs: list[tuple[str, str]] = []
    for name, leaf in _leaves(value, key):
        members = leaf if isinstance(leaf, list) else [leaf]
        if all(map(_is_scalar, members)):
            text = ", ".join(filter(None, map(scalar_text, members)))
            pairs += [(name, text)] if text or keeps_null else []
        else:
            for number, member in enumerate(members, start=1):
                inner = f"{name}.{number}" if name and len(members) > 1 else name
                pairs += flatten(member, inner, keeps_null=keeps_null)
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


def _is_scalar(value: JsonValue) -> bool:
    return not isinstance(value, dict | list)


def _load(data: bytes, path: str) -> JsonValue:
    text = decode(data, path)
    if path.lower().endswith(".json"):
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


def _style(value: JsonValue) -> str:
    """Return how numbers are written: as in JSON, or as its texts show it, if they do."""
    leaves, rest = list[JsonValue](), [value]
    while rest:
        match rest.pop():
            case dict(members):
                rest += members.values()
            case list(members):
                rest += members
            case leaf:
                leaves.append(leaf)
    is_json = any(isinstance(leaf, float) for leaf in leaves)
    texts = (leaf for leaf in leaves if isinstance(leaf, str) and len(leaf) <= _MAX_PAIR_CHARACTERS)
    return DECIMAL_POINT if is_json else number_style(texts)


def _record_table(values: Sequence[JsonValue]) -> RecordTable:
    parted = list(map(_parted, values))
    listed = {key for _, lists in parted for key, members in lists.items() if members}
    plain = {key for cells, _ in parted for key, text in cells.items() if text}
    nulls = [(x, key) for x in parted for key in x[0] if key in listed - plain]
    for (cells, lists), key in nulls:  # null where other records have a list
        del cells[key]
        lists[key] = []
    told = (
        f"{key} is null, read as a list of none, in {n:,} of {len(values):,} records"
        for key, n in Counter(key for _, key in nulls).items()
    )
    names = list(dict.fromkeys(name for cells, _ in parted for name in cells))
    for name in list(names):
        inside = [one for one in names if one.startswith(f"{name}.")]
        if inside and not any(cells.get(name) for cells, _ in parted):
            names.remove(name)  # where an object is null, its members are
            for cells, _ in parted:
                if name in cells:
                    cells.update(dict.fromkeys(inside, ""))
    rows, style = [], _style([*values])
    found: dict[str, list[Listing | None]] = {}
    for value, (cells, lists) in zip(values, parted, strict=True):
        page = Page()
        written = {key: _write_list(page, key, x, style) for key, x in lists.items()}
        for key in written.keys() & listed:
            found.setdefault(key, []).append(written[key])
        listings = tuple(filter(None, written.values()))
        more = replace(page.content(), listings=listings) if lists else None
        texts = tuple(cells.get(name) for name in names)
        rows.append(Row(texts, style, _title(value) or "", more))
    order = dict.fromkeys(key for _, lists in parted for key in lists if key in listed)
    described = [_describe(key, found[key], is_mixed=key in names) for key in order]
    for holds, is_plain in ((_INSIDE, False), (VALUES_INSIDE, True)):
        inner = Counter(
            storable(f"{key}.{name}")
            for _, lists in parted
            for key, members in lists.items()
            for name in _lists_in(members, is_plain=is_plain)
        )
        described += [ListedMembers(key, holds, n_records) for key, n_records in inner.items()]
    return RecordTable("", unique_names(names), tuple(rows), tuple(told), tuple(described))


def _describe(key: str, found: Sequence[Listing | None], *, is_mixed: bool) -> ListedMembers:
    """Say what a list holds; *is_mixed* where some records have a plain value instead of it."""
    full = [item for item in found if item is None or item.rows]
    kinds = {None if item is None else item.keys == _PLAIN for item in full}
    holds = "things of several kinds"
    if not is_mixed and len(kinds) == 1 and None not in kinds:
        holds = "values" if True in kinds else "objects"
    keys = dict.fromkeys(name for item in full if item for name in item.keys if name)
    return ListedMembers(key, holds, len(full), tuple(keys))


def _parted(value: JsonValue) -> tuple[dict[str, str], dict[str, list[JsonValue]]]:
    """Part a record into scalars and lists, with dotted keys."""
    cells: dict[str, str] = {}
    lists: dict[str, list[JsonValue]] = {}
    for key, leaf in _leaves(value, "" if isinstance(value, dict) else "value"):
        name = storable(key)
        if not isinstance(leaf, list):
            cells.setdefault(name, joined_lines(scalar_text(leaf)))
        else:
            lists.setdefault(name, leaf)
    return cells, lists


def _title(value: JsonValue) -> str | None:
    if not isinstance(value, dict):
        return None
    by_key = {name.lower(): member for name, member in value.items()}
    return next((scalar_text(by_key[key]) for key in _TITLE_KEYS if by_key.get(key)), None) or None


_PLAIN = ("",)
_INSIDE = "lists or objects inside of another list"  # which no table holds
VALUES_INSIDE = "values inside of another list, one text each"  # to be counted by nobody


def _write_list(page: Page, key: str, members: list[JsonValue], style: str) -> Listing | None:
    """Write a list; return its items with their places, None where they are of several kinds."""
    if not members:
        return Listing(storable(key), (), (), page.empty_cell().span, style)
    page.write_heading(key, _LIST_LEVEL)
    start = page.empty_cell().span.end
    rows = [dict(flatten(_with_lists_as_texts(member), keeps_null=True)) for member in members]
    found = list(dict.fromkeys(name for row in rows for name in row))
    nulls = {f"{name}." for row in rows for name, text in row.items() if not text}
    following = dict(pairwise(sorted({*found, *nulls})))  # `a.` before the `a.b` of other members
    nulls = {name for name in nulls if following.get(name, "").startswith(name)}
    names = [name for name in found if f"{name}." not in nulls]
    lines: list[tuple[TableCell, ...]]
    if all(map(_is_scalar, members)):
        names = list(_PLAIN)
        lines = [(page.write_item(scalar_text(member)),) for member in members]
    elif len(names) < 2:
        lines = [
            (page.write_item(", ".join(text for _, text in flatten(member))),) for member in members
        ]
    else:
        cells = [[row.get(name, "") for name in names] for row in rows]
        written = iter(page.write_table([unique_names(names), *cells], n_headers=1)[1:])
        blank = (page.empty_cell(),) * len(names)
        lines = [next(written) if any(map(str.strip, row)) else blank for row in cells]
    if not names or not (names == list(_PLAIN) or all(isinstance(one, dict) for one in members)):
        return None
    span = Span(start, page.empty_cell().span.end)
    return _listing(Listing(storable(key), tuple(names), tuple(lines), span, style), members)


def _listing(found: Listing, members: Sequence[JsonValue]) -> Listing:
    """Leave out lists of objects inside of the items, and the cells that an item does not have."""
    leaves = [dict(_leaves(member)) for member in members]
    inner = {*_lists_in(members)}
    places = [place for place, key in enumerate(found.keys) if not inner.intersection(_above(key))]
    rows = tuple(
        tuple(row[at] if own.keys() & _above(found.keys[at]) else None for at in places)
        for row, own in zip(found.rows, leaves, strict=True)
    )
    keys, inside = (
        tuple(storable(found.keys[at]) for at in places),
        _lists_in(members, is_plain=True),
    )
    return replace(found, keys=keys, rows=rows, inside=tuple(map(storable, (*inner, *inside))))


def _with_lists_as_texts(value: JsonValue) -> JsonValue:
    """Return an item with each list of more than plain values in it as one text."""
    if isinstance(value, dict):
        return {name: _with_lists_as_texts(member) for name, member in value.items()}
    if not isinstance(value, list) or all(map(_is_scalar, value)):
        return value
    parts = [[f"{key} {text}".lstrip() for key, text in flatten(x)] for x in value]
    return "; ".join(map(", ".join, parts))


def _lists_in(members: Sequence[JsonValue], *, is_plain: bool = False) -> tuple[str, ...]:
    """Return the names of the lists in the items of a list that are more than plain values."""
    names = (
        name
        for member in members
        if isinstance(member, dict)
        for name, leaf in _leaves(member)
        if isinstance(leaf, list) and all(map(_is_scalar, leaf)) is is_plain
        if not is_plain or len(leaf) > 1
    )
    return tuple(dict.fromkeys(names))


def _above(key: str) -> set[str]:
    """Return a dotted key with those of the objects around it: `a.b` -> `a.b`, `a`."""
    parts = key.split(".")
    return {".".join(parts[:n]) for n in range(1, len(parts) + 1)}
