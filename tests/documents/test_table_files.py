"""Which rows of a table file are records, and what the others are."""

import io
import json
import re
from collections.abc import Callable

import pytest
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st

from srag_mcp.documents.document import Document, KeyValue
from srag_mcp.documents.reading import read_tables
from srag_mcp.documents.table_files import (
    RecordTable,
    find_records,
    join_sketches,
    largest_kind,
    read_spreadsheet,
    row_content,
    sketch,
    take_kind,
)
from srag_mcp.documents.tables import arrange, column_key
from srag_mcp.errors import DocumentError

Rows = list[list[str]]

HEADER = ["Order no.", "Date", "Customer", "Qty", "Net amount", "Paid"]
ORDERS = [
    ["SO-1", "2024-01-04", "Adler", "2", "1598", "yes"],
    ["SO-2", "2024-01-10", "Nord", "5", "1245", "no"],
    ["SO-3", "2024-01-13", "Vela", "10", "1800", ""],
    ["SO-4", "2024-01-21", "Vela", "2", "448.20", "yes"],
]
SUM = ["Total", "", "", "19", "5091.20", ""]
EMPTY = [""] * 6


def found(rows: Rows, name: str = "") -> RecordTable:
    return find_records(arrange(rows, name))


def cells(table: RecordTable) -> list[list[str | None]]:
    return [list(row.cells) for row in table.rows]


def test_a_row_of_its_own_name_and_words_of_other_rows_is_a_record() -> None:
    rows = [[f"Shop {n}", ("Ely", "Wem")[n % 2], "4", "2", "y", str(7 * n)] for n in range(1, 20)]
    known, note = ["Shop 20", "Wem", "", "", "", ""], ["From", "Ada", "", "", "", ""]
    table = found([["Shop", "City", "Rent", "Staff", "Open", "Sold"], *rows, known, note])
    assert [row[0] for row in cells(table)] == [f"Shop {n}" for n in range(1, 21)]
    assert table.told == (
        "row 22 is left out, it fills few of the columns that nearly all rows fill: From | Ada",
        "row 21 is a record, and may be a note or a heading: Shop 20 | Wem",
    )


def test_a_table_is_found_below_notes_and_above_its_total_and_footer() -> None:
    notes = [["Coffee Ltd"], ["Report 2024"], ["Exported by a.b.; amounts in EUR"], []]
    footer = ["Status as of export date", "", "", "", "", ""]

    table = found([*notes, HEADER, *ORDERS, SUM, EMPTY, footer])

    assert table.columns == tuple(HEADER)
    assert cells(table) == ORDERS
    assert table.told == (
        "note above the table: Coffee Ltd",
        "note above the table: Report 2024",
        "note above the table: Exported by a.b.; amounts in EUR",
        "row 10 is left out, the sum of the 4 rows above it: Total | 19 | 5091.20",
        "row 12 is left out, it fills few of the columns that nearly all rows fill: Status as of"
        " export date",
    )


def test_notes_of_two_cells_stand_above_a_gap() -> None:
    notes = [["Report:", "Orders", "", "", "", ""], ["Date:", "2024-02-01", "", "", "", ""], EMPTY]

    table = found([*notes, HEADER, *ORDERS])

    assert (table.columns, cells(table)) == (tuple(HEADER), ORDERS)
    assert table.told == (
        "note above the table: Report: | Orders",
        "note above the table: Date: | 2024-02-01",
    )


COMMENTS = [[f"# line {n} of the logger"] for n in range(40)]
PAIRS = [["Report", "March 2024"], ["Station", "North"], ["Serial", "12345"], ["Version", "3"]]
CHECKED = [[], ["Checked by", "Ann"], ["Approved", "2024-04-01"]]


