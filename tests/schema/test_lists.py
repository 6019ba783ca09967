"""Lists that are in no column: which questions are about them."""

import pytest

from srag_mcp.errors import QuestionError
from srag_mcp.grammar.translate import describe_tables, translate
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.json_schema import schema_from_json, schema_to_json
from srag_mcp.schema.schema import ListName, PendingList, Schema
from srag_mcp.store.values import ValueIndex
from srag_mcp.store.work import hash_schema
from srag_mcp.values.types import NUMBER

ORDERS = Schema(
    title="Orders",
    entity="orders",
    nouns=("order", "orders"),
    attributes=(Attribute(name="totals_items", type=NUMBER, synonyms=("items",)),),
    lists=(
        ListName(name="items", holds="objects", members=("sku", "quantity")),
        ListName(name="shipping.tags"),
    ),
)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("How many items were sold?", "items"),
        ("What is the total of the items?", "items"),
        ("Which order has the most tags?", "shipping.tags"),
        ("Which order is tagged express?", "shipping.tags"),
        ("What is the average of totals items?", None),
        ("How many orders are there?", None),
    ],
)
def test_a_question_that_names_a_list_is_about_it(question: str, named: str | None) -> None:
    asked = ORDERS.list_asked_for(question)

    assert (asked.name if asked else None) == named


def test_a_question_about_a_list_is_refused_without_a_model() -> None:
    with pytest.raises(QuestionError, match="“items” is a list of objects in the records"):
        translate("How many items were sold?", ORDERS, describe_tables(ORDERS, {}), ValueIndex(()))


def test_a_schema_file_keeps_lists() -> None:
    assert schema_from_json(schema_to_json(ORDERS)) == ORDERS


def test_a_schema_without_lists_has_the_hash_it_had_before_there_were_any() -> None:
    assert hash_schema(Schema(title="T")) == "6b8f8d553388387e"
    assert hash_schema(Schema(title="T", lists=(ListName(name="x"),))) == "4f9bdbb82b7e1f14"


PENDING = ORDERS.model_copy(
    update={
        "pending_lists": (
            PendingList(name="line items", description="What is sold.", fields=("sku", "price")),
            PendingList(name="remarks"),
        )
    }
)


def test_a_schema_file_keeps_pending_lists() -> None:
    written = schema_to_json(PENDING)
    assert written["x-pending-lists"] == [
        {"name": "line items", "description": "What is sold.", "fields": ["sku", "price"]},
        {"name": "remarks", "description": "", "fields": []},
    ]
    assert schema_from_json(written) == PENDING
    assert [str(item) for item in PENDING.pending_lists] == ["line items (sku, price)", "remarks"]


def test_no_document_is_read_again_for_a_pending_list() -> None:
    assert hash_schema(PENDING) == hash_schema(ORDERS)


def test_a_pending_list_is_not_asked_about() -> None:
    assert PENDING.list_asked_for("How many remarks are there?") is None
