"""Folding: which marks make another value."""

import pytest

from srag_mcp.text.words import fold


@pytest.mark.parametrize(
    ("one", "other"), [("A", "A-"), ("O+", "O−"), ("O", "O-"), ("<65", ">65"), ("≥ 3", "3")]
)
def test_marks_that_make_another_value_stay(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@pytest.mark.parametrize(
    ("one", "other"), [("BB -", "bb−"), ("Inn-", "Inn -"), ("Hotel-", "hotel")]
)
def test_other_marks_do_not(one: str, other: str) -> None:
    assert fold(one) == fold(other)
