"""Reads e-mails, with the attachments that can be read."""

from collections.abc import Callable
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesParser
from itertools import islice

from srag_mcp.documents.document import Content
from srag_mcp.documents.encoding import decode
from srag_mcp.documents.folder import media_type
from srag_mcp.documents.html import read_html
from srag_mcp.documents.page import Page
from srag_mcp.errors import DocumentError

_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_ATTACHMENT_LEVEL = 1
_MAX_PARTS = 200
_MAX_HEADER_CHARACTERS = 2000


def read_email(data: bytes, path: str, read_attachment: Callable[[bytes, str], Content]) -> Content:
    """Read an e-mail: its headers as pairs, its body, then each attachment below its name.

    Raises:
        DocumentError: If it is no e-mail.
    """
    message = BytesParser().parsebytes(data)
    headers = {name: _header(message, name) for name in _HEADERS}
    if sum(map(bool, headers.values())) < 2:
        raise DocumentError(path, "it is not an e-mail: it has no headers such as From and Date")
    page = Page()
    for name, value in headers.items():
        page.write_pair(name, value)
    parts = [part for part in islice(message.walk(), _MAX_PARTS) if not part.is_multipart()]
    named = [(_file_name(part), part) for part in parts]
    bodies = {part.get_content_type(): part for name, part in reversed(named) if not name}
    plain, web = bodies.get("text/plain"), bodies.get("text/html")
    if plain is not None and _payload(plain).strip():
        page.write_text(decode(_payload(plain), path, plain.get_content_charset()))
    elif web is not None and _payload(web).strip():
        page.write_content(read_html(_payload(web), path))
    for name, part in named:
        if media_type(name) in {None, "message/rfc822"}:
            continue
        try:
            content = read_attachment(_payload(part), name)
        except DocumentError as error:  # the e-mail itself can be read
            page.write_text(f"Attachment not read: {error}")
        else:
            page.write_heading(name, _ATTACHMENT_LEVEL)
            page.write_content(content)
    return page.content(headers["Subject"] or None)


def _header(message: Message, name: str) -> str:
    """Return a header as it reads; it is decoded here because the newer policy is quadratic."""
    raw = str(message.get(name, ""))[:_MAX_HEADER_CHARACTERS]
    try:
        return str(make_header(decode_header(raw))).strip()
    except (HeaderParseError, LookupError, ValueError):
        return raw.strip()


def _file_name(part: Message) -> str:
    try:
        return (part.get_filename() or "").strip()
    except (ValueError, LookupError, AttributeError, TypeError):
        return ""


def _payload(part: Message) -> bytes:
    try:
        payload = part.get_payload(decode=True)
    except (ValueError, LookupError):
        return b""
    return payload if isinstance(payload, bytes) else b""
