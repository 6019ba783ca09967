"""What the results of a question are called: the engine would take all of an expression."""

from collections.abc import Mapping

import pytest

from srag_mcp.offline.translation.expressions import TreeBuilder
from srag_mcp.offline.translation.profiles import describe_table
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from tests.offline.translation.test_translation import World


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What share of the products is from Kordt?", "percentage"),
        ("What is the difference between the highest and the lowest price?", "difference"),
        ("Is there a product from Kordt?", "is_so"),
        ("Is the average price of Kordt products above 5 EUR?", "is_so"),
    ],
)
def test_what_is_computed_has_a_short_name(
    worlds: Mapping[str, World], question: str, name: str
) -> None:
    sql = worlds["products"].ask(question).sql
    assert f" AS {name}" in sql


def test_a_name_is_none_of_a_column() -> None:
    column = Attribute(name="ratio", type="number", description="A ratio.")
    table = describe_table(Schema(title="Alloy", entity="alloys", attributes=(column,)), {})
    trees = TreeBuilder(table)
    named = trees.named(trees.literal(1), "ratio")
    assert named.sql("duckdb") == "1 AS the_ratio"
