"""No word that a column is called by is dropped, and no year stands for how old something is."""

import pytest

from srag_mcp.errors import QuestionError
from srag_mcp.grammar.filters import ASSUMED
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from tests.grammar.conftest import Row, World, build_world


def _world(entity: str, columns: dict[str, str], rows: list[Row]) -> World:
    attributes = tuple(Attribute(name=name, type=type_) for name, type_ in columns.items())
    nouns = (entity.removesuffix("s"), entity)
    schema = Schema(title=entity.title(), entity=entity, nouns=nouns, attributes=attributes)
    return build_world(schema, rows, f"{entity}.csv#{{}}")


@pytest.fixture(scope="module")
def boats() -> World:
    columns = {"boat": "string", "harbour": "string", "listing": "string", "record": "string"}
    return _world("boats", {**columns, "crew": "integer"}, [
        ("Ada", "Hull", "A1", "r12", 4), ("Bea", "Hull", None, None, 5),
        ("Cat", "Goole", "A2", "r15", 6), ("Dot", "Goole", None, None, 7),
        ("Eve", "Hull", None, "r11", 8),
    ])  # fmt: skip


@pytest.fixture(scope="module")
def members() -> World:
    columns = {"member": "string", "born": "integer", "fee": "integer"}
    return _world("members", columns, [
        ("Ann", 1850, 12), ("Bob", 1860, 20), ("Cy", 1870, 5), ("Dee", 1880, 9)
    ])  # fmt: skip


@pytest.mark.parametrize(
    "question",
    [
        "How many boats are listed?",
        "How many boats are listed in Hull?",
        "How many boats are recorded?",
        "How many boats are recorded in Hull?",
    ],
)
def test_a_verb_akin_to_a_column_that_some_records_lack_is_not_dropped(
    boats: World, question: str
) -> None:
    with pytest.raises(QuestionError):
        boats.ask(question)


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("How many boats have a record?", 3),
        ("How many boats have a listing?", 2),
        ("How many boats are found in Hull?", 3),
        ("How many records are there?", 5),
    ],
)
def test_what_boats_have_is_no_record_of_them(boats: World, question: str, count: int) -> None:
    assert boats.rows(boats.ask(question).sql) == [(count,)]


@pytest.mark.parametrize(
    "question",
    [
        "How old was Ann?",
        "How old were the members on average?",
        "How old are the members born in 1850 on average?",
        "How many members are older than 50?",
    ],
)
def test_how_old_is_not_answered_by_a_year(members: World, question: str) -> None:
    with pytest.raises(QuestionError):
        members.ask(question)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which member is the oldest?", [("Ann",)]),
        ("How many members are older than 1865?", [(2,)]),
        ("How much older is Ann than Bob?", [(10,)]),
    ],
)
def test_years_tell_who_is_older(members: World, question: str, rows: list[Row]) -> None:
    assert members.rows(members.ask(question).sql) == rows


@pytest.mark.parametrize("question", ["How many sweeps per month?", "How many sweeps in March?"])
def test_groups_by_time_say_which_date_is_meant_as_periods_do(question: str) -> None:
    columns = {"street": "string", "date": "date", "visited": "date"}
    rows: list[Row] = [("Elm", "2024-03-01", "2024-02-27"), ("Oak", "2024-04-02", "2024-03-30")]
    found = _world("sweeps", columns, rows).ask(question)
    assert found.assumed == (ASSUMED["date_assumed"],)


@pytest.mark.parametrize("end", ["most", "fewest"])
def test_most_of_what_a_name_returns_with_has_the_single_rows_beside_the_sums(end: str) -> None:
    columns = {"shop": "string", "cake": "string", "calories": "integer"}
    cakes = _world("recipes", columns, [
        ("A", "lemon", 300), ("B", "lemon", 310), ("C", "lemon", 290),
        ("A", "choc", 550), ("B", "plum", 400), ("C", "plum", 410),
    ])  # fmt: skip
    found = cakes.ask(f"Which cake has the {end} calories?")
    rows = [cakes.rows(sql) for sql in (found.sql, *found.rivals)]
    sums = ["lemon", "choc"]
    assert [[*map(tuple, x)] for x in rows] == [[(x,)] for x in sums[:: 1 if end == "most" else -1]]


@pytest.mark.parametrize("question", ["List the people born in Oban", "List the team born in Wick"])
def test_a_deed_behind_a_thing_is_not_what_is_listed(question: str) -> None:
    columns = {"name": "string", "born": "integer", "home": "string"}
    rows: list[Row] = [("Ann", 1850, "Wick"), ("Bob", 1860, "Oban"), ("Dee", 1880, "Oban")]
    with pytest.raises(QuestionError):
        _world("teams", columns, rows).ask(question)


def test_how_many_were_sold_is_answered_in_pieces_where_rows_stand_for_several() -> None:
    columns = {"seller": "string", "town": "string", "sold": "integer"}
    rows: list[Row] = [("Ann", "Hull", 4), ("Bob", "York", 5), ("Cy", "Hull", 6)]
    sales = _world("sales", columns, rows)
    assert sales.rows(sales.ask("How many were sold in Hull?").sql) == [(10,)]
