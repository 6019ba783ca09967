"""Tables in files of their own: csv, tsv, xlsx, jsonl."""

from collections.abc import Callable

import pytest

from srag_mcp.documents.document import Document, Heading, KeyValue, Table
from srag_mcp.documents.tables import header_paths, unique_names
from srag_mcp.text.spans import Span

ReadBytes = Callable[..., list[Document]]


def _pairs(document: Document) -> list[tuple[str, str]]:
    return [(block.key, block.value) for block in document.blocks if isinstance(block, KeyValue)]


def _table(document: Document) -> Table:
    (table,) = [block for block in document.blocks if isinstance(block, Table)]
    return table


def _rows(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.rows]


def test_each_row_is_a_document(read_bytes: ReadBytes) -> None:
    first, second = read_bytes("a.csv", 'Year,Name\n1999,"Lee, Ann"\n2000,Bob\n', rows=True)
    assert (first.id, first.path, first.title, first.media_type) == (
        "a.csv#1",
        "a.csv",
        "Lee, Ann",
        "text/csv",
    )
    assert first.text == "Year: 1999\nName: Lee, Ann"
    assert first.blocks == (
        KeyValue(Span(0, 10), "Year", "1999", Span(6, 10)),
        KeyValue(Span(11, 25), "Name", "Lee, Ann", Span(17, 25)),
    )
    assert second.id == "a.csv#2"
    assert first.sha256 != second.sha256


def test_row_numbers_are_padded_so_that_ids_sort(read_bytes: ReadBytes) -> None:
    documents = read_bytes("a.csv", "A,B\n" + "x,1\n" * 10, rows=True)
    assert [document.id for document in documents][::9] == ["a.csv#01", "a.csv#10"]


def test_a_file_is_one_table_unless_rows_are_asked_for(read_bytes: ReadBytes) -> None:
    (document,) = read_bytes("a.csv", "Year;City;Price\n1999;Bonn;1,5\n2000;Köln;2,5\n")
    table = _table(document)
    assert table.headers == (("Year",), ("City",), ("Price",))
    assert _rows(table) == [["1999", "Bonn", "1,5"], ["2000", "Köln", "2,5"]]
    assert all(cell.span.of(document.text) == cell.text for row in table.rows for cell in row)


def test_delimiters_quotes_and_marks_are_found(read_bytes: ReadBytes) -> None:
    for data in (
        b"\xef\xbb\xbfA\tB\r\n1\tx;y\r\n",
        "A|B\n1|x;y\n".encode("utf-16"),
        b'"A";"B"\n"1";"x;y"\n',
        b'A,B\n1,"x;y"\n',
    ):
        (document,) = read_bytes("a.csv", data, rows=True)
        assert _pairs(document) == [("A", "1"), ("B", "x;y")]


def test_quotes_escaped_by_backslashes_are_read(read_bytes: ReadBytes) -> None:
    (document,) = read_bytes("a.csv", '"A","B"\n"say \\"yes\\" now","2"\n', rows=True)
    assert _pairs(document) == [("A", 'say "yes" now'), ("B", "2")]


def test_cells_of_any_length_and_with_lines_in_them_are_read(read_bytes: ReadBytes) -> None:
    long = "x" * 200_000
    documents = read_bytes("a.csv", f'A,B,C\n1,{long},2\n3,"4\n5",6\n', rows=True)
    assert _pairs(documents[0]) == [("A", "1"), ("B", long), ("C", "2")]
    assert _pairs(documents[1]) == [("A", "3"), ("B", "4 5"), ("C", "6")]


def test_every_column_gets_a_name_of_its_own(read_bytes: ReadBytes) -> None:
    assert unique_names(["Name", "name", "", "Name (2)"]) == (
        "Name",
        "name (2)",
        "column 3",
        "Name (2) (2)",
    )
    (document,) = read_bytes("a.csv", "Name,Name,\nx,y,z,w\n", rows=True)
    assert _pairs(document) == [
        ("Name", "x"),
        ("Name (2)", "y"),
        ("column 3", "z"),
        ("column 4", "w"),
    ]