def written(path: str, rows: Rows, make_xlsx: Callable[..., bytes]) -> bytes:
    mark = "\t" if path.endswith(".tsv") else ";" if "semi" in path else ","
    text = "\n".join(mark.join(row) for row in rows)
    return make_xlsx({"Orders": rows}) if path.endswith(".xlsx") else text.encode()


@pytest.mark.parametrize("path", ["a.csv", "semi.csv", "a.tsv", "a.xlsx"])
@pytest.mark.parametrize("footer", [[], CHECKED, [[], ["Source: own count"]], COMMENTS[:6]])
@pytest.mark.parametrize("notes", [COMMENTS, PAIRS, [*PAIRS, []], [["Orders"], [], *PAIRS, []]])
def test_a_table_is_found_between_more_notes_than_rows(
    path: str, footer: Rows, notes: Rows, make_xlsx: Callable[..., bytes]
) -> None:
    [table] = read_tables(written(path, [*notes, HEADER, *ORDERS, *footer], make_xlsx), path)

    assert table.columns == tuple(HEADER)
    assert cells(table) == ORDERS
    n_notes, n_rows = (sum(map(bool, rows)) for rows in (notes, footer))
    assert [line.split(":")[0] for line in table.told[:n_notes]] == (
        ["note above the table"] * n_notes
    )
    assert all("is left out" in line for line in table.told[n_notes:])
    assert len(table.told) == n_notes + n_rows


def test_a_key_with_its_value_stands_above_a_table_of_two_columns_behind_a_gap() -> None:
    table = found([["Station", "North"], [], ["Tree", "Count"], ["ash", "12"], ["oak", "7"]])

    assert (table.columns, cells(table)) == (("Tree", "Count"), [["ash", "12"], ["oak", "7"]])
    assert table.told == ("note above the table: Station | North",)


def test_a_table_above_another_one_is_no_note() -> None:
    trees = [["Tree", "Count"], ["ash", "12"], ["oak", "7"]]

    others = [["Tree", "Count"], ["elm", "31"], ["yew", "5"]]
    assert cells(found([*trees, [], *others])) == [*trees[1:], *others[1:]]


def test_comments_below_a_narrow_table_are_left_out_and_told() -> None:
    trees = [["Tree", "Count"], ["ash", "12"], ["oak", "7"]]

    table = found([*trees, ["# end of file"]])
    assert (cells(table), table.told) == (
        trees[1:], ("row 4 is left out, a comment: # end of file",),
    )  # fmt: skip
    numbered = found([*trees, ["#3", "5"], ["#4"]])
    assert len(numbered.rows) == 4


def test_a_line_below_a_table_that_names_what_is_in_it_says_something_of_it() -> None:
    wells = [["Well", "Level"], *(["W" + str(n), str(10 + n)] for n in range(8))]
    told = found([*wells, [], ["Correction: the level of W4 is 13."], ["Source: the survey."]]).told
    assert [line.partition(":")[0] for line in told] == [
        "row 11 is left out, and says something of records",
        "row 12 is left out, it fills few of the columns that nearly all rows fill",
    ]


WORDS = (
    "Total|Grand total|TOTALS|Sum|Summe|Gesamt|Gesamtsumme|Somme|Somma|Suma|Totaal|Totale|Итого"
    "|合计|Average|Durchschnitt|Moyenne"
)


@pytest.mark.parametrize("word", re.split(r"[|]", WORDS))
def test_a_total_is_known_by_its_name_where_names_are_missing(word: str) -> None:
    table = found([HEADER, *ORDERS, [word, "", "", "17", "4711", ""]])

    assert cells(table) == ORDERS
    assert table.told == (
        f"row 6 is left out, called a total or mean, without what names a row: {word} | 17 | 4711",
    )


@pytest.mark.parametrize("name", ["Carried forward", "Σ", "", "Alle zusammen"])
def test_a_total_is_known_by_its_sum_whatever_it_is_called(name: str) -> None:
    table = found([HEADER, *ORDERS, [name, *SUM[1:]]])

    assert cells(table) == ORDERS
    assert "the sum of the 4 rows above it" in table.told[0]


