"""Cells get the values that their column decides, and keep words, places and engines."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.cells.cell import Cell
from srag_mcp.cells.normalised import normalise_column
from srag_mcp.schema.attribute import AbsentMeans, Attribute
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State
from srag_mcp.values.types import COLUMN_TYPES, Value


@pytest.mark.parametrize(
    ("type_", "absent_means", "value"),
    [("boolean", "unknown", False), ("integer", "zero", 0), ("string", "unknown", None)],
)
def test_a_stated_absence_has_a_value_where_the_attribute_gives_one(
    type_: str, absent_means: AbsentMeans, value: Value | None
) -> None:
    attribute = Attribute(name="x", type=type_, absent_means=absent_means)
    (cell,) = normalise_column(attribute, [Cell("x", State.STATED_ABSENT, "no pool")])
    assert (cell.state, cell.value) == (State.STATED_ABSENT, value)


@given(st.sampled_from(list(COLUMN_TYPES)), st.lists(st.text(max_size=30), max_size=5))
def test_any_column_keeps_its_cells_in_order_with_their_words(type_: str, texts: list[str]) -> None:
    cells = [Cell("x", State.STATED, text) for text in texts]
    read = normalise_column(Attribute(name="x", type=type_), cells)
    assert [cell.as_stated for cell in read] == texts


@pytest.mark.parametrize(
    ("type_", "text", "value"),
    [
        ("integer", "12 rooms", 12),
        ("date", "3 March 2020", date(2020, 3, 3)),
        ("boolean", "No pool", False),
        ("string", "Berlin", "Berlin"),
    ],
)
def test_equal_cells_share_their_value_and_keep_their_places(
    type_: str, text: str, value: Value
) -> None:
    spans = [Span(start, start + len(text)) for start in (0, 40)]
    engines = ["offline", "agent"]
    cells = [
        Cell("x", State.STATED, text, span, engine=engine)
        for span, engine in zip(spans, engines, strict=True)
    ]

    read = normalise_column(Attribute(name="x", type=type_), cells)

    assert [(cell.value, cell.span, cell.engine) for cell in read] == [
        (value, span, engine) for span, engine in zip(spans, engines, strict=True)
    ]


def test_what_cannot_be_read_keeps_its_words() -> None:
    cells = [Cell("x", State.STATED, "soon")]
    [read] = normalise_column(Attribute(name="x", type="date"), cells)
    assert read == Cell("x", State.FAILED, "soon", note="not a date")
