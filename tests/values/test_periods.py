"""Periods of time as questions and documents say them."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.values.dates import Period, find_periods


def _read(text: str) -> Period:
    found = find_periods(text)
    assert len(found) == 1, found
    return found[0][1]


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("3 January 2021", "2021-01-03", "2021-01-03"),
        ("the 3rd of January, 2021", "2021-01-03", "2021-01-03"),
        ("January 3, 2021", "2021-01-03", "2021-01-03"),
        ("3. Januar 2021", "2021-01-03", "2021-01-03"),
        ("2021-01-14", "2021-01-14", "2021-01-14"),
        ("31/03/2018", "2018-03-31", "2018-03-31"),
        ("31.03.18", "2018-03-31", "2018-03-31"),
        ("Feb 2020", "2020-02-01", "2020-02-29"),
        ("März 2020", "2020-03-01", "2020-03-31"),
        ("2017", "2017-01-01", "2017-12-31"),
        ("the 1990s", "1990-01-01", "1999-12-31"),
        ("the 90s", "1990-01-01", "1999-12-31"),
        ("the '20s", "2020-01-01", "2029-12-31"),
        ("den 1990er Jahren", "1990-01-01", "1999-12-31"),
        ("Q3 2018", "2018-07-01", "2018-09-30"),
        ("Q3 of 2018", "2018-07-01", "2018-09-30"),
        ("2018-Q3", "2018-07-01", "2018-09-30"),
        ("H2 2018", "2018-07-01", "2018-12-31"),
        ("the first quarter of 2018", "2018-01-01", "2018-03-31"),
        ("the 2nd quarter of 2018", "2018-04-01", "2018-06-30"),
        ("the last quarter of 2018", "2018-10-01", "2018-12-31"),
        ("im dritten Quartal 2018", "2018-07-01", "2018-09-30"),
        ("zweites Halbjahr 2018", "2018-07-01", "2018-12-31"),
        ("the second half of 2017", "2017-07-01", "2017-12-31"),
        ("from 15 December 2020 through 15 January 2021", "2020-12-15", "2021-01-15"),
        ("1 to 10 January 2021", "2021-01-01", "2021-01-10"),
        ("1-10 January 2021", "2021-01-01", "2021-01-10"),
        ("vom 1. bis 10. Januar 2021", "2021-01-01", "2021-01-10"),
        ("between 1 April and 31 May 2020", "2020-04-01", "2020-05-31"),
        ("between April and May 2020", "2020-04-01", "2020-05-31"),
        ("zwischen März und Mai 2020", "2020-03-01", "2020-05-31"),
        ("between November and February 2021", "2020-11-01", "2021-02-28"),
        ("from 3 January to 19 February 2021", "2021-01-03", "2021-02-19"),
        ("Q1 to Q3 2018", "2018-01-01", "2018-09-30"),
        ("between 2001 and 2006", "2001-01-01", "2006-12-31"),
        ("2001-2006", "2001-01-01", "2006-12-31"),
        ("3 May 2020 – 10 May 2020", "2020-05-03", "2020-05-10"),
    ],
)
def test_a_period_has_its_first_and_last_day(text: str, low: str, high: str) -> None:
    period = _read(text)
    assert (period.low, period.high) == (date.fromisoformat(low), date.fromisoformat(high))


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("any November", Period(precision="month", months=(11,))),
        ("in may", Period(precision="month", months=(5,))),
        ("sales of March", Period(precision="month", months=(3,))),
        ("on Sundays", Period(precision="weekday", weekdays=(7,))),
        ("am Wochenende", Period(precision="weekday", weekdays=(6, 7))),
        ("June 14", Period(months=(6,), days=(14,))),
        ("in Q2", Period(precision="quarter", months=(4, 5, 6))),
        ("in the first quarter", Period(precision="quarter", months=(1, 2, 3))),
    ],
)
def test_without_a_year_it_is_a_part_of_any(text: str, period: Period) -> None:
    assert _read(text) == period


def test_ranges_of_parts_go_round_the_year_and_the_week() -> None:
    assert _read("between November and February").months == (11, 12, 1, 2)
    assert _read("Monday to Friday").weekdays == (1, 2, 3, 4, 5)
    assert _read("14 to 16 June").days == (14, 15, 16)


@pytest.mark.parametrize(
    "text",
    ["31 February 2020", "05/06/2020", "you may not", "they march on", "1,234", "7-day", "today",
     "last year", "the last quarter", "the second half", "90s per lap", "rolled out 2019-05a",
     "H3", "5 May 21 rooms were sold"],
)  # fmt: skip
def test_what_is_no_sure_date_is_not_read_as_one(text: str) -> None:
    assert find_periods(text) == []


def test_and_joins_only_after_between() -> None:
    texts = "in May 2020 and June 2020", "between May 2020 and June 2020"
    assert [len(find_periods(text)) for text in texts] == [2, 1]


@pytest.mark.parametrize("text", ["from 2006 to 2001", "from 30 June to 2 July"])
def test_two_ends_that_make_no_stretch_name_no_period(text: str) -> None:
    assert find_periods(text) == []


def test_a_range_leaves_out_the_word_before_it() -> None:
    text = "sold between 3 May and 10 May 2020 in Rome"
    [(span, _)] = find_periods(text)
    assert span.of(text) == "3 May and 10 May 2020"


_DAYS = st.dates(min_value=date(1900, 1, 1), max_value=date(2199, 12, 31))
_NOTATIONS = st.sampled_from(["%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%d-%b-%Y"])


@given(_DAYS, st.integers(1, 4000), _NOTATIONS)
def test_every_range_of_days_reads_back(low: date, n_days: int, notation: str) -> None:
    high = low + timedelta(days=n_days)
    text = f"How many from {low.strftime(notation)} to {high.strftime(notation)} in Rome?"
    [(span, period)] = find_periods(text)
    assert (period.low, period.high) == (low, high)
    assert text[: span.start] == "How many from "
    assert text[span.end :] == " in Rome?"


@given(_DAYS, st.sampled_from(["%B %Y", "%b %Y", "%Y", "%Y-%m"]))
def test_a_month_or_year_holds_its_days_and_no_other(day: date, notation: str) -> None:
    [(_, period)] = find_periods(f"in {day.strftime(notation)}")
    assert period.low is not None
    assert period.high is not None
    assert period.low <= day <= period.high
    for outside in (period.low - timedelta(days=1), period.high + timedelta(days=1)):
        assert outside.strftime(notation) != day.strftime(notation)


@given(
    st.text(alphabet=st.sampled_from("Q1234 20-/.MayJune5to and'sthird quarterofH,–"), max_size=40)
)
def test_any_text_is_read_without_an_error_and_places_do_not_overlap(text: str) -> None:
    end = 0
    for span, period in find_periods(text):
        assert end <= span.start < span.end <= len(text)
        assert period.low is None or (period.high is not None and period.low <= period.high)
        assert period.low or period.months or period.weekdays
        end = span.end


_MONTHS_DE = [
    "Januar",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
]


@given(_DAYS)
def test_german_days_months_and_quarters_are_those_of_the_calendar(day: date) -> None:
    month = _MONTHS_DE[day.month - 1]
    assert _read(f"am {day.day}. {month} {day.year}") == Period(day, day)
    whole = _read(f"im {month} {day.year}")
    assert (whole.low, whole.precision) == (day.replace(day=1), "month")
    quarter = _read(f"im {(day.month + 2) // 3}. Quartal {day.year}")
    assert quarter == _read(f"Q{(day.month + 2) // 3} {day.year}")
    assert _read(f"im {month}").months == (day.month,)


@given(_DAYS, st.integers(0, 11))
def test_a_range_of_months_takes_the_year_of_its_end(day: date, n_months: int) -> None:
    first = (day.year * 12 + day.month - 1 - n_months) % 12 + 1
    low = date(day.year - (first > day.month), first, 1)
    text = f"between {low.strftime('%B')} and {day.strftime('%B %Y')}"
    found = find_periods(text)
    if n_months == 0:  # from May to May of the same year is no range
        assert found == []
        return
    [(_, period)] = found
    assert (period.low, period.precision) == (low, "range")


@given(st.integers(1000, 2199), st.integers(1000, 2199), st.sampled_from(["to", "until", "–"]))
def test_a_range_of_years_goes_forward(one: int, other: int, link: str) -> None:
    found = [period for _, period in find_periods(f"from {one} {link} {other}")]
    if one < other:
        [period] = found
        assert (period.low, period.high) == (date(one, 1, 1), date(other, 12, 31))
    else:
        assert found == []


@given(st.integers(1, 12), st.integers(1, 12))
def test_months_without_a_year_are_counted_round_the_year(first: int, last: int) -> None:
    names = [date(2000, month, 1).strftime("%B") for month in (first, last)]
    periods = [period for _, period in find_periods("between " + " and ".join(names))]
    months = periods[0].months if len(periods) == 1 else ()
    if first != last:
        assert (months[0], months[-1]) == (first, last)
        assert len(months) == (last - first) % 12 + 1


@given(_DAYS, st.sampled_from(["%d/%m/%Y", "%m/%d/%Y"]))
def test_a_numeric_date_that_may_be_two_days_is_none(day: date, notation: str) -> None:
    found = find_periods(f"on {day.strftime(notation)} in Rome")
    if day.day <= 12 and day.day != day.month:
        assert found == []
    else:
        assert [period for _, period in found] == [Period(day, day)]


@given(_DAYS)
def test_every_part_of_a_year_holds_the_days_of_its_months(day: date) -> None:
    for text, months in (
        (f"Q{(day.month + 2) // 3} {day.year}", 3),
        (f"H{(day.month + 5) // 6} {day.year}", 6),
        (f"{day.year}", 12),
    ):
        period = _read(text)
        assert period.low is not None
        assert period.high is not None
        assert period.low <= day <= period.high
        assert (period.high - period.low).days in range(28 * months, 31 * months + 5)
