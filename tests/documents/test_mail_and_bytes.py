"""E-mails as programs write them, and texts in the encodings that people's files are in."""

from email.message import EmailMessage

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srag_mcp.documents.document import Heading, KeyValue
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
