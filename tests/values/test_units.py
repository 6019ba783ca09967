"""One table of units: words for them, sizes, and what may stand for several."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.values.quantities import find_quantities
from srag_mcp.values.units import (
    AMBIGUOUS_CURRENCIES,
    CURRENCY_CODES,
    CURRENCY_SYMBOLS,
    CURRENCY_WORDS,
    SCALES,
    SIZES,
    UNITS,
    ScaledUnit,
    conversions_between,
    convert,
    parse_unit,
    read_context,
    unit_of,
    units_in,
)

_UNITS = sorted(SIZES)


@given(
    st.sampled_from(_UNITS),
    st.sampled_from(_UNITS),
    st.floats(min_value=-1e6, max_value=1e6, allow_subnormal=False),
)
def test_what_is_carried_there_and_back_is_the_same(one: str, other: str, value: float) -> None:
    there = convert(value, one, other)
    assert (there is not None) == (SIZES[one][0] == SIZES[other][0])
    if there is not None:
        back = convert(there, other, one)
        assert back is not None
        assert math.isclose(back, value, rel_tol=1e-9, abs_tol=1e-6)


@pytest.mark.parametrize("unit", [*_UNITS, "percent", "permille"])
def test_each_unit_is_known_by_its_own_name_and_is_itself(unit: str) -> None:
    assert unit_of(unit) == unit
    assert parse_unit(unit) == ScaledUnit(1, unit)
    assert convert(2.5, unit, unit) == 2.5


@given(st.sampled_from(sorted(UNITS)), st.integers(2, 999))
def test_each_word_for_a_unit_is_read_after_a_number(word: str, number: int) -> None:
    [(_, quantity)] = find_quantities(f"about {number} {word} more")
    assert (quantity.value, quantity.unit) == (number, UNITS[word])


@pytest.mark.parametrize("words", [CURRENCY_SYMBOLS, CURRENCY_WORDS])
def test_signs_and_words_of_money_mean_one_currency(words: dict[str, str]) -> None:
    for word, code in words.items():
        assert parse_unit(word).unit == code


def test_what_stands_for_several_currencies_may_mean_each() -> None:
    assert "CAD" in AMBIGUOUS_CURRENCIES["$"]
    assert {"GBP", "lb"} <= AMBIGUOUS_CURRENCIES["pounds"]
    assert "€" not in AMBIGUOUS_CURRENCIES
    for known in AMBIGUOUS_CURRENCIES.values():
        assert known <= CURRENCY_CODES | {"kr", "lb"}


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("500 Swiss francs a night", 500, "CHF"),
        ("12 Swedish kronor", 12, "SEK"),
        ("5 million US dollars", 5_000_000, "USD"),
        ("3 Canadian dollars", 3, "CAD"),
        ("20 Schweizer Franken", 20, "CHF"),
        ("2 New Zealand dollars", 2, "NZD"),
        ("2 new rooms", 2, None),
        ("2.4 GHz", 2.4, "GHz"),
        ("3 megawatts", 3, "MW"),
    ],
)
def test_units_of_several_words_are_read(text: str, value: float, unit: str | None) -> None:
    [(_, quantity)] = find_quantities(text)
    assert (quantity.value, quantity.unit) == (value, unit)


@given(st.sampled_from(sorted(SCALES)), st.sampled_from(sorted(CURRENCY_CODES)))
def test_a_declared_scale_multiplies(scale: str, code: str) -> None:
    assert parse_unit(f"{scale} {code}") == ScaledUnit(SCALES[scale], code)


@pytest.mark.parametrize(
    ("context", "found"),
    [
        ("Revenue (in millions)", ScaledUnit(10**6)),
        ("Price (USD)", ScaledUnit(1, "USD")),
        ("Length (m)", ScaledUnit(1, "m")),
        ("in USD million", ScaledUnit(10**6, "USD")),
        ("Umsatz in Tsd. EUR", ScaledUnit(10**3, "EUR")),
        ("(€000s)", ScaledUnit(10**3, "EUR")),
        ("at least in a day", ScaledUnit()),
    ],
)
def test_a_header_or_note_gives_scale_and_unit(context: str, found: ScaledUnit) -> None:
    assert read_context(context) == found


def test_periods_are_multiplied_only_where_both_are_named() -> None:
    assert set(conversions_between("rent per month, annual")) == {12, 1 / 12}
    assert conversions_between("per night") == ()
    assert 365 in conversions_between(None)


@pytest.mark.parametrize(
    ("value", "unit", "into", "converted"),
    [
        (0.5, "mg/l", "µg/l", 500.0),
        (3, "mg/dl", "mg/l", 30.0),
        (3, "mg/l", "mg", None),
        (3, "mg/l", "mg/kg", None),
        (3, "°C/min", "°F/min", None),
    ],
)
def test_a_measure_per_another_is_converted_with_both(
    value: float, unit: str, into: str, converted: float | None
) -> None:
    assert convert(value, unit, into) == converted


def test_a_measure_per_another_is_a_unit_as_declared() -> None:
    assert parse_unit("mg/dL") == ScaledUnit(1, "mg/dl")
    assert parse_unit("µg per litre") == ScaledUnit(1, "µg/l")
    assert parse_unit("EUR/month") == ScaledUnit(1, "EUR")


def test_the_units_that_a_text_has_are_told_with_those_of_two_words() -> None:
    assert units_in("Size (square metres), CHF 5 and Swedish kronor, 12 per cent") >= {
        "m²", "CHF", "SEK", "percent"
    }  # fmt: skip
    assert {"USD", "AUD"} <= units_in("$ in thousands")
    assert "EUR" not in units_in("$ in thousands")
