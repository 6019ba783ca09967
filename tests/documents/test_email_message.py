"""E-mails, with attachments."""

from collections.abc import Callable
from email.message import EmailMessage

from srag_mcp.documents.document import Document, Heading, KeyValue, Prose, Table

ReadBytes = Callable[..., list[Document]]


def _message(body: str) -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Ann Lee <ann@example.org>"
    message["To"] = "bob@example.org"
    message["Subject"] = "Rechnung für Mai"
    message["Date"] = "Tue, 12 May 2020 10:00:00 +0200"
    message.set_content(body)
    return message


def test_headers_are_pairs_and_the_body_is_read_as_text(read_bytes: ReadBytes) -> None:
    (document,) = read_bytes("a.eml", _message("Dear Bob,\n\nTotal: 12.50 EUR\n").as_bytes())
    assert document.title == "Rechnung für Mai"
    assert [(b.key, b.value) for b in document.blocks if isinstance(b, KeyValue)] == [
        ("From", "Ann Lee <ann@example.org>"),
        ("To", "bob@example.org"),
        ("Date", "Tue, 12 May 2020 10:00:00 +0200"),
        ("Subject", "Rechnung für Mai"),
        ("Total", "12.50 EUR"),
    ]
    assert isinstance(document.blocks[4], Prose)


def test_readable_attachments_are_sections(
    read_bytes: ReadBytes, check_places: Callable[[Document], None]
) -> None:
    message = _message("See below.")
    message.add_attachment("A,B,C\n1,2,3\n4,5,6\n", subtype="csv", filename="t.csv")
    message.add_attachment(b"\x00\x01", maintype="image", subtype="png", filename="i.png")
    message.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="bad.pdf")
    (document,) = read_bytes("a.eml", message.as_bytes())
    (table,) = [block for block in document.blocks if isinstance(block, Table)]
    assert table.section == ("t.csv",)
    assert [b.text for b in document.blocks if isinstance(b, Heading)] == ["t.csv"]
    assert "Attachment not read: bad.pdf: it is not a PDF file, or a damaged one" in document.text
    check_places(document)


def test_a_body_in_html_is_read_as_a_page(read_bytes: ReadBytes) -> None:
    message = _message("")
    message.set_content("<p>Hello</p><ul><li>Pool</li></ul>", subtype="html")
    (document,) = read_bytes("a.eml", message.as_bytes())
    assert document.text.endswith("Hello\n\n- Pool")
