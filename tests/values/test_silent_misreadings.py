"""Values that look readable and are not, or not so: each is read right or FAILED, never guessed."""

from datetime import date

import pytest

from srag_mcp.values.columns import read_column
from srag_mcp.values.numbers import read_number
from srag_mcp.values.quantities import Quantity
from srag_mcp.values.states import Column, Reading, State, Words
from srag_mcp.values.types import COLUMN_TYPES, Value


def _column(type_: str, *texts: str, context: str = "", unit: str | None = None) -> list[Reading]:
    declared = Column(COLUMN_TYPES[type_], unit=unit)
    return read_column(declared, [Words(text, context) for text in texts])


@pytest.mark.parametrize(
    ("text", "value"),
    [("–5", -5.0), ("- 5", -5.0), ("- $5", -5.0), ("€ –5", -5.0), ("negative 5", -5.0),
     ("2 hundred thousand", 200_000.0), ("Total - 5", 5.0), ("1_000", None), ("1..2", None)],
)  # fmt: skip
def test_signs_scales_and_broken_numerals(text: str, value: float | None) -> None:
    (cell,) = _column("number", text)
    assert cell.value == value
    assert cell.state is (State.FAILED if value is None else State.STATED)


@pytest.mark.parametrize(
    ("context", "value", "unit"),
    [
        ("Revenue, USD m", 7e6, "USD"),
        ("€ million", 7e6, "EUR"),
        ("£'000", 7e3, "GBP"),
        ("₹ crore", 7e7, "INR"),
        ("Thousands of dollars", 7e3, None),
        ("Million tonnes", 7e6, None),
        ("in TEUR", 7e3, "EUR"),
        ("en milliers d'euros", 7e3, None),
        ("Our million reasons", 7.0, None),
        ("Length in m", 7.0, "m"),
        ("Rotor diameter (m)", 7.0, "m"),
        ("Cost (EUR m)", 7e6, "EUR"),
        ("Population (M)", 7e6, None),
        ("Spectators [k]", 7e3, None),
    ],
)
def test_scales_in_the_words_around(context: str, value: float, unit: str | None) -> None:
    (cell,) = _column("number", "7", context=context)
    assert (cell.value, cell.unit) == (value, unit)


def test_a_letter_in_brackets_beside_money_is_a_scale() -> None:
    [declared] = _column("number", "7", context="Revenue (m)", unit="USD")
    [written] = _column("number", "$7", context="Revenue (m)")
    assert declared.value == written.value == 7e6
    assert read_number("$7", "(m)") == Quantity(7e6, "USD")


def test_a_sign_of_several_currencies_is_only_read_as_one_of_them() -> None:
    cells = _column("number", "USD 1", "USD 2", "USD 3", "$4", "¥500", "Rs 600", "kr 70")
    assert [cell.unit for cell in cells] == ["USD", "USD", "USD", "USD", "JPY", "INR", "kr"]
    assert [cell.note for cell in cells[4:]] == [
        "in JPY, not in USD", "in INR, not in USD", "in kr, not in USD",
    ]  # fmt: skip
    assert [cell.unit for cell in _column("number", "CAD 1", "CAD 2", "$3")] == ["CAD"] * 3


@pytest.mark.parametrize(
    ("unit", "value", "read"), [("USD", 1.2e6, "USD"), ("m", 1.2, "m"), (None, 1.2, "m")]
)
def test_an_m_is_a_million_in_a_column_of_money(unit: str | None, value: float, read: str) -> None:
    (cell,) = _column("number", "1.2m", unit=unit)
    assert (cell.value, cell.unit, cell.note) == (value, read, "")


@pytest.mark.parametrize(
    ("text", "day", "note"),
    [("5-7 March 2020", None, "several dates"), ("5 to 7 March 2020", None, "several dates"),
     ("30 May - 2 June 2020", None, "several dates"),
     ("May 30 - June 2, 2020", None, "several dates"),
     ("10:30 - 5 March 2020", date(2020, 3, 5), "without its time of day"),
     ("Room 5, 7 March 2020", date(2020, 3, 7), "")],
)  # fmt: skip
def test_a_range_of_days_is_no_date(text: str, day: date | None, note: str) -> None:
    (cell,) = _column("date", text)
    assert (cell.value, cell.note) == (day, note)


@pytest.mark.parametrize(
    ("text", "value"),
    [("maybe", None), ("yes/no", None), ("Y/N", None), ("to be confirmed", None), ("42", None),
     ("2020-01-01", None), ("no information", None), ("disabled", False), ("enabled", True),
     ("[ ]", False), ("[x]", True), ("No information desk", False), ("No pool", False),
     ("Yes, on request", True), ("Pending trains room", True)],
)  # fmt: skip
def test_what_says_neither_yes_nor_no_is_not_yes(text: str, value: Value | None) -> None:
    (cell,) = _column("boolean", text)
    assert cell.value == value


def test_a_dollar_sign_beside_euros_is_no_euro() -> None:
    cells = _column("number", "€ 1,200", "€ 1,300", "$ 1,400", "£ 900")
    assert [cell.unit for cell in cells] == ["EUR", "EUR", "USD", "GBP"]


def test_micrograms_beside_milligrams_are_a_thousandth_of_them() -> None:
    cells = _column("number", "0.007 mg/L", "0.011 mg/L", "6 µg/L")
    assert [cell.value for cell in cells] == [0.007, 0.011, 0.006]
