"""Answers about tables, compared after the rules of WikiTableQuestions."""

import pytest

from srag_mcp.evaluation.matching import is_right_of_table
from srag_mcp.store.guard import Value


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["Wolfe Tones"], ("wolfe tones",)),
        (["Zürich"], ("Zurich",)),
        (["“Piaf!” (2012)[3]"], ('"Piaf!"',)),
        (["Sweden.", "Sweden"], ("Sweden",)),
        ([3], ("3",)),
        ([3.0], ("3",)),
        ([1234], ("1,234",)),
        ([33], ("33 years",)),
        ([40], ("40 knots",)),
        ([12], ("12 points",)),
        ([True], ("yes",)),
        ([False], ("No",)),
        (["2010-03-05"], ("5 March 2010",)),
        (["b", "a"], ("a", "b")),
        (["2001–02"], ("2001-02",)),
    ],
)
def test_right_answers(values: list[Value], expected: tuple[str, ...]) -> None:
    assert is_right_of_table(values, expected)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], ("a",)),
        ([None], ("a",)),
        (["a", "b"], ("a",)),
        (["a"], ("a", "b")),
        ([3], ("4",)),
        (["New York City"], ("New York",)),
        (["2010-03-05"], ("March 2010",)),
        ([33], ("33 goals",)),
        (["40 km"], ("40 knots",)),
        ([True], ("no",)),
    ],
)
def test_wrong_answers(values: list[Value], expected: tuple[str, ...]) -> None:
    assert not is_right_of_table(values, expected)
