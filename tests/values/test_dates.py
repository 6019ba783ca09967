"""Dates in text, and the order of day and month in a column."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.values.columns import read_column
from srag_mcp.values.dates import DateText, decide_order, find_dates, read_date
from srag_mcp.values.states import Column, State, Words
from srag_mcp.values.types import DATE


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2018-03-10", date(2018, 3, 10)),
        ("2018-03-10T18:24:00Z", date(2018, 3, 10)),
        ("20180310", date(2018, 3, 10)),
        ("10 MAR 2018 18:24", date(2018, 3, 10)),
        ("12MAR2018", date(2018, 3, 12)),
        ("25/12/2018 8:13:39 PM", date(2018, 12, 25)),
        ("12/25/2018", date(2018, 12, 25)),
        ("25.12.18", date(2018, 12, 25)),
        ("(06/12/2016)", date(2016, 12, 6)),
        ("5th day of March, 2004", date(2004, 3, 5)),
        ("the fifth day of March 2004", date(2004, 3, 5)),
        ("Monday, 3 June 2019", date(2019, 6, 3)),
        ("Mar. 5th, 2004", date(2004, 3, 5)),
        ("31 Dec '18", date(2018, 12, 31)),
        ("2018-Mar-10", date(2018, 3, 10)),
        ("5. März 2021", date(2021, 3, 5)),
        ("1er janvier 2020", date(2020, 1, 1)),
        ("12 de octubre de 2019", date(2019, 10, 12)),
        ("3 maggio 1999", date(1999, 5, 3)),
        ("14 augustus 2007", date(2007, 8, 14)),
        ("2 de fevereiro de 2011", date(2011, 2, 2)),
        ("2018年3月10日", date(2018, 3, 10)),
        ("12/31/69", date(1969, 12, 31)),
    ],
)
def test_whole_dates_are_read(text: str, day: date) -> None:
    assert read_date(text) == day


@pytest.mark.parametrize(
    "text",
    ["March 2021", "2019", "Q3 2021", "5 March", "May", "FY2018", "32/13/2020", "30/02/2020",
     "1.2.3", "192.168.1.10", "3 out of 1990", "5 May 2019 – 7 June 2019", "", "7 Smarch 2020"],
)  # fmt: skip
def test_partial_impossible_and_several_dates_are_not_completed(text: str) -> None:
    assert read_date(text) is None


def test_partial_dates_are_found_when_asked_for() -> None:
    text = "In March 2021, Q3 2022 and 2019, from 15 December 2020 to 4 May"
    found = [(span.of(text), day) for span, day in find_dates(text, partial=True)]
    assert found == [
        ("March 2021", DateText(2021, 3)),
        ("Q3 2022", DateText(2022, quarter=3)),
        ("2019", DateText(2019)),
        ("15 December 2020", DateText(2020, 12, 15)),
        ("4 May", DateText(None, 5, 4)),
    ]
    assert [span.of(text) for span, _ in find_dates(text)] == ["15 December 2020"]


@pytest.mark.parametrize(
    ("texts", "order", "proven"),
    [
        (["03/04/2020", "25/12/2018"], "day_first", True),
        (["03/04/2020", "12/25/2018"], "month_first", True),
        (["03/04/2020", "02/05/2020"], "day_first", False),
        (["01/02/2020", "01/03/2020", "01/05/2020", "01/06/2020"], "day_first", True),
        (["02/01/2020", "03/01/2020", "05/01/2020", "06/01/2020"], "month_first", True),
        (["2020-03-04"], "day_first", True),
    ],
)
def test_the_order_is_decided_on_the_whole_column(
    texts: list[str], order: str, *, proven: bool
) -> None:
    assert decide_order([day for text in texts for _, day in find_dates(text)]) == (order, proven)


@given(
    st.dates(min_value=date(1000, 1, 1), max_value=date(2999, 12, 31)),
    st.sampled_from(["%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%d-%b-%Y", "%Y/%m/%d", "%A, %d %b %Y"]),
)
def test_every_day_reads_back_in_every_notation(day: date, notation: str) -> None:
    assert read_date(f"on {day.strftime(notation)} at noon") == day


@given(st.text(max_size=60))
def test_any_text_is_scanned_without_an_error_and_spans_lie_inside(text: str) -> None:
    for span, found in find_dates(text, partial=True):
        assert 0 <= span.start < span.end <= len(text)
        found.on("month_first")


_ANY_DAY = st.dates(min_value=date(1950, 1, 1), max_value=date(2049, 12, 31))
_NUMERIC = {"day_first": "%d/%m/%Y", "month_first": "%m/%d/%Y"}


@given(st.lists(_ANY_DAY, min_size=1, max_size=8), st.sampled_from(sorted(_NUMERIC)), _ANY_DAY)
def test_one_day_over_twelve_tells_the_order_of_the_whole_column(
    days: list[date], order: str, proof: date
) -> None:
    written = [day.strftime(_NUMERIC[order]) for day in (*days, proof.replace(day=28))]
    read = read_column(Column(DATE), [Words(text) for text in written])
    assert [reading.value for reading in read] == [*days, proof.replace(day=28)]
    assert not any(reading.note for reading in read)


@given(st.lists(st.builds(date, st.integers(1990, 2030), st.integers(1, 12), st.integers(1, 12)),
                min_size=1, max_size=3))  # fmt: skip
def test_an_order_that_nothing_proves_is_said_to_be_assumed(days: list[date]) -> None:
    read = read_column(Column(DATE), [Words(day.strftime("%d/%m/%Y")) for day in days])
    for day, reading in zip(days, read, strict=True):
        assert (reading.value, bool(reading.note)) == (day, day.day != day.month)


@given(_ANY_DAY, st.sampled_from(["%d.%m.%y", "%d %b '%y"]))
def test_a_year_of_two_digits_falls_into_the_century_of_its_column(
    day: date, notation: str
) -> None:
    years = [day.replace(year=day.year + step, day=28) for step in range(10)]
    written = [day.strftime(notation), *(other.isoformat() for other in years)]
    read = read_column(Column(DATE), [Words(text) for text in written])
    assert read[0].value == day


@pytest.mark.parametrize(
    "text",
    ["5-7 March 2020", "5 and 7 March 2020", "30 May to 2 June 2020", "5. bis 7. März 2020",
     "5/6 March 2020", "30 May & 2 June 2020", "5 May 2019 – 7 June 2019"],
)  # fmt: skip
def test_a_date_that_is_one_of_several_is_no_value(text: str) -> None:
    [reading] = read_column(Column(DATE), [Words(text)])
    assert (reading.state, reading.note) == (State.FAILED, "several dates")


@given(_ANY_DAY, _ANY_DAY, st.sampled_from(["to", "and", "until", "bis", "–", "&"]))
def test_two_days_are_never_read_as_one(one: date, other: date, link: str) -> None:
    text = f"{one.strftime('%d %B')} {link} {other.strftime('%d %B %Y')}"
    [reading] = read_column(Column(DATE), [Words(text)])
    assert reading.state is State.FAILED


@given(st.dates(max_value=date(2999, 12, 31)), st.text(alphabet="abc xyz,;()", max_size=12))
def test_words_around_a_date_change_nothing(day: date, words: str) -> None:
    assert read_date(f"{words} {day.isoformat()} {words}") == (day if day.year >= 1000 else None)


def _due(days: list[str]) -> list[Words]:
    return [Words(day, "dated: 2025-11-20") for day in days]


def test_days_without_a_year_are_in_the_one_that_the_side_of_their_column_tells() -> None:
    said = _due([f"{day:02}.12." for day in range(11, 21)] + ["15 January", "03.01.2026"])
    read = read_column(Column(DATE, "until"), said)
    assert [reading.value for reading in read] == [
        *(date(2025, 12, day) for day in range(11, 21)),
        date(2026, 1, 15),
        date(2026, 1, 3),
    ]
    assert {reading.note for reading in read[:11]} == {
        "its year is that in which it is nearest to the document's date"
    }


def test_a_day_without_a_year_on_the_other_side_stays_open() -> None:
    said = _due([f"{day:02}.12." for day in range(1, 21)] + ["01.11."])
    assert read_column(Column(DATE, "until"), said)[-1].state is State.FAILED


def test_few_days_without_a_year_prove_nothing() -> None:
    said = _due(["01.12.", "02.12.", "03.12."])
    assert {reading.state for reading in read_column(Column(DATE, "until"), said)} == {State.FAILED}


def test_each_date_begins_at_digits_or_at_a_quarter_and_behind_the_one_before() -> None:
    found = find_dates("Q3 2021, 2020-01-02/3, Q3/4/2020, 12May2019, 1.2.2019", partial=True)

    assert [(span.start, given) for span, given in found] == [
        (0, DateText(2021, quarter=3)),
        (24, DateText(2020, 4, 3, ambiguous=True)),
        (34, DateText(2019, 5, 12)),
        (45, DateText(2019, 2, 1, ambiguous=True)),
    ]


def test_years_of_two_digits_that_reach_from_the_last_century_to_now_are_no_later() -> None:
    now = datetime.now(UTC).year
    days = [date(now - age, 2, 14) for age in range(0, 81, 5)]
    read = read_column(Column(DATE), [Words(f"{day:%d.%m.%y}") for day in days])
    assert [reading.value for reading in read] == days
