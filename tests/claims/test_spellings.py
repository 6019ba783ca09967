import pytest

from srag_mcp.schema.attribute import Attribute
from tests.claims.columns import reasons

TOWN = Attribute(name="town", type="string")


@pytest.mark.parametrize(
    ("one", "other"),
    [("Köln", "Koeln"), ("Straße", "Strasse"), ("Århus", "Aarhus"), ("Ærø", "Aeroe")],
)
def test_a_letter_that_is_written_out_is_found_at_any_count(one: str, other: str) -> None:
    towns = [one, other, "Bern", "Bern", "Basel", "Basel"]
    found = reasons(TOWN, [(town, town) for town in towns])
    assert list(found) == ["d1"], "of equally frequent ones that with the rarer letter stays"
    assert found["d1"] == f"1 documents have “{one}”: is this the same value?"
    several = [(town, town) for town in [other, other, one]]
    assert reasons(TOWN, several) == {"d2": f"2 documents have “{other}”: is this the same value?"}


def test_it_is_found_in_a_column_of_names_too() -> None:
    names = ["Anna Müller", "Bo Lund", "Carl Ek", "Anna Mueller", "Dora Stein", "Eva Noll"]
    found = reasons(TOWN, [(name, name) for name in names])
    assert found == {"d3": "1 documents have “Anna Müller”: is this the same value?"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("São Paulo", "Sao Paulo"),
        ("Peña", "Pena"),
        ("M. Okafor", "Okafor, M."),
    ],
)
def test_accents_and_the_order_of_a_name_make_no_other_value(one: str, other: str) -> None:
    towns = [one, one, one, other, "Bern", "Basel", "Genf", "Chur"]
    found = reasons(TOWN, [(town, town) for town in towns])
    assert found == {"d3": f"3 documents have “{one}”: is this the same value?"}


def test_a_place_within_another_is_no_name_in_another_order() -> None:
    towns = ["Paris, Texas", "Paris", "Texas", "Rome, Italy", "Bari, Italy, EU"]
    assert reasons(TOWN, [(town, town) for town in towns]) == {}


def test_long_words_are_suspected_once() -> None:
    names = ["Universität"] * 2 + ["Universitaet"] * 2 + ["School"] * 2
    assert list(reasons(TOWN, [(name, name) for name in names])) == ["d2", "d3"]


@pytest.mark.parametrize(("one", "other"), [("Poet", "Pot"), ("Kiel", "Kehl")])
def test_words_that_differ_by_a_plain_letter_are_two(one: str, other: str) -> None:
    towns = [one] * 2 + [other] * 2 + ["Bern"] * 2
    assert reasons(TOWN, [(town, town) for town in towns]) == {}
