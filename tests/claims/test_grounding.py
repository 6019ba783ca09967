import pytest

from srag_mcp.claims.quotes import LONGEST_QUOTE, ground
from srag_mcp.schema.attribute import Attribute


@pytest.mark.parametrize(
    ("quote", "text", "start"),
    [
        ("7", "Room 17, in 2017", None),
        ("7", "Room 17 has 7 beds", 12),
        ("1,200", "Beds: 1,2002 in all", 6),
        ("7 beds", "17 beds", None),
        ("17 beds", "A17 beds", 1),
        ("５", "１５ rooms", None),
    ],
)
def test_the_end_of_a_longer_number_is_no_quote(quote: str, text: str, start: int | None) -> None:
    place = ground(quote, text, Attribute(name="beds", type="integer"))
    assert (None if place is None else place.start) == start


@pytest.mark.parametrize(
    ("quote", "text", "start"),
    [
        ("male", "Sex: female", None),
        ("MALE", "SEX: FEMALE", None),
        ("male", "female or male", 10),
        ("Male", "female or male", 10),
        ("available", "Pool: unavailable", None),
        ("no", "It faces north.", None),
        ("hotel", "two hotels", 4),
        ("T", "The Crown", None),
        ("he", "The Crown", None),
        ("Köln", "NameKöln", 4),
        ("RM12.00", "TOTALRM12.00", None),
        ("12", "12.5 km", None),
        ("5", "12.5 km", None),
        ("12", "12,500 rooms", None),
        ("500", "12,500 rooms", None),
        ("2020", "on 12.05.2020", 9),
        ("12", "Rooms: 12.", 7),
        ("男", "性別男性", 2),
        ("القاهرة", "بالقاهرة", 1),
    ],
)
def test_a_part_that_says_something_else_is_no_quote(
    quote: str, text: str, start: int | None
) -> None:
    place = ground(quote, text, Attribute(name="it", type="string"))
    assert (None if place is None else place.start) == start


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("The hotel has a pool", "The hotel has no pool."),
        ("Parking is available here", "Parking is not available here."),
        ("There are 12 rooms in all", "There are 13 rooms in all."),
        ("between Alpha GmbH and Beta AG", "between Alpha GmbH and Zeta AG."),
        ("The use of the roof is legal", "The use of the roof is illegal."),
        ("agreement of the parties", "agreernent of the parties"),
        ("The hotel ... a pool", "The hotel has a pool."),
    ],
)
def test_a_quote_is_words_of_the_document_as_they_stand_there(quote: str, text: str) -> None:
    attribute = Attribute(name="it", type="boolean")
    assert ground(quote, text, attribute) is None
    assert ground(text.upper(), text, attribute) is not None


@pytest.mark.parametrize("quote", ["", ".", " : ", "…", '"', "." * 50, "a … z", "The … l"])
def test_marks_and_single_letters_are_no_quote(quote: str) -> None:
    text = "The end: of a long text. It says little, and nothing of interest at all." * 40
    assert ground(quote, text, Attribute(name="it", type="string")) is None


def test_signs_that_say_something_are_a_quote() -> None:
    for quote in ("✓", "★★★", "–", "+", "€€"):
        assert ground(quote, f"Rating: {quote}", Attribute(name="it", type="string")) is not None


@pytest.mark.parametrize(
    "quote",
    [
        "e",
        "x" * 10**6,
        "a" + " " * 10**6 + "b",
        "…" * 10**6,
        "7" * 10**6,
        "a " * (LONGEST_QUOTE // 2),
    ],
)
def test_an_endless_quote_or_text_takes_no_time(quote: str) -> None:
    ground(quote, "e" * 10**6, Attribute(name="it", type="string"))
    ground(quote, "1,2 a" * 200_000, Attribute(name="it", type="string"))
