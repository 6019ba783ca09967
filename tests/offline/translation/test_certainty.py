import pytest

from srag_mcp.offline.translation.certainty import is_certain
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.sqlfacts.query import BoundLiteral, Translation, read_query

SCHEMA = Schema(
    title="Receipt",
    entity="receipts",
    nouns=("receipt", "receipts"),
    attributes=(
        Attribute(name="merchant", type="string", synonyms=("shop",)),
        Attribute(name="total_amount", type="number", unit="MYR"),
        Attribute(name="states_above_incidence_count", type="integer"),
        Attribute(name="has_pool", type="boolean"),
    ),
)


@pytest.mark.parametrize(
    ("question", "columns", "value", "certain"),
    [
        ("What is the average total amount?", ["total_amount"], "", True),
        ("How many receipts are from Sanyu?", ["merchant"], "Sanyu", True),
        ("How many people does Sanyu employ?", ["merchant"], "Sanyu", False),
        ("What is the median incidence?", ["states_above_incidence_count"], "", False),
        ("Which shop has the highest total?", ["merchant", "total_amount"], "", False),
        ("Which shop has the highest total amount?", ["merchant", "total_amount"], "", True),
        ("How many receipts have a pool?", ["has_pool"], "", True),
        ("How many receipts are there?", [], "", True),
        ("How many new cases were announced?", [], "", False),
    ],
)
def test_a_reading_is_certain_when_no_word_is_left_over(
    question: str, columns: list[str], value: str, *, certain: bool
) -> None:
    translation = Translation(
        question=question,
        restated="",
        facts=read_query(f"SELECT {', '.join(columns) or 1} FROM {SCHEMA.entity}", SCHEMA),
        literals=(BoundLiteral(value, "merchant", value),) if value else (),
    )
    assert is_certain(translation, SCHEMA) is certain
