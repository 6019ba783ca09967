"""Periods of time as questions say them."""

from datetime import date

import pytest

from srag_mcp.offline.translation.period import Period
from srag_mcp.offline.translation.periods import read_period
from srag_mcp.offline.translation.tokens import tokenise


def _read(text: str) -> Period:
    tokens = tokenise(text)
    found = next(f for start in range(len(tokens)) if (f := read_period(tokens, start)))
    assert found[1] == len(tokens), "the whole text is read"
    return found[0]


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("3 January 2021", "2021-01-03", "2021-01-03"),
        ("the 3rd of January, 2021", "2021-01-03", "2021-01-03"),
        ("January 3, 2021", "2021-01-03", "2021-01-03"),
        ("2021-01-14", "2021-01-14", "2021-01-14"),
        ("31/03/2018", "2018-03-31", "2018-03-31"),
        ("Feb 2020", "2020-02-01", "2020-02-29"),
        ("2017", "2017-01-01", "2017-12-31"),
        ("the 1990s", "1990-01-01", "1999-12-31"),
        ("the 90s", "1990-01-01", "1999-12-31"),
        ("Q3 2018", "2018-07-01", "2018-09-30"),
        ("the first quarter of 2018", "2018-01-01", "2018-03-31"),
        ("the second half of 2017", "2017-07-01", "2017-12-31"),
        ("the second half of January 2021", "2021-01-16", "2021-01-31"),
        ("from 15 December 2020 through 15 January 2021", "2020-12-15", "2021-01-15"),
        ("1 to 10 January 2021", "2021-01-01", "2021-01-10"),
        ("between 1 April and 31 May 2020", "2020-04-01", "2020-05-31"),
        ("between November and February 2021", "2020-11-01", "2021-02-28"),
        ("from 3 January to 19 February 2021", "2021-01-03", "2021-02-19"),
        ("between 2001 and 2006", "2001-01-01", "2006-12-31"),
    ],
)
def test_a_period_has_its_first_and_last_day(text: str, low: str, high: str) -> None:
    period = _read(text)
    assert (period.low, period.high) == (date.fromisoformat(low), date.fromisoformat(high))


def test_a_month_or_weekday_without_a_year_is_a_part_of_any() -> None:
    assert _read("any November") == Period(months=(11,), precision="month")
    assert _read("on Sundays") == Period(weekdays=(7,))
    assert _read("the weekend") == Period(weekdays=(6, 7))
    assert _read("June 14") == Period(months=(6,), day=14)


@pytest.mark.parametrize("text", ["31 February 2020", "05/06/2020", "may not", "1,234", "7-day"])
def test_what_is_no_sure_date_is_not_read_as_one(text: str) -> None:
    tokens = tokenise(text)
    first = read_period(tokens, 0)
    assert first is None


def test_a_range_keeps_its_two_ends() -> None:
    period = _read("between 3 May 2020 and 10 May 2020")
    assert period.first == Period(date(2020, 5, 3), date(2020, 5, 3))
    assert period.last == Period(date(2020, 5, 10), date(2020, 5, 10))
