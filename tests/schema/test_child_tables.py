"""Child tables: lists of a schema as tables of their own, in and out."""

import pytest
from pydantic import ValidationError

from srag_mcp.errors import SchemaError
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.json_schema import schema_from_json, schema_to_json
from srag_mcp.schema.schema import (
    RowSource,
    Schema,
    Table,
    child_name,
    table_name,
    value_column,
)
from srag_mcp.store.work import hash_schema
from srag_mcp.values.types import INTEGER, NUMBER, TEXT

ITEMS = Table(
    title="Items",
    entity="order_items",
    attributes=(Attribute(name="sku", type=TEXT), Attribute(name="quantity", type=INTEGER)),
    nouns=("item", "items"),
    parent="order",
    list_name="items",
    sources=(RowSource(kind="table", section="items", headers=("sku",), context="decimal point"),),
)
TAGS = Table(
    title="tags",
    entity="order_shipping_tags",
    attributes=(Attribute(name="tag", type=TEXT, description="What it is about."),),
    parent="order",
    list_name="shipping.tags",
    of_values=True,
)
ORDERS = Schema(
    title="Order",
    entity="order",
    attributes=(Attribute(name="total", type=NUMBER),),
    children=(ITEMS, TAGS),
)


def test_a_schema_holds_child_tables_behind_its_record_table() -> None:
    assert ORDERS.children == ORDERS.tables[1:] == (ITEMS, TAGS)
    assert (ORDERS.entity, [item.name for item in ORDERS.attributes]) == ("order", ["total"])
    assert ORDERS.find_table("order_items") is ITEMS
    assert ORDERS.attribute("sku", "order_items") is ITEMS.attributes[0]
    assert Schema.model_validate_json(ORDERS.model_dump_json()) == ORDERS
    with pytest.raises(SchemaError, match="no table 'items'; there are: order, order_items"):
        ORDERS.find_table("items")


def test_child_tables_follow_another_name_of_the_record_table() -> None:
    own = ITEMS.model_copy(update={"entity": "lines"})
    renamed = ORDERS.model_copy(update={"children": (own, TAGS)}).model_copy(
        update={"entity": "purchase"}
    )
    assert [(item.parent, item.entity) for item in renamed.children] == [
        ("purchase", "lines"),
        ("purchase", "purchase_shipping_tags"),
    ]


def test_a_schema_file_keeps_child_tables() -> None:
    written = schema_to_json(ORDERS)
    assert schema_from_json(written) == ORDERS
    properties = written["properties"]
    assert isinstance(properties, dict)
    assert properties["shipping.tags"] == {
        "type": "array",
        "title": "tags",
        "x-table": "order_shipping_tags",
        "x-list": "shipping.tags",
        "items": {"type": "string", "description": "What it is about."},
    }


def test_a_column_and_a_list_of_one_name_are_both_kept() -> None:
    both = ORDERS.model_copy(update={"attributes": (Attribute(name="items", type=NUMBER),)})
    assert schema_from_json(schema_to_json(both)) == both


def test_a_list_that_a_person_wrote_is_a_child_table() -> None:
    line = {"type": "object", "properties": {"SKU": {"type": "string"}, "Qty": {"type": "integer"}}}
    schema = schema_from_json(
        {
            "title": "Order",
            "$defs": {"Line": line},
            "properties": {
                "total": {"type": "number"},
                "Line Items": {"type": "array", "items": {"$ref": "#/$defs/Line"}},
                "categories": {"type": ["array", "null"], "items": {"type": "string"}},
            },
        }
    )
    lines, categories = schema.children
    assert (lines.entity, lines.list_name, lines.of_values) == (
        "order_line_items",
        "Line Items",
        False,
    )
    assert [(item.name, str(item.type)) for item in lines.attributes] == [
        ("sku", "string"),
        ("qty", "integer"),
    ]
    assert (categories.entity, categories.of_values) == ("order_categories", True)
    assert [item.name for item in categories.attributes] == ["category"]


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (None, "attribute 'tags': a list needs `items`"),
        ({"type": "array", "items": {"type": "string"}}, "a list inside of a list"),
        (
            {"type": "object", "properties": {"a": {"type": "array", "items": {}}}},
            "'a' is a list inside of a list",
        ),
        ({"type": "object", "properties": {"position": {"type": "string"}}}, "is reserved"),
        ({"type": "object", "properties": {}}, "the list 'tags' has no columns"),
    ],
)
def test_a_list_that_no_table_can_hold_is_refused(items: object, message: str) -> None:
    tags = {"type": "array"} | ({} if items is None else {"items": items})
    with pytest.raises(SchemaError, match=message):
        schema_from_json({"properties": {"tags": tags, "n": {"type": "integer"}}})


def test_a_schema_of_lists_alone_still_has_records() -> None:
    schema = schema_from_json(
        {"properties": {"tags": {"type": "array", "items": {"type": "string"}}}}
    )
    assert (schema.attributes, [item.entity for item in schema.children]) == ((), ["record_tags"])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"parent": "boat"}, "the parent of a child table is the first"),
        ({"parent": ""}, "has a parent and the name of a list"),
        ({"entity": "order"}, "two tables are called 'order'"),
        ({"list_name": "shipping.tags"}, "two tables are called 'shipping.tags'"),
        ({"of_values": True}, "of plain values has one column"),
    ],
)
def test_a_child_table_that_cannot_be_built_is_refused(
    changed: dict[str, object], message: str
) -> None:
    child = ITEMS.model_dump() | changed
    with pytest.raises(ValidationError, match=message):
        Schema.model_validate({"title": "Order", "entity": "order", "children": (child, TAGS)})


def test_names_that_are_taken_get_a_prefix() -> None:
    assert child_name("order", "items") == "order_items"
    assert child_name("order", "items", ["order_items"]) == "corpus_order_items"
    assert child_name("order", "名前") == "order_list"
    assert [table_name(name) for name in ("cells", "srag_facts", "boats")] == [
        "corpus_cells",
        "corpus_srag_facts",
        "boats",
    ]


def test_the_column_of_plain_values_is_called_as_one_of_them() -> None:
    names = ("tags", "shipping.tags", "email addresses", "Position", "名前")
    assert list(map(value_column, names)) == ["tag", "tag", "email_address", "value", "value"]


def test_what_a_child_table_holds_counts_for_what_is_read() -> None:
    assert (
        len({hash_schema(ORDERS.model_copy(update={"children": x})) for x in ((), (ITEMS,))}) == 2
    )
