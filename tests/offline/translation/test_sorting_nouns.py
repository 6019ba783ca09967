"""`type`, `kind` and `sort`: a column of that name, a word without meaning, or what is missing."""

import pytest

from srag_mcp.errors import QuestionError
from srag_mcp.offline.translation.translator import translate
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.sqlfacts.query import Translation
from srag_mcp.store.statistics import ColumnStatistics
from srag_mcp.store.values import MemoryValueIndex


def ask(question: str, group: str) -> Translation:
    attributes = (
        Attribute(name="plant_name", type="string", description="Name of the plant."),
        Attribute(name=group, type="string", description="How it makes power."),
        Attribute(name="capacity", type="number", unit="MW", description="Power at most."),
    )
    schema = Schema(
        title="Plant", entity="plants", nouns=("plant", "plants"), attributes=attributes
    )
    different = {"plant_name": 9, group: 3}
    statistics = {
        item.name: ColumnStatistics(
            item.name, item.type, 9, 9, 9, 9, 0, 0, 0, different.get(item.name, 7)
        )
        for item in attributes
    }
    return translate(question, schema, statistics, MemoryValueIndex([]))


@pytest.mark.parametrize("noun", ["type", "kind", "sort"])
def test_a_column_of_that_name_groups(noun: str) -> None:
    assert "GROUP BY" in ask(f"What is the average capacity per {noun}?", noun).sql
    assert "GROUP BY" in ask(f"How many plants are there of each {noun}?", noun).sql


@pytest.mark.parametrize(
    "question",
    [
        "What is the average capacity per type?",
        "How many plants of each sort are there?",
        "What is the average capacity by kind?",
    ],
)
def test_without_one_it_is_missing(question: str) -> None:
    with pytest.raises(QuestionError, match="no column or known word for"):
        ask(question, "fuel")


def test_before_the_name_of_a_column_it_says_nothing() -> None:
    assert "GROUP BY fuel" in ask("What is the average capacity per type of fuel?", "fuel").sql
