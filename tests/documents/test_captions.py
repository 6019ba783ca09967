"""What says how the numbers of a table are written stays with the table."""

import pytest

from srag_mcp.documents.document import Table
from srag_mcp.documents.reading import read_content
from srag_mcp.documents.tables import is_caption

_PIPES = "| Item | 2020 | 2021 |\n|---|---|---|\n| Rent | 1 | 2 |\n"
_HTML_ROWS = (
    "<tr><th>Item</th><th>2020</th><th>2021</th></tr><tr><td>Rent</td><td>1</td><td>2</td></tr>"
)


def _table(name: str, text: str) -> Table:
    blocks = read_content(text.encode(), name).blocks
    (table,) = [block for block in blocks if isinstance(block, Table)]
    return table


@pytest.mark.parametrize(
    ("name", "text", "caption"),
    [
        ("a.html", f"<p>Hi.</p><p>(in millions)</p><table>{_HTML_ROWS}</table>", "(in millions)"),
        ("a.html", f"<p>Table 1</p><p>(in €)</p><table>{_HTML_ROWS}</table>", "Table 1 (in €)"),
        (
            "a.html",
            f"<p>(in millions)</p><table><caption>Costs</caption>{_HTML_ROWS}</table>",
            "(in millions) Costs",
        ),
        ("a.html", f"<p>Our house is old.</p><table>{_HTML_ROWS}</table>", ""),
        (
            "a.html",
            f"<table><tr><th colspan=3>Costs (in millions)</th></tr>{_HTML_ROWS}</table>",
            "Costs (in millions)",
        ),
        (
            "a.html",
            f"<table><tr><td colspan=3>(in thousands)</td></tr>{_HTML_ROWS}</table>",
            "(in thousands)",
        ),
        ("a.md", f"**Table 2: Costs ($ in thousands)**\n\n{_PIPES}", "Table 2: Costs ($ in thou"),
        ("a.md", f"Costs in millions\n\n(unaudited, in $)\n\n{_PIPES}", "Costs in millions (unau"),
    ],
)
def test_notes_above_a_table_are_its_caption_and_no_header_is_lost(
    name: str, text: str, caption: str
) -> None:
    table = _table(name, text)
    assert table.headers == (("Item",), ("2020",), ("2021",))
    assert [[cell.text for cell in row] for row in table.rows] == [["Rent", "1", "2"]]
    assert table.caption.startswith(caption)
    assert bool(table.caption) is bool(caption)


@pytest.mark.parametrize(
    "text",
    ["Table 3: Sales", "(in millions)", "Costs ($)", "Amounts in thousands", "Millions of euros"],
)
def test_lines_that_read_as_captions(text: str) -> None:
    assert is_caption(text)


@pytest.mark.parametrize("text", ["Our rooms", "Tables are booked (call us)", "Table tennis: yes"])
def test_lines_that_do_not(text: str) -> None:
    assert not is_caption(text)


_NORTH_SOUTH = (("Item",), ("2020", "North"), ("2020", "South"), ("2021", "North"), ("2021", "S"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", ",2020,,2021,\nItem,North,South,North,S\nRent,1,2,3,4\nHeat,5,6,7,8\n"),
        ("a.csv", "Item,2020,,2021,\n,North,South,North,S\nRent,1,2,3,4\nHeat,5,6,7,8\n"),
        (
            "a.md",
            "| | 2020 | | 2021 | |\n| Item | North | South | North | S |\n|--|--|--|--|--|\n"
            "| Rent | 1 | 2 | 3 | 4 |\n| Heat | 5 | 6 | 7 | 8 |\n",
        ),
    ],
)
def test_a_gap_in_an_upper_row_of_names_belongs_to_the_name_on_its_left(
    name: str, text: str
) -> None:
    assert _table(name, text).headers == _NORTH_SOUTH


def test_a_gap_is_a_gap_where_spans_are_written_out() -> None:
    table = _table(
        "a.html",
        "<table><tr><th>Item</th><th colspan=2>2020</th><th></th></tr>"
        "<tr><th></th><th>North</th><th>South</th><th>Note</th></tr>"
        "<tr><td>Rent</td><td>1</td><td>2</td><td>x</td></tr></table>",
    )
    assert table.headers == (("Item",), ("2020", "North"), ("2020", "South"), ("Note",))
