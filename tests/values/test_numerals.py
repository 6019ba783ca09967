"""Numerals and number words: what digits with separators mean, alone and in a column."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from srag_mcp.values.quantities import (
    ambiguous_mark,
    decide_grouping,
    decimal_mark,
    digit_grouping,
    find_quantities,
    grouping_mark,
    read_number_words,
    read_numeral,
)

_NUMBERS = st.decimals(min_value=0, max_value=10**12, places=2)
_WHOLE = st.integers(0, 10**15)


def _write(number: object, grouping: str, decimal: str) -> str:
    """Write a number with its digits in threes."""
    return f"{number:,}".replace(",", "G").replace(".", decimal).replace("G", grouping)


@given(_WHOLE, st.sampled_from([",", ".", " ", "'", "\u00a0", "\u202f"]))
def test_groups_of_three_read_back_where_their_mark_groups(number: int, mark: str) -> None:
    assert read_numeral(_write(number, mark, ""), mark) == number


@given(_NUMBERS, st.sampled_from([(",", "."), (".", ","), (" ", ","), ("'", "."), ("", ".")]))
def test_two_decimals_tell_which_mark_is_which(number: float, marks: tuple[str, str]) -> None:
    numeral = _write(number, *marks)
    assert read_numeral(numeral) == float(number)
    assert ambiguous_mark(numeral) is None


@pytest.mark.parametrize("numeral", ["1.2.3", "1,2,3", "12,34,5", "1..2", "1.234.56", "1,23.4,5"])
def test_separators_that_make_no_number_are_not_read(numeral: str) -> None:
    assert read_numeral(numeral) is None


@pytest.mark.parametrize(
    ("numeral", "either", "decimal", "groups"),
    [
        ("1.234", ".", None, None),
        ("1,234", ",", None, None),
        ("0.123", None, ".", None),
        ("12.5", None, ".", None),
        ("1234.567", None, ".", None),
        ("1,234.5", None, ".", ","),
        ("1.234.567", None, None, "."),
        ("1,23,456", None, None, ","),
        ("1234", None, None, None),
    ],
)
def test_what_a_mark_can_mean(
    numeral: str, either: str | None, decimal: str | None, groups: str | None
) -> None:
    assert ambiguous_mark(numeral) == either
    assert decimal_mark(numeral) == decimal
    assert grouping_mark(numeral) == groups


@given(st.lists(st.decimals(min_value=1, max_value=10**7, places=2), min_size=2), st.booleans())
def test_a_column_of_prices_is_read_as_its_country_writes(
    prices: list[float], german: bool
) -> None:
    marks = (".", ",") if german else (",", ".")
    numerals = [_write(price, *marks) for price in prices]
    grouping = decide_grouping(numerals)
    assert [read_numeral(numeral, grouping) for numeral in numerals] == list(map(float, prices))


@given(st.lists(st.integers(1000, 10**9), min_size=1), st.integers(10**6, 10**9), st.booleans())
def test_one_number_in_the_millions_tells_how_the_column_groups(
    numbers: list[int], large: int, german: bool
) -> None:
    numerals = [_write(number, "." if german else ",", "") for number in (*numbers, large)]
    grouping = decide_grouping(numerals)
    assert [read_numeral(numeral, grouping) for numeral in numerals] == [*numbers, large]


@given(st.text(alphabet="0123456789.,' ", max_size=20) | st.text(max_size=20))
@example("Came late.")
@example("²")
def test_any_text_is_a_finite_number_or_none(numeral: str) -> None:
    for grouping in ("", ",", ".", ",."):
        number = read_numeral(numeral, grouping)
        assert number is None or 0 <= number < 10**31


_ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
_ONES += " fifteen sixteen seventeen eighteen nineteen"
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def _in_words(number: int) -> str:
    if number < 20:
        return _ONES.split()[number]
    if number < 100:
        rest = f"-{_in_words(number % 10)}" if number % 10 else ""
        return _TENS[number // 10 - 2] + rest
    for size, name in (
        (10**9, "billion"),
        (10**6, "million"),
        (1000, "thousand"),
        (100, "hundred"),
    ):
        if number >= size:
            rest = f" {_in_words(number % size)}" if number % size else ""
            return f"{_in_words(number // size)} {name}{rest}"
    raise AssertionError


@given(st.integers(0, 10**12 - 1))
def test_every_number_in_words_reads_back(number: int) -> None:
    assert read_number_words(_in_words(number)) == number


@pytest.mark.parametrize(
    ("words", "number"),
    [("two hundred and five", 205), ("a dozen", 12), ("half a million", 500_000), ("zwölf", 12),
     ("a hundred", 100), ("one point nine million", 1_900_000), ("twenty point zero five", 20.05),
     ("ten and a half", 10.5), ("three and three quarters", 3.75), ("ten and one half", 10.5),
     ("zehneinhalb", 10.5), ("zehn und ein halb", 10.5), ("dix et demi", 10.5),
     ("forty-two and a half thousand", 42_500), ("a million and a half", 1_500_000),
     ("two dozen", 24), ("two and a half dozen", 30), ("ten and four halves", None),
     ("one point eleven", None), ("one two", None), ("twenty eleven", None), ("and", None),
     ("ten three", None), ("several", None)],
)  # fmt: skip
def test_words_that_make_a_number(words: str, number: int | None) -> None:
    assert read_number_words(words) == number


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1956, "1956"), (-9999, "-9999"), (12_500, "12,500"), (-1e6, "-1,000,000.0"), (0.5, "0.5")],
)
def test_thousands_are_set_off_where_the_number_is_no_year(value: float, shown: str) -> None:
    assert f"{value:{digit_grouping(value)}}" == shown


@pytest.mark.parametrize(
    ("text", "found"),
    [("ten and a half metres", [(10.5, "m")]), ("10 and a half metres", [(10.5, "m")]),
     ("ten metres and a half", [(10.5, "m")]), ("10 metres and a half", [(10.5, "m")]),
     ("10 und ein halb Meter", [(10.5, "m")]), ("2 million and a half", [(2_500_000, None)]),
     ("a two-and-a-half-hour tour", [(2.5, "h")]), ("minus ten degrees", [(-10, "°")]),
     ("two weeks and a half day", [(2, "week")]), ("2 hours and a half day", [(2, "h")]),
     ("two bedrooms and a half bath", [(2, None)]),
     ("in 2010 and a third time in 2014", [(2010, None), (2014, None)]),
     ("in 2010 and a half of it later", [(2010, None)]), ("£25 and a half bottle", [(25, "GBP")]),
     ("£90 and a half day off", [(90, "GBP")]),
     ("70 € y media pensión", [(70, "EUR")]), ("500 euros and a half share", [(500, "EUR")]),
     ("3 hours and a quarter final", [(3, "h")]), ("10 metres and a half.", [(10.5, "m")]),
     ("ten and three-quarter inches", [(10.75, "inch")]), ("8 and one-half", [(8.5, None)])],
)  # fmt: skip
def test_a_number_takes_all_words_that_belong_to_it(
    text: str, found: list[tuple[float, str | None]]
) -> None:
    assert [(quantity.value, quantity.unit) for _, quantity in find_quantities(text)] == found


@pytest.mark.parametrize(
    "text",
    [
        "ten and a third",
        "three quarters of a mile",
        "two thirds",
        "half a thousand",
        "several hundred and ten people",
        "10 and a half marathon",
        "ten and a half marathon",
        "in 2010 and a half year later",
        "two and half metres",
        "8 and half metres",
        "10 and one-third inches",
        "8 and 1/2",
        "8 inches and 1/2",
        "£2 and a half million",
        "two hundred and a half",
        "five million euros and a half",
        "5 million euros and a half",
        "2 million and a half euros",
        "a thousand dozen",
        "a dozen thousand",
    ],
)
def test_words_that_are_a_part_of_a_number_are_not_read_as_one(text: str) -> None:
    assert find_quantities(text) == []
