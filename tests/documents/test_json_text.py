"""JSON files."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from srag_mcp.documents.document import Document, Heading, KeyValue, ListItem, Prose, Table
from srag_mcp.documents.json_text import read_json_tables
from srag_mcp.documents.reading import read_tables, read_text
from srag_mcp.text.spans import Span


def test_members_are_dotted_keys_items_and_tables(
    read_bytes: Callable[..., list[Document]],
) -> None:
    (document,) = read_bytes(
        "a.json",
        '{"name": "Inn", "rating": {"value": 9.0, "n": 3}, "open": true, "closed": null,'
        ' "tags": ["Pool", "Bar"], "sizes": [1, 2], "about": "One.\\nTwo.",'
        ' "rooms": [{"type": "Double", "price": {"eur": 90}, "n": 2}, {"type": "Single"}]}',
    )
    assert document.title == "Inn"
    assert document.text == (
        "name: Inn\nrating.value: 9\nrating.n: 3\nopen: true\nsizes: 1, 2\n\n"
        "about\n\nOne.\nTwo.\n\ntags\n\n- Pool\n- Bar\n\n"
        "rooms\n\ntype | price.eur | n\nDouble | 90 | 2\nSingle |  | "
    )
    assert document.blocks[:6] == (
        KeyValue(Span(0, 9), "name", "Inn", Span(6, 9)),
        KeyValue(Span(10, 25), "rating.value", "9", Span(24, 25)),
        KeyValue(Span(26, 37), "rating.n", "3", Span(36, 37)),
        KeyValue(Span(38, 48), "open", "true", Span(44, 48)),
        KeyValue(Span(49, 60), "sizes", "1, 2", Span(56, 60)),
        Heading(Span(62, 67), "about", 2),
    )
    assert [type(block) for block in document.blocks[6:]] == [
        Prose,
        Prose,
        Heading,
        ListItem,
        ListItem,
        Heading,
        Table,
    ]


def test_an_array_of_one_object_is_that_object(read_bytes: Callable[..., list[Document]]) -> None:
    trip = '{"name": "A", "stops": [{"town": "Ulm", "nights": 2}, {"town": "Rann", "nights": 1}]}'
    [one], [other] = (read_bytes("a.json", said) for said in (trip, f"[{trip}]"))
    assert replace(other, sha256=one.sha256) == one
    assert [listing.name for listing in one.listings] == ["stops"]


def test_the_only_key_of_a_file_is_its_heading(read_bytes: Callable[..., list[Document]]) -> None:
    (document,) = read_bytes(
        "a.json", '{"trip": {"name": "A", "at": {"town": "Ulm"}, "stops": [{"n": 1, "h": 2}]}}'
    )
    assert document.title == "A"
    assert document.text == "trip\n\nname: A\nat.town: Ulm\n\nstops\n\nn | h\n1 | 2"
    assert [listing.name for listing in document.listings] == ["stops"]
    (document,) = read_bytes("b.json", '{"trips": [{"n": 1, "h": 2}]}')  # a list is no record
    assert ([listing.name for listing in document.listings], document.title) == (["trips"], "b")


def test_a_list_at_the_top_is_a_table(read_bytes: Callable[..., list[Document]]) -> None:
    (document,) = read_bytes("a.json", '[{"a": 1, "b": 2, "c": 3}, {"b": 5, "A": 6}]')
    (table,) = [block for block in document.blocks if isinstance(block, Table)]
    assert table.headers == (("a",), ("b",), ("c",), ("A (2)",))
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["1", "2", "3", ""],
        ["", "5", "", "6"],
    ]


def test_a_lone_surrogate_costs_one_character(read_bytes: Callable[..., list[Document]]) -> None:
    lines = '{"title": "In\\ud800n", "k\\udfff": "a\\ud800"}\n{"title": "B", "k": "b"}\n'

    rows = read_bytes("a.jsonl", lines, rows=True)
    (whole,) = read_bytes("a.jsonl", lines)
    (single,) = read_bytes("a.json", lines.split("\n")[0])

    assert [(row.title, row.text) for row in rows] == [
        ("In?n", "title: In?n\nk?: a?"),
        ("B", "title: B\nk (2): b"),
    ]
    assert "In?n" in whole.text
    assert (single.title, single.text) == (rows[0].title, rows[0].text)


def test_plain_text_with_a_lone_surrogate_is_a_document() -> None:
    document = read_text("Rooms: 12\ud800", "a")

    assert document.text == "Rooms: 12?"
    assert document.blocks == (KeyValue(Span(0, 10), "Rooms", "12?", Span(7, 10)),)


@pytest.mark.parametrize(
    ("members", "style"),
    [
        ('"height": "1.065", "length": "2,5"', "decimal comma"),
        ('"height": "1.065", "length": 2.5', "decimal point"),
        ('"height": 1.065, "length": "2,5"', "decimal point"),
        ('"height": "1.065", "length": 2', ""),
    ],
)
def test_texts_that_are_numbers_may_be_written_otherwise_than_json(
    members: str, style: str
) -> None:
    [table] = read_tables(f"[{{{members}}}, {{{members}}}]".encode(), "a.json")
    assert [row.context for row in table.rows] == [style] * 2


@pytest.mark.parametrize("is_nested", [False, True])
def test_null_where_others_have_a_list_is_a_list_of_none_and_told(*, is_nested: bool) -> None:
    vans = [{"van": "V1", "repairs": [{"fault": "leak"}]}, {"van": "V2", "repairs": None}]
    data = json.dumps({"vans": vans} if is_nested else vans).encode()
    [table] = read_json_tables(data, "vans.json")
    assert table.told == ("repairs is null, read as a list of none, in 1 of 2 records",)
    assert [[len(x.rows) for x in row.more.listings] for row in table.rows if row.more] == [
        [1],
        [0],
    ]
