"""One page in every format: what is read of it does not depend on how it was saved."""

import json
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import docx
import pytest

from srag_mcp.documents.document import Document, Heading, KeyValue, ListItem, Table
from tests.documents.word_files import add_table, to_bytes

ReadBytes = Callable[..., list[Document]]
MakePdf = Callable[..., bytes]
CheckPlaces = Callable[[Document], None]

TITLE = "Harbour Inn"
PAIRS = [("Rooms", "12"), ("Opened", "3 May 1980"), ("Price", "EUR 90.50")]
ITEMS = ["Pool", "Sauna"]
ROWS = [["Room", "2023", "2024"], ["Single", "80", "85"], ["Double", "110", "120"]]


def _html() -> str:
    pairs = "".join(f"<dt>{key}</dt><dd>{value}</dd>" for key, value in PAIRS)
    items = "".join(f"<li>{item}</li>" for item in ITEMS)
    head, *body = [[f"<th>{cell}</th>" for cell in ROWS[0]]] + [
        [f"<td>{cell}</td>" for cell in row] for row in ROWS[1:]
    ]
    rows = "".join(f"<tr>{''.join(row)}</tr>" for row in (head, *body))
    return (
        f"<html><body><h1>{TITLE}</h1><dl>{pairs}</dl><h2>Facilities</h2><ul>{items}</ul>"
        f"<h2>Prices</h2><table>{rows}</table></body></html>"
    )


def _markdown() -> str:
    pairs = "".join(f"**{key}:** {value}\n\n" for key, value in PAIRS)
    items = "".join(f"- {item}\n" for item in ITEMS)
    head, *body = [f"| {' | '.join(row)} |\n" for row in ROWS]
    table = f"{head}|---|---|---|\n{''.join(body)}"
    return f"# {TITLE}\n\n{pairs}## Facilities\n\n{items}\n## Prices\n\n{table}"


def _plain() -> str:
    pairs = "".join(f"{key}: {value}\n" for key, value in PAIRS)
    items = "".join(f"* {item}\n" for item in ITEMS)
    table = "".join("".join(cell.ljust(12) for cell in row).rstrip() + "\n" for row in ROWS)
    return (
        f"{TITLE}\n{'=' * len(TITLE)}\n\n{pairs}\nFacilities\n----------\n\n{items}\n"
        f"Prices\n------\n\n{table}"
    )


def _word() -> bytes:
    word = docx.Document()
    word.add_heading(TITLE, 1)
    for key, value in PAIRS:
        word.add_paragraph(f"{key}: {value}")
    word.add_heading("Facilities", 2)
    for item in ITEMS:
        word.add_paragraph(item, style="List Bullet")
    word.add_heading("Prices", 2)
    add_table(word, ROWS)
    return to_bytes(word)


def _mail() -> bytes:
    message = EmailMessage()
    message["From"] = "Ann <ann@example.org>"
    message["Date"] = "Tue, 12 May 2020 10:00:00 +0200"
    message["Subject"] = TITLE
    message.set_content(_html(), subtype="html")
    return message.as_bytes()


def _json() -> str:
    head, *body = ROWS
    rows = [dict(zip(head, row, strict=True)) for row in body]
    return json.dumps({"title": TITLE, **dict(PAIRS), "Facilities": ITEMS, "Prices": rows})


PAGES: dict[str, str | bytes] = {
    "inn.html": _html(),
    "inn.md": _markdown(),
    "inn.txt": _plain(),
    "inn.docx": _word(),
    "inn.eml": _mail(),
    "inn.json": _json(),
}


@pytest.mark.parametrize("name", PAGES)
def test_title_pairs_items_and_table_are_the_same(
    name: str, read_bytes: ReadBytes, check_places: CheckPlaces
) -> None:
    (document,) = read_bytes(name, PAGES[name])

    check_places(document)
    assert document.title == TITLE
    assert [
        (block.key, block.value)
        for block in document.blocks
        if isinstance(block, KeyValue) and block.key in dict(PAIRS)
    ] == PAIRS
    assert [block.text for block in document.blocks if isinstance(block, ListItem)] == ITEMS
    (table,) = (block for block in document.blocks if isinstance(block, Table))
    assert table.headers == tuple((name,) for name in ROWS[0])
    assert [[cell.text for cell in row] for row in table.rows] == ROWS[1:]
    assert table.section[-1] == "Prices"


@pytest.mark.parametrize("name", PAGES)
def test_headings_are_those_of_the_page(name: str, read_bytes: ReadBytes) -> None:
    (document,) = read_bytes(name, PAGES[name])

    texts = [block.text for block in document.blocks if isinstance(block, Heading)]
    assert [text for text in texts if text != TITLE] == ["Facilities", "Prices"]


@pytest.mark.parametrize("name", PAGES)
def test_reading_it_again_gives_the_same(name: str, read_bytes: ReadBytes) -> None:
    assert read_bytes(name, PAGES[name]) == read_bytes(name, PAGES[name])


@pytest.mark.parametrize("name", ["inn.html", "inn.md", "inn.txt", "inn.json"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_the_bytes_of_a_text_may_be_marked(name: str, encoding: str, read_bytes: ReadBytes) -> None:
    text = PAGES[name]
    assert isinstance(text, str)
    (marked,) = read_bytes(name, text.encode(encoding))
    (plain,) = read_bytes(name, text)

    assert (marked.text, marked.blocks) == (plain.text, plain.blocks)


@pytest.mark.parametrize("name", ["inn.html", "inn.md", "inn.txt"])
def test_line_ends_of_windows_change_nothing(name: str, read_bytes: ReadBytes) -> None:
    text = PAGES[name]
    assert isinstance(text, str)
    (windows,) = read_bytes(name, text.replace("\n", "\r\n"))
    (plain,) = read_bytes(name, text)

    assert "\r" not in windows.text
    assert windows.blocks == plain.blocks


def test_a_pdf_of_the_page_has_its_pairs_items_and_table(
    read_bytes: ReadBytes, make_pdf: MakePdf, check_places: CheckPlaces
) -> None:
    lines = [(60, 780, 20, TITLE)]
    lines += [(60, 740 - 16 * n, 11, f"{key}: {value}") for n, (key, value) in enumerate(PAIRS)]
    lines += [(60, 670, 15, "Prices")]
    lines += [
        (60 + 120 * x, 640 - 16 * y, 11, cell)
        for y, row in enumerate(ROWS)
        for x, cell in enumerate(row)
    ]
    (document,) = read_bytes("inn.pdf", make_pdf([lines]))

    check_places(document)
    assert document.title == TITLE
    pairs = [(b.key, b.value) for b in document.blocks if isinstance(b, KeyValue)]
    assert pairs[:3] == PAIRS
    (table,) = (block for block in document.blocks if isinstance(block, Table))
    assert [[cell.text for cell in row] for row in table.rows] == ROWS[1:]


def test_the_shipped_hotels_are_pages_with_a_title_and_blocks(
    read_bytes: ReadBytes, check_places: CheckPlaces
) -> None:
    folder = Path(__file__).parents[2] / "corpora" / "hotels" / "documents"
    for path in sorted(folder.iterdir())[::6]:
        (document,) = read_bytes(path.name, path.read_bytes())
        check_places(document)
        assert document.title
        assert any(isinstance(block, KeyValue) for block in document.blocks), path.name
