"""One table in files of every format: the same rows, with the same names, wherever it stands."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from email.message import EmailMessage
from html import escape

import docx
import pytest
from fpdf import FPDF
from hypothesis import given, settings
from hypothesis import strategies as st

from srag_mcp.documents.document import Document, Table
from srag_mcp.documents.reading import read_content, read_tables
from srag_mcp.documents.table_files import take_kind
from tests.documents.word_files import add_table, to_bytes

Rows = Sequence[Sequence[str]]

NAMES = ("Room", "Floor", "Rate")
ROOMS = (("Sea view", "3", "120.50"), ("Garden", "1", "85.00"), ("Attic", "4", "70.25"))


def as_csv(rows: Rows, delimiter: str = ",") -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter).writerows(rows)
    return buffer.getvalue().encode()


def as_json(rows: Rows) -> list[dict[str, str]]:
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]


def as_html(rows: Rows, tag: str = "td") -> bytes:
    cells = [
        "".join(f"<{'td' if number else tag}>{escape(cell)}" for cell in row)
        for number, row in enumerate(rows)
    ]
    return f"<h2>Rooms</h2><table><tr>{'<tr>'.join(cells)}</table>".encode()


def as_markdown(rows: Rows) -> bytes:
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:]]).encode()


def as_word(rows: Rows) -> bytes:
    word = docx.Document()
    word.add_paragraph("All rooms have a bath.")
    add_table(word, rows)
    return to_bytes(word)


def as_pdf(rows: Rows) -> bytes:
    pdf = FPDF()
    pdf.add_page()
    pdf.set_font("Helvetica", size=11)
    for row in rows:
        for cell in row:
            pdf.cell(60, 8, cell)
        pdf.ln()
    return bytes(pdf.output())


def as_mail(rows: Rows) -> bytes:
    message = EmailMessage()
    message["From"], message["Subject"] = "a@b.org", "Our rooms"
    message.set_content("The rooms, as asked.")
    message.add_attachment(as_html(rows).decode(), subtype="html", filename="rooms.html")
    return message.as_bytes()


IN_DOCUMENTS: dict[str, Callable[[Rows], bytes]] = {
    "a.html": lambda rows: as_html(rows, "th"),
    "plain.html": as_html,
    "a.md": as_markdown,
    "a.txt": lambda rows: "\n".join(
        "".join(cell.ljust(20) for cell in row).rstrip() for row in rows
    ).encode(),
    "pipes.txt": lambda rows: "\n".join(f"|{'|'.join(row)}|" for row in rows).encode(),
    "a.docx": as_word,
    "a.pdf": as_pdf,
    "a.eml": as_mail,
    "a.csv": as_csv,
    "a.json": lambda rows: json.dumps({"hotel": "Sea Inn", "rooms": as_json(rows)}).encode(),
    "a.jsonl": lambda rows: "\n".join(map(json.dumps, as_json(rows))).encode(),
}


@pytest.mark.parametrize("name", IN_DOCUMENTS)
def test_a_table_in_a_document_has_its_names_and_rows(
    check_places: Callable[[Document], None], name: str
) -> None:
    content = read_content(IN_DOCUMENTS[name]((NAMES, *ROOMS)), name)

    check_places(Document(name, name, "", "", "", content.text, content.blocks))
    [table] = [block for block in content.blocks if isinstance(block, Table)]
    assert table.headers == tuple((name,) for name in NAMES)
    written = [tuple(cell.text for cell in row) for row in table.rows]
    if name.endswith((".json", ".jsonl")):
        assert written == [tuple(row) for row in ROOMS]
    assert [[*row[:2], float(row[2])] for row in written] == [
        [*row[:2], float(row[2])] for row in ROOMS
    ]


IN_TABLE_FILES: dict[str, Callable[[Rows], bytes]] = {
    "a.csv": as_csv,
    "semicolons.csv": lambda rows: as_csv(rows, ";"),
    "a.tsv": lambda rows: as_csv(rows, "\t"),
    "a.json": lambda rows: json.dumps(as_json(rows)).encode(),
    "wrapped.json": lambda rows: json.dumps({"n": len(rows) - 1, "all": as_json(rows)}).encode(),
    "a.jsonl": lambda rows: "\n".join(map(json.dumps, as_json(rows))).encode(),
}


@pytest.mark.parametrize("name", [*IN_TABLE_FILES, "a.xlsx"])
def test_a_table_file_has_its_names_and_records_whatever_its_format(
    make_xlsx: Callable[..., bytes], name: str
) -> None:
    rows = (NAMES, *ROOMS)
    data = make_xlsx({"Rooms": rows}) if name == "a.xlsx" else IN_TABLE_FILES[name](rows)

    table = take_kind(read_tables(data, name))

    assert (table.columns, table.told) == (NAMES, ())
    assert [row.cells for row in table.rows] == list(ROOMS)


_WORD = st.text("abcdefg XYZäöß", min_size=1, max_size=9).filter(str.strip)
_AMOUNT = st.integers(1, 99_999)


@settings(deadline=None)
@given(
    st.lists(st.tuples(_WORD, _WORD, _AMOUNT, _AMOUNT), min_size=3, max_size=12),
    st.sampled_from(sorted(IN_TABLE_FILES)),
    st.sampled_from(["Total", "Summe", "", "All of it"]),
)
def test_a_total_below_the_records_is_left_out_and_told_in_every_format(
    records: list[tuple[str, str, int, int]], name: str, called: str
) -> None:
    names = ("Town", "Country", "People", "Cars")
    body = [
        (f"n{number} {town}", f"x{land}", str(people), str(cars))
        for number, (town, land, people, cars) in enumerate(records)
    ]
    sums = [str(sum(people for *_, people, _ in records)), str(sum(cars for *_, cars in records))]

    table = take_kind(read_tables(IN_TABLE_FILES[name]((names, *body, (called, "", *sums))), name))

    kept = [row.cells for row in table.rows]
    if name.endswith((".json", ".jsonl")):  # what records are is said in JSON: none is guessed
        assert len(kept) == len(body) + 1
        return
    assert kept == [tuple(" ".join(cell.split()) for cell in row) for row in body]
    left_out = [line for line in table.told if "is left out" in line]
    assert len(left_out) == 1
    assert f"the sum of the {len(body)} rows above it" in left_out[0]


@settings(deadline=None, max_examples=15)
@given(st.lists(st.tuples(_WORD, _WORD, _WORD), min_size=2, max_size=6))
def test_no_cell_of_a_word_table_is_lost(rows: list[tuple[str, str, str]]) -> None:
    content = read_content(as_word((NAMES, *rows)), "a.docx")
    said = " ".join(content.text.split())
    for row in rows:
        assert " | ".join(" ".join(cell.split()) for cell in row) in said
