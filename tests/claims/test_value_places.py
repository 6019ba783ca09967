"""Where a value that has no quote stands in its document."""

from datetime import date

import pytest

from srag_mcp.claims.claim import Bearing, check
from srag_mcp.claims.quotes import find_value, ground
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.spans import Span
from srag_mcp.values.types import Value


def place_of(kind: str, value: Value, text: str, name: str = "it") -> str | None:
    found = find_value(Attribute(name=name, type=kind), value, text)
    return None if found is None else found.of(text)


@pytest.mark.parametrize(
    ("kind", "value", "text", "words"),
    [
        ("number", 12345.0, "Total 12,345.00 EUR", "12,345.00 EUR"),
        ("number", 12345.0, "Total 12.345,00 EUR", "12.345,00 EUR"),
        ("number", 12345.0, "Total 12 345 EUR", "12 345 EUR"),
        ("number", 61.5, "a length of 61.50 m", "61.50 m"),
        ("integer", 340_000_000, "Sales of $340 million", "$340 million"),
        ("integer", 12, "It has twelve cabins", "twelve"),
        ("integer", 1899, "Opened on 4 May 1899.", "1899"),
        ("number", -1234.0, "Loss (1,234) in 2020", "1,234"),
        ("number", -5.0, "it was -5 degrees", "-5 degrees"),
        ("date", date(1899, 5, 4), "Opened on 4 May 1899.", "4 May 1899"),
        ("date", date(2021, 4, 3), "Issued 2021-04-03", "2021-04-03"),
        ("date", date(2021, 4, 3), "on 03/04/21", "03/04/21"),
        ("string", "The Crown", "Inn THE  CROWN", "THE  CROWN"),
    ],
)
def test_a_value_is_found_in_any_common_writing(
    kind: str, value: Value, text: str, words: str
) -> None:
    assert place_of(kind, value, text, "cabins_or_degrees") == words


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("integer", 340, "Sales of $340 million"),
        ("number", 1.58, "Discount -1.58"),
        ("integer", 7, "17 and 7.5"),
        ("integer", 2, "had 2 of the one and 2 of the other"),
        ("number", 39.474, "JALAN SS21/39,47400 PJ"),
        ("boolean", True, "true"),
        ("string", "male", "female"),
        ("date", date(2021, 4, 3), "April 2021"),
    ],
)
def test_what_may_be_something_else_needs_a_quote(kind: str, value: Value, text: str) -> None:
    assert place_of(kind, value, text) is None


def test_of_several_places_the_one_beside_the_name_is_meant() -> None:
    text = "Rooms: 2\nAdults: 2\n2 dogs"
    adults = Attribute(name="n_adults", type="integer")

    place = find_value(adults, 2, text)

    assert place is not None
    assert place.start == text.index("Adults: 2") + len("Adults: ")


def test_parts_of_an_address_that_are_run_together_are_no_number() -> None:
    text = "JALAN SS21/39,47400 PETALING JAYA"
    town = Attribute(name="town", type="string")

    assert ground("47400 PETALING JAYA", text, town) is not None
    assert ground("400 PETALING JAYA", text, town) is None


def test_an_amount_that_could_be_a_year_is_found_behind_its_label_alone() -> None:
    amount = Attribute(name="net_amount", type="number", unit="EUR")
    text = "Date: 2024-08-03\nNet amount: 1245\nPaid: yes"
    assert find_value(amount, 1245, text) == Span(29, 33)
    assert check(amount, "1245", 1245, text, Span(29, 33)).bearing is Bearing.QUOTED
    assert find_value(amount, 1998, "Net amount 1998: 1,245\nFounded: 1998") is None
