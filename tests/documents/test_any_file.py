"""What holds of every format: any bytes give a document or a reason, and places are true."""

import csv
import io
import json
from collections.abc import Callable
from email.message import EmailMessage

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srag_mcp.documents.document import Document, KeyValue, ListItem, Table
from srag_mcp.documents.folder import MEDIA_TYPES
from srag_mcp.documents.reading import read_content, read_tables, read_text
from srag_mcp.documents.table_files import sketch
from srag_mcp.errors import DocumentError

CheckPlaces = Callable[[Document], None]
TEXT_ENDINGS = (".txt", ".md", ".html", ".csv", ".tsv", ".json", ".jsonl", ".eml")


def read(data: bytes, name: str) -> Document:
    content = read_content(data, name)
    return Document(name, name, "", "", "", content.text, content.blocks)


@settings(deadline=None)
@given(st.binary(max_size=200), st.sampled_from(sorted(MEDIA_TYPES)))
def test_any_bytes_are_a_document_or_a_reason(
    check_places: CheckPlaces, data: bytes, ending: str
) -> None:
    try:
        document = read(data, f"a{ending}")
    except DocumentError as error:
        assert (error.path, bool(error.reason)) == (f"a{ending}", True)
    else:
        check_places(document)


_LINES = st.sampled_from(
    ["Name: Ann Lee", "Total    12,50", "- Pool", "# Rooms", "", "a,b,c", "1,2,3", "| x | y |",
     "<p>Hi <b>there</b>", '{"a": [1, {"b": "c"}]}', "From: a@b.org", "Date: 1 May 2020",
     "A    B    C", "1    2    3", "Skills: Go, SQL, Rust", "Born", "3.5.1980", "(in millions)"]
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(_LINES, max_size=15).map("\n".join), st.sampled_from(TEXT_ENDINGS))
def test_places_are_true_whatever_a_file_is_called(
    check_places: CheckPlaces, text: str, ending: str
) -> None:
    try:
        document = read(text.encode(), f"a{ending}")
    except DocumentError as error:
        assert error.reason
    else:
        check_places(document)


@settings(deadline=None)
@given(st.lists(_LINES, max_size=12).map("\n".join))
def test_a_text_is_kept_as_it_is_and_read_the_same_twice(text: str) -> None:
    once, again = read_text(text, "a.txt"), read_text(text, "a.txt")
    assert (once, once.text) == (again, text)


_WORD = st.text("abcdefgh XYZäß'\"\n;|", min_size=1, max_size=8).filter(lambda word: word.strip())


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(_WORD, _WORD, _WORD),
        min_size=1,
        max_size=8,
        unique_by=lambda row: tuple(tuple(word.split()) for word in row),
    )
)
def test_a_csv_file_keeps_each_row_whatever_is_quoted(rows: list[tuple[str, str, str]]) -> None:
    buffer = io.StringIO()
    writer = csv.writer(buffer, quoting=csv.QUOTE_ALL)
    records = [(f"x{a}", f"y{b}", f"z{c}") for a, b, c in rows]
    writer.writerows([("Name", "City", "Note"), *records])

    [table] = read_tables(buffer.getvalue().encode(), "a.csv")

    assert (table.columns, table.told) == (("Name", "City", "Note"), ())
    assert [row.cells for row in table.rows] == [
        tuple(" ".join(word.split()) for word in record) for record in records
    ]


_SCALARS = st.one_of(st.integers(-999, 999), st.booleans(), st.sampled_from(["x", "05023", "a b"]))


@settings(deadline=None)
@given(
    st.lists(
        st.fixed_dictionaries(
            {"id": st.integers(0, 99)},
            optional={
                "place": st.fixed_dictionaries({"zip": _SCALARS, "city": _SCALARS}),
                "tags": st.lists(st.sampled_from(["red", "blue"]), max_size=3),
                "lines": st.lists(st.fixed_dictionaries({"sku": _SCALARS}), max_size=2),
            },
        ),
        min_size=2,
        max_size=6,
    )
)
def test_json_records_are_rows_their_objects_columns_and_their_lists_counted(
    records: list[dict[str, list[object]]],
) -> None:
    [table] = read_tables(json.dumps(records).encode(), "a.json")

    assert len(table.rows) == len(records)
    has_place = any("place" in record for record in records)
    places = {"place.zip", "place.city"} if has_place else set()
    assert set(table.columns) == {"id"} | places
    counted = {item.name: item.n_records for item in table.lists}
    wanted = {key: sum(bool(one.get(key)) for one in records) for key in ("tags", "lines")}
    assert counted == {key: n for key, n in wanted.items() if n}
    lists = {item.name: item for item in sketch(table).lists}
    for key in counted:
        listings = [
            next((item for item in row.more.listings if item.name == key), None)
            if row.more
            else None
            for row in table.rows
        ]
        n_items = [None if item is None else len(item.rows) for item in listings]
        assert n_items == [None if key not in one else len(one[key]) for one in records]
        assert {column.n_rows for column in lists[key].columns} == {sum(filter(None, n_items))}


