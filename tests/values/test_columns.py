"""A whole column: what one cell leaves open is decided by the others."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.values.columns import read_column
from srag_mcp.values.states import Column, Reading, State, Words
from srag_mcp.values.types import BOOLEAN, COLUMN_TYPES, INTEGER, Value


def column(
    type_: str,
    texts: list[str],
    unit: str | None = None,
    context: str = "",
    categories: tuple[str, ...] | None = None,
) -> list[Reading]:
    declared = Column(COLUMN_TYPES[type_], unit=unit, categories=categories)
    return read_column(declared, [Words(text, context) for text in texts])


def values(cells: list[Reading]) -> list[Value | None]:
    return [cell.value for cell in cells]


@pytest.mark.parametrize(
    ("type_", "texts", "expected"),
    [
        ("integer", ["22,268", "22.268"], [22_268, 22_268]),
        ("number", ["22,268", "22.268", "4,899"], [22_268.0, 22_268.0, 4899.0]),
        ("number", ["139.1", "141,3"], [139.1, 141.3]),
        ("number", ["1.234", "12.5"], [1.234, 12.5]),
        ("number", ["1.234", "532", "87"], [1234.0, 532.0, 87.0]),
        ("number", ["1.234", "2.345"], [1.234, 2.345]),
        ("number", ["1.234", "9.876,50"], [1234.0, 9876.5]),
        ("number", ["1,234", "9.876,50"], [1.234, 9876.5]),
        ("integer", ["1.000", "2.00"], [1, 2]),
        (
            "number",
            ["6,581", "1,024,631", "1.253.306", "1.331,573"],
            [6581.0, 1_024_631.0, 1_253_306.0, 1_331_573.0],
        ),
        ("number", ["9.50", "1,331.573"], [9.5, 1331.573]),
        ("number", ["14,857", "6,482", "152"], [14_857.0, 6482.0, 152.0]),
    ],
)
def test_a_separator_that_may_be_either_is_decided_by_the_column(
    type_: str, texts: list[str], expected: list[float]
) -> None:
    assert values(column(type_, texts)) == expected


def test_a_footnote_mark_is_left_out_only_where_the_column_groups_its_digits() -> None:
    cells = column("integer", ["3,059", "4,6702", "5,128"])
    assert values(cells) == [3059, 4670, 5128]
    assert cells[1].note == "footnote mark '2' left out"
    assert values(column("number", ["3,05", "4,6702", "5,1"])) == [3.05, 4.6702, 5.1]


def test_values_are_converted_into_the_unit_of_the_attribute() -> None:
    cells = column("number", ["600 metres", "1.2 km", "3"], unit="km")
    assert [(cell.value, cell.unit) for cell in cells] == [(0.6, "km"), (1.2, "km"), (3.0, "km")]
    assert cells[0].note == "in m, converted into km"
    assert values(column("number", ["600 m", "1.2 km", "3 km"])) == [0.6, 1.2, 3.0]
    assert values(column("number", ["1 h 30 min", "45 min"], unit="min")) == [90.0, 45.0]
    assert values(column("number", ["68 °F"], unit="°C")) == [20.0]


def test_a_unit_in_words_scales_nothing_and_one_stray_unit_is_not_the_columns() -> None:
    cells = column("number", ["12.5", "139.1"], unit="cases per 100,000 people")
    assert [(cell.value, cell.unit) for cell in cells] == [
        (12.5, "cases per 100,000 people"),
        (139.1, "cases per 100,000 people"),
    ]
    assert [cell.unit for cell in column("number", ["1", "2", "3 days"])] == [None, None, "day"]


def test_a_unit_around_that_measures_something_else_is_left_out() -> None:
    cells = column("number", ["12.5"], unit="°C", context="Temperature (min)")
    assert [(cell.value, cell.unit) for cell in cells] == [(12.5, "°C")]


def test_a_value_beside_brackets_is_the_one_outside() -> None:
    assert values(column("number", ["73 kg (161 lb)", "168 (551)", "1469 ± 7"])) == [73, 168, 1469]
    assert values(column("integer", ["5th", "#4", "No. 12"])) == [5, 4, 12]


def test_another_currency_is_kept_apart_and_never_converted() -> None:
    cells = column("number", ["RM 12.50", "$ 9.00", "EUR 3"], unit="MYR")
    assert [(cell.value, cell.unit) for cell in cells] == [(12.5, "MYR"), (9, "MYR"), (3, "EUR")]
    assert cells[2].note == "in EUR, not in MYR"
    (cell,) = column("number", ["30,000 pounds"], unit="GBP")
    assert (cell.value, cell.unit) == (30_000, "GBP")


def test_a_caption_scales_cells_that_have_no_scale() -> None:
    cells = column("number", ["(1,234)", "5.2 million", "7"], "USD", "Revenue (in thousands)")
    assert values(cells) == [-1_234_000.0, 5_200_000.0, 7000.0]


def test_a_unit_with_a_scale_is_the_scale_of_the_column() -> None:
    cells = column("number", ["3.2 million", "€1.2bn", "450"], unit="million EUR")
    assert values(cells) == [3.2, 1200.0, 450.0]
    assert {cell.unit for cell in cells} == {"million EUR"}


def test_dates_of_a_column_share_their_order() -> None:
    assert values(column("date", ["03/04/2018", "12/25/2018"])) == [
        date(2018, 3, 4),
        date(2018, 12, 25),
    ]
    assert values(column("date", ["03/04/2018", "25/12/2018"])) == [
        date(2018, 4, 3),
        date(2018, 12, 25),
    ]


@pytest.mark.parametrize(
    ("text", "note"),
    [("2024-05-03T09:54:00Z", "without its time of day"),
     ("3 May 2024, 9:05 pm", "without its time of day"),
     ("2024-05-03 00:00:00", ""), ("2024-05-03T00:00:00+02:00", ""), ("2024-05-03", "")],
)  # fmt: skip
def test_a_time_that_a_date_leaves_out_is_said_in_the_note(text: str, note: str) -> None:
    assert column("date", [text]) == [Reading(State.STATED, date(2024, 5, 3), note=note)]


def test_an_order_that_nothing_proves_is_said_in_the_note() -> None:
    (cell,) = column("date", ["03/04/2018"])
    assert (cell.value, cell.note) == (
        date(2018, 4, 3),
        "day before month, which no other document proves",
    )


def test_a_two_digit_year_joins_the_century_of_its_column() -> None:
    assert values(column("date", ["01.02.45", "13.04.1944"])) == [
        date(1945, 2, 1),
        date(1944, 4, 13),
    ]


def test_a_two_digit_year_far_from_the_column_is_not_trusted() -> None:
    cells = column(
        "date", [*(f"1{n}/03/2018" for n in range(3, 9)), *["25/04/2017"] * 6, "11-23-42"]
    )
    assert cells[-1].state is State.FAILED
    assert values(cells[:1]) == [date(2018, 3, 13)]


@pytest.mark.parametrize(
    ("type_", "text", "note"),
    [
        ("number", "10–12", "a range, not a number"),
        ("number", "abc", "not a number"),
        ("number", "4 rooms, 5 baths", "several numbers"),
        ("integer", "12.5", "not a whole number"),
        ("integer", "9" * 25, "too large a number"),
        ("date", "March 2021", "a partial date"),
        ("date", "2019", "a partial date"),
        ("date", "32/13/2020", "an impossible date"),
        ("date", "5 May 2019 – 7 June 2019", "several dates"),
        ("date", "soon", "not a date"),
    ],
)
def test_what_cannot_be_read_fails_and_says_why(type_: str, text: str, note: str) -> None:
    assert column(type_, [text]) == [Reading(State.FAILED, note=note)]


@pytest.mark.parametrize(
    ("text", "value"),
    [("yes", True), ("Nein", False), ("✓", True), ("✗", False), ("not included", False),
     ("Outdoor pool", True), ("No pool", False), ("none", False), ("Parking: not available", False),
     ("incluido", True), ("sans ascenseur", False), ("Sorry, no pets", False),
     ("There is no lift", False), ("Pets are not allowed", False), ("Non-smoking rooms", True),
     ("Notice board", True), ("Breakfast (no sugar)", True)],
)  # fmt: skip
def test_booleans_in_words_and_signs(text: str, *, value: bool) -> None:
    assert values(column("boolean", [text])) == [value]


def test_what_the_attribute_itself_denies_is_true() -> None:
    said = [Words(text) for text in ("No smoking", "no")]
    assert values(read_column(Column(BOOLEAN, "no_smoking"), said)) == [True, False]


def test_among_answers_what_is_more_than_yes_or_no_is_neither() -> None:
    texts = ["yes", "no", "Yes (both)", "no", "yes", "yes", "no", "no"]
    open_ones = ["one crate", "part-returned", "was returned once", "yes, partly", "Yes - pending"]
    said = [*texts * 4, *open_ones, "returned by post", "is returned", "not yet"]
    read = read_column(Column(BOOLEAN, "returned"), [Words(text) for text in said])
    assert values(read[32:]) == [None, None, None, None, None, True, True, False]
    assert (read[32].state, read[32].note) == (State.FAILED, "neither yes nor no")
    assert values(read[:3]) == [True, False, True]


def test_where_cells_name_things_each_says_that_there_is_one() -> None:
    said = [Words(text) for text in ("Outdoor pool", "yes", "Heated bath", "No pool")]
    assert values(read_column(Column(BOOLEAN, "pool"), said)) == [True, True, True, False]


def test_spellings_that_differ_in_case_and_space_alone_become_the_most_frequent() -> None:
    texts = ['"ACME CO. LTD"', "Acme Co. Ltd", "Acme  Co.  Ltd", "Acme Co Ltd", "A", "A*"]
    assert values(column("string", texts)) == [*["Acme Co. Ltd"] * 3, "Acme Co Ltd", "A", "A*"]


def test_categories_win_over_the_spelling_of_the_documents() -> None:
    cells = column("string", ["HOTEL ", "4-star hotel", "boat"], categories=("Hotel", "Hostel"))
    assert values(cells) == ["Hotel", "Hotel", "boat"]
    assert cells[2].note == "not one of the categories"


def test_placeholders_are_not_values() -> None:
    cells = column("number", ["n/a", "-", "3"])
    assert [cell.state for cell in cells] == [
        State.NOT_MENTIONED,
        State.STATED_ABSENT,
        State.STATED,
    ]
    assert values(column("string", ["Unknown"], categories=("Known", "Unknown"))) == ["Unknown"]


def test_a_date_that_is_denied_in_words_is_absent_and_no_failure() -> None:
    cells = column("date", ["2021-03-04", "never", "not yet", "never on Mondays"])
    states = [cell.state for cell in cells]
    assert states == [State.STATED, State.STATED_ABSENT, State.STATED_ABSENT, State.FAILED]


def test_a_number_that_is_denied_in_words_is_absent_and_no_failure() -> None:
    cells = column("integer", ["none, available immediately", "no more than 3", "3 months"])
    assert [(cell.state, cell.value) for cell in cells] == [
        (State.STATED_ABSENT, None),
        (State.FAILED, None),  # a bound
        (State.STATED, 3),
    ]


@given(st.sampled_from(list(COLUMN_TYPES)), st.lists(st.text(max_size=30), max_size=5))
def test_any_column_is_read_cell_by_cell(type_: str, texts: list[str]) -> None:
    read = column(type_, texts)
    assert len(read) == len(texts)
    for reading in read:
        assert (reading.state is State.STATED) == (
            reading.value is not None and reading.state is not State.STATED_ABSENT
        )
        assert (reading.state is State.FAILED) <= bool(reading.note)


def test_equal_words_below_another_caption_are_another_number() -> None:
    said = [Words("12", context) for context in ("", "(in thousands)", "")]
    assert values(read_column(Column(INTEGER), said)) == [12, 12_000, 12]
