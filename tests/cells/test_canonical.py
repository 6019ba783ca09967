from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.cells.cell import Cell, PredictedCell, read_column, write_canonical
from srag_mcp.schema.attribute import Attribute, Scalar
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State
from srag_mcp.values.types import Value


@pytest.mark.parametrize(
    ("kind", "value", "text", "read"),
    [
        ("integer", 12, "12", 12),
        ("integer", 12.0, "12", 12),
        ("integer", "1,200", "1200", 1200),
        ("integer", 1e15, "1000000000000000", 10**15),
        ("number", 12.5, "12.5", 12.5),
        ("number", 1e-7, "0.0000001", 1e-7),
        ("number", "-0.25", "-0.25", -0.25),
        ("number", 1.234, "1.234", 1.234),
        ("boolean", True, "true", True),
        ("boolean", "No", "false", False),
        ("date", "2020-02-29", "2020-02-29", date(2020, 2, 29)),
        ("date", "2020-02", "2020-02", None),
        ("date", 2020, "2020", None),
        ("string", " The  Crown ", "The Crown", "The Crown"),
        ("string", 12, "12", "12"),
    ],
)
def test_values_are_written_in_one_way(
    kind: str, value: Scalar | None, text: str, read: Value | None
) -> None:
    attribute = Attribute(name="it", type=kind)
    assert write_canonical(attribute, value) == text
    assert attribute.type.read(text) == read


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("integer", 12.5),
        ("integer", True),
        ("integer", "twelve"),
        ("number", "12 USD"),
        ("number", "1.2 million"),
        ("number", float("inf")),
        ("number", "1,23"),
        ("boolean", "perhaps"),
        ("boolean", 1),
        ("date", "29/02/2020"),
        ("date", "2021-02-29"),
        ("date", "20210228"),
        ("date", "2020-13"),
        ("date", "2020-02-31"),
        ("date", "31.02.2020"),
        ("string", float("nan")),
        ("string", "x" * 1001),
        ("number", "7" * 10**6),
        ("string", ""),
        ("string", True),
        ("string", None),
    ],
)
def test_values_in_another_form_are_refused(kind: str, value: Scalar | None) -> None:
    assert write_canonical(Attribute(name="it", type=kind), value) is None


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**18), 10**18))
def test_a_number_survives_its_text(value: float) -> None:
    attribute = Attribute(name="it", type="number")
    text = write_canonical(attribute, value)
    assert text is not None
    assert attribute.type.read(text) == float(value)


def predicted(value: str | None, words: str, state: State = State.STATED) -> PredictedCell:
    return PredictedCell(
        Cell("it", state, words, Span(0, len(words)), unit="m", engine="model"), value
    )


def test_spellings_become_one_and_the_words_stay() -> None:
    attribute = Attribute(name="it", type="string")
    cells = [
        predicted("Acme Ltd", "Acme Ltd"),
        predicted("Acme Ltd", "by Acme Ltd"),
        predicted("ACME LTD", "ACME LTD"),
        predicted("Acme Ltd*", "Acme Ltd*"),
    ]

    found = read_column(attribute, cells)

    assert [cell.value for cell in found] == [*["Acme Ltd"] * 3, "Acme Ltd*"]
    assert [cell.as_stated for cell in found] == [
        "Acme Ltd",
        "by Acme Ltd",
        "ACME LTD",
        "Acme Ltd*",
    ]


def test_a_value_outside_of_the_categories_is_not_made_one_of_them() -> None:
    attribute = Attribute(name="it", type="string", categories=("Paid", "Open"))
    cells = [predicted("Paid", "paid"), predicted("not paid", "not paid")]
    cells[1] = replace(cells[1], cell=replace(cells[1].cell, note="looked at again and kept"))

    found = read_column(attribute, cells)

    assert [(cell.value, cell.note) for cell in found] == [
        ("Paid", ""),
        ("not paid", "not one of the categories; looked at again and kept"),
    ]


def test_a_number_is_not_read_again_by_its_marks() -> None:
    attribute = Attribute(name="it", type="number", unit="m")

    found = read_column(attribute, [predicted("1.234", "1.234"), predicted("2000", "2.000")])

    assert [(cell.value, cell.unit) for cell in found] == [(1.234, "m"), (2000.0, "m")]


def test_a_partial_date_fails_with_its_words() -> None:
    [cell] = read_column(Attribute(name="it", type="date"), [predicted("2021-03", "March 2021")])

    assert (cell.state, cell.value, cell.as_stated, cell.note) == (
        State.FAILED,
        None,
        "March 2021",
        "a partial date",
    )


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        (Attribute(name="it", type="boolean"), False),
        (Attribute(name="it", type="integer", absent_means="zero"), 0),
        (Attribute(name="number_of_rooms", type="integer"), 0),
        (Attribute(name="n_defects", type="integer"), 0),
        (Attribute(name="defects", type="integer", description="How many were found."), 0),
        (Attribute(name="defects", type="integer", description="Of the hull; 0 where none is."), 0),
        (Attribute(name="exhibit", type="integer", description="Number of the exhibit."), None),
        (Attribute(name="renovated", type="integer", description="Year of the works."), None),
        (Attribute(name="rent", type="number", description="A number of euros."), None),
        (Attribute(name="it", type="string"), None),
    ],
)
def test_what_is_stated_absent_has_the_value_of_its_type(
    attribute: Attribute, value: Value | None
) -> None:
    [cell] = read_column(attribute, [predicted(None, "none", State.STATED_ABSENT)])

    assert (cell.state, cell.value, cell.unit) == (State.STATED_ABSENT, value, None)


def test_categories_that_differ_by_a_mark_are_not_each_other() -> None:
    grade = Attribute(name="grade", type="string", categories=("A", "A-", "A+"))
    assert [write_canonical(grade, text) for text in ("A", "A-", "a−", "A+")] == [
        "A",
        "A-",
        "A-",
        "A+",
    ]
    marks = Attribute(name="it", type="string", categories=("n/a", "N.A.", "Open"))
    assert [write_canonical(marks, text) for text in ("N.A.", "N/A", "open ")] == [
        "N.A.",
        "N/A",
        "Open",
    ]