def test_three_rows_of_headers_are_read_from_the_innermost() -> None:
    """What spans columns has gaps to its right, and what it spans may have gaps as well."""
    rows = [["", "2022", "", ""], ["", "H1", "", "H2"], ["", "Q1", "Q2", "Q3"]]
    first, *others = header_paths(rows, 4)
    assert first == ()
    assert others == [("2022", "H1", "Q1"), ("2022", "H1", "Q2"), ("2022", "H2", "Q3")]


def test_a_table_without_names_keeps_its_first_row(read_bytes: ReadBytes) -> None:
    documents = read_bytes("a.csv", "Ann,40,1.5\nBob,50,2.5\nEve,60,3.5\n", rows=True)
    assert _pairs(documents[0]) == [("column 1", "Ann"), ("column 2", "40"), ("column 3", "1.5")]


def test_years_name_columns(read_bytes: ReadBytes) -> None:
    documents = read_bytes("a.csv", "Region,2019,2020\nNorth,1,2\nSouth,3,4\n", rows=True)
    assert _pairs(documents[0]) == [("Region", "North"), ("2019", "1"), ("2020", "2")]


def test_titles_above_and_two_rows_of_names_are_kept(
    read_bytes: ReadBytes, make_xlsx: Callable[..., bytes]
) -> None:
    data = make_xlsx(
        {
            "Sales": [
                ["Revenue (in millions)"],
                ["Region", "2019", "", "2020"],
                ["", "North", "South", "North"],
                ["Shoes", 1.0, 2.5, 3.0],
                ["Hats", 10.0, 20.0, 30.0],
            ]
        },
        merged="B2:C2",
    )
    (document,) = read_bytes("a.xlsx", data)
    table = _table(document)
    assert table.headers == (("Region",), ("2019", "North"), ("2019", "South"), ("2020", "North"))
    assert _rows(table) == [["Shoes", "1", "2.5", "3"], ["Hats", "10", "20", "30"]]
    assert table.caption == "Revenue (in millions)"
    first = read_bytes("a.xlsx", data, rows=True)[0]
    assert _pairs(first) == [
        ("Region", "Shoes"),
        ("2019 North", "1"),
        ("2019 South", "2.5"),
        ("2020 North", "3"),
    ]
    assert "Revenue" not in first.text


@pytest.mark.parametrize("names", [["2022", "2023"], [12, 24], ["one way", "return"]])
def test_names_merged_over_both_rows_make_the_second_one_names_whatever_it_holds(
    names: list[object], read_bytes: ReadBytes, make_xlsx: Callable[..., bytes]
) -> None:
    rows = [
        ["Line", "Stops", "Fare", ""],
        ["", "", *names],
        ["Red", 9, 2.5, 4.0],
        ["Blue", 24, 3.1, 5],
    ]
    data = make_xlsx({"Fares": rows}, merged="A1:A2 B1:B2 C1:D1")
    first, second = read_bytes("a.xlsx", data, rows=True)
    assert _pairs(first) == [
        ("Line", "Red"), ("Stops", "9"), (f"Fare {names[0]}", "2.5"), (f"Fare {names[1]}", "4")
    ]  # fmt: skip
    assert second.title == "Blue"


def test_each_sheet_is_a_section(read_bytes: ReadBytes, make_xlsx: Callable[..., bytes]) -> None:
    data = make_xlsx({"One": [["A", "B"], ["Key", "x"]], "Two & 3": [["C", "D"], ["Key", "y"]]})
    (document,) = read_bytes("a.xlsx", data)
    assert [block.text for block in document.blocks if isinstance(block, Heading)] == [
        "One",
        "Two & 3",
    ]
    values = [(b.section, b.value) for b in document.blocks if isinstance(b, KeyValue)]
    assert (("One",), "x") in values
    assert (("Two & 3",), "y") in values


def test_lines_of_json_are_rows(read_bytes: ReadBytes) -> None:
    data = '{"name": "A", "size": {"w": 1.0}}\n\n{"name": "B", "tags": ["x", "y"]}\n'
    first, second = read_bytes("a.jsonl", data, rows=True)
    assert (first.title, _pairs(first)) == ("A", [("name", "A"), ("size.w", "1")])
    assert second.text == "name: B\n\ntags\n\n- x\n- y"
    (whole,) = read_bytes("a.jsonl", data)
    assert _table(whole).headers == (("name",), ("size.w",), ("tags",))
    assert _rows(_table(whole)) == [["A", "1", ""], ["B", "", "x, y"]]