def test_a_customer_called_total_is_a_record_and_told() -> None:
    companies = [["Shell", "UK", "200"], ["Total", "France", "150"], ["BP", "UK", "160"]]

    table = found([["Company", "Country", "Revenue"], *companies])

    assert cells(table) == companies
    assert table.told == ("row 3 is a record, and may be a total: Total | France | 150",)


def test_a_last_row_that_may_sum_up_one_column_is_a_record_and_told() -> None:
    rows = [["Ann", "40"], ["Bob", "30"], ["Cem", "20"], ["Dan", "90"]]

    table = found([["Name", "Points"], *rows])

    assert cells(table) == rows
    assert table.told == ("row 5 is a record, and may be the sum of the 3 rows above it: Dan | 90",)


def test_a_row_that_sums_up_all_columns_needs_no_other_sign() -> None:
    table = found(
        [["Land", "People", "Area"], ["A", "100", "7"], ["B", "50", "3"], ["C", "25", "9"],
         ["World", "175", "19"]]
    )  # fmt: skip

    assert [row[0] for row in cells(table)] == ["A", "B", "C"]


def test_subtotals_between_and_a_total_of_them_are_left_out() -> None:
    table = found(
        [
            ["Region", "Product", "Sales"],
            ["North", "A", "10"], ["North", "B", "20"], ["", "", "30"],
            ["South", "A", "5"], ["South", "B", "6"], ["South, total", "", "11"],
            ["Grand total", "", "41"],
        ]
    )  # fmt: skip

    assert [row[2] for row in cells(table)] == ["10", "20", "5", "6"]
    assert [line.split(":")[0] for line in table.told] == [
        "row 4 is left out, the sum of the 2 rows above it",
        "row 7 is left out, the sum of the 2 rows above it",
        "row 8 is left out, the sum of the 4 rows above it",
    ]


def test_totals_may_stand_above_what_they_sum_up() -> None:
    table = found(
        [
            ["Region", "Product", "Sales"],
            ["All regions", "", "41"],
            ["North", "", "30"], ["North", "A", "10"], ["North", "B", "20"],
            ["South", "", "11"], ["South", "A", "5"], ["South", "B", "6"],
        ]
    )  # fmt: skip

    assert [row[1:] for row in cells(table)] == [["A", "10"], ["B", "20"], ["A", "5"], ["B", "6"]]


def test_sums_are_read_as_the_column_writes_numbers() -> None:
    rows = [["Nord", "A", "1.210,50 €"], ["Nord", "B", "20,25 €"], ["Süd", "A", "5,00 €"]]

    table = found([["Region", "Produkt", "Umsatz"], *rows, ["", "", "1.235,75 €"]])

    assert cells(table) == rows


def test_rows_alike_are_no_sums_of_each_other() -> None:
    rows = [["a", "2", "799", "5"], ["b", "2", "799", ""], ["c", "2", "799", ""]]

    assert cells(found([["Name", "Qty", "Price", "Discount"], *rows])) == rows


def test_ranks_are_no_sums() -> None:
    rows = [["1", "Ann", "x"], ["2", "Bob", "y"], ["3", "Cem", "z"]]

    table = found([["Rank", "Name", "Team"], *rows])

    assert (cells(table), table.told) == (rows, ())


def test_headings_between_rows_are_left_out_and_told() -> None:
    table = found(
        [
            ["Product", "Qty", "Price", "Stock"],
            ["Drinks", "", "", ""], ["Cola", "3", "1.5", "2"], ["Water", "2", "1", "1"],
            ["Food", "", "", ""], ["Bread", "1", "2", "4"],
        ]
    )  # fmt: skip

    assert [row[0] for row in cells(table)] == ["Cola", "Water", "Bread"]
    assert [line.rpartition(": ")[2] for line in table.told] == ["Drinks", "Food"]


