"""Headers, captions and headings around a value change its reading."""

import pytest

from srag_mcp.cells.cell import Cell, add_surroundings, normalise_column
from srag_mcp.documents.reading import read_content
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State


def _read(text: str, quote: str, name: str = "a.md") -> Cell:
    content = read_content(text.encode(), name)
    start = content.text.index(quote)
    cell = Cell("x", State.STATED, quote, Span(start, start + len(quote)))
    return add_surroundings([cell], content.blocks)[0]


@pytest.mark.parametrize(
    ("text", "quote", "value"),
    [
        ("(in millions)\n\n| Item | 2020 | 2021 |\n|--|--|--|\n| Rent | 71 | 82 |\n", "82", 82e6),
        ("| Item | Now ($m) | Then |\n|--|--|--|\n| Rent | 71 | 82 |\n", "71", 71e6),
        ("| Item | Now ($m) | Then |\n|--|--|--|\n| Rent | 71 | 82 |\n", "82", 82.0),
        ("| Item | Now | Then |\n|--|--|--|\n| Rent (in thousands) | 71 | 82 |\n", "82", 82e3),
        ("(in thousands)\n\n| Item | Sum |\n|--|--|\n| Rent | (71) |\n", "(71)", -71e3),
        ("# Costs (in thousands)\n\nRent: 71\nHeat: 82\n", "82", 82e3),
        ("# Costs (in thousands)\n\nRent per head: 71\n", "71", 71.0),
        ("(in millions)\n\n| Item | 2020 |\n|--|--|\n| Earnings per share | 71 |\n", "71", 71.0),
        ("# Costs\n\nRent: 71\n", "71", 71.0),
    ],
)
def test_scales_around_a_value_count(text: str, quote: str, value: float) -> None:
    cell = _read(text, quote)
    (read,) = normalise_column(Attribute(name="x", type="number"), [cell])
    assert read.value == value


_RESULTS = (
    "| Parameter | Result | Unit |\n|--|--|--|\n| Lead | {} | {} |\n| Nitrate | 12 | mg/L |\n"
)


def test_a_row_says_in_which_unit_its_values_are() -> None:
    said = [("16.7", "µg/L"), ("3.4", "µg/L"), ("0.0166", "mg/L"), ("7", "CFU/100 mL")]
    cells = [_read(_RESULTS.format(number, unit), number) for number, unit in said]
    read = normalise_column(Attribute(name="x", type="number"), cells)
    assert [(cell.value, cell.unit) for cell in read] == [
        (16.7, "µg/l"), (3.4, "µg/l"), (16.6, "µg/l"), (7.0, "CFU/100 mL")
    ]  # fmt: skip


def test_words_around_a_value_are_listed_from_near_to_far() -> None:
    text = "Costs (in millions)\n\n| Item | 2020 | 2021 |\n|--|--|--|\n| Rent | 71 | 82 |\n"
    assert _read(text, "82").context == "2021; Rent; Costs (in millions)"


def test_what_is_not_stated_has_no_surroundings() -> None:
    blocks = read_content(b"| a | b |\n|--|--|\n| c | 1 |\n", "a.md").blocks
    cells = [Cell("x", State.NOT_MENTIONED), Cell("x", State.FAILED, "1", Span(0, 1))]
    assert add_surroundings(cells, blocks) == cells
