"""What `how many` counts: records, or what a number column counts; never the height of a thing."""

import pytest

from srag_mcp.errors import QuestionError
from srag_mcp.offline.translation.counted_nouns import is_count_of
from srag_mcp.offline.translation.profiles import describe_table
from srag_mcp.offline.translation.translator import translate
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.store.statistics import ColumnStatistics
from srag_mcp.store.values import MemoryValueIndex


def schema(*attributes: Attribute, noun: str = "") -> Schema:
    """Columns of a table called `c1`; without *noun* nothing says what a record is."""
    return Schema(title="C1", entity="c1", nouns=(noun,) if noun else (), attributes=attributes)


def sql(question: str, asked: Schema) -> str:
    statistics = {
        item.name: ColumnStatistics(item.name, item.type, 8, 8, 8, 8, 0, 0, 0, 8)
        for item in asked.attributes
    }
    return translate(question, asked, statistics, MemoryValueIndex([])).sql


HEIGHT = Attribute(name="station_high", type="integer", unit="m")
WORDED = Attribute(
    name="high",
    type="integer",
    description='The number beside the words "high", as in "The station stands 550 metres high".',
)


def test_records_are_counted_where_a_column_only_belongs_to_the_noun() -> None:
    asked = schema(Attribute(name="town", type="string"), HEIGHT)

    assert sql("How many stations are there?", asked) == "SELECT COUNT(*) FROM c1"


def test_a_noun_that_only_a_sentence_has_is_not_taken_for_the_record() -> None:
    with pytest.raises(QuestionError, match="“stations”"):
        sql("How many stations are there?", schema(WORDED))


@pytest.mark.parametrize("type_", ["integer", "boolean"])
def test_where_records_have_another_name_the_noun_has_no_place(type_: str) -> None:
    nearby = Attribute(name="station_shop", type=type_)

    with pytest.raises(QuestionError, match="“stations”"):
        sql("How many stations are there?", schema(nearby, HEIGHT, noun="visits"))


@pytest.mark.parametrize(
    ("column", "question"),
    [
        (Attribute(name="n_stations", type="integer"), "How many stations are there?"),
        (Attribute(name="stations_closed", type="integer"), "How many stations are there?"),
        (Attribute(name="closed_stations", type="integer"), "How many stations are there?"),
        (HEIGHT, "How many metres are there?"),
        (
            Attribute(name="size", type="integer", description="Number of stations on the line."),
            "How many stations are there?",
        ),
    ],
)
def test_a_column_that_counts_the_noun_is_summed(column: Attribute, question: str) -> None:
    assert sql(question, schema(column)) == f"SELECT SUM({column.name}) FROM c1"


@pytest.mark.parametrize(
    ("name", "unit", "said", "counts"),
    [
        ("stations", None, "station", True),
        ("tickets_sold", None, "ticket", True),
        ("injured_people", None, "person", True),
        ("number_of_stations", None, "station", True),
        ("capacity", "seats", "seat", True),
        ("station_height", None, "station", False),
        ("cost_of_stations", None, "station", False),
        ("station_cost", "EUR", "station", False),
        ("closed_stations", "km", "station", False),
    ],
)
def test_the_head_of_a_name_says_what_it_counts(
    name: str, unit: str | None, said: str, *, counts: bool
) -> None:
    table = describe_table(schema(Attribute(name=name, type="integer", unit=unit)), {})

    assert is_count_of(table.columns[0], frozenset([said])) is counts