def test_a_row_with_a_name_alone_is_a_record_of_a_narrow_table_and_told() -> None:
    rows = [["Ann", "1", "2"], ["Bob", "", ""], ["Cem", "3", "4"]]

    table = found([["Name", "Height", "Age"], *rows])

    assert cells(table) == rows
    assert table.told == ("row 3 is a record, and may be a note or a heading: Bob",)


def test_the_header_of_each_page_is_left_out() -> None:
    table = found([HEADER, *ORDERS[:2], HEADER, *ORDERS[2:]])

    assert cells(table) == ORDERS
    assert table.told[0].startswith("row 4 is left out, the header again")


def test_a_row_written_twice_is_left_out_where_the_first_column_names_the_rows() -> None:
    table = found([HEADER, *ORDERS, ORDERS[1], SUM])
    assert cells(table) == ORDERS
    assert table.told[0].startswith("row 6 is left out, a copy of row 3: SO-2")


def test_rows_alike_count_and_are_told_where_nothing_names_the_rows() -> None:
    sales = [["Tea", "Kiel", "2"], ["Tea", "Bonn", "2"], ["Tea", "Kiel", "2"], ["Rum", "Ulm", "1"]]
    table = found([["Item", "Shop", "Pieces"], *sales])
    assert cells(table) == sales
    assert table.told == ("rows that say the same as another in every cell, and count: 1",)


def test_a_record_with_gaps_stays() -> None:
    rows = [*ORDERS, ["SO-5", "", "Hub", "", "7", ""], ["SO-6", "2024-02-01", "", "1", "", "no"]]

    table = found([HEADER, *rows, EMPTY, ["SO-7", "2024-02-02", "Nord", "3", "9", "no"]])

    assert len(table.rows) == 7
    assert table.told == ()


def test_two_header_rows_name_columns_together() -> None:
    table = found(
        [["", "2019", "", "2020", ""], ["Region", "Sales", "Cost", "Sales", "Cost"],
         ["N", "1", "2", "3", "4"], ["S", "5", "6", "7", "8"]]
    )  # fmt: skip

    assert table.columns == ("Region", "2019 Sales", "2019 Cost", "2020 Sales", "2020 Cost")


def test_a_table_of_nothing_but_totals_is_left_as_it_is() -> None:
    rows = [["Total", "", "5"]]

    assert cells(found([["Name", "City", "Sum"], *rows])) == rows


def test_sheets_with_the_same_columns_are_one_table_with_their_name() -> None:
    first, second = found([HEADER, *ORDERS[:2]], "H1"), found([HEADER, *ORDERS[2:], SUM], "H2")
    prices = found([["Product", "Price"], ["A", "1"], ["B", "2"]], "Prices")

    table = take_kind([prices, first, second])

    assert table.columns == (*HEADER, "sheet")
    assert cells(table) == [[*row, "H1"] for row in ORDERS[:2]] + [
        [*row, "H2"] for row in ORDERS[2:]
    ]
    assert table.told[0] == (
        "sheet 'Prices': its 2 rows have other columns, and are left out: Product, Price"
    )


def test_a_column_that_a_sheet_lacks_is_no_empty_cell_there() -> None:
    wide = found([[*HEADER, "Note"], *([*row, "x"] for row in ORDERS)], "wide")
    narrow = found([HEADER, ["SO-9", "2024-01-04", "Adler", "2", "3", ""]], "narrow")

    table = take_kind([wide, narrow])

    assert cells(table)[-1] == ["SO-9", "2024-01-04", "Adler", "2", "3", "", None, "narrow"]


def test_a_column_without_a_value_is_told() -> None:
    table = take_kind([found([["A", "B", "C"], ["x", "1", ""], ["y", "2", ""]])])

    assert table.told == ("the column 'C' is empty",)


