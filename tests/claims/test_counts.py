"""Which figures speak against a count: those of the things that the column counts."""

import pytest

from srag_mcp.claims.claim import Bearing, check
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.spans import Span

ITEMS = Attribute(name="line_item_count", type="integer")
PARTIES = Attribute(name="parties", type="integer", description="Number of parties.")
ROOMS = Attribute(name="n_rooms", type="integer", synonyms=("Cabins",))
YEAR = Attribute(name="opened", type="integer", description="The year that it opened in.")


@pytest.mark.parametrize(
    ("attribute", "quote", "value"),
    [
        (ROOMS, "Rooms: 25", 24),
        (ROOMS, "Room: 25", 24),
        (ROOMS, "| Rooms | 25 |", 24),
        (ROOMS, "Number of rooms 25", 24),
        (ROOMS, "25 rooms", 24),
        (ROOMS, "a house of three rooms", 4),
        (ROOMS, "Cabins 25", 24),
        (ROOMS, "25", 24),
        (ROOMS, "(25)", 24),
        (ITEMS, "Item count 3", 4),
        (PARTIES, "between the 3 parties", 2),
        (YEAR, "opened in 1984", 1948),
        (YEAR, "1984", 1948),
    ],
)
def test_a_figure_beside_the_thing_speaks_against_another_count(
    attribute: Attribute, quote: str, value: int
) -> None:
    assert check(attribute, quote, value, quote).bearing is Bearing.CONTRADICTED


@pytest.mark.parametrize(
    ("attribute", "quote", "value"),
    [
        (ITEMS, "9556939040116 KF MODELLING CLAY", 1),
        (ITEMS, "Item 3", 1),
        (ITEMS, "Count of heads: 3", 1),
        (PARTIES, "either party on not less than 60 days' notice", 2),
        (ROOMS, "Room 12", 3),
        (ROOMS, "Rooms. 12 Harbour Road", 3),
        (ROOMS, "12 Harbour Road", 3),
        (ROOMS, "Opened in 1984", 3),
    ],
)
def test_a_figure_beside_something_else_says_nothing_of_a_count(
    attribute: Attribute, quote: str, value: int
) -> None:
    assert check(attribute, quote, value, quote).bearing is Bearing.UNSHOWN


@pytest.mark.parametrize(
    ("text", "bearing"),
    [
        ("The Crown\nRooms: 25", Bearing.CONTRADICTED),
        ("The Crown\nNumber of rooms\n25\nYork", Bearing.CONTRADICTED),
        ("The Crown\nRooms:\n25\nBlue", Bearing.UNSHOWN),
        ("The Crown\nNumber of rooms\n25 Blue", Bearing.UNSHOWN),
        ("The Crown\n25 rooms", Bearing.CONTRADICTED),
        ("The Crown\n25\nYork", Bearing.UNSHOWN),
        ("The Crown\n25 Harbour Road", Bearing.UNSHOWN),
    ],
)
def test_a_figure_alone_is_read_on_its_line_or_below_what_says_a_count(
    text: str, bearing: Bearing
) -> None:
    start = text.index("25")
    assert check(ROOMS, "25", 24, text, Span(start, start + 2)).bearing is bearing
