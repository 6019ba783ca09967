"""What nouns ask for: which of two derivations, a month, a record and not its measure."""

import pytest

from srag_mcp.errors import QuestionError
from srag_mcp.offline.translation.translator import translate
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.sqlfacts.query import Translation
from srag_mcp.store.statistics import ColumnStatistics
from srag_mcp.store.values import MemoryValueIndex

_DIFFERENT = {"lighthouse_name": 9, "test_date": 8, "lead_tester": 3}
SCHEMA = Schema(
    title="Lighthouse test note",
    entity="lighthouses",
    nouns=("lighthouse", "lighthouses"),
    attributes=(
        Attribute(name="lighthouse_name", type="string", description="Name of the lighthouse."),
        Attribute(
            name="test_date", type="date", description="Day of the test.", synonyms=("date tested",)
        ),
        Attribute(name="lead_tester", type="string", description="Who led the test."),
        Attribute(name="upkeep_cost", type="number", unit="EUR", description="Cost of the upkeep."),
        Attribute(name="height", type="number", unit="m", description="Height of the tower."),
    ),
)


def ask(question: str) -> Translation:
    statistics = {
        item.name: ColumnStatistics(
            item.name, item.type, 9, 9, 9, 9, 0, 0, 0, _DIFFERENT.get(item.name, 7)
        )
        for item in SCHEMA.attributes
    }
    return translate(question, SCHEMA, statistics, MemoryValueIndex([]))


def test_of_two_derivations_of_a_stem_the_one_that_is_said_is_meant() -> None:
    assert ask("How many testers are there?").sql == (
        "SELECT COUNT(DISTINCT lead_tester) FROM lighthouses"
    )
    assert "GROUP BY lead_tester" in ask("Which tester has the highest average height?").sql
    assert "GROUP BY lead_tester" in ask("Which tester tested the fewest lighthouses?").sql


@pytest.mark.parametrize(
    ("question", "key"),
    [
        ("Which month had the most tests?", "STRFTIME(test_date, '%B %Y')"),
        ("Which year had the fewest tests?", "YEAR(test_date)"),
    ],
)
def test_the_most_of_what_a_date_is_of_counts_records(question: str, key: str) -> None:
    sql = ask(question).sql

    assert f"SELECT {key} FROM" in sql
    assert "ORDER BY COUNT(test_date)" in sql


def test_a_month_that_is_asked_for_is_put_out() -> None:
    sql = ask("Which month was the latest test?").sql

    assert sql.startswith("SELECT STRFTIME(test_date, '%B %Y') FROM lighthouses WHERE test_date = ")


@pytest.mark.parametrize(
    "question",
    ["Which lighthouses cost more than 900 for upkeep?", "Top 3 lighthouses by upkeep cost"],
)
def test_records_are_put_out_by_name_and_not_by_the_measure(question: str) -> None:
    assert ask(question).sql.startswith("SELECT lighthouse_name FROM lighthouses WHERE ")


def test_where_each_record_has_its_own_value_none_has_the_most_records() -> None:
    with pytest.raises(QuestionError, match="its own lighthouse_name"):
        ask("Which lighthouse name has the most records?")


def test_a_second_question_without_an_answer_is_not_dropped() -> None:
    with pytest.raises(QuestionError, match="“when”"):
        ask("Which lighthouse has the lowest upkeep cost and when was it tested?")


def test_a_refusal_says_of_a_known_word_that_it_has_no_place() -> None:
    with pytest.raises(QuestionError, match="“height” has no place") as refusal:
        ask("What is the average upkeep cost per metre of height?")
    assert "no column" not in str(refusal.value)
