"""Words that turn what a question asks: which it ranks, how many times, both, and names."""

import pytest

from srag_mcp.errors import QuestionError
from srag_mcp.grammar.translate import describe_tables, translate
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.store.statistics import ColumnStatistics
from srag_mcp.store.values import ValueIndex
from tests.grammar.conftest import Row, World, build_world

STATES, USES = ("finished", "open"), ("spring", "well", "spring, well", "spring / ditch", "ditch")
SCHEMA = Schema(
    title="Pumps",
    entity="pumps",
    nouns=("pump", "pumps"),
    attributes=(
        Attribute(name="name", type="string"),
        Attribute(name="stage", type="integer"),
        Attribute(name="state", type="string"),
        Attribute(name="feeds", type="string"),
        Attribute(name="valves", type="integer"),
        Attribute(name="bought_year", type="integer"),
    ),
)


@pytest.fixture(scope="module")
def pumps() -> World:
    rows: list[Row] = [
        (f"P{at:02}", 1 + at * at % 4, STATES[at % 3 // 2], USES[at % 5], at % 7, 1990 + at % 9)
        for at in range(30)
    ]
    return build_world(SCHEMA, rows)


@pytest.mark.parametrize(
    "question",
    [
        "Which stage has the highest number of open pumps?",
        "Which valves have the most finished pumps?",
        "How many times more pumps are finished than open?",
        "How many times higher is the average of valves of finished than of open pumps?",
        "How many pumps are both finished and open?",
        "How many pumps feed from spring and well?",
    ],
)
def test_what_has_no_reading_for_each_of_its_words_is_refused(pumps: World, question: str) -> None:
    with pytest.raises(QuestionError):
        pumps.ask(question)


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("What is the highest stage?", [(2,)]),
        ("Which stage has the most pumps?", [(1,), (2,)]),
        ("Which stage has the most valves?", [(2,)]),
        ("Which stage has the most finished pumps?", [(1,), (2,)]),
        ("Which stage has the most of the finished pumps?", [(1,), (2,)]),
        ("How many more pumps are finished than open?", [(10,)]),
        ("How many pumps have feeds spring or well?", [(24,)]),
        ("How many pumps have feeds both spring and well?", [(6,)]),
        ("How many pumps are finished or open?", [(30,)]),
    ],
)
def test_what_has_one_is_answered(
    pumps: World, question: str, wanted: list[tuple[object, ...]]
) -> None:
    assert pumps.rows(pumps.ask(question).sql) == wanted


def test_a_word_that_names_a_column_says_of_no_other_that_it_is_missing() -> None:
    names = ("name", "crew", "blank_pages")
    columns = [Attribute(name=x, type="integer" if x != "name" else "string") for x in names]
    schema = Schema(title="Logs", entity="logs", nouns=("log", "logs"), attributes=tuple(columns))
    statistics = {
        x.name: ColumnStatistics(x.name, x.type, 40, 30, 30, 30, 0, 10, 0, 7) for x in columns
    }
    for question, sql in (
        ("How many logs have an unknown crew?", "SELECT COUNT(*) FROM logs WHERE crew IS NULL"),
        ("How many logs have a blank crew?", None),
    ):
        found = None
        try:
            found = translate(
                question, schema, describe_tables(schema, statistics), ValueIndex([])
            ).sql
        except QuestionError as refused:
            assert "“blank”" in str(refused)
        assert found == sql