def test_a_row_is_written_a_line_a_cell_with_a_place_for_empty_ones() -> None:
    table = found([HEADER, *ORDERS])

    content = row_content(table.columns, table.rows[2])

    assert content.text == (
        "Order no.: SO-3\nDate: 2024-01-13\nCustomer: Vela\nQty: 10\nNet amount: 1800"
    )
    last = content.blocks[-1]
    assert isinstance(last, KeyValue)
    assert (last.key, last.value, last.value_span.of(content.text)) == ("Paid", "", "")


def test_columns_are_sampled_with_all_that_speaks_about_their_type() -> None:
    rows = [[f"x{n}", "42117" if n else "05023", "7" if n != 1503 else "7.5"] for n in range(3000)]

    name, zip_code, size = sketch(found([["Name", "Zip", "Size"], *rows])).columns

    assert (name.n_filled, name.kinds) == (3000, None)
    assert (zip_code.has_codes, zip_code.kinds) == (True, frozenset({"42117", "05023"}))
    assert "7.5" in size.values
    assert len(size.values) < 700


def test_samples_of_several_files_are_joined_as_their_rows_are() -> None:
    one = [found([HEADER, *ORDERS[:2]], "a"), found([HEADER, *ORDERS[2:]], "b")]
    two = [found([HEADER, ["SO-9", "2024-01-04", "Adler", "2", "3", ""]])]

    columns = join_sketches([list(map(sketch, one)), list(map(sketch, two))])

    assert tuple(column.name for column in columns) == take_kind(one).columns
    assert [(c.n_rows, c.n_filled) for c in columns[-2:]] == [(5, 3), (4, 4)]
    assert columns[-1].kinds == frozenset({"a", "b"})


def test_the_kind_with_most_rows_counts_tables_that_lack_a_column() -> None:
    wide, narrow = frozenset("abcd"), frozenset("abc")

    assert largest_kind([(wide, 3), (narrow, 3), (frozenset("xy"), 5)]) == wide
    assert largest_kind([]) == frozenset()


@settings(deadline=None)
@given(st.lists(st.lists(st.text(max_size=12), max_size=6), max_size=12))
def test_whatever_a_sheet_holds_each_row_is_a_record_or_told(rows: Rows) -> None:
    sheet = arrange(rows)
    table = find_records(sheet)

    n_left_out = sum("is left out" in line for line in table.told)
    assert len(table.rows) + n_left_out == len(sheet.body)
    assert len({column_key(name) for name in table.columns}) == len(table.columns)
    for row in table.rows:
        content = row_content(table.columns, row)
        for block in content.blocks:
            assert isinstance(block, KeyValue)
            assert block.value_span.of(content.text) == block.value


@settings(deadline=None)
@given(st.binary(max_size=300), st.sampled_from(["a.csv", "a.tsv", "a.xlsx", "a.json", "a.jsonl"]))
def test_random_bytes_are_a_table_or_an_error(data: bytes, path: str) -> None:
    try:
        tables = read_tables(data, path)
    except DocumentError as error:
        assert error.reason
    else:
        assert all(len(row.cells) == len(t.columns) for t in tables for row in t.rows)


def test_members_of_objects_are_columns_and_lists_are_none(
    read_bytes: Callable[..., list[Document]],
) -> None:
    data = """[
      {"id": 1, "customer": {"name": "Ann", "address": {"zip": "05023"}}, "coupon": null,
       "items": [{"sku": "A", "n": 2}, {"sku": "B", "n": 1}], "tags": ["x"]},
      {"id": 2, "customer": {"name": "Bob", "address": {"zip": "42117"}}, "coupon": "W10",
       "items": [{"sku": "C", "n": 1}], "tags": [], "note": "a\\nb"}
    ]"""
    [table] = read_tables(data.encode(), "orders.json")

    assert table.columns == ("id", "customer.name", "customer.address.zip", "coupon", "note")
    assert cells(table) == [["1", "Ann", "05023", "", None], ["2", "Bob", "42117", "W10", "a; b"]]
    assert [(item.name, item.holds, item.n_records, item.members) for item in table.lists] == [
        ("items", "objects", 2, ("sku", "n")),
        ("tags", "values", 1, ()),
    ]
    first, second = read_bytes("orders.json", data, rows=True)
    assert first.text == (
        "id: 1\ncustomer.name: Ann\ncustomer.address.zip: 05023\n\nitems\n\nsku | n\nA | 2\nB | 1"
        "\n\ntags\n\n- x"
    )
    assert second.id == "orders.json#2"