@pytest.mark.parametrize("ending", ["csv", "json", "jsonl", "xlsx"])
def test_a_code_with_leading_zeros_stays_one(make_xlsx: Callable[..., bytes], ending: str) -> None:
    rows = [["Name", "Zip", "Size"], ["Ann", "05023", "7"], ["Bob", "00042", "9"]]
    records = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
    data = {
        "csv": "\n".join(map(",".join, rows)).encode(),
        "json": json.dumps(records).encode(),
        "jsonl": "\n".join(map(json.dumps, records)).encode(),
        "xlsx": make_xlsx({"S": rows}),
    }

    [table] = read_tables(data[ending], f"a.{ending}")

    assert table.columns == ("Name", "Zip", "Size")
    assert [row.cells[1] for row in table.rows] == ["05023", "00042"]


@pytest.mark.parametrize(
    ("rows", "kept", "context"),
    [
        (["Nord;1.200,50", "Süd;99,5", "Summe;1.300,00"], 2, "decimal comma"),
        (['North;"1,200.50"', "South;99.5", 'Total;"1,300.00"'], 2, "decimal point"),
    ],
)
def test_german_and_english_numbers_are_told_apart_and_summed(
    rows: list[str], kept: int, context: str
) -> None:
    [table] = read_tables("\n".join(["Region;Sales", *rows]).encode(), "a.csv")

    assert [row.context for row in table.rows] == [context] * kept
    assert "the sum of the 2 rows above it" in table.told[0]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("Größe: 5 m".encode("utf-8-sig"), "Größe: 5 m"),
        ("Größe: 5 m".encode("utf-16"), "Größe: 5 m"),
        ("Size: 5 m".encode("utf-16-le"), "Size: 5 m"),
        ("Size: 5 m".encode("utf-16-be"), "Size: 5 m"),
        ("Größe: 5 m".encode("utf-32"), "Größe: 5 m"),
        ("Die Größe des Hauses wäre für Gäste schön".encode("cp1252"),
         "Die Größe des Hauses wäre für Gäste schön"),
        (("Name;Stadt\n" + "Hélène;Nîmes\n" * 9).encode("cp1252"),
         "Name;Stadt\n" + "Hélène;Nîmes\n" * 9),
        ("Zażółć gęślą jaźń;Łódź\nŹródło wody;Wrocław\n".encode("cp1250"),
         "Zażółć gęślą jaźń;Łódź\nŹródło wody;Wrocław\n"),
        (b"a\r\nb\rc\x0bd\x0ce", "a\nb\nc\nd\ne"),
        (b"a\xef\xbb\xbfb", "ab"),
    ],
)  # fmt: skip
def test_text_is_read_in_whatever_encoding_and_with_one_kind_of_line_end(
    data: bytes, text: str
) -> None:
    assert read_content(data, "a.txt").text == text


def test_an_encoding_that_is_not_known_is_guessed() -> None:
    page = b'<meta charset="klingon"><p>Gr\xf6\xdfe und Stra\xdfe f\xfcr G\xe4ste</p>'
    assert read_content(page, "a.html").text == "Größe und Straße für Gäste"


def test_bytes_beyond_the_sample_that_are_no_text_cost_these_bytes_only() -> None:
    text = read_content(b"word " * 20_000 + b"\xff end", "a.txt").text
    assert (text[:9], text[-5:]) == ("word word", "ÿ end")


def test_an_attachment_is_read_as_the_file_that_it_is(check_places: CheckPlaces) -> None:
    message = EmailMessage()
    message["From"], message["Date"], message["Subject"] = "a@b.org", "1 May 2020", "Stay"
    message.set_content("Dear Ann")
    page = "<h2>Bar</h2><table><tr><th>Drink<th>Price<th>Size<tr><td>Tea<td>2<td>L</table>"
    message.add_attachment(page, subtype="html", filename="menu.html")
    message.add_attachment("Rooms: 12\nSkills: Go, SQL, Rust", filename="facts.txt")
    message.add_attachment("From: x", filename="inner.eml")

    document = read(message.as_bytes(), "a.eml")

    check_places(document)
    [table] = [block for block in document.blocks if isinstance(block, Table)]
    assert table.section == ("menu.html", "Bar")
    assert [row[0].span.of(document.text) for row in table.rows] == ["Tea"]
    found = [(b.key, b.value, b.section) for b in document.blocks if isinstance(b, KeyValue)]
    assert ("Rooms", "12", ("facts.txt",)) in found
    items = [(b.text, b.section) for b in document.blocks if isinstance(b, ListItem)]
    assert items == [(name, ("facts.txt", "Skills")) for name in ("Go", "SQL", "Rust")]
    assert "inner.eml" not in document.text


def test_json_in_a_page_that_is_nested_too_deeply_costs_the_page_nothing_else() -> None:
    deep = '{"a": ' * 5_000 + "1" + "}" * 5_000
    page = f'<script type="application/ld+json">{deep}</script><p>Four rooms and a bar.</p>'
    assert read_content(page.encode(), "a.html").text == "Four rooms and a bar."


def test_comments_that_are_never_closed_are_text() -> None:
    text = "A <!-- gone --> b\n\n" + "<!-- open " * 3
    assert read_content(text.encode(), "a.md").text == "A  b\n\n<!-- open <!-- open <!-- open"


def test_a_file_of_another_format_has_no_rows_and_no_text() -> None:
    with pytest.raises(DocumentError, match="files of this format have no rows to read one by one"):
        read_tables(b"Rooms: 12", "a.txt")
    with pytest.raises(DocumentError, match=r"not a format that can be read \(txt, text, md"):
        read_content(b"x", "a.exe")
