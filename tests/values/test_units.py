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
    convert_declared,
    is_same_unit,
    may_mean,
    parse_unit,
    read_context,
    unit_asked,
    unit_of,
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
    assert is_same_unit(unit, unit)


@given(st.sampled_from(sorted(UNITS)), st.integers(2, 999))
def test_each_word_for_a_unit_is_read_after_a_number(word: str, number: int) -> None:
    [(_, quantity)] = find_quantities(f"about {number} {word} more")
    assert (quantity.value, quantity.unit) == (number, UNITS[word])


@pytest.mark.parametrize("words", [CURRENCY_SYMBOLS, CURRENCY_WORDS])
def test_signs_and_words_of_money_mean_one_currency(words: dict[str, str]) -> None:
    for word, code in words.items():
        assert parse_unit(word).unit == code
        assert may_mean(word, code)


def test_what_stands_for_several_currencies_may_mean_each() -> None:
    assert may_mean("$", "CAD")
    assert may_mean("pounds", "GBP")
    assert may_mean("pounds", "lb")
    assert not may_mean("€", "USD")
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


@pytest.mark.parametrize(
    ("word", "unit"),
    [("KM", "km"), ("mhz", "MHz"), ("usd", "USD"), ("kw", "kW"), ("Kg", "kg"), ("mb", "MB"),
     ("rooms", None), ("try", "TRY")],
)  # fmt: skip
def test_people_do_not_mind_the_case_of_a_unit(word: str, unit: str | None) -> None:
    assert unit_asked(word) == unit


@pytest.mark.parametrize(
    ("value", "unit", "into", "carried"),
    [
        (90, "minutes", "h", 1.5),
        (2, "million USD", "thousand USD", 2000),
        (2, "million USD", "USD", 2_000_000),
        (1.5, "km", "metres", 1500),
        (32, "°F", "celsius", 0),
        (3, "rooms", "room", 3),
        (3, "kg", "EUR", None),
        (3, "USD", "EUR", None),
        (3, "rooms", "beds", None),
        (3, None, "m", None),
        (3, None, None, 3),
    ],
)
def test_numbers_are_carried_between_units_as_they_are_declared(
    value: float, unit: str | None, into: str | None, carried: float | None
) -> None:
    assert convert_declared(value, unit, into) == carried


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("km", "Kilometres", True), ("rooms", "room", True), ("€", "euros", True),
     ("USD", "million USD", False), ("percent", "%", True), ("m", "min", False),
     ("patients", "patience", False)],
)  # fmt: skip
def test_two_spellings_of_a_unit_are_one(one: str, other: str, *, same: bool) -> None:
    assert is_same_unit(one, other) is same


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