@pytest.mark.parametrize(
    ("data", "n_rows"),
    [
        ('{"orders": [{"a": 1}, {"a": 2}]}', [2]),
        ('{"count": 2, "next": null, "results": [{"a": 1}, {"a": 2}]}', [2]),
        ('{"supplier": "X", "lines": [{"a": 1}, {"a": 2}]}', []),
        ('{"a": 1}', []),
        ('["a", "b"]', []),
        ('[{"a": 1}]', []),
        ('{"a": [{"b": 1}], "c": {"d": [{"e": 1}, {"e": 2}]}, "errors": []}', [1, 2]),
    ],
)
def test_an_object_is_a_table_if_it_is_nothing_but_lists(data: str, n_rows: list[int]) -> None:
    assert [len(table.rows) for table in read_tables(data.encode(), "a.json")] == n_rows


def test_the_list_that_outweighs_what_an_object_says_beside_it_is_its_table() -> None:
    walks = [{"walk": f"W{n}", "km": n, "hut": {"open": n > 3}} for n in range(1, 8)]
    data = {"club": {"name": "Ridge", "founded": 1921}, "tags": ["snow"], "walks": walks}

    [table] = read_tables(json.dumps(data).encode(), "walks.json")

    assert table.columns == ("walk", "km", "hut.open")
    assert len(table.rows) == 7
    assert (table.name, table.is_plain) == ("", False)
    assert table.told == ("beside the table: club.name: Ridge; club.founded: 1921; tags: snow",)
    assert read_tables(json.dumps({**data, "walks": walks[:6]}).encode(), "a.json") == []
    page = "The fine is 150 EUR. " * 50
    assert read_tables(json.dumps({"page": page, "walks": walks}).encode(), "a.json") == []
    twice = {"a.b": [{"c": 1}, {"c": 2}], "a": {"b": [{"c": 3}]}}
    tables = read_tables(json.dumps(twice).encode(), "a.json")
    assert [len(table.rows) for table in tables] == [2, 1]


def test_of_several_lists_the_largest_is_the_table_as_of_several_sheets() -> None:
    data = {
        "by": "Ada",
        "huts": [{"hut": "Low", "beds": 12}, {"hut": "High", "beds": 8}],
        "walks": [{"walk": f"W{n}", "km": n, "guide": "Bo"} for n in range(1, 8)],
    }

    table = take_kind(read_tables(json.dumps(data).encode(), "walks.json"))

    assert (table.columns, len(table.rows)) == (("walk", "km", "guide"), 7)
    assert table.told == (
        "sheet 'huts': its 2 rows have other columns, and are left out: hut, beds",
        "sheet 'walks': beside the table: by: Ada",
    )


def test_lines_may_lack_members(read_bytes: Callable[..., list[Document]]) -> None:
    [table] = read_tables(b'{"a": 1, "b": ""}\n{"a": 2}\n7\n', "a.jsonl")

    assert table.columns == ("a", "b", "value")
    assert cells(table) == [["1", "", None], ["2", None, None], [None, None, "7"]]


