"""Rows of child tables: what JSON lists, read with its places."""

import json

import pytest

from srag_mcp.cells.cell import Cell, ListedRows, verify_rows
from srag_mcp.documents.document import Document
from srag_mcp.documents.reading import read_content, read_tables, row_documents
from srag_mcp.documents.table_files import sketch
from srag_mcp.rules.row_sources import read_lists
from srag_mcp.rules.sightings import Sightings
from srag_mcp.rules.table_columns import with_lists
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.json_schema import schema_from_json
from srag_mcp.schema.schema import ListName, PendingList, Schema
from srag_mcp.values.states import State
from srag_mcp.values.types import TEXT

ORDERS = [
    {
        "id": 1,
        "items": [
            {"sku": "A", "price": {"net": 1.5}, "gift": True, "parts": [{"n": 1}]},
            {"sku": None, "price": None, "colours": ["red", "blue"]},
            {"sku": "Only, this", "note": None},
            {},
        ],
        "tags": ["x", "", "new one"],
    },
    {"id": 2, "items": [], "tags": None},
    {"id": 3},
]


def learn(data: object) -> Schema:
    [table] = read_tables(json.dumps(data).encode(), "orders.json")
    schema = Schema(title="Orders", entity="orders", attributes=(Attribute(name="id", type=TEXT),))
    return with_lists(schema, sketch(table).lists)


def texts(listed: ListedRows) -> list[dict[str, str | None]]:
    """Return what each row says, None for what it says that there is none of."""
    return [
        {
            cell.attribute: cell.as_stated or None
            for cell in row
            if cell.state is not State.NOT_MENTIONED
        }
        for row in listed.rows
    ]


def test_lists_of_json_are_read_item_by_item_with_their_places() -> None:
    schema = learn(ORDERS)
    [table] = read_tables(json.dumps(ORDERS).encode(), "orders.json")
    documents = row_documents("orders.json", table)
    assert [(x.entity, x.list_name, x.of_values) for x in schema.children] == [
        ("orders_items", "items", False),
        ("orders_tags", "tags", True),
    ]
    assert [[item.name for item in x.attributes] for x in schema.children] == [
        ["sku", "price_net", "gift", "colours"],
        ["tag"],
    ]

    items, tags = read_lists(Sightings(documents[0]), schema)

    assert texts(items) == [
        {"sku": "A", "price_net": "1.5", "gift": "true"},
        {"sku": None, "price_net": None, "colours": "red, blue"},
        {"sku": "Only, this"},
        {},
    ]
    assert texts(tags) == [{"tag": "x"}, {"tag": None}, {"tag": "new one"}]
    for listed in (items, tags):
        assert verify_rows(listed, documents[0].text) == listed
        assert listed.listed.state is State.STATED
    nothing = read_lists(Sightings(documents[1]), schema)
    assert [(x.listed.state, x.rows) for x in nothing] == [(State.STATED_ABSENT, ())] * 2
    assert read_lists(Sightings(documents[2]), schema) == ()


def test_a_document_that_is_one_json_object_lists_things_too() -> None:
    read = read_content(json.dumps(ORDERS[0]).encode(), "order.json")
    document = Document("a", "a", "", "", "", read.text, read.blocks, (), read.listings)
    line = {"type": "object", "properties": {"article": {"type": "string", "x-synonyms": ["SKU"]}}}
    schema = schema_from_json(
        {
            "title": "Order",
            "properties": {
                "items": {"type": "array", "items": line},
                "remarks": {"type": "array", "items": {"type": "string"}},
            },
        }
    )
    [items] = read_lists(Sightings(document), schema)
    assert texts(items) == [{"article": "A"}, {"article": None}, {"article": "Only, this"}, {}]
    assert [
        cell.span and cell.span.of(document.text) for cell in [items.rows[0][0], items.rows[2][0]]
    ] == ["A", "Only, this"]


@pytest.mark.parametrize(
    "odd", [["x", {"sku": "A"}], [["a"], ["b"]], "a text", [{"sku": "A"}, None]]
)
def test_a_list_of_several_kinds_of_things_is_no_table(odd: object) -> None:
    data = [{"id": 1, "items": odd}, {"id": 2, "items": [{"sku": "B"}]}]
    schema = learn(data)
    assert schema.children == ()
    assert [(item.name, item.holds) for item in schema.lists] == [
        ("items", "things of several kinds")
    ]


def test_a_pending_list_that_is_built_is_not_pending() -> None:
    pending = (PendingList(name="Items", fields=("sku",)), PendingList(name="notes"))
    old = learn(ORDERS).model_copy(update={"children": (), "pending_lists": pending})
    [table] = read_tables(json.dumps(ORDERS).encode(), "orders.json")
    built = with_lists(
        old.model_copy(update={"lists": (ListName(name="items"),)}), sketch(table).lists
    )
    inside = [item.name for item in built.lists]  # lists in its items, which no table holds
    assert (inside, built.pending_lists) == (["items.parts", "items.colours"], pending[1:])
    assert [child.list_name for child in built.children] == ["items", "tags"]
    assert with_lists(built, sketch(table).lists) == built


def test_a_cell_of_a_list_is_read_as_a_number_with_a_decimal_point() -> None:
    data = [{"items": [{"weight": 1.234}, {"weight": 950}]}, {"items": [{"weight": 2}]}]
    [child] = learn(data).children
    assert [(item.name, str(item.type)) for item in child.attributes] == [("weight", "number")]


def test_a_member_with_a_reserved_name_is_numbered() -> None:
    [child] = learn([{"items": [{"position": 1, "document_id": "a"}]}, {"items": []}]).children
    assert [item.name for item in child.attributes] == ["position_2", "n_document_id"]


def test_words_that_are_elsewhere_fail_where_they_are_checked() -> None:
    cell = Cell("sku", State.STATED, "A")
    [[checked]] = verify_rows(ListedRows("t", cell, ((cell,),)), "no such word").rows
    assert checked.state is State.FAILED
