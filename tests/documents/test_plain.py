"""Plain text: blocks as they stand in the lines."""

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.documents.document import Document, Heading, KeyValue, ListItem, Prose, Table
from srag_mcp.documents.reading import read_text
from srag_mcp.text.spans import Span


def _pairs(text: str) -> list[tuple[str, str]]:
    blocks = read_text(text, "a.txt").blocks
    return [(block.key, block.value) for block in blocks if isinstance(block, KeyValue)]


def test_a_key_with_its_value_has_places_in_the_text() -> None:
    assert read_text("Total: 12.40\n", "a.txt").blocks == (
        KeyValue(Span(0, 12), "Total", "12.40", Span(7, 12)),
    )


def test_several_keys_on_one_line_are_parted() -> None:
    assert _pairs("RECEIPT NO. : CS18/267  DATE : 15/01/2018") == [
        ("RECEIPT NO.", "CS18/267"),
        ("DATE", "15/01/2018"),
    ]
    assert _pairs("Height: 5 m, Width: 3 m") == [("Height", "5 m"), ("Width", "3 m")]
    assert _pairs("Name: Ann Lee Age: 40") == [("Name", "Ann Lee"), ("Age", "40")]
    assert _pairs("No: 123 Due Date: 1 May 2020") == [("No", "123"), ("Due Date", "1 May 2020")]


def test_brackets_around_a_pair_are_no_part_of_it() -> None:
    assert _pairs("(VAT NO: 000504)") == [("VAT NO", "000504")]
    assert _pairs("Total (gross): 12 (net: 10)") == [("Total (gross)", "12 (net: 10)")]


def test_a_wide_gap_a_tab_or_dots_part_key_and_value() -> None:
    assert _pairs("Cash    10.00") == [("Cash", "10.00")]
    assert _pairs("Cash\t10.00") == [("Cash", "10.00")]
    assert _pairs("Rooms ........ 12") == [("Rooms", "12")]
    assert _pairs("Total  RM  55.10") == [("Total", "RM  55.10".replace("  ", " "))]
    assert _pairs("No  17  Date  3/5/2020") == [("No", "17"), ("Date", "3/5/2020")]


def test_times_addresses_and_sentences_are_no_keys() -> None:
    assert _pairs("It opens at 10:30 and closes at 18:00 every day of the week.") == []
    assert _pairs("https://example.org/a") == []
    assert _pairs('the parties agree as set out here in the annex: "nothing"') == []


def test_a_value_may_stand_on_the_next_line() -> None:
    assert _pairs("Name:\nAnn Lee\nBorn:\n3 May 1980\n") == [
        ("Name", "Ann Lee"),
        ("Born", "3 May 1980"),
    ]


def test_a_value_goes_on_over_indented_lines() -> None:
    assert _pairs("Address: 12 Main Street,\n         Springfield\nTel: 5") == [
        ("Address", "12 Main Street, Springfield"),
        ("Tel", "5"),
    ]


def test_a_value_ends_where_another_column_begins() -> None:
    assert _pairs("Title: President\n                      ACME, INC.\n") == [
        ("Title", "President")
    ]
    assert _pairs("Date: Date:\n") == []


def test_headings_open_sections() -> None:
    text = "Report\n======\n\nSummary\n-------\nCases: 12\n\nMETHODS\n\nWe counted all of them.\n"
    assert read_text(text, "a.txt").blocks == (
        Heading(Span(0, 6), "Report", 1),
        Heading(Span(15, 22), "Summary", 2),
        KeyValue(Span(31, 40), "Cases", "12", Span(38, 40), ("Report", "Summary")),
        Heading(Span(42, 49), "METHODS", 2),
        Prose(Span(51, 74), ("Report", "METHODS")),
    )


def test_a_date_is_no_numbered_heading() -> None:
    found = read_text("23 April 2023\n\n4 Events after 1 May\n\nThe sluice was closed.\n", "a.txt")
    assert [b.text for b in found.blocks if isinstance(b, Heading)] == ["Events after 1 May"]


