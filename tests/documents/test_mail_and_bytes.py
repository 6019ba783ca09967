"""E-mails as programs write them, and texts in the encodings that people's files are in."""

from collections.abc import Callable
from email.message import EmailMessage

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srag_mcp.documents.document import Document, Heading, KeyValue, Prose, Table
from srag_mcp.documents.reading import read_content
from srag_mcp.errors import DocumentError


def _message(**headers: str) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"] = "Ann Lee <ann@b.org>", "bob@c.org"
    for name, value in headers.items():
        message[name] = value
    return message


def _pairs(data: bytes) -> list[tuple[str, str]]:
    blocks = read_content(data, "a.eml").blocks
    return [(block.key, block.value) for block in blocks if isinstance(block, KeyValue)]


def test_headers_of_an_email_are_pairs_and_its_subject_the_title() -> None:
    message = _message(Subject="Größe der Zimmer")
    message.set_content("Rooms: 12\n")
    content = read_content(message.as_bytes(), "a.eml")
    assert content.title == "Größe der Zimmer"
    assert _pairs(message.as_bytes()) == [
        ("From", "Ann Lee <ann@b.org>"),
        ("To", "bob@c.org"),
        ("Subject", "Größe der Zimmer"),
        ("Rooms", "12"),
    ]


def test_what_an_email_quotes_of_an_earlier_one_is_no_fact_of_it() -> None:
    message = _message(Subject="Order")
    message.set_content("Pieces: 12\n\nOn 3 May Ann wrote:\n> Offer\n> Pieces: 40\n>> Price: 9\n")
    content = read_content(message.as_bytes(), "a.eml")
    assert _pairs(message.as_bytes())[3:] == [("Pieces", "12")]
    assert "> Pieces: 40" in content.text


def test_of_two_bodies_the_plain_one_is_read_unless_it_is_empty() -> None:
    message = _message()
    message.set_content("Rooms: 12")
    message.add_alternative("<p>Beds: 20</p>", subtype="html")
    assert _pairs(message.as_bytes())[2:] == [("Rooms", "12")]
    message = _message()
    message.set_content("\n")
    message.add_alternative("<p>Beds: 20</p>", subtype="html")
    assert _pairs(message.as_bytes())[2:] == [("Beds", "20")]


def test_an_attachment_that_cannot_be_read_costs_the_email_nothing_else() -> None:
    message = _message()
    message.set_content("Rooms: 12")
    message.add_attachment(b"%PDF-1.7", maintype="application", subtype="pdf", filename="plan.pdf")
    message.add_attachment("Beds: 20", filename="facts.txt")
    message.add_attachment(b"MZ", maintype="application", subtype="x-dosexec", filename="a.exe")
    content = read_content(message.as_bytes(), "a.eml")
    assert "Attachment not read: plan.pdf: it is not a PDF file, or a damaged one" in content.text
    assert [b.text for b in content.blocks if isinstance(b, Heading)] == ["facts.txt"]
    assert ("Beds", "20") in _pairs(message.as_bytes())
    assert "a.exe" not in content.text


@pytest.mark.parametrize(
    "header", ["Subject: =?klingon?Q?a=20b?=", "Subject: =?utf-8?B?####?=", "Subject: \udcff"]
)
def test_a_header_that_cannot_be_decoded_does_not_end_the_reading(header: str) -> None:
    raw = f"From: a@b.org\nTo: c@d.org\n{header}\n\nRooms: 12\n"
    assert ("Rooms", "12") in _pairs(raw.encode("utf-8", "surrogateescape"))


_WORDS = st.lists(st.text("abcdefgh XYZ:,.-12", min_size=1, max_size=30), max_size=5)


@settings(deadline=None)
@given(_WORDS, st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]))
def test_a_text_says_the_same_in_every_encoding_that_marks_itself(
    lines: list[str], encoding: str
) -> None:
    text = "\n".join(["Größe 5 m", *lines])
    assert read_content(text.encode(encoding), "a.txt").text == text


@settings(deadline=None)
@given(st.binary(min_size=64, max_size=400).filter(lambda data: 0 in data))
def test_binary_data_under_the_name_of_a_text_is_refused_or_has_no_control_characters(
    data: bytes,
) -> None:
    try:
        text = read_content(data, "a.txt").text
    except DocumentError as error:
        assert error.reason == "it is not text: it looks like binary data"
    else:
        assert "\0" not in text


ReadBytes = Callable[..., list[Document]]


def _written(body: str) -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Ann Lee <ann@example.org>"
    message["To"] = "bob@example.org"
    message["Subject"] = "Rechnung für Mai"
    message["Date"] = "Tue, 12 May 2020 10:00:00 +0200"
    message.set_content(body)
    return message


def test_headers_are_pairs_and_the_body_is_read_as_text(read_bytes: ReadBytes) -> None:
    (document,) = read_bytes("a.eml", _written("Dear Bob,\n\nTotal: 12.50 EUR\n").as_bytes())
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
    message = _written("See below.")
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
    message = _written("")
    message.set_content("<p>Hello</p><ul><li>Pool</li></ul>", subtype="html")
    (document,) = read_bytes("a.eml", message.as_bytes())
    assert document.text.endswith("Hello\n\n- Pool")
