"""PDF files, written by hand."""

from collections.abc import Callable, Sequence

import pytest

from srag_mcp.documents.document import Document, Heading, KeyValue, Table
from srag_mcp.errors import DocumentError

ReadBytes = Callable[..., list[Document]]
MakePdf = Callable[[Sequence[Sequence[tuple[int, int, int, str]]]], bytes]


def _pairs(document: Document) -> list[tuple[str, str]]:
    return [(block.key, block.value) for block in document.blocks if isinstance(block, KeyValue)]


def test_large_texts_are_headings_and_the_largest_is_the_title(
    read_bytes: ReadBytes, make_pdf: MakePdf
) -> None:
    page = [
        (50, 800, 24, "The Inn"),
        (50, 760, 16, "Contact"),
        (50, 740, 10, "Phone: +49 30"),
        (50, 725, 10, "City: Bonn"),
        (50, 710, 10, "Breakfast is served from seven to ten."),
    ]
    (document,) = read_bytes("a.pdf", make_pdf([page]))
    assert document.title == "The Inn"
    assert [(b.text, b.level) for b in document.blocks if isinstance(b, Heading)] == [
        ("The Inn", 1),
        ("Contact", 2),
    ]
    assert _pairs(document) == [("Phone", "+49 30"), ("City", "Bonn")]


def test_columns_of_a_table_are_kept_apart(read_bytes: ReadBytes, make_pdf: MakePdf) -> None:
    rows = [("Item", "North", "South"), ("Shoes", "1", "2"), ("Hats", "3", "4")]
    page = [
        (50 + 120 * x, 700 - 20 * y, 10, text)
        for y, row in enumerate(rows)
        for x, text in enumerate(row)
    ]
    (document,) = read_bytes("a.pdf", make_pdf([page]))
    (table,) = [block for block in document.blocks if isinstance(block, Table)]
    assert table.headers == (("Item",), ("North",), ("South",))
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["Shoes", "1", "2"],
        ["Hats", "3", "4"],
    ]


def test_labels_left_and_values_right_are_pairs(read_bytes: ReadBytes, make_pdf: MakePdf) -> None:
    rows = [("Name", "Ann Lee"), ("Born", "3 May 1980"), ("City", "Bonn")]
    page = [
        (50 + 150 * x, 700 - 20 * y, 10, text)
        for y, row in enumerate(rows)
        for x, text in enumerate(row)
    ]
    (document,) = read_bytes("a.pdf", make_pdf([page]))
    assert _pairs(document) == [("Name", "Ann Lee"), ("Born", "3 May 1980"), ("City", "Bonn")]


def test_a_sidebar_is_not_mixed_into_the_text_beside_it(
    read_bytes: ReadBytes, make_pdf: MakePdf
) -> None:
    side = [(50, 700 - 20 * n, 10, f"Skill {'abcd'[n]}") for n in range(4)]
    main = [(300, 700 - 20 * n, 10, f"sentence {'abcd'[n]} goes on") for n in range(4)]
    (document,) = read_bytes("a.pdf", make_pdf([[*side, *main]]))
    assert document.text.index("Skill d") < document.text.index("sentence a")


def test_lines_that_run_over_all_pages_are_kept_once(
    read_bytes: ReadBytes, make_pdf: MakePdf
) -> None:
    pages = [
        [
            (50, 800, 10, "Annual report"),
            (50, 700, 10, f"Chapter {'abcd'[n]} says something."),
            (50, 50, 10, f"Page {n + 1} of 4"),
        ]
        for n in range(4)
    ]
    (document,) = read_bytes("a.pdf", make_pdf(pages))
    assert document.text.count("Annual report") == 1
    assert document.text.count("Page") == 1
    assert "Chapter d says something." in document.text


def test_a_file_without_text_looks_like_a_scan(read_bytes: ReadBytes, make_pdf: MakePdf) -> None:
    with pytest.raises(DocumentError, match=r"^a\.pdf: there is no text in it: it looks like a"):
        read_bytes("a.pdf", make_pdf([[], []]))


def test_a_word_broken_at_a_line_end_keeps_its_hyphen_and_its_line(
    read_bytes: ReadBytes, make_pdf: MakePdf
) -> None:
    page = [(50, 800, 10, "Measured by Fiona Mac-"), (50, 788, 10, "Donald in the serial no. AB-")]
    page += [(50, 776, 10, "1234 on a dry and quiet afternoon.")]
    (document,) = read_bytes("a.pdf", make_pdf([page]))
    assert document.text == (
        "Measured by Fiona Mac-\nDonald in the serial no. AB-\n1234 on a dry and quiet afternoon."
    )


def test_so_does_a_title(read_bytes: ReadBytes, make_pdf: MakePdf) -> None:
    page = [(50, 800, 24, "Annual Report on Tann-"), (50, 772, 24, "enberg")]
    page += [(50, 740, 10, "Phone: +49 30"), (50, 725, 10, "City: Tann")]
    (document,) = read_bytes("a.pdf", make_pdf([page]))
    assert "\x02" not in (document.title or "")
    assert document.text.startswith("Annual Report on Tann-\nenberg\n")
