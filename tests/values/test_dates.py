"""Dates in text, and the order of day and month in a column."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.values.dates import DateText, decide_order, find_dates, read_date


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
