from datetime import date

import pytest

from srag_mcp.schema.attribute import Attribute
from tests.claims.columns import Stated, reasons, suspected

FOUNDED = Attribute(name="founded", type="integer")
YEAR = Attribute(name="year_of_foundation", type="integer")
DAY = Attribute(name="day", type="date")


def years(*values: int) -> list[Stated]:
    return [(value, f"in {value}") for value in values]


def test_numbers_that_look_like_years_need_none() -> None:
    invoice = Attribute(name="invoice_number", type="integer", description="As printed.")
    numbers: list[Stated] = [(n, str(n)) for n in (1001, 1002, 1003, 1004, 10006, 10007)]
    assert suspected(invoice, numbers) == {}


def days(*values: int) -> list[Stated]:
    return [(date(value, 3, 1), f"1 March {value}") for value in values]


def test_whole_numbers_that_are_no_years_are_found_in_a_column_of_years() -> None:
    odd: list[Stated] = [(20211, "2021"), (0, "unknown"), (4000, "4000 BC")]
    reason = "4 values are years, this one is none"
    assert reasons(YEAR, [*years(1999, 2001, 2003, 1998), *odd]) == {
        "d4": reason,
        "d5": reason,
        "d6": reason,
    }


@pytest.mark.parametrize(
    "values",
    [
        [*years(1999, 2001, 2003, 1998), (79, "in AD 79"), (-44, "44 BC"), (-27, "27 BC")],
        [(1500, "1,500 people"), (1800, "1,800 people"), (2000, "2,000 people"), (20, "few")],
        [*years(1999, 2001), (36, "aged"), (41, "aged"), (20211, "2021")],
    ],
)
def test_what_is_quoted_and_columns_of_other_numbers_are_left_alone(values: list[Stated]) -> None:
    assert suspected(FOUNDED, values) == {}
    assert suspected(FOUNDED.model_copy(update={"unit": "people"}), values) == {}


CLOSE = (2019, 2020, 2021, 2021, 2022, 2021)


@pytest.mark.parametrize("odd", [2091, 1921, 1951])
def test_a_lonely_date_among_close_ones_is_found(odd: int) -> None:
    short = f"{odd % 100:02}"
    assert reasons(DAY, [*days(*CLOSE), (date(odd, 3, 1), f"1/3/{short}")]) == {
        "d6": f"most dates are around 2021, this one is in {odd}"
    }
    assert reasons(YEAR, [*years(*CLOSE), (odd, f"in '{short}")]) == {
        "d6": f"most years are around 2021, this one is in {odd}"
    }


@pytest.mark.parametrize("odd", [1891, 1021, 2091])
def test_a_year_that_is_said_in_full_is_no_other_reading(odd: int) -> None:
    assert suspected(DAY, days(*CLOSE, odd)) == {}
    assert suspected(YEAR, years(*CLOSE, odd)) == {}


def test_only_a_column_that_speaks_of_years_has_years_that_are_far() -> None:
    odd: list[Stated] = [*years(*CLOSE), (1921, "in '21")]
    assert suspected(FOUNDED, odd) == {}
    described = FOUNDED.model_copy(update={"description": "Das Jahr der Gründung."})
    assert suspected(described, odd) == {"d6": "impossible"}


@pytest.mark.parametrize(
    "values",
    [
        (1935, 1948, 1957, 1961, 1966, 1971, 1978, 1984, 1990, 1996, 2003),  # births
        (1962, 1998, 1999, 2000, 2000, 2001, 2001, 2002),  # of students, and one who came late
        (2024, 2025, 2026, 2026, 2027, 2031, 2046),  # ends of contracts
        (*CLOSE, 1921, 1922, 1925),  # several
        (1790, 1845, 1887, 1920, 1950, 1971, 2001),
    ],
)
def test_births_ends_and_dates_of_all_times_are_left_alone(values: tuple[int, ...]) -> None:
    assert suspected(DAY, days(*values)) == {}
    assert suspected(YEAR, years(*values)) == {}


@pytest.mark.parametrize(
    "values",
    [
        (1891, 1958, 1974, 1986, 1999, 2003, 2008, 2011, 2013, 2016),
        (1867, 1891, 2008, 2009, 2010, 2011, 2012, 2013),
    ],
)
def test_what_is_much_older_than_most_is_left_alone(values: tuple[int, ...]) -> None:
    assert suspected(YEAR, years(*values)) == {}


def test_the_years_of_a_long_history_are_left_alone() -> None:
    recent = [1420, 1550, 1620, 1690, 1700, 1710, 1720, 1730, 1740, 1850, 1860, 1890, 1950, 1999]
    history = years(524, 600, 1000, *recent)
    assert suspected(YEAR, history) == {}
