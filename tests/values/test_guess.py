"""The type of a set of values, before there is an attribute."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.values.guess import TypeGuess, classify_values


@pytest.mark.parametrize(
    ("values", "guess"),
    [
        (["12", "14", "n/a"], TypeGuess("integer", None, 1.0, None)),
        (["12.5", "3"], TypeGuess("number", None, 1.0, None)),
        (["€5", "€7.50", "free"], TypeGuess("number", "EUR", 1.0, None)),
        (["2019", "2020"], TypeGuess("integer", None, 1.0, None)),
        (["22,268", "22.268", "1,234"], TypeGuess("integer", None, 1.0, None)),
        (["600 m", "1.2 km", "3 km"], TypeGuess("number", "km", 1.0, None)),
        (["12 patients", "14 patients"], TypeGuess("integer", None, 1.0, None)),
        (["6.72/10 (917 reviews)", "8/10 (3 reviews)"], TypeGuess("number", None, 1.0, None)),
        (["25/12/2018", "3/4/2018"], TypeGuess("date", None, 1.0, None)),
        (["Monday, March 5, 2004 10:30"], TypeGuess("date", None, 1.0, None)),
        (["yes", "no", "yes"], TypeGuess("boolean", None, 1.0, None)),
        (["0", "1", "1"], TypeGuess("integer", None, 1.0, None)),
        (["12 Main Street", "14 Oak Avenue"], TypeGuess("string", None, 1.0, None)),
        (["March 2020", "April 2020"], TypeGuess("string", None, 1.0, None)),
        (["00123", "00456"], TypeGuess("string", None, 1.0, None)),
        (["+60 12-345 6789", "03-2287 4114"], TypeGuess("string", None, 1.0, None)),
        (["A", "b", "a", "B", "a", "b", "a", "b"], TypeGuess("string", None, 1.0, ("a", "b"))),
        (["n/a", ""], TypeGuess("string", None, 0.0, None)),
        ([], TypeGuess("string", None, 0.0, None)),
    ],
)
def test_the_narrowest_type_that_most_values_have(values: list[str], guess: TypeGuess) -> None:
    assert classify_values(values) == guess


def test_the_share_counts_the_values_that_fit() -> None:
    assert classify_values(["1", "2", "3", "many"]).share == 0.75


@given(st.lists(st.text(max_size=20), max_size=6))
def test_any_values_have_a_type(values: list[str]) -> None:
    assert 0 <= classify_values(values).share <= 1