def test_a_workbook_says_that_its_numbers_have_a_decimal_point(
    read_bytes: Callable[..., list[Document]], make_xlsx: Callable[..., bytes]
) -> None:
    rows = [["Part", "Weight"], ["A", 1.234], ["B", 950]]

    first, _ = read_bytes("a.xlsx", make_xlsx({"Parts": rows}), rows=True)

    sections = [block.section for block in first.blocks if isinstance(block, KeyValue)]
    assert (first.text, sections) == ("Part: A\nWeight: 1.234", [("decimal point",)] * 2)


def test_a_cell_that_a_workbook_shows_as_per_cents_is_read_as_such() -> None:
    buffer = io.BytesIO()
    with xlsxwriter.Workbook(buffer) as book:
        book.add_worksheet("Empty & first")
        sheet = book.add_worksheet("Plants & more")
        whole, fine, literal = (
            book.add_format({"num_format": code}) for code in ("0%", "[Red]0.0%;-0.0%", '0.0"%"')
        )
        for row, cells in enumerate([["Plant", "Load", "Yield", "Rate"], ["A", 1], ["B"]], start=2):
            sheet.write_row(row, 1, cells)
        sheet.write_number(3, 2, 0.07, whole)
        sheet.write_number(3, 3, 0.853, fine)
        sheet.write_number(3, 4, 4.5, literal)
        sheet.write_string(4, 2, "none", whole)
        sheet.write_number(4, 3, 0.5)
    content = read_spreadsheet(buffer.getvalue(), "plants.xlsx")
    assert content.text.splitlines()[-3:] == [
        "Plant | Load | Yield | Rate", "A | 7% | 85.3% | 4.5", "B | none | 0.5 | ",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("cells", "context"),
    [
        (["1,5", "1.234"], "decimal comma"),
        (["1.234.567", "1.234"], "decimal comma"),
        (["1.5", "1,234"], "decimal point"),
        (["1.234", "1,234"], ""),
        (["1.5", "1,5"], ""),
        (["17", "01.02.2024"], ""),
    ],
)
def test_a_table_writes_numbers_as_those_that_can_be_read_one_way(
    cells: list[str], context: str
) -> None:
    table = found([["Name", "One", "Other"], ["a", *cells], ["b", *cells]])

    assert {row.context for row in table.rows} == {context}


def test_a_row_of_units_below_the_names_is_no_record() -> None:
    table = found([
        ["Item", "Weight", "Length", "Seen"], ["", "kg", "(m)", "UTC"],
        ["A", "1", "2", "2024-03-01T10:00:00Z"], ["B", "3", "4", "2024-03-01T12:30:00Z"],
    ])  # fmt: skip
    assert table.columns == ("Item", "Weight (kg)", "Length (m)", "Seen (UTC)")
    assert [row.cells[:3] for row in table.rows] == [("A", "1", "2"), ("B", "3", "4")]


@pytest.mark.parametrize("first", [["", "n/a", "-"], ["C", "kg", "m"], ["", "5", "m"]])
def test_a_first_row_that_says_no_units_is_a_record(first: list[str]) -> None:
    table = found([["Item", "Weight", "Length"], first, ["A", "1", "2"], ["B", "3", "4"]])
    assert len(table.rows) == 3


def test_what_stands_alone_behind_a_total_is_a_heading_or_a_footer() -> None:
    table = found([
        ["Store", "Item", "Sold"],
        ["A", "x", "1"], ["A", "y", "2"], ["Subtotal A", "", "3"],
        ["North", "", ""],
        ["B", "x", "4"], ["B", "y", "5"], ["Subtotal B", "", "9"],
        ["Grand total", "", "12"], ["Source: own count", "", ""],
    ])  # fmt: skip
    assert [row.cells for row in table.rows] == [
        ("A", "x", "1"), ("A", "y", "2"), ("B", "x", "4"), ("B", "y", "5"),
    ]  # fmt: skip
    assert [line.split(" is left out")[0] for line in table.told] == [
        "row 4", "row 5", "row 8", "row 9", "row 10",
    ]  # fmt: skip
