"""What `not`, `no` and `without` ask: silence meets them only where silence means no or none."""

import pytest

from srag_mcp.errors import QuestionError
from srag_mcp.grammar.translate import translate
from srag_mcp.schema.attribute import AbsentMeans, Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.sqlfacts.query import Translation
from srag_mcp.store.statistics import ColumnStatistics, ValueCount
from srag_mcp.store.values import ValueIndex


def ask(question: str, *attributes: Attribute, n_zero: int = 0) -> Translation:
    """Ask about mills, of which six of eight say something in each column."""
    schema = Schema(title="Mill", entity="mills", nouns=("mill",), attributes=attributes)
    statistics = {
        item.name: ColumnStatistics(
            item.name, item.type, 8, 6, 6 - n_zero, 6, 0, 2, 0, 2,
            values=(ValueCount("brick", 3), ValueCount("wood", 3)) if item.categories else (),
        )
        for item in attributes
    }  # fmt: skip
    known = [("walls", "brick", 3), ("walls", "wood", 3)]
    return translate(question, schema, statistics, ValueIndex(known))


def number(name: str, absent: AbsentMeans, description: str = "") -> Attribute:
    return Attribute(name=name, type="integer", absent_means=absent, description=description)


WALLS = Attribute(name="walls", type="string", categories=("brick", "wood"))


@pytest.mark.parametrize(
    ("absent", "condition", "told"),
    [
        ("unknown", "NOT open_to_visitors", False),
        ("false", "NOT COALESCE(open_to_visitors, FALSE)", True),
    ],
)
def test_silence_is_a_no_only_where_the_column_says_so(
    absent: AbsentMeans, condition: str, *, told: bool
) -> None:
    column = Attribute(name="open_to_visitors", type="boolean", absent_means=absent)

    found = ask("How many mills are not open to visitors?", column)

    assert found.sql == f"SELECT COUNT(*) FROM mills WHERE {condition}"
    assert ("unknown counts as not" in found.restated) is told


def test_a_text_that_is_not_known_is_no_other_text() -> None:
    found = ask("How many mills are not of brick?", WALLS)

    assert found.sql == "SELECT COUNT(*) FROM mills WHERE walls <> 'brick'"
    assert found.restated == "number of records where walls is not 'brick'"


@pytest.mark.parametrize(
    ("column", "n_zero", "condition"),
    [
        (number("n_floods", "unknown"), 0, "n_floods = 0"),
        (number("floods", "unknown", "Number of floods on record."), 0, "floods = 0"),
        (number("floods", "unknown"), 1, "floods = 0"),
        (number("floods", "unknown"), 0, "floods IS NULL"),
        (number("floods", "zero"), 1, "(floods IS NULL OR floods = 0)"),
    ],
)
def test_a_mill_that_says_nothing_of_floods_is_none_without(
    column: Attribute, n_zero: int, condition: str
) -> None:
    found = ask("How many mills have no floods?", column, n_zero=n_zero)

    assert found.sql == f"SELECT COUNT(*) FROM mills WHERE {condition}"


def test_groups_without_a_record_are_not_those_of_the_other_records() -> None:
    owner = Attribute(name="owner", type="string")
    weir = Attribute(name="weir", type="boolean")

    with pytest.raises(QuestionError, match="“no” has no place"):
        ask("Which owner has no mill with a weir?", owner, weir)
