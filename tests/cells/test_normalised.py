"""Cells get the values that their column decides, and keep words, places and engines."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.cells.cell import (
    Cell,
    ListedRows,
    Mark,
    PredictedCell,
    Record,
    add_style,
    normalise_column,
    read_column,
)
from srag_mcp.schema.attribute import AbsentMeans, Attribute
from srag_mcp.schema.schema import Schema, Table
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


@pytest.mark.parametrize(
    ("words", "value"),
    [("no visitors", 0), ("none", 0), ("nobody", 0), ("none found", 0), ("no visitors in May", 0),
     ("None of the visitors came", None), ("no figure from last year", None),
     ("no record of visitors", None), ("no visitor numbers", None), ("they were not counted", None),
     ("not many visitors", None), ("no more than 30 visitors", None),
     ("nobody knows how many", None), ("no one kept count", None)],
)  # fmt: skip
def test_a_count_is_zero_where_its_things_are_denied_and_no_figure_of_them(
    words: str, value: int | None
) -> None:
    attribute = Attribute(name="visitors_2022", type="integer", description="Number of visitors.")
    [cell] = read_column(attribute, [PredictedCell(Cell("x", State.STATED_ABSENT, words))])
    assert cell.value == value


@given(st.sampled_from(list(COLUMN_TYPES)), st.lists(st.text(max_size=30), max_size=5))
def test_any_column_keeps_its_cells_in_order_with_their_words(type_: str, texts: list[str]) -> None:
    cells = [Cell("x", State.STATED, text) for text in texts]
    read = normalise_column(Attribute(name="x", type=type_), cells)
    silent = [cell.state is State.NOT_MENTIONED for cell in read]
    said = [None if is_silent else text for is_silent, text in zip(silent, texts, strict=True)]
    assert [cell.as_stated for cell in read] == said


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


@pytest.mark.parametrize(
    ("name", "words", "value"),
    [
        ("persons_injured", "none", 0),
        ("persons_injured", "keine", 0),
        ("persons_injured", "-", None),  # it may stand for what nobody knows
        ("persons_injured", "", None),
        ("n_rooms", "", None),
        ("number_of_floors", "-", None),
        ("floor", "none", None),
    ],
)
def test_none_of_what_is_counted_is_0_where_words_say_it(
    name: str, words: str, value: int | None
) -> None:
    cell = Cell(name, State.STATED_ABSENT, words)
    plain, measured = (Attribute(name=name, type="integer", unit=unit) for unit in (None, "h"))
    assert normalise_column(plain, [cell])[0].value == value
    assert normalise_column(measured, [cell])[0].value is None


def test_a_thousand_is_no_decimal_beside_figures_with_a_scale() -> None:
    cells = [Cell("x", State.STATED, text) for text in ("£467,000", "£571k", "£307,950")]
    read = normalise_column(Attribute(name="x", type="number", unit="GBP"), cells)
    assert [(cell.value, cell.marks) for cell in read] == [
        (467_000, frozenset()), (571_000, frozenset()), (307_950, frozenset())
    ]  # fmt: skip


def test_what_only_the_size_of_the_others_decides_is_doubted() -> None:
    cells = [Cell("x", State.STATED, text) for text in ("1.234", "950", "2.871")]
    read = normalise_column(Attribute(name="x", type="number"), cells)
    assert [(cell.value, *cell.marks) for cell in read] == [
        (1234, Mark.DOUBTED), (950,), (2871, Mark.DOUBTED)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("texts", "doubted"),
    [
        (("1.234", "5.000", "2.750"), True),
        (("1.234", "5.000", "2.75"), False),
        (("1,234", "5,000", "2,750"), False),  # a comma mostly groups
    ],
)
def test_three_digits_behind_a_point_are_doubted_where_nothing_proves_decimals(
    texts: tuple[str, ...], *, doubted: bool
) -> None:
    cells = [Cell("x", State.STATED, text) for text in texts]
    read = normalise_column(Attribute(name="x", type="number"), cells)
    assert [Mark.DOUBTED in cell.marks for cell in read] == [doubted] * 3


@pytest.mark.parametrize(
    ("prices", "value", "marks"),
    [
        (("12,50", "3,75"), 1065.0, frozenset()),
        (("12.50", "3.75"), 1.065, frozenset()),
        (("12", "3.750"), 1.065, {Mark.DOUBTED}),
        (("12,50", "3.75"), 1.065, {Mark.DOUBTED}),  # two documents say two things
    ],
)
def test_other_numbers_of_its_document_say_how_a_number_is_written(
    prices: tuple[str, str], value: float, marks: frozenset[Mark]
) -> None:
    """Be they in a list; words that are no numbers say nothing."""
    price, total = Attribute(name="price", type="number"), Attribute(name="total", type="number")
    child = Table(
        title="Item", list_name="items", entity="bills_items", attributes=(price,), parent="bills"
    )
    note = Attribute(name="note", type="string")
    schema = Schema(title="Bills", entity="bills", attributes=(total, note), children=(child,))
    listed = Cell("position", State.STATED, "items")
    records = [
        add_style(
            Record(
                f"{n}.txt",
                (Cell("total", State.STATED, "1.065"), Cell("note", State.STATED, "1,2 and 3.4")),
                (ListedRows("bills_items", listed, ((Cell("price", State.STATED, said),),)),),
            ),
            schema,
        )
        for n, said in enumerate(prices)
    ]
    read = normalise_column(total, [record.cells[0] for record in records])
    assert [(cell.value, cell.marks) for cell in read] == [(value, marks)] * 2
    assert [record.cells[1].context for record in records] == ["", ""]


@pytest.mark.parametrize(
    ("context", "value", "marks"),
    [
        ("decimal point", 1.234, []),  # of its table
        ("elsewhere decimal point", 1234, [Mark.DOUBTED]),
    ],
)
def test_a_number_that_is_grouped_by_its_size_and_not_by_its_document_is_doubted(
    context: str, value: float, marks: list[Mark]
) -> None:
    cells = [Cell("x", State.STATED, text, context=context) for text in ("1.234", "950")]
    read = normalise_column(Attribute(name="x", type="number"), cells)
    assert [(cell.value, [*cell.marks]) for cell in read] == [(value, marks), (950, [])]


@pytest.mark.parametrize(("said", "state"), [
    ("none", State.NOT_MENTIONED), ("–", State.STATED_ABSENT), ("oak", State.STATED_ABSENT),
])  # fmt: skip
def test_an_empty_cell_says_none_only_where_no_other_writes_so(said: str, state: State) -> None:
    cells = [Cell("x", State.STATED, text) for text in (said, "light")]
    empty = Cell("x", State.STATED_ABSENT, "", Span(4, 4))
    read = normalise_column(Attribute(name="x", type="string"), [*cells, empty])
    assert read[-1].state is state
