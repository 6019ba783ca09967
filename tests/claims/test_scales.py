"""Scales that a quote, the words around it and a column's definition speak of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.claims.figures import ignored_scale, scales_of, stated_scales
from srag_mcp.schema.attribute import Attribute


@pytest.mark.parametrize(
    ("quote", "value", "unit", "words"),
    [
        ("15 thousand tonnes", 15, "t", "15 thousand tonnes"),
        ("15 thousand tonnes", 15_000, "t", ""),
        ("15 thousand tonnes", 15, "thousand t", ""),
        ("$3.2M", 3.2, "USD", "$3.2M"),
        ("15 tonnes", 15, "t", ""),
        ("none", 0, "t", ""),
    ],
)
def test_a_value_that_leaves_out_a_scale_is_told(
    quote: str, value: float, unit: str, words: str
) -> None:
    attribute = Attribute(name="size", type="number", unit=unit)
    assert ignored_scale(attribute, quote, value) == words


@given(st.integers(1, 9999), st.sampled_from([("thousand", 1e3), ("Mio.", 1e6), ("billion", 1e9)]))
def test_only_the_number_without_its_scale_leaves_it_out(
    number: int, scale: tuple[str, float]
) -> None:
    quote, plain = f"sold {number} {scale[0]} units", Attribute(name="size", type="number")
    assert ignored_scale(plain, quote, number)
    assert not ignored_scale(plain, quote, number * scale[1])
    assert not ignored_scale(plain.model_copy(update={"unit": scale[0]}), quote, number)


@pytest.mark.parametrize(
    ("unit", "description", "scales"),
    [
        ("million USD", "Revenue of the year.", {1.0, 1e6}),
        (None, "Revenue in thousands.", {1.0, 1e3}),
        (None, "TEUR", {1.0, 1e3}),
        ("km", "Its length.", {1.0}),
    ],
)
def test_a_definition_speaks_of_scales_by_its_unit_and_words(
    unit: str | None, description: str, scales: set[float]
) -> None:
    attribute = Attribute(name="size", type="number", unit=unit, description=description)
    assert scales_of(attribute) == scales


def test_captions_and_words_near_a_quote_speak_of_scales() -> None:
    text = "Figures (in millions)\n\nRevenue 12.5\n" + "x\n" * 300 + "three thousand"
    assert stated_scales("12.5", text) == {1.0, 1e6}
    assert stated_scales("no such words", "a\nb") == {1.0}
