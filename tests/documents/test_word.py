"""Word files, written with python-docx."""

from collections.abc import Callable

import docx

from srag_mcp.documents.document import Document, Heading, KeyValue, ListItem, Prose, Table
from tests.documents.word_files import add_table, to_bytes

ReadBytes = Callable[..., list[Document]]


def test_headings_paragraphs_lists_and_tables_come_in_order(read_bytes: ReadBytes) -> None:
    word = docx.Document()
    word.sections[0].header.paragraphs[0].text = "Reference: 4711"
    word.add_heading("The Inn", 0)
    word.add_heading("Contact", 1)
    word.add_paragraph("Phone:\t+49 30")
    word.add_paragraph("Breakfast is served from seven to ten.")
    word.add_paragraph("Pool", style="List Bullet")
    word.add_paragraph("").add_run("Rooms and prices").bold = True
    rows = [["", "2020", ""], ["Room", "North", "South"], ["Double", "90", "95"]]
    table = add_table(word, rows)
    table.cell(0, 1).merge(table.cell(0, 2))
    (document,) = read_bytes("a.docx", to_bytes(word))
    assert document.title == "The Inn"
    assert document.text == (
        "Reference: 4711\n\nThe Inn\n\nContact\n\nPhone:\t+49 30\n"
        "Breakfast is served from seven to ten.\n\n- Pool\n\nRooms and prices\n\n"
        " | 2020 | 2020\nRoom | North | South\nDouble | 90 | 95"
    )
    kinds = [type(block) for block in document.blocks[:7]]
    assert kinds == [KeyValue, Heading, Heading, KeyValue, Prose, ListItem, Heading]
    table_block = document.blocks[7]
    assert isinstance(table_block, Table)
    assert table_block.headers == (("Room",), ("2020", "North"), ("2020", "South"))
    assert table_block.section == ("The Inn", "Contact", "Rooms and prices")


def test_a_table_of_two_columns_is_pairs_below_its_merged_rows(read_bytes: ReadBytes) -> None:
    word = docx.Document()
    texts = [["Person", ""], ["Name", "Ann"], ["Languages", "English, good\nFrench, basic"]]
    table = add_table(word, texts)
    table.cell(0, 0).merge(table.cell(0, 1))
    (document,) = read_bytes("a.docx", to_bytes(word))
    assert [(b.section, b.key, b.value) for b in document.blocks if isinstance(b, KeyValue)] == [
        (("Person",), "Name", "Ann"),
        (("Person",), "Languages", "English, good; French, basic"),
    ]


def test_a_table_that_arranges_a_page_is_read_as_blocks(read_bytes: ReadBytes) -> None:
    word = docx.Document()
    left, right = word.add_table(rows=1, cols=2).rows[0].cells
    for text in ("Phone: 1", "City: Bonn", "Born: 1999", "Tea"):
        left.add_paragraph(text)
    right.text = "A long text about the person who wrote this."
    (document,) = read_bytes("a.docx", to_bytes(word))
    assert [(b.key, b.value) for b in document.blocks if isinstance(b, KeyValue)] == [
        ("Phone", "1"),
        ("City", "Bonn"),
        ("Born", "1999"),
    ]


def test_a_label_alone_above_a_list_is_its_heading(read_bytes: ReadBytes) -> None:
    word = docx.Document()
    word.add_heading("Survey 7", 0)
    word.add_paragraph("It took two hours.")
    word.add_paragraph("Faults:")
    word.add_paragraph("Wet sill", style="List Bullet")
    (document,) = read_bytes("a.docx", to_bytes(word))

    assert [block.section for block in document.blocks if isinstance(block, ListItem)] == [
        ("Survey 7", "Faults")
    ]
    heading = document.blocks[-2]
    assert isinstance(heading, Heading)
    assert heading.span.of(document.text) == heading.text == "Faults"