def test_a_wrapped_bullet_is_one_item() -> None:
    text = (
        "Summary (as of 10/11/2020)\n"
        "• The entire population is strongly encouraged to commit itself to\n"
        "prevention and control.\n"
        "• Two.\n"
    )
    section = ("Summary (as of 10/11/2020)",)
    first = (
        "The entire population is strongly encouraged to commit itself to prevention and control."
    )
    assert read_text(text, "a.txt").blocks == (
        Heading(Span(0, 26), section[0], 1),
        ListItem(Span(29, 29 + len(first)), first, section),
        ListItem(Span(120, 124), "Two.", section),
    )


def test_short_items_between_commas_are_a_list() -> None:
    blocks = read_text("Skills: Python, SQL, Go", "a.txt").blocks
    assert [block.text for block in blocks if isinstance(block, ListItem)] == [
        "Python",
        "SQL",
        "Go",
    ]
    assert _pairs("Address: 12 Main Street, Springfield, 4711 Ohio") == [
        ("Address", "12 Main Street, Springfield, 4711 Ohio")
    ]


def test_columns_held_by_spaces_are_a_table_with_spanning_headers() -> None:
    text = (
        "Revenue by year (in millions)\n\n"
        "                2019            2020\n"
        "Region       North  South   North  South\n"
        "Shoes          1.5    2.5     3.5    4.5\n"
        "Hats            10     20      30     40\n"
    )
    (table,) = [b for b in read_text(text, "a.txt").blocks if isinstance(b, Table)]
    assert table.headers == (
        ("Region",),
        ("2019", "North"),
        ("2019", "South"),
        ("2020", "North"),
        ("2020", "South"),
    )
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["Shoes", "1.5", "2.5", "3.5", "4.5"],
        ["Hats", "10", "20", "30", "40"],
    ]
    assert table.caption == "Revenue by year (in millions)"


def test_a_line_below_a_row_parts_no_table_and_a_title_above_another_one_does() -> None:
    head = "Item                  Qty     Price\n"
    rows = "Oak chair             6       40.00\n{}\nPine table            8       39.00\n"
    (one,) = read_text(head + rows.format("With arms"), "a.txt").blocks
    assert isinstance(one, Table)
    assert [[cell.text for cell in row] for row in one.rows] == [
        ["Oak chair", "6", "40.00"],
        ["With arms", "", ""],
        ["Pine table", "8", "39.00"],
    ]
    for other in ("Sales               2021      2022", "Hall                Q1        Q2"):
        more = f"{head}Oak chair             6       40.00\nIn all\n{other}\n" + 2 * (
            "Kiel                    4         5\n"
        )
        for table in (b for b in read_text(more, "a.txt").blocks if isinstance(b, Table)):
            assert ("Oak chair" in str(table)) != ("Kiel" in str(table))


def test_a_table_goes_on_behind_lines_that_are_none_of_its_rows_up_to_another_one() -> None:
    head = "Pos  Part            Qty      Price\n"
    rows = [f"{n}    {part:<12}{n:>7}{n:>8}.00\n" for n, part in enumerate(("Nut", "Bolt", "Pin"))]
    other = "Day  Van             Run         Km\n1    Blue              4      98.00\n"
    text = f"{head}{rows[0]}     zinc,\n     fifty pieces\n{rows[1]}\n"
    text += f"Page: 2\nof two\n{rows[2]}\n{other}"
    first, page, prose, rest, last = [
        block for block in read_text(text, "a.txt").blocks if not isinstance(block, Heading)
    ][:5]
    assert isinstance(first, Table)
    assert isinstance(rest, Table)
    assert [[cell.text for cell in row] for row in (*first.rows, *rest.rows)] == [
        ["0", "Nut", "0", "0.00"],
        ["", "zinc,", "", ""],
        ["", "fifty pieces", "", ""],
        ["1", "Bolt", "1", "1.00"],
        ["2", "Pin", "2", "2.00"],
    ]
    assert rest.headers == first.headers == (("Pos",), ("Part",), ("Qty",), ("Price",))
    assert rest.span.of(text) == rows[2].strip()
    assert isinstance(page, KeyValue)
    assert isinstance(prose, Prose)
    assert isinstance(last, Table)
    assert last.headers[1] == ("Van",)


