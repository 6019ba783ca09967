"""Which readings leave open what was meant, so that a second reader is asked."""

from dataclasses import replace

import pytest

from srag_mcp.offline.translation.certainty import is_certain
from srag_mcp.offline.translation.translator import translate
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.sqlfacts.query import Translation
from srag_mcp.store.statistics import ColumnStatistics, ValueCount
from srag_mcp.store.values import MemoryValueIndex

SCHEMA = Schema(
    title="Lighthouse test note",
    entity="lighthouses",
    nouns=("lighthouse", "lighthouses"),
    attributes=(
        Attribute(name="lighthouse_name", type="string"),
        Attribute(name="coast", type="string"),
        Attribute(name="test_date", type="date"),
        Attribute(name="height", type="number", unit="m"),
        Attribute(name="automatic", type="boolean"),
        Attribute(name="foghorn", type="boolean", absent_means="false"),
    ),
)
_GAPS = {"automatic", "height"}


def ask(question: str) -> Translation:
    statistics = {
        item.name: ColumnStatistics(
            item.name, item.type, 9, known := 6 if item.name in _GAPS else 9, known, known,
            0, 9 - known, 0, 3 if item.name == "coast" else 8,
            values=(ValueCount("north", 5), ValueCount("south", 4)) if item.name == "coast" else (),
        )
        for item in SCHEMA.attributes
    }  # fmt: skip
    values = MemoryValueIndex([("coast", "north", 5), ("coast", "south", 4)])
    return translate(question, SCHEMA, statistics, values)


@pytest.mark.parametrize(
    ("sure", "open_question"),
    [
        ("How many lighthouses are automatic?", "How many lighthouses are not automatic?"),
        ("How many lighthouses have no foghorn?", "How many lighthouses have no height?"),
        ("How many lighthouses do not state the height?", "How many lighthouses lack a height?"),
        (
            "Which coast has the fewest lighthouses?",
            "Which coast has the fewest lighthouses with a foghorn?",
        ),
        (
            "What percentage of the lighthouses is in the north?",
            "What percentage of the lighthouses is automatic?",
        ),
        ("Which month was the latest test?", "Which month was the highest lighthouse tested in?"),
        (
            "Which lighthouse name has a height above 9?",
            "Which lighthouses on the north coast are above 9 in height by coast?",
        ),
    ],
)
def test_a_reading_that_rests_on_a_choice_is_unsettled(sure: str, open_question: str) -> None:
    assert not ask(sure).unsettled
    assert ask(open_question).unsettled


def test_an_unsettled_reading_is_not_certain_though_each_word_has_its_place() -> None:
    translation = ask("How many lighthouses are not automatic?")

    assert not is_certain(translation, SCHEMA)
    assert is_certain(replace(translation, unsettled=False), SCHEMA)
