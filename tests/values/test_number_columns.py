"""Columns of numbers: scale and unit come from the cell, the words beside it and the column."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.values.columns import classify_values, read_column
from srag_mcp.values.numbers import is_bound, read_number
from srag_mcp.values.quantities import Quantity
from srag_mcp.values.states import Column, Reading, State, Words
from srag_mcp.values.types import COLUMN_TYPES, DATE, INTEGER, NUMBER
from srag_mcp.values.units import SIZES, convert


def _read(*said: tuple[str, str], unit: str | None = None) -> list[Reading]:
    return read_column(Column(NUMBER, unit=unit), [Words(*words) for words in said])


@given(
    st.integers(1, 10**6),
    st.sampled_from([("(in thousands)", 10**3), ("(in millions)", 10**6), ("in Mio. EUR", 10**6)]),
)
def test_a_caption_multiplies_only_what_has_no_scale_of_its_own(
    number: int, caption: tuple[str, int]
) -> None:
    context, scale = caption
    plain, scaled = _read((str(number), context), (f"{number} billion", context))
    assert plain.value == number * scale
    assert scaled.value == number * 10**9


@given(st.integers(1, 10**6), st.sampled_from(["thousand", "million", "billion"]))
def test_a_column_in_millions_holds_millions(number: int, scale: str) -> None:
    sizes = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
    [reading] = _read((f"{number} {scale} USD", ""), unit="million USD")
    assert reading.value == pytest.approx(number * sizes[scale] / 10**6)
    assert reading.unit == "million USD"


@given(
    st.integers(1, 9999),
    st.sampled_from(sorted(SIZES)),
    st.sampled_from(sorted(SIZES)),
)
def test_a_value_in_another_unit_is_converted_or_keeps_its_own(
    number: int, own: str, wanted: str
) -> None:
    [reading] = _read((f"{number} {own}", ""), unit=wanted)
    carried = convert(number, own, wanted)
    if carried is None:
        assert (reading.value, reading.unit) == (number, own)
        assert reading.note == f"in {own}, not in {wanted}"
    else:
        assert reading.value == pytest.approx(carried)
        assert (reading.unit, bool(reading.note)) == (wanted, own != wanted)


@pytest.mark.parametrize(
    ("said", "unit", "units"),
    [
        ([("$5", ""), ("$7", "")], None, ["USD", "USD"]),
        ([("$5", ""), ("$7", "")], "CAD", ["CAD", "CAD"]),
        ([("$5", "Price (AUD)")], "EUR", ["AUD"]),
        ([("5", "Price (USD)")], None, ["USD"]),
        ([("5 kr", ""), ("7 kr", "")], "NOK", ["NOK", "NOK"]),
        ([("€5", "")], "USD", ["EUR"]),
        ([("5 km", ""), ("7", ""), ("8", "")], None, ["km", None, None]),
        ([("5 km", ""), ("7 km", ""), ("8", "")], None, ["km", "km", "km"]),
    ],
)
def test_the_unit_of_a_number_is_its_own_or_what_stands_beside_or_the_column_s(
    said: list[tuple[str, str]], unit: str | None, units: list[str | None]
) -> None:
    assert [reading.unit for reading in _read(*said, unit=unit)] == units


@given(st.integers(1, 999))
def test_m_is_a_million_beside_money_and_a_metre_elsewhere(number: int) -> None:
    assert _read((f"{number}m", ""), unit="USD")[0].value == number * 10**6
    assert _read((f"{number}m", ""), unit="m")[0].value == number


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("10–12", "a range, not a number"),
        ("3 rooms and 4 beds", "several numbers"),
        ("soon", "not a number"),
        ("9" * 29, "too large a number"),
    ],
)
def test_what_is_no_one_number_fails_and_says_why(text: str, note: str) -> None:
    assert _read((text, "")) == [Reading(State.FAILED, note=note)]


def test_a_whole_column_takes_no_decimals() -> None:
    [whole, half] = read_column(Column(INTEGER), [Words("2.0"), Words("2.5")])
    assert whole.value == 2
    assert half == Reading(State.FAILED, note="not a whole number")


_TEXTS = st.one_of(
    st.integers(-(10**6), 10**6).map(str),
    st.decimals(0, 10**4, places=2).map(str),
    st.dates().map(str),
    st.sampled_from(["yes", "no", "n/a", "Berlin", "€5", "12 km", "", "about 7", "(3)"]),
)


@given(st.lists(_TEXTS, min_size=1, max_size=12))
def test_the_guessed_type_reads_the_share_of_values_that_it_claims(values: list[str]) -> None:
    guess = classify_values(values)
    assert guess.type in COLUMN_TYPES.values()
    read = read_column(Column(guess.type, unit=guess.unit), [Words(value) for value in values])
    given_ones = [reading for reading in read if reading.state is not State.NOT_MENTIONED]
    n_read = sum(reading.state is State.STATED for reading in given_ones)
    assert n_read >= round(guess.share * len(given_ones)) - 1


@given(st.permutations(["1.234", "1,234", "12.5", "4,000 km", "7", "1.234.567", "2,5"]))
def test_the_order_of_the_documents_does_not_change_a_number(written: list[str]) -> None:
    found = dict(zip(written, _read(*((text, "") for text in written)), strict=True))
    again = dict(
        zip(sorted(written), _read(*((text, "") for text in sorted(written))), strict=True)
    )
    assert found == again


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["746", "1,080", "12,345"], [746, 1080, 12345]),
        (["1,081", "12,345"], [1.081, 12.345]),  # nothing speaks against the table
        (["746", "1,081", "12,345"], [746, 1.081, 12.345]),  # `1,081` may be all of its digits
        (["7460", "1,080"], [7460, 1.08]),
        (["746", "1,080", "1,25"], [746, 1.08, 1.25]),
    ],
)
def test_a_column_may_prove_that_it_groups_digits_where_its_table_writes_a_decimal_comma(
    texts: list[str], values: list[float]
) -> None:
    readings = read_column(Column(NUMBER), [Words(text, "decimal comma") for text in texts])
    assert [reading.value for reading in readings] == values


@pytest.mark.parametrize(
    ("name", "texts", "values"),
    [
        ("annual_fee", ["£40", "65.5", "£1 per month", "£3 a year", "£9 yearly"],
         [40, 65.5, None, 3, 9]),
        ("rent", ["£400 pcm", "£500 per month", "£90 a week", "£300"], [400, 500, None, 300]),
        ("annual_fee", ["€12 a month", "€13 per month", "€120", "€200 per year"],
         [None, None, 120, 200]),
        ("hours", ["37.5 per week", "20 a week"], [37.5, 20]),
        ("wage", ["12 an hour", "15/hour", "90 per day"], [12, 15, None]),
        ("price", ["£3", "£4", "£2 each"], [3, 4, None]),
        ("entry", ["€5 per person", "€20 per family", "€6 per person"], [5, None, 6]),
        ("stay", ["3 nights", "2", "4 nights (weekly)"], [3, 2, 4]),
        ("speed", ["30 km/h", "40 km per hour"], [30, 40]),
    ],
)  # fmt: skip
def test_a_number_for_each_of_something_else_than_its_column_is_none_of_it(
    name: str, texts: list[str], values: list[float | None]
) -> None:
    read = read_column(Column(NUMBER, name), [Words(text) for text in texts])
    assert [reading.value for reading in read] == values
    reasons = {reading.note.partition("each")[0] for reading in read if reading.value is None}
    assert reasons <= {"for "}


def test_what_is_of_each_hundred_is_a_share_and_no_rate() -> None:
    texts = ["9 %", "7 pro cent", "5 per cent", "2 por ciento", "3 pro mille", "2 per mille"]
    read = _read(*((text, "") for text in texts))
    assert [(reading.value, reading.unit) for reading in read] == [
        (9, "percent"), (7, "percent"), (5, "percent"), (2, "percent"), (3, "permille"),
        (2, "permille"),
    ]  # fmt: skip


def test_the_header_of_a_column_says_for_each_of_what_its_numbers_are() -> None:
    said = [Words(text, "Pay (weekly)") for text in ("£90", "£95 per week", "£400 per month")]
    read = read_column(Column(NUMBER, "pay"), said)
    assert [reading.value for reading in read] == [90, 95, None]


@pytest.mark.parametrize(
    "text",
    ["<1", "> 500", "≥2", "under 5", "over £500", "more than 20 kg", "5 or more", "50+",
     "at least two", "from 12 EUR", "mindestens 3", "bis zu 8", "more than 2 h 30 min",
     "over 6 ft 6 in", "1 h 30 min or more", "no more than 3", "unter 5 kg", "max. 40 kg",
     "40 kg max.", "min. 3", "a minimum of 3", "40 at most", "bis 40 kg", "höchstens 3", "ab 20 €",
     "maximal 8", "moins de 5", "plus de 12", "au moins 3", "au maximum de 40", "jusqu’à 40 kg",
     "à partir de 20 €", "5 ou plus", "al menos 3", "hasta 40 kg", "más de 2", "máx. 5", "5 o más",
     "almeno 3", "fino a 40 kg", "oltre 5", "più di 2", "minstens 3", "tot 40 kg", "vanaf € 20",
     "ten minste 3", "até 40 kg", "pelo menos 3", "no mínimo 3", "upwards of 40", "50 plus"],
)  # fmt: skip
def test_the_end_of_where_a_number_lies_is_no_number(text: str) -> None:
    assert is_bound(text)
    [reading] = _read((text, ""))
    assert (reading.state, reading.note) == (State.FAILED, "a bound is stated, and no value")


def test_the_end_of_a_number_that_its_unit_tells_from_others_is_none() -> None:
    [open_one, exact] = _read(("over 500 m, 3 stops", ""), ("500 m, 3 stops", ""), unit="m")
    assert open_one == Reading(State.FAILED, note="a bound is stated, and no value")
    assert exact == Reading(State.STATED, 500.0, "m")


@pytest.mark.parametrize(
    ("text", "value"),
    [("1 h 30 min", 1.5), ("1 hour and 30 minutes", 1.5), ("2 h, 15 min", 2.25),
     ("1 h / 60 min", None), ("1 h = 60 min", None), ("1 h 90 min", None), ("0 h 30 min", 0.5),
     ("1 h by 20 min", None), ("2 h, 0.5 h", None), ("-1 h 30 min", None)],
)  # fmt: skip
def test_only_parts_of_one_measure_are_added(text: str, value: float | None) -> None:
    found = read_number(text)
    assert found == (None if value is None else Quantity(value, "h"))


@pytest.mark.parametrize(
    "text", ["73 kg (over 160 lb)", "Over the hill 5", "-5", "12 m", "", "5 min 30 s", "30 min."]
)
def test_what_speaks_of_an_end_elsewhere_is_no_bound(text: str) -> None:
    assert not is_bound(text)


@pytest.mark.parametrize(
    "text",
    [
        "approx. 40",
        "ca. 40",
        "~40",
        "about 40",
        "rund 40",
        "env. 40",
        "40 environ",
        "unos 40",
        "circa 40",
        "ongeveer 40",
        "aprox. 40",
        "40 (approx.)",
    ],
)
def test_a_rough_number_is_one_that_may_be_another(text: str) -> None:
    [reading, exact] = _read((text, ""), ("41", ""))
    assert reading == Reading(State.STATED, 40.0, note="a rough value is stated", is_guess=True)
    assert exact == Reading(State.STATED, 41.0)


def test_a_column_of_bounds_is_one_of_texts() -> None:
    assert classify_values(["from 12", "from 15", "20", "from 9"]).type == "string"
    assert classify_values(["<1", "3", "4", "12", "<1"]).type == "integer"


@pytest.mark.parametrize(
    ("texts", "values", "behind"),
    [
        (["€ 23", "€ 31", "2300 ct", "12"], [23, 31, None, 12], "ct"),
        (["457 mm", "120 mm", '38"'], [457, 120, None], '"'),
        (["12 years", "7 years", "240 mo"], [12, 7, None], "mo"),
        (["60 %", "70 %", "12/20"], [60, 70, None], "/20"),
        (["5/10", "6/10", "4/5", "7"], [5, 6, None, 7], "/5"),
        (["1.5 MB", "2 MB", "12 Mb"], [1.5, 2, None], "mb"),
        (["15 ft 3 in", "12 ft 6 in", "122 in"], [15.25, 12.5, None], "in"),
        (["9 ppm", "8 ppm", "700 ppb"], [9, 8, None], "ppb"),
        (["180k", "150k", "20 k"], [180_000, 150_000, None], "k"),
        (["5.00 DR", "4.00 DR", "0.00", "5.00 CR"], [5, 4, 0, None], "CR"),
        (["12", "15", "20 k"], [12, 15, None], "k"),
        (["4.5", "3", "3.5/5"], [4.5, 3, 3.5], ""),
        (["£5", "£7", "6 in total"], [5, 7, 6], ""),
        (["4 engineers", "1 engineer", "3"], [4, 1, 3], ""),
        (["3 days", "4 nights", "2 days"], [3, 4, 2], ""),
        (["40 m", "50 m", "approx. 60"], [40, 50, 60], ""),
    ],
)
def test_a_number_with_something_unread_behind_it_takes_no_unit_from_its_column(
    texts: list[str], values: list[float | None], behind: str
) -> None:
    unit = {"180k": "USD", "15 ft 3 in": "ft"}.get(texts[0])
    read = _read(*((text, "") for text in texts), unit=unit)
    assert [reading.value for reading in read] == values
    notes = {reading.note for reading in read if reading.value is None}
    assert notes == ({f"with {behind!r} behind it, unlike its column"} if behind else set())


@pytest.mark.parametrize(
    ("texts", "values", "before"),
    [
        (["€3", "€12", "waived, was €45"], [3, 12, None], "waived was"),
        (["4", "none (3 in the last firing)"], [4, None], "none"),
        (["200", "free (usually 300)", "150"], [200, None, 150], "free usually"),
        (["2 h", "3 h", "see note 3"], [2, 3, None], "see note"),
        (["12.1 kg", "8 kg", "not taken (earlier: 14.3 kg)"], [12.1, 8, None], "not taken earlier"),
        (["900 °C", "no reading; a sensor said 900 °C"], [900, None], "no reading sensor said"),
        (["row 12", "row 7", "row 9", "3"], [12, 7, 9, 3], ""),
        (["€3", "about €12", "size: 9"], [3, 12, 9], ""),
        (["3 (4 ordered)", "7, of 9"], [3, None], ""),
        (["EUR  45", "EUR  30", "12"], [45, 30, 12], ""),
        (["waived, was €45"], [None], "waived was"),
        (["two", "9", "postponed, as two in May"], [2, 9, None], "postponed as"),
        (["12", "9", "unknown, perhaps about 12"], [12, 9, None], "unknown perhaps"),
        (["45 days", "thirty (30) days", "only 12 days"], [45, 30, 12], ""),
    ],
)  # fmt: skip
def test_a_number_behind_other_words_than_its_column_has_is_not_what_its_cell_states(
    texts: list[str], values: list[float | None], before: str
) -> None:
    column = Column(NUMBER, name="size")
    read = read_column(column, [Words(text) for text in texts])
    assert [reading.value for reading in read] == values
    notes = {reading.note for reading in read if before and reading.value is None}
    assert notes == ({f"with {before!r} before it, unlike its column"} if before else set())


def test_what_begins_with_a_denial_states_no_number_in_words_and_no_day() -> None:
    numbers = read_column(Column(NUMBER), [Words(x) for x in ("two", "none, three last year")])
    assert [x.state for x in numbers] == [State.STATED, State.STATED_ABSENT]
    texts = ("2024-05-02", "never (last seen 2024-03-01)", "Paris, 3 May 2024")
    days = read_column(Column(DATE), [Words(text) for text in texts])
    assert [x.state for x in days] == [State.STATED, State.FAILED, State.STATED]


def test_feet_and_inches_in_signs_are_two_numbers() -> None:
    assert _read(("5'10\"", ""), ("1'234'567", "")) == [
        Reading(State.FAILED, note="several numbers"),
        Reading(State.STATED, 1_234_567.0),
    ]


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["28 %", "9 %", "0.34", "0.07"], [28, 9, 34, 7]),
        (["28 %", "9 %", "0.34", "1"], [28, 9, 34, 100]),
        (["28 %", "9 %", "34", "0.5"], [28, 9, 34, 0.5]),
        (["0.5 %", "0.75 %", "0.25"], [0.5, 0.75, 0.25]),
        (["0.5 %", "28 %", "30 %", "0.34"], [0.5, 28, 30, None]),
    ],
)
def test_what_has_no_sign_among_per_cents_is_a_fraction_where_its_size_says_so(
    texts: list[str], values: list[float | None]
) -> None:
    read = _read(*((text, "") for text in texts))
    assert [reading.value for reading in read] == values


@pytest.mark.parametrize(
    ("texts", "name", "type_"),
    [
        (["19 mil", "22 mil", "8 mil"], "thickness", "string"),
        (["12T", "30T", "7T"], "load", "string"),
        (["5.00 CR", "0.00", "5.00 DR"], "adjustment", "string"),
        (["12T", "30T", "7T"], "Load (kg)", "integer"),
        (["900K", "1.2M", "350K"], "views", "integer"),
        (["950", "1.2k", "3k"], "views", "integer"),
        (["€5 m", "€12 m", "€7 m"], "price", "integer"),
        (["3 million", "4 million"], "views", "integer"),
    ],
)
def test_what_stands_behind_every_number_may_be_a_unit_and_is_no_scale_then(
    texts: list[str], name: str, type_: str
) -> None:
    assert classify_values(texts, name).type == type_


def test_a_cell_in_words_is_read_whole_or_not_at_all() -> None:
    texts = (
        "Eight and a half metres",
        "nine metres",
        "three quarters of a metre",
        "10 m and a half",
    )
    read = read_column(Column(NUMBER, unit="m"), [Words(text) for text in texts])
    assert [reading.value for reading in read] == [8.5, 9.0, None, 10.5]
    assert read[2] == Reading(State.FAILED, note="not a number")
