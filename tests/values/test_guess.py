"""The type of a set of values, before there is an attribute."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.values.columns import TypeGuess, classify_values, read_column
from srag_mcp.values.states import Column, Words
from srag_mcp.values.types import BOOLEAN, DATE, INTEGER, NUMBER, TEXT


@pytest.mark.parametrize(
    ("values", "guess"),
    [
        (["12", "14", "n/a"], TypeGuess(INTEGER, None, 1.0, None)),
        (["12.5", "3"], TypeGuess(NUMBER, None, 1.0, None)),
        (["€5", "€7.50", "free"], TypeGuess(NUMBER, "EUR", 1.0, None)),
        (["2019", "2020"], TypeGuess(INTEGER, None, 1.0, None)),
        (["22,268", "22.268", "1,234"], TypeGuess(INTEGER, None, 1.0, None)),
        (["600 m", "1.2 km", "3 km"], TypeGuess(NUMBER, "km", 1.0, None)),
        (["7 years", "11 years", "8 months"], TypeGuess(NUMBER, "year", 1.0, None)),
        (["7 years", "11 years", "24 months"], TypeGuess(INTEGER, "year", 1.0, None)),
        (["54 Min.", "48 Min.", "1 Std. 12 Min."], TypeGuess(INTEGER, "min", 1.0, None)),
        (["37.5 per week", "20 per week", "35 a week"], TypeGuess(NUMBER, None, 1.0, None)),
        (["12 patients", "14 patients"], TypeGuess(INTEGER, None, 1.0, None)),
        (["6.72/10 (917 reviews)", "8/10 (3 reviews)"], TypeGuess(NUMBER, None, 1.0, None)),
        (["25/12/2018", "3/4/2018"], TypeGuess(DATE, None, 1.0, None)),
        (["Monday, March 5, 2004 10:30"], TypeGuess(DATE, None, 1.0, None)),
        (["yes", "no", "yes"], TypeGuess(BOOLEAN, None, 1.0, None)),
        (["present", "present", "present", "lent"], TypeGuess(TEXT, None, 1.0, None)),
        (["yes", "yes", "no", "in the cellar"], TypeGuess(BOOLEAN, None, 0.75, None)),
        (["0", "1", "1"], TypeGuess(INTEGER, None, 1.0, None)),
        (["12 Main Street", "14 Oak Avenue"], TypeGuess(TEXT, None, 1.0, None)),
        (["March 2020", "April 2020"], TypeGuess(TEXT, None, 1.0, None)),
        (["00123", "00456"], TypeGuess(TEXT, None, 1.0, None)),
        (["01234", *map(str, range(10000, 10020))], TypeGuess(TEXT, None, 1.0, None)),
        (["25.01", "03.02", "14.12"], TypeGuess(TEXT, None, 1.0, None)),
        (["04.50", "12.50", "9.90"], TypeGuess(NUMBER, None, 1.0, None)),
        (["0", "0.5", "0,25", "1"], TypeGuess(NUMBER, None, 1.0, None)),
        (["+60 12-345 6789", "03-2287 4114"], TypeGuess(TEXT, None, 1.0, None)),
        (["A", "b", "a", "B", "a", "b", "a", "b"], TypeGuess(TEXT, None, 1.0, ("a", "b"))),
        (["n/a", ""], TypeGuess(TEXT, None, 0.0, None)),
        ([], TypeGuess(TEXT, None, 0.0, None)),
    ],
)
def test_the_narrowest_type_that_most_values_have(values: list[str], guess: TypeGuess) -> None:
    assert classify_values(values) == guess


def test_the_share_counts_the_values_that_fit() -> None:
    assert classify_values(["1", "2", "3", "many"]).share == 0.75


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=8), st.sampled_from(["de", "en"]))
def test_whole_numbers_of_a_column_are_whole_in_german_and_english(
    numbers: list[int], country: str
) -> None:
    written = [f"{number:,}" for number in numbers]
    if country == "de":
        written = [text.replace(",", ".") for text in written]
    read = read_column(Column(INTEGER), [Words(text) for text in written])
    assert [reading.value for reading in read] == numbers


@given(st.lists(st.integers(0, 99_999), min_size=1), st.integers(0, 9999))
def test_codes_of_one_width_stay_texts_where_one_begins_with_a_zero(
    codes: list[int], small: int
) -> None:
    values = [f"{code:05}" for code in (*codes, small)]
    assert classify_values(values).type == TEXT
    read = read_column(Column(TEXT), [Words(value) for value in values])
    assert [reading.value for reading in read] == values


@given(st.lists(st.text(max_size=20), max_size=6))
def test_any_values_have_a_type(values: list[str]) -> None:
    assert 0 <= classify_values(values).share <= 1


def test_times_that_were_taken_are_seconds_where_no_day_has_such_an_hour() -> None:
    times = ["36:51", "1:01:19", "DNS", "38:15"]
    assert classify_values(times) == TypeGuess(INTEGER, "s", 0.75, None)
    read = read_column(Column(INTEGER, unit="s"), [Words(time) for time in times])
    assert [reading.value for reading in read] == [2211, 3679, None, 2295]
    minutes = read_column(Column(NUMBER, unit="min"), [Words(time) for time in ("36:51.6", "9:00")])
    assert [reading.value for reading in minutes] == [36.86, 9]


@pytest.mark.parametrize(
    "times",
    [["12:30", "1:02:10"], ["38:30", "40:00"], ["09:05:11", "10:00:00"], ["23:59", "8:00:00"]],
)
def test_times_that_may_be_of_day_or_hours_stay_texts(times: list[str]) -> None:
    assert classify_values(times).type == TEXT


@pytest.mark.parametrize(
    "hours",
    [["9.30 Uhr", "14.15 Uhr"], ["9 Uhr", "ab 10 Uhr"], ["7 a.m.", "8 pm"], ["from 9 o'clock"]],
)
def test_an_hour_of_the_day_is_no_number(hours: list[str]) -> None:
    assert classify_values(hours).type == TEXT


@pytest.mark.parametrize(
    "codes",
    [["1.4.2", "1.5.0", "2.0.1"], ["2.0", "2.1", "2.1.1", "3.0"], ["§ 3.1", "§ 3.1.2"],
     ["10.0.0.1", "10.0.0.24"], ["2,1,3", "4,4,1"]],
)  # fmt: skip
def test_marks_that_group_no_thousands_make_codes(codes: list[str]) -> None:
    assert classify_values(codes).type == TEXT


def test_marks_of_one_value_say_nothing_of_those_without_any() -> None:
    values = [*map(str, range(60)), "12.5.0"]
    assert classify_values(values) == TypeGuess(INTEGER, None, 60 / 61, None)