def test_a_line_above_numbers_alone_is_no_section_and_parts_what_does_not_line_up() -> None:
    stacked = "Item        Qty     Price\nOak chair\n6           40.00   240.00\nPine table\n"
    stacked += "8           39.00   312.00\n"
    assert not [b for b in read_text(stacked, "a.txt").blocks if isinstance(b, Table)]
    rows = "Oak chair             6       40.00\nPine table            8       39.00\nMore\n"
    (table,) = [
        block
        for block in read_text(f"{rows}Ash 1 2   3    4   5    6   7    8\n", "a.txt").blocks
        if isinstance(block, Table)
    ]
    assert [row[0].text for row in table.rows] == ["Oak chair", "Pine table"]


def test_a_clause_title_is_a_heading_before_its_paragraph() -> None:
    text = (
        "7. Governing Law. This Agreement shall be construed in accordance with the laws of the\n"
        "State of Ohio without regard to conflicts of law.\n"
    )
    (heading, prose) = read_text(text, "a.txt").blocks
    assert isinstance(heading, Heading)
    assert (heading.text, heading.level) == ("Governing Law", 2)
    assert isinstance(prose, Prose)
    assert prose.span.of(text) == text[18:].strip()


_WORDS = st.sampled_from(
    ["Key", ":", "  ", "\t", "|", "- ", "• ", "1. ", "\n", "\n\n", "12.5", "x", "Total", "=====",
     "\n-----\n", "# ", "a, b, c", "TITLE", "…", "....", "(a)", " ", "é", "\\|", "+--+"]
)  # fmt: skip


def test_labels_above_their_values_are_pairs() -> None:
    text = "Born\n3.5.1980\nCity\nLyon\nE-mail\na@b.org\nPhone\n+33 4 55\n"
    assert _pairs(text) == [
        ("Born", "3.5.1980"),
        ("City", "Lyon"),
        ("E-mail", "a@b.org"),
        ("Phone", "+33 4 55"),
    ]


def test_a_text_of_short_lines_stays_line_by_line() -> None:
    text = "BOOK SHOP LTD\n12 HIGH STREET,\nOXFORD\nTHANK YOU\n"
    blocks = read_text(text, "a.txt").blocks
    assert [block.span.of(text) for block in blocks if isinstance(block, Prose)] == [
        "BOOK SHOP LTD",
        "12 HIGH STREET,\nOXFORD",
        "THANK YOU",
    ]


def test_a_grid_of_pipes_is_a_table() -> None:
    text = "+------+-----+\n| Name | Age |\n+------+-----+\n| Ann  | 40  |\n+------+-----+"
    (table, *pairs) = read_text(text, "a.txt").blocks
    assert isinstance(table, Table)
    assert table.headers == (("Name",), ("Age",))
    assert [(pair.key, pair.value) for pair in pairs if isinstance(pair, KeyValue)] == [
        ("Ann", "40")
    ]


@given(st.lists(_WORDS, max_size=40).map("".join))
def test_every_block_is_where_it_says(check_places: Callable[[Document], None], text: str) -> None:
    check_places(read_text(text, "a.txt"))


@given(st.text(max_size=200))
def test_any_text_can_be_read(check_places: Callable[[Document], None], text: str) -> None:
    check_places(read_text(text, "a.txt"))


def test_the_rows_that_sum_a_table_up_are_pairs_too() -> None:
    text = (
        "Pos  Item          Qty   Price   Amount\n"
        "1    Blue chair      2    9,50    19,00\n"
        "2    Green table     1   40,00    40,00\n"
        "Net total                         59,00\n"
        "VAT 19%                           11,21\n"
    )
    document = read_text(text, "bill.txt")
    pairs = [block for block in document.blocks if isinstance(block, KeyValue)]
    assert [(pair.key, pair.value) for pair in pairs] == [
        ("Net total", "59,00"),
        ("VAT 19%", "11,21"),
    ]
    assert [pair.value_span.of(text) for pair in pairs] == ["59,00", "11,21"]


def test_lines_with_a_part_below_no_column_are_no_rows() -> None:
    text = "LOT  KG  9.50\nBIN  KG  8.50\nDUST OUT  C  KG  0.00\nLOT GROSS  C  KG  9.50\n"
    blocks = read_text(text, "a.txt").blocks
    assert [type(block) for block in blocks] == [KeyValue, KeyValue, Table]
    assert _pairs(text)[0] == ("LOT", "KG 9.50")
